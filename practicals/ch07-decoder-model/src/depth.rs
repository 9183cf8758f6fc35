//! Fresh models of several depths, and the stream behind each of their blocks.

use std::num::NonZeroUsize;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::corpus::{
    BatchBinding, EncodedDocument, Partition, VariableBatch, number,
};
use llm_from_scratch_practical::metrics::SplitMix64;
use llm_from_scratch_practical::model::{DecoderConfig, DecoderModel};
use serde::Serialize;

const VOCAB_SIZE: usize = 256;
const CONTEXT_LEN: usize = 32;
const DOCUMENTS: usize = 4;

/// One model, layer by layer: the first entry of a list is behind the embedding, entry l behind
/// block l.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DepthRow {
    /// Blocks.
    pub n_layers: usize,
    /// Whether what blocks add to the stream starts smaller by 1 / sqrt(n_layers).
    pub depth_factor: bool,
    /// Root mean square of the stream.
    #[serde(serialize_with = "six_decimals")]
    pub activation_rms: Vec<f64>,
    /// A thousand times the root mean square of the gradient of the mean loss with respect to it.
    #[serde(serialize_with = "six_decimals")]
    pub thousand_gradient_rms: Vec<f64>,
}

/// Measures fresh models of each depth, with the depth factor and without it.
///
/// # Errors
/// None for depths from 1 on.
pub fn depth_rows(seed: u64, depths: &[u8]) -> anyhow::Result<Vec<DepthRow>> {
    let batch = random_documents(seed)?;
    let mut rows = Vec::new();
    for &depth in depths {
        let config = DecoderConfig {
            d_model: 32,
            n_layers: depth.into(),
            n_heads: 4,
            n_kv_heads: 4,
            head_dim: 8,
            d_ff: 64,
            ..DecoderConfig::reference(VOCAB_SIZE, CONTEXT_LEN)
        };
        let config = config.validate()?;
        let models = [
            (true, DecoderModel::<f64>::initialize(config, seed)),
            (false, DecoderModel::initialize_without_depth_factor(config, seed)),
        ];
        for (depth_factor, model) in models {
            let layers = model.layer_statistics(&batch, batch.binding())?;
            rows.push(DepthRow {
                n_layers: config.n_layers,
                depth_factor,
                activation_rms: layers.iter().map(|layer| layer.activation_rms).collect(),
                thousand_gradient_rms: layers.iter().map(|l| 1000.0 * l.gradient_rms).collect(),
            });
        }
    }
    Ok(rows)
}

/// Four documents of 32 random inputs each.
fn random_documents(seed: u64) -> anyhow::Result<VariableBatch> {
    let binding = BatchBinding {
        tokenizer_sha256: "random ids".into(),
        vocab_size: VOCAB_SIZE,
        capacity: CONTEXT_LEN,
    };
    let mut stream = SplitMix64::new(seed);
    let vocab_size = NonZeroUsize::new(VOCAB_SIZE).expect("256 is not 0");
    let document = |_| {
        let ids = (0..=CONTEXT_LEN).map(|_| stream.below(vocab_size) as u32).collect();
        EncodedDocument::from_ids("random", Partition::Train, ids)
    };
    let documents = (0..DOCUMENTS).map(document).collect::<Result<Vec<_>, _>>()?;
    Ok(VariableBatch::training(&binding, &number(0, &documents))?)
}
