//! The same texts with and without the key/value cache.

use llm_from_scratch_practical::autograd::Kernels;
use llm_from_scratch_practical::model::{
    Decoding, Filters, Generation, GenerationConfig, ModelError, SplitMix64, Step,
};
use serde::Serialize;

use crate::Writer;

/// What was compared, and what differed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CacheComparison {
    /// Random prompts, each with random settings.
    pub cases: u64,
    /// Tokens that were written.
    pub new_tokens: usize,
    /// Logits behind which they were chosen.
    pub logits_compared: usize,
    /// Logits with any bit that differs.
    pub different_logits: usize,
    /// Cases whose texts or reasons to stop differ.
    pub different_texts: u64,
    /// Tokens that went through the model with the cache: each once.
    pub computed_with_cache: usize,
    /// Tokens that went through it without: each once for every token behind it.
    pub computed_without_cache: usize,
}

/// Writes every case twice.
///
/// # Errors
/// None that the random settings can cause.
pub fn compare_cache(
    writer: &Writer,
    cases: u64,
    seed: u64,
) -> Result<CacheComparison, ModelError> {
    let mut stream = SplitMix64::new(seed);
    let mut seen = CacheComparison {
        cases,
        new_tokens: 0,
        logits_compared: 0,
        different_logits: 0,
        different_texts: 0,
        computed_with_cache: 0,
        computed_without_cache: 0,
    };
    for _ in 0..cases {
        let prompt = random_prompt(writer, &mut stream);
        let config = random_settings(writer, &mut stream);
        let [(cached, bits), (uncached, uncached_bits)] = write_twice(writer, &prompt, &config)?;
        let (prompt, new) = (prompt.len(), cached.ids.len());
        seen.new_tokens += new;
        seen.logits_compared += bits.len();
        let longer = bits.len().abs_diff(uncached_bits.len());
        seen.different_logits += longer;
        seen.different_logits += bits.iter().zip(&uncached_bits).filter(|(a, b)| a != b).count();
        seen.different_texts += u64::from(cached != uncached);
        // Before new token i, prompt + i tokens are there; the last new one is never read.
        seen.computed_with_cache += if new > 0 { prompt + new - 1 } else { 0 };
        seen.computed_without_cache += (0..new).map(|i| prompt + i).sum::<usize>();
    }
    Ok(seen)
}

type Written = (Generation, Vec<u64>);

/// With the cache and without, each with the bits of all logits of all steps.
fn write_twice(
    writer: &Writer,
    prompt: &[u32],
    config: &GenerationConfig,
) -> Result<[Written; 2], ModelError> {
    let (model, kernels) = (&writer.model, Kernels::detect());
    let (mut bits, mut uncached_bits) = (Vec::new(), Vec::new());
    let of = |step: Step<'_, f64>| step.logits.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let cached = model.generate(kernels, prompt, config, |step| bits.extend(of(step)))?;
    let uncached =
        model.generate_uncached(kernels, prompt, config, |step| uncached_bits.extend(of(step)))?;
    Ok([(cached, bits), (uncached, uncached_bits)])
}

/// 1 to `context_len` ids, any of the vocabulary's.
fn random_prompt(writer: &Writer, stream: &mut SplitMix64) -> Vec<u32> {
    let config = writer.model.config();
    let len = 1 + below(stream, config.context_len);
    (0..len).map(|_| below(stream, config.vocab_size) as u32).collect()
}

/// One in four greedy; the others with any of the filters.
fn random_settings(writer: &Writer, stream: &mut SplitMix64) -> GenerationConfig {
    let filters = Filters {
        temperature: 0.1 + 3.9 * stream.unit(),
        top_k: (below(stream, 2) == 0).then(|| 1 + below(stream, 30)),
        top_p: (below(stream, 2) == 0).then(|| 0.05 + 0.95 * stream.unit()),
    };
    let seed = stream.next_u64();
    let decoding = match below(stream, 4) {
        0 => Decoding::Greedy,
        _ => Decoding::Sample { filters, seed },
    };
    let end_token = writer.tokenizer.end_token().filter(|_| below(stream, 2) == 0);
    GenerationConfig { decoding, end_token, max_new_tokens: below(stream, 20) }
}

/// A number below `bound`, from the top of the range: uniform enough for choosing cases.
fn below(stream: &mut SplitMix64, bound: usize) -> usize {
    (stream.unit() * bound as f64) as usize
}
