//! A look at the model: its loss on the validation documents, and a text of its own.

use std::time::Instant;

use anyhow::Context;
use practical::autograd::{Element, Kernels};
use practical::corpus::{Layout, Partition, VariableBatch, batches};
use practical::evaluation::evaluate;
use practical::metrics::nats_to_bits;
use practical::model::{DecoderModel, Decoding, Filters, GenerationConfig};

use super::data::Data;
use super::log::Validation;
use super::plan::Plan;

/// What every look needs.
pub(super) struct Looks<'a> {
    plan: &'a Plan,
    data: &'a Data,
    /// Of the validation windows.
    batches: Vec<VariableBatch>,
    /// What samples begin with; `None` without samples.
    prompt: Option<Vec<u32>>,
}

impl<'a> Looks<'a> {
    /// # Errors
    /// A prompt that the model cannot read.
    pub(super) fn new(plan: &'a Plan, data: &'a Data) -> anyhow::Result<Self> {
        let layout = Layout::Padded { rows: plan.training.windows_per_microbatch };
        let batches = batches(Partition::Validation, &data.binding, &data.validation, layout)?;
        Ok(Self { plan, data, batches, prompt: prompt(plan, data)? })
    }

    /// The loss on the validation documents, each target once; `None` if there are none.
    pub(super) fn validation<E: Element>(
        &self,
        model: &DecoderModel<E>,
    ) -> anyhow::Result<Option<Validation>> {
        if self.batches.is_empty() {
            return Ok(None);
        }
        let score = evaluate(model, Partition::Validation, &self.data.binding, &self.batches)?;
        let bits = nats_to_bits(score.metrics.total_nll());
        let bytes = self.data.record.validation.bytes;
        Ok(Some(Validation {
            nats_per_token: score.metrics.mean_nll(),
            bits_per_byte: bits / bytes as f64,
        }))
    }

    /// About how long a look takes: a sample, and the first batch as a part of all targets.
    pub(super) fn seconds<E: Element>(&self, model: &DecoderModel<E>) -> anyhow::Result<f64> {
        let start = Instant::now();
        self.sample(model, 0)?;
        let sample = start.elapsed().as_secs_f64();
        let Some(batch) = self.batches.first() else { return Ok(sample) };
        let start = Instant::now();
        evaluate(model, Partition::Validation, &self.data.binding, [batch])?;
        let batches = self.data.record.validation.targets as f64 / batch.target_count() as f64;
        Ok(sample + start.elapsed().as_secs_f64() * batches)
    }

    /// The prompt and what the model writes behind it: the same text for the same weights, seed and update.
    pub(super) fn sample<E: Element>(
        &self,
        model: &DecoderModel<E>,
        update: u64,
    ) -> anyhow::Result<Option<String>> {
        let Some(prompt) = &self.prompt else { return Ok(None) };
        let filters = Filters { temperature: self.plan.sample.temperature, ..Filters::default() };
        let seed = self.plan.seed.wrapping_add(update);
        let config = GenerationConfig {
            decoding: Decoding::Sample { filters, seed },
            end_token: self.data.tokenizer.end_token(),
            max_new_tokens: self.plan.sample.tokens,
        };
        let written = model.generate(Kernels::detect(), prompt, &config, |_| ())?;
        let ids = [prompt.as_slice(), &written.ids].concat();
        let bytes = self.data.tokenizer.decode(&ids)?;
        // Bytes of half a letter, at the end or from a model that knows no better, become a mark.
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// The ids that samples begin with: the start token and the prompt's text.
fn prompt(plan: &Plan, data: &Data) -> anyhow::Result<Option<Vec<u32>>> {
    if plan.sample.tokens == 0 {
        return Ok(None);
    }
    let text = plan.sample.prompt.as_bytes();
    let text = data.tokenizer.encode(text).context("sample_prompt")?;
    let ids: Vec<u32> = data.tokenizer.start_token().into_iter().chain(text).collect();
    let (given, most) = (ids.len(), plan.model.context_len);
    anyhow::ensure!(
        (1..=most).contains(&given),
        "sample_prompt has {given} tokens, expected 1 to {most} (the context)"
    );
    Ok(Some(ids))
}
