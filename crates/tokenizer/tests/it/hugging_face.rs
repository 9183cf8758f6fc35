//! The format holds tokenizers that others made, and encodes as their library does.
//!
//! `testdata/hugging_face.py` says how the data was made and with which versions.

use llm_tokenizer::{Pretokenizer, Tokenizer, TokenizerArtifact};
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
