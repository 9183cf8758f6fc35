//! What the tests of multiple choice share.

use std::cell::RefCell;

use llm_baselines::{NgramModel, Smoothing};
use llm_corpus::{Document, EncodedDocument, Partition};
use llm_evaluation::tasks::{Join, OptionRecord};
use llm_evaluation::{LanguageModel, Row, RowRequest, RowVisitor, ScoreError};
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::{Merge, Pretokenizer, TokenId, Tokenizer, TokenizerArtifact};

/// A record by hand, with the lengths of its text.
pub(crate) fn record(
    item: usize,
    option: usize,
    is_answer: bool,
    text: &str,
    log_probabilities: &[f64],
) -> OptionRecord {
    OptionRecord {
        item,
        digest: format!("digest of item {item}"),
        group: None,
        option,
        is_answer,
        log_probabilities: log_probabilities.to_vec(),
        neutral_log_probabilities: None,
        bytes: text.len() as u64,
        characters: text.chars().count() as u64,
        bare_characters: text.trim_start_matches(' ').chars().count() as u64,
        join: Join::Clean,
    }
}

/// Bytes, and one token for each word, built up letter by letter.
pub(crate) fn tokenizer_with_words(words: &[&str]) -> Tokenizer {
    let byte = |byte: u8| TokenId::from(byte) + 2;
    let mut merges: Vec<Merge> = Vec::new();
    for word in words {
        let mut left = byte(word.as_bytes()[0]);
        for &next in &word.as_bytes()[1..] {
            let right = byte(next);
            let known = merges.iter().find(|merge| (merge.left, merge.right) == (left, right));
            let id = known.map_or(258 + merges.len() as TokenId, |merge| merge.id);
            if known.is_none() {
                merges.push(Merge { id, left, right });
            }
            left = id;
        }
    }
    Tokenizer::from_artifact(TokenizerArtifact::trained(merges, Pretokenizer::None)).unwrap()
}

/// A decoder and two count models over the tokenizer's ids.
pub(crate) fn models(tokenizer: &Tokenizer) -> Vec<Box<dyn LanguageModel>> {
    let texts = ["ab ba abba", "cab  caa", "éa bé"].map(|text| {
        EncodedDocument::encode(&Document::new(text, Partition::Train, text), tokenizer).unwrap()
    });
    let vocab_size = tokenizer.vocab_size();
    let ngram = |order, smoothing| NgramModel::fit(vocab_size, order, smoothing, &texts).unwrap();
    let config = DecoderConfig::reference(vocab_size, 64).validate().unwrap();
    vec![
        Box::new(DecoderModel::<f32>::initialize(config, 5)),
        Box::new(ngram(3, Smoothing::KneserNey { discount: 0.75 })),
        Box::new(ngram(2, Smoothing::AddK { k: 1.0 })),
    ]
}

/// Uniform, and remembers what it was asked.
pub(crate) struct Recorder {
    vocab_size: usize,
    /// The ids that were read and the first predicted position of every request.
    pub(crate) asked: RefCell<Vec<(Vec<TokenId>, usize)>>,
}

impl Recorder {
    pub(crate) fn new(vocab_size: usize) -> Self {
        Self { vocab_size, asked: RefCell::default() }
    }
}

impl LanguageModel for Recorder {
    fn vocab_size(&self) -> usize {
        self.vocab_size
    }

    fn max_context(&self) -> Option<usize> {
        None
    }

    fn identity(&self) -> String {
        "recorder".into()
    }

    fn visit_rows(
        &self,
        requests: &[RowRequest<'_>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError> {
        let log_probabilities = vec![-libm::log(self.vocab_size as f64); self.vocab_size];
        for (request, &RowRequest { ids, first }) in requests.iter().enumerate() {
            self.asked.borrow_mut().push((ids.to_vec(), first));
            for position in first..=ids.len() {
                visit(Row { request, position, log_probabilities: &log_probabilities })?;
            }
        }
        Ok(())
    }
}
