//! Every parameter's name, shape and fresh values, in the one order that files, optimizers and
//! initialization share.

use llm_autograd::{Element, Tensor};

use crate::{SplitMix64, ValidConfig};

/// One parameter of a decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Unique name, for example `blocks.0.attention.query.weight`.
    pub name: String,
    /// `[input, output]` for a matrix (`[vocab_size, d_model]` for the embedding and an untied
    /// head), `[features]` for a gain or a bias.
    pub shape: Vec<usize>,
    fresh: Fresh,
}

/// The values of a parameter before any training.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fresh {
    /// Xavier-uniform (Glorot and Bengio 2010), times the factor: limit sqrt(6 / (in + out)).
    Xavier { factor: f64 },
    /// All equal; draws nothing.
    Constant(f64),
}

/// The parameters of a decoder, in order.
///
/// The matrices that write to the residual stream (`attention.output` and `ffn.down`) start
/// smaller by `1 / sqrt(n_layers)` when there are several blocks, so that the stream's variance does
/// not grow with depth.
///
/// ```
/// use llm_model::{DecoderConfig, parameter_specs};
/// let specs = parameter_specs(&DecoderConfig::reference(266, 8).validate()?);
/// assert_eq!(specs.len(), 11);
/// assert_eq!(specs[0].name, "token_embedding.weight");
/// assert_eq!(specs[0].shape, [266, 8]);
/// # Ok::<(), llm_model::ModelError>(())
/// ```
pub fn parameter_specs(config: &ValidConfig) -> Vec<ParameterSpec> {
    let (d_model, d_ff) = (config.d_model, config.d_ff);
    let (queries, keys) = (config.n_heads * config.head_dim, config.n_kv_heads * config.head_dim);
    let depth_factor = match config.n_layers {
        1 => 1.0,
        layers => 1.0 / (layers as f64).sqrt(),
    };
    let mut specs = Vec::new();
    let mut push = |name: String, shape: &[usize], fresh| {
        specs.push(ParameterSpec { name, shape: shape.to_vec(), fresh });
    };
    let matrix = Fresh::Xavier { factor: 1.0 };
    let residual = Fresh::Xavier { factor: depth_factor };
    let (gain, bias) = (Fresh::Constant(1.0), Fresh::Constant(0.0));

    push("token_embedding.weight".into(), &[config.vocab_size, d_model], matrix);
    for layer in 0..config.n_layers {
        let name = |part: &str| format!("blocks.{layer}.{part}");
        push(name("attention_norm.gain"), &[d_model], gain);
        for (part, columns) in [("query", queries), ("key", keys), ("value", keys)] {
            push(name(&format!("attention.{part}.weight")), &[d_model, columns], matrix);
            if config.attention_bias {
                push(name(&format!("attention.{part}.bias")), &[columns], bias);
            }
        }
        push(name("attention.output.weight"), &[queries, d_model], residual);
        push(name("ffn_norm.gain"), &[d_model], gain);
        push(name("ffn.gate.weight"), &[d_model, d_ff], matrix);
        push(name("ffn.up.weight"), &[d_model, d_ff], matrix);
        push(name("ffn.down.weight"), &[d_ff, d_model], residual);
    }
    push("final_norm.gain".into(), &[d_model], gain);
    if !config.tied_head {
        push("output_head.weight".into(), &[config.vocab_size, d_model], matrix);
    }
    specs
}

impl ParameterSpec {
    /// The same parameter, drawn at full size in a model of any depth.
    pub(crate) fn without_depth_factor(mut self) -> Self {
        if let Fresh::Xavier { factor } = &mut self.fresh {
            *factor = 1.0;
        }
        self
    }

    /// Fresh values: a matrix takes one draw per element in row-major order, nothing else draws.
    pub(crate) fn draw<E: Element>(&self, stream: &mut SplitMix64) -> Tensor<E> {
        let count = self.shape.iter().product();
        let data = match (self.fresh, &self.shape[..]) {
            (Fresh::Xavier { factor }, &[fan_in, fan_out]) => {
                let limit = (6.0 / (fan_in + fan_out) as f64).sqrt();
                let mut value = || limit * (2.0 * stream.unit() - 1.0) * factor;
                (0..count).map(|_| E::from_f64(value())).collect()
            }
            (Fresh::Xavier { .. }, shape) => unreachable!("a matrix of shape {shape:?}"),
            (Fresh::Constant(x), _) => vec![E::from_f64(x); count],
        };
        Tensor::new(&self.shape, data)
    }
}

#[cfg(test)]
mod tests {
    use super::parameter_specs;
    use crate::DecoderConfig;

    #[test]
    fn names_come_in_the_documented_order() {
        let mut config = DecoderConfig::reference(266, 8);
        (config.n_layers, config.attention_bias, config.tied_head) = (2, true, false);
        let specs = parameter_specs(&config.validate().unwrap());
        let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(
            names[..13],
            [
                "token_embedding.weight",
                "blocks.0.attention_norm.gain",
                "blocks.0.attention.query.weight",
                "blocks.0.attention.query.bias",
                "blocks.0.attention.key.weight",
                "blocks.0.attention.key.bias",
                "blocks.0.attention.value.weight",
                "blocks.0.attention.value.bias",
                "blocks.0.attention.output.weight",
                "blocks.0.ffn_norm.gain",
                "blocks.0.ffn.gate.weight",
                "blocks.0.ffn.up.weight",
                "blocks.0.ffn.down.weight",
            ]
        );
        assert_eq!(names[25..], ["final_norm.gain", "output_head.weight"]);
    }
}
