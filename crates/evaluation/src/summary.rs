//! Every summary number, from records alone.
//!
//! With `N` targets of `L` nats in total, `B` bytes among them:
//!
//! ```text
//! nats per token   L / N               bits per byte             L / (ln 2 B)
//! bits per token   L / (N ln 2)        bits per byte, text only  the same without the targets
//! perplexity       exp(L / N)                                    that stand for no bytes
//! ```
//!
//! Nats per token depend on what the tokenizer calls a token and compare only under the same one.
//! Bits per byte do not: they are what an arithmetic coder needs for the text. Such a coder must
//! also say where the text ends, so [`bits_per_byte`](RecordSummary::bits_per_byte) charges the end
//! token; the text-only number is what other programs print.
//!
//! All sums are exact and all quotients are taken last, so neither the order of the records nor
//! their cut into files leaves a trace.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use llm_metrics::{
    DatasetAverages, ExactSum, MeanEstimate, MetricError, MetricSummary, Ranks, TopKCounter,
    TopKError, clustered_mean, nats_to_bits,
};

use crate::json_lines::JsonRecord;
use crate::{ScoreError, TargetRecord};

/// The records of a pass, by document and position, and what follows from them.
///
/// Memory: a few numbers per target. [`score_documents`](crate::score_documents) shows it in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordSummary {
    pub(crate) documents: BTreeMap<String, BTreeMap<usize, Target>>,
    record_count: usize,
}

/// What is kept of one record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) nats: f64,
    pub(crate) bytes: Option<u64>,
    ranks: Ranks,
}

impl RecordSummary {
    /// A summary of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A summary of all records of a pass, in any order.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn from_records(
        records: impl IntoIterator<Item = TargetRecord>,
    ) -> Result<Self, ScoreError> {
        let mut summary = Self::new();
        records.into_iter().try_for_each(|record| summary.add(&record))?;
        Ok(summary)
    }

    /// Takes one more record.
    ///
    /// # Errors
    /// [`ScoreError::Record`] for values that no model can have given;
    /// [`ScoreError::Count`] for a second score of the same target.
    pub fn add(&mut self, record: &TargetRecord) -> Result<(), ScoreError> {
        record.check_at(self.record_count + 1)?;
        self.record_count += 1;
        if !self.documents.contains_key(&record.document) {
            self.documents.insert(record.document.clone(), BTreeMap::new());
        }
        let targets = self.documents.get_mut(&record.document).expect("inserted above");
        // A rank beyond the address space cannot come from a vocabulary in memory.
        let rank = |rank: u64| usize::try_from(rank).unwrap_or(usize::MAX);
        let ranks = Ranks::from_bounds(rank(record.rank_best), rank(record.rank_worst))?;
        let nats = 0.0 - record.log_probability; // +0 for a certain target
        match targets.entry(record.position) {
            Entry::Vacant(place) => {
                place.insert(Target { nats, bytes: record.bytes, ranks });
                Ok(())
            }
            Entry::Occupied(_) => Err(ScoreError::Count {
                document: record.document.clone(),
                what: "scores of one target",
                given: 2,
                expected: 1,
            }),
        }
    }

    /// The same for a part of the documents: a domain, all but the suspicious ones, a single one.
    #[must_use]
    pub fn of_documents(&self, keep: impl Fn(&str) -> bool) -> Self {
        let kept = self.documents.iter().filter(|(id, _)| keep(id));
        let documents: BTreeMap<_, _> =
            kept.map(|(id, targets)| (id.clone(), targets.clone())).collect();
        let record_count = documents.values().map(BTreeMap::len).sum();
        Self { documents, record_count }
    }

    fn targets(&self) -> impl Iterator<Item = &Target> {
        self.documents.values().flat_map(BTreeMap::values)
    }

    /// Number of documents.
    pub fn document_count(&self) -> usize {
        self.documents.len()
    }

    /// Number of targets.
    pub fn target_count(&self) -> usize {
        self.documents.values().map(BTreeMap::len).sum()
    }

    /// Bytes of all targets; `None` if they are unknown of any.
    pub fn byte_count(&self) -> Option<u64> {
        self.targets().map(|target| target.bytes).sum()
    }

    /// Total NLL in nats and number of targets, all of them pooled.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] without records.
    pub fn metrics(&self) -> Result<MetricSummary, ScoreError> {
        let total: ExactSum = self.targets().map(|target| target.nats).collect();
        Ok(MetricSummary::from_exact_total(total, self.target_count())?)
    }

    /// The same for each document, by name.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] if a sum is beyond `f64`.
    pub fn document_metrics(&self) -> Result<Vec<(&str, MetricSummary)>, ScoreError> {
        let mut all = Vec::with_capacity(self.documents.len());
        for (name, targets) in &self.documents {
            let total: ExactSum = targets.values().map(|target| target.nats).collect();
            all.push((name.as_str(), MetricSummary::from_exact_total(total, targets.len())?));
        }
        Ok(all)
    }

    /// Mean surprise of a target in nats.
    ///
    /// # Errors
    /// As [`metrics`](Self::metrics).
    pub fn nats_per_token(&self) -> Result<f64, ScoreError> {
        Ok(self.metrics()?.mean_nll())
    }

    /// Mean surprise of a target in bits.
    ///
    /// # Errors
    /// As [`metrics`](Self::metrics).
    pub fn bits_per_token(&self) -> Result<f64, ScoreError> {
        Ok(nats_to_bits(self.nats_per_token()?))
    }

    /// `exp` of the nats per token.
    ///
    /// # Errors
    /// As [`metrics`](Self::metrics).
    pub fn perplexity(&self) -> Result<f64, ScoreError> {
        Ok(self.metrics()?.perplexity())
    }

    /// Bits of all targets over their bytes: a code length, the end token included. `None` without
    /// a tokenizer.
    ///
    /// # Errors
    /// As [`metrics`](Self::metrics); [`ScoreError::Metric`] if there are no bytes at all.
    pub fn bits_per_byte(&self) -> Result<Option<f64>, ScoreError> {
        let bits = nats_to_bits(self.metrics()?.total_nll());
        self.per_byte(bits)
    }

    /// Bits of the targets that stand for bytes, over their bytes. `None` without a tokenizer.
    ///
    /// # Errors
    /// As [`bits_per_byte`](Self::bits_per_byte).
    pub fn bits_per_byte_text_only(&self) -> Result<Option<f64>, ScoreError> {
        let text = self.targets().filter(|target| target.bytes != Some(0));
        let total: ExactSum = text.map(|target| target.nats).collect();
        self.per_byte(nats_to_bits(total.value()))
    }

    /// Targets per byte: bits per token times this are bits per byte. `None` without a tokenizer.
    ///
    /// # Errors
    /// As [`bits_per_byte`](Self::bits_per_byte).
    pub fn tokens_per_byte(&self) -> Result<Option<f64>, ScoreError> {
        self.per_byte(self.target_count() as f64)
    }

    /// Bits of all targets per character, for as many characters as the caller counted in the
    /// scored text: records know bytes only.
    ///
    /// # Errors
    /// As [`metrics`](Self::metrics); [`ScoreError::Metric`] for no characters.
    pub fn bits_per_character(&self, characters: u64) -> Result<f64, ScoreError> {
        let bits = nats_to_bits(self.metrics()?.total_nll());
        if characters == 0 {
            return Err(MetricError::NoTargets.into());
        }
        Ok(bits / characters as f64)
    }

    fn per_byte(&self, value: f64) -> Result<Option<f64>, ScoreError> {
        match self.byte_count() {
            None => Ok(None),
            Some(0) => Err(MetricError::NoTargets.into()),
            Some(bytes) => Ok(Some(value / bytes as f64)),
        }
    }

    /// The mean over documents beside the mean over targets, in nats per token.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] without records.
    pub fn averages(&self) -> Result<DatasetAverages, ScoreError> {
        let documents: Vec<_> =
            self.document_metrics()?.into_iter().map(|(_, metrics)| metrics).collect();
        Ok(DatasetAverages::from_documents(&documents)?)
    }

    /// Nats per token with its standard error, documents being the independent units: targets of
    /// one document share a topic and an author. No error bar for a single document.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] without records.
    pub fn estimate(&self) -> Result<MeanEstimate, ScoreError> {
        let of = |(document, targets): (usize, &BTreeMap<usize, Target>)| -> Vec<(f64, usize)> {
            targets.values().map(|target| (target.nats, document)).collect()
        };
        let (nats, documents): (Vec<f64>, Vec<usize>) =
            self.documents.values().enumerate().flat_map(of).unzip();
        Ok(clustered_mean(&nats, &documents)?)
    }

    /// How often the target was not among the `k` best guesses, for every `k` given.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] without records, without a k, for a k or a rank above `vocab_size`.
    pub fn top_k_error(
        &self,
        ks: &[usize],
        vocab_size: usize,
    ) -> Result<Vec<TopKError>, ScoreError> {
        let mut counter = TopKCounter::new(ks, vocab_size)?;
        self.targets().try_for_each(|target| counter.add(target.ranks))?;
        Ok(counter.errors()?.to_vec())
    }
}
