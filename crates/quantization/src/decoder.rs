//! A decoder whose matrices are codes and scales.

use llm_autograd::{Element, Tensor};
use llm_evaluation::{LanguageModel, RowRequest, RowVisitor, ScoreError};
use llm_model::{DecoderModel, Parameter, ParameterSpec, ValidConfig, parameter_specs};

use crate::{ChannelAxis, QuantizationError, QuantizedMatrix, WeightFormat};

/// Where the output channels of a parameter are; `None` for gains and biases, which stay as they are:
/// they are few, and each multiplies or moves a whole feature.
///
/// The embedding has a channel for each token, which is what the output head needs of it, and what a
/// lookup needs, too: one row, one scale.
pub fn channel_axis(spec: &ParameterSpec) -> Option<ChannelAxis> {
    match (spec.name.as_str(), spec.shape.len()) {
        ("token_embedding.weight" | "output_head.weight", _) => Some(ChannelAxis::Rows),
        (_, 2) => Some(ChannelAxis::Columns),
        _ => None,
    }
}

/// One parameter in its stored form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stored<E> {
    /// A matrix.
    Quantized(QuantizedMatrix),
    /// A gain or a bias.
    Kept(Tensor<E>),
}

/// A decoder with the matrices in one [`WeightFormat`], gains and biases in `E`.
///
/// It holds the small form only. To compute, it is decoded: a [`LanguageModel`] call decodes once for
/// all its requests, and [`decode`](Self::decode) gives a [`DecoderModel`] for everything that takes
/// one.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedDecoder<E> {
    config: ValidConfig,
    format: WeightFormat,
    parameters: Vec<Stored<E>>,
}

impl<E: Element> QuantizedDecoder<E> {
    /// Rounds every matrix of a model, which is left as it is.
    ///
    /// # Errors
    /// [`QuantizationError::Parameter`] for the first weight without a code,
    /// [`QuantizationError::NonFinite`] for a gain or bias that is not finite.
    ///
    /// # Example
    /// ```
    /// use llm_model::{DecoderConfig, DecoderModel};
    /// use llm_quantization::{QuantizedDecoder, WeightFormat};
    /// let config = DecoderConfig::reference(266, 8).validate()?;
    /// let model = DecoderModel::<f32>::initialize(config, 39);
    /// let small = QuantizedDecoder::quantize(&model, WeightFormat::Int8)?;
    /// // Instead of 4 bytes for each of 2792 parameters: 2768 codes, 338 scales, 24 gains.
    /// assert_eq!(small.byte_len(), 2768 + 4 * 338 + 4 * 24);
    /// assert_eq!(small.decode().config(), model.config());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn quantize(
        model: &DecoderModel<E>,
        format: WeightFormat,
    ) -> Result<Self, QuantizationError> {
        let specs = parameter_specs(model.config());
        let parameters = specs.iter().zip(model.parameters()).map(|(spec, parameter)| {
            match channel_axis(spec) {
                Some(axis) => QuantizedMatrix::quantize(format, parameter.value(), axis)
                    .map(Stored::Quantized)
                    .map_err(|source| QuantizationError::Parameter {
                        name: spec.name.clone(),
                        source,
                    }),
                None => kept(parameter).map(Stored::Kept),
            }
        });
        let parameters = parameters.collect::<Result<_, _>>()?;
        Ok(Self { config: *model.config(), format, parameters })
    }

    /// Parameters as a file has them, in the order of [`parameter_specs`].
    pub(crate) fn from_stored(
        config: ValidConfig,
        format: WeightFormat,
        parameters: Vec<Stored<E>>,
    ) -> Self {
        Self { config, format, parameters }
    }

    /// The sizes.
    pub fn config(&self) -> &ValidConfig {
        &self.config
    }

    /// The form of the matrices.
    pub fn format(&self) -> WeightFormat {
        self.format
    }

    /// Each parameter's name, and its matrix if it was quantized, in the order of
    /// [`parameter_specs`].
    pub fn matrices(&self) -> impl Iterator<Item = (String, Option<&QuantizedMatrix>)> {
        let specs = parameter_specs(&self.config).into_iter();
        specs.zip(&self.parameters).map(|(spec, stored)| match stored {
            Stored::Quantized(matrix) => (spec.name, Some(matrix)),
            Stored::Kept(_) => (spec.name, None),
        })
    }

    pub(crate) fn parameters(&self) -> &[Stored<E>] {
        &self.parameters
    }

    /// The decoder of the values that the codes stand for. No bit depends on anything but codes and
    /// scales.
    pub fn decode(&self) -> DecoderModel<E> {
        let values = self.parameters.iter().map(|stored| match stored {
            Stored::Quantized(matrix) => matrix.decode(),
            Stored::Kept(value) => value.clone(),
        });
        DecoderModel::from_parameters(self.config, values.collect())
            .expect("shapes are those of the configuration")
    }

    /// Bytes of all codes, scales, gains and biases. A file has a header besides.
    pub fn byte_len(&self) -> u64 {
        self.parameters.iter().map(Stored::byte_len).sum()
    }
}

impl<E: Element> Stored<E> {
    pub(crate) fn byte_len(&self) -> u64 {
        match self {
            Self::Quantized(matrix) => matrix.byte_len(),
            Self::Kept(value) => size_of_val(value.data()) as u64,
        }
    }
}

/// The value of a parameter that is not rounded.
fn kept<E: Element>(parameter: &Parameter<E>) -> Result<Tensor<E>, QuantizationError> {
    let value = parameter.value();
    match value.data().iter().position(|x| !x.is_finite()) {
        None => Ok(value.clone()),
        Some(element) => {
            let (name, value) = (parameter.name().to_owned(), value.data()[element].to_f64());
            Err(QuantizationError::NonFinite { name, element, value })
        }
    }
}

impl<E: Element> LanguageModel for QuantizedDecoder<E> {
    fn vocab_size(&self) -> usize {
        self.config.vocab_size
    }

    fn max_context(&self) -> Option<usize> {
        Some(self.config.context_len)
    }

    /// The format, then the identity of the decoded model, on which all predictions depend.
    fn identity(&self) -> String {
        format!("{} as {}", self.format, self.decode().identity())
    }

    fn visit_rows(
        &self,
        requests: &[RowRequest<'_>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError> {
        self.decode().visit_rows(requests, visit)
    }
}
