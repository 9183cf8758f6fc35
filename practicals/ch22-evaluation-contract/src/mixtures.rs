//! Domains first, then one number with its weighting; and pools that move against their domains.

use llm_chapter_kit::{MetricRecord, six_decimals};
use llm_from_scratch_practical::corpus::Partition;
use llm_from_scratch_practical::evaluation::{Framing, WindowRule};
use llm_from_scratch_practical::metrics::{DomainMixture, MetricSummary};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde::Serialize;

use crate::setup::{fitted, held_out, score};

/// The held-out lines by domain, and three constructed changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MixtureReport {
    /// Losses of each domain, before any weighting.
    pub domains: Vec<DomainRow>,
    /// Numbers over all domains, each with its weighting.
    pub headlines: Vec<Headline>,
    /// Two reports of two domains each.
    pub changes: Vec<ChangeReport>,
}

/// One domain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DomainRow {
    /// Its name.
    pub domain: String,
    /// Its loss.
    #[serde(flatten)]
    pub loss: MetricRecord,
}

/// One number over all domains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Headline {
    /// Where the weights come from.
    pub weighting: &'static str,
    /// One for each domain, in the order of the rows.
    #[serde(serialize_with = "six_decimals")]
    pub weights: Vec<f64>,
    /// Weighted mean of the losses, in nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// `exp` of it: the weighted geometric mean of the domains' perplexities.
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
    /// The weighted arithmetic mean, which is not a perplexity.
    #[serde(serialize_with = "six_decimals")]
    pub arithmetic_mean_of_perplexities: f64,
}

/// How a pooled loss moved from one report to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeReport {
    /// What happened.
    pub case: &'static str,
    /// Loss of each domain, earlier.
    pub losses_before: Vec<f64>,
    /// Loss of each domain, later.
    pub losses_after: Vec<f64>,
    /// Targets of each domain, earlier.
    pub targets_before: Vec<usize>,
    /// Targets of each domain, later.
    pub targets_after: Vec<usize>,
    /// Pooled loss, earlier.
    #[serde(serialize_with = "six_decimals")]
    pub pooled_before: f64,
    /// Pooled loss, later.
    #[serde(serialize_with = "six_decimals")]
    pub pooled_after: f64,
    /// Change that the domains' losses make.
    #[serde(serialize_with = "six_decimals")]
    pub within_domains: f64,
    /// Change that the shares make.
    #[serde(serialize_with = "six_decimals")]
    pub of_weights: f64,
}

/// Scores the held-out lines by domain, and works out the constructed changes.
///
/// # Errors
/// None for these texts.
pub fn mixtures() -> anyhow::Result<MixtureReport> {
    let tokenizer = Tokenizer::of_bytes();
    let model = fitted(&tokenizer, 3)?;
    let documents = held_out(Partition::Validation);
    let result = score(&model, &tokenizer, &documents, Framing::DOCUMENT, WindowRule::WHOLE)?;
    let domains = result.domains()?;
    let rows = domains.iter().map(|(domain, summary)| DomainRow {
        domain: domain.unwrap_or("other").to_owned(),
        loss: MetricRecord::from(summary),
    });
    let rows = rows.collect();
    let mixture = DomainMixture::new(domains.into_iter().map(|(_, summary)| summary).collect())?;
    let even = vec![1.0 / mixture.domains().len() as f64; mixture.domains().len()];
    let headline = |weighting, weights: Vec<f64>| -> anyhow::Result<Headline> {
        Ok(Headline {
            weighting,
            mean_nll: mixture.reporting_nll(&weights)?,
            perplexity: mixture.perplexity(&weights)?,
            arithmetic_mean_of_perplexities: mixture.arithmetic_mean_of_perplexities(&weights)?,
            weights,
        })
    };
    Ok(MixtureReport {
        domains: rows,
        headlines: vec![
            headline("observed: shares of the scored targets", mixture.observed_weights()?)?,
            headline("declared: every domain the same", even)?,
        ],
        changes: vec![
            change("only the shares move", [(2.0, 900), (4.0, 100)], [(2.0, 500), (4.0, 500)])?,
            change(
                "a small domain gets worse and nobody sees it",
                [(2.0, 950), (3.0, 50)],
                [(1.95, 950), (3.5, 50)],
            )?,
            change(
                "every domain gets better and the pool gets worse",
                [(2.0, 900), (4.0, 100)],
                [(1.9, 500), (3.9, 500)],
            )?,
        ],
    })
}

type TwoDomains = [(f64, usize); 2];

fn change(
    case: &'static str,
    before: TwoDomains,
    after: TwoDomains,
) -> anyhow::Result<ChangeReport> {
    let mixture = |domains: TwoDomains| -> anyhow::Result<DomainMixture> {
        let summary = |(nats, targets)| MetricSummary::from_token_nlls(&vec![nats; targets]);
        let domains = domains.into_iter().map(summary).collect::<Result<_, _>>()?;
        Ok(DomainMixture::new(domains)?)
    };
    let [earlier, later] = [mixture(before)?, mixture(after)?];
    let change = earlier.observed_change(&later)?;
    let targets = |domains: TwoDomains| domains.map(|(_, targets)| targets).to_vec();
    Ok(ChangeReport {
        case,
        losses_before: earlier.losses(),
        losses_after: later.losses(),
        targets_before: targets(before),
        targets_after: targets(after),
        pooled_before: earlier.observed_nll()?,
        pooled_after: later.observed_nll()?,
        within_domains: change.within_domains,
        of_weights: change.of_weights,
    })
}
