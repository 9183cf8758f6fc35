//! Where the bits went: the decoder's records beside the bytes of their tokens.

use std::slice;

use llm_from_scratch_practical::{evaluation, tokenizer};

use evaluation::{FramedDocument, SurpriseView, collect_records};
use tokenizer::Tokenizer;

use crate::coding::shortest;
use crate::models::{BATCH, Contestant};

/// The shortest document in the surprise view without colours: a line for each target with its
/// bits, its rank and a bar.
///
/// # Errors
/// Without a document; a score that is not finite; for another tokenizer than that of the documents.
pub fn surprise_lines(
    Contestant { model, rule, .. }: &Contestant,
    documents: &[FramedDocument],
    tokenizer: &Tokenizer,
) -> anyhow::Result<Vec<String>> {
    let document = slice::from_ref(shortest(documents)?);
    let (records, _) = collect_records(model.as_ref(), document, *rule, BATCH)?;
    let text = SurpriseView::new(&records, tokenizer)?.to_terminal(false);
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    Ok(lines.map(str::to_owned).collect())
}
