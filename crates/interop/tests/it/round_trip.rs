//! Out and in again is the same model, to the last bit.

use std::fs;

use llm_archive::PortableElement;
use llm_interop::InteropError;
use llm_interop::hugging_face::{Boundaries, ImportOptions, Imported, export, import};
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::{
    ControlRole, ControlToken, ExtraToken, Pretokenizer, Tokenizer, TokenizerArtifact,
    TrainingConfig, WeightedDocument, chapter_four_tokenizer, train,
};
use proptest::prelude::*;

use crate::{FOLDERS, data};

fn round_trip<E: PortableElement>(
    model: &DecoderModel<E>,
    tokenizer: Option<&Tokenizer>,
) -> Imported<E> {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("a/b");
    export(model, tokenizer, &dir).unwrap();
    import(&dir, &ImportOptions { tokenizer: tokenizer.is_some() }).unwrap()
}

#[test]
fn imported_folders_come_back_with_the_same_bits() {
    for folder in FOLDERS {
        let first = import::<f32>(data(folder), &ImportOptions::default()).unwrap();
        let again = round_trip(&first.model, first.tokenizer.as_ref());
        assert_eq!(again.model, first.model, "{folder}");
        assert_eq!(again.tokenizer, first.tokenizer, "{folder}");
        // A token has one role here: one that ends documents and never begins them is an end.
        let mut expected = first.boundaries;
        if expected.start == expected.end && !expected.prepends_start {
            expected.start = None;
        }
        assert_eq!(again.boundaries, expected, "{folder}");
    }
}

#[test]
fn a_model_trained_here_comes_back_in_f64() {
    let tokenizer = chapter_four_tokenizer();
    let config = DecoderConfig::reference(tokenizer.vocab_size(), 8).validate().unwrap();
    let model = DecoderModel::<f64>::initialize(config, 39);
    let again = round_trip(&model, Some(&tokenizer));
    assert_eq!(again.model, model);
    assert_eq!(again.tokenizer.unwrap().sha256(), tokenizer.sha256());
    let expected =
        Boundaries { start: Some(0), end: Some(1), prepends_start: true, appends_end: false };
    assert_eq!(again.boundaries, expected);
}

#[test]
fn f64_weights_are_refused_as_f32() {
    let config = DecoderConfig::reference(266, 8).validate().unwrap();
    let dir = tempfile::tempdir().unwrap();
    export(&DecoderModel::<f64>::initialize(config, 1), None, dir.path()).unwrap();
    let error = import::<f32>(dir.path(), &ImportOptions { tokenizer: false }).unwrap_err();
    assert!(error.to_string().contains("tensor `model.embed_tokens.weight` is of type F64"));
}

#[test]
fn a_folder_with_files_in_it_is_left_as_it_is() {
    let model =
        DecoderModel::<f32>::initialize(DecoderConfig::reference(266, 8).validate().unwrap(), 1);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("precious");
    fs::write(&file, "text").unwrap();
    for target in [dir.path(), &file] {
        let error = export(&model, None, target).unwrap_err();
        assert!(matches!(error, InteropError::Target { .. }), "{error}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"text");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_vocabulary_that_the_format_cannot_hold_is_refused_before_anything_is_written() {
    let spoiled = |spoil: fn(&mut TokenizerArtifact)| {
        let mut artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
        artifact.vocab_size += 1;
        spoil(&mut artifact);
        let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
        let config = DecoderConfig::reference(259, 8).validate().unwrap();
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("new");
        let model = DecoderModel::<f32>::initialize(config, 1);
        let message = export(&model, Some(&tokenizer), &dir).unwrap_err().to_string();
        assert!(!dir.exists());
        message
    };
    let twice = spoiled(|artifact| {
        let extra = ExtraToken { bytes: b"a".to_vec(), id: 258, match_text: false };
        artifact.extra_tokens = vec![extra];
    });
    assert!(twice.contains("tokens 99 and 258 would both be spelled \"a\""), "{twice}");
    let binary = spoiled(|artifact| {
        let extra = ExtraToken { bytes: vec![0xff], id: 258, match_text: true };
        artifact.extra_tokens = vec![extra];
    });
    assert!(binary.contains("token 258 is matched in text but is no UTF-8"), "{binary}");
}

fn some_pretokenizer() -> impl Strategy<Value = Pretokenizer> {
    prop::sample::select(vec![
        Pretokenizer::None,
        Pretokenizer::Gpt2,
        Pretokenizer::Gpt2Digits,
        Pretokenizer::Llama3,
        Pretokenizer::Qwen2,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn models_of_any_shape_and_tokenizer_come_back(
        seed: u64,
        (heads, kv_heads) in prop::sample::select(vec![(1, 1), (2, 1), (4, 2), (3, 3)]),
        head_dim in prop::sample::select(vec![2, 4, 6]),
        n_layers in 1..3_usize,
        tied_head: bool,
        attention_bias: bool,
        pretokenizer in some_pretokenizer(),
        text in prop::collection::vec(any::<u8>(), 0..60),
        control in prop::option::of("[a-z<|>é ]{1,8}"),
    ) {
        let training = TrainingConfig { merges: 8, minimum_count: 1, pretokenizer };
        let learned = train(&[WeightedDocument::once(&text)], &training).unwrap();
        let merges = learned.iter().map(|step| step.merge).collect();
        let mut artifact = TokenizerArtifact::trained(merges, pretokenizer);
        if let Some(text) = control {
            let id = artifact.vocab_size;
            // Longer than one character, else it is spelled as a byte.
            artifact.control_tokens.push(ControlToken { id, role: ControlRole::Other, text: text + "<|>" });
            artifact.vocab_size += 2; // and a padding row
        }
        let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
        let config = DecoderConfig {
            d_model: 2 * heads, n_heads: heads, n_kv_heads: kv_heads, head_dim, n_layers, tied_head,
            attention_bias, ..DecoderConfig::reference(tokenizer.vocab_size(), 8)
        };
        let model = DecoderModel::<f32>::initialize(config.validate().unwrap(), seed);
        let again = round_trip(&model, Some(&tokenizer));
        prop_assert_eq!(again.model, model);
        prop_assert_eq!(again.tokenizer.unwrap(), tokenizer);
    }
}
