//! A quantized decoder and its tokenizer in one file.
//!
//! A container of kind [`QUANTIZED_KIND`]. Its metadata is the `model` (configuration, element type of
//! what was kept, tokenizer, and how the model was chosen before it was rounded, if it was) and the
//! `format` of the matrices. Its tensors, wider elements first: gains and biases under their own names,
//! then `NAME.scale`, `[channels, blocks]` of `F32`, for every matrix, then `NAME.int8`,
//! `[channels, inputs]` of `I8`, or `NAME.int4`, `[channels, bytes]` of `U8`. See [`WeightFormat`] for
//! blocks and bytes.

use std::path::Path;

use llm_archive::{
    ArchiveError, Container, ModelDescription, PortableElement, Selection, TensorData,
    TensorSequence,
};
use llm_model::{ParameterSpec, ValidConfig, parameter_specs};
use llm_tokenizer::Tokenizer;
use serde::{Deserialize, Serialize};

use crate::decoder::{Stored, channel_axis};
use crate::matrix::Codes;
use crate::{ChannelAxis, QuantizedDecoder, QuantizedMatrix, WeightFormat};

/// The kind of an archive that holds a quantized decoder and its tokenizer.
pub const QUANTIZED_KIND: &str = "quantized-model";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    model: ModelDescription,
    format: WeightFormat,
}

/// A quantized decoder and its tokenizer, with the identity of both together.
///
/// What comes back from a file has the same codes and scales, so it scores with the same bits.
///
/// # Example
/// ```
/// use llm_model::{DecoderConfig, DecoderModel};
/// use llm_quantization::{QuantizedDecoder, QuantizedModel, WeightFormat};
///
/// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
/// let config = DecoderConfig::reference(tokenizer.vocab_size(), 8).validate()?;
/// let model = DecoderModel::<f64>::initialize(config, 39);
/// let small = QuantizedDecoder::quantize(&model, WeightFormat::Int4)?;
///
/// let saved = QuantizedModel::new(small, &tokenizer)?;
/// let loaded = QuantizedModel::<f64>::from_bytes(&saved.to_bytes())?;
/// assert_eq!(loaded, saved);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedModel<E> {
    decoder: QuantizedDecoder<E>,
    tokenizer: Tokenizer,
    selection: Option<Selection>,
    model_id: String,
}

impl<E: PortableElement> QuantizedModel<E> {
    /// Puts both together and computes the identity.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] if the vocabularies differ in size.
    pub fn new(decoder: QuantizedDecoder<E>, tokenizer: &Tokenizer) -> Result<Self, ArchiveError> {
        Self::identified(decoder, tokenizer.clone(), None)
    }

    /// The same model with the label of the one that was rounded: how that one was chosen, and its loss
    /// there, which is not that of the rounded weights. The label is part of the identity.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] for a loss that is not finite.
    pub fn selected(self, selection: Selection) -> Result<Self, ArchiveError> {
        Self::identified(self.decoder, self.tokenizer, Some(selection))
    }

    fn identified(
        decoder: QuantizedDecoder<E>,
        tokenizer: Tokenizer,
        selection: Option<Selection>,
    ) -> Result<Self, ArchiveError> {
        let container = container(&decoder, &tokenizer, selection.as_ref())?;
        let model_id = container.content_sha256().to_owned();
        Ok(Self { decoder, tokenizer, selection, model_id })
    }

    /// How the model that was rounded was chosen, if the file says so.
    pub fn selection(&self) -> Option<&Selection> {
        self.selection.as_ref()
    }

    /// The identity of codes, scales, configuration and tokenizer: 64 lower-case hexadecimal digits.
    pub fn model_id(&self) -> &str {
        &self.model_id
    }

    /// The codes and scales.
    pub fn decoder(&self) -> &QuantizedDecoder<E> {
        &self.decoder
    }

    /// The tokenizer for its text.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.container().to_bytes()
    }

    /// Saves as the file `path`, completely or not at all; see [`llm_archive::write_atomically`].
    ///
    /// # Errors
    /// [`ArchiveError::Io`]; a file that was there before is then still there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ArchiveError> {
        self.container().save(path)
    }

    /// Reads a model from the bytes of a file.
    ///
    /// # Errors
    /// As [`QuantizedModel::load`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ArchiveError> {
        Self::from_container(Container::from_bytes(bytes, QUANTIZED_KIND)?)
    }

    /// Reads the model at `path` and checks every byte of it.
    ///
    /// # Errors
    /// As [`Container::load`]; [`ArchiveError::Content`] for metadata of another element type or that
    /// cannot be; [`ArchiveError::Table`] for a tensor that is missing, unknown, out of order or of
    /// another shape or type, and for scales and codes that no quantization gives.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ArchiveError> {
        Self::from_container(Container::load(path, QUANTIZED_KIND)?)
    }

    fn from_container(container: Container<'static>) -> Result<Self, ArchiveError> {
        let model_id = container.content_sha256().to_owned();
        let Metadata { model, format } = container.header().exact_metadata()?;
        let (config, tokenizer, selection) = model.restore::<E>(container.tensors().len())?;
        let mut tensors = TensorSequence::new(container);
        let decoder = read(config, format, &mut tensors)?;
        tensors.finish()?;
        Ok(Self { decoder, tokenizer, selection, model_id })
    }

    fn container(&self) -> Container<'_> {
        container(&self.decoder, &self.tokenizer, self.selection())
            .expect("`new` or `load` has seen the same container before")
    }
}

/// Decoder and tokenizer as a container that borrows the values.
fn container<'a, E: PortableElement>(
    decoder: &'a QuantizedDecoder<E>,
    tokenizer: &Tokenizer,
    selection: Option<&Selection>,
) -> Result<Container<'a>, ArchiveError> {
    let format = decoder.format();
    let model = ModelDescription::new::<E>(decoder.config(), tokenizer, selection)?;
    let (mut kept, mut scales, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    for (spec, stored) in parameter_specs(decoder.config()).into_iter().zip(decoder.parameters()) {
        match stored {
            Stored::Kept(value) => {
                kept.push(TensorData::new(spec.name, spec.shape, E::values(value.data())));
            }
            Stored::Quantized(matrix) => {
                let Layout { scale, code } = Layout::new(&spec.name, format, matrix_sizes(matrix));
                scales.push(TensorData::new(scale.name, scale.shape, matrix.scales()));
                codes.push(TensorData::new(code.name, code.shape, matrix.stored_codes()));
            }
        }
    }
    let tensors = kept.into_iter().chain(scales).chain(codes).collect();
    Container::new(QUANTIZED_KIND, &Metadata { model, format }, tensors)
}

fn matrix_sizes(matrix: &QuantizedMatrix) -> [usize; 2] {
    [matrix.channels(), matrix.inputs()]
}

/// Takes the tensors that the configuration asks for, group by group.
fn read<E: PortableElement>(
    config: ValidConfig,
    format: WeightFormat,
    tensors: &mut TensorSequence,
) -> Result<QuantizedDecoder<E>, ArchiveError> {
    let specs = parameter_specs(&config);
    let mut kept = Vec::new();
    for spec in specs.iter().filter(|spec| channel_axis(spec).is_none()) {
        kept.push(tensors.parameter(&spec.name, &spec.shape)?);
    }
    let matrices: Vec<_> = specs.iter().filter_map(|spec| StoredMatrix::of(spec, format)).collect();
    let mut scales = Vec::new();
    for StoredMatrix { layout: Layout { scale, .. }, .. } in &matrices {
        scales.push(tensors.take::<f32>(&scale.name, &scale.shape)?);
    }
    let mut quantized = Vec::new();
    for (StoredMatrix { axis, sizes, layout: Layout { code, .. } }, scales) in
        matrices.into_iter().zip(scales)
    {
        let codes = match format {
            WeightFormat::Int8 => Codes::Int8(tensors.take(&code.name, &code.shape)?),
            WeightFormat::Int4 => Codes::Int4(tensors.take(&code.name, &code.shape)?),
        };
        let matrix = QuantizedMatrix::from_stored(axis, sizes, scales, codes)
            .map_err(|problem| ArchiveError::Table { tensor: code.name, problem })?;
        quantized.push(matrix);
    }
    let (mut kept, mut quantized) = (kept.into_iter(), quantized.into_iter());
    let parameters = specs.iter().map(|spec| match channel_axis(spec) {
        Some(_) => quantized.next().map(Stored::Quantized),
        None => kept.next().map(Stored::Kept),
    });
    let parameters = parameters.collect::<Option<_>>().expect("one was read for each parameter");
    Ok(QuantizedDecoder::from_stored(config, format, parameters))
}

/// A matrix that a file must hold.
struct StoredMatrix {
    axis: ChannelAxis,
    /// `[channels, inputs]`
    sizes: [usize; 2],
    layout: Layout,
}

impl StoredMatrix {
    fn of(spec: &ParameterSpec, format: WeightFormat) -> Option<Self> {
        let axis = channel_axis(spec)?;
        let sizes = axis.sizes([spec.shape[0], spec.shape[1]]);
        Some(Self { axis, sizes, layout: Layout::new(&spec.name, format, sizes) })
    }
}

/// Names and shapes of the two tensors of a matrix.
struct Layout {
    scale: Entry,
    code: Entry,
}

struct Entry {
    name: String,
    shape: Vec<usize>,
}

impl Layout {
    fn new(parameter: &str, format: WeightFormat, [channels, inputs]: [usize; 2]) -> Self {
        let entry = |suffix, columns| Entry {
            name: format!("{parameter}.{suffix}"),
            shape: vec![channels, columns],
        };
        Self {
            scale: entry("scale", format.blocks(inputs)),
            code: entry(format.name(), format.code_bytes(inputs)),
        }
    }
}
