//! A language small enough to know: sentences about animals, and models that counted its bytes.

use llm_from_scratch_practical::baselines::{KNESER_NEY_DISCOUNT, NgramModel, Smoothing};
use llm_from_scratch_practical::corpus::{Document, EncodedDocument, Partition};
use llm_from_scratch_practical::metrics::SplitMix64;
use llm_from_scratch_practical::tokenizer::{Pretokenizer, Tokenizer, TokenizerArtifact};
use std::num::NonZeroUsize;

const ADJECTIVES: [&str; 6] = ["old", "small", "quick", "tired", "brown", "lonely"];
const ANIMALS: [&str; 8] = ["cat", "dog", "hen", "fox", "crow", "mouse", "badger", "horse"];
const VERBS: [&str; 6] = ["sees", "follows", "hears", "likes", "misses", "chases"];
const PLACES: [&str; 5] = ["at night", "in the barn", "by the river", "near the road", "in winter"];

/// Texts of the language, two sentences each. The same stream gives the same texts.
pub fn people(count: usize, stream: &mut SplitMix64) -> Vec<Vec<u8>> {
    (0..count).map(|_| [sentence(stream), sentence(stream)].join(" ").into_bytes()).collect()
}

fn sentence(stream: &mut SplitMix64) -> String {
    let (subject, verb) = (animal(stream), pick(&VERBS, stream));
    let object = animal(stream);
    match stream.unit() < 0.5 {
        true => format!("{subject} {verb} {object}."),
        false => format!("{subject} {verb} {object} {}.", pick(&PLACES, stream)),
    }
}

fn animal(stream: &mut SplitMix64) -> String {
    let article = if stream.unit() < 0.7 { "the" } else { "one" };
    match stream.unit() < 0.4 {
        true => format!("{article} {} {}", pick(&ADJECTIVES, stream), pick(&ANIMALS, stream)),
        false => format!("{article} {}", pick(&ANIMALS, stream)),
    }
}

fn pick<'w>(words: &[&'w str], stream: &mut SplitMix64) -> &'w str {
    words[stream.below(NonZeroUsize::new(words.len()).expect("no list is empty"))]
}

/// A tokenizer whose only tokens are bytes, so that a model can put together any word.
pub fn bytes_only() -> anyhow::Result<Tokenizer> {
    let artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    Ok(Tokenizer::from_artifact(artifact)?)
}

/// A Kneser-Ney model of the last `order - 1` bytes.
pub fn fit(order: usize, texts: &[Vec<u8>], tokenizer: &Tokenizer) -> anyhow::Result<NgramModel> {
    let encode = |(i, text): (usize, &Vec<u8>)| {
        let document = Document::new(format!("train-{i}"), Partition::Train, text.clone());
        EncodedDocument::encode(&document, tokenizer)
    };
    let documents = texts.iter().enumerate().map(encode).collect::<Result<Vec<_>, _>>()?;
    let smoothing = Smoothing::KneserNey { discount: KNESER_NEY_DISCOUNT };
    Ok(NgramModel::fit(tokenizer.vocab_size(), order, smoothing, &documents)?)
}
