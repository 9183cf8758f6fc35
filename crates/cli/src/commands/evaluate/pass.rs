//! One pass of the model over the documents.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use practical::archive::write_atomically;
use practical::evaluation::{
    LanguageModel, PassTotals, RecordDigest, RunningSummary, ScoreError, ScoringCounts,
    TargetRecord, score_documents,
};

use super::material::Material;
use crate::model::OpenModel;
use crate::output::Console;

/// All that a pass needs.
pub(super) struct Pass<'a> {
    pub(super) model: &'a OpenModel,
    pub(super) material: &'a Material,
    pub(super) batch: NonZeroUsize,
    pub(super) console: &'a Console,
}

/// What comes out of one.
pub(super) struct Scored {
    pub(super) totals: PassTotals,
    pub(super) counts: ScoringCounts,
    pub(super) digests: Digests,
    /// All records, if they are to be shown.
    pub(super) shown: Option<Vec<TargetRecord>>,
}

/// Identities of the records.
pub(super) struct Digests {
    /// Of their file.
    pub(super) file: String,
    /// The same for every order of the documents.
    pub(super) sorted: String,
}

impl Pass<'_> {
    /// Scores everything once. Memory: sums for each document, unless the records are to be shown.
    pub(super) fn run(
        &self,
        top_k: &[NonZeroUsize],
        records: Option<&Path>,
        show: bool,
    ) -> anyhow::Result<Scored> {
        let Some(path) = records else { return Ok(self.score(top_k, io::sink(), show)?) };
        // The file gets its name when the pass has succeeded, so the pass runs while it is open.
        let mut scored = None;
        let written = write_atomically(path, |file| {
            let result = self.score(top_k, file, show);
            let failed = result.is_err();
            scored = Some(result);
            if failed { Err(io::Error::other("scoring failed")) } else { Ok(()) }
        });
        match scored {
            Some(Err(error)) => Err(error.into()),
            Some(Ok(scored)) => written.map(|()| scored).map_err(Into::into),
            None => Err(written.expect_err("a file that is written scores").into()),
        }
    }

    fn score(
        &self,
        top_k: &[NonZeroUsize],
        file: impl Write,
        show: bool,
    ) -> Result<Scored, ScoreError> {
        let vocab_size = self.model.vocab_size();
        let mut top_k: Vec<usize> = top_k.iter().map(|k| k.get()).collect();
        top_k.retain(|&k| k <= vocab_size);
        top_k.sort_unstable();
        top_k.dedup();
        if top_k.is_empty() {
            top_k.push(1);
        }
        let mut summary = RunningSummary::new(&top_k, vocab_size)?;
        let mut digest = RecordDigest::new(file);
        let mut shown = show.then(Vec::new);
        let Material { framed, rule, .. } = self.material;
        let targets: usize = framed.iter().map(|document| document.target_count()).sum();
        let bar = self.console.bar(targets as u64, "scoring");
        let counts = score_documents(self.model, framed, *rule, self.batch, |record| {
            bar.inc(1);
            digest.add(&record)?;
            summary.add(&record)?;
            if let Some(shown) = &mut shown {
                shown.push(record);
            }
            Ok(())
        })?;
        bar.finish_and_clear();
        let digests = Digests { file: digest.sha256(), sorted: digest.sorted_sha256() };
        Ok(Scored { totals: summary.finish()?, counts, digests, shown })
    }
}
