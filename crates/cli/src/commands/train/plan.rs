//! The settings of a run, complete and checked.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use practical::corpus::HashSplit;
use practical::model::{DecoderConfig, DropoutProbability};
use practical::tokenizer::{FIRST_MERGE_ID, Pretokenizer};
use practical::trainer::{AdamWConfig, Schedule, TrainError, TrainingConfig};
use serde::Serialize;

use super::cut::Cut;
use super::settings::{
    DataSettings, Dtype, EvaluationSettings, ModelSettings, Overlap, Preset, ScheduleName,
    Settings, TokenizerSettings, TrainingSettings,
};
use crate::documents::Format;

/// What to do, from the first file to the last update. Its JSON stands at the head of the log.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Plan {
    pub(super) out: PathBuf,
    pub(super) seed: u64,
    pub(super) data: DataPlan,
    pub(super) tokenizer: TokenizerPlan,
    pub(super) dtype: Dtype,
    /// The vocabulary is the tokenizer's; 0 until there is one.
    pub(super) model: DecoderConfig,
    pub(super) training: TrainingPlan,
    pub(super) evaluate_every: NonZeroU64,
    pub(super) sample: SamplePlan,
}

/// Which documents there are, and which of them are held out.
#[derive(Clone, Debug, Serialize)]
pub(super) struct DataPlan {
    pub(super) files: Vec<PathBuf>,
    pub(super) format: Format,
    pub(super) documents: Cut,
    /// `None` for all.
    pub(super) endings: Option<Vec<String>>,
    pub(super) validation_share: f64,
    pub(super) split_seed: u64,
    pub(super) overlap: Overlap,
}

/// Where the tokenizer is from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TokenizerPlan {
    Artifact(PathBuf),
    Train { merges: usize, pretokenizer: Pretokenizer },
}

/// Updates, learning rates and the optimizer.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TrainingPlan {
    pub(super) updates: u64,
    pub(super) windows_per_update: NonZeroUsize,
    pub(super) windows_per_microbatch: NonZeroUsize,
    pub(super) schedule: Schedule,
    pub(super) optimizer: AdamWConfig,
    /// `None` for no limit.
    pub(super) clip_limit: Option<f64>,
    pub(super) dropout: f64,
    pub(super) checkpoint_every: NonZeroU64,
}

/// The text that is sampled at each look.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SamplePlan {
    pub(super) prompt: String,
    pub(super) tokens: usize,
    pub(super) temperature: f64,
}

impl Plan {
    /// Fills in the defaults and refuses, by name, what cannot be.
    pub(super) fn new(settings: Settings) -> anyhow::Result<Self> {
        let Settings { out, seed, data, tokenizer, model, training, evaluation } = settings;
        let training = TrainingPlan::new(training)?;
        let plan = Self {
            out: out.context("give a folder for the results: `out` or --out")?,
            seed: seed.unwrap_or(0),
            data: DataPlan::new(data)?,
            tokenizer: TokenizerPlan::new(tokenizer)?,
            dtype: model.dtype.unwrap_or(Dtype::F32),
            model: sizes(&model)?,
            evaluate_every: evaluation.evaluate_every.unwrap_or(tenth(training.updates)),
            sample: SamplePlan::new(evaluation)?,
            training,
        };
        plan.training_config()?.check().map_err(by_setting)?;
        Ok(plan)
    }

    /// How to train, as the library takes it.
    pub(super) fn training_config(&self) -> anyhow::Result<TrainingConfig> {
        let TrainingPlan { schedule, optimizer, clip_limit, dropout, .. } = self.training;
        Ok(TrainingConfig {
            optimizer,
            schedule,
            clip_limit: clip_limit.unwrap_or(f64::INFINITY),
            dropout: DropoutProbability::new(dropout)?,
            dropout_seed: self.seed,
        })
    }
}

impl DataPlan {
    fn new(settings: DataSettings) -> anyhow::Result<Self> {
        let plan = Self {
            files: settings.files.unwrap_or_default(),
            format: settings.format.unwrap_or(Format::ByName),
            documents: settings.documents.unwrap_or(Cut::File),
            endings: settings.endings,
            validation_share: settings.validation_share.unwrap_or(0.1),
            split_seed: settings.split_seed.unwrap_or(0),
            overlap: settings.overlap.unwrap_or(Overlap::Refuse),
        };
        ensure!(!plan.files.is_empty(), "give something to learn from: `data.files` or --files");
        plan.split()?;
        Ok(plan)
    }

    /// Who is held out.
    pub(super) fn split(&self) -> anyhow::Result<HashSplit> {
        Ok(HashSplit::new(self.split_seed, self.validation_share)?)
    }
}

impl TokenizerPlan {
    fn new(settings: TokenizerSettings) -> anyhow::Result<Self> {
        let TokenizerSettings { artifact, vocab_size, pretokenizer } = settings;
        if let Some(path) = artifact {
            let trains = vocab_size.is_some() || pretokenizer.is_some();
            ensure!(
                !trains,
                "an artifact has its own vocab_size and pretokenizer: give one or the other"
            );
            return Ok(Self::Artifact(path));
        }
        let (vocab_size, without) = (vocab_size.unwrap_or(1024), FIRST_MERGE_ID as usize);
        let merges = vocab_size.checked_sub(without);
        let merges = merges.with_context(|| {
            format!("vocab_size is {vocab_size}, expected {without} (the bytes) or more")
        })?;
        let pretokenizer = pretokenizer.unwrap_or(Pretokenizer::Gpt2);
        Ok(Self::Train { merges, pretokenizer })
    }
}

impl Preset {
    /// Width, blocks, heads and context.
    fn sizes(self) -> [usize; 4] {
        match self {
            Self::Tiny => [64, 2, 4, 128],
            Self::Small => [128, 4, 4, 256],
            Self::Medium => [256, 6, 8, 512],
            Self::Large => [512, 8, 8, 1024],
        }
    }
}

/// The sizes of the preset under those given by hand.
fn sizes(settings: &ModelSettings) -> anyhow::Result<DecoderConfig> {
    let [d_model, n_layers, n_heads, context_len] = settings.preset.unwrap_or(Preset::Tiny).sizes();
    let d_model = settings.d_model.unwrap_or(d_model);
    let n_heads = settings.n_heads.unwrap_or(n_heads);
    let head_dim = match settings.head_dim {
        Some(given) => given,
        None if n_heads > 0 && d_model.is_multiple_of(n_heads) => d_model / n_heads,
        None => {
            anyhow::bail!("d_model {d_model} is no multiple of n_heads {n_heads}: give head_dim")
        }
    };
    // With a third matrix the feed-forward layer has as many weights as a plain one of width 4 D
    // if it is 8/3 D wide (Shazeer 2020, "GLU variants improve Transformer").
    let d_ff = d_model.saturating_mul(8).div_ceil(3).next_multiple_of(16);
    let config = DecoderConfig {
        vocab_size: 1, // any that can be checked
        d_model,
        n_layers: settings.n_layers.unwrap_or(n_layers),
        n_heads,
        n_kv_heads: settings.n_kv_heads.unwrap_or(n_heads),
        head_dim,
        d_ff: settings.d_ff.unwrap_or(d_ff),
        context_len: settings.context_len.unwrap_or(context_len),
        rope_base: settings.rope_base.unwrap_or(10_000.0),
        norm_eps: settings.norm_eps.unwrap_or(1e-6),
        tied_head: settings.tied_head.unwrap_or(true),
        attention_bias: false,
    };
    config.validate().context("section `model`")?;
    Ok(DecoderConfig { vocab_size: 0, ..config })
}

/// Most windows of an update: more than anybody needs, and their list still fits memory.
const MOST_WINDOWS: usize = 1 << 20;

impl TrainingPlan {
    fn new(settings: TrainingSettings) -> anyhow::Result<Self> {
        let updates = settings.updates.map_or(1000, NonZeroU64::get);
        let usual = AdamWConfig::default();
        let windows_per_update = settings.windows_per_update.unwrap_or(whole(16));
        ensure!(
            windows_per_update.get() <= MOST_WINDOWS,
            "windows_per_update is {windows_per_update}, expected at most {MOST_WINDOWS}"
        );
        Ok(Self {
            updates,
            windows_per_update,
            windows_per_microbatch: settings.windows_per_microbatch.unwrap_or(whole(8)),
            schedule: schedule(&settings, updates)?,
            optimizer: AdamWConfig {
                beta1: settings.beta1.unwrap_or(usual.beta1),
                beta2: settings.beta2.unwrap_or(0.99),
                epsilon: settings.epsilon.unwrap_or(usual.epsilon),
                weight_decay: settings.weight_decay.unwrap_or(0.1),
            },
            clip_limit: Some(settings.clip_limit.unwrap_or(1.0))
                .filter(|limit| *limit != f64::INFINITY),
            dropout: settings.dropout.unwrap_or(0.0),
            checkpoint_every: settings
                .checkpoint_every
                .unwrap_or(const { NonZeroU64::new(100).expect("100") }),
        })
    }
}

/// The learning rates. A setting that the schedule does not have is refused: it would do nothing.
fn schedule(settings: &TrainingSettings, updates: u64) -> anyhow::Result<Schedule> {
    let name = settings.schedule.unwrap_or(ScheduleName::WarmupCosine);
    let peak = settings.peak_rate.unwrap_or(2e-3);
    let warmup = settings.warmup_updates.unwrap_or(updates / 20);
    let (warms_up, falls) = (name != ScheduleName::Constant, name == ScheduleName::WarmupCosine);
    ensure!(
        warms_up || settings.warmup_updates.is_none(),
        "warmup_updates is given, but the schedule is constant"
    );
    ensure!(
        falls || settings.floor_rate.is_none(),
        "floor_rate is given, but only the schedule warmup-cosine has one"
    );
    Ok(match name {
        ScheduleName::Constant => Schedule::Constant { rate: peak },
        ScheduleName::Warmup => Schedule::Warmup { peak, warmup },
        ScheduleName::WarmupCosine => {
            let floor = settings.floor_rate.unwrap_or(peak / 10.0);
            Schedule::WarmupCosine { peak, floor, warmup, updates }
        }
    })
}

/// The error with the name of the setting: the library's schedule calls its rates otherwise.
fn by_setting(error: TrainError) -> TrainError {
    let TrainError::InvalidConfig { field, given, expected } = error else { return error };
    let field = match field {
        "rate" | "peak" => "peak_rate",
        "floor" => "floor_rate",
        same => same,
    };
    TrainError::InvalidConfig { field, given, expected }
}

impl SamplePlan {
    fn new(settings: EvaluationSettings) -> anyhow::Result<Self> {
        let temperature = settings.sample_temperature.unwrap_or(0.8);
        ensure!(
            temperature.is_finite() && temperature > 0.0,
            "sample_temperature is {temperature}, expected a finite number above 0"
        );
        Ok(Self {
            prompt: settings.sample_prompt.unwrap_or_default(),
            tokens: settings.sample_tokens.unwrap_or(60),
            temperature,
        })
    }
}

fn whole(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("a constant above 0")
}

fn tenth(updates: u64) -> NonZeroU64 {
    NonZeroU64::new(updates / 10).unwrap_or(NonZeroU64::MIN)
}
