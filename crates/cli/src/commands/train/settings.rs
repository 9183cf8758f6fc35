//! What a run can be told, in a TOML file and by flags: the same names in both.
//!
//! Everything is optional here. [`Settings::load`] lays the flags over the file; what is still
//! missing gets its default, and what cannot be is refused, in [`plan`](super::plan).

mod load;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use practical::tokenizer::Pretokenizer;
use serde::{Deserialize, Serialize};

use super::cut::Cut;
use crate::args::parse_name;
use crate::documents::Format;

/// All settings, by section of the file.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Settings {
    /// Folder for everything that the run writes
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Seed of weights, order of the windows, dropout and samples [default: 0]
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) data: DataSettings,
    #[command(flatten)]
    pub(super) tokenizer: TokenizerSettings,
    #[command(flatten)]
    pub(super) model: ModelSettings,
    #[command(flatten)]
    pub(super) training: TrainingSettings,
    #[command(flatten)]
    pub(super) evaluation: EvaluationSettings,
}

/// Which documents there are, and which of them are held out.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Data")]
pub(super) struct DataSettings {
    /// Text files, folders of them, and JSON Lines files (.jsonl, records with `text` and perhaps `id`
    /// and `split`)
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(super) files: Option<Vec<PathBuf>>,
    /// What the files hold: by-name means records in .jsonl and .ndjson, text in all others
    /// [default: by-name]
    #[arg(long)]
    pub(super) format: Option<Format>,
    /// How a text file is cut into documents [default: file]
    #[arg(long)]
    pub(super) documents: Option<Cut>,
    /// Endings of the texts that are taken from folders, beside JSON Lines [default: all files]
    #[arg(long, value_name = "ENDING", num_args = 1..)]
    pub(super) endings: Option<Vec<String>>,
    /// Share of the documents that is held out for validation, 0 for none [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    pub(super) validation_share: Option<f64>,
    /// Seed of the choice of these documents [default: 0]
    #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(super) split_seed: Option<u64>,
    /// What to do with validation documents whose text is in training too, or nearly [default: refuse]
    #[arg(long)]
    pub(super) overlap: Option<Overlap>,
}

/// How text becomes ids.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Tokenizer")]
pub(super) struct TokenizerSettings {
    /// A tokenizer that is there already, from `llm tokenizer train`; none is trained then
    #[arg(long, value_name = "FILE")]
    pub(super) artifact: Option<PathBuf>,
    /// Ids of a tokenizer that is trained on the training documents: 258 and one per merge
    /// [default: 1024]
    #[arg(long, value_name = "N")]
    pub(super) vocab_size: Option<usize>,
    /// How text is cut into pieces that merges do not cross: none, gpt2, gpt2_digits, llama3, qwen2
    /// [default: gpt2]
    #[arg(long, value_parser = parse_name::<Pretokenizer>)]
    pub(super) pretokenizer: Option<Pretokenizer>,
}

/// The sizes of the decoder.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Model")]
pub(super) struct ModelSettings {
    /// Sizes that go together; every size below replaces the one of the preset [default: tiny]
    #[arg(long)]
    pub(super) preset: Option<Preset>,
    /// Type of the weights [default: f32]
    #[arg(long)]
    pub(super) dtype: Option<Dtype>,
    /// Most tokens that the model reads at once; longer documents are cut into windows of so many
    #[arg(long, value_name = "TOKENS")]
    pub(super) context_len: Option<usize>,
    /// Features of a token between the blocks
    #[arg(long, value_name = "N")]
    pub(super) d_model: Option<usize>,
    /// Blocks
    #[arg(long, value_name = "N")]
    pub(super) n_layers: Option<usize>,
    /// Query heads of a block
    #[arg(long, value_name = "N")]
    pub(super) n_heads: Option<usize>,
    /// Key/value heads of a block [default: as many as query heads]
    #[arg(long, value_name = "N")]
    pub(super) n_kv_heads: Option<usize>,
    /// Features of a head [default: d_model / n_heads]
    #[arg(long, value_name = "N")]
    pub(super) head_dim: Option<usize>,
    /// Hidden features of the feed-forward layer [default: 8/3 d_model, up to a multiple of 16]
    #[arg(long, value_name = "N")]
    pub(super) d_ff: Option<usize>,
    /// Base of the rotary angles [default: 10000]
    #[arg(long, value_name = "BASE")]
    pub(super) rope_base: Option<f64>,
    /// Added to the mean square in a norm [default: 1e-6]
    #[arg(long, value_name = "EPS")]
    pub(super) norm_eps: Option<f64>,
    /// Whether the output head is the embedding's matrix [default: true]
    #[arg(long, value_name = "BOOL")]
    pub(super) tied_head: Option<bool>,
}

/// Updates, learning rates and the optimizer.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Training")]
pub(super) struct TrainingSettings {
    /// Updates of the weights [default: 1000]
    #[arg(long, value_name = "N")]
    pub(super) updates: Option<NonZeroU64>,
    /// Windows that an update learns from [default: 16]
    #[arg(long, value_name = "N")]
    pub(super) windows_per_update: Option<NonZeroUsize>,
    /// Windows that are computed at once: fewer take less memory and give the same bits [default: 8]
    #[arg(long, value_name = "N")]
    pub(super) windows_per_microbatch: Option<NonZeroUsize>,
    /// How the learning rate changes [default: warmup-cosine]
    #[arg(long)]
    pub(super) schedule: Option<ScheduleName>,
    /// The largest learning rate [default: 0.002]
    #[arg(long, value_name = "RATE")]
    pub(super) peak_rate: Option<f64>,
    /// The last learning rate of warmup-cosine [default: a tenth of the peak]
    #[arg(long, value_name = "RATE")]
    pub(super) floor_rate: Option<f64>,
    /// Updates until the peak [default: a twentieth of all]
    #[arg(long, value_name = "N")]
    pub(super) warmup_updates: Option<u64>,
    /// AdamW's share of the first moment that is kept [default: 0.9]
    #[arg(long, value_name = "SHARE")]
    pub(super) beta1: Option<f64>,
    /// AdamW's share of the second moment that is kept [default: 0.99]
    #[arg(long, value_name = "SHARE")]
    pub(super) beta2: Option<f64>,
    /// Added to the root of AdamW's second moment [default: 1e-8]
    #[arg(long, value_name = "EPS")]
    pub(super) epsilon: Option<f64>,
    /// Share of a matrix that an update with rate 1 removes [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    pub(super) weight_decay: Option<f64>,
    /// Most that the norm of an update's gradient may be, inf for no limit [default: 1]
    #[arg(long, value_name = "NORM")]
    pub(super) clip_limit: Option<f64>,
    /// Probability of dropping a feature [default: 0]
    #[arg(long, value_name = "P")]
    pub(super) dropout: Option<f64>,
    /// Updates between two checkpoints: the most that a crash can lose [default: 100]
    #[arg(long, value_name = "N")]
    pub(super) checkpoint_every: Option<NonZeroU64>,
}

/// Looks at the model on the way.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Evaluation")]
pub(super) struct EvaluationSettings {
    /// Updates between two looks at the validation documents [default: a tenth of all]
    #[arg(long, value_name = "N")]
    pub(super) evaluate_every: Option<NonZeroU64>,
    /// Beginning of the text that is sampled at each look [default: none]
    #[arg(long, value_name = "TEXT")]
    pub(super) sample_prompt: Option<String>,
    /// Most tokens of that text, 0 for no sample [default: 60]
    #[arg(long, value_name = "TOKENS")]
    pub(super) sample_tokens: Option<usize>,
    /// Temperature of its distribution [default: 0.8]
    #[arg(long, value_name = "T")]
    pub(super) sample_temperature: Option<f64>,
}

/// What to do with validation documents whose text is in training too, or nearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Overlap {
    /// Stop before the first update
    Refuse,
    /// Leave them out of the validation
    Drop,
    /// Go on; the report says which they are
    Report,
}

/// Sizes that go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Preset {
    /// 2 blocks of width 64, context 128: seconds to minutes
    Tiny,
    /// 4 blocks of width 128, context 256: minutes
    Small,
    /// 6 blocks of width 256, context 512: hours
    Medium,
    /// 8 blocks of width 512, context 1024: days
    Large,
}

/// Element types of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Dtype {
    /// Four bytes a weight
    F32,
    /// Eight bytes a weight, for lessons and comparisons
    F64,
}

/// Learning rates over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ScheduleName {
    /// The peak rate in every update
    Constant,
    /// Up to the peak in equal steps, then constant
    Warmup,
    /// Up to the peak in equal steps, then down along half a cosine
    WarmupCosine,
}
