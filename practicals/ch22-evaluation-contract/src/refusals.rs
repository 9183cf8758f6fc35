//! One rule changed at a time: what the comparison says, and what remains sound.

use llm_from_scratch_practical::corpus::Partition;
use llm_from_scratch_practical::evaluation::{
    ContractError, EvaluationResult, Framing, Measure, StartToken, WindowRule, compare,
};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde::Serialize;

use crate::contracts::{ComparisonReport, ResultReport, plan};
use crate::setup::{WINDOWS, fitted, held_out, merged_tokenizer, score};

/// A result under another rule, and the attempt to compare it with the original.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefusalReport {
    /// What was changed.
    pub changed: &'static str,
    /// The result under that rule: it looks like any other.
    pub result: ResultReport,
    /// Why its nats per token do not compare; `None` if they do.
    pub refusal: Option<String>,
    /// The comparison in the first sound number, if there is one.
    pub sound: Option<ComparisonReport>,
}

/// Scores the trigram again under four other rules.
///
/// # Errors
/// None for these texts.
pub fn refusals(original: &EvaluationResult, seed: u64) -> anyhow::Result<Vec<RefusalReport>> {
    let (bytes, merged) = (Tokenizer::of_bytes(), merged_tokenizer()?);
    let documents = held_out(Partition::Validation);
    let framed = |start_token, end_token| Framing { start_token, end_token };
    let whole = Framing::DOCUMENT;
    let stride = WindowRule { stride: WINDOWS.window - 1, ..WINDOWS };
    let attempts: [(&'static str, &Tokenizer, Framing, WindowRule); 4] = [
        ("no start token", &bytes, framed(StartToken::None, true), WINDOWS),
        ("end token not scored", &bytes, framed(StartToken::Bos, false), WINDOWS),
        ("stride of 63 instead of 32", &bytes, whole, stride),
        ("another tokenizer", &merged, whole, WINDOWS),
    ];
    let mut reports = Vec::new();
    for (changed, tokenizer, framing, windows) in attempts {
        let model = fitted(tokenizer, 3)?;
        let result = score(&model, tokenizer, &documents, framing, windows)?;
        let compared = |measure| compare(&result, original, measure, plan(seed));
        let (refusal, measure) = match compared(Measure::NatsPerToken) {
            Ok(_) => (None, Some(Measure::NatsPerToken)),
            Err(ContractError::NotComparable(refusal)) => {
                (Some(refusal.to_string()), refusal.sound.first().copied())
            }
            Err(other) => return Err(other.into()),
        };
        let sound = measure.map(compared).transpose()?.map(ComparisonReport::new);
        reports.push(RefusalReport {
            changed,
            result: ResultReport::new(&result)?,
            refusal,
            sound,
        });
    }
    Ok(reports)
}
