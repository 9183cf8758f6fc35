//! Copies of training documents among the held-out ones: found, and taken out of the score.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::corpus::{ContaminationScan, Document, Partition};
use llm_from_scratch_practical::evaluation::{
    EvaluationResult, FlaggedScores, Framing, Measure, WindowRule,
};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde::Serialize;

use crate::setup::{fitted, held_out, score, training};

/// What the scan found, and what it does to the score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeakReport {
    /// The method, and what it cannot see.
    pub scope: String,
    /// Digest of the scanned evaluation documents.
    pub evaluation_sha256: String,
    /// Digest of the training documents.
    pub training_sha256: String,
    /// What was found, a line for each.
    pub findings: Vec<String>,
    /// The documents to leave out.
    pub flagged: Vec<String>,
    /// Nats per token over all documents.
    #[serde(serialize_with = "six_decimals")]
    pub nats_of_all: f64,
    /// Without the flagged ones.
    #[serde(serialize_with = "six_decimals")]
    pub nats_without_flagged: f64,
    /// Of the flagged ones alone.
    #[serde(serialize_with = "six_decimals")]
    pub nats_of_flagged: f64,
}

/// The held-out lines, and four that were made of training lines: copied, respelled, changed in
/// one word, and told in other words.
fn leaky() -> Vec<Document> {
    let mut documents = held_out(Partition::Test);
    for (id, text) in [
        (
            "copied",
            "the boat left the harbour before the tide turned and came back with the evening wind",
        ),
        (
            "respelled",
            "The keeper lit the lamp, before the boat came near the rocks -- and the WIND rose.",
        ),
        (
            "one-word",
            "the tide turned before noon and the gale came round to the west in the evening",
        ),
        ("retold", "at midday the water ran out and later a breeze blew from where the sun sets"),
    ] {
        documents.push(Document::new(id, Partition::Test, text));
    }
    documents
}

/// Scans, scores once, and splits the score.
///
/// # Errors
/// None for these texts.
pub fn leaks() -> anyhow::Result<LeakReport> {
    let documents = leaky();
    let report = ContaminationScan::default().run(&documents, &training())?;
    let tokenizer = Tokenizer::of_bytes();
    let model = fitted(&tokenizer, 3)?;
    let all = score(&model, &tokenizer, &documents, Framing::DOCUMENT, WindowRule::WHOLE)?;
    let flagged: Vec<&str> = report.flagged.iter().map(String::as_str).collect();
    let scores = FlaggedScores::new(all, &flagged)?;
    let nats = |result: Option<&EvaluationResult>| -> anyhow::Result<f64> {
        Ok(result.map_or(Ok(0.0), |result| result.number(Measure::NatsPerToken))?)
    };

    let mut findings: Vec<String> = Vec::new();
    for found in &report.duplicates {
        let same = if found.same_bytes { "bytes" } else { "words" };
        findings.push(format!("{} has the {same} of {}", found.document, found.earlier));
    }
    for found in &report.near {
        let (document, training, similarity) = (&found.document, &found.training, found.similarity);
        findings.push(format!("{document} is near to {training}: similarity {similarity:.3}"));
    }
    for length in &report.shared {
        for found in &length.documents {
            let (document, n) = (&found.document, length.ngram_words);
            let (shared, all) = (found.shared, found.ngrams);
            findings.push(format!("{document} shares {shared} of {all} runs of {n} words"));
        }
    }
    Ok(LeakReport {
        scope: report.scope,
        evaluation_sha256: report.evaluation.sha256,
        training_sha256: report.training.sha256,
        findings,
        flagged: report.flagged,
        nats_of_all: nats(Some(&scores.all))?,
        nats_without_flagged: nats(scores.without_flagged.as_ref())?,
        nats_of_flagged: nats(scores.flagged.as_ref())?,
    })
}
