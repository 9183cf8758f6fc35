use super::*;
use crate::Partition::{Test, Train, Validation};
use proptest::prelude::*;

fn scan(n: usize) -> OverlapScan {
    OverlapScan { ngram_words: NonZeroUsize::new(n).unwrap(), ..OverlapScan::default() }
}

#[test]
fn equal_bytes_and_equal_words_are_told_apart() {
    let documents = [
        Document::new("t0", Train, "One two."),
        Document::new("t1", Train, "one  TWO"),
        Document::new("v0", Validation, "one  TWO"),
        Document::new("v1", Validation, "(one, two)"),
        Document::new("v2", Validation, "onetwo"),
        Document::new("x0", Test, "(one, two)"),
    ];
    let found: Vec<_> = scan(3)
        .run(&documents)
        .duplicates
        .into_iter()
        .map(|d| (d.document, d.earlier, d.earlier_partition, d.same_bytes))
        .collect();
    let expected = [
        ("v0", "t1", Train, true),
        ("v1", "t0", Train, false),
        ("x0", "t0", Train, false),
        ("x0", "v1", Validation, true),
    ]
    .map(|(a, b, partition, same)| (a.to_owned(), b.to_owned(), partition, same));
    assert_eq!(found, expected);
}

#[test]
fn texts_without_words_are_duplicates_only_byte_for_byte() {
    let documents = [
        Document::new("t0", Train, "---"),
        Document::new("t1", Train, &b"\xff\xfe"[..]),
        Document::new("v0", Validation, "!!"),
        Document::new("v1", Validation, &b"\xff\xfe"[..]),
    ];
    let report = scan(1).run(&documents);
    assert_eq!(report.duplicates.len(), 1);
    assert_eq!(
        (report.duplicates[0].document.as_str(), report.duplicates[0].same_bytes),
        ("v1", true)
    );
    assert_eq!(report.shared, []);
}

#[test]
fn repeats_inside_a_partition_are_not_reported() {
    let documents = [Document::new("t0", Train, "a b c d"), Document::new("t1", Train, "a b c d")];
    let report = scan(2).run(&documents);
    assert_eq!((report.duplicates.len(), report.shared.len()), (0, 0));
    assert_eq!(report.scanned.len(), 1);
    assert_eq!((report.scanned[0].documents, report.scanned[0].ngrams), (2, 6));
}

#[test]
fn shared_runs_are_counted_by_place_and_short_documents_are_named() {
    let documents = [
        Document::new("t0", Train, "x a b y"),
        Document::new("t1", Train, "a b a b"),
        Document::new("v0", Validation, "A b; a B! c"), // ab ba ab bc: all but the last are shared
        Document::new("v1", Validation, "c"),
        Document::new("x0", Test, "b c d"),
    ];
    let report = scan(2).run(&documents);
    let expected = [("v0", Train, 4, 3, "a b", "t0"), ("x0", Validation, 2, 1, "b c", "v0")];
    assert_eq!(report.shared.len(), expected.len(), "{report:?}");
    for (given, expected) in report.shared.iter().zip(expected) {
        let given = (
            given.document.as_str(),
            given.earlier_partition,
            given.ngrams,
            given.shared,
            given.example.as_str(),
            given.example_in.as_str(),
        );
        assert_eq!(given, expected);
    }
    let short: Vec<_> =
        report.scanned.iter().map(|part| (part.partition, part.too_short)).collect();
    assert_eq!(short, [(Train, 0), (Validation, 1), (Test, 0)]);

    let from_two = OverlapScan { report_from: NonZeroUsize::new(2).unwrap(), ..scan(2) };
    assert_eq!(from_two.run(&documents).shared.len(), 1);
    assert!(report.scope.contains("runs of 2 such words") && report.scope.contains("paraphrases"));
}

#[test]
fn nothing_to_compare_finds_nothing() {
    let report = OverlapScan::default().run(&[]);
    assert_eq!((report.scanned.len(), report.duplicates.len(), report.shared.len()), (0, 0, 0));
}

proptest! {
    /// Against a second way: every n-gram as a list of words, looked up in all others.
    #[test]
    fn any_bound_on_memory_finds_what_the_definition_finds(
        texts in prop::collection::vec(("[ab ]{0,12}", 0_usize..3), 0..8),
        n in 1_usize..4,
        in_memory in 1_usize..12,
    ) {
        let documents: Vec<Document> = (0..)
            .zip(&texts)
            .map(|(i, (text, part))| {
                Document::new(format!("d{i}"), [Train, Validation, Test][*part], text.as_str())
            })
            .collect();
        let ngrams = |document: &Document| -> Vec<Vec<String>> {
            let text = String::from_utf8(document.text.clone()).unwrap();
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            words.windows(n).map(<[String]>::to_vec).collect()
        };
        let mut expected = Vec::new();
        for (later, earlier) in [(Validation, Train), (Test, Train), (Test, Validation)] {
            let earlier_ngrams: Vec<_> =
                documents.iter().filter(|d| d.partition == earlier).flat_map(ngrams).collect();
            for document in documents.iter().filter(|d| d.partition == later) {
                let own = ngrams(document);
                let shared = own.iter().filter(|ngram| earlier_ngrams.contains(ngram)).count();
                if shared > 0 {
                    expected.push((document.id.clone(), earlier, own.len(), shared));
                }
            }
        }
        let ngrams_in_memory = NonZeroUsize::new(in_memory).unwrap();
        let report = OverlapScan { ngrams_in_memory, ..scan(n) }.run(&documents);
        let found: Vec<_> = report
            .shared
            .into_iter()
            .map(|s| (s.document, s.earlier_partition, s.ngrams, s.shared))
            .collect();
        prop_assert_eq!(found, expected);
    }
}
