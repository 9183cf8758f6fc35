//! Counts, probabilities and surprise, worked out by hand.

use clap::Parser;
use practical_ch01_text_and_counts::{Args, Report, run};

fn report(arguments: &[&str]) -> Report {
    run(&Args::parse_from([&["ch01"], arguments].concat())).unwrap()
}

#[test]
fn a_text_is_its_bytes_and_an_id_is_a_byte_plus_two() {
    // UTF-8 writes an e with an acute accent as the two bytes 195 and 169.
    let report = report(&["--document", "é", "--document", ""]);
    assert_eq!(report.documents[0].bytes, [195, 169]);
    assert_eq!(report.documents[0].ids, [0, 197, 171, 1]);
    assert_eq!(report.documents[0].transitions, 3);
    assert_eq!((&report.documents[1].ids[..], report.documents[1].transitions), (&[0, 1][..], 1));
    assert_eq!(report.transitions, 4);
}

#[test]
fn the_transitions_of_two_documents_are_these() {
    // banana:  start b a n a n a end        start-b 1, b-a 1, a-n 2, n-a 2, a-end 1
    // bandana: start b a n d a n a end      start-b 1, b-a 1, a-n 2, n-d 1, d-a 1, n-a 1, a-end 1
    let report = report(&[]);
    let counts: Vec<_> = report.counts.iter().map(|c| (&*c.previous, &*c.next, c.count)).collect();
    let expected = [
        ("<|bos|>", "b", 2),
        ("a", "<|eos|>", 2),
        ("a", "n", 4),
        ("b", "a", 2),
        ("d", "a", 1),
        ("n", "a", 3),
        ("n", "d", 1),
    ];
    assert_eq!(counts, expected);
    assert_eq!(report.transitions, 15); // 7 + 8
}

#[test]
fn the_surprise_of_the_sentence_is_the_one_computed_by_hand() {
    // (count + 1) / (seen + 258) for start-b, b-a, a-n, n-d, d-end.
    let report = report(&[]);
    let fractions = [(3.0, 260.0), (3.0, 260.0), (5.0, 264.0), (2.0, 262.0), (1.0, 259.0)];
    let sentence = &report.sentence;
    assert_eq!(sentence.targets.len(), 5);
    for (target, (above, below)) in sentence.targets.iter().zip(fractions) {
        assert_eq!(target.probability, above / below, "{target:?}");
        let nats = f64::ln(below / above);
        assert!((target.nats - nats).abs() < 1e-14, "{target:?}");
        assert!((target.bits - nats / std::f64::consts::LN_2).abs() < 1e-13, "{target:?}");
    }
    // All five probabilities multiplied: 3 * 3 * 5 * 2 * 1 = 90 above the line.
    let below = 260.0 * 260.0 * 264.0 * 262.0 * 259.0;
    assert!((sentence.total_nll - (below / 90.0_f64).ln()).abs() < 1e-13);
    assert_eq!(sentence.metrics.target_count, 5);
    assert!((sentence.metrics.mean_nll - sentence.total_nll / 5.0).abs() < 1e-15);
    let fifth_root = (below / 90.0_f64).powf(0.2);
    assert!((sentence.metrics.perplexity - fifth_root).abs() < 1e-11);
    assert!((sentence.uniform_nll - 258.0_f64.ln()).abs() < 1e-15);
}

#[test]
fn every_row_sums_to_one_whatever_was_counted() {
    for arguments in [&[][..], &["--document", ""], &["--document", "the theory of the thing"]] {
        let sums = report(arguments).row_sums;
        assert_eq!(sums.rows, 258);
        assert!((sums.smallest - 1.0).abs() < 1e-14 && (sums.largest - 1.0).abs() < 1e-14);
    }
}

#[test]
fn an_unknown_context_is_answered_like_a_guess() {
    // z was never seen: (0 + 1) / (0 + 258) for whatever follows it.
    let report = report(&["--sentence", "zq"]);
    let target = &report.sentence.targets[1];
    assert_eq!((target.count, target.seen, target.probability), (0, 0, 1.0 / 258.0));
}

#[test]
fn a_counted_document_is_less_surprising_than_the_same_letters_shuffled() {
    let mean = |text| report(&["--sentence", text]).sentence.metrics.mean_nll;
    assert!(mean("banana") < mean("nabana"));
}
