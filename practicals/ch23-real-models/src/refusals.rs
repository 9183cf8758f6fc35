//! Folders that look alike and are another model.

use std::fs;
use std::path::Path;

use anyhow::Context;
use llm_from_scratch_practical::interop::hugging_face::{ImportOptions, import};
use serde::Serialize;
use serde_json::{Value, json};

/// A change to the folder, and what the import says to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// The file, and what was written into it.
    pub change: String,
    /// Why it is not imported.
    pub refusal: String,
}

/// Changes one entry of one file of a folder with `n_layers` blocks at a time.
pub(crate) fn spoil(folder: &Path, n_layers: usize) -> anyhow::Result<Vec<Refusal>> {
    let changes = [
        ("config.json", "model_type", json!("gpt2")),
        ("config.json", "rope_scaling", json!({"rope_type": "yarn", "factor": 4.0})),
        ("config.json", "logit_scale", json!(0.25)),
        ("config.json", "num_hidden_layers", json!(n_layers + 1)),
        ("config.json", "hidden_size", json!(-16)),
        ("tokenizer.json", "normalizer", json!({"type": "Lowercase"})),
    ];
    changes
        .into_iter()
        .map(|(file, key, value)| {
            let change = format!("{file}: {key} {value}");
            let refusal = refusal(folder, file, key, value)
                .with_context(|| format!("{change}: expected a refusal"))?;
            Ok(Refusal { change, refusal })
        })
        .collect()
}

/// What is said to a copy of the folder with one other entry, without the path of the copy.
fn refusal(folder: &Path, file: &str, key: &str, value: Value) -> anyhow::Result<String> {
    let copy = tempfile::tempdir()?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().is_file() {
            // What people download may have subfolders too, which no import reads.
            fs::copy(entry.path(), copy.path().join(entry.file_name()))?;
        }
    }
    let path = copy.path().join(file);
    let mut content: Value = serde_json::from_slice(&fs::read(&path)?)?;
    content[key] = value;
    fs::write(path, serde_json::to_vec(&content)?)?;
    let error = import::<f64>(copy.path(), &ImportOptions::default()).err();
    let message = error.context("it was imported")?.to_string();
    Ok(message.replace(&format!("{}/", copy.path().display()), ""))
}
