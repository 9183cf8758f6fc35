//! The numbers of the report, and what is refused.

use std::fs;
use std::path::Path;

use clap::Parser;
use llm_chapter_kit::{refusal, run_program};
use practical_ch23_real_models::{Args, Report, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch23-real-models");

fn report() -> Report {
    run(&Args::parse_from(["ch23"])).unwrap()
}

#[test]
fn losses_are_those_of_pytorch() {
    // interop/train_fixture.py has trained the model and computed these sums in float64.
    let expected = [8.500233440835666, 11.838362855655863, 208.65244375051225];
    for (score, expected) in report().scores.iter().zip(expected) {
        assert!((score.nll - expected).abs() < 1e-9, "{}: {}", score.text, score.nll);
        assert_eq!(score.equals_reference, Some(true));
    }
}

#[test]
fn sizes_are_those_of_the_configuration() {
    let model = report().model;
    // 300 tokens of text, two control tokens, two rows that pad the table.
    assert_eq!((model.vocab_size, model.padding_rows), (304, 2));
    assert_eq!((model.n_heads, model.n_kv_heads, model.head_dim), (4, 2, 8));
    // Embedding 304*16; a block: 16*(32 + 16 + 16) + 32*16 + 3*16*32 and two gains of 16; one gain.
    assert_eq!(model.parameters, 4864 + 2 * (1024 + 512 + 1536 + 32) + 16);
}

#[test]
fn a_document_begins_and_ends_as_the_folder_says_and_text_is_only_text() {
    let text = report().first_text;
    assert_eq!((text.ids[0], text.ids.last()), (300, Some(&301)));
    assert_eq!(text.tokens[0], "<|begin|>");
    assert!(text.end_token_as_text > 1);
}

#[test]
fn without_the_conversion_the_model_is_another_one() {
    let rotary = report().rotary;
    assert_eq!(rotary.our_feature_of_their_row, [0, 2, 4, 6, 1, 3, 5, 7]);
    let all = (8.500233440835666 + 11.838362855655863 + 208.65244375051225) / (21.0 + 21.0 + 22.0);
    assert!((rotary.mean_nll - all).abs() < 1e-9);
    assert!(rotary.mean_nll_unconverted > rotary.mean_nll + 0.1, "{rotary:?}");
}

#[test]
fn the_way_back_loses_nothing() {
    let exported = report().exported;
    assert!(exported.folder_has_same_bits && exported.folder_has_same_tokenizer);
    let left: Vec<usize> = exported.gguf.iter().map(|file| file.left_in_f32).collect();
    // Rows of 32 weights: the attention's output and the way down, in two blocks each. The embedding
    // and the five matrices that read 16 features stay.
    assert_eq!(left, [0, 11, 11]);
    assert!(exported.gguf.iter().all(|file| file.has_tokenizer));
    assert!(exported.gguf[2].bytes < exported.gguf[1].bytes);
}

#[test]
fn a_text_of_ones_own_is_scored_without_a_reference() {
    let report = run(&Args::parse_from(["ch23", "--text", "A boat.", "--text", "x"])).unwrap();
    assert_eq!(report.scores.len(), 2);
    assert_eq!(report.scores[1].equals_reference, None);
    let empty = run(&Args::parse_from(["ch23", "--text", ""])).unwrap();
    assert_eq!((empty.scores[0].targets, empty.scores[0].bits_per_byte), (1, None));
}

#[test]
fn a_folder_may_have_subfolders() {
    let harbour = Path::new(env!("CARGO_MANIFEST_DIR")).join("harbour");
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(harbour).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    fs::create_dir(folder.path().join("onnx")).unwrap();
    let given = run(&Args::parse_from(["ch23", "--folder", folder.path().to_str().unwrap()]));
    assert_eq!(given.unwrap(), report());
}

#[test]
fn folders_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let folder = folder.path().to_str().unwrap();
        refusal(&run_program(Path::new(PROGRAM), ["--folder", folder].iter().chain(arguments)), 1)
    };
    assert!(refused(&[]).contains("config.json: cannot be read"));
    fs::write(folder.path().join("config.json"), "{}").unwrap();
    assert!(refused(&[]).contains("`model_type` is missing"));
}
