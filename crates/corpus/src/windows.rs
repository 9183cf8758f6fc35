//! Long documents as consecutive windows, for training.
//!
//! A document of `n` ids has `n - 1` (input, target) pairs. A window takes the next `capacity`
//! pairs; its first input is the last target of the window before, so every target comes exactly
//! once and the start token stands in the first window only. Each window keeps the document's
//! name, and is computed from position 0 without the tokens before it. (Overlapping windows,
//! which give back some of that context, are a way to evaluate.)

use crate::{CorpusError, EncodedDocument};

/// Cuts a document into windows of at most `capacity` inputs.
///
/// Windows without a scored target are left out, since nothing could be learned from them.
///
/// # Errors
/// [`CorpusError::LongerThanCapacity`] for a capacity of 0.
///
/// # Example
/// ```
/// use llm_corpus::{EncodedDocument, Partition, windows};
/// let long = EncodedDocument::from_ids("x", Partition::Train, vec![0, 5, 6, 7, 8, 1])?;
/// let windows = windows(&long, 2)?; // pairs 0>5 5>6 | 6>7 7>8 | 8>1
/// let ids: Vec<_> = windows.iter().map(EncodedDocument::ids).collect();
/// assert_eq!(ids, [&[0, 5, 6][..], &[6, 7, 8], &[8, 1]]);
/// # Ok::<(), llm_corpus::CorpusError>(())
/// ```
pub fn windows(
    document: &EncodedDocument,
    capacity: usize,
) -> Result<Vec<EncodedDocument>, CorpusError> {
    let targets = document.target_count();
    if capacity == 0 {
        let document = document.id().to_owned();
        return Err(CorpusError::LongerThanCapacity { document, inputs: targets, capacity });
    }
    let starts = (0..targets).step_by(capacity);
    let spans = starts.map(|start| start..targets.min(start.saturating_add(capacity)));
    spans
        .map(|span| (span.clone(), span.map(|t| document.is_scored(t)).collect::<Vec<_>>()))
        .filter(|(_, scored)| scored.contains(&true))
        .map(|(span, scored)| {
            let ids = document.ids()[span.start..=span.end].to_vec();
            EncodedDocument::from_ids(document.id(), document.partition(), ids)?.with_scored(scored)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Partition;
    use proptest::prelude::*;

    #[test]
    fn a_document_that_fits_is_one_window() {
        let document = EncodedDocument::from_ids("x", Partition::Test, vec![0, 5, 1]).unwrap();
        for capacity in [2, 3, usize::MAX] {
            assert_eq!(windows(&document, capacity).unwrap(), std::slice::from_ref(&document));
        }
    }

    #[test]
    fn a_capacity_of_zero_is_refused() {
        let document = EncodedDocument::from_ids("x", Partition::Test, vec![0, 5, 1]).unwrap();
        let error = windows(&document, 0).unwrap_err();
        assert!(matches!(error, CorpusError::LongerThanCapacity { inputs: 2, capacity: 0, .. }));
    }

    proptest! {
        #[test]
        fn every_scored_target_comes_once_with_its_input(
            len in 2_usize..60,
            capacity in 1_usize..12,
            flags in prop::collection::vec(any::<bool>(), 60),
            partly in any::<bool>(),
        ) {
            // Ids are their own positions, so a pair says where it is from.
            let ids: Vec<u32> = (0..len as u32).collect();
            let mut document = EncodedDocument::from_ids("x", Partition::Train, ids).unwrap();
            if partly && flags[..len - 1].contains(&true) {
                document = document.with_scored(flags[..len - 1].to_vec()).unwrap();
            }
            let windows = windows(&document, capacity).unwrap();
            let mut pairs = Vec::new();
            for window in &windows {
                prop_assert_eq!((window.id(), window.partition()), ("x", Partition::Train));
                prop_assert!(window.target_count() <= capacity);
                prop_assert!(!window.ids()[1..].contains(&0)); // the start token is never inside
                let scored = (0..window.target_count()).filter(|&t| window.is_scored(t));
                pairs.extend(scored.map(|t| (window.ids()[t], window.ids()[t + 1])));
            }
            let expected: Vec<_> = (0..len - 1)
                .filter(|&t| document.is_scored(t))
                .map(|t| (t as u32, t as u32 + 1))
                .collect();
            prop_assert_eq!(pairs, expected);
            let whole = document.scored_count() == len - 1;
            prop_assert!(!whole || windows.len() == (len - 1).div_ceil(capacity));
        }
    }
}
