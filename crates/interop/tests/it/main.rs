//! Behaviour of the public interface.

mod documentation;
mod folders;
mod gguf;
mod hostile;
mod round_trip;

use std::path::{Path, PathBuf};

/// Where `interop/make_fixtures.py` has written folders.
fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder)
}

/// All of them.
const FOLDERS: [&str; 4] = ["llama3", "smollm2", "qwen2", "tied"];
