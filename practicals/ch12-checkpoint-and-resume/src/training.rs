//! A small run that uses everything a checkpoint must keep: warm-up and cosine, weight decay,
//! clipping, dropout, a shuffled order, and updates that cross the end of an epoch.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use anyhow::Context;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{archive, corpus, evaluation, model, tokenizer, trainer};
use serde::Serialize;

use archive::PortableModel;
use corpus::{BatchBinding, Document, EncodedDocument, Layout, Partition};
use model::{DecoderConfig, DecoderModel, DropoutProbability, ValidConfig};
use tokenizer::{Tokenizer, chapter_four_tokenizer};
use trainer::{AdamWConfig, Checkpoints, Run, RunConfig, Schedule, TrainingConfig};

/// Seven short documents; an update reads four of them, so most updates end inside an epoch.
const TEXTS: [&str; 7] = ["aaab", "aab", "abab", "abba", "baa", "bab", "abbb"];
/// Most inputs of a document.
const CAPACITY: usize = 8;

/// Options of `train`.
#[derive(Clone, Debug, clap::Args)]
pub struct TrainArgs {
    /// The file of the run; a run that is there goes on
    #[arg(long, value_name = "PATH")]
    pub checkpoint: PathBuf,
    /// Updates in all, 4 to 10000; part of the schedule, so it stays the same when the run goes on
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(4..=10_000))]
    pub updates: u64,
    /// Updates between checkpoints: the most that a kill can lose
    #[arg(long, default_value = "5")]
    pub every: NonZeroU64,
    /// Pause after each update, which gives you time to kill it
    #[arg(long, default_value_t = 0, value_name = "MILLISECONDS")]
    pub pause_ms: u64,
}

/// A run that has reached its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingReport {
    /// Which chapter.
    pub chapter: &'static str,
    /// Updates that were in the checkpoint; 0 without one.
    pub resumed_from_update: u64,
    /// Updates made in all.
    pub updates: u64,
    /// Loss of the training documents behind the last one, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// Identity of weights, moments, counts, settings and data.
    pub run_sha256: String,
    /// Identity of the weights with configuration and tokenizer alone.
    pub model_sha256: String,
}

/// Trains to the end, from the checkpoint if there is one.
///
/// # Errors
/// A checkpoint that cannot be written, is damaged, or belongs to a run with other settings.
pub fn train(args: &TrainArgs) -> anyhow::Result<TrainingReport> {
    let setup = Setup::new(args.updates)?;
    let mut run = setup
        .resume_or_start(&args.checkpoint)
        .with_context(|| format!("cannot start or continue {}", args.checkpoint.display()))?;
    let resumed_from_update = run.trainer().updates();
    let checkpoints = Checkpoints { path: args.checkpoint.clone(), every: args.every };
    run.train_until(args.updates, &checkpoints, |_| {
        sleep(Duration::from_millis(args.pause_ms));
    })?;
    Ok(TrainingReport {
        chapter: "12-checkpoint-and-resume",
        resumed_from_update,
        updates: run.trainer().updates(),
        mean_nll: setup.mean_nll(run.trainer().model())?,
        run_sha256: run.identity()?,
        model_sha256: setup.model_id(run.trainer().model())?,
    })
}

/// Everything that a run is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    tokenizer: Tokenizer,
    documents: Vec<EncodedDocument>,
    model: ValidConfig,
    config: RunConfig,
}

impl Setup {
    /// The chapter's run of so many updates.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn new(updates: u64) -> anyhow::Result<Self> {
        let tokenizer = chapter_four_tokenizer();
        let documents = TEXTS.map(|text| Document::new(text, Partition::Train, text));
        let encode = |document| EncodedDocument::encode(document, &tokenizer);
        let documents = documents.iter().map(encode).collect::<Result<_, _>>()?;
        let binding = BatchBinding::new(&tokenizer, CAPACITY);
        let model = DecoderConfig {
            n_layers: 2,
            n_kv_heads: 1,
            attention_bias: true,
            ..DecoderConfig::reference(binding.vocab_size, CAPACITY)
        };
        let config = RunConfig {
            training: TrainingConfig {
                optimizer: AdamWConfig { weight_decay: 0.1, ..AdamWConfig::default() },
                schedule: Schedule::WarmupCosine { peak: 0.03, floor: 0.003, warmup: 3, updates },
                clip_limit: 1.0,
                dropout: DropoutProbability::new(0.2)?,
                dropout_seed: 17,
            },
            binding,
            shuffle_seed: Some(3),
            documents_per_update: NonZeroUsize::new(4).expect("four"),
            documents_per_microbatch: NonZeroUsize::new(3).expect("three"),
        };
        Ok(Self { tokenizer, documents, model: model.validate()?, config })
    }

    /// The run at update 0.
    ///
    /// # Errors
    /// A number of updates that the schedule cannot have.
    pub fn start(&self) -> anyhow::Result<Run<'_, f32>> {
        Ok(Run::start(self.config.clone(), &self.documents, fresh(self.model))?)
    }

    /// The run of the checkpoint at `path`.
    ///
    /// # Errors
    /// No whole checkpoint of this run there.
    pub fn resume(&self, path: impl AsRef<std::path::Path>) -> anyhow::Result<Run<'_, f32>> {
        Ok(Run::resume(path, self.config.clone(), &self.documents, self.model)?)
    }

    /// The run of the checkpoint at `path` if there is one, otherwise at update 0.
    ///
    /// # Errors
    /// Something else there.
    pub fn resume_or_start(
        &self,
        path: impl AsRef<std::path::Path>,
    ) -> anyhow::Result<Run<'_, f32>> {
        let (config, documents) = (self.config.clone(), &self.documents);
        Ok(Run::resume_or_start(path, config, documents, self.model, fresh)?)
    }

    /// Loss of the training documents without dropout, nats per target.
    ///
    /// # Errors
    /// A loss that is not finite.
    pub fn mean_nll(&self, model: &DecoderModel<f32>) -> anyhow::Result<f64> {
        let (binding, part) = (&self.config.binding, Partition::Train);
        let batches = corpus::batches(part, binding, &self.documents, Layout::SEPARATE)?;
        Ok(evaluation::evaluate(model, part, binding, &batches)?.metrics.mean_nll())
    }

    /// Identity of a model with the run's tokenizer.
    ///
    /// # Errors
    /// A weight that is not finite.
    pub fn model_id(&self, model: &DecoderModel<f32>) -> anyhow::Result<String> {
        Ok(PortableModel::new(model, &self.tokenizer)?.model_id().to_owned())
    }
}

/// The weights before the first update.
fn fresh(config: ValidConfig) -> DecoderModel<f32> {
    DecoderModel::initialize(config, 39)
}
