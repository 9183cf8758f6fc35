//! Vectors of 256 bits with fused multiply-add, for x86-64 processors that have AVX2 and FMA.

use std::arch::x86_64::*;

use super::simd::{Kernel, Simd};
use super::x86::{x86_features, x86_vectors};

x86_features! {
    /// Proof that this processor has AVX2 and FMA: [`Avx2::detect`] is the only constructor.
    Avx2, "avx2,fma", "avx2", "fma"
}

x86_vectors! {
    Avx2, f32, __m256, 8;
    lane_wise {
        add(a, b) = _mm256_add_ps;
        sub(a, b) = _mm256_sub_ps;
        mul(a, b) = _mm256_mul_ps;
        div(a, b) = _mm256_div_ps;
        sqrt(a) = _mm256_sqrt_ps;
        fma(a, b, c) = _mm256_fmadd_ps;
        max(a, b) = _mm256_max_ps;
        min(a, b) = _mm256_min_ps;
    }
    splat = _mm256_set1_ps; load = _mm256_loadu_ps; store = _mm256_storeu_ps; turn = turn_f32;
    mask(len) = _mm256_cmpgt_epi32(_mm256_set1_epi32(len as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    load_masked(from, mask) = _mm256_maskload_ps(from, mask);
    store_masked(to, mask, x) = _mm256_maskstore_ps(to, mask, x);
    pow2 = _mm256_castps_si256, _mm256_slli_epi32::<23>, _mm256_castsi256_ps, 12_582_912.0 + 127.0;
}

x86_vectors! {
    Avx2, f64, __m256d, 4;
    lane_wise {
        add(a, b) = _mm256_add_pd;
        sub(a, b) = _mm256_sub_pd;
        mul(a, b) = _mm256_mul_pd;
        div(a, b) = _mm256_div_pd;
        sqrt(a) = _mm256_sqrt_pd;
        fma(a, b, c) = _mm256_fmadd_pd;
        max(a, b) = _mm256_max_pd;
        min(a, b) = _mm256_min_pd;
    }
    splat = _mm256_set1_pd; load = _mm256_loadu_pd; store = _mm256_storeu_pd; turn = turn_f64;
    mask(len) = _mm256_cmpgt_epi64(_mm256_set1_epi64x(len as i64), _mm256_setr_epi64x(0, 1, 2, 3));
    load_masked(from, mask) = _mm256_maskload_pd(from, mask);
    store_masked(to, mask, x) = _mm256_maskstore_pd(to, mask, x);
    pow2 = _mm256_castpd_si256, _mm256_slli_epi64::<52>, _mm256_castsi256_pd,
        6_755_399_441_055_744.0 + 1023.0;
}

/// Exchanges the rows and columns of a square.
#[inline(always)]
fn turn_f32(_proof: Avx2, x: [__m256; 8]) -> [__m256; 8] {
    // SAFETY: the proof says that the processor has AVX2; values only.
    unsafe {
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
    }
}

/// Exchanges the rows and columns of a square.
#[inline(always)]
fn turn_f64(_proof: Avx2, x: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: the proof says that the processor has AVX2; values only.
    unsafe {
        let upper = [_mm256_unpacklo_pd(x[0], x[1]), _mm256_unpackhi_pd(x[0], x[1])];
        let lower = [_mm256_unpacklo_pd(x[2], x[3]), _mm256_unpackhi_pd(x[2], x[3])];
        [
            _mm256_permute2f128_pd::<0x20>(upper[0], lower[0]),
            _mm256_permute2f128_pd::<0x20>(upper[1], lower[1]),
            _mm256_permute2f128_pd::<0x31>(upper[0], lower[0]),
            _mm256_permute2f128_pd::<0x31>(upper[1], lower[1]),
        ]
    }
}
