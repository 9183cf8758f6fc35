//! Files that are no model of this chapter, or not any more.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use llm_chapter_kit::refusal;

use crate::support::program;

/// A model file's bytes, made once.
fn model() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let seeds = "39".parse().unwrap();
        practical_ch16_language_model_evaluation::experiment(&seeds, Some(&path)).unwrap();
        fs::read(path).unwrap()
    })
}

#[track_caller]
fn refused(folder: &Path, bytes: &[u8], what: &str) {
    fs::write(folder.join("model"), bytes).unwrap();
    let evaluate = ["evaluate", "--model", "model", "--batch-rows", "1"];
    let line = refusal(&program(folder).args(evaluate).output().unwrap(), 1);
    assert!(line.contains("model"), "{what}: {line}");
}

#[test]
fn a_missing_file_and_a_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["nowhere/model", "."] {
        let evaluate = ["evaluate", "--model", path, "--batch-rows", "1"];
        let line = refusal(&program(folder.path()).args(evaluate).output().unwrap(), 1);
        assert!(line.contains(path), "{line}");
    }
}

#[test]
fn thirty_ways_to_damage_a_file_are_all_refused() {
    let folder = tempfile::tempdir().unwrap();
    let good = model();
    let header = 8 + u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;

    for end in [0, 1, 7, 8, 9, header - 1, header, header + 1, good.len() / 2, good.len() - 1] {
        refused(folder.path(), &good[..end], &format!("cut at {end}"));
    }
    for extra in [&b"\0"[..], b"\n", good] {
        refused(folder.path(), &[good, extra].concat(), "extended");
    }
    let step = good.len() / 12;
    for position in (0..12).map(|i| i * step).chain([5, header - 1, header, good.len() - 1]) {
        let mut bytes = good.to_vec();
        bytes[position] ^= 0x20;
        refused(folder.path(), &bytes, &format!("byte {position} changed"));
    }
    let mut hostile = good.to_vec();
    hostile[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    refused(folder.path(), &hostile, "a header of 2^64 bytes");
    for foreign in [&b"{\"a\": 1}"[..], b"GGUF\x03\0\0\0", &[0; 4096], b"\x02\0\0\0\0\0\0\0{}"] {
        refused(folder.path(), foreign, "another kind of file");
    }
}
