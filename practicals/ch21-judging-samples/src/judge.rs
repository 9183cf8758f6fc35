//! A judge with known tastes, and what experiments find out about them.

use anyhow::Context;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{
    Agreement, Comparison, Effect, JudgeEffects, JudgeTastes, MeanEstimate, Side, SplitMix64,
    Taste, Verdict, both_orders, naive_taste, order_swap_position,
};
use serde::Serialize;

/// The judge: one verdict in five goes to whatever comes first.
pub const TASTES: JudgeTastes = JudgeTastes { position: 0.2, length: 0.15, own: 0.1, merit: 0.4 };

/// What was found out about the judge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeReport {
    /// Pairs of answers.
    pub pairs: usize,
    /// Every taste, by every method.
    pub tastes: Vec<Estimate>,
    /// Verdicts beside human ratings, each pair shown in one order.
    pub one_order: Beside,
    /// The same for the pairs on which both orders had the same winner.
    pub same_in_both_orders: Beside,
}

/// One taste by one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// What the judge may go by.
    pub taste: &'static str,
    /// How it was estimated.
    pub method: &'static str,
    /// The share of verdicts that it does decide.
    pub truth: f64,
    /// The share that the method finds.
    #[serde(serialize_with = "six_decimals")]
    pub found: f64,
    /// Its standard error.
    #[serde(serialize_with = "six_decimals")]
    pub standard_error: f64,
    /// How many standard errors it is off.
    #[serde(serialize_with = "six_decimals")]
    pub off: f64,
}

/// Agreement of the judge with people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    /// Pairs with a verdict.
    pub pairs: usize,
    /// Share of them on which judge and people agree.
    #[serde(serialize_with = "six_decimals")]
    pub agreement: f64,
    /// Agreement beyond chance.
    #[serde(serialize_with = "six_decimals")]
    pub kappa: f64,
}

/// Shows the judge all pairs, in one order and in both, and estimates.
pub fn judge_report(pairs: usize, seed: u64) -> anyhow::Result<JudgeReport> {
    let mut stream = SplitMix64::new(seed);
    let shown = comparisons(pairs, &mut stream);
    // Not with the seed of the pairs: equal streams would tie the verdicts to the answers.
    let one_order = TASTES.judge(&shown, stream.next_u64())?;
    let swapped = TASTES.judge(&both_orders(&shown), stream.next_u64())?;
    let fit = JudgeEffects::fit(&swapped)?;
    let varies = "over this many pairs everything varies";
    let fitted = |effect: Option<Effect>| effect.context(varies);

    let mean = |found: MeanEstimate| -> anyhow::Result<Effect> {
        let standard_error = found.standard_error.context("one pair shows no spread")?;
        Ok(Effect { value: found.mean, standard_error })
    };
    let naive = |verdicts: &[Verdict], taste| mean(naive_taste(verdicts, taste)?);
    let JudgeTastes { position, length, own, merit } = TASTES;
    let swap = mean(order_swap_position(&swapped)?)?;
    let tastes = vec![
        estimate("position", "naive", position, naive(&one_order, Taste::Position)?),
        estimate("position", "order swap", position, swap),
        estimate("length", "naive", length, naive(&swapped, Taste::Length)?),
        estimate("length", "controlled", length, fitted(fit.length)?),
        estimate("own", "naive", own, naive(&swapped, Taste::Own)?),
        estimate("own", "controlled", own, fitted(fit.own)?),
        estimate("merit", "controlled", merit, fitted(fit.merit)?),
    ];
    let settled: Vec<Verdict> = swapped
        .chunks_exact(2)
        .filter(|both| both[0].first_chosen != both[1].first_chosen)
        .map(|both| both[0])
        .collect();
    let same_in_both_orders = beside(&settled)?;
    Ok(JudgeReport { pairs, tastes, one_order: beside(&one_order)?, same_in_both_orders })
}

/// Pairs as they come when a model judges its own answers against another's: its own come first,
/// are mostly the better ones, and mostly the longer ones.
fn comparisons(pairs: usize, stream: &mut SplitMix64) -> Vec<Comparison> {
    let mut mostly_first = || if stream.unit() < 0.7 { Side::First } else { Side::Second };
    let one = |pair| {
        // The second of two answers is the judge's own in one pair of four only.
        let (longer, better) = (mostly_first(), mostly_first());
        let own = if pair % 4 == 3 { Side::Second } else { Side::First };
        Comparison { pair, longer, own, better }
    };
    (0..pairs).map(one).collect()
}

fn estimate(taste: &'static str, method: &'static str, truth: f64, found: Effect) -> Estimate {
    let Effect { value, standard_error } = found;
    let off = (value - truth) / standard_error;
    Estimate { taste, method, truth, found: value, standard_error, off }
}

fn beside(verdicts: &[Verdict]) -> anyhow::Result<Beside> {
    let people: Vec<bool> = verdicts.iter().map(|v| v.comparison.better == Side::First).collect();
    let judge: Vec<bool> = verdicts.iter().map(|v| v.first_chosen).collect();
    let found = Agreement::of(&people, &judge)?;
    let kappa = found.kappa.context("both always chose the same side: give more pairs")?;
    Ok(Beside { pairs: found.item_count, agreement: found.observed, kappa })
}
