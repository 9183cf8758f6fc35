//! Random decoders and documents, small and irregular, for the tests of scores and of training.

use std::fmt;

use llm_autograd::Element;
use llm_corpus::{
    BatchBinding, EncodedDocument, NumberedDocument, PackedBatch, Partition, VariableBatch,
};
use llm_model::{DecoderConfig, DecoderModel, SplitMix64};
use proptest::prelude::*;
use serde::Deserialize;

/// `count` cases, or as many as `PROPTEST_CASES` says; nothing is written to disk on a failure.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(count),
        failure_persistence: None,
        max_shrink_iters: 2000,
        max_shrink_time: 20_000, // ms
        ..ProptestConfig::default()
    }
}

/// A decoder whose every parameter is random, gains and biases too.
#[derive(Clone, Debug)]
pub(crate) struct RandomModel {
    pub(crate) config: DecoderConfig,
    pub(crate) seed: u64,
    /// Factor of the fresh matrices: large ones make sharp distributions.
    pub(crate) sharpness: f64,
}

impl RandomModel {
    pub(crate) fn build<E: Element>(&self) -> DecoderModel<E> {
        let mut model = DecoderModel::<E>::initialize(self.config.validate().unwrap(), self.seed);
        let mut stream = SplitMix64::new(!self.seed);
        for parameter in model.parameters_mut() {
            let is_matrix = parameter.value().shape().len() == 2;
            for x in parameter.value_mut() {
                *x = E::from_f64(match is_matrix {
                    true => x.to_f64() * self.sharpness,
                    false => x.to_f64() + stream.unit() - 0.5,
                });
            }
        }
        model
    }

    pub(crate) fn binding(&self, capacity: usize) -> BatchBinding {
        let vocab_size = self.config.vocab_size;
        BatchBinding { tokenizer_sha256: "none".into(), vocab_size, capacity }
    }
}

prop_compose! {
    /// Most widths are no multiple of a vector, and some are smaller than one.
    pub(crate) fn models()(
        vocab_size in 3_usize..=40,
        d_model in 1_usize..=21,
        n_layers in 1_usize..=3,
        n_kv_heads in 1_usize..=3,
        group in 1_usize..=3,
        half_head_dim in 1_usize..=5,
        d_ff in 1_usize..=19,
        tied_head in any::<bool>(),
        attention_bias in any::<bool>(),
        seed in 0_u64..1000,
        sharpness in prop_oneof![Just(1.0), Just(4.0), Just(30.0)],
    ) -> RandomModel {
        let config = DecoderConfig {
            d_model, n_layers, n_kv_heads, d_ff, tied_head, attention_bias,
            n_heads: n_kv_heads * group,
            head_dim: 2 * half_head_dim,
            ..DecoderConfig::reference(vocab_size, 20)
        };
        RandomModel { config, seed, sharpness }
    }
}

/// A document of 1 to 20 inputs.
#[derive(Clone)]
pub(crate) struct RandomDocument {
    pub(crate) ids: Vec<u32>,
    /// Which targets are scored; all of them if none is marked.
    pub(crate) scored: Vec<bool>,
}

impl fmt::Debug for RandomDocument {
    /// One line, even in the report of a failed property.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ids {:?}", self.ids)?;
        match self.scored.contains(&true) {
            true => write!(f, ", scored {:?}", self.scored),
            false => Ok(()),
        }
    }
}

impl RandomDocument {
    /// Takes the ids modulo a vocabulary.
    pub(crate) fn fit(&mut self, vocab_size: usize) {
        self.ids.iter_mut().for_each(|id| *id %= vocab_size as u32);
    }

    pub(crate) fn encoded(&self, partition: Partition) -> EncodedDocument {
        let document = EncodedDocument::from_ids("random", partition, self.ids.clone()).unwrap();
        match self.scored.contains(&true) {
            true => document.with_scored(self.scored.clone()).unwrap(),
            false => document,
        }
    }
}

/// Ids repeat, and id 0 is as common inside as it is at the beginning of real documents.
pub(crate) fn documents() -> impl Strategy<Value = RandomDocument> {
    let id = || prop_oneof![1 => Just(0), 2 => 0..40_u32, 1 => 0..3_u32];
    let all = prop::collection::vec(id(), 2..=21)
        .prop_map(|ids| RandomDocument { ids, scored: Vec::new() });
    let some = prop::collection::vec((id(), any::<bool>()), 2..=21).prop_map(|tokens| {
        let (ids, mut scored): (Vec<_>, Vec<_>) = tokens.into_iter().unzip();
        scored.pop();
        RandomDocument { ids, scored }
    });
    prop_oneof![all, some]
}

/// A shape that random ones seldom have, kept in `hard_cases.json`: every kind of rest, and more
/// than one block of everything that is cut into blocks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HardCase {
    /// What is hard about it.
    pub(crate) why: String,
    config: DecoderConfig,
    /// Inputs of each document.
    inputs: Vec<usize>,
    pub(crate) threads: usize,
    sharpness: f64,
}

impl HardCase {
    /// All that are kept.
    pub(crate) fn all() -> Vec<Self> {
        serde_json::from_str(include_str!("hard_cases.json")).unwrap()
    }

    pub(crate) fn model(&self) -> RandomModel {
        RandomModel { config: self.config, seed: 1, sharpness: self.sharpness }
    }

    pub(crate) fn documents(&self) -> impl Iterator<Item = RandomDocument> {
        let document = |(number, &inputs): (usize, &usize)| {
            let ids = (0..=inputs).map(|t| ((t * t + number) % self.config.vocab_size) as u32);
            RandomDocument { ids: ids.collect(), scored: Vec::new() }
        };
        self.inputs.iter().enumerate().map(document)
    }
}

/// Documents in storage: packed by first fit or one per row, in the order given.
pub(crate) fn store(
    binding: &BatchBinding,
    documents: &[NumberedDocument<'_>],
    packed: bool,
) -> VariableBatch {
    let partition = documents[0].document.partition();
    let batch = match packed {
        true => {
            PackedBatch::first_fit(partition, binding, documents).map(PackedBatch::into_storage)
        }
        false => VariableBatch::padded(partition, binding, documents),
    };
    batch.unwrap()
}

/// Runs `work` on a pool of so many threads.
pub(crate) fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}
