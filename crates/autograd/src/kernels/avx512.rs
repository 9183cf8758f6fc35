//! Vectors of 512 bits with fused multiply-add, for x86-64 processors that have AVX-512.

use std::arch::x86_64::*;

use super::simd::{Kernel, Simd};
use super::x86::{x86_features, x86_vectors};

x86_features! {
    /// Proof that this processor has AVX-512: [`Avx512::detect`] is the only constructor.
    Avx512, "avx512f", "avx512f"
}

x86_vectors! {
    Avx512, f32, __m512, 16;
    lane_wise {
        add(a, b) = _mm512_add_ps;
        sub(a, b) = _mm512_sub_ps;
        mul(a, b) = _mm512_mul_ps;
        div(a, b) = _mm512_div_ps;
        sqrt(a) = _mm512_sqrt_ps;
        fma(a, b, c) = _mm512_fmadd_ps;
        max(a, b) = _mm512_max_ps;
        min(a, b) = _mm512_min_ps;
    }
    splat = _mm512_set1_ps; load = _mm512_loadu_ps; store = _mm512_storeu_ps; turn = turn_f32;
    mask(len) = (1_u32 << len).wrapping_sub(1) as __mmask16;
    load_masked(from, mask) = _mm512_maskz_loadu_ps(mask, from);
    store_masked(to, mask, x) = _mm512_mask_storeu_ps(to, mask, x);
    pow2 = _mm512_castps_si512, _mm512_slli_epi32::<23>, _mm512_castsi512_ps, 12_582_912.0 + 127.0;
}

x86_vectors! {
    Avx512, f64, __m512d, 8;
    lane_wise {
        add(a, b) = _mm512_add_pd;
        sub(a, b) = _mm512_sub_pd;
        mul(a, b) = _mm512_mul_pd;
        div(a, b) = _mm512_div_pd;
        sqrt(a) = _mm512_sqrt_pd;
        fma(a, b, c) = _mm512_fmadd_pd;
        max(a, b) = _mm512_max_pd;
        min(a, b) = _mm512_min_pd;
    }
    splat = _mm512_set1_pd; load = _mm512_loadu_pd; store = _mm512_storeu_pd; turn = turn_f64;
    mask(len) = (1_u32 << len).wrapping_sub(1) as __mmask8;
    load_masked(from, mask) = _mm512_maskz_loadu_pd(mask, from);
    store_masked(to, mask, x) = _mm512_mask_storeu_pd(to, mask, x);
    pow2 = _mm512_castpd_si512, _mm512_slli_epi64::<52>, _mm512_castsi512_pd,
        6_755_399_441_055_744.0 + 1023.0;
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

/// Exchanges the rows and columns of a square.
#[inline(always)]
fn turn_f32(_proof: Avx512, x: [__m512; 16]) -> [__m512; 16] {
    // SAFETY: the proof says that the processor has AVX-512; values only.
    unsafe {
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
    }
}

/// Exchanges the rows and columns of a square.
#[inline(always)]
fn turn_f64(_proof: Avx512, x: [__m512d; 8]) -> [__m512d; 8] {
    // SAFETY: the proof says that the processor has AVX-512; values only.
    unsafe {
        // In quarter q: columns 2 q and 2 q + 1 of two rows.
        let (mut even, mut odd) = ([x[0]; 4], [x[0]; 4]);
        for rows in 0..4 {
            even[rows] = _mm512_unpacklo_pd(x[2 * rows], x[2 * rows + 1]);
            odd[rows] = _mm512_unpackhi_pd(x[2 * rows], x[2 * rows + 1]);
        }
        let even = turn_quarters!(_mm512_shuffle_f64x2, even);
        let odd = turn_quarters!(_mm512_shuffle_f64x2, odd);
        [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
    }
}
