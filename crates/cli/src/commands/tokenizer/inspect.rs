//! `llm tokenizer inspect`.

use std::cmp::Reverse;
use std::path::PathBuf;

use clap::Args;
use practical::tokenizer::{Normalizer, Pretokenizer, TokenId, Tokenizer};
use serde::Serialize;

use super::open;
use crate::output::Report;

/// Show the size, the rules and the longest tokens of a tokenizer
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm tokenizer inspect tokenizer.json
  llm tokenizer inspect tiny.llm --json")]
pub(crate) struct InspectArgs {
    /// The tokenizer's file, or a model's
    tokenizer: PathBuf,
}

#[derive(Serialize)]
struct Inspection {
    sha256: String,
    vocab_size: usize,
    merges: usize,
    /// Byte values without a token: text with one of them cannot be encoded.
    missing_bytes: Vec<u8>,
    normalizer: Normalizer,
    pretokenizer: Pretokenizer,
    document_start: Option<String>,
    document_end: Option<String>,
    control_tokens: Vec<Token>,
    longest_tokens: Vec<Token>,
}

#[derive(Serialize)]
struct Token {
    id: TokenId,
    spelling: String,
}

pub(super) fn run(args: &InspectArgs) -> anyhow::Result<Report> {
    Report::new(&Inspection::of(&open(&args.tokenizer)?))
}

impl Inspection {
    fn of(tokenizer: &Tokenizer) -> Self {
        let artifact = tokenizer.artifact();
        let token = |id: TokenId| Token { id, spelling: tokenizer.spelling(id) };
        let mut longest: Vec<TokenId> = artifact.merges.iter().map(|merge| merge.id).collect();
        longest.sort_by_key(|&id| (Reverse(tokenizer.token_bytes(id).map_or(0, <[u8]>::len)), id));
        longest.dedup();
        let bytes = (0..=u8::MAX).zip(&artifact.byte_ids);
        Self {
            sha256: tokenizer.sha256().to_owned(),
            vocab_size: tokenizer.vocab_size(),
            merges: artifact.merges.len(),
            missing_bytes: bytes.filter(|(_, id)| id.is_none()).map(|(byte, _)| byte).collect(),
            normalizer: artifact.normalizer,
            pretokenizer: artifact.pretokenizer,
            document_start: tokenizer.start_token().map(|id| tokenizer.spelling(id)),
            document_end: tokenizer.end_token().map(|id| tokenizer.spelling(id)),
            control_tokens: artifact.control_tokens.iter().map(|t| token(t.id)).collect(),
            longest_tokens: longest.into_iter().take(10).map(token).collect(),
        }
    }
}
