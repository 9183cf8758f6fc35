//! What guessing reaches, and the audit of a printed table.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{
    MetricError, PrintConvention, audit_pair, bits_to_nats, convention_of, perplexity_from_bits,
    random_guess_bits, random_guess_nats, random_guess_top_k_error,
};
use serde::Serialize;

/// Tokens of GPT-2's vocabulary.
pub(crate) const VOCAB_SIZE: usize = 50_257;
/// Decimals of the printed table.
const DECIMALS: u32 = 2;
/// Rows of a published table: name, bits per token, nats per token (Lotfi and others 2024).
const PRINTED: [(&str, f64, f64); 4] = [
    ("SubLoRA", 10.53, 7.29),
    ("LoRA only", 11.21, 7.77),
    ("subspace only", 13.85, 9.60),
    ("original model", 4.35, 3.01),
];
/// Its column "random guess": bits per token, then top-k errors in per cent.
const PRINTED_GUESS_BITS: f64 = 15.62;
const PRINTED_GUESS_ERRORS: [(usize, f64); 3] = [(1, 99.99), (10, 99.98), (100, 99.80)];

/// A number of the guessing column, as it is and as it was printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GuessReport {
    /// Which number.
    pub quantity: String,
    /// As computed.
    #[serde(serialize_with = "six_decimals")]
    pub exact: f64,
    /// As published.
    pub printed: f64,
    /// Which way of printing gives the one from the other.
    pub convention: &'static str,
}

/// What a model that knows nothing reaches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RandomGuess {
    /// Tokens to guess among.
    pub vocab_size: usize,
    /// Per token.
    #[serde(serialize_with = "six_decimals")]
    pub bits: f64,
    /// Per token.
    #[serde(serialize_with = "six_decimals")]
    pub nats: f64,
    /// Equally likely choices: all of them.
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
    /// The published column, checked.
    pub column: Vec<GuessReport>,
}

/// Computes the level of guessing and compares it with what was printed.
///
/// # Errors
/// None that the constants can cause.
pub fn random_guess() -> Result<RandomGuess, MetricError> {
    let bits = random_guess_bits(VOCAB_SIZE)?;
    let entry = |quantity: String, exact, printed| -> Result<GuessReport, MetricError> {
        let convention = match convention_of(printed, exact, DECIMALS)? {
            PrintConvention::Rounded => "rounded",
            PrintConvention::Truncated => "truncated",
            PrintConvention::Either => "rounded or truncated",
            PrintConvention::Neither => "neither",
        };
        Ok(GuessReport { quantity, exact, printed, convention })
    };
    let mut column = vec![entry("bits per token".into(), bits, PRINTED_GUESS_BITS)?];
    for (k, printed) in PRINTED_GUESS_ERRORS {
        let percent = 100.0 * random_guess_top_k_error(k, VOCAB_SIZE)?;
        column.push(entry(format!("top-{k} error in per cent"), percent, printed)?);
    }
    Ok(RandomGuess {
        vocab_size: VOCAB_SIZE,
        bits,
        nats: random_guess_nats(VOCAB_SIZE)?,
        perplexity: perplexity_from_bits(bits),
        column,
    })
}

/// One row of the table: the same quantity in two units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditRow {
    /// Which model.
    pub model: &'static str,
    /// As published.
    pub printed_bits: f64,
    /// As published.
    pub printed_nats: f64,
    /// The bits times ln 2.
    #[serde(serialize_with = "six_decimals")]
    pub bits_in_nats: f64,
    /// The published nats minus that.
    #[serde(serialize_with = "six_decimals")]
    pub difference: f64,
    /// 2 to the bits.
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
    /// Whether one number can have been rounded to both.
    pub both_rounded: bool,
    /// Whether one number can have been truncated to both.
    pub both_truncated: bool,
}

/// Audits the table.
///
/// # Errors
/// None that the constants can cause.
pub fn table_audit() -> Result<Vec<AuditRow>, MetricError> {
    let audit = |&(model, printed_bits, printed_nats): &(&'static str, f64, f64)| {
        let audit = audit_pair(printed_bits, printed_nats, DECIMALS)?;
        let bits_in_nats = bits_to_nats(printed_bits);
        Ok(AuditRow {
            model,
            printed_bits,
            printed_nats,
            bits_in_nats,
            difference: printed_nats - bits_in_nats,
            perplexity: perplexity_from_bits(printed_bits),
            both_rounded: audit.both_rounded,
            both_truncated: audit.both_truncated,
        })
    };
    PRINTED.iter().map(audit).collect()
}
