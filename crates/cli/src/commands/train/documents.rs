//! Documents from the files that the plan names, and what each is for.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use anyhow::bail;
use practical::corpus::{Document, InputContent, InputDocument, Partition};
use serde::Serialize;

use super::plan::DataPlan;

/// What was read, and what of it was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct ReadRecord {
    /// Bytes of all texts as they were found, those left out too.
    pub(super) bytes: u64,
    /// Files in folders that have none of the endings.
    pub(super) other_endings_left_out: usize,
    /// Texts without anything but white space.
    pub(super) blank_left_out: usize,
    /// Documents that their record declares for testing.
    pub(super) test_documents_left_out: usize,
}

impl fmt::Display for ReadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, other_endings_left_out, blank_left_out, test_documents_left_out } = self;
        write!(
            f,
            "{bytes} bytes read; left out {other_endings_left_out} file(s) with other endings, \
             {blank_left_out} blank text(s), {test_documents_left_out} document(s) for testing"
        )
    }
}

/// The documents for training and validation, in the order of the files. Who is held out is drawn by
/// the text of each document, unless its record says it.
///
/// A document is called after its file, or as its record says; a piece of a file that is cut after the
/// file with its number.
pub(super) fn read(plan: &DataPlan) -> anyhow::Result<(Vec<Document>, ReadRecord)> {
    let split = plan.split()?;
    let (mut documents, mut record) = (Vec::new(), ReadRecord::default());
    for path in &plan.files {
        for found in crate::documents::read(path, plan.format)? {
            if path.is_dir() && !is_wanted(&found, &plan.endings) {
                record.other_endings_left_out += 1;
                continue;
            }
            let InputContent::Text(text) = found.content else {
                bail!("{}: document `{}` has ids, training needs text", path.display(), found.id);
            };
            record.bytes += text.len() as u64;
            if found.split == Some(Partition::Test) {
                record.test_documents_left_out += 1;
                continue;
            }
            let pieces = match found.is_record {
                true => vec![(found.id, &text[..])],
                false => plan.documents.pieces(&found.id, &text),
            };
            let dark = |(_, piece): &(String, &[u8])| !piece.trim_ascii().is_empty();
            record.blank_left_out += usize::from(!pieces.iter().any(dark));
            documents.extend(pieces.into_iter().filter(dark).map(|(id, piece)| {
                Document::new(id, found.split.unwrap_or_else(|| split.partition(piece)), piece)
            }));
        }
    }
    let mut ids = HashSet::new();
    if let Some(twice) = documents.iter().find(|document| !ids.insert(&document.id)) {
        bail!("two documents are called `{}`: rename one of them", twice.id);
    }
    Ok((documents, record))
}

/// Whether a document of a folder is to be used: records are, and files with one of the endings.
fn is_wanted(document: &InputDocument, endings: &Option<Vec<String>>) -> bool {
    let ending = Path::new(&document.id).extension().unwrap_or_default();
    document.is_record
        || endings.as_ref().is_none_or(|taken| taken.iter().any(|taken| ending == taken.as_str()))
}

#[cfg(test)]
mod tests;
