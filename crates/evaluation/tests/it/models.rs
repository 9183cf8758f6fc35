//! One model of every kind over the same vocabulary.

use llm_autograd::Element;
use llm_baselines::{BigramModel, NgramModel, Smoothing};
use llm_corpus::{EncodedDocument, Partition};
use llm_evaluation::{FramedDocument, LanguageModel, Row, RowRequest, RowVisitor, ScoreError};
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::TokenId;
use proptest::prelude::*;

/// Ids of most tests.
pub(crate) const VOCAB_SIZE: usize = 11;
/// Most ids that the decoders read.
pub(crate) const CONTEXT_LEN: usize = 80;

pub(crate) fn decoder<E: Element>(seed: u64) -> DecoderModel<E> {
    let config = DecoderConfig::reference(VOCAB_SIZE, CONTEXT_LEN);
    DecoderModel::initialize(config.validate().expect("sizes are small"), seed)
}

fn training_documents() -> Vec<EncodedDocument> {
    let texts: [&[TokenId]; 3] =
        [&[0, 5, 6, 5, 6, 7, 1], &[0, 5, 5, 6, 2, 3, 1], &[0, 9, 9, 9, 9, 1]];
    texts
        .map(|ids| EncodedDocument::from_ids("t", Partition::Train, ids.to_vec()).unwrap())
        .to_vec()
}

pub(crate) fn ngram(order: usize, smoothing: Smoothing) -> NgramModel {
    NgramModel::fit(VOCAB_SIZE, order, smoothing, &training_documents()).unwrap()
}

pub(crate) fn bigram() -> BigramModel {
    BigramModel::fit(VOCAB_SIZE, &training_documents()).unwrap()
}

/// Decoders in both precisions and count models of every kind.
pub(crate) fn all_models() -> Vec<Box<dyn LanguageModel>> {
    vec![
        Box::new(decoder::<f32>(39)),
        Box::new(decoder::<f64>(40)),
        Box::new(NgramModel::uniform(VOCAB_SIZE).unwrap()),
        Box::new(bigram()),
        Box::new(ngram(1, Smoothing::AddK { k: 0.5 })),
        Box::new(ngram(3, Smoothing::AddK { k: 0.1 })),
        Box::new(ngram(4, Smoothing::Interpolated { strength: 3.0 })),
        Box::new(ngram(3, Smoothing::AbsoluteDiscounting { discount: 0.5 })),
        Box::new(ngram(5, Smoothing::KneserNey { discount: 0.75 })),
    ]
}

pub(crate) fn ids(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<TokenId>> {
    prop::collection::vec(0..VOCAB_SIZE as TokenId, len)
}

/// Ids as a document without a tokenizer.
pub(crate) fn framed(id: &str, ids: &[TokenId]) -> FramedDocument {
    FramedDocument::from_ids(id, ids.to_vec(), None).unwrap()
}

/// Uniform, but for one broken number after the id 7.
pub(crate) struct Broken(pub(crate) f64);

impl LanguageModel for Broken {
    fn vocab_size(&self) -> usize {
        VOCAB_SIZE
    }

    fn max_context(&self) -> Option<usize> {
        None
    }

    fn identity(&self) -> String {
        "broken".into()
    }

    fn visit_rows(
        &self,
        requests: &[RowRequest<'_>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError> {
        for (request, RowRequest { ids, first }) in requests.iter().enumerate() {
            for position in *first..=ids.len() {
                let mut row = [-(VOCAB_SIZE as f64).ln(); VOCAB_SIZE];
                if ids[position - 1] == 7 {
                    row[2] = self.0;
                }
                visit(Row { request, position, log_probabilities: &row })?;
            }
        }
        Ok(())
    }
}
