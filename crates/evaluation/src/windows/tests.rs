//! Unit tests of the window plan, against windows laid by the rule's own words.

use super::*;

const fn rule(window: usize, stride: usize, bos_per_window: bool) -> WindowRule {
    WindowRule { window, stride, bos_per_window }
}

/// Every plan over up to 40 ids with windows of 2 to 9, with and without copied start tokens.
fn small_plans() -> impl Iterator<Item = WindowPlan> {
    let rules = (2..10).flat_map(|window| (1..window).map(move |stride| (window, stride)));
    let rules = rules.flat_map(|(window, stride)| {
        [false, true].map(|bos_per_window| WindowRule { window, stride, bos_per_window })
    });
    rules.flat_map(|rule| (0..=40).map(move |len| rule.plan(len).unwrap()))
}

#[test]
fn windows_start_at_multiples_of_the_stride_and_stop_at_the_end() {
    for (stride, starts) in
        [(1, vec![0, 1, 2, 3, 4, 5, 6]), (2, vec![0, 2, 4, 6]), (3, vec![0, 3, 6])]
    {
        let plan = rule(4, stride, false).plan(10).unwrap();
        assert_eq!(plan.windows().map(|window| window.start).collect::<Vec<_>>(), starts);
        assert_eq!(plan.windows().last().unwrap().end, 10);
    }
}

#[test]
fn each_target_is_scored_once_by_the_first_window_that_has_something_before_it() {
    for plan in small_plans() {
        let WindowRule { window, stride, bos_per_window } = plan.rule();
        // The ids of each window by position, as the rule says; a copied start token as 0 again.
        let mut laid: Vec<Vec<usize>> = Vec::new();
        while plan.len >= 2 && laid.last().is_none_or(|ids| *ids.last().unwrap() + 1 < plan.len) {
            let start = laid.len() * stride;
            let ids: Vec<usize> = if bos_per_window {
                [0].into_iter().chain((1 + start..plan.len).take(window - 1)).collect()
            } else {
                (start..plan.len).take(window).collect()
            };
            laid.push(ids);
        }
        let ids: Vec<TokenId> = (0..plan.len as TokenId).collect();
        assert_eq!(plan.window_count(), laid.len(), "{plan}");
        let mut scored_by = vec![Vec::new(); plan.len];
        for (index, (given, expected)) in plan.windows().zip(&laid).enumerate() {
            let given_ids = given.ids(&ids);
            assert!(given_ids.iter().map(|&id| id as usize).eq(expected.iter().copied()), "{plan}");
            assert!(given_ids.len() <= window);
            for (inside, &position) in expected.iter().enumerate() {
                assert_eq!(given.document_position(inside), position);
            }
            (given.first_target..given.end).for_each(|target| scored_by[target].push(index));
        }
        for (target, scored_by) in scored_by.iter().enumerate() {
            let has_context = |ids: &Vec<usize>| ids[1..].contains(&target);
            let first = laid.iter().position(has_context).filter(|_| target > 0);
            assert_eq!(scored_by.as_slice(), first.as_slice(), "target {target}, {plan}");
        }
    }
}

#[test]
fn counts_agree_with_the_windows() {
    for plan in small_plans() {
        let targets: usize = plan.windows().map(|window| window.target_count()).sum();
        assert_eq!(targets, plan.target_count());
        assert_eq!(targets, plan.len.saturating_sub(1));
        let ids = vec![0; plan.len];
        let read: usize = plan.windows().map(|window| window.ids(&ids).len()).sum();
        assert_eq!(read, targets + plan.context_only_count());
        if plan.len >= 2 {
            let WindowRule { window, stride, .. } = plan.rule();
            let beyond = plan.len.saturating_sub(window);
            assert_eq!(plan.window_count(), 1 + beyond.div_ceil(stride));
            assert_eq!(plan.least_context(), (beyond > 0).then_some(window - stride));
        }
    }
}

#[test]
fn stride_one_gives_every_target_all_the_context_that_fits() {
    for window in 2..10 {
        let plan = rule(window, 1, false).plan(40).unwrap();
        for laid in plan.windows() {
            for target in laid.first_target..laid.end {
                assert_eq!(target - laid.start, target.min(window - 1));
            }
        }
    }
}

#[test]
fn strides_that_would_lose_targets_or_never_move_are_refused() {
    for (window, stride) in
        [(4, 0), (4, 4), (4, 5), (1, 1), (1, 0), (0, 0), (usize::MAX, usize::MAX)]
    {
        let error = rule(window, stride, false).plan(10).unwrap_err();
        let ScoreError::Window { window: w, stride: s } = error else { panic!("{error}") };
        assert_eq!((w, s), (window, stride));
    }
}

#[test]
fn a_copied_start_token_takes_a_place_and_stands_first_only() {
    // A start token and 10 others, windows of 4: three others in each.
    let ids: Vec<TokenId> = (0..11).collect();
    let plan = rule(4, 3, true).plan(ids.len()).unwrap();
    let windows: Vec<_> = plan.windows().map(|window| window.ids(&ids)).collect();
    assert_eq!(
        windows,
        [[0, 1, 2, 3], [0, 4, 5, 6], [0, 7, 8, 9]]
            .map(Vec::from)
            .into_iter()
            .chain([vec![0, 10]])
            .collect::<Vec<_>>()
    );
    assert_eq!((plan.target_count(), plan.context_only_count()), (10, 4));
}

#[test]
fn one_window_holds_any_document() {
    for len in [2, 3, 1_000_000_007, usize::MAX] {
        let plan = WindowRule::WHOLE.plan(len).unwrap();
        let whole = Window { start: 0, end: len, first_target: 1, copies_start: false };
        assert_eq!(plan.windows().collect::<Vec<_>>(), [whole]);
    }
}

#[test]
fn a_document_without_targets_has_no_windows() {
    for len in [0, 1] {
        let plan = rule(4, 2, false).plan(len).unwrap();
        assert_eq!((plan.window_count(), plan.target_count()), (0, 0));
        assert_eq!(plan.window(0), None);
    }
}

#[test]
fn a_plan_can_be_read_before_anything_is_scored() {
    let plan = rule(4, 2, false).plan(9).unwrap();
    let expected = "\
4 windows of 4, stride 2, over 9 ids: 8 targets scored once, 7 ids read as context only
0: reads 0..4, scores 1..4
1: reads 2..6, scores 4..6
2: reads 4..8, scores 6..8
3: reads 6..9, scores 8..9";
    assert_eq!(plan.to_string(), expected);
    let copied = rule(4, 3, true).plan(6).unwrap().to_string();
    assert!(copied.ends_with("\n1: reads start token and 4..6, scores 4..6"), "{copied}");
    let long = rule(4, 1, false).plan(1000).unwrap().to_string();
    assert!(long.ends_with("... and 987 more") && long.lines().count() == 12, "{long}");
}
