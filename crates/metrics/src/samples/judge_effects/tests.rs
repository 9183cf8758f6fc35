use super::*;
use crate::{JudgeTastes, Side, SplitMix64, both_orders};

const TASTES_OF_THE_JUDGE: JudgeTastes =
    JudgeTastes { position: 0.2, length: 0.15, own: 0.1, merit: 0.4 };

/// Pairs in which the judge's own answer is shown first, is mostly the better one, and is mostly
/// the longer one, and so is the better one: everything that a naive estimate can confuse.
fn entangled(count: usize, seed: u64) -> Vec<Comparison> {
    let mut stream = SplitMix64::new(seed);
    let mut mostly_first = |share: f64| {
        if stream.unit() < share { Side::First } else { Side::Second }
    };
    (0..count)
        .map(|pair| Comparison {
            pair,
            longer: mostly_first(0.7),
            own: Side::First,
            better: mostly_first(0.7),
        })
        .collect()
}

fn verdict(pair: usize, [longer, better]: [Side; 2], first_chosen: bool) -> Verdict {
    Verdict { comparison: Comparison { pair, longer, own: Side::Neither, better }, first_chosen }
}

fn within_three(effect: Effect, truth: f64) -> bool {
    (effect.value - truth).abs() <= 3.0 * effect.standard_error
}

#[test]
fn the_swap_and_the_regression_find_tastes_that_the_naive_numbers_miss() {
    let truth = TASTES_OF_THE_JUDGE;
    let shown = entangled(4000, 17);
    let one_order = truth.judge(&shown, 18).unwrap();
    let verdicts = truth.judge(&both_orders(&shown), 18).unwrap();

    let swap = order_swap_position(&verdicts).unwrap();
    let swap = Effect { value: swap.mean, standard_error: swap.standard_error.unwrap() };
    assert!(within_three(swap, truth.position), "{swap:?}");

    let fitted = JudgeEffects::fit(&verdicts).unwrap();
    assert!(within_three(fitted.position, truth.position), "{fitted:?}");
    assert!(within_three(fitted.length.unwrap(), truth.length), "{fitted:?}");
    assert!(within_three(fitted.own.unwrap(), truth.own), "{fitted:?}");
    assert!(within_three(fitted.merit.unwrap(), truth.merit), "{fitted:?}");

    let misses = [
        (&one_order, Taste::Position, truth.position),
        (&verdicts, Taste::Length, truth.length),
        (&verdicts, Taste::Own, truth.own),
    ];
    for (verdicts, taste, truth) in misses {
        let naive = naive_taste(verdicts, taste).unwrap();
        let naive = Effect { value: naive.mean, standard_error: naive.standard_error.unwrap() };
        assert!(!within_three(naive, truth), "{taste:?}: {naive:?} is not off");
    }
}

#[test]
fn standard_errors_are_as_large_as_the_spread_over_seeds() {
    // 200 judges of 300 pairs: the estimates' standard deviation against the mean standard error;
    // a standard deviation of 200 values has a relative error of 1/sqrt(400) = 5 %.
    let truth = TASTES_OF_THE_JUDGE;
    let fits: Vec<JudgeEffects> = (0..200)
        .map(|seed| {
            let shown = both_orders(&entangled(300, 1000 + seed));
            JudgeEffects::fit(&truth.judge(&shown, seed).unwrap()).unwrap()
        })
        .collect();
    type Part = fn(&JudgeEffects) -> Effect;
    let parts: [(Part, f64); 4] = [
        (|fit| fit.position, truth.position),
        (|fit| fit.length.unwrap(), truth.length),
        (|fit| fit.own.unwrap(), truth.own),
        (|fit| fit.merit.unwrap(), truth.merit),
    ];
    for (part, truth) in parts {
        let values: Vec<f64> = fits.iter().map(|fit| part(fit).value).collect();
        let summary = crate::seed_summary(&values).unwrap();
        let spread = summary.sample_standard_deviation.unwrap();
        let claimed = fits.iter().map(|fit| part(fit).standard_error).sum::<f64>() / 200.0;
        assert!((claimed / spread - 1.0).abs() < 0.15, "{claimed} and {spread}");
        assert!((summary.mean - truth).abs() < 3.0 * spread / 200.0_f64.sqrt(), "{summary:?}");
    }
}

#[test]
fn a_fit_of_four_verdicts_is_the_one_worked_out_by_hand() {
    // Columns 1 and L with L = +1, +1, -1, -1 and y = +1, +1, +1, -1: X'X = 4 I, X'y = (2, 2),
    // b = (1/2, 1/2). Residuals 0, 0, 1, -1. Four pairs of one verdict: s = (0,0) twice, (1,-1),
    // (-1,1); B_k . s = +-1/4 twice: se^2 = 4/3 * 2/16 = 1/6.
    use Side::{First, Neither, Second};
    let verdicts = [
        verdict(0, [First, Neither], true),
        verdict(1, [First, Neither], true),
        verdict(2, [Second, Neither], true),
        verdict(3, [Second, Neither], false),
    ];
    let fit = JudgeEffects::fit(&verdicts).unwrap();
    let expected = Effect { value: 0.5, standard_error: (1.0_f64 / 6.0).sqrt() };
    for effect in [fit.position, fit.length.unwrap()] {
        assert!((effect.value - expected.value).abs() < 1e-15, "{effect:?}");
        assert!((effect.standard_error - expected.standard_error).abs() < 1e-15, "{effect:?}");
    }
    assert_eq!((fit.own, fit.merit, fit.pair_count), (None, None, 4));

    // In two pairs the residuals 1 and -1 of pair 1 cancel in the first column: se = 0, and in the
    // second too.
    let paired = [(0, 0), (1, 0), (2, 1), (3, 1)].map(|(i, pair): (usize, usize)| {
        let mut verdict = verdicts[i];
        verdict.comparison.pair = pair;
        verdict
    });
    assert!(JudgeEffects::fit(&paired).unwrap().position.standard_error < 1e-15);
}

#[test]
fn with_position_alone_the_fit_is_the_clustered_mean() {
    let verdicts: Vec<Verdict> =
        (0..9).map(|i| verdict(i / 2, [Side::Neither; 2], i % 4 != 1)).collect();
    let fit = JudgeEffects::fit(&verdicts).unwrap().position;
    let naive = naive_taste(&verdicts, Taste::Position).unwrap();
    assert!((fit.value - naive.mean).abs() < 1e-15);
    assert!((fit.standard_error - naive.standard_error.unwrap()).abs() < 1e-15);
}

#[test]
fn the_order_of_verdicts_changes_no_bit() {
    let mut verdicts = TASTES_OF_THE_JUDGE.judge(&both_orders(&entangled(50, 3)), 4).unwrap();
    let (fit, swap) = (JudgeEffects::fit(&verdicts), order_swap_position(&verdicts));
    SplitMix64::new(5).shuffle(&mut verdicts);
    assert_eq!(JudgeEffects::fit(&verdicts), fit);
    assert_eq!(order_swap_position(&verdicts), swap);
}

#[test]
fn what_always_goes_together_cannot_be_told_apart() {
    use Side::{First, Second};
    // The longer answer is always the better one.
    let together: Vec<Verdict> = (0..20)
        .map(|i| verdict(i, if i % 2 == 0 { [First; 2] } else { [Second; 2] }, i % 3 == 0))
        .collect();
    let message = JudgeEffects::fit(&together).unwrap_err().to_string();
    assert!(message.starts_with("the number of tastes that can be told apart is 2"), "{message}");
    // The longer answer is always shown first: a taste for it looks like one for the position.
    let first: Vec<Verdict> = (0..4).map(|i| verdict(i, [First, Second], i == 0)).collect();
    assert!(JudgeEffects::fit(&first).is_err());
}

#[test]
fn pairs_that_were_not_swapped_are_no_swap_experiment() {
    let longer = [Side::First, Side::Neither];
    let once = [verdict(0, longer, true)];
    let twice_the_same = [verdict(0, longer, true), verdict(0, longer, false)];
    for verdicts in [&once[..], &twice_the_same] {
        assert!(order_swap_position(verdicts).is_err());
    }
    assert_eq!(order_swap_position(&[]), Err(MetricError::NoValues));
    assert_eq!(JudgeEffects::fit(&[]), Err(MetricError::NoValues));
    assert_eq!(naive_taste(&once, Taste::Own), Err(MetricError::NoValues));
    assert!(JudgeEffects::fit(&once).is_err()); // one code too many for one pair
}
