//! What the built-in corpus holds and shares, worked out by hand.

use clap::Parser;
use llm_from_scratch_practical::corpus::{OverlapReport, Partition};
use practical_ch02_prepared_corpus::{Args, Report, refusals, run};

fn report(arguments: &[&str]) -> Report {
    run(&Args::parse_from([&["ch02"], arguments].concat())).unwrap()
}

#[test]
fn the_partitions_are_counted_in_documents_and_bytes() {
    // Lengths of the texts: t1 38, t2 39, t3 55, t4 46; v1 45, v2 39; x1 49, x2 14.
    let report = report(&[]);
    let rows: Vec<_> =
        report.partitions.iter().map(|row| (row.partition, row.documents, row.bytes)).collect();
    let expected =
        [(Partition::Train, 4, 178), (Partition::Validation, 2, 84), (Partition::Test, 2, 63)];
    assert_eq!(rows, expected);
    assert_eq!(report.document_count, 8);
}

#[test]
fn a_documents_digest_is_that_of_its_text() {
    // printf 'No cart today.' | sha256sum
    let documents = report(&[]).documents;
    assert_eq!(documents[7].id, "x2");
    assert_eq!(
        documents[7].sha256,
        "9b01824d8c2981f8760feef0c20df068564d1ef4b20320d546c55b82f92eb59a"
    );
}

fn shared(overlap: &OverlapReport) -> Vec<(&str, &str, usize, usize)> {
    let rows = overlap.shared.iter();
    rows.map(|s| (&*s.document, &*s.example_in, s.ngrams, s.shared)).collect()
}

#[test]
fn the_scan_finds_the_copied_sentence_and_the_borrowed_one() {
    let report = report(&[]);
    let overlap = &report.overlap;
    assert_eq!(report.identical_texts, "none"); // a full stop against an exclamation mark
    assert_eq!(overlap.duplicates.len(), 1);
    let copy = &overlap.duplicates[0];
    assert_eq!((&*copy.document, &*copy.earlier, copy.same_bytes), ("v2", "t2", false));
    // v2 has 9 words, so 5 runs of 5, all in t2. x1 has 8 words, so 4 runs; the first begins with
    // "nobody", the others (counts the loaves before the street wakes) are in t3.
    assert_eq!(shared(overlap), [("v2", "t2", 5, 5), ("x1", "t3", 4, 3)]);
    assert_eq!(overlap.shared[1].example, "counts the loaves before the");
    assert_eq!(report.flagged, ["v2", "x1"]);
    // x2 has three words; nothing else is shorter than five.
    let too_short: Vec<_> = overlap.scanned.iter().map(|part| part.too_short).collect();
    assert_eq!(too_short, [0, 0, 1]);
    assert!(overlap.scope.contains("runs of 5 such words"), "{}", overlap.scope);
}

#[test]
fn shorter_runs_find_more_and_longer_ones_less() {
    // The longest run of x1 in t3 has 7 words.
    let of_x1 = |words: &str| {
        let report = report(&["--ngram-words", words]);
        let found = report.overlap.shared.iter().find(|found| found.document == "x1").cloned();
        found.map(|found| (found.ngrams, found.shared))
    };
    assert_eq!(of_x1("7"), Some((2, 1)));
    assert_eq!(of_x1("8"), None);
    // In single words "no", "cart" and "today" of x2: the first two are in t4.
    let report = report(&["--ngram-words", "1"]);
    assert!(shared(&report.overlap).contains(&("x2", "t4", 3, 2)));
}

#[test]
fn every_damaged_file_is_refused_with_its_line() {
    let refusals = refusals().unwrap();
    assert_eq!(refusals.len(), 14);
    for (file, message) in &refusals {
        let line = match *file {
            "saved with a byte order mark" | "line ends of Windows" => 1,
            "a document too many" => 4, // three are allowed
            "a byte too many" => 3,     // 70 bytes a line, 200 are allowed
            _ => 2,                     // behind a good one
        };
        assert!(message.starts_with(&format!("line {line}: ")), "{file}: {message}");
    }
    let cut = &refusals["a line cut off"];
    assert!(cut.ends_with("EOF while parsing a string at column 13"), "{cut}");
}
