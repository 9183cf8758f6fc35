//! The probability lab: exact bars, one experiment after the other, and a page to do it by hand.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::evaluation::html::{Page, escape};
use llm_from_scratch_practical::metrics::ProbabilityLab;
use serde::Serialize;

/// What the lab cannot say; part of every form of it.
const SCOPE: &str = "spread of a count of independent assignments; it says nothing of losses, of perplexity, \
                     of documents that depend on each other, or of any real set of documents";
/// Characters of the longest bar.
const BAR_WIDTH: f64 = 40.0;
/// Bars that are shorter than this share of the longest are left out of the list.
const SMALLEST_SHOWN: f64 = 1e-3;

/// Bars and experiments for one (n, p).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabReport {
    /// Assignments n.
    pub assignments: usize,
    /// Probability p of the smaller domain.
    pub probability: f64,
    /// Seed of the experiments.
    pub seed: u64,
    /// Expected count n p.
    #[serde(serialize_with = "six_decimals")]
    pub expected: f64,
    /// Standard deviation of the count.
    #[serde(serialize_with = "six_decimals")]
    pub standard_deviation: f64,
    /// Exact probability of each count, and what experiments gave; hardly possible counts left out.
    pub bars: Vec<LabBar>,
    /// Which document the smaller domain got in the first experiment, in order: `x` for each.
    pub first_experiment: String,
    /// The counts of the first ten experiments.
    pub counts: Vec<usize>,
    /// What this cannot say.
    pub scope: &'static str,
}

/// One count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabBar {
    /// Documents that the smaller domain gets.
    pub count: usize,
    /// Its exact probability.
    #[serde(serialize_with = "six_decimals")]
    pub probability: f64,
    /// How many of 1000 experiments came out so.
    pub observed: usize,
    /// The probability as a bar on a screen.
    pub bar: String,
}

/// Works out the bars, steps through one experiment, and plays ten.
///
/// # Errors
/// For a number of assignments outside 1 to 1000 and a probability outside 0 to 1.
pub fn lab_report(assignments: usize, probability: f64, seed: u64) -> anyhow::Result<LabReport> {
    let mut lab = ProbabilityLab::new(assignments, probability, seed)?;
    let (bars, observed) = (lab.bars()?, lab.histogram(1000));
    let highest = bars.iter().copied().fold(0.0, f64::max);
    let all = bars.iter().zip(&observed).enumerate();
    let bars = all.filter(|(_, (bar, _))| **bar >= highest * SMALLEST_SHOWN);
    let bars = bars.map(|(count, (&probability, &observed))| {
        let length = (probability / highest * BAR_WIDTH).round() as usize;
        LabBar { count, probability, observed, bar: "#".repeat(length) }
    });
    let bars = bars.collect();
    let mut first_experiment = String::new();
    while let Some(minority) = lab.step() {
        first_experiment.push(if minority { 'x' } else { '.' });
    }
    let mut counts = vec![lab.minority()];
    while counts.len() < 10 {
        lab.reset();
        counts.push(lab.play());
    }
    let (expected, standard_deviation) = (lab.expected(), lab.standard_deviation());
    Ok(LabReport {
        assignments,
        probability,
        seed,
        expected,
        standard_deviation,
        bars,
        first_experiment,
        counts,
        scope: SCOPE,
    })
}

/// The lab as one file for a browser, which draws from the same stream as the program.
pub fn lab_page(report: &LabReport) -> String {
    let seed = report.seed.to_string(); // a text: JSON readers in browsers round large integers
    Page::new("Probability lab")
        .with_style(include_str!("lab/lab.css"))
        .with_body(include_str!("lab/body.html").replace("SCOPE", &escape(SCOPE)))
        .with_data("settings", &(report.assignments, report.probability, seed))
        .with_script(include_str!("lab/lab.js"))
        .render()
}
