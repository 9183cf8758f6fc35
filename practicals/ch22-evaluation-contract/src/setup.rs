//! What is fixed: texts in two domains, a tokenizer, two models, and the one way to score.

use std::num::NonZeroUsize;

use llm_from_scratch_practical::baselines::{NgramModel, Smoothing};
use llm_from_scratch_practical::corpus::{Document, EncodedDocument, Partition};
use llm_from_scratch_practical::evaluation::{
    Conditions, EvaluationContract, EvaluationResult, Framing, Subject, WindowRule,
    score_under_contract,
};
use llm_from_scratch_practical::tokenizer::{
    Pretokenizer, Tokenizer, TrainingConfig, WeightedDocument, train,
};

const TRAINING: [&str; 8] = [
    "the boat left the harbour before the tide turned and came back with the evening wind",
    "the keeper lit the lamp before the boat came near the rocks and the wind rose",
    "the tide turned before noon and the wind came round to the west in the evening",
    "the lamp on the rocks was lit and the boat kept to the west of the harbour",
    "one two three four five six seven eight nine ten",
    "two four six eight ten twelve fourteen sixteen",
    "one three five seven nine eleven thirteen fifteen",
    "ten nine eight seven six five four three two one",
];

/// Held-out texts with their domains.
const HELD_OUT: [(&str, &str); 6] = [
    ("prose", "the boat kept near the rocks before the tide turned to the west"),
    ("prose", "the keeper came back to the harbour with the lamp in the evening"),
    ("prose", "the wind rose before noon and the boat left for the west"),
    ("lists", "one two three five seven eleven thirteen"),
    ("lists", "ten eight six four two"),
    ("lists", "three six nine twelve fifteen"),
];

/// The windows of every contract here, unless it is the windows that change.
pub(crate) const WINDOWS: WindowRule = WindowRule { window: 64, stride: 32, bos_per_window: false };

pub(crate) fn training() -> Vec<Document> {
    numbered("train", Partition::Train, &TRAINING)
}

pub(crate) fn held_out(split: Partition) -> Vec<Document> {
    numbered("line", split, &HELD_OUT.map(|(_, text)| text))
}

fn numbered(name: &str, partition: Partition, texts: &[&str]) -> Vec<Document> {
    let document =
        |(i, text): (usize, &&str)| Document::new(format!("{name}-{i}"), partition, *text);
    texts.iter().enumerate().map(document).collect()
}

/// The domain of a held-out document, by its id.
pub(crate) fn domain(id: &str) -> Option<String> {
    let place: usize = id.strip_prefix("line-")?.parse().ok()?;
    HELD_OUT.get(place).map(|(domain, _)| (*domain).to_owned())
}

/// Pairs of bytes, merged into longer tokens: fewer targets for the same text.
pub(crate) fn merged_tokenizer() -> anyhow::Result<Tokenizer> {
    let pretokenizer = Pretokenizer::None;
    let config = TrainingConfig { merges: 40, minimum_count: 2, pretokenizer };
    let texts = TRAINING.map(|text| WeightedDocument::once(text.as_bytes()));
    Ok(Tokenizer::from_training(&train(&texts, &config)?, pretokenizer)?)
}

/// A smoothed n-gram, fitted on the training documents only.
pub(crate) fn fitted(tokenizer: &Tokenizer, order: usize) -> anyhow::Result<NgramModel> {
    let encode = |document: &Document| EncodedDocument::encode(document, tokenizer);
    let documents: Vec<EncodedDocument> =
        training().iter().map(encode).collect::<Result<_, _>>()?;
    let smoothing = Smoothing::KneserNey { discount: 0.75 };
    Ok(NgramModel::fit(tokenizer.vocab_size(), order, smoothing, &documents)?)
}

/// The contract for a model and these rules, carried out.
pub(crate) fn score(
    model: &NgramModel,
    tokenizer: &Tokenizer,
    documents: &[Document],
    framing: Framing,
    windows: WindowRule,
) -> anyhow::Result<EvaluationResult> {
    let split = documents.first().map_or(Partition::Validation, |document| document.partition);
    let conditions = Conditions::new(split, documents, framing, windows).with_domains(domain);
    let subject = Subject::new(model, Some(tokenizer), "f64");
    let contract = EvaluationContract::new(subject, conditions)?;
    Ok(score_under_contract(&contract, model, tokenizer, documents, NonZeroUsize::MIN)?)
}
