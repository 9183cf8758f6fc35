//! What the file looks like, and what is refused.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use practical_ch15_portable_model::{
    Args, Command, ModelFile, OpenedModel, Report, damages, layout, open, run, trained_model,
    try_changed_bytes,
};

fn save(path: &Path) -> OpenedModel {
    let command = Some(Command::Save(ModelFile { model: path.to_owned() }));
    match run(&Args { command, every: NonZeroUsize::MIN }).unwrap() {
        Report::Model(model) => model,
        Report::Inspection(_) => panic!("a saved model"),
    }
}

/// 2792 weights: 266 * 8 in the embedding, four matrices of 8 * 8, three of 8 * 16, three gains of 8.
#[test]
fn the_parts_of_the_file_follow_each_other_to_its_end() {
    let bytes = trained_model().unwrap().to_bytes();
    let parts = layout(&bytes).unwrap();
    assert_eq!((parts[0].from, parts[0].to), (0, 8));
    assert!(parts.windows(2).all(|pair| pair[0].to == pair[1].from));
    assert_eq!(parts.last().unwrap().to, bytes.len() as u64);
    assert_eq!(parts.len(), 2 + 11);
    assert_eq!(parts[2].part, "token_embedding.weight");
    assert_eq!(parts[2].to - parts[2].from, 266 * 8 * 8);
    assert_eq!(parts[12].to - parts[2].from, 2792 * 8);
    assert!(parts[2].from.is_multiple_of(8));
}

#[test]
fn every_damage_is_refused_with_a_message_about_it() {
    let bytes = trained_model().unwrap().to_bytes();
    let damages = damages(&bytes).unwrap();
    assert_eq!(damages.len(), 11);
    for (damage, word) in damages.iter().zip([
        "damaged", "bytes", "bytes", "header", "bytes", "missing", "extra", "place", "shape",
        "type", "finite",
    ]) {
        let refusal = damage.refusal.as_ref().unwrap_or_else(|| panic!("{damage:?}"));
        assert!(refusal.contains(word), "{damage:?}");
    }
}

#[test]
fn changed_bytes_everywhere_are_refused() {
    let bytes = trained_model().unwrap().to_bytes();
    let changed = try_changed_bytes(&bytes, NonZeroUsize::new(331).unwrap());
    assert!(changed.tried > 50);
    assert_eq!((changed.refused, changed.file_bytes), (changed.tried, bytes.len()));
}

#[test]
#[ignore = "campaign: changes every byte of a model's file, about a minute in release mode"]
fn a_change_of_any_byte_is_refused() {
    let bytes = trained_model().unwrap().to_bytes();
    let changed = try_changed_bytes(&bytes, NonZeroUsize::MIN);
    assert_eq!((changed.tried, changed.refused), (bytes.len(), bytes.len()));
}

#[test]
fn the_saved_model_is_the_one_in_memory_and_saving_again_gives_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let saved = save(&path);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(saved.model_sha256, trained_model().unwrap().model_id());
    assert_eq!(bytes, trained_model().unwrap().to_bytes());
    assert_eq!(open(&path).unwrap(), saved);
    assert_eq!(save(&path), saved);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn what_is_no_model_is_refused_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let missing = format!("{:#}", open(&path).unwrap_err());
    assert!(missing.contains(&path.display().to_string()), "{missing}");
    for bytes in [&b""[..], b"\xff", b"{}", b"not a model, but long enough to have a length"] {
        fs::write(&path, bytes).unwrap();
        let error = format!("{:#}", open(&path).unwrap_err());
        assert!(error.contains(&path.display().to_string()), "{error}");
    }
    assert!(open(folder.path()).is_err());
}
