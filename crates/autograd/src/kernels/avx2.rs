//! Vectors of 256 bits with fused multiply-add, for x86-64 processors that have AVX2 and FMA.

use std::arch::x86_64::*;

use super::simd::{Kernel, Simd};

/// Proof that this processor has AVX2 and FMA: [`Avx2::detect`] is the only constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Asks the processor.
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }

    /// Runs a kernel compiled for AVX2 and FMA.
    #[inline(always)]
    pub(crate) fn run<E: Copy, K: Kernel<E>>(self, kernel: K) -> K::Output
    where
        Self: Simd<E>,
    {
        // SAFETY: `self` proves that the processor has both features.
        unsafe { run_with_avx2(self, kernel) }
    }
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn run_with_avx2<E: Copy, K: Kernel<E>>(simd: Avx2, kernel: K) -> K::Output
where
    Avx2: Simd<E>,
{
    kernel.run(simd)
}

/// One method that is one instruction on values.
macro_rules! lane_wise {
    ($($method:ident ( $($operand:ident),+ ) = $instruction:ident;)+) => {$(
        #[inline(always)]
        fn $method(self, $($operand: Self::Vector),+) -> Self::Vector {
            // SAFETY: `self` proves that the processor has AVX2 and FMA; values only.
            unsafe { $instruction($($operand),+) }
        }
    )+};
}

impl Simd<f32> for Avx2 {
    type Vector = __m256;
    const LANES: usize = 8;

    lane_wise! {
        add(a, b) = _mm256_add_ps;
        sub(a, b) = _mm256_sub_ps;
        mul(a, b) = _mm256_mul_ps;
        div(a, b) = _mm256_div_ps;
        sqrt(a) = _mm256_sqrt_ps;
        fma(a, b, c) = _mm256_fmadd_ps;
        max(a, b) = _mm256_max_ps;
        min(a, b) = _mm256_min_ps;
    }
    #[inline(always)]
    fn call<K: Kernel<f32>>(self, part: K) -> K::Output {
        self.run(part)
    }
    #[inline(always)]
    fn splat(self, x: f32) -> __m256 {
        // SAFETY: `self` proves that the processor has AVX2; values only.
        unsafe { _mm256_set1_ps(x) }
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> __m256 {
        let from = &from[..8];
        // SAFETY: `from` has eight elements, and the load needs no alignment.
        unsafe { _mm256_loadu_ps(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, x: __m256, to: &mut [f32]) {
        let to = &mut to[..8];
        // SAFETY: `to` has eight elements, and the store needs no alignment.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn prefetch(self, from: &[f32]) {
        // SAFETY: a prefetch is a hint and reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn copy_transposed(self, from: &[f32], from_stride: usize, to: &mut [f32], to_stride: usize) {
        // No closure and no iterator adaptor: vectors must stay inside this function.
        let mut x = [self.load(from); 8];
        for (r, x) in x.iter_mut().enumerate() {
            *x = self.load(&from[r * from_stride..]);
        }
        // SAFETY: `self` proves that the processor has AVX2; values only.
        let columns: [__m256; 8] = unsafe {
            let mut y = x;
            for r in [0, 2, 4, 6] {
                y[r] = _mm256_unpacklo_ps(x[r], x[r + 1]);
                y[r + 1] = _mm256_unpackhi_ps(x[r], x[r + 1]);
            }
            // z[i] and z[i + 4]: columns i and i + 4 of the upper and of the lower four rows.
            let mut z = y;
            for half in [0, 4] {
                z[half] = _mm256_shuffle_ps::<0x44>(y[half], y[half + 2]);
                z[half + 1] = _mm256_shuffle_ps::<0xEE>(y[half], y[half + 2]);
                z[half + 2] = _mm256_shuffle_ps::<0x44>(y[half + 1], y[half + 3]);
                z[half + 3] = _mm256_shuffle_ps::<0xEE>(y[half + 1], y[half + 3]);
            }
            let mut columns = z;
            for i in 0..4 {
                columns[i] = _mm256_permute2f128_ps::<0x20>(z[i], z[i + 4]);
                columns[i + 4] = _mm256_permute2f128_ps::<0x31>(z[i], z[i + 4]);
            }
            columns
        };
        for (c, column) in columns.into_iter().enumerate() {
            self.store(column, &mut to[c * to_stride..]);
        }
    }
    #[inline(always)]
    fn pow2(self, n: __m256) -> __m256 {
        // SAFETY: `self` proves that the processor has AVX2; values only. See `Portable::pow2`.
        unsafe {
            let low_bits = _mm256_add_ps(n, _mm256_set1_ps(12_582_912.0 + 127.0));
            _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(low_bits), 23))
        }
    }
}

impl Simd<f64> for Avx2 {
    type Vector = __m256d;
    const LANES: usize = 4;

    lane_wise! {
        add(a, b) = _mm256_add_pd;
        sub(a, b) = _mm256_sub_pd;
        mul(a, b) = _mm256_mul_pd;
        div(a, b) = _mm256_div_pd;
        sqrt(a) = _mm256_sqrt_pd;
        fma(a, b, c) = _mm256_fmadd_pd;
        max(a, b) = _mm256_max_pd;
        min(a, b) = _mm256_min_pd;
    }
    #[inline(always)]
    fn call<K: Kernel<f64>>(self, part: K) -> K::Output {
        self.run(part)
    }
    #[inline(always)]
    fn splat(self, x: f64) -> __m256d {
        // SAFETY: `self` proves that the processor has AVX2; values only.
        unsafe { _mm256_set1_pd(x) }
    }
    #[inline(always)]
    fn load(self, from: &[f64]) -> __m256d {
        let from = &from[..4];
        // SAFETY: `from` has four elements, and the load needs no alignment.
        unsafe { _mm256_loadu_pd(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, x: __m256d, to: &mut [f64]) {
        let to = &mut to[..4];
        // SAFETY: `to` has four elements, and the store needs no alignment.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn prefetch(self, from: &[f64]) {
        // SAFETY: a prefetch is a hint and reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn copy_transposed(self, from: &[f64], from_stride: usize, to: &mut [f64], to_stride: usize) {
        let mut x = [self.load(from); 4];
        for (r, x) in x.iter_mut().enumerate() {
            *x = self.load(&from[r * from_stride..]);
        }
        // SAFETY: `self` proves that the processor has AVX2; values only.
        let columns: [__m256d; 4] = unsafe {
            let upper = [_mm256_unpacklo_pd(x[0], x[1]), _mm256_unpackhi_pd(x[0], x[1])];
            let lower = [_mm256_unpacklo_pd(x[2], x[3]), _mm256_unpackhi_pd(x[2], x[3])];
            [
                _mm256_permute2f128_pd::<0x20>(upper[0], lower[0]),
                _mm256_permute2f128_pd::<0x20>(upper[1], lower[1]),
                _mm256_permute2f128_pd::<0x31>(upper[0], lower[0]),
                _mm256_permute2f128_pd::<0x31>(upper[1], lower[1]),
            ]
        };
        for (c, column) in columns.into_iter().enumerate() {
            self.store(column, &mut to[c * to_stride..]);
        }
    }
    #[inline(always)]
    fn pow2(self, n: __m256d) -> __m256d {
        // SAFETY: `self` proves that the processor has AVX2; values only. See `Portable::pow2`.
        unsafe {
            let low_bits = _mm256_add_pd(n, _mm256_set1_pd(6_755_399_441_055_744.0 + 1023.0));
            _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(low_bits), 52))
        }
    }
}
