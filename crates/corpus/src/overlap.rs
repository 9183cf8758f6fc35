//! No text and no document id in two partitions.

use std::collections::HashMap;

use crate::{CorpusError, Document};

/// Refuses documents of different partitions that share their exact text or their id.
///
/// Symbols and phrases may be shared, whole texts may not: a held-out score of a text that was
/// trained on measures memory. Only byte-for-byte equality is seen; near copies and paraphrases
/// pass. A text may stand several times in one partition. Cost: one pass, linear in the bytes.
///
/// # Errors
/// [`CorpusError::Overlap`], naming the first such pair in the order given.
///
/// # Example
/// ```
/// use llm_corpus::{Document, Partition, check_no_overlap};
/// let train = [Document::new("t0", Partition::Train, "aab")];
/// let held_out = [Document::new("v0", Partition::Validation, "aab")];
/// let error = check_no_overlap(train.iter().chain(&held_out)).unwrap_err();
/// assert!(error.to_string().starts_with("documents `t0` (train) and `v0` (validation)"));
/// ```
pub fn check_no_overlap<'a>(
    documents: impl IntoIterator<Item = &'a Document>,
) -> Result<(), CorpusError> {
    // The first document of a text (or id) stands for all: the others of its partition agree with
    // it, and one of another partition is refused on arrival.
    let mut by_text: HashMap<&[u8], &Document> = HashMap::new();
    let mut by_id: HashMap<&str, &Document> = HashMap::new();
    for document in documents {
        let same_text = *by_text.entry(&document.text).or_insert(document);
        let same_id = *by_id.entry(&document.id).or_insert(document);
        for (shared, first) in [("text", same_text), ("id", same_id)] {
            if first.partition != document.partition {
                return Err(CorpusError::Overlap {
                    shared,
                    first: first.id.clone(),
                    first_partition: first.partition,
                    second: document.id.clone(),
                    second_partition: document.partition,
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Partition::{Test, Train, Validation};

    #[test]
    fn distinct_texts_and_repeats_inside_one_partition_pass() {
        let documents = [
            Document::new("t0", Train, "aaab"),
            Document::new("t1", Train, "aab"),
            Document::new("t2", Train, "aab"),
            Document::new("v0", Validation, "abaa"),
            Document::new("v1", Validation, "baa"),
        ];
        check_no_overlap(&documents).unwrap();
        check_no_overlap([]).unwrap();
    }

    #[test]
    fn a_shared_text_or_id_names_both_documents_and_what_they_share() {
        // Bytes that are no UTF-8 and the empty text are texts like any other.
        for text in [&b"\xff\x00"[..], b""] {
            let documents = [
                Document::new("x", Train, text),
                Document::new("y", Train, text),
                Document::new("z", Test, text),
            ];
            let CorpusError::Overlap { shared, first, second, second_partition, .. } =
                check_no_overlap(&documents).unwrap_err()
            else {
                panic!("expected an overlap")
            };
            assert_eq!(
                (shared, first.as_str(), second.as_str(), second_partition),
                ("text", "x", "z", Test)
            );
        }
        let documents = [Document::new("x", Train, "a"), Document::new("x", Validation, "b")];
        let error = check_no_overlap(&documents).unwrap_err();
        assert!(matches!(error, CorpusError::Overlap { shared: "id", .. }), "{error}");
    }
}
