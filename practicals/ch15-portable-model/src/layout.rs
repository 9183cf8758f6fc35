//! The bytes of a model's file, from the first to the last.

use anyhow::Context;
use llm_from_scratch_practical::archive::{Container, MODEL_KIND};
use serde::Serialize;

/// A stretch of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilePart {
    /// What is there: the two parts of the header, or a tensor's name.
    pub part: String,
    /// Element type of a tensor.
    pub dtype: &'static str,
    /// Shape of a tensor.
    pub shape: Vec<usize>,
    /// Its first byte.
    pub from: u64,
    /// The byte behind its last.
    pub to: u64,
}

/// Every part in order, without a gap.
///
/// # Errors
/// If the bytes are no model's file.
pub fn layout(file: &[u8]) -> anyhow::Result<Vec<FilePart>> {
    let container = Container::from_bytes(file, MODEL_KIND)?;
    let header = container.header();
    let data = file.len() as u64 - header.data_len();
    let length_field: [u8; 8] = file.first_chunk().copied().context("eight bytes of length")?;
    anyhow::ensure!(
        data == 8 + u64::from_le_bytes(length_field),
        "the header is not as long as it says"
    );

    let text = |part: &str, from, to| FilePart {
        part: part.to_owned(),
        dtype: "",
        shape: Vec::new(),
        from,
        to,
    };
    let mut parts = vec![text("length of the header", 0, 8), text("header", 8, data)];
    let mut from = data;
    for tensor in header.tensors() {
        let to = from + tensor.byte_len();
        let (dtype, shape) = (tensor.dtype().name(), tensor.shape().to_vec());
        parts.push(FilePart { part: tensor.name().to_owned(), dtype, shape, from, to });
        from = to;
    }
    Ok(parts)
}
