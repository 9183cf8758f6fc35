//! Where the bits of a text went: the first text of every writer, as the stronger model reads it.

use std::num::NonZeroUsize;

use llm_from_scratch_practical::evaluation::{
    FramedDocument, LanguageModel, SurpriseView, collect_records,
};
use llm_from_scratch_practical::tokenizer::Tokenizer;

use crate::scores::WHOLE_TEXT;
use crate::writers::Written;

/// A page for a browser with a section for each writer, every byte in the colour of its bits.
///
/// # Errors
/// Without any text; a score that is not finite.
pub fn surprise_page(
    judge: &dyn LanguageModel,
    writers: &[Written],
    tokenizer: &Tokenizer,
) -> anyhow::Result<String> {
    let first: Vec<FramedDocument> =
        writers.iter().filter_map(|written| written.framed.first().cloned()).collect();
    let (records, _) = collect_records(judge, &first, WHOLE_TEXT, NonZeroUsize::MIN)?;
    let view = SurpriseView::new(&records, tokenizer)?;
    Ok(view.to_html("What the stronger model did not expect"))
}
