//! The few vector operations that every kernel is written in.
//!
//! A kernel is generic over [`Simd`] and is therefore written once. [`Portable`](super::portable),
//! [`Avx2`](super::avx2) and [`Avx512`](super::avx512) implement it, and each operation is either
//! exact in IEEE 754 (add, subtract, multiply, divide, square root, fused multiply-add) or a choice
//! between its operands, so a kernel gives the same bits on all of them by construction.

/// Number of partial sums of a row reduction, whatever the vector width; see [`super::reduce`].
pub(crate) const REDUCTION_LANES: usize = 16;

/// Vectors of `LANES` elements of type `E`; every operation works lane by lane.
pub(crate) trait Simd<E: Copy>: Copy {
    /// One vector.
    type Vector: Copy;

    /// Elements in a vector. Divides [`REDUCTION_LANES`].
    const LANES: usize;

    /// All lanes equal to `x`.
    fn splat(self, x: E) -> Self::Vector;
    /// The first `LANES` elements of `from`. Panics if there are fewer.
    fn load(self, from: &[E]) -> Self::Vector;
    /// Writes the vector to the first `LANES` elements of `to`. Panics if there are fewer.
    fn store(self, x: Self::Vector, to: &mut [E]);

    /// The elements of `from`, the other lanes +0. Panics if there are more than `LANES`.
    fn load_partial(self, from: &[E]) -> Self::Vector;
    /// Writes the first `to.len()` lanes. Panics if there are not as many.
    fn store_partial(self, x: Self::Vector, to: &mut [E]);

    /// Asks for the memory `ahead` elements after the start of `from` to be fetched, whatever is there;
    /// changes nothing else, and is free to do nothing.
    fn prefetch(self, from: &[E], ahead: usize);

    /// `a + b`
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a - b`
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a * b`
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a / b`
    fn div(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The square root.
    fn sqrt(self, a: Self::Vector) -> Self::Vector;
    /// `a * b + c`, rounded once.
    fn fma(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// `if a > b { a } else { b }`: the second operand wins when one of them is NaN.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `if a < b { a } else { b }`: the second operand wins when one of them is NaN.
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// 2 to the power `n`, for integral `n` whose power is a normal number.
    fn pow2(self, n: Self::Vector) -> Self::Vector;

    /// Copies a square of `LANES` x `LANES` elements with rows and columns exchanged:
    /// `to[c * to_stride + r] = from[r * from_stride + c]`. Panics if a slice is too short.
    fn copy_transposed(self, from: &[E], from_stride: usize, to: &mut [E], to_stride: usize);

    /// Runs a part of a kernel as a function of its own, compiled once instead of at every use.
    fn call<K: Kernel<E>>(self, part: K) -> K::Output;
}

/// A piece of work that can run on any vector implementation.
///
/// `run` and everything it calls must be `#[inline(always)]`, and no vector may pass through a
/// closure: only then does the compiler see the whole loop inside the one function that is allowed
/// to use those instructions. (With a closure the bits stay right and the speed is lost.) For the
/// same reason a kernel never starts threads; work is shared out before a kernel is chosen.
pub(crate) trait Kernel<E: Copy> {
    /// What the work returns.
    type Output;
    /// Does the work.
    fn run<S: Simd<E>>(self, simd: S) -> Self::Output;
}
