//! The way back: a folder again, and files for llama.cpp.

use std::fs;

use llm_from_scratch_practical::interop::gguf::{self, Quantization};
use llm_from_scratch_practical::interop::hugging_face::{ImportOptions, Imported, export, import};
use serde::Serialize;

/// What was written, and whether it is still the same.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExportReport {
    /// Whether the written folder, imported again, has the same weights, to the last bit.
    pub folder_has_same_bits: bool,
    /// Whether its tokenizer is the same.
    pub folder_has_same_tokenizer: bool,
    /// Where programs that read the folder differ from this course.
    pub notes: Vec<String>,
    /// Files for llama.cpp.
    pub gguf: Vec<GgufReport>,
}

/// One file for llama.cpp.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GgufReport {
    /// How matrices are stored.
    pub quantization: &'static str,
    /// Size of the file.
    pub bytes: u64,
    /// Matrices that stay f32, since their rows are no whole blocks of 32.
    pub left_in_f32: usize,
    /// Whether llama.cpp can encode text with it.
    pub has_tokenizer: bool,
}

/// Writes the model in every form, into a folder that vanishes.
pub(crate) fn export_again(imported: &Imported<f64>) -> anyhow::Result<ExportReport> {
    let (model, tokenizer) = (&imported.model, imported.tokenizer.as_ref());
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("again");
    let written = export(model, tokenizer, &folder)?;
    let again = import::<f64>(&folder, &ImportOptions::default())?;

    let forms =
        [("f32", Quantization::F32), ("q8_0", Quantization::Q8_0), ("q4_0", Quantization::Q4_0)];
    let gguf = forms.into_iter().map(|(name, quantization)| {
        let file = temporary.path().join(name);
        let written = gguf::export(model, tokenizer, &file, quantization)?;
        Ok(GgufReport {
            quantization: name,
            bytes: fs::metadata(file)?.len(),
            left_in_f32: written.tensors_left_in_f32.len(),
            has_tokenizer: written.has_tokenizer,
        })
    });
    Ok(ExportReport {
        folder_has_same_bits: again.model == *model,
        folder_has_same_tokenizer: again.tokenizer == imported.tokenizer,
        notes: written.notes,
        gguf: gguf.collect::<anyhow::Result<_>>()?,
    })
}
