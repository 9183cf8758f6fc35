//! Every figure of `testdata/domains.json`, recomputed from its inputs.

use llm_metrics::{
    DomainMixture, MetricSummary, ProbabilityLab, nats_to_bits, perplexity_from_bits,
    perplexity_from_nats,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Figures {
    mixtures: Vec<Mixture>,
    changes: Vec<Change>,
    perplexity: Perplexity,
    lab: Vec<Lab>,
}

#[derive(Deserialize)]
struct Mixture {
    id: String,
    losses: Vec<f64>,
    targets: Vec<usize>,
    declared: Vec<f64>,
    observed_nll: f64,
    declared_nll: f64,
    perplexity: Option<f64>,
    arithmetic: Option<f64>,
    within: f64,
}

#[derive(Deserialize)]
struct Change {
    id: String,
    before: Vec<(f64, usize)>,
    after: Vec<(f64, usize)>,
    observed: [f64; 2],
    domains_worse: usize,
    domains_better: usize,
    within: f64,
}

#[derive(Deserialize)]
struct Perplexity {
    nats: f64,
    bits: f64,
    rounded_too_early: f64,
    read_in_the_wrong_unit: WrongUnit,
}

#[derive(Deserialize)]
struct WrongUnit {
    value: f64,
    as_bits: f64,
    as_nats: f64,
    within: f64,
}

#[derive(Deserialize)]
struct Lab {
    id: String,
    p: f64,
    assignments: usize,
    expected: f64,
    count: usize,
    probability: f64,
}

fn figures() -> Figures {
    serde_json::from_str(include_str!("../../testdata/domains.json")).unwrap()
}

fn mixture(domains: impl Iterator<Item = (f64, usize)>) -> DomainMixture {
    let summary = |(nats, targets)| MetricSummary::from_token_nlls(&vec![nats; targets]).unwrap();
    DomainMixture::new(domains.map(summary).collect()).unwrap()
}

#[test]
fn observed_and_declared_weightings_give_their_own_numbers() {
    let cases = figures().mixtures;
    assert_eq!(cases.len(), 2);
    for case in cases {
        let mixture = mixture(case.losses.into_iter().zip(case.targets));
        let near = |given: f64, expected: f64| {
            assert!((given - expected).abs() <= case.within, "{}: {given}", case.id);
        };
        near(mixture.observed_nll().unwrap(), case.observed_nll);
        near(mixture.reporting_nll(&case.declared).unwrap(), case.declared_nll);
        if let (Some(perplexity), Some(arithmetic)) = (case.perplexity, case.arithmetic) {
            near(mixture.perplexity(&case.declared).unwrap(), perplexity);
            near(mixture.pooled().unwrap().perplexity(), perplexity);
            near(mixture.arithmetic_mean_of_perplexities(&case.declared).unwrap(), arithmetic);
            // The combination domain by domain: (e^2)^0.75 (e^4)^0.25.
            let factors = mixture.domains().iter().zip(&case.declared);
            let product: f64 =
                factors.map(|(domain, weight)| domain.perplexity().powf(*weight)).product();
            near(product, perplexity);
        }
    }
}

#[test]
fn pools_move_apart_from_their_domains() {
    let cases = figures().changes;
    assert_eq!(cases.len(), 3);
    for case in cases {
        let [before, after] = [case.before, case.after].map(|domains| mixture(domains.into_iter()));
        let pairs = before.losses().into_iter().zip(after.losses());
        let (mut worse, mut better) = (0, 0);
        for (old, new) in pairs {
            worse += usize::from(new > old);
            better += usize::from(new < old);
        }
        assert_eq!((worse, better), (case.domains_worse, case.domains_better), "{}", case.id);
        for (mixture, expected) in [&before, &after].into_iter().zip(case.observed) {
            let given = mixture.observed_nll().unwrap();
            assert!((given - expected).abs() <= case.within, "{}: {given}", case.id);
        }
        let change = before.observed_change(&after).unwrap();
        let parts = change.within_domains + change.of_weights;
        assert!((parts - change.total).abs() <= case.within, "{}: {change:?}", case.id);
    }
}

#[test]
fn units_and_rounding_decide_what_a_perplexity_is() {
    let Perplexity { nats, bits, rounded_too_early, read_in_the_wrong_unit } = figures().perplexity;
    assert!((nats_to_bits(nats) - bits).abs() < 5e-7);
    let [by_nats, by_bits] = [perplexity_from_nats(nats), perplexity_from_bits(nats_to_bits(nats))];
    assert!((by_nats - by_bits).abs() < 1e-14 && (by_nats - 1.5_f64.exp()).abs() < 1e-14);

    let rounded = (rounded_too_early * 100.0).round() / 100.0;
    let error = perplexity_from_nats(rounded) - perplexity_from_nats(rounded_too_early);
    assert!(error.abs() > 0.07, "{error}"); // half a hundredth of 14.5

    let WrongUnit { value, as_bits, as_nats, within } = read_in_the_wrong_unit;
    assert!((perplexity_from_bits(value) - as_bits).abs() <= within);
    assert!((perplexity_from_nats(value) - as_nats).abs() <= within);
}

#[test]
fn bars_of_the_lab_sum_to_one_with_mean_n_p() {
    let cases = figures().lab;
    assert_eq!(cases.len(), 2);
    for case in cases {
        let lab = ProbabilityLab::new(case.assignments, case.p, 0).unwrap();
        assert_eq!(lab.expected(), case.expected, "{}", case.id);
        let bars = lab.bars().unwrap();
        assert_eq!(bars.len(), case.assignments + 1);
        assert!((bars.iter().sum::<f64>() - 1.0).abs() < 1e-13, "{}", case.id);
        let mean: f64 = bars.iter().enumerate().map(|(k, bar)| k as f64 * bar).sum();
        assert!((mean - case.expected).abs() < 1e-12, "{}", case.id);
        assert!((bars[case.count] - case.probability).abs() < 5e-7, "{}", case.id);
    }
}
