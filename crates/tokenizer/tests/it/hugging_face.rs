//! The format holds tokenizers that others made, and encodes as their library does.
//!
//! `testdata/hugging_face.py` says how the data was made and with which versions.

use llm_tokenizer::{Normalizer, Pretokenizer, Tokenizer, TokenizerArtifact};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    name: String,
    artifact: TokenizerArtifact,
    texts: Vec<Encoded>,
}

#[derive(Deserialize)]
struct Encoded {
    text: String,
    ids: Vec<u32>,
}

#[derive(Deserialize)]
struct Cut {
    text: String,
    pieces: Vec<String>,
}

#[test]
fn texts_get_the_ids_of_the_hugging_face_library() {
    let cases: Vec<Case> =
        serde_json::from_str(include_str!("../../testdata/hugging_face.json")).unwrap();
    assert_eq!(cases.len(), 6);
    for Case { name, artifact, texts } in cases {
        let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
        let tokenizer = Tokenizer::from_json(&tokenizer.to_json()).unwrap();
        for Encoded { text, ids } in texts {
            assert_eq!(tokenizer.encode(text.as_bytes()).unwrap(), ids, "{name}: {text:?}");
            assert_eq!(tokenizer.decode(&ids).unwrap(), text.as_bytes(), "{name}: {text:?}");
        }
    }
}

#[test]
fn gpt2_pieces_are_those_of_the_regular_expression() {
    let cuts: Vec<Cut> =
        serde_json::from_str(include_str!("../../testdata/gpt2_pieces.json")).unwrap();
    assert!(cuts.len() > 200);
    for Cut { text, pieces } in cuts {
        let ours: Vec<&[u8]> = Pretokenizer::Gpt2.pieces(text.as_bytes()).collect();
        let theirs: Vec<&[u8]> = pieces.iter().map(String::as_bytes).collect();
        assert_eq!(ours, theirs, "{text:?}");
    }
}

#[derive(Deserialize)]
struct Cuts {
    text: String,
    gpt2_digits: Vec<String>,
    llama3: Vec<String>,
    qwen2: Vec<String>,
}

#[test]
fn pieces_of_published_rules_are_those_of_the_hugging_face_library() {
    let cuts: Vec<Cuts> = serde_json::from_str(include_str!("../../testdata/pieces.json")).unwrap();
    assert!(cuts.len() > 200);
    for Cuts { text, gpt2_digits, llama3, qwen2 } in cuts {
        for (rule, theirs) in [
            (Pretokenizer::Gpt2Digits, gpt2_digits),
            (Pretokenizer::Llama3, llama3),
            (Pretokenizer::Qwen2, qwen2),
        ] {
            let ours: Vec<&[u8]> = rule.pieces(text.as_bytes()).collect();
            let theirs: Vec<&[u8]> = theirs.iter().map(String::as_bytes).collect();
            assert_eq!(ours, theirs, "{rule:?}: {text:?}");
        }
    }
}

#[test]
fn a_text_that_normal_form_c_would_change_is_refused_with_the_place() {
    let artifact = TokenizerArtifact {
        normalizer: Normalizer::Nfc,
        ..TokenizerArtifact::trained(Vec::new(), Pretokenizer::None)
    };
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    let composed = "caf\u{e9}".as_bytes();
    assert_eq!(tokenizer.decode(&tokenizer.encode(composed).unwrap()).unwrap(), composed);
    let error = tokenizer.encode_document("caf e\u{301}".as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("the character at offset 4 is not in"), "{error}");
}
