//! Speed of the three matrix products, one JSON line for each shape.
//!
//! `cargo run --release -p llm-from-scratch-practical --example matmul_speed -- f32|f64 [RUNS] [MxKxN ...]`
//! without shapes runs squares and the shapes of the benchmarked models; `largest_error` is against the
//! product in f64. `RAYON_NUM_THREADS` sets the threads.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod speed;

use autograd::{Element, Kernels, Product, Tensor};
use llm_from_scratch_practical::{autograd, model};
use speed::Timing;

/// Rows, inner dimension and columns.
type Shape = [usize; 3];

const SHAPES: [Shape; 16] = [
    [256, 256, 256],
    [512, 512, 512],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [2048, 384, 1024],
    [2048, 1024, 384],
    [384, 2048, 1024],
    [2048, 384, 384],
    [2048, 384, 4096],
    [2048, 128, 344],
    [2048, 128, 512],
    [512, 576, 1536],
    [64, 576, 49152],
    [256, 64, 256],
    [1, 576, 1536],
    [8, 8, 8],
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runs = arguments.get(1).map_or(7, |runs| runs.parse().expect("a number of runs"));
    let given: Vec<Shape> = arguments.iter().skip(2).map(|text| shape(text)).collect();
    let shapes = if given.is_empty() { SHAPES.to_vec() } else { given };
    match arguments.first().map_or("f32", String::as_str) {
        "f32" => measure_all::<f32>(&shapes, runs),
        "f64" => measure_all::<f64>(&shapes, runs),
        other => panic!("`{other}` is no precision, expected f32 or f64"),
    }
}

fn shape(text: &str) -> Shape {
    let numbers: Vec<usize> = text.split('x').filter_map(|n| n.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("`{text}` is no shape, expected MxKxN"))
}

/// Measures the most that one thread could reach, then every shape.
fn measure_all<E: Element>(shapes: &[Shape], runs: usize) {
    let mut count = 0;
    let timing = Timing::of(runs, || count = Kernels::detect().peak_multiply_adds::<E>(10_000_000));
    let peak = 2.0 * count as f64 / timing.least / 1e9;
    println!(
        "{}",
        serde_json::json!({
            "bench": "peak",
            "kernels": Kernels::detect().name(),
            "dtype": E::NAME,
            "gflops_of_one_thread": peak,
        })
    );
    shapes.iter().for_each(|shape| measure::<E>(*shape, runs));
}

fn measure<E: Element>([rows, inner, columns]: Shape, runs: usize) {
    let kernels = Kernels::detect();
    let forms = [
        (Product::Plain, "ab", [rows, inner], [inner, columns]),
        (Product::RightTransposed, "abt", [rows, inner], [columns, inner]),
        (Product::LeftTransposed, "atb", [inner, rows], [inner, columns]),
    ];
    for (product, form, a_shape, b_shape) in forms {
        let (a, b) = (random::<E>(a_shape, 1), random::<E>(b_shape, 2));
        let mut c = vec![E::ZERO; rows * columns];
        let flops = 2.0 * (rows * inner * columns) as f64;
        let repeats = (2e8 / flops).ceil() as usize; // a run takes milliseconds
        // On the pool, as in training.
        let timing = kernels.on_pool(usize::MAX, || {
            spread_threads(kernels);
            Timing::of(runs, || {
                for _ in 0..repeats {
                    product.write(kernels, &a, &b, std::hint::black_box(&mut c));
                }
            })
        });
        let error = largest_error(product, &a, &b, &c);
        let rate = |seconds: f64| flops * repeats as f64 / seconds / 1e9;
        println!(
            "{}",
            serde_json::json!({
                "bench": "matmul",
                "impl": "llm-from-scratch",
                "form": form,
                "dtype": E::NAME,
                "M": rows,
                "K": inner,
                "N": columns,
                "threads": speed::threads(),
                "gflops": rate(timing.median),
                "gflops_best": rate(timing.least),
                "largest_error": error,
                "median_s": timing.median / repeats as f64,
            })
        );
    }
}

/// Keeps all threads busy for a while, so that the system gives each a core of its own. When they have
/// slept it may wake both on one core, and small products are over before the second has its turn.
fn spread_threads(kernels: Kernels) {
    let ones = Tensor::filled(&[2048, 2048], 1_f32);
    let mut c = vec![0.0; 2048 * 2048];
    (0..2).for_each(|_| Product::Plain.write(kernels, &ones, &ones, std::hint::black_box(&mut c)));
}

/// How far the product is from that in f64 of the same numbers: the largest difference of an element,
/// relative to the largest element.
fn largest_error<E: Element>(product: Product, a: &Tensor<E>, b: &Tensor<E>, c: &[E]) -> f64 {
    let double = |x: &Tensor<E>| {
        Tensor::new(x.shape(), x.data().iter().map(|x| x.to_f64()).collect::<Vec<f64>>())
    };
    let mut exact = vec![0.0; c.len()];
    product.write(Kernels::detect(), &double(a), &double(b), &mut exact);
    let largest = exact.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let differences = c.iter().zip(&exact).map(|(c, exact)| (c.to_f64() - exact).abs());
    differences.fold(0.0, f64::max) / largest
}

fn random<E: Element>(shape: [usize; 2], seed: u64) -> Tensor<E> {
    let mut stream = model::SplitMix64::new(seed);
    let len = shape[0] * shape[1];
    Tensor::new(&shape, (0..len).map(|_| E::from_f64(stream.unit() - 0.5)).collect())
}
