//! The promise that no bit depends on how the work is cut, put to the test on the documents at hand.

use std::io;
use std::num::NonZeroUsize;

use anyhow::{Context, ensure};
use practical::evaluation::{FramedDocument, RecordDigest, score_documents};
use serde::Serialize;

use super::pass::Pass;

/// What was tried, and what came out.
#[derive(Debug, Serialize)]
pub(super) struct Invariance {
    /// SHA-256 over the digests of all documents' records, in the order of their ids: the same for
    /// every run.
    pub(super) sha256: String,
    /// Different digests; 1, or the command fails.
    pub(super) distinct_digests: usize,
    pub(super) runs: Vec<Run>,
}

/// One pass.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    batch_rows: usize,
    order: &'static str,
    threads: usize,
    sha256: String,
}

/// Batch size, order of the documents, threads.
const RUNS: [(usize, &str, usize); 5] = [
    (1, "by id", 1),
    (2, "by id", 2),
    (5, "reversed", 1),
    (3, "halves swapped", 3),
    (32, "by id", 8),
];

/// Scores the documents again in other ways and compares with the pass behind the numbers, of which
/// `sorted` is the digest.
///
/// # Errors
/// If any bit differs: then the numbers cannot be trusted, and the program is wrong.
pub(super) fn prove(pass: &Pass<'_>, sorted: String) -> anyhow::Result<Invariance> {
    let (batch_rows, threads) = (pass.batch.get(), rayon::current_num_threads());
    let mut runs = vec![Run { batch_rows, order: "by id", threads, sha256: sorted }];
    let bar = pass.console.bar(RUNS.len() as u64, "scoring again");
    for (batch_rows, order, threads) in RUNS {
        let documents = ordered(&pass.material.framed, order);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let score = || {
            let mut digest = RecordDigest::new(io::sink());
            let batch = NonZeroUsize::new(batch_rows).unwrap_or(NonZeroUsize::MIN);
            let rule = pass.material.rule;
            score_documents(pass.model, &documents, rule, batch, |record| digest.add(&record))?;
            anyhow::Ok(digest.sorted_sha256())
        };
        let sha256 = pool.context("cannot start threads")?.install(score)?;
        runs.push(Run { batch_rows, order, threads, sha256 });
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut digests: Vec<&str> = runs.iter().map(|run| run.sha256.as_str()).collect();
    digests.sort_unstable();
    digests.dedup();
    let distinct_digests = digests.len();
    ensure!(
        distinct_digests == 1,
        "{distinct_digests} different digests in {} runs, expected 1: please report this with the \
         model and the documents; {runs:?}",
        runs.len()
    );
    Ok(Invariance { sha256: runs[0].sha256.clone(), distinct_digests, runs })
}

fn ordered(documents: &[FramedDocument], order: &str) -> Vec<FramedDocument> {
    let mut documents = documents.to_vec();
    match order {
        "reversed" => documents.reverse(),
        "halves swapped" => {
            let half = documents.len() / 2;
            documents.rotate_left(half);
        }
        _ => {}
    }
    documents
}
