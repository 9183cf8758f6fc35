//! Dropout through the public API: when it acts, how much it drops, and what a mask depends on.
//!
//! Masks are read off a model that is made for it. Its output head is zero, so that every
//! probability is 1 / vocab_size and the gradient of head row v is the sum over all tokens of
//! hidden / vocab_size, less the hidden state of the token whose target is v. If no two tokens have
//! the same target, the row of an id that is nobody's target minus row v is therefore the hidden
//! state of one token; and everything but one site of dropout is silent in it.

use std::collections::BTreeMap;

use llm_autograd::AutogradContext;
use llm_corpus::{
    BatchBinding, EncodedDocument, NumberedDocument, PackedBatch, Partition, VariableBatch,
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

fn probability(p: f64) -> DropoutProbability {
    DropoutProbability::new(p).unwrap()
}

/// Documents of four inputs in which no two tokens have the same target.
fn documents(count: usize) -> Vec<EncodedDocument> {
    let document = |first: u32| {
        let ids = vec![0, first, first + 1, first + 2, first + 3];
        EncodedDocument::from_ids("x", Partition::Train, ids).unwrap()
    };
    (0..count as u32).map(|i| document(1 + 4 * i)).collect()
}

/// Documents numbered 1, 2, ...
fn numbered(documents: &[EncodedDocument]) -> Vec<NumberedDocument<'_>> {
    llm_corpus::number(1, documents)
}

fn padded(documents: &[NumberedDocument<'_>]) -> VariableBatch {
    VariableBatch::training(&binding(), documents).unwrap()
}

/// An ordinary model.
fn model() -> DecoderModel<f64> {
    let config = DecoderConfig { n_layers: N_LAYERS, ..DecoderConfig::reference(VOCAB_SIZE, 8) };
    DecoderModel::initialize(config.validate().unwrap(), 3)
}

fn losses(
    model: &DecoderModel<f64>,
    context: &AutogradContext<f64>,
    p: f64,
    mode: DropoutMode<'_>,
) -> Vec<u64> {
    let documents = documents(3);
    let batch = padded(&numbered(&documents));
    let loss = model.loss_with_dropout(context, &batch, &binding(), probability(p), mode).unwrap();
    loss.token_nll().iter().map(|nll| nll.to_bits()).collect()
}

fn plain_losses(model: &DecoderModel<f64>) -> Vec<u64> {
    let documents = documents(3);
    let batch = padded(&numbered(&documents));
    let context = AutogradContext::no_grad();
    let loss = model.loss_padded_with_context(&context, &batch, &binding()).unwrap();
    loss.token_nll().iter().map(|nll| nll.to_bits()).collect()
}

#[test]
fn evaluation_drops_nothing_and_leaves_the_stream_alone() {
    let (model, mut stream) = (model(), DropoutStream::new(7));
    let context = AutogradContext::no_grad();
    let dropped = losses(&model, &context, 0.5, DropoutMode::Train(&mut stream));
    let drawn = stream.drawn();
    for context in [AutogradContext::no_grad(), AutogradContext::recording()] {
        assert_eq!(losses(&model, &context, 0.5, DropoutMode::Eval), plain_losses(&model));
    }
    assert_eq!(stream.drawn(), drawn);
    // Nor did evaluation or the first draw change what the stream gives.
    assert_eq!(losses(&model, &context, 0.5, DropoutMode::Train(&mut stream)), dropped);
    assert_eq!(stream.drawn(), 2 * drawn);
}

#[test]
fn training_mode_drops_whether_or_not_a_tape_is_recorded() {
    let (model, mut stream) = (model(), DropoutStream::new(7));
    let no_grad = AutogradContext::no_grad();
    let dropped = losses(&model, &no_grad, 0.5, DropoutMode::Train(&mut stream));
    assert_ne!(dropped, plain_losses(&model));
    // 3 documents of 4 inputs, 8 features, 5 sites.
    assert_eq!(stream.drawn(), 3 * 4 * 8 * 5);
    let recording = AutogradContext::recording();
    assert_eq!(losses(&model, &recording, 0.5, DropoutMode::Train(&mut stream)), dropped);
}

#[test]
fn a_probability_of_zero_draws_nothing() {
    let (model, mut stream) = (model(), DropoutStream::new(7));
    let context = AutogradContext::no_grad();
    for zero in [0.0, -0.0] {
        let losses = losses(&model, &context, zero, DropoutMode::Train(&mut stream));
        assert_eq!(losses, plain_losses(&model));
    }
    assert_eq!(stream.drawn(), 0);
}

#[test]
fn probabilities_outside_zero_to_one_are_refused() {
    for p in [1.0, 1.5, -0.1, -f64::MIN_POSITIVE, f64::INFINITY, -f64::INFINITY, f64::NAN] {
        let message = DropoutProbability::new(p).unwrap_err().to_string();
        assert!(message.contains(&format!("dropout probability {p}, expected")), "{message}");
    }
    for p in [0.0, f64::MIN_POSITIVE, 0.5, 1.0_f64.next_down()] {
        assert_eq!(probability(p).get(), p);
    }
}

/// A model whose hidden states show the masks of one site.
///
/// Every norm is the identity: its epsilon 2^100 swallows the mean square, and its gain is 2^50. All
/// weights are zero but those that feed the site: ones in the embedding for site 0, a value bias of
/// one behind attention, and ones in the feed-forward layer, which are fed by the first half of the
/// embedding's features and write to the second half.
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
    let mut model = DecoderModel::initialize(config.validate().unwrap(), 0);
    let block = |part: &str| format!("blocks.{}.{part}", (site.max(1) - 1) / 2);
    let ones: Vec<String> = match site {
        0 => vec!["token_embedding.weight".into()],
        1 | 3 => ["attention.value.bias", "attention.output.weight"].map(block).into(),
        _ => {
            let parts = ["ffn.gate.weight", "ffn.up.weight", "ffn.down.weight"];
            [vec!["token_embedding.weight".into()], parts.map(block).into()].concat()
        }
    };
    for parameter in model.parameters_mut() {
        let (name, feeds_forward) = (parameter.name().to_owned(), site > 0 && site % 2 == 0);
        let value = match () {
            () if name.ends_with("gain") => 2f64.powi(50),
            // Both features of the one head are 1, and their sum is to be 1.
            () if ones.contains(&name) && name.ends_with("attention.output.weight") => 0.5,
            () if ones.contains(&name) => 1.0,
            () => 0.0,
        };
        parameter.value_mut().fill(value);
        if feeds_forward && name == "token_embedding.weight" {
            let rows = parameter.value_mut().chunks_exact_mut(d_model);
            rows.for_each(|row| row[d_model / 2..].fill(0.0));
        }
        if feeds_forward && name.ends_with("ffn.down.weight") {
            parameter.value_mut()[..d_model / 2].fill(0.0);
        }
    }
    model
}

/// A token, as (ordinal of its document, position).
type Token = (u64, usize);

/// The hidden state of every token of a batch, read off the gradient of the output head.
fn hidden_states(
    model: &DecoderModel<f64>,
    batch: &VariableBatch,
    p: f64,
    stream: &mut DropoutStream,
) -> BTreeMap<Token, Vec<f64>> {
    let (mut model, context) = (model.clone(), AutogradContext::recording());
    let mode = DropoutMode::Train(stream);
    let loss = model.loss_with_dropout(&context, batch, &binding(), probability(p), mode).unwrap();
    model.backward(&context, loss.sum().unwrap()).unwrap();
    let head = model.parameters().last().unwrap().gradient().unwrap();
    let d_model = model.config().d_model;
    let row = |id: usize| &head[id * d_model..(id + 1) * d_model];
    let ragged = batch.ragged();
    let segments = ragged.segments.iter();
    let tokens = segments.flat_map(|s| (0..s.len).map(|i| ((s.ordinal, i), s.start + i)));
    tokens
        .map(|(token, index)| {
            let target = row(ragged.targets[index] as usize);
            (token, row(UNUSED).iter().zip(target).map(|(all, others)| all - others).collect())
        })
        .collect()
}

/// Which of the second half of a token's features are dropped. The others must have been scaled by
/// 1 / (1 - p).
fn mask(hidden: &[f64], site: u64, p: f64) -> Vec<bool> {
    let (first, second) = hidden.split_at(hidden.len() / 2);
    let undropped = match site {
        // silu(z) z for the sum z of the inputs, so large that silu(z) = z.
        2 | 4 => first.iter().sum::<f64>().powi(2),
        _ => 1.0,
    };
    let kept = undropped / (1.0 - p);
    second
        .iter()
        .map(|&x| {
            let dropped = x.abs() < 1e-9 * kept;
            assert!(
                dropped || (x / kept - 1.0).abs() < 1e-9,
                "site {site}, p {p}: {x}, not {kept}"
            );
            dropped
        })
        .collect()
}

/// The masks of every token of documents 1, 2, ... at one site.
fn masks(
    d_model: usize,
    site: u64,
    batch: &VariableBatch,
    p: f64,
    seed: u64,
    update: u64,
) -> BTreeMap<Token, Vec<bool>> {
    let mut stream = DropoutStream::new(seed);
    stream.set_update(update);
    let hidden = hidden_states(&probe(d_model, site), batch, p, &mut stream);
    hidden.into_iter().map(|(token, hidden)| (token, mask(&hidden, site, p))).collect()
}

#[test]
fn the_share_of_dropped_features_is_the_probability_and_the_others_are_scaled() {
    let documents = documents(15);
    let batch = padded(&numbered(&documents));
    for p in [0.1, 0.3, 0.5, 0.9] {
        for site in 0..SITES {
            let masks = masks(1024, site, &batch, p, 11, 0);
            let features: Vec<bool> = masks.into_values().flatten().collect();
            let count = features.len() as f64;
            assert_eq!(count, 15.0 * 4.0 * 512.0);
            let share = features.into_iter().filter(|&dropped| dropped).count() as f64 / count;
            let standard_error = (p * (1.0 - p) / count).sqrt();
            let distance = (share - p).abs() / standard_error;
            assert!(distance < 4.0, "site {site}: {share} dropped, {distance:.1} from {p}");
        }
    }
}

#[test]
fn every_seed_update_document_position_and_site_has_a_mask_of_its_own() {
    let documents = documents(2);
    let batch = padded(&numbered(&documents));
    let mut all = Vec::new();
    // Numbers that a mask might mistake for each other: all of them are 1 or 2.
    for (seed, update) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        for site in 0..SITES {
            for ((ordinal, position), mask) in masks(128, site, &batch, 0.5, seed, update) {
                if (1..=2).contains(&position) {
                    all.push(([seed, update, ordinal, position as u64, site], mask));
                }
            }
        }
    }
    assert_eq!(all.len(), 2 * 2 * 2 * 2 * 5);
    // Two independent masks of 64 features differ in 32 +- 4 of them.
    for (i, (name, mask)) in all.iter().enumerate() {
        let dropped = mask.iter().filter(|&&dropped| dropped).count();
        assert!((8..=56).contains(&dropped), "{name:?} drops {dropped} of 64 features");
        for (other_name, other) in &all[..i] {
            let different = mask.iter().zip(other).filter(|(a, b)| a != b).count();
            assert!((8..=56).contains(&different), "{name:?} and {other_name:?}: {different}");
        }
    }
}

#[test]
fn masks_do_not_depend_on_the_layout() {
    let documents = documents(3);
    let numbered = numbered(&documents);
    let reversed: Vec<_> = numbered.iter().rev().copied().collect();
    let packed = PackedBatch::first_fit(Partition::Train, &binding(), &reversed).unwrap();
    assert_eq!(packed.rows(), 2); // 4 + 4 and 4 inputs in rows of 8
    for site in 0..SITES {
        let masks = |batch: &VariableBatch| masks(128, site, batch, 0.5, 1, 1);
        let expected = masks(&padded(&numbered));
        assert_eq!(expected.len(), 3 * 4);
        assert_eq!(masks(&padded(&reversed)), expected);
        assert_eq!(masks(packed.storage()), expected);
        let alone = numbered.iter().flat_map(|&one| masks(&padded(&[one])));
        assert_eq!(alone.collect::<BTreeMap<_, _>>(), expected);
    }
}
