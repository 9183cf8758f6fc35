//! The model that writes: a small decoder, trained on five names.

use llm_from_scratch_practical::{autograd, corpus, model, tokenizer, trainer};

use autograd::Kernels;
use corpus::{BatchBinding, Document, EncodedDocument, Layout, Partition};
use model::{DecoderConfig, DecoderModel, KeyValueCache};
use tokenizer::{Tokenizer, chapter_four_tokenizer};
use trainer::{Schedule, Trainer, TrainingConfig};

const NAMES: [&str; 5] = ["anna", "hanna", "ina", "nina", "hannah"];
/// Most tokens that the model can read.
const CONTEXT_LEN: usize = 12;
const UPDATES: u64 = 30;

/// A decoder and its tokenizer.
#[derive(Clone, Debug)]
pub struct Writer {
    /// The decoder.
    pub model: DecoderModel<f64>,
    /// The tokenizer of chapter 4: one token for each byte, a start and an end token.
    pub tokenizer: Tokenizer,
}

impl Writer {
    /// Trains it.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn trained() -> anyhow::Result<Self> {
        let tokenizer = chapter_four_tokenizer();
        let encode = |name| {
            EncodedDocument::encode(&Document::new(name, Partition::Train, name), &tokenizer)
        };
        let documents = NAMES.map(encode).into_iter().collect::<Result<Vec<_>, _>>()?;
        let binding = BatchBinding::new(&tokenizer, CONTEXT_LEN);
        let batches = corpus::batches(Partition::Train, &binding, &documents, Layout::SEPARATE)?;
        let config = DecoderConfig::reference(binding.vocab_size, CONTEXT_LEN).validate()?;
        let training = TrainingConfig {
            schedule: Schedule::WarmupCosine {
                peak: 0.03,
                floor: 0.003,
                warmup: 5,
                updates: UPDATES,
            },
            ..TrainingConfig::default()
        };
        let mut trainer = Trainer::new(DecoderModel::initialize(config, 39), training)?;
        for _ in 0..UPDATES {
            trainer.update(&binding, &batches)?;
        }
        Ok(Self { model: trainer.into_model(), tokenizer })
    }

    /// The start token and the bytes of a text.
    ///
    /// # Errors
    /// None for text; generation refuses what is longer than the context.
    pub fn encode(&self, text: &str) -> anyhow::Result<Vec<u32>> {
        let mut ids: Vec<u32> = self.tokenizer.start_token().into_iter().collect();
        ids.extend(self.tokenizer.encode(text.as_bytes())?);
        Ok(ids)
    }

    /// The logits behind the last of some tokens, `[vocab_size]`.
    ///
    /// # Errors
    /// No token, or more than the context has room for.
    pub fn next_logits(&self, ids: &[u32]) -> anyhow::Result<Vec<f64>> {
        let config = self.model.config();
        let mut cache = KeyValueCache::new(config, config.context_len)?;
        Ok(self.model.prefill(Kernels::detect(), &mut cache, ids)?.row(0).to_vec())
    }

    /// Tokens as text; control tokens in angle brackets.
    pub fn text(&self, ids: &[u32]) -> String {
        ids.iter().map(|&id| self.name(id)).collect()
    }

    /// A token as text: a visible character as it is, another byte as `\x0a`.
    pub fn name(&self, id: u32) -> String {
        match self.tokenizer.token_bytes(id) {
            _ if Some(id) == self.tokenizer.start_token() => "<start>".to_owned(),
            _ if Some(id) == self.tokenizer.end_token() => "<end>".to_owned(),
            Some(bytes) => bytes.escape_ascii().to_string(),
            None => format!("<{id}>"),
        }
    }
}
