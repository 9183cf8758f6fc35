//! What does not get in: tokenizer files, framed documents and batches that are almost right.

use std::collections::BTreeMap;

use anyhow::ensure;
use llm_from_scratch_practical::corpus::{
    BatchBinding, EncodedDocument, Partition, VariableBatch, number,
};
use llm_from_scratch_practical::tokenizer::{
    MAX_ARTIFACT_BYTES, TokenId, Tokenizer, TokenizerArtifact, chapter_four_tokenizer,
};

/// What is refused, and in which words.
///
/// # Errors
/// If something is accepted that should not be.
pub fn refusals() -> anyhow::Result<BTreeMap<&'static str, String>> {
    let tokenizer = chapter_four_tokenizer();
    let mut refused = BTreeMap::new();
    for (what, json) in damaged_files(&tokenizer)? {
        refused.insert(what, Tokenizer::from_json(&json).err().map(|error| error.to_string()));
    }
    for (what, change) in IMPOSSIBLE_ARTIFACTS {
        let mut artifact = tokenizer.artifact().clone();
        change(&mut artifact);
        let error = Tokenizer::from_artifact(artifact).err();
        refused.insert(what, error.map(|error| error.to_string()));
    }
    for (what, ids) in FRAMES {
        let error = tokenizer.decode_document(ids).err();
        refused.insert(what, error.map(|error| error.to_string()));
    }
    let binding = BatchBinding::new(&tokenizer, 3);
    for (what, partition, ids) in UNFIT_DOCUMENTS {
        let documents = [EncodedDocument::from_ids("d", partition, ids.to_vec())?];
        let error = VariableBatch::training(&binding, &number(0, &documents)).err();
        refused.insert(what, error.map(|error| error.to_string()));
    }
    let documents = [EncodedDocument::from_ids("d", Partition::Train, vec![0, 99, 1])?];
    let batch = VariableBatch::training(&binding, &number(0, &documents))?;
    let error = batch.check(Partition::Train, &BatchBinding::new(&Tokenizer::of_bytes(), 3)).err();
    refused.insert("a batch of another tokenizer", error.map(|error| error.to_string()));
    for (what, message) in &refused {
        ensure!(message.is_some(), "{what}: accepted");
    }
    Ok(refused.into_iter().map(|(what, message)| (what, message.unwrap_or_default())).collect())
}

/// The tokenizer's file, changed.
fn damaged_files(tokenizer: &Tokenizer) -> anyhow::Result<[(&'static str, Vec<u8>); 5]> {
    let json = String::from_utf8(tokenizer.to_json())?;
    let replaced = |from: &str, to: &str| json.replacen(from, to, 1).into_bytes();
    Ok([
        ("file cut off", json.as_bytes()[..100].to_vec()),
        ("file with a space added", replaced("[", "[ ")),
        ("file with an unknown field", replaced("\"merges\"", "\"author\":\"me\",\"merges\"")),
        ("file of another version", replaced("\"format_version\":1", "\"format_version\":2")),
        ("file too long", vec![0; MAX_ARTIFACT_BYTES + 1]),
    ])
}

type Change = fn(&mut TokenizerArtifact);

/// Changes after which the ids make no sense.
const IMPOSSIBLE_ARTIFACTS: [(&str, Change); 4] = [
    ("ranks 0 and 1 exchanged", |artifact| artifact.merges.swap(0, 1)),
    ("two bytes with one id", |artifact| artifact.byte_ids[usize::from(b'b')] = Some(99)),
    ("an id above the vocabulary", |artifact| artifact.merges[7].id = 266),
    ("a start that is a letter", |artifact| artifact.document_start = Some(99)),
];

/// Ids of documents whose frame is wrong.
const FRAMES: [(&str, &[TokenId]); 3] = [
    ("document without its start", &[99, 100, 1]),
    ("document without its end", &[0, 99, 100]),
    ("two documents in one", &[0, 99, 1, 0, 100, 1]),
];

/// Documents that do not fit a training batch with three columns.
const UNFIT_DOCUMENTS: [(&str, Partition, &[TokenId]); 3] = [
    ("validation in a training batch", Partition::Validation, &[0, 99, 1]),
    ("a row that is too short", Partition::Train, &[0, 99, 99, 99, 1]),
    ("an id of another tokenizer", Partition::Train, &[0, 300, 1]),
];
