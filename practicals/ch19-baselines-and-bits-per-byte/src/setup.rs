//! The language, its documents, and how they become tokens.

use anyhow::Context;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{baselines, corpus, evaluation, metrics, tokenizer};

use baselines::{SourceGrammar, letters_language};
use corpus::{Document, EncodedDocument, Partition};
use evaluation::{FramedDocument, Framing};
use metrics::SplitMix64;
use serde::Serialize;
use tokenizer::{
    Pretokenizer, Tokenizer, TokenizerArtifact, TrainingConfig, WeightedDocument, train,
};

/// Documents drawn from a language whose entropy is known, in two splits.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// What wrote them.
    pub grammar: SourceGrammar,
    /// What models may learn from.
    pub train: Vec<Document>,
    /// What they are judged on.
    pub held_out: Vec<Document>,
}

impl Corpus {
    /// Draws the training documents, then the held-out ones, from one stream.
    ///
    /// # Errors
    /// If a held-out document is also a training document.
    pub fn draw(train: usize, held_out: usize, seed: u64) -> anyhow::Result<Self> {
        let grammar = letters_language();
        let mut stream = SplitMix64::new(seed);
        let mut draw = |count: usize, partition: Partition| -> Vec<Document> {
            let document = |index| {
                let text = grammar.document(&mut stream);
                Document::new(format!("{partition}-{index:04}"), partition, text)
            };
            (0..count).map(document).collect()
        };
        let (train, held_out) = (draw(train, Partition::Train), draw(held_out, Partition::Test));
        corpus::check_no_overlap(train.iter().chain(&held_out))
            .context("this seed draws one text for both splits; choose another --seed")?;
        Ok(Self { grammar, train, held_out })
    }

    /// The documents of both splits under a tokenizer.
    ///
    /// # Errors
    /// None for tokenizers that have all bytes, a start and an end token.
    pub fn encode(&self, tokenizer: &Tokenizer) -> anyhow::Result<EncodedCorpus> {
        let frame = |documents: &[Document]| -> anyhow::Result<Vec<FramedDocument>> {
            let frame = |document| FramedDocument::encode(document, tokenizer, Framing::DOCUMENT);
            Ok(documents.iter().map(frame).collect::<Result<_, _>>()?)
        };
        Ok(EncodedCorpus {
            to_fit: EncodedDocument::encode_all(&self.train, tokenizer)?,
            train: frame(&self.train)?,
            held_out: frame(&self.held_out)?,
        })
    }
}

/// The same documents as ids.
#[derive(Clone, Debug)]
pub struct EncodedCorpus {
    /// The training documents, as models learn from them.
    pub to_fit: Vec<EncodedDocument>,
    /// The training documents, as they are scored.
    pub train: Vec<FramedDocument>,
    /// The held-out documents.
    pub held_out: Vec<FramedDocument>,
}

/// One token for each byte, a start and an end token: 258 ids.
///
/// # Errors
/// None.
pub fn byte_tokenizer() -> anyhow::Result<Tokenizer> {
    let artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    Ok(Tokenizer::from_artifact(artifact)?)
}

/// Byte pairs learned from the training documents, and from nothing else.
///
/// # Errors
/// None for so few merges.
pub fn bpe_tokenizer(train_documents: &[Document], merges: usize) -> anyhow::Result<Tokenizer> {
    let texts: Vec<_> = train_documents.iter().map(|d| WeightedDocument::once(&d.text)).collect();
    let config = TrainingConfig { merges, minimum_count: 2, pretokenizer: Pretokenizer::None };
    let learned = train(&texts, &config)?;
    let merges = learned.into_iter().map(|learned| learned.merge).collect();
    Ok(Tokenizer::from_artifact(TokenizerArtifact::trained(merges, Pretokenizer::None))?)
}

/// The language and what was drawn from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LanguageReport {
    /// The beginning of the first training document.
    pub example: String,
    /// Of a document, from the grammar.
    #[serde(serialize_with = "six_decimals")]
    pub entropy_bits_per_document: f64,
    /// Of a document on average, from the grammar.
    #[serde(serialize_with = "six_decimals")]
    pub bytes_per_document: f64,
    /// The quotient: no model needs less in the long run.
    #[serde(serialize_with = "six_decimals")]
    pub entropy_bits_per_byte: f64,
    /// Documents and bytes to learn from.
    pub train: [usize; 2],
    /// Documents and bytes to be judged on.
    pub held_out: [usize; 2],
}

impl LanguageReport {
    pub(crate) fn of(corpus: &Corpus) -> Self {
        let entropy = corpus.grammar.entropy();
        let size = |documents: &[Document]| {
            [documents.len(), documents.iter().map(|document| document.text.len()).sum()]
        };
        let first = corpus.train.first().map_or(&[][..], |document| &document.text);
        Self {
            example: String::from_utf8_lossy(&first[..first.len().min(34)]).into_owned(),
            entropy_bits_per_document: entropy.bits_per_document,
            bytes_per_document: entropy.bytes_per_document,
            entropy_bits_per_byte: entropy.bits_per_byte(),
            train: size(&corpus.train),
            held_out: size(&corpus.held_out),
        }
    }
}
