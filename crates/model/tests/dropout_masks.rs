//! What dropout does: how many features it drops, and what a mask depends on.
//!
//! The masks are read through the public API off a model that is made for it. Its output head is
//! zero, so every probability is 1 / vocab_size, and the gradient of head row v is the sum over all
//! tokens of hidden / vocab_size, less the hidden state of the token whose target is v. As no two
//! tokens have the same target, the row of an id that is nobody's target minus row v is therefore
//! the hidden state of one token. All sites of dropout but one are silent in it.

use std::collections::BTreeMap;

use llm_autograd::AutogradContext;
use llm_corpus::{
    BatchBinding, EncodedDocument, NumberedDocument, PackedBatch, Partition, VariableBatch, number,
};
use llm_model::{DecoderConfig, DecoderModel, DropoutMode, DropoutProbability, DropoutStream};

const VOCAB_SIZE: usize = 64;
/// The id that is nobody's target.
const UNUSED: usize = VOCAB_SIZE - 1;
const N_LAYERS: usize = 2;
/// Behind the embedding, and behind attention and feed-forward layer of each block.
const SITES: u64 = 1 + 2 * N_LAYERS as u64;

fn binding() -> BatchBinding {
    BatchBinding { tokenizer_sha256: "none".into(), vocab_size: VOCAB_SIZE, capacity: 8 }
}

/// Documents of four inputs in which no two tokens have the same target.
fn documents(count: usize) -> Vec<EncodedDocument> {
    let document = |first: u32| {
        let ids = vec![0, first, first + 1, first + 2, first + 3];
        EncodedDocument::from_ids("x", Partition::Train, ids).unwrap()
    };
    (0..count as u32).map(|i| document(1 + 4 * i)).collect()
}

fn padded(documents: &[NumberedDocument<'_>]) -> VariableBatch {
    VariableBatch::training(&binding(), documents).unwrap()
}

/// A model whose hidden states show the masks of one site, in the second half of the features.
///
/// Every norm is the identity: its epsilon 2^100 swallows the mean square, and its gain is 2^50.
/// All weights are zero but those that feed the site: ones in the embedding (site 0), a value bias
/// of one (sites 1 and 3), or a feed-forward layer of ones that reads the first half of the
/// features, where alone the embedding is one, and writes to the second (sites 2 and 4).
fn probe(d_model: usize, site: u64) -> DecoderModel<f64> {
    let config = DecoderConfig {
        d_model,
        n_layers: N_LAYERS,
        n_heads: 1,
        n_kv_heads: 1,
        head_dim: 2,
        d_ff: 1,
        norm_eps: 2f64.powi(100),
        tied_head: false,
        attention_bias: true,
        ..DecoderConfig::reference(VOCAB_SIZE, 8)
    };
    let block = format!("blocks.{}.", site.saturating_sub(1) / 2);
    let value = |name: &str, column: usize| {
        let first_half = f64::from(column < d_model / 2);
        let part = name.strip_prefix(&block).unwrap_or(name);
        match (site, part) {
            (_, name) if name.ends_with("gain") => 2f64.powi(50),
            (0, "token_embedding.weight") => 1.0,
            (1 | 3, "attention.value.bias") => 1.0,
            (1 | 3, "attention.output.weight") => 0.5, // adds two features of one
            (2 | 4, "token_embedding.weight") => first_half,
            (2 | 4, "ffn.gate.weight" | "ffn.up.weight") => 1.0,
            (2 | 4, "ffn.down.weight") => 1.0 - first_half,
            _ => 0.0,
        }
    };
    let mut model = DecoderModel::initialize(config.validate().unwrap(), 0);
    for parameter in model.parameters_mut() {
        let name = parameter.name().to_owned();
        let columns = parameter.value().shape().last().copied().unwrap();
        for (i, x) in parameter.value_mut().iter_mut().enumerate() {
            *x = value(&name, i % columns);
        }
    }
    model
}

/// A token, as (ordinal of its document, position).
type Token = (u64, usize);

/// The hidden state of every token of a batch, read off the gradient of the output head.
fn hidden_states(
    mut model: DecoderModel<f64>,
    batch: &VariableBatch,
    p: f64,
    stream: &mut DropoutStream,
) -> BTreeMap<Token, Vec<f64>> {
    let context = AutogradContext::recording();
    let (p, mode) = (DropoutProbability::new(p).unwrap(), DropoutMode::Train(stream));
    let loss = model.loss_with_dropout(&context, batch, &binding(), p, mode).unwrap();
    model.backward(&context, loss.sum().unwrap()).unwrap();
    let head = model.parameters().last().unwrap().gradient().unwrap();
    let rows: Vec<&[f64]> = head.chunks_exact(model.config().d_model).collect();
    let ragged = batch.ragged();
    let segments = ragged.segments.iter();
    let tokens = segments.flat_map(|s| (0..s.len).map(|i| ((s.ordinal, i), s.start + i)));
    tokens
        .map(|(token, index)| {
            let target = rows[ragged.targets[index] as usize];
            (token, rows[UNUSED].iter().zip(target).map(|(all, others)| all - others).collect())
        })
        .collect()
}

/// Which features of the second half are dropped. The others must be scaled by 1 / (1 - p).
fn mask(site: u64, p: f64, hidden: &[f64]) -> Vec<bool> {
    let (first, second) = hidden.split_at(hidden.len() / 2);
    let whole = match site {
        // The layer computes silu(z) z for the sum z of its inputs, so large that silu(z) = z.
        2 | 4 => first.iter().sum::<f64>().powi(2),
        _ => 1.0,
    };
    let kept = whole / (1.0 - p);
    let is_dropped = |x: f64| {
        let dropped = x.abs() < 1e-9 * kept;
        assert!(dropped || (x / kept - 1.0).abs() < 1e-9, "site {site}, p {p}: {x}, not {kept}");
        dropped
    };
    second.iter().copied().map(is_dropped).collect()
}

/// The masks of all tokens of a batch at one site, for `d_model / 2` features.
fn masks(
    d_model: usize,
    site: u64,
    p: f64,
    [seed, update]: [u64; 2],
    batch: &VariableBatch,
) -> BTreeMap<Token, Vec<bool>> {
    let mut stream = DropoutStream::new(seed);
    stream.set_update(update);
    let hidden = hidden_states(probe(d_model, site), batch, p, &mut stream);
    hidden.into_iter().map(|(token, hidden)| (token, mask(site, p, &hidden))).collect()
}

fn count(mask: impl IntoIterator<Item = bool>) -> usize {
    mask.into_iter().filter(|&dropped| dropped).count()
}

#[test]
fn the_share_of_dropped_features_is_the_probability_and_the_others_are_scaled() {
    let documents = documents(15);
    let batch = padded(&number(1, &documents));
    for p in [0.1, 0.3, 0.5, 0.9] {
        for site in 0..SITES {
            let features: Vec<bool> =
                masks(1024, site, p, [11, 0], &batch).into_values().flatten().collect();
            assert_eq!(features.len(), 15 * 4 * 512);
            let n = features.len() as f64;
            let share = count(features) as f64 / n;
            let distance = (share - p).abs() / (p * (1.0 - p) / n).sqrt();
            assert!(
                distance < 4.0,
                "site {site}: {share} is {distance:.1} standard errors off {p}"
            );
        }
    }
}

#[test]
fn every_seed_update_document_position_and_site_has_a_mask_of_its_own() {
    let documents = documents(2);
    let batch = padded(&number(1, &documents));
    let mut all = Vec::new();
    // Every number is 1 or 2, so that a mask which mixed two of them up would occur twice.
    for [seed, update] in [[1, 1], [1, 2], [2, 1], [2, 2]] {
        for site in 0..SITES {
            for ((ordinal, position), mask) in masks(128, site, 0.5, [seed, update], &batch) {
                if (1..=2).contains(&position) {
                    all.push(([seed, update, ordinal, position as u64, site], mask));
                }
            }
        }
    }
    assert_eq!(all.len(), 2 * 2 * 2 * 2 * 5);
    // 32 +- 4 of 64 features are dropped, and as many differ between two independent masks.
    for (i, (name, mask)) in all.iter().enumerate() {
        let dropped = count(mask.iter().copied());
        assert!((8..=56).contains(&dropped), "{name:?} drops {dropped} of 64 features");
        for (other_name, other) in &all[..i] {
            let different = count(mask.iter().zip(other).map(|(a, b)| a != b));
            assert!((8..=56).contains(&different), "{name:?}, {other_name:?}: {different} differ");
        }
    }
}

#[test]
fn masks_do_not_depend_on_the_layout() {
    let documents = documents(3);
    let numbered = number(1, &documents);
    let reversed: Vec<_> = numbered.iter().rev().copied().collect();
    let packed = PackedBatch::first_fit(Partition::Train, &binding(), &reversed).unwrap();
    assert_eq!(packed.rows(), 2); // 4 + 4 and 4 inputs in rows of 8
    for site in 0..SITES {
        let masks = |batch: &VariableBatch| masks(128, site, 0.5, [1, 1], batch);
        let expected = masks(&padded(&numbered));
        assert_eq!(expected.len(), 3 * 4);
        assert_eq!(masks(&padded(&reversed)), expected);
        assert_eq!(masks(packed.storage()), expected);
        let alone = numbered.iter().flat_map(|&one| masks(&padded(&[one])));
        assert_eq!(alone.collect::<BTreeMap<_, _>>(), expected);
    }
}
