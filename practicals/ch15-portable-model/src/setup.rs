//! The model of this chapter, and what another process does with its file.

use std::path::Path;

use anyhow::Context;
use llm_from_scratch_practical::{archive, autograd, corpus, model, tokenizer, trainer};
use serde::Serialize;

use archive::PortableModel;
use autograd::Kernels;
use corpus::{BatchBinding, Document, EncodedDocument, Layout, Partition};
use model::{DecoderConfig, DecoderModel, Decoding, GenerationConfig};
use tokenizer::chapter_four_tokenizer;
use trainer::{Schedule, Trainer, TrainingConfig};

/// A small decoder after 40 updates on two documents, with its tokenizer.
///
/// # Errors
/// None that the constants can cause.
pub fn trained_model() -> anyhow::Result<PortableModel<f64>> {
    let tokenizer = chapter_four_tokenizer();
    let encode =
        |text| EncodedDocument::encode(&Document::new(text, Partition::Train, text), &tokenizer);
    let documents = [encode("abba")?, encode("abb")?];
    let binding = BatchBinding::new(&tokenizer, 8);
    let batches = corpus::batches(Partition::Train, &binding, &documents, Layout::SEPARATE)?;
    let config = DecoderConfig::reference(binding.vocab_size, 8).validate()?;
    let schedule = Schedule::Constant { rate: 0.02 };
    let training = TrainingConfig { schedule, ..TrainingConfig::default() };
    let mut trainer = Trainer::new(DecoderModel::initialize(config, 39), training)?;
    for _ in 0..40 {
        trainer.update(&binding, &batches)?;
    }
    Ok(PortableModel::new(trainer.model(), &tokenizer)?)
}

/// What somebody sees who has nothing but the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenedModel {
    /// Which chapter.
    pub chapter: &'static str,
    /// Identity of the content.
    pub model_sha256: String,
    /// Identity of the tokenizer in it.
    pub tokenizer_sha256: String,
    /// Token ids.
    pub vocab_size: usize,
    /// Weights.
    pub weights: usize,
    /// What it writes behind its start token, greedily.
    pub text: String,
}

/// Opens the model at `path` and lets it write.
///
/// # Errors
/// No whole model of f64 numbers there, or one whose tokenizer has no start token.
pub fn open(path: &Path) -> anyhow::Result<OpenedModel> {
    let saved = PortableModel::<f64>::load(path)
        .with_context(|| format!("cannot open the model {}", path.display()))?;
    let (model, tokenizer) = saved.restore_text();
    let start = tokenizer.start_token().context("the model's tokenizer has no start token")?;
    let config = GenerationConfig {
        decoding: Decoding::Greedy,
        end_token: tokenizer.end_token(),
        max_new_tokens: 100,
    };
    let mut ids = model.generate(Kernels::detect(), &[start], &config, |_| ())?.ids;
    ids.retain(|&id| !tokenizer.is_control(id));
    Ok(OpenedModel {
        chapter: "15-portable-model",
        model_sha256: saved.model_id().to_owned(),
        tokenizer_sha256: tokenizer.sha256().to_owned(),
        vocab_size: tokenizer.vocab_size(),
        weights: model.parameters().iter().map(|parameter| parameter.value().len()).sum(),
        text: tokenizer.decode(&ids)?.escape_ascii().to_string(),
    })
}
