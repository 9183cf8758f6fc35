//! What the model writes, and why it stops.

use llm_from_scratch_practical::autograd::Kernels;
use llm_from_scratch_practical::model::{Decoding, Filters, GenerationConfig, ModelError, Stop};
use serde::Serialize;

use crate::Writer;

/// One text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextRow {
    /// How each token was chosen.
    pub decoding: &'static str,
    /// Seed of the random numbers; none for greedy.
    pub seed: Option<u64>,
    /// The new tokens, without the prompt.
    pub text: String,
    /// How many.
    pub new_tokens: usize,
    /// Why there are no more: `end-token`, `max-new-tokens` or `capacity`.
    pub stop: &'static str,
}

/// Greedy and sampled texts behind one prompt, and one for each reason to stop.
///
/// # Errors
/// A filter that cannot be, or a prompt that is longer than the context.
pub fn write_texts(
    writer: &Writer,
    prompt: &[u32],
    filters: Filters,
    seed: u64,
) -> Result<Vec<TextRow>, ModelError> {
    let write = |name, decoding, end_token, max_new_tokens| -> Result<TextRow, ModelError> {
        let config = GenerationConfig { decoding, end_token, max_new_tokens };
        let text = writer.model.generate(Kernels::detect(), prompt, &config, |_| ())?;
        Ok(TextRow {
            decoding: name,
            seed: match decoding {
                Decoding::Greedy => None,
                Decoding::Sample { seed, .. } => Some(seed),
            },
            text: writer.text(&text.ids),
            new_tokens: text.ids.len(),
            stop: match text.stop {
                Stop::EndToken => "end-token",
                Stop::MaxNewTokens => "max-new-tokens",
                Stop::Capacity => "capacity",
            },
        })
    };
    let (end, greedy, unfiltered) =
        (writer.tokenizer.end_token(), Decoding::Greedy, Filters::default());
    let mut rows = vec![
        write("greedy", greedy, end, 100)?,
        write("greedy", greedy, end, 1)?,
        write("greedy", greedy, None, 100)?, // the end token is a token like any other here
    ];
    for (name, filters) in [("sampled", unfiltered), ("filtered", filters)] {
        for seed in [seed, seed.wrapping_add(1), seed.wrapping_add(2), seed] {
            rows.push(write(name, Decoding::Sample { filters, seed }, end, 100)?);
        }
    }
    Ok(rows)
}
