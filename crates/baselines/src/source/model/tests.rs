//! The source against sums by hand, against sampling, and against itself read backwards.

use super::*;
use crate::letters_language;
use llm_metrics::{ExactSum, SplitMix64, mean_estimate};
use llm_tokenizer::{Pretokenizer, TokenizerArtifact, chapter_four_tokenizer};
use proptest::prelude::*;

fn bytes() -> Tokenizer {
    let artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    Tokenizer::from_artifact(artifact).unwrap()
}

fn letters() -> SourceModel {
    SourceModel::new(letters_language(), &bytes()).unwrap()
}

fn one(text: &str, probability: f64, next: Option<usize>) -> Alternative {
    Alternative { text: text.into(), probability, next }
}

#[track_caller]
fn assert_refused(states: Vec<Vec<Alternative>>, expected: &str) {
    let message = SourceGrammar::new(states).unwrap_err().to_string();
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_coin_thrown_until_it_falls_has_the_entropy_of_its_throws() {
    // Four throws on average, each of h(1/4) = 0.811278 bits and one byte.
    let states = vec![vec![one("a", 0.75, Some(0)), one("b", 0.25, None)]];
    let grammar = SourceGrammar::new(states).unwrap();
    assert!((grammar.expected_visits()[0] - 4.0).abs() < 1e-12);
    let entropy = grammar.entropy();
    assert!((entropy.bits_per_document - 3.245_112).abs() < 1e-6);
    assert!((entropy.bytes_per_document - 4.0).abs() < 1e-12);
    assert!((entropy.bits_per_byte() - 0.811_278).abs() < 1e-6);
}

#[test]
fn states_that_are_skipped_and_revisited_are_visited_as_often_as_expected() {
    // 0 goes to 1 or 2; 2 goes back to 0 half of the time; 1 ends.
    // v0 = 1 + v2 / 2, v1 = 0.6 v0 + v2 / 2, v2 = 0.4 v0, so v0 = 1.25, v2 = 0.5, v1 = 1.
    let states = vec![
        vec![one("x", 0.6, Some(1)), one("yy", 0.4, Some(2))],
        vec![one("z", 1.0, None)],
        vec![one("u", 0.5, Some(0)), one("v", 0.5, Some(1))],
    ];
    let grammar = SourceGrammar::new(states).unwrap();
    for (found, expected) in grammar.expected_visits().iter().zip([1.25, 1.0, 0.5]) {
        assert!((found - expected).abs() < 1e-12, "{found}");
    }
    // 1.25 h(0.4) + 0.5 = 1.25 * 0.970951 + 0.5 bits; 1.25 * 1.4 + 1 + 0.5 bytes.
    let entropy = grammar.entropy();
    assert!((entropy.bits_per_document - 1.713_688).abs() < 1e-6);
    assert!((entropy.bytes_per_document - 3.25).abs() < 1e-12);
}

#[test]
fn the_language_has_the_entropy_of_its_choices() {
    // Per sentence four syllables of 2.696824 + 1.846439 bits, a stem of 1.846439, an end of
    // 0.721928; 4 + 6 + 5 + 2 bytes. Five sentences per document.
    let entropy = letters_language().entropy();
    let sentence = 4.0 * (2.696_824 + 1.846_439) + 1.846_439 + 0.721_928;
    assert!((entropy.bits_per_document - 5.0 * sentence).abs() < 2e-5, "{entropy:?}");
    assert!((entropy.bytes_per_document - 85.0).abs() < 1e-9);
}

#[test]
fn drawn_documents_cost_the_entropy_on_average() {
    let grammar = letters_language();
    let mut stream = SplitMix64::new(0);
    let (mut bits, mut lengths) = (Vec::new(), Vec::new());
    for _ in 0..5_000 {
        let text = grammar.document(&mut stream);
        let nats = -grammar.log_probability(&text).expect("a document of the grammar");
        bits.push(llm_metrics::nats_to_bits(nats));
        lengths.push(text.len() as f64);
    }
    let entropy = grammar.entropy();
    for (values, expected) in
        [(bits, entropy.bits_per_document), (lengths, entropy.bytes_per_document)]
    {
        let found = mean_estimate(&values).unwrap();
        let error = found.standard_error.expect("many documents");
        assert!((found.mean - expected).abs() < 3.0 * error, "{found:?}, expected {expected}");
    }
}

#[test]
fn the_verb_ends_as_the_name_before_it() {
    let text = letters_language().document(&mut SplitMix64::new(3));
    let text = String::from_utf8(text).unwrap();
    for sentence in text.trim_end().split_inclusive('.') {
        let words: Vec<&str> = sentence.trim_matches([' ', '.']).split(' ').collect();
        let [name, verb, object] = words[..] else { panic!("{sentence}") };
        assert_eq!(name.chars().last(), verb.chars().last(), "{sentence}");
        assert_eq!((name.len(), verb.len(), object.len()), (4, 5, 4));
    }
}

#[test]
fn what_no_document_begins_with_has_a_uniform_continuation() {
    let model = letters();
    let mut row = vec![0.0; 258];
    let text = |text: &[u8]| text.iter().map(|&byte| TokenId::from(byte) + 2).collect::<Vec<_>>();
    for lost in [vec![], text(b"taki"), [vec![0], text(b"x")].concat(), vec![0, 0], vec![0, 1]] {
        model.fill_row(&lost, &mut row).unwrap();
        assert!(row.iter().all(|&p| p == 1.0 / 258.0), "{lost:?}");
    }
    let whole = [vec![0], text(b"taki heari mosa.\n")].concat();
    model.fill_row(&whole, &mut row).unwrap();
    assert_eq!((row[1], row.iter().sum::<f64>()), (1.0, 1.0));
    model.fill_row(&[&whole[..], &[1]].concat(), &mut row).unwrap();
    assert_eq!(row[1], 1.0 / 258.0); // nothing follows the end
    assert!(model.fill_row(&[0, 258], &mut row).is_err());
}

#[test]
fn only_tokenizers_of_single_bytes_have_a_source() {
    let refused = SourceModel::new(letters_language(), &chapter_four_tokenizer());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("with a token of 2 bytes, expected single bytes"), "{message}");
}

#[test]
fn grammars_that_cannot_be_read_back_are_refused() {
    assert_refused(vec![], "state 0 of the grammar is missing");
    assert_refused(vec![vec![]], "has no alternatives");
    assert_refused(vec![vec![one("", 1.0, None)]], "without text");
    let ambiguous = vec![one("a", 0.5, Some(0)), one("ab", 0.5, None)];
    assert_refused(vec![ambiguous], "told apart");
    assert_refused(vec![vec![one("a", 0.5, None), one("a", 0.5, None)]], "told apart");
    assert_refused(vec![vec![one("a", 0.5, None), one("b", 0.4, None)]], "sum to one");
    assert_refused(vec![vec![one("a", f64::NAN, None)]], "not above 0");
    assert_refused(vec![vec![one("a", 1.0, Some(1))]], "does not exist");
    assert_refused(vec![vec![one("a", 1.0, Some(0))]], "no way to the end");
    let trap = vec![one("a", 0.5, Some(1)), one("b", 0.5, None)];
    assert_refused(vec![trap, vec![one("c", 1.0, Some(1))]], "state 1 of the grammar has no way");
}

#[test]
fn one_changed_probability_is_another_identity() {
    let grammar = |p| {
        let states = vec![vec![one("a", p, Some(0)), one("b", 1.0 - p, None)]];
        SourceModel::new(SourceGrammar::new(states).unwrap(), &bytes()).unwrap().identity()
    };
    assert_eq!(grammar(0.5), grammar(0.5));
    assert_ne!(grammar(0.5), grammar(0.5 + f64::EPSILON));
}

proptest! {
    #[test]
    fn the_rows_of_a_document_multiply_to_its_probability_and_sum_to_one(seed in any::<u64>()) {
        let model = letters();
        let text = model.grammar.document(&mut SplitMix64::new(seed));
        let ids = bytes().encode_document(&text).unwrap();
        let mut row = vec![0.0; 258];
        let mut total = ExactSum::new();
        for position in 1..ids.len() {
            model.fill_row(&ids[..position], &mut row).unwrap();
            prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            total.add(libm::log(row[ids[position] as usize]));
        }
        let expected = model.grammar.log_probability(&text).unwrap();
        prop_assert!((total.value() - expected).abs() < 1e-10, "{} {expected}", total.value());
    }
}
