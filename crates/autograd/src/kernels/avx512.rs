//! Vectors of 512 bits with fused multiply-add, for x86-64 processors that have AVX-512.

use std::arch::x86_64::*;

use super::simd::{Kernel, Simd};

/// Proof that this processor has AVX-512: [`Avx512::detect`] is the only constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Asks the processor.
    pub(crate) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Self(()))
    }

    /// Runs a kernel compiled for AVX-512.
    #[inline(always)]
    pub(crate) fn run<E: Copy, K: Kernel<E>>(self, kernel: K) -> K::Output
    where
        Self: Simd<E>,
    {
        // SAFETY: `self` proves that the processor has the feature.
        unsafe { run_with_avx512(self, kernel) }
    }
}

#[target_feature(enable = "avx512f")]
#[inline(never)]
fn run_with_avx512<E: Copy, K: Kernel<E>>(simd: Avx512, kernel: K) -> K::Output
where
    Avx512: Simd<E>,
{
    kernel.run(simd)
}

/// One method that is one instruction on values.
macro_rules! lane_wise {
    ($($method:ident ( $($operand:ident),+ ) = $instruction:ident;)+) => {$(
        #[inline(always)]
        fn $method(self, $($operand: Self::Vector),+) -> Self::Vector {
            // SAFETY: `self` proves that the processor has AVX-512; values only.
            unsafe { $instruction($($operand),+) }
        }
    )+};
}

/// Turns four vectors of four quarters each: vector `l` becomes quarter `l` of all four.
macro_rules! turn_quarters {
    ($shuffle:ident, $x:expr) => {{
        let x = $x;
        let (upper, lower) = ($shuffle::<0x44>(x[0], x[1]), $shuffle::<0x44>(x[2], x[3]));
        let (upper_end, lower_end) = ($shuffle::<0xEE>(x[0], x[1]), $shuffle::<0xEE>(x[2], x[3]));
        [
            $shuffle::<0x88>(upper, lower),
            $shuffle::<0xDD>(upper, lower),
            $shuffle::<0x88>(upper_end, lower_end),
            $shuffle::<0xDD>(upper_end, lower_end),
        ]
    }};
}

impl Simd<f32> for Avx512 {
    type Vector = __m512;
    const LANES: usize = 16;

    lane_wise! {
        add(a, b) = _mm512_add_ps;
        sub(a, b) = _mm512_sub_ps;
        mul(a, b) = _mm512_mul_ps;
        div(a, b) = _mm512_div_ps;
        sqrt(a) = _mm512_sqrt_ps;
        fma(a, b, c) = _mm512_fmadd_ps;
        max(a, b) = _mm512_max_ps;
        min(a, b) = _mm512_min_ps;
    }
    #[inline(always)]
    fn call<K: Kernel<f32>>(self, part: K) -> K::Output {
        self.run(part)
    }
    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        // SAFETY: `self` proves that the processor has AVX-512; values only.
        unsafe { _mm512_set1_ps(x) }
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> __m512 {
        let from = &from[..16];
        // SAFETY: `from` has sixteen elements, and the load needs no alignment.
        unsafe { _mm512_loadu_ps(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, x: __m512, to: &mut [f32]) {
        let to = &mut to[..16];
        // SAFETY: `to` has sixteen elements, and the store needs no alignment.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn prefetch(self, from: &[f32]) {
        // SAFETY: a prefetch is a hint and reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn copy_transposed(self, from: &[f32], from_stride: usize, to: &mut [f32], to_stride: usize) {
        // No closure and no iterator adaptor: vectors must stay inside this function.
        let mut x = [self.load(from); 16];
        for (r, x) in x.iter_mut().enumerate() {
            *x = self.load(&from[r * from_stride..]);
        }
        // SAFETY: `self` proves that the processor has AVX-512; values only.
        let columns: [__m512; 16] = unsafe {
            // z[4 i + rows]: in quarter q, column 4 q + i of the four rows from 4 `rows` on.
            let mut z = x;
            for rows in 0..4 {
                let x = [x[4 * rows], x[4 * rows + 1], x[4 * rows + 2], x[4 * rows + 3]];
                let low = [_mm512_unpacklo_ps(x[0], x[1]), _mm512_unpacklo_ps(x[2], x[3])];
                let high = [_mm512_unpackhi_ps(x[0], x[1]), _mm512_unpackhi_ps(x[2], x[3])];
                z[rows] = _mm512_shuffle_ps::<0x44>(low[0], low[1]);
                z[4 + rows] = _mm512_shuffle_ps::<0xEE>(low[0], low[1]);
                z[8 + rows] = _mm512_shuffle_ps::<0x44>(high[0], high[1]);
                z[12 + rows] = _mm512_shuffle_ps::<0xEE>(high[0], high[1]);
            }
            let mut columns = z;
            for i in 0..4 {
                let z = [z[4 * i], z[4 * i + 1], z[4 * i + 2], z[4 * i + 3]];
                let turned = turn_quarters!(_mm512_shuffle_f32x4, z);
                for q in 0..4 {
                    columns[4 * q + i] = turned[q];
                }
            }
            columns
        };
        for (c, column) in columns.into_iter().enumerate() {
            self.store(column, &mut to[c * to_stride..]);
        }
    }
    #[inline(always)]
    fn pow2(self, n: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has AVX-512; values only. See `Portable::pow2`.
        unsafe {
            let low_bits = _mm512_add_ps(n, _mm512_set1_ps(12_582_912.0 + 127.0));
            _mm512_castsi512_ps(_mm512_slli_epi32::<23>(_mm512_castps_si512(low_bits)))
        }
    }
}

impl Simd<f64> for Avx512 {
    type Vector = __m512d;
    const LANES: usize = 8;

    lane_wise! {
        add(a, b) = _mm512_add_pd;
        sub(a, b) = _mm512_sub_pd;
        mul(a, b) = _mm512_mul_pd;
        div(a, b) = _mm512_div_pd;
        sqrt(a) = _mm512_sqrt_pd;
        fma(a, b, c) = _mm512_fmadd_pd;
        max(a, b) = _mm512_max_pd;
        min(a, b) = _mm512_min_pd;
    }
    #[inline(always)]
    fn call<K: Kernel<f64>>(self, part: K) -> K::Output {
        self.run(part)
    }
    #[inline(always)]
    fn splat(self, x: f64) -> __m512d {
        // SAFETY: `self` proves that the processor has AVX-512; values only.
        unsafe { _mm512_set1_pd(x) }
    }
    #[inline(always)]
    fn load(self, from: &[f64]) -> __m512d {
        let from = &from[..8];
        // SAFETY: `from` has eight elements, and the load needs no alignment.
        unsafe { _mm512_loadu_pd(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, x: __m512d, to: &mut [f64]) {
        let to = &mut to[..8];
        // SAFETY: `to` has eight elements, and the store needs no alignment.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn prefetch(self, from: &[f64]) {
        // SAFETY: a prefetch is a hint and reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn copy_transposed(self, from: &[f64], from_stride: usize, to: &mut [f64], to_stride: usize) {
        let mut x = [self.load(from); 8];
        for (r, x) in x.iter_mut().enumerate() {
            *x = self.load(&from[r * from_stride..]);
        }
        // SAFETY: `self` proves that the processor has AVX-512; values only.
        let columns: [__m512d; 8] = unsafe {
            // In quarter q: columns 2 q and 2 q + 1 of two rows.
            let (mut even, mut odd) = ([x[0]; 4], [x[0]; 4]);
            for rows in 0..4 {
                even[rows] = _mm512_unpacklo_pd(x[2 * rows], x[2 * rows + 1]);
                odd[rows] = _mm512_unpackhi_pd(x[2 * rows], x[2 * rows + 1]);
            }
            let even = turn_quarters!(_mm512_shuffle_f64x2, even);
            let odd = turn_quarters!(_mm512_shuffle_f64x2, odd);
            [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
        };
        for (c, column) in columns.into_iter().enumerate() {
            self.store(column, &mut to[c * to_stride..]);
        }
    }
    #[inline(always)]
    fn pow2(self, n: __m512d) -> __m512d {
        // SAFETY: `self` proves that the processor has AVX-512; values only. See `Portable::pow2`.
        unsafe {
            let low_bits = _mm512_add_pd(n, _mm512_set1_pd(6_755_399_441_055_744.0 + 1023.0));
            _mm512_castsi512_pd(_mm512_slli_epi64::<52>(_mm512_castpd_si512(low_bits)))
        }
    }
}
