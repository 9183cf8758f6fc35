use super::*;
use proptest::prelude::*;

fn item(context: &str, answer: &str) -> TaskItem {
    TaskItem::new(context, [answer, " never"], 0).unwrap()
}

fn few_shot(shots: usize, seed: u64) -> FewShot {
    let template = PromptTemplate::new("", "{context}{answer};").unwrap();
    FewShot { template, shots, seed }
}

fn items(count: usize) -> Vec<TaskItem> {
    (0..count).map(|i| item(&format!("question {i}"), &format!(" answer{i}"))).collect()
}

/// The contexts shown to an item.
fn shown(few_shot: &FewShot, to: &TaskItem, pool: &[TaskItem]) -> Vec<String> {
    let question = few_shot.question(to, &ExamplePool::new(pool)).unwrap();
    question.examples().iter().map(|&place| pool[place].context().to_owned()).collect()
}

#[test]
fn no_prompt_contains_its_own_answer_and_a_pool_too_small_is_refused() {
    let items = items(3);
    let pool = ExamplePool::new(&items);
    for seed in 0..200 {
        for (i, question) in few_shot(2, seed).questions(&items, &pool).unwrap().iter().enumerate()
        {
            assert!(!question.prompt().contains(&format!("answer{i}")), "{}", question.prompt());
            assert_eq!(question.examples().len(), 2);
        }
        let error = few_shot(3, seed).questions(&items, &pool).unwrap_err();
        assert!(matches!(error, TaskError::Pool { available: 2, wanted: 3, .. }), "{error}");
    }
}

#[test]
fn copies_are_excluded_whatever_their_case_spaces_options_order_or_group() {
    let asked = TaskItem::new("The sky is", [" blue", " red"], 0).unwrap();
    let copies = [
        TaskItem::new("the  SKY is\n", ["blue ", " red"], 0).unwrap(),
        TaskItem::new("The sky is", [" red", " blue"], 1).unwrap(),
        TaskItem::new("The sky is ", ["green", "blue", "red"], 1).unwrap(),
        asked.clone().with_group(Some("g".into())),
    ];
    let other = item("Snow is", " white");
    for copy in copies {
        let pool = [copy, other.clone()];
        let pool = ExamplePool::new(&pool);
        assert_eq!(few_shot(1, 7).question(&asked, &pool).unwrap().examples(), [1]);
        let error = few_shot(2, 7).question(&asked, &pool).unwrap_err();
        assert!(matches!(error, TaskError::Pool { available: 1, wanted: 2, .. }), "{error}");
    }
    // Another answer to the same context gives nothing away.
    let pool = [item("The sky is", " cloudy"), other];
    assert_eq!(shown(&few_shot(2, 7), &asked, &pool).len(), 2);
}

#[test]
fn an_example_is_shown_once_however_often_the_pool_has_it() {
    let pool = [item("a", " x"), item("a", " x"), item("b", " y")];
    let asked = item("c", " z");
    let mut places =
        few_shot(2, 0).question(&asked, &ExamplePool::new(&pool)).unwrap().examples().to_vec();
    places.sort_unstable();
    assert_eq!(places, [0, 2]);
    assert!(few_shot(3, 0).question(&asked, &ExamplePool::new(&pool)).is_err());
}

#[test]
fn no_shots_are_the_open_question_alone() {
    let items = items(1);
    let question = few_shot(0, 3).question(&items[0], &ExamplePool::new(&[])).unwrap();
    assert_eq!((question.prompt(), question.examples()), ("question 0", &[][..]));
}

#[test]
fn every_example_is_drawn_equally_often_at_every_place() {
    // 4000 seeds, 2 of 5 examples: each place shows each example 800 times, standard deviation
    // sqrt(4000 * 0.2 * 0.8) = 25.3.
    let (pool, asked) = (items(5), item("other", " none"));
    let mut counts = [[0_i32; 5]; 2];
    for seed in 0..4000 {
        let question = few_shot(2, seed).question(&asked, &ExamplePool::new(&pool)).unwrap();
        for (place, &example) in question.examples().iter().enumerate() {
            counts[place][example] += 1;
        }
    }
    assert!(counts.iter().flatten().all(|count| (count - 800).abs() < 4 * 26), "{counts:?}");
}

#[test]
fn draws_are_those_of_the_documented_stream() {
    // Worked out in Python: hashlib for the contents, SplitMix64 written out.
    let (pool, asked) = (items(6), item("other", " none"));
    let question = few_shot(4, 39).question(&asked, &ExamplePool::new(&pool)).unwrap();
    assert_eq!(question.examples(), [2, 0, 4, 5]);
}

proptest! {
    #[test]
    fn other_items_pool_order_and_option_order_change_no_prompt(
        seed in any::<u64>(), count in 4usize..12, shots in 0usize..4, rotation in 0usize..12,
    ) {
        let few_shot = few_shot(shots, seed);
        let pool = items(count);
        let alone = shown(&few_shot, &pool[0], &pool);
        let mut rotated = pool.clone();
        rotated.rotate_left(rotation % count);
        prop_assert_eq!(&shown(&few_shot, &pool[0], &rotated), &alone);
        let permuted = TaskItem::new("question 0", [" never", " answer0"], 1).unwrap();
        prop_assert_eq!(&shown(&few_shot, &permuted, &pool), &alone);
        let other = few_shot.question(&pool[1], &ExamplePool::new(&pool)).unwrap();
        let together = few_shot.questions(&pool, &ExamplePool::new(&pool)).unwrap();
        prop_assert_eq!(&together[1], &other);
    }

    #[test]
    fn a_new_example_changes_only_the_prompts_that_it_enters(
        seed in any::<u64>(), count in 4usize..12, shots in 1usize..4,
    ) {
        let few_shot = few_shot(shots, seed);
        let (pool, more) = (items(count), items(count + 1));
        for asked in &pool {
            let (before, after) = (shown(&few_shot, asked, &pool), shown(&few_shot, asked, &more));
            let new = more[count].context();
            if after.iter().any(|context| context == new) {
                let kept: Vec<_> = after.iter().filter(|c| *c != new).cloned().collect();
                prop_assert_eq!(&kept[..], &before[..shots - 1]);
            } else {
                prop_assert_eq!(after, before);
            }
        }
    }
}
