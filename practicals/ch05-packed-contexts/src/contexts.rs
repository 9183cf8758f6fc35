//! Which inputs a prediction depends on, measured with a decoder.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::AutogradContext;
use llm_from_scratch_practical::corpus::{
    EncodedDocument, Layout, Partition, VariableBatch, batches,
};
use llm_from_scratch_practical::model::{DecoderConfig, DecoderModel};
use llm_from_scratch_practical::tokenizer::{TokenId, Tokenizer, chapter_four_tokenizer};
use serde::Serialize;

use crate::layouts::{binding, pack};

/// Which predictions change if one input is changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Influence {
    /// One picture for each row. Line q has a `#` in column k if changing the input in cell k changed
    /// what the model predicts in cell q.
    pub pictures: Vec<Vec<String>>,
    /// Whether that is so exactly for inputs of the same document that do not come later.
    pub own_past_only: bool,
}

/// A target of the second document, read in two ways.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Joined {
    /// The target, spelled.
    pub target: String,
    /// Its loss in a document of its own, nats.
    #[serde(serialize_with = "six_decimals")]
    pub own_document: f64,
    /// Its loss if the first document stands before it as context, nats.
    #[serde(serialize_with = "six_decimals")]
    pub joined: f64,
}

/// The chapter-16 decoder before any training, for documents up to this length.
pub(crate) fn decoder(context_len: usize, seed: u64) -> anyhow::Result<DecoderModel<f64>> {
    let vocab_size = chapter_four_tokenizer().vocab_size();
    let config = DecoderConfig::reference(vocab_size, context_len.max(1)).validate()?;
    Ok(DecoderModel::initialize(config, seed))
}

/// The losses of all targets of documents in a layout, nats, in the order of the documents.
pub(crate) fn losses(
    model: &DecoderModel<f64>,
    documents: &[EncodedDocument],
    capacity: usize,
    layout: Layout,
) -> anyhow::Result<Vec<f64>> {
    let binding = binding(capacity);
    let mut losses = Vec::new();
    for batch in batches(Partition::Validation, &binding, documents, layout)? {
        let context = AutogradContext::no_grad();
        losses.extend(model.loss_padded_with_context(&context, &batch, &binding)?.token_nll());
    }
    Ok(losses)
}

/// Changes every input of every document in turn, and looks which rows of logits differ in any bit.
pub(crate) fn influence(
    model: &DecoderModel<f64>,
    documents: &[EncodedDocument],
    capacity: usize,
) -> anyhow::Result<Influence> {
    let batch = pack(documents, capacity)?;
    let before = predictions(model, &batch)?;
    let tokens = before.len();
    let mut changes = vec![vec![false; tokens]; tokens]; // [changed input][prediction]
    for (ordinal, segment) in batch.ragged().segments.iter().enumerate() {
        for position in 0..segment.len {
            let mut changed = documents.to_vec();
            changed[ordinal] = with_another_id(&documents[ordinal], position)?;
            let after = predictions(model, &pack(&changed, capacity)?)?;
            for (prediction, (before, after)) in before.iter().zip(&after).enumerate() {
                changes[segment.start + position][prediction] = before != after;
            }
        }
    }
    Ok(Influence {
        pictures: pictures(&batch, &changes),
        own_past_only: is_own_past(&batch, &changes),
    })
}

/// The bits of the logits of each token, in (document, position) order.
fn predictions(model: &DecoderModel<f64>, batch: &VariableBatch) -> anyhow::Result<Vec<Vec<u64>>> {
    let logits = model.logits(&AutogradContext::no_grad(), batch.ragged())?;
    let rows = logits.data().chunks(model.config().vocab_size);
    Ok(rows.map(|row| row.iter().map(|logit| logit.to_bits()).collect()).collect())
}

/// The document with another id at a position: `z`, or `y` where a `z` stands.
fn with_another_id(document: &EncodedDocument, position: usize) -> anyhow::Result<EncodedDocument> {
    let [y, z] = [b'y', b'z'].map(|letter| TokenId::from(letter) + 2);
    let mut ids = document.ids().to_vec();
    ids[position] = if ids[position] == z { y } else { z };
    Ok(EncodedDocument::from_ids(document.id(), document.partition(), ids)?)
}

/// The changes, row by row of the batch.
fn pictures(batch: &VariableBatch, changes: &[Vec<bool>]) -> Vec<Vec<String>> {
    let cells = &batch.ragged().cells;
    let row = |(row, &len): (usize, &usize)| {
        let token_in =
            |column: usize| cells.iter().position(|&cell| cell == row * batch.width() + column);
        let mark = |key, query| match (token_in(key), token_in(query)) {
            (Some(key), Some(query)) if changes[key][query] => '#',
            _ => '.',
        };
        (0..len).map(|query| (0..len).map(|key| mark(key, query)).collect()).collect()
    };
    batch.lengths().iter().enumerate().map(row).collect()
}

/// Whether a prediction changed exactly if the input is of its document and not behind it.
fn is_own_past(batch: &VariableBatch, changes: &[Vec<bool>]) -> bool {
    let segments = &batch.ragged().segments;
    let owner = |token: usize| segments.iter().position(|s| token < s.start + s.len);
    let own_past = |key: usize, query: usize| owner(key) == owner(query) && key <= query;
    changes.iter().enumerate().all(|(key, row)| {
        row.iter().enumerate().all(|(query, &changed)| changed == own_past(key, query))
    })
}

/// What packing must not do: the first two documents as one, and the losses of the second.
pub(crate) fn joined(
    model: &DecoderModel<f64>,
    documents: &[EncodedDocument],
    tokenizer: &Tokenizer,
) -> anyhow::Result<Vec<Joined>> {
    let [first, second, ..] = documents else { return Ok(Vec::new()) };
    let both = [first.ids(), second.ids()].concat();
    let both = EncodedDocument::from_ids("both", first.partition(), both)?;
    let capacity = model.config().context_len;
    let joined = losses(model, &[both], capacity, Layout::SEPARATE)?;
    let own = losses(model, std::slice::from_ref(second), capacity, Layout::SEPARATE)?;
    // The joined list has one target more in the middle: the start of the second document.
    let joined = &joined[joined.len() - own.len()..];
    let targets = second.ids()[1..].iter().map(|&id| tokenizer.spelling(id));
    let rows = targets.zip(own.iter().zip(joined));
    Ok(rows
        .map(|(target, (&own_document, &joined))| Joined { target, own_document, joined })
        .collect())
}
