//! Vectors as plain arrays: the definition that the other vectors are compared with.
//!
//! On processors whose baseline has a fused multiply-add (AArch64, or x86-64 compiled for one)
//! the compiler uses it; elsewhere `libm::fma` computes the same exactly rounded value in software.

use super::simd::{Kernel, Simd};

/// Proof that nothing is needed: this implementation works on every processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

macro_rules! portable_vectors {
    ($float:ty, $bits:ty, $lanes:literal, $magic:literal, $bias:literal, $mantissa:literal, $soft_fma:path) => {
        impl Simd<$float> for Portable {
            type Vector = [$float; $lanes];
            const LANES: usize = $lanes;

            #[inline(never)]
            fn call<K: Kernel<$float>>(self, part: K) -> K::Output {
                part.run(self)
            }
            #[inline(always)]
            fn splat(self, x: $float) -> Self::Vector {
                [x; $lanes]
            }
            #[inline(always)]
            fn load(self, from: &[$float]) -> Self::Vector {
                std::array::from_fn(|i| from[i])
            }
            #[inline(always)]
            fn store(self, x: Self::Vector, to: &mut [$float]) {
                to[..$lanes].copy_from_slice(&x);
            }
            #[inline(always)]
            fn load_partial(self, from: &[$float]) -> Self::Vector {
                let mut lanes = [0.0; $lanes];
                lanes[..from.len()].copy_from_slice(from);
                lanes
            }
            #[inline(always)]
            fn store_partial(self, x: Self::Vector, to: &mut [$float]) {
                to.copy_from_slice(&x[..to.len()]);
            }
            #[inline(always)]
            fn prefetch(self, _from: &[$float], _ahead: usize) {}
            #[inline(always)]
            fn copy_transposed(
                self,
                from: &[$float],
                from_stride: usize,
                to: &mut [$float],
                to_stride: usize,
            ) {
                for c in 0..$lanes {
                    for r in 0..$lanes {
                        to[c * to_stride + r] = from[r * from_stride + c];
                    }
                }
            }
            #[inline(always)]
            fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                std::array::from_fn(|i| a[i] + b[i])
            }
            #[inline(always)]
            fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                std::array::from_fn(|i| a[i] - b[i])
            }
            #[inline(always)]
            fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                std::array::from_fn(|i| a[i] * b[i])
            }
            #[inline(always)]
            fn div(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                std::array::from_fn(|i| a[i] / b[i])
            }
            #[inline(always)]
            fn sqrt(self, a: Self::Vector) -> Self::Vector {
                a.map(<$float>::sqrt)
            }
            #[inline(always)]
            fn fma(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
                std::array::from_fn(|i| {
                    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
                        a[i].mul_add(b[i], c[i])
                    } else {
                        $soft_fma(a[i], b[i], c[i])
                    }
                })
            }
            #[inline(always)]
            fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                std::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
            }
            #[inline(always)]
            fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                std::array::from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
            }
            #[inline(always)]
            fn pow2(self, n: Self::Vector) -> Self::Vector {
                // Adding 1.5 * 2^mantissa leaves the integer in the low bits of the sum; shifted
                // past the mantissa, `n + bias` becomes the exponent field of 2^n.
                n.map(|n| <$float>::from_bits((n + ($magic + $bias)).to_bits() << $mantissa))
            }
        }
    };
}

portable_vectors!(f32, u32, 8, 12_582_912.0, 127.0, 23, libm::fmaf);
portable_vectors!(f64, u64, 4, 6_755_399_441_055_744.0, 1023.0, 52, libm::fma);
