//! Kernels against their definitions, bit for bit, on every implementation.

use proptest::prelude::*;

use super::*;
use crate::Element;

/// Every implementation that this processor can run, sharing even the smallest work.
fn implementations() -> Vec<Kernels> {
    Kernels::available().into_iter().map(|k| k.with_sharing_threshold(0)).collect()
}

/// Irregular numbers of both signs, now and then a zero of either sign.
fn numbers<E: Element>(len: usize, seed: u64) -> Vec<E> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64 * 4.0 - 2.0
    };
    (0..len)
        .map(|_| match next() {
            x if x > 1.9 => E::ZERO,
            x if x < -1.9 => -E::ZERO,
            x => E::from_f64(x),
        })
        .collect()
}

fn fma<E: Element>(a: E, b: E, c: E) -> E {
    // f32 products are exact in f64, but the sum is rounded twice there: libm's own fmaf is used.
    match E::NAME {
        "f32" => {
            let [a, b, c] = [a, b, c].map(|x| x.to_f64() as f32);
            E::from_f64(libm::fmaf(a, b, c).into())
        }
        _ => E::from_f64(libm::fma(a.to_f64(), b.to_f64(), c.to_f64())),
    }
}

fn bits<E: Element>(x: &[E]) -> Vec<u64> {
    x.iter().map(|x| x.bits()).collect()
}

/// Three nested loops: the definition of a product with chains.
fn naive<E: Element>(a: MatrixView<'_, E>, b: MatrixView<'_, E>, c: &mut [E]) {
    for row in 0..a.rows() {
        for column in 0..b.columns() {
            let sum = &mut c[row * b.columns() + column];
            for k in 0..a.columns() {
                *sum = fma(a.get(row, k), b.get(k, column), *sum);
            }
        }
    }
}

fn matmul_equals_the_chain<E: Element>(shape: [usize; 3], transposed: [bool; 2], stored: bool) {
    let [rows, steps, columns] = shape;
    let (a, b) = (numbers::<E>(rows * steps, 1), numbers::<E>(steps * columns, 2));
    let view = |data, rows, columns, transposed: bool| {
        if transposed {
            MatrixView::new(data, columns, rows).transposed()
        } else {
            MatrixView::new(data, rows, columns)
        }
    };
    let a = view(&a, rows, steps, transposed[0]);
    let b = view(&b, steps, columns, transposed[1]);
    let before = numbers::<E>(rows * columns, 3);
    let mut expected = if stored { before.clone() } else { vec![E::ZERO; rows * columns] };
    naive(a, b, &mut expected);
    let start = if stored { Start::Stored } else { Start::Zero };
    for kernels in implementations() {
        let mut c = before.clone();
        matmul(kernels, a, b, MatrixMut::new(&mut c, rows, columns), start);
        assert!(bits(&c) == bits(&expected), "{} {shape:?} {transposed:?}", kernels.name());
    }
}

#[test]
fn products_equal_the_chain_across_blocks_of_every_kind() {
    for shape in [[1, 300, 17], [7, 0, 3], [97, 257, 33], [5, 8, 1030], [200, 3, 1]] {
        matmul_equals_the_chain::<f32>(shape, [false, false], true);
        matmul_equals_the_chain::<f64>(shape, [true, true], false);
    }
}

/// Rows that are few, one more than few, and a vocabulary that is read in several stretches.
#[test]
fn products_of_few_rows_equal_the_chain() {
    for shape in [[1, 37, 4500], [2, 16, 33], [8, 70, 50], [9, 70, 50], [3, 5, 2049]] {
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            matmul_equals_the_chain::<f32>(shape, transposed, false);
            matmul_equals_the_chain::<f64>(shape, transposed, true);
        }
    }
}

/// A transposed `a`, whose blocks are turned, with every number of steps beside whole squares, and over
/// several blocks; and the same shapes not transposed.
#[test]
fn products_equal_the_chain_when_a_is_turned() {
    for shape in (64..97).map(|steps| [22, steps, 128]) {
        matmul_equals_the_chain::<f32>(shape, [true, true], true);
        matmul_equals_the_chain::<f64>(shape, [true, false], false);
    }
    for shape in [[20, 64, 128], [20, 65, 129], [23, 150, 130], [101, 390, 128], [6, 9, 140]] {
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            matmul_equals_the_chain::<f32>(shape, transposed, true);
            matmul_equals_the_chain::<f64>(shape, transposed, false);
        }
    }
}

#[test]
fn only_large_computations_move_to_the_pool() {
    let thread = rayon::current_thread_index;
    let kernels = Kernels::detect();
    assert_eq!(kernels.on_pool(0, thread), None);
    let shares = rayon::current_num_threads() > 1;
    assert_eq!(kernels.on_pool(usize::MAX, thread).is_some(), shares);
}

fn panics(action: impl FnOnce()) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(action)).is_err()
}

/// Reads and writes every number of elements below a vector's, and one that is too large.
struct Partial;

impl<E: Element> Kernel<E> for Partial {
    type Output = ();

    fn run<S: Simd<E>>(self, simd: S) {
        let (from, before) = (numbers::<E>(S::LANES, 1), numbers::<E>(S::LANES, 2));
        for len in 0..=S::LANES {
            let mut lanes = before.clone();
            simd.store(simd.load_partial(&from[..len]), &mut lanes);
            let zeros = vec![E::ZERO; S::LANES - len];
            assert_eq!(bits(&lanes), bits(&[&from[..len], &zeros].concat()), "{len} elements");

            let mut to = before.clone();
            simd.store_partial(simd.load(&from), &mut to[..len]);
            assert_eq!(bits(&to), bits(&[&from[..len], &before[len..]].concat()), "{len} elements");
        }
        let mut too_many = numbers::<E>(S::LANES + 1, 3);
        assert!(panics(|| _ = simd.load_partial(&too_many)));
        assert!(panics(|| simd.store_partial(simd.load(&from), &mut too_many)));
    }
}

#[test]
fn parts_of_vectors_are_read_and_written_and_nothing_beside_them() {
    fn check<E: Element, S: Simd<E>>(simd: S) {
        simd.call(Partial);
    }
    check::<f32, _>(portable::Portable);
    check::<f64, _>(portable::Portable);
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = avx2::Avx2::detect() {
        check::<f32, _>(simd);
        check::<f64, _>(simd);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = avx512::Avx512::detect() {
        check::<f32, _>(simd);
        check::<f64, _>(simd);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn products_equal_the_chain(
        rows in 1usize..32, steps in 0usize..100,
        columns in prop_oneof![1usize..40, 120usize..150],
        a in any::<bool>(), b in any::<bool>(), stored in any::<bool>(), threads in 1usize..4,
    ) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            matmul_equals_the_chain::<f32>([rows, steps, columns], [a, b], stored);
            matmul_equals_the_chain::<f64>([rows, steps, columns], [a, b], stored);
        });
    }

    #[test]
    fn row_kernels_give_the_same_bits_on_every_implementation_and_cut(
        width in 1usize..70, rows in 1usize..9, threads in 1usize..5,
    ) {
        rows_agree::<f32>(width, rows, threads);
        rows_agree::<f64>(width, rows, threads);
    }
}

/// All outputs of the kernels that work on rows, one after the other.
fn row_outputs<E: Element>(kernels: Kernels, width: usize, rows: usize) -> Vec<u64> {
    let x = numbers::<E>(width * rows, 4);
    let (gain, up) = (numbers::<E>(width, 5), numbers::<E>(width * rows, 6));
    let mut out = Vec::new();

    let (mut y, mut inverse_rms) = (x.clone(), vec![E::ZERO; rows]);
    let epsilon = E::from_f64(1e-6);
    let forward =
        RmsNormForward { x: &x, gain: &gain, epsilon, y: &mut y, inverse_rms: &mut inverse_rms };
    share(kernels, forward, E::run_rms_norm_forward);
    out.extend(bits(&y));
    out.extend(bits(&inverse_rms));

    let (mut gradient, mut gain_gradient) = (up.clone(), gain.clone());
    let chains = RmsNormGain {
        x: &x,
        inverse_rms: &inverse_rms,
        gradient: &gradient,
        width,
        first: 0,
        gain_gradient: &mut gain_gradient,
    };
    share(kernels, chains, E::run_rms_norm_gain);
    let backward =
        RmsNormBackward { x: &x, gain: &gain, inverse_rms: &inverse_rms, gradient: &mut gradient };
    share(kernels, backward, E::run_rms_norm_backward);
    out.extend(bits(&gradient));
    out.extend(bits(&gain_gradient));

    let forward = SwigluForward { gate: &x, up: &up, y: &mut y };
    share(kernels, forward, E::run_swiglu_forward);
    out.extend(bits(&y));
    let (mut gradient, mut gate_gradient) = (y.clone(), y.clone());
    let backward = SwigluBackward {
        gate: &x,
        up: &up,
        gradient: &mut gradient,
        gate_gradient: &mut gate_gradient,
    };
    share(kernels, backward, E::run_swiglu_backward);
    out.extend(bits(&gradient));
    out.extend(bits(&gate_gradient));

    let mut sum = x.clone();
    kernels.add(&mut sum, &up);
    out.extend(bits(&sum));
    kernels.multiply_by(&mut sum, &up);
    out.extend(bits(&sum));
    kernels.multiply(&mut sum, E::from_f64(0.3));
    out.extend(bits(&sum));
    kernels.divide(&mut sum, E::from_f64(0.7));
    out.extend(bits(&sum));
    share(kernels, AddInto { y: &mut sum, a: &x, b: &up }, E::run_add_into);
    out.extend(bits(&sum));

    let mut row = x.clone();
    let (largest, sum) = E::run_softmax_row(kernels, SoftmaxRow(&mut row));
    out.extend(bits(&row));
    out.extend(bits(&[largest, sum]));

    let (mut weights, mut m, mut v) =
        (x.clone(), up.clone(), up.iter().map(|&x| x * x).collect::<Vec<_>>());
    AdamWStep {
        weights: &mut weights,
        gradient: &gate_gradient,
        first_moment: &mut m,
        second_moment: &mut v,
        betas: [E::from_f64(0.9), E::from_f64(0.999)],
        corrections: [E::from_f64(0.1), E::from_f64(0.001)],
        epsilon: E::from_f64(1e-8),
        rate: E::from_f64(0.02),
        rate_times_decay: E::from_f64(0.002),
    }
    .run(kernels);
    for x in [weights, m, v] {
        out.extend(bits(&x));
    }
    out
}

fn rows_agree<E: Element>(width: usize, rows: usize, threads: usize) {
    let expected = row_outputs::<E>(Kernels::portable(), width, rows);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for kernels in implementations() {
        let outputs = pool.install(|| row_outputs::<E>(kernels, width, rows));
        assert!(outputs == expected, "{} {width} x {rows}, {threads} threads", kernels.name());
    }
}

/// The order that `reduce` promises, written down a second time.
#[test]
fn a_row_sum_is_sixteen_chains_and_a_tree() {
    let x = numbers::<f64>(53, 9);
    let mut lanes = [0.0; 16];
    for (i, &x) in x.iter().enumerate() {
        lanes[i % 16] = fma(x, x, lanes[i % 16]);
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            lanes[i] += lanes[i + half];
        }
    }
    let inverse = 1.0 / (lanes[0] / 53.0 + 0.5).sqrt();
    for kernels in implementations() {
        let (mut y, mut inverse_rms) = (x.clone(), [0.0]);
        let forward = RmsNormForward {
            x: &x,
            gain: &[1.0; 53],
            epsilon: 0.5,
            y: &mut y,
            inverse_rms: &mut inverse_rms,
        };
        f64::run_rms_norm_forward(kernels, forward);
        assert_eq!(inverse_rms[0].to_bits(), inverse.to_bits());
    }
}

#[test]
fn exponentials_agree_on_every_implementation_and_keep_special_values() {
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, -1e300, 5e-324];
    for kernels in implementations() {
        let mut x = special;
        f64::run_exp(kernels, ExpSlice(&mut x));
        assert_eq!(x[..4], [1.0, 1.0, f64::INFINITY, 0.0]);
        assert!(x[4].is_nan());
        assert_eq!(x[5..], [f64::INFINITY, 0.0, 1.0]);
        let mut x = special.map(|x| x as f32);
        f32::run_exp(kernels, ExpSlice(&mut x));
        assert_eq!(x[..4], [1.0, 1.0, f32::INFINITY, 0.0]);
        assert!(x[4].is_nan());
        assert_eq!(x[5..], [f32::INFINITY, 0.0, 1.0]);
    }
    let inputs: Vec<f64> = (0..4003).map(|i| f64::from(i) * 0.37 - 746.5).collect();
    let outputs = implementations().into_iter().map(|kernels| {
        let (mut wide, mut narrow) =
            (inputs.clone(), inputs.iter().map(|&x| x as f32 / 7.0).collect::<Vec<_>>());
        f64::run_exp(kernels, ExpSlice(&mut wide));
        f32::run_exp(kernels, ExpSlice(&mut narrow));
        (bits(&wide), bits(&narrow))
    });
    let outputs: Vec<_> = outputs.collect();
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]));
}
