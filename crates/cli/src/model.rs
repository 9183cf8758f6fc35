//! A model file, of whatever kind, opened for scoring and generating.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context, bail};
use practical::archive::{
    ArchiveError, Header, MODEL_KIND, PortableElement, PortableModel, Selection, inspect,
};
use practical::autograd::Kernels;
use practical::evaluation::{LanguageModel, RowRequest, RowVisitor, ScoreError};
use practical::model::{DecoderModel, Generation, GenerationConfig, ModelError, ValidConfig};
use practical::quantization::{QUANTIZED_KIND, QuantizedModel, WeightFormat};
use practical::tokenizer::{TokenId, Tokenizer};
use serde::Deserialize;

/// A model and what came with it.
pub(crate) struct OpenModel {
    /// To compute with; the codes of a quantized model are decoded once, here.
    pub(crate) weights: Weights,
    /// The form that the weights were rounded to.
    rounded: Option<WeightFormat>,
    /// [`LanguageModel::identity`], computed once, if at all: it reads every weight.
    identity: OnceLock<String>,
    /// The file's tokenizer, be it one that knows ids only.
    pub(crate) stored_tokenizer: Tokenizer,
    /// How the model was chosen, if the file says so.
    pub(crate) selection: Option<Selection>,
    /// The verified identity of the file's content.
    pub(crate) sha256: String,
}

/// The decoder in the element type that it was saved in.
pub(crate) enum Weights {
    F32(DecoderModel<f32>),
    F64(DecoderModel<f64>),
}

/// The element types, and how their decoders are stored here.
pub(crate) trait WeightElement: PortableElement {
    fn weights(model: DecoderModel<Self>) -> Weights;
}

impl WeightElement for f32 {
    fn weights(model: DecoderModel<Self>) -> Weights {
        Weights::F32(model)
    }
}

impl WeightElement for f64 {
    fn weights(model: DecoderModel<Self>) -> Weights {
        Weights::F64(model)
    }
}

/// Runs the same expression on the decoder of either type.
macro_rules! with_decoder {
    ($weights:expr, $decoder:ident => $body:expr) => {
        match $weights {
            $crate::model::Weights::F32($decoder) => $body,
            $crate::model::Weights::F64($decoder) => $body,
        }
    };
}
pub(crate) use with_decoder;

impl OpenModel {
    /// Reads a model, quantized or not, and checks every byte of it.
    pub(crate) fn load(path: &Path) -> anyhow::Result<Self> {
        let header = inspect(path).map_err(|error| at(path, error))?;
        match (header.kind(), dtype(&header)) {
            (MODEL_KIND, Some("f32")) => Self::plain::<f32>(path),
            (MODEL_KIND, Some("f64")) => Self::plain::<f64>(path),
            (QUANTIZED_KIND, Some("f32")) => Self::quantized::<f32>(path),
            (QUANTIZED_KIND, Some("f64")) => Self::quantized::<f64>(path),
            (MODEL_KIND | QUANTIZED_KIND, _) => {
                bail!("{}: a model of neither f32 nor f64", path.display())
            }
            (kind, _) => bail!("{}: holds a {kind:?}, expected a model", path.display()),
        }
    }

    fn plain<E: WeightElement>(path: &Path) -> anyhow::Result<Self> {
        let portable = PortableModel::<E>::load(path).map_err(|error| at(path, error))?;
        let (model, stored_tokenizer) = portable.restore_text();
        Ok(Self {
            weights: E::weights(model),
            rounded: None,
            identity: OnceLock::new(),
            stored_tokenizer,
            selection: portable.selection().cloned(),
            sha256: portable.model_id().to_owned(),
        })
    }

    fn quantized<E: WeightElement>(path: &Path) -> anyhow::Result<Self> {
        let portable = QuantizedModel::<E>::load(path).map_err(|error| at(path, error))?;
        Ok(Self {
            weights: E::weights(portable.decoder().decode()),
            rounded: Some(portable.decoder().format()),
            identity: OnceLock::new(),
            stored_tokenizer: portable.tokenizer().clone(),
            selection: portable.selection().cloned(),
            sha256: portable.model_id().to_owned(),
        })
    }

    /// The tokenizer for text; `None` if the file's own knows ids only.
    pub(crate) fn tokenizer(&self) -> Option<&Tokenizer> {
        Some(&self.stored_tokenizer).filter(|tokenizer| tokenizer.knows_text())
    }

    /// The tokenizer, for a command that cannot do without.
    pub(crate) fn text_tokenizer(&self) -> anyhow::Result<&Tokenizer> {
        let missing = "the model came without a tokenizer: only ids can be scored with it";
        self.tokenizer().context(missing)
    }

    pub(crate) fn config(&self) -> &ValidConfig {
        with_decoder!(&self.weights, decoder => decoder.config())
    }

    /// Number format of weights and arithmetic.
    pub(crate) fn dtype(&self) -> &'static str {
        match self.weights {
            Weights::F32(_) => "f32",
            Weights::F64(_) => "f64",
        }
    }

    /// Goes on from a prompt; `watch` sees every new token.
    pub(crate) fn generate(
        &self,
        prompt: &[TokenId],
        config: &GenerationConfig,
        mut watch: impl FnMut(TokenId),
    ) -> Result<Generation, ModelError> {
        let kernels = Kernels::detect();
        with_decoder!(&self.weights, decoder => {
            decoder.generate(kernels, prompt, config, |step| watch(step.chosen))
        })
    }
}

impl LanguageModel for OpenModel {
    fn vocab_size(&self) -> usize {
        self.config().vocab_size
    }

    fn max_context(&self) -> Option<usize> {
        Some(self.config().context_len)
    }

    fn identity(&self) -> String {
        let identity = || {
            let decoder = with_decoder!(&self.weights, decoder => decoder.identity());
            match self.rounded {
                Some(format) => format!("{format} as {decoder}"), // as a QuantizedDecoder says
                None => decoder,
            }
        };
        self.identity.get_or_init(identity).clone()
    }

    fn visit_rows(
        &self,
        requests: &[RowRequest<'_>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError> {
        with_decoder!(&self.weights, decoder => decoder.visit_rows(requests, visit))
    }
}

/// An archive's error with the path, which most of them do not know.
pub(crate) fn at(path: &Path, error: ArchiveError) -> anyhow::Error {
    match error {
        ArchiveError::Io { .. } => error.into(),
        _ => anyhow::Error::new(error).context(path.display().to_string()),
    }
}

/// What every file of a model says of its elements. The rest is skipped: as a tree of values, the header
/// of a hostile file would take many times its memory.
#[derive(Deserialize)]
struct ModelHead {
    config: ConfigHead,
}

#[derive(Deserialize)]
struct ConfigHead {
    dtype: String,
}

#[derive(Deserialize)]
struct QuantizedHead {
    model: ModelHead,
}

/// The element type that a file of either kind declares. Loading checks it.
fn dtype(header: &Header) -> Option<&'static str> {
    let head = match header.kind() {
        QUANTIZED_KIND => header.metadata::<QuantizedHead>().ok()?.model,
        _ => header.metadata::<ModelHead>().ok()?,
    };
    ["f32", "f64"].into_iter().find(|known| *known == head.config.dtype)
}
