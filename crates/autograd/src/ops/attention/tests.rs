#![expect(clippy::single_range_in_vec_init, reason = "a list of one document is meant")]

use super::*;
use crate::gradient_check;
use crate::ops::testing::wavy;

const HEADS: AttentionHeads = AttentionHeads { n_heads: 4, n_kv_heads: 2, head_dim: 6 };

fn inputs(tokens: usize) -> [Tensor<f64>; 3] {
    [wavy(&[tokens, 24], 0.3), wavy(&[tokens, 12], 1.1), wavy(&[tokens, 12], 2.0)]
}

/// Attention as its definition reads, without any care for speed or order.
fn naive(
    q: &Tensor<f64>,
    k: &Tensor<f64>,
    v: &Tensor<f64>,
    documents: &[Range<usize>],
) -> Vec<f64> {
    let mut y = vec![0.0; q.len()];
    let d = HEADS.head_dim;
    for document in documents {
        for t in document.clone() {
            for head in 0..HEADS.n_heads {
                let kv = head / 2;
                let dot = |j: usize| -> f64 {
                    (0..d).map(|i| q.row(t)[head * d + i] * k.row(j)[kv * d + i]).sum()
                };
                let weights: Vec<f64> =
                    (document.start..=t).map(|j| (dot(j) / (d as f64).sqrt()).exp()).collect();
                let total: f64 = weights.iter().sum();
                for (w, j) in weights.iter().zip(document.start..) {
                    for i in 0..d {
                        y[t * 24 + head * d + i] += w / total * v.row(j)[kv * d + i];
                    }
                }
            }
        }
    }
    y
}

#[test]
fn agrees_with_the_definition_on_documents_of_all_lengths_around_a_tile() {
    let lengths = [1, 2, 5, 6, 7, 12, 13, 50];
    let mut documents = Vec::new();
    for length in lengths {
        let start = documents.last().map_or(0, |d: &Range<usize>| d.end);
        documents.push(start..start + length);
    }
    let [q, k, v] = inputs(96);
    let context = AutogradContext::no_grad();
    let [cq, ck, cv] = [&q, &k, &v].map(|x| context.constant(x));
    let y = context.attention(&cq, &ck, &cv, HEADS, &documents);
    for (y, expected) in y.data().iter().zip(naive(&q, &k, &v, &documents)) {
        assert!((y - expected).abs() < 1e-13, "{y} {expected}");
    }
}

#[test]
fn gradients_agree_with_differences() {
    for documents in [vec![0..3, 3..12], vec![0..12], vec![0..1, 1..2, 2..12]] {
        let check = gradient_check(&inputs(12), 1e-5, |c, x| {
            let y = c.attention(&x[0], &x[1], &x[2], HEADS, &documents);
            c.sum(&c.mul(&y, &y))
        });
        assert!(check.largest_error < 1e-8, "{documents:?}: {check:?}");
    }
}

#[test]
fn gradients_agree_with_differences_beyond_a_block_of_queries() {
    let heads = AttentionHeads { n_heads: 1, n_kv_heads: 1, head_dim: 2 };
    let inputs = [wavy(&[101, 2], 0.3), wavy(&[101, 2], 1.1), wavy(&[101, 2], 2.0)];
    let check = gradient_check(&inputs, 1e-5, |c, x| {
        let y = c.attention(&x[0], &x[1], &x[2], heads, &[0..101]);
        c.sum(&c.mul(&y, &y))
    });
    assert!(check.largest_error < 1e-8, "{check:?}");
}

/// Output and all gradients, as bits.
fn everything(
    kernels: Kernels,
    tensors: &[Tensor<f64>; 3],
    documents: &[Range<usize>],
) -> Vec<Vec<u64>> {
    let context = AutogradContext::recording_with(kernels);
    let [q, k, v] = tensors.each_ref().map(|x| context.variable(x));
    let y = context.attention(&q, &k, &v, HEADS, documents);
    let loss = context.sum(&context.mul(&y, &y));
    let gradients = context.backward(&loss).unwrap();
    let gradients = [&q, &k, &v].map(|x| gradients.of(x).unwrap().bits());
    std::iter::once(y.tensor().bits()).chain(gradients).collect()
}

#[test]
fn bits_do_not_depend_on_company_kernels_or_threads() {
    let tensors = inputs(60);
    let alone = |document: Range<usize>| {
        let part = tensors.each_ref().map(|t| {
            let rows = document.clone().flat_map(|r| t.row(r)).copied().collect();
            Tensor::new(&[document.len(), t.shape()[1]], rows)
        });
        everything(Kernels::portable(), &part, &[0..document.len()])
    };
    let expected: Vec<Vec<u64>> = {
        let (first, second) = (alone(0..7), alone(7..60));
        first.into_iter().zip(second).map(|(a, b)| [a, b].concat()).collect()
    };
    for threads in 1..4 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for kernels in Kernels::available() {
            let kernels = kernels.with_sharing_threshold(0);
            let together = pool.install(|| everything(kernels, &tensors, &[0..7, 7..60]));
            assert!(together == expected, "{threads} threads, {}", kernels.name());
        }
    }
}
