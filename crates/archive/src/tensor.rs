//! Tensors as the file knows them: a name, an element type, a shape and little-endian elements.
//!
//! This is storage only. Nothing here computes; the types of a model are made from these.

mod values;

pub(crate) use values::PIECE_BYTES;
pub use values::Values;

use crate::error::ArchiveError;

/// The element types an archive can hold, named as in the safetensors format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dtype {
    /// IEEE 754 binary64.
    F64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32 (bfloat16).
    BF16,
    /// Signed byte.
    I8,
    /// Unsigned byte.
    U8,
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
}

impl Dtype {
    const ALL: [Self; 8] =
        [Self::F64, Self::F32, Self::F16, Self::BF16, Self::I8, Self::U8, Self::U32, Self::U64];

    /// The name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "F64",
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::BF16 => "BF16",
            Self::I8 => "I8",
            Self::U8 => "U8",
            Self::U32 => "U32",
            Self::U64 => "U64",
        }
    }

    /// The type with this name, if an archive can hold it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Size of one element in bytes.
    pub fn element_bytes(self) -> usize {
        match self {
            Self::F64 | Self::U64 => 8,
            Self::F32 | Self::U32 => 4,
            Self::F16 | Self::BF16 => 2,
            Self::I8 | Self::U8 => 1,
        }
    }
}

/// One line of the tensor list: everything about a tensor but its elements.
///
/// Holding one means that the sizes multiply without overflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    element_count: usize,
    byte_len: u64,
}

impl TensorInfo {
    /// Checks name and shape.
    ///
    /// # Errors
    /// [`ArchiveError::Table`] for an empty or reserved name and for a size that overflows.
    pub(crate) fn new(name: String, dtype: Dtype, shape: Vec<usize>) -> Result<Self, ArchiveError> {
        // The format keeps this key of the header for the metadata.
        if name.is_empty() || name == "__metadata__" {
            return Err(ArchiveError::table(&name, "this name cannot be given to a tensor"));
        }
        // In this order: [0, huge, huge] is an empty tensor, [huge, huge, 0] overflows. The
        // safetensors crate decides in the same way.
        let count = shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
        let bytes = count.and_then(|count| count.checked_mul(dtype.element_bytes()));
        let (Some(element_count), Some(bytes)) = (count, bytes) else {
            let problem = format!("its shape ({} axes) has more bytes than memory", shape.len());
            return Err(ArchiveError::table(&name, problem));
        };
        Ok(Self { name, dtype, shape, element_count, byte_len: bytes as u64 })
    }

    /// Unique within the archive.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Sizes of its axes; none for a scalar. The elements are in row-major order.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Product of the shape.
    pub fn element_count(&self) -> usize {
        self.element_count
    }

    /// Size of the elements in the file, in bytes.
    pub fn byte_len(&self) -> u64 {
        self.byte_len
    }
}

/// A named tensor to be stored, or as it was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorData<'a> {
    /// Unique within the archive.
    pub name: String,
    /// Sizes of its axes; none for a scalar.
    pub shape: Vec<usize>,
    /// The elements in row-major order; as many as the product of `shape`.
    pub values: Values<'a>,
}

impl<'a> TensorData<'a> {
    /// Puts a tensor together; [`crate::Container::new`] checks that the parts fit.
    pub fn new(name: impl Into<String>, shape: Vec<usize>, values: impl Into<Values<'a>>) -> Self {
        Self { name: name.into(), shape, values: values.into() }
    }

    /// The line for the tensor list, if the values are as many as the shape says.
    pub(crate) fn info(&self) -> Result<TensorInfo, ArchiveError> {
        let info = TensorInfo::new(self.name.clone(), self.values.dtype(), self.shape.clone())?;
        if info.element_count != self.values.len() {
            let (shape, found) = (&self.shape, self.values.len());
            let problem =
                format!("shape {shape:?} needs {} values, got {found}", info.element_count);
            return Err(ArchiveError::table(&self.name, problem));
        }
        Ok(info)
    }
}

#[cfg(test)]
mod tests;
