//! One input is changed: which logits notice?

use anyhow::Context;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::AutogradContext;
use llm_from_scratch_practical::corpus::{
    BatchBinding, EncodedDocument, Partition, VariableBatch, number,
};
use llm_from_scratch_practical::model::{DecoderModel, ValidConfig};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde::Serialize;

/// All single changes of one document's inputs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CausalityReport {
    /// What the model reads: the start token and the text, one position each.
    pub inputs: Vec<u32>,
    /// One row for each position whose input is replaced.
    pub changes: Vec<ChangedInput>,
    /// Whether the logits of every position before the change kept all their bits, and those of
    /// every other position did not.
    pub only_the_future_noticed: bool,
}

/// What changing one input does to the logits of every position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedInput {
    /// Which input.
    pub changed_position: usize,
    /// The id that was put there.
    pub new_input: u32,
    /// For each position, the largest |change| of one of its logits.
    #[serde(serialize_with = "six_decimals")]
    pub largest_logit_change: Vec<f64>,
}

/// Reads a text with a fresh model, and again with each input replaced by the next id.
///
/// # Errors
/// A text that is longer than the model's context.
pub fn causality(
    config: ValidConfig,
    seed: u64,
    tokenizer: &Tokenizer,
    text: &str,
) -> anyhow::Result<CausalityReport> {
    let model = DecoderModel::<f64>::initialize(config, seed);
    let mut ids = tokenizer.encode_document(text.as_bytes())?;
    ids.pop().context("a framed document ends with the end token")?;
    let before = logits(&model, &ids)?;
    let mut changes = Vec::new();
    let mut only_the_future_noticed = true;
    for position in 0..ids.len() {
        let mut changed = ids.clone();
        changed[position] = (ids[position] + 1) % config.vocab_size as u32;
        let after = logits(&model, &changed)?;
        let same =
            |at: usize| before[at].iter().zip(&after[at]).all(|(a, b)| a.to_bits() == b.to_bits());
        only_the_future_noticed &= (0..ids.len()).all(|at| same(at) == (at < position));
        changes.push(ChangedInput {
            changed_position: position,
            new_input: changed[position],
            largest_logit_change: before.iter().zip(&after).map(largest_change).collect(),
        });
    }
    Ok(CausalityReport { inputs: ids, changes, only_the_future_noticed })
}

fn largest_change((before, after): (&Vec<f64>, &Vec<f64>)) -> f64 {
    before.iter().zip(after).map(|(b, a)| (a - b).abs()).fold(0.0, f64::max)
}

/// The logits of every position: `[inputs.len(), vocab_size]`.
fn logits(model: &DecoderModel<f64>, inputs: &[u32]) -> anyhow::Result<Vec<Vec<f64>>> {
    let config = model.config();
    let binding = BatchBinding {
        tokenizer_sha256: "causality".into(),
        vocab_size: config.vocab_size,
        capacity: config.context_len,
    };
    // A batch's document ends with a target that is no input.
    let ids = inputs.iter().copied().chain([0]).collect();
    let document = EncodedDocument::from_ids("text", Partition::Test, ids)?;
    let batch = VariableBatch::padded(Partition::Test, &binding, &number(0, &[document]))?;
    let logits = model.logits(&AutogradContext::no_grad(), batch.ragged())?; // [T, V]
    Ok((0..inputs.len()).map(|position| logits.tensor().row(position).to_vec()).collect())
}
