//! Who writes: people, and one small model with seven ways of choosing the next byte.

use llm_from_scratch_practical::evaluation::{FramedDocument, LanguageModel, sample_texts};
use llm_from_scratch_practical::model::{Decoding, Filters, GenerationConfig};
use llm_from_scratch_practical::tokenizer::Tokenizer;

/// Most bytes of a text; people need about 60.
const MOST_BYTES: usize = 100;

/// The texts of one writer.
#[derive(Clone, Debug)]
pub struct Written {
    /// Who wrote, and how.
    pub writer: &'static str,
    /// The texts.
    pub texts: Vec<Vec<u8>>,
    /// The same as ids with the start token, ready to be scored.
    pub framed: Vec<FramedDocument>,
}

/// The model's ways of choosing, from the safest to the boldest.
pub fn decodings(seed: u64) -> Vec<(&'static str, Decoding)> {
    let all = Filters::default();
    let sample = |filters| Decoding::Sample { filters, seed };
    vec![
        ("greedy", Decoding::Greedy),
        ("temperature 0.5", sample(Filters { temperature: 0.5, ..all })),
        ("top-k 3", sample(Filters { top_k: Some(3), ..all })),
        ("top-p 0.9", sample(Filters { top_p: Some(0.9), ..all })),
        ("temperature 1", sample(all)),
        ("temperature 1.5", sample(Filters { temperature: 1.5, ..all })),
        ("temperature 4", sample(Filters { temperature: 4.0, ..all })),
    ]
}

/// What the model writes under one way of choosing.
pub fn write(
    (writer, decoding): (&'static str, Decoding),
    model: &dyn LanguageModel,
    count: usize,
    tokenizer: &Tokenizer,
) -> anyhow::Result<Written> {
    let start = tokenizer.start_token().expect("trained tokenizers have one");
    let end_token = tokenizer.end_token();
    let config = GenerationConfig { decoding, end_token, max_new_tokens: MOST_BYTES };
    let ids = sample_texts(model, &[start], &config, count)?;
    let ids = ids.into_iter().map(|text| [vec![start], text.ids].concat());
    let mut written = written(writer, ids.collect(), tokenizer)?;
    // Where the limit cut a word in two, its first half is no invention of the model.
    for (text, framed) in written.texts.iter_mut().zip(&written.framed) {
        let cut = framed.ids().last().copied() != end_token;
        if let Some(space) = text.iter().rposition(|&byte| byte == b' ').filter(|_| cut) {
            text.truncate(space);
        }
    }
    Ok(written)
}

/// Texts that are there already.
pub fn given(
    writer: &'static str,
    texts: &[Vec<u8>],
    tokenizer: &Tokenizer,
) -> anyhow::Result<Written> {
    let ids = texts.iter().map(|text| tokenizer.encode_document(text));
    written(writer, ids.collect::<Result<_, _>>()?, tokenizer)
}

fn written(
    writer: &'static str,
    ids: Vec<Vec<u32>>,
    tokenizer: &Tokenizer,
) -> anyhow::Result<Written> {
    let texts = ids.iter().map(|ids| tokenizer.decode(ids)).collect::<Result<_, _>>()?;
    let frame = |(i, ids): (usize, Vec<u32>)| {
        FramedDocument::from_ids(format!("{writer}, text {}", i + 1), ids, Some(tokenizer.clone()))
    };
    let framed = ids.into_iter().enumerate().map(frame).collect::<Result<_, _>>()?;
    Ok(Written { writer, texts, framed })
}
