//! Saving, strict loading and refusals.

use llm_tokenizer::{
    ControlRole, ControlToken, MAX_ARTIFACT_BYTES, MAX_VOCAB_SIZE, Merge, Pretokenizer, Tokenizer,
    TokenizerArtifact, TokenizerError, chapter_four_tokenizer,
};
use proptest::prelude::*;

use crate::strategies::wild_artifact;

fn chapter_four_json() -> String {
    String::from_utf8(chapter_four_tokenizer().to_json()).unwrap()
}

fn chapter_four_artifact() -> TokenizerArtifact {
    chapter_four_tokenizer().artifact().clone()
}

/// Why the chapter-4 artifact is refused after `edit`.
fn refusal(edit: impl FnOnce(&mut TokenizerArtifact)) -> TokenizerError {
    let mut artifact = chapter_four_artifact();
    edit(&mut artifact);
    Tokenizer::from_artifact(artifact).unwrap_err()
}

/// Why the chapter-4 JSON is refused after the first `from` was replaced by `to`.
fn json_refusal(from: &str, to: &str) -> TokenizerError {
    let json = chapter_four_json();
    assert!(json.contains(from), "{from} is not in the artifact");
    Tokenizer::from_json(json.replacen(from, to, 1).as_bytes()).unwrap_err()
}

#[test]
fn what_is_saved_can_be_loaded() {
    let tokenizer = chapter_four_tokenizer();
    let loaded = Tokenizer::from_json(&tokenizer.to_json()).unwrap();
    assert_eq!(loaded, tokenizer);
    assert_eq!(loaded.sha256(), tokenizer.sha256());
    assert_eq!(loaded.artifact(), tokenizer.artifact());
}

#[test]
fn the_json_is_one_line_with_sorted_keys() {
    let json = chapter_four_json();
    assert!(json.starts_with(r#"{"byte_ids":[2,3,4,"#), "{json}");
    assert!(json.ends_with(r#""vocab_size":266,"whole_piece_first":false}"#), "{json}");
    assert!(json.contains(r#""control_tokens":[{"id":0,"role":"start","text":"<|bos|>"},"#));
    assert!(json.contains(r#""merges":[{"id":258,"left":106,"right":103},"#));
    assert!(!json.contains(char::is_whitespace));
    let mut keys: Vec<&str> = json.split('"').skip(1).step_by(2).collect();
    keys.retain(|key| json.contains(&format!("\"{key}\":")));
    let top = [
        "byte_ids",
        "control_tokens",
        "document_end",
        "document_start",
        "extra_tokens",
        "format_version",
        "merges",
        "normalizer",
        "pretokenizer",
        "vocab_size",
        "whole_piece_first",
    ];
    assert!(top.is_sorted());
    keys.retain(|key| top.contains(key));
    assert_eq!(keys, top);
}

#[test]
fn equality_is_equality_of_artifacts() {
    let mut artifact = chapter_four_artifact();
    artifact.control_tokens[0].text = "<s>".to_owned();
    let other = Tokenizer::from_artifact(artifact).unwrap();
    assert_ne!(other, chapter_four_tokenizer());
    assert_ne!(other.sha256(), chapter_four_tokenizer().sha256());
    assert!(format!("{other:?}").contains(other.sha256()));
}

#[test]
fn other_spellings_of_the_same_artifact_are_refused_where_they_differ() {
    let json = chapter_four_json();
    let offset = |from: &str, to: &str| match json_refusal(from, to) {
        TokenizerError::NotCanonical { offset } => offset,
        other => panic!("{from} -> {to}: {other}"),
    };
    assert_eq!(offset("{\"byte_ids\"", " {\"byte_ids\""), 0);
    assert_eq!(offset(":[2,", ":[2, "), 15); // {"byte_ids":[2, has 15 bytes
    assert_eq!(offset(":false}", ":false}\n"), json.len());
    let slash = json.find("<|bos").unwrap();
    assert_eq!(offset("<|bos", "\\u003c|bos"), slash);
    let swapped = r#""document_start":0,"document_end":1"#;
    let in_order = r#""document_end":1,"document_start":0"#;
    assert_eq!(offset(in_order, swapped), json.find(in_order).unwrap() + "\"document_".len());
    // A missing optional field means null, but null must be written.
    assert_eq!(offset(r#""document_end":1,"#, ""), json.find(in_order).unwrap() + 10);
}

#[test]
fn json_of_another_shape_is_refused() {
    for (from, to, expected) in [
        ("\"merges\"", "\"rules\"", "unknown field `rules`"),
        ("{\"id\":258,", "{\"id\":258,\"rank\":0,", "unknown field `rank`"),
        ("\"whole_piece_first\":false", "\"whole_piece_first\":0", "invalid type: integer `0`"),
        ("\"normalizer\":\"none\",", "", "missing field `normalizer`"),
        ("\"vocab_size\":266", "\"vocab_size\":266,\"vocab_size\":266", "duplicate field"),
        ("\"vocab_size\":266", "\"vocab_size\":-1", "invalid value: integer `-1`"),
        ("\"vocab_size\":266", "\"vocab_size\":266.0", "floating point `266.0`"),
        ("\"vocab_size\":266", "\"vocab_size\":4294967296", "integer `4294967296`"),
        ("\"role\":\"start\"", "\"role\":\"begin\"", "unknown variant `begin`"),
        ("\"pretokenizer\":\"none\"", "\"pretokenizer\":\"gpt9\"", "unknown variant `gpt9`"),
        ("\"normalizer\":\"none\"", "\"normalizer\":\"nfkc\"", "unknown variant `nfkc`"),
        (":false}", ":false} x", "trailing characters"),
        (":false}", ":false", "EOF"),
    ] {
        let error = json_refusal(from, to);
        assert!(matches!(error, TokenizerError::Json { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains(expected) && message.contains("column"), "{message}");
    }
    for bytes in [&b""[..], b"null", b"[]", b"\xff\xfe", b"{\"format_version\":1}"] {
        let error = Tokenizer::from_json(bytes).unwrap_err();
        assert!(matches!(error, TokenizerError::Json { .. }), "{error}");
    }
}

#[test]
fn another_format_version_is_named_even_if_its_fields_are_unknown() {
    for json in ["{\"format_version\":2}", "{\"vocabulary\":[{}],\"format_version\":2}"] {
        let error = Tokenizer::from_json(json.as_bytes()).unwrap_err();
        assert!(matches!(error, TokenizerError::FormatVersion { given: 2 }), "{error}");
    }
    let error = refusal(|artifact| artifact.format_version = 0);
    assert!(matches!(error, TokenizerError::FormatVersion { given: 0 }), "{error}");
}

#[test]
fn oversize_artifacts_are_refused_before_they_are_read() {
    let error = Tokenizer::from_json(&vec![0; MAX_ARTIFACT_BYTES + 1]).unwrap_err();
    assert!(matches!(error, TokenizerError::TooLarge { given: 0x400_0001, .. }), "{error}");
    let error = refusal(|artifact| artifact.vocab_size = MAX_VOCAB_SIZE + 1);
    assert!(matches!(error, TokenizerError::TooLarge { given: 0x40_0001, .. }), "{error}");
    // Thirty merges, each of the token before with itself, would spell a token of 2^30 bytes.
    let error = refusal(|artifact| {
        let doubling = (258..).zip((257..287).map(|id| (id, id)));
        let merges = doubling.map(|(id, (left, right))| Merge { id, left, right });
        *artifact = TokenizerArtifact::trained(merges.collect(), Pretokenizer::None);
    });
    // The tokens of 1, 2, .. 2^25 bytes have 2^26 - 1 together, the other byte tokens 255.
    assert!(matches!(error, TokenizerError::TooLarge { given: 0x400_00fe, .. }), "{error}");
}

#[test]
fn ids_out_of_range_are_refused_with_their_place() {
    let place = |edit: fn(&mut TokenizerArtifact)| match refusal(edit) {
        TokenizerError::IdOutOfRange { at, id: 266.., vocab_size: 266 } => at,
        other => panic!("{other}"),
    };
    assert_eq!(place(|artifact| artifact.byte_ids[7] = Some(266)), "byte_ids[7]");
    assert_eq!(place(|artifact| artifact.merges[7].id = u32::MAX), "merges[7].id");
    assert_eq!(place(|artifact| artifact.control_tokens[1].id = 266), "control_tokens[1].id");
}

#[test]
fn ids_of_two_meanings_are_refused_with_their_place() {
    let place = |edit: fn(&mut TokenizerArtifact)| match refusal(edit) {
        TokenizerError::IdDefinedTwice { at, .. } => at,
        other => panic!("{other}"),
    };
    assert_eq!(place(|artifact| artifact.byte_ids[7] = Some(8)), "byte_ids[7]");
    assert_eq!(place(|artifact| artifact.merges[0].id = 99), "merges[0].id");
    assert_eq!(place(|artifact| artifact.merges[7].id = 262), "merges[7].id");
    assert_eq!(place(|artifact| artifact.control_tokens[1].id = 0), "control_tokens[1].id");
    assert_eq!(place(|artifact| artifact.control_tokens[1].id = 99), "control_tokens[1].id");
}

#[test]
fn ids_used_before_they_mean_something_are_refused_with_their_place() {
    let place = |edit: fn(&mut TokenizerArtifact)| match refusal(edit) {
        TokenizerError::UndefinedId { at, .. } => at,
        other => panic!("{other}"),
    };
    // Merge 1 joins t and the token of merge 0: in the other order it comes too early.
    assert_eq!(place(|artifact| artifact.merges.swap(0, 1)), "merges[0].right");
    assert_eq!(place(|artifact| artifact.merges[2].left = 260), "merges[2].left");
    assert_eq!(place(|artifact| artifact.merges[2].left = 9999), "merges[2].left");
    assert_eq!(place(|artifact| artifact.merges[2].right = 0), "merges[2].right");
    assert_eq!(place(|artifact| artifact.byte_ids[usize::from(b'h')] = None), "merges[0].left");
    assert_eq!(place(|artifact| artifact.document_start = Some(99)), "document_start");
    assert_eq!(place(|artifact| artifact.document_end = Some(9999)), "document_end");
}

#[test]
fn other_broken_rules_are_refused_with_their_place() {
    let place = |edit: fn(&mut TokenizerArtifact)| match refusal(edit) {
        TokenizerError::Malformed { at, .. } => at,
        other => panic!("{other}"),
    };
    assert_eq!(place(|artifact| artifact.byte_ids.truncate(255)), "byte_ids");
    assert_eq!(place(|artifact| artifact.byte_ids.push(None)), "byte_ids");
    assert_eq!(place(|artifact| artifact.control_tokens[0].text.clear()), "control_tokens[0].text");
    let twice = |artifact: &mut TokenizerArtifact| {
        let text = artifact.control_tokens[0].text.clone();
        artifact.control_tokens[1] = ControlToken { id: 1, role: ControlRole::End, text };
    };
    assert_eq!(place(twice), "control_tokens[1].text");
    let same_pair = |artifact: &mut TokenizerArtifact| {
        artifact.merges[7] = Merge { id: 265, ..artifact.merges[3] };
    };
    assert_eq!(place(same_pair), "merges[7]");
}

#[test]
fn two_merges_may_spell_the_same_token() {
    // a + bc and ab + c are both 260.
    let merge = |id, left, right| Merge { id, left, right };
    let merges =
        vec![merge(258, 99, 100), merge(259, 100, 101), merge(260, 258, 101), merge(260, 99, 259)];
    let mut artifact = TokenizerArtifact::trained(merges, Pretokenizer::None);
    artifact.vocab_size = 261;
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    assert_eq!(tokenizer.encode(b"abc").unwrap(), [260]);
    assert_eq!(tokenizer.token_bytes(260), Some(&b"abc"[..]));
}

#[test]
fn no_changed_byte_goes_unnoticed() {
    let original = chapter_four_tokenizer();
    let json = original.to_json();
    for position in 0..json.len() {
        for change in [0x01, 0x10, 0x80] {
            let mut changed = json.clone();
            changed[position] ^= change;
            if let Ok(other) = Tokenizer::from_json(&changed) {
                assert_ne!(other.sha256(), original.sha256(), "byte {position}");
                assert_eq!(other.to_json(), changed, "byte {position}");
            }
        }
        assert!(Tokenizer::from_json(&json[..position]).is_err(), "first {position} bytes");
    }
}

proptest! {
    #[test]
    fn every_valid_artifact_survives_its_json(artifact in wild_artifact()) {
        let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
        prop_assert_eq!(Tokenizer::from_json(&tokenizer.to_json()).unwrap(), tokenizer);
    }

    #[test]
    fn no_bytes_make_loading_panic(json in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Tokenizer::from_json(&json).is_err());
    }
}
