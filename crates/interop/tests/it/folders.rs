//! Folders that others wrote give the numbers of others.

use std::fs;

use llm_archive::{PortableElement, PortableModel};
use llm_autograd::Kernels;
use llm_interop::hugging_face::{Boundaries, ImportOptions, Imported, import};
use llm_model::KeyValueCache;
use safetensors::SafeTensors;
use serde::Deserialize;

use crate::{FOLDERS, data};

fn imported<E: PortableElement>(folder: &str) -> Imported<E> {
    import(data(folder), &ImportOptions::default()).unwrap_or_else(|e| panic!("{folder}: {e}"))
}

/// The largest difference between our logits and those of the float64 reference.
fn largest_difference<E: PortableElement>(folder: &str) -> f64 {
    let bytes = fs::read(data(folder).join("expected.safetensors")).unwrap();
    let expected = SafeTensors::deserialize(&bytes).unwrap();
    let numbers = |name: &str| {
        let bytes = expected.tensor(name).unwrap().data().to_vec();
        bytes.as_chunks::<8>().0.to_vec()
    };
    let ids: Vec<u32> = numbers("ids").into_iter().map(|b| i64::from_le_bytes(b) as u32).collect();
    let expected: Vec<f64> = numbers("logits").into_iter().map(f64::from_le_bytes).collect();

    let model = imported::<E>(folder).model;
    let mut cache = KeyValueCache::new(model.config(), ids.len()).unwrap();
    let logits = model.extend(Kernels::detect(), &mut cache, &ids).unwrap();
    assert_eq!(logits.data().len(), expected.len());
    let differences = logits.data().iter().zip(&expected).map(|(x, y)| (x.to_f64() - y).abs());
    differences.fold(0.0, f64::max)
}

#[test]
fn logits_are_those_of_the_float64_reference() {
    for folder in FOLDERS {
        let difference = largest_difference::<f64>(folder);
        assert!(difference < 1e-9, "{folder}: {difference:e}");
    }
}

#[test]
fn logits_in_f32_are_near_the_float64_reference() {
    for folder in FOLDERS {
        let difference = largest_difference::<f32>(folder);
        assert!(difference < 2e-5, "{folder}: {difference:e}");
    }
}

#[derive(Deserialize)]
struct Text {
    text: String,
    ids: Vec<u32>,
    framed: Vec<u32>,
}

#[test]
fn texts_get_the_ids_of_the_tokenizers_library() {
    for folder in FOLDERS {
        let Imported { tokenizer, boundaries, .. } = imported::<f32>(folder);
        let tokenizer = tokenizer.unwrap();
        let texts = fs::read(data(folder).join("texts.json")).unwrap();
        for Text { text, ids, framed } in serde_json::from_slice::<Vec<Text>>(&texts).unwrap() {
            assert_eq!(tokenizer.encode(text.as_bytes()).unwrap(), ids, "{folder}: {text:?}");
            assert_eq!(tokenizer.decode(&ids).unwrap(), text.as_bytes(), "{folder}: {text:?}");
            if !text.contains("<|") {
                let start = boundaries.start.filter(|_| boundaries.prepends_start);
                let ours: Vec<u32> = start.into_iter().chain(ids).collect();
                assert_eq!(ours, framed, "{folder}: {text:?}");
            }
        }
    }
}

#[test]
fn the_ends_of_a_document_are_those_that_the_folder_says() {
    let boundaries = |start, end, prepends_start| Boundaries {
        start,
        end: Some(end),
        prepends_start,
        appends_end: false,
    };
    let expected = [
        boundaries(Some(300), 301, true),
        boundaries(Some(0), 0, false),
        boundaries(None, 300, false),
        boundaries(Some(300), 301, true),
    ];
    for (folder, expected) in FOLDERS.into_iter().zip(expected) {
        let imported = imported::<f32>(folder);
        assert_eq!(imported.boundaries, expected, "{folder}");
        let tokenizer = imported.tokenizer.unwrap();
        let start = expected.start.filter(|_| expected.prepends_start);
        assert_eq!((tokenizer.start_token(), tokenizer.end_token()), (start, expected.end));
    }
}

#[test]
fn a_byte_without_a_token_is_an_error_and_never_dropped() {
    let tokenizer = imported::<f32>("smollm2").tokenizer.unwrap();
    let error = tokenizer.encode(b"ship \xf6").unwrap_err().to_string();
    assert_eq!(error, "byte 0xf6 at offset 5 has no token in this vocabulary");
}

#[test]
fn padding_rows_have_no_meaning() {
    let Imported { tokenizer, model, .. } = imported::<f32>("llama3");
    let tokenizer = tokenizer.unwrap();
    assert_eq!((model.config().vocab_size, tokenizer.vocab_size()), (308, 308));
    assert_eq!(tokenizer.spelling(302), "<|turn|>");
    assert_eq!(tokenizer.token_bytes(303), None);
}

#[test]
fn an_added_token_is_found_in_text_and_a_control_token_is_not() {
    let tokenizer = imported::<f32>("qwen2").tokenizer.unwrap();
    assert_eq!(tokenizer.encode(b"<tool_call>   ").unwrap(), [301, 302]);
    assert!(!tokenizer.encode(b"<|end|>").unwrap().contains(&300));
}

#[test]
fn an_imported_model_is_an_archive_with_everything_in_it() {
    for folder in FOLDERS {
        let imported = imported::<f32>(folder);
        let saved = imported.portable().unwrap();
        let loaded = PortableModel::<f32>::from_bytes(&saved.to_bytes()).unwrap();
        assert_eq!(loaded.restore_text(), (imported.model, imported.tokenizer.unwrap()));
    }
}

#[test]
fn without_its_tokenizer_a_model_is_an_archive_that_knows_ids_only() {
    let options = ImportOptions { tokenizer: false };
    let imported = import::<f32>(data("llama3"), &options).unwrap();
    assert_eq!(imported.tokenizer, None);
    assert_eq!(imported.boundaries.start, Some(300)); // as config.json says
    let loaded = PortableModel::<f32>::from_bytes(&imported.portable().unwrap().to_bytes());
    let (model, tokenizer) = loaded.unwrap().restore_text();
    assert_eq!(model, imported.model);
    assert!(!tokenizer.knows_text());
}

#[test]
fn a_head_that_equals_the_embedding_stays_tied() {
    let imported = imported::<f32>("tied");
    assert!(imported.model.config().tied_head && imported.model.config().attention_bias);
    assert_eq!(imported.notes, Vec::<String>::new());
}
