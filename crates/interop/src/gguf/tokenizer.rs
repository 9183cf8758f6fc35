//! The tokenizer in a GGUF file, where llama.cpp can express it.

use llm_tokenizer::{Pretokenizer, Tokenizer};

use super::writer::Keys;
use crate::error::InteropError;
use crate::spelling;

/// Kinds of tokens, as llama.cpp numbers them.
#[derive(Clone, Copy)]
enum Kind {
    Normal = 1,
    Control = 3,
    /// Found in text before it is cut.
    UserDefined = 4,
    /// A row without a token.
    Unused = 5,
}

/// Adds the tokenizer, or says why llama.cpp could not use it and adds none.
pub(super) fn add_keys(
    keys: &mut Keys,
    tokenizer: Option<&Tokenizer>,
) -> Result<Option<String>, InteropError> {
    let rule = match tokenizer.map(|tokenizer| (tokenizer, pretokenizer(tokenizer))) {
        Some((tokenizer, Ok(rule))) => Ok((tokenizer, rule)),
        Some((_, Err(reason))) => Err(reason),
        None => Err("there is no tokenizer".to_owned()),
    };
    match rule {
        Err(reason) => {
            keys.text("tokenizer.ggml.model", "none");
            Ok(Some(format!("{reason}: the file has none, llama.cpp can only be given ids")))
        }
        Ok((tokenizer, rule)) => {
            add_vocabulary(keys, tokenizer, rule)?;
            Ok(None)
        }
    }
}

/// The name of the rule that cuts text, or why there is none that does the same.
fn pretokenizer(tokenizer: &Tokenizer) -> Result<&'static str, String> {
    if !tokenizer.knows_text() {
        return Err("the model's tokenizer knows ids only".to_owned());
    }
    let artifact = tokenizer.artifact();
    let (rule, takes_whole_pieces) = match artifact.pretokenizer {
        Pretokenizer::Gpt2 => ("gpt-2", false),
        Pretokenizer::Gpt2Digits => ("smollm", false),
        Pretokenizer::Llama3 => ("llama-bpe", true),
        Pretokenizer::Qwen2 => ("qwen2", false),
        Pretokenizer::None => {
            return Err("llama.cpp has no tokenizer that does not cut text into words".to_owned());
        }
        other => return Err(format!("llama.cpp does not know the pretokenizer {other:?}")),
    };
    if artifact.whole_piece_first != takes_whole_pieces && !artifact.merges.is_empty() {
        let order = if takes_whole_pieces { "takes whole pieces" } else { "merges" };
        return Err(format!(
            "with this pretokenizer llama.cpp {order} first, unlike the tokenizer"
        ));
    }
    Ok(rule)
}

fn add_vocabulary(keys: &mut Keys, tokenizer: &Tokenizer, rule: &str) -> Result<(), InteropError> {
    let artifact = tokenizer.artifact();
    let rows = tokenizer.vocab_size();
    let mut tokens: Vec<String> = (0..rows).map(|id| format!("<|unused {id}|>")).collect();
    let mut kinds = vec![Kind::Unused as i32; rows];
    for (text, id) in spelling::vocabulary(tokenizer)? {
        (tokens[id as usize], kinds[id as usize]) = (text, Kind::Normal as i32);
    }
    for token in artifact.extra_tokens.iter().filter(|token| token.match_text) {
        kinds[token.id as usize] = Kind::UserDefined as i32;
    }
    for token in &artifact.control_tokens {
        kinds[token.id as usize] = Kind::Control as i32;
    }
    keys.text("tokenizer.ggml.model", "gpt2");
    keys.text("tokenizer.ggml.pre", rule);
    keys.texts("tokenizer.ggml.tokens", &tokens);
    keys.numbers("tokenizer.ggml.token_type", &kinds);
    keys.texts("tokenizer.ggml.merges", &spelling::merges(tokenizer));
    let (start, end) = (spelling::start_token(tokenizer), tokenizer.end_token());
    // Without a key llama.cpp takes id 11, whatever that is.
    for (key, id) in [("bos", start.or(end)), ("eos", end.or(start))] {
        if let Some(id) = id {
            keys.number(&format!("tokenizer.ggml.{key}_token_id"), id as usize);
        }
    }
    keys.flag("tokenizer.ggml.add_bos_token", tokenizer.start_token().is_some());
    keys.flag("tokenizer.ggml.add_eos_token", false);
    keys.flag("tokenizer.ggml.add_space_prefix", false);
    Ok(())
}
