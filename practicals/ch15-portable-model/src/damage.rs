//! Files that are nearly a model's, and why they are refused.
//!
//! Some are damaged on the way; others were written by a program with a mistake in it, with a
//! header and a digest that are in order, and still are no model.

use std::num::NonZeroUsize;

use llm_from_scratch_practical::archive::{
    ArchiveError, Container, MODEL_KIND, PortableModel, TensorData, Values,
};
use serde::Serialize;
use serde_json::Value;

/// What happened when single bytes were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedBytes {
    /// Bytes of the file.
    pub file_bytes: usize,
    /// Files with one changed byte.
    pub tried: usize,
    /// How many of them were refused.
    pub refused: usize,
}

/// Opens the file with every `every`-th byte changed, one at a time.
pub fn try_changed_bytes(file: &[u8], every: NonZeroUsize) -> ChangedBytes {
    let mut file = file.to_vec();
    let places = (0..file.len()).step_by(every.get());
    let (mut tried, mut refused) = (0, 0);
    for at in places {
        file[at] ^= 1;
        tried += 1;
        refused += usize::from(PortableModel::<f64>::from_bytes(&file).is_err());
        file[at] ^= 1;
    }
    ChangedBytes { file_bytes: file.len(), tried, refused }
}

/// A file that is no model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// What is wrong with it.
    pub damage: &'static str,
    /// What the reader is told; nothing would mean that it was opened.
    pub refusal: Option<String>,
}

/// Ways to edit the tensors of a file.
type Edit = fn(&mut Vec<TensorData<'static>>);

/// Files with one thing wrong each.
///
/// # Errors
/// If `file` is no model's file.
pub fn damages(file: &[u8]) -> Result<Vec<Damage>, ArchiveError> {
    let longer = [file, b"\n"].concat();
    let mut long_header = file.to_vec();
    long_header[..8].copy_from_slice(&(1_u64 << 60).to_le_bytes());
    let mut flipped = file.to_vec();
    flipped[file.len() - 1] ^= 1;
    let mut files = vec![
        ("one bit of the last weight", flipped),
        ("a byte behind the end", longer),
        ("the last byte cut off", file[..file.len() - 1].to_vec()),
        ("a header of 2^60 bytes", long_header),
        ("an empty file", Vec::new()),
    ];
    let edits: [(&str, Edit); 6] = [
        ("a parameter missing", |tensors| drop(tensors.pop())),
        ("an extra tensor", |tensors| {
            tensors.push(TensorData::new("extra", vec![1], vec![1.0_f64]));
        }),
        ("two parameters exchanged", |tensors| tensors.swap(2, 3)),
        ("a matrix of another shape", |tensors| tensors[0].shape = vec![8, 266]),
        ("f32 where f64 is declared", |tensors| {
            let count = tensors[1].shape.iter().product();
            tensors[1].values = Values::from(vec![1.0_f32; count]);
        }),
        ("a weight that is not a number", |tensors| {
            let count: usize = tensors[1].shape.iter().product();
            tensors[1].values = Values::from(vec![f64::NAN; count]);
        }),
    ];
    for (damage, edit) in edits {
        files.push((damage, edited(file, edit)?));
    }
    let refusal = |bytes: &[u8]| match PortableModel::<f64>::from_bytes(bytes) {
        Err(error) => Some(error.to_string()),
        Ok(_) => None,
    };
    Ok(files
        .into_iter()
        .map(|(damage, bytes)| Damage { damage, refusal: refusal(&bytes) })
        .collect())
}

/// The file with other tensors, and with a header and a digest that fit them.
fn edited(file: &[u8], edit: Edit) -> Result<Vec<u8>, ArchiveError> {
    let container = Container::from_bytes(file, MODEL_KIND)?;
    let metadata: Value = container.header().metadata()?;
    let mut tensors = container.into_tensors();
    edit(&mut tensors);
    Ok(Container::new(MODEL_KIND, &metadata, tensors)?.to_bytes())
}
