//! The number in every contract that stands for the scoring code.

use std::fmt::Write;

use llm_corpus::{Document, Partition};
use llm_evaluation::{
    FramedDocument, Framing, SCORING_REVISION, Subject, WindowRule, collect_records,
};
use sha2::{Digest, Sha256};

use crate::task_models::{models, tokenizer_with_words};

/// Digest of the scores below under each revision; the last one is the present.
const SCORES: [&str; 1] = ["42d062dcd454affe006ad191863e86b47c93ed2daa3e53c6766454f0f62d1e44"];

#[test]
fn scores_that_moved_need_another_revision() {
    let tokenizer = tokenizer_with_words(&["ab", "caa"]);
    let texts = [("x", "ab ba abba caab"), ("y", "é cab"), ("z", "")]
        .map(|(id, text)| Document::new(id, Partition::Test, text));
    let framed = texts
        .each_ref()
        .map(|text| FramedDocument::encode(text, &tokenizer, Framing::DOCUMENT).unwrap());
    let rule = WindowRule { window: 6, stride: 3, bos_per_window: false };
    let mut scores = String::new();
    for model in models(&tokenizer) {
        let (records, _) = collect_records(&*model, &framed, rule, 2.try_into().unwrap()).unwrap();
        for record in records {
            let bits = record.log_probability.to_bits();
            writeln!(scores, "{} {} {bits:016x}", record.position, record.token).unwrap();
        }
    }
    let digest: String = Sha256::digest(&scores).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(SCORES.len(), SCORING_REVISION as usize);
    assert_eq!(
        SCORES.last(),
        Some(&digest.as_str()),
        "scores moved: raise SCORING_REVISION and add this digest, or find out why"
    );
    let version = Subject::new(&*models(&tokenizer)[0], None, "f64").code_version;
    assert!(version.ends_with(&format!("+scoring.{SCORING_REVISION}")), "{version}");
}
