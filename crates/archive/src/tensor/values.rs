//! The elements of a tensor, and their way to and from little-endian bytes.
//!
//! Both directions go through one small buffer, piece by piece. A model of several gigabytes is
//! written and read without a second copy of it in memory, and the digest sees each piece while it
//! is still in the processor's cache.

use std::borrow::Cow;
use std::io::{self, Read};

use super::Dtype;

/// Bytes converted at a time: a multiple of every element size, small enough for the cache.
pub(crate) const PIECE_BYTES: usize = 128 * 1024;

/// Elements of one type, borrowed (to be saved) or owned (as loaded).
///
/// Both half-precision types hold the bits of their elements: nothing in this crate computes with them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Values<'a> {
    /// 64-bit floats.
    F64(Cow<'a, [f64]>),
    /// 32-bit floats.
    F32(Cow<'a, [f32]>),
    /// 16-bit floats, as bits.
    F16(Cow<'a, [u16]>),
    /// Brain floats, as bits.
    BF16(Cow<'a, [u16]>),
    /// Signed bytes.
    I8(Cow<'a, [i8]>),
    /// Unsigned bytes.
    U8(Cow<'a, [u8]>),
    /// Unsigned 32-bit integers.
    U32(Cow<'a, [u32]>),
    /// Unsigned 64-bit integers.
    U64(Cow<'a, [u64]>),
}

/// Runs the same expression on the slice inside any variant.
macro_rules! with_slice {
    ($values:expr, $slice:ident => $body:expr) => {
        match $values {
            Values::F64($slice) => $body,
            Values::F32($slice) => $body,
            Values::F16($slice) | Values::BF16($slice) => $body,
            Values::I8($slice) => $body,
            Values::U8($slice) => $body,
            Values::U32($slice) => $body,
            Values::U64($slice) => $body,
        }
    };
}

impl Values<'_> {
    /// The type of the elements.
    pub fn dtype(&self) -> Dtype {
        match self {
            Self::F64(_) => Dtype::F64,
            Self::F32(_) => Dtype::F32,
            Self::F16(_) => Dtype::F16,
            Self::BF16(_) => Dtype::BF16,
            Self::I8(_) => Dtype::I8,
            Self::U8(_) => Dtype::U8,
            Self::U32(_) => Dtype::U32,
            Self::U64(_) => Dtype::U64,
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        with_slice!(self, slice => slice.len())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Hands the elements to `sink` as little-endian bytes, a piece at a time.
    ///
    /// # Errors
    /// The first error of `sink`.
    pub(crate) fn to_pieces(
        &self,
        sink: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        with_slice!(self, slice => encode(slice, sink))
    }
}

impl Values<'static> {
    /// Reads `count` elements straight into their final place; `seen` is shown every piece.
    ///
    /// The caller has compared `count` with the size of the file.
    ///
    /// # Errors
    /// Errors of `reader`, an early end, and a lack of memory.
    pub(crate) fn read(
        dtype: Dtype,
        count: usize,
        reader: &mut impl Read,
        seen: &mut impl FnMut(&[u8]),
    ) -> io::Result<Self> {
        Ok(match dtype {
            Dtype::F64 => Self::F64(decode(count, reader, seen)?.into()),
            Dtype::F32 => Self::F32(decode(count, reader, seen)?.into()),
            Dtype::F16 => Self::F16(decode(count, reader, seen)?.into()),
            Dtype::BF16 => Self::BF16(decode(count, reader, seen)?.into()),
            Dtype::I8 => Self::I8(decode(count, reader, seen)?.into()),
            Dtype::U8 => Self::U8(decode(count, reader, seen)?.into()),
            Dtype::U32 => Self::U32(decode(count, reader, seen)?.into()),
            Dtype::U64 => Self::U64(decode(count, reader, seen)?.into()),
        })
    }
}

fn encode<T: Scalar>(
    elements: &[T],
    sink: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = vec![0; PIECE_BYTES.min(size_of_val(elements))];
    for piece in elements.chunks(PIECE_BYTES / size_of::<T>()) {
        let bytes = &mut buffer[..size_of_val(piece)];
        T::store(piece, bytes);
        sink(bytes)?;
    }
    Ok(())
}

fn decode<T: Scalar>(
    count: usize,
    reader: &mut impl Read,
    seen: &mut impl FnMut(&[u8]),
) -> io::Result<Vec<T>> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut buffer = vec![0; PIECE_BYTES.min(count.saturating_mul(size_of::<T>()))];
    while elements.len() < count {
        let missing = (count - elements.len()).min(PIECE_BYTES / size_of::<T>());
        let bytes = &mut buffer[..missing * size_of::<T>()];
        reader.read_exact(bytes)?;
        seen(bytes);
        T::fetch(bytes, &mut elements);
    }
    Ok(elements)
}

/// A plain number with a fixed little-endian form.
trait Scalar: Copy {
    /// Writes all `elements` into `bytes`, which they fill exactly.
    fn store(elements: &[Self], bytes: &mut [u8]);
    /// Appends the elements that `bytes` consists of.
    fn fetch(bytes: &[u8], elements: &mut Vec<Self>);
}

macro_rules! scalar {
    ($($number:ty),*) => {$(
        impl Scalar for $number {
            fn store(elements: &[Self], bytes: &mut [u8]) {
                let (places, _) = bytes.as_chunks_mut::<{ size_of::<$number>() }>();
                for (place, element) in places.iter_mut().zip(elements) {
                    *place = element.to_le_bytes();
                }
            }
            fn fetch(bytes: &[u8], elements: &mut Vec<Self>) {
                let (places, _) = bytes.as_chunks::<{ size_of::<$number>() }>();
                elements.extend(places.iter().copied().map(Self::from_le_bytes));
            }
        }
    )*};
}
scalar!(f64, f32, u16, i8, u8, u32, u64);

/// Vectors and slices become values by themselves, except for the half-precision types, where
/// 16 bits alone do not say which of the two is meant.
macro_rules! from_vec_and_slice {
    ($($number:ty => $variant:ident),*) => {$(
        impl From<Vec<$number>> for Values<'static> {
            fn from(elements: Vec<$number>) -> Self {
                Self::$variant(elements.into())
            }
        }
        impl<'a> From<&'a [$number]> for Values<'a> {
            fn from(elements: &'a [$number]) -> Self {
                Self::$variant(elements.into())
            }
        }
    )*};
}
from_vec_and_slice!(f64 => F64, f32 => F32, i8 => I8, u8 => U8, u32 => U32, u64 => U64);
