//! Tensors of a folder as parameters of a decoder: element types, axes, rotary layout.

use llm_archive::PortableElement;
use llm_autograd::Tensor;
use llm_model::{ParameterSpec, ValidConfig};
use safetensors::Dtype;

use super::shards::{Shards, StoredTensor};
use crate::error::InteropError;
use crate::half::{bf16_to_f32, f16_to_f32};
use crate::names::{Layout, interleaved, place};
use crate::rows;

/// Reads a parameter of the decoder from where the folder has it.
pub(super) fn read_parameter<E: PortableElement>(
    shards: &mut Shards,
    spec: &ParameterSpec,
    config: &ValidConfig,
) -> Result<Tensor<E>, InteropError> {
    let place = place(&spec.name);
    let theirs = rows::shape(&spec.shape, place.layout);
    let stored = shards.tensor(&place.hugging_face, &theirs)?;
    let (outputs, inputs) = (theirs[0], theirs.get(1).copied().unwrap_or(1));
    let values = match place.layout {
        Layout::Same => elements(stored)?,
        Layout::Transposed => transposed(stored, outputs, inputs, |row| row)?,
        Layout::Rotary => {
            transposed(stored, outputs, inputs, |row| interleaved(row, config.head_dim))?
        }
    };
    Ok(Tensor::new(&spec.shape, values))
}

/// All elements in their order.
pub(super) fn elements<E: PortableElement>(
    stored: StoredTensor<'_>,
) -> Result<Vec<E>, InteropError> {
    let mut values = Vec::new();
    for_elements(stored, |_, value| values.push(value))?;
    Ok(values)
}

/// A matrix `[outputs, inputs]` as one of `[inputs, outputs]`, in which row `row` has become column
/// `column(row)`.
fn transposed<E: PortableElement>(
    stored: StoredTensor<'_>,
    outputs: usize,
    inputs: usize,
    column: impl Fn(usize) -> usize,
) -> Result<Vec<E>, InteropError> {
    let mut values = vec![E::ZERO; outputs * inputs];
    for_elements(stored, |at, value| {
        let (row, input) = (at / inputs, at % inputs);
        values[input * outputs + column(row)] = value;
    })?;
    Ok(values)
}

/// Hands out every element with its index; each must be finite.
fn for_elements<E: PortableElement>(
    stored: StoredTensor<'_>,
    visit: impl FnMut(usize, E),
) -> Result<(), InteropError> {
    match stored.dtype {
        Dtype::F32 => decode(stored, |bytes| E::from_f64(f32::from_le_bytes(bytes).into()), visit),
        Dtype::F16 => {
            let value = |bytes| E::from_f64(f16_to_f32(u16::from_le_bytes(bytes)).into());
            decode(stored, value, visit)
        }
        Dtype::BF16 => {
            let value = |bytes| E::from_f64(bf16_to_f32(u16::from_le_bytes(bytes)).into());
            decode(stored, value, visit)
        }
        Dtype::F64 if E::NAME == "f64" => {
            decode(stored, |bytes| E::from_f64(f64::from_le_bytes(bytes)), visit)
        }
        Dtype::F64 => Err(stored
            .refuse("is of type F64, and rounding it would make another model: import as f64")),
        other => {
            let problem = format!("is of type {other}, supported: F32, F16, BF16, and F64 as f64");
            Err(stored.refuse(problem))
        }
    }
}

/// [`for_elements`] of a type of `N` bytes.
fn decode<E: PortableElement, const N: usize>(
    stored: StoredTensor<'_>,
    value: impl Fn([u8; N]) -> E,
    mut visit: impl FnMut(usize, E),
) -> Result<(), InteropError> {
    let mut at = 0;
    stored.pieces(|stored, bytes| {
        for &bytes in bytes.as_chunks::<N>().0 {
            let value = value(bytes);
            if !value.is_finite() {
                let problem = format!("has {value} at element {at}, a weight must be finite");
                return Err(stored.refuse(problem));
            }
            visit(at, value);
            at += 1;
        }
        Ok(())
    })
}
