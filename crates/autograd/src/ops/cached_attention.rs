//! Attention of new tokens to a document whose beginning was computed before.
//!
//! The keys and values of earlier tokens never change (attention is causal), so a generator keeps
//! them and computes only the queries of what is new. Each query runs over the same visible keys,
//! in the same order, as in [`AutogradContext::attention`], so it gives the same bits. There is no
//! backward pass: the earlier tokens are not on any tape.

use rayon::prelude::*;

use super::AttentionHeads;
use crate::kernels::{AttentionForward, AttentionShape, MatrixMut, MatrixView};
use crate::shape::expect;
use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// Attention of the last tokens of one document to all of its tokens so far.
    ///
    /// # Shapes
    /// `queries: [new, n_heads * head_dim]` -> the same; `keys` and `values`, row-major:
    /// `[past + new, n_kv_heads * head_dim]`. Query i stands at position `past + i` and sees the
    /// keys up to its own.
    ///
    /// # Panics
    /// If the shapes do not fit, or if the queries are recorded on a tape.
    ///
    /// # Example
    /// One head of two features. The second token is asked alone and as a part of both tokens.
    /// ```
    /// use llm_autograd::{AttentionHeads, AutogradContext, Tensor};
    /// let heads = AttentionHeads { n_heads: 1, n_kv_heads: 1, head_dim: 2 };
    /// let (keys, values) = ([1.0, 0.0, 0.0, 1.0], [10.0, 20.0, 30.0, 40.0]);
    /// let context = AutogradContext::<f64>::no_grad();
    /// let ask = |queries: &[f64]| {
    ///     let queries = Tensor::new(&[queries.len() / 2, 2], queries.to_vec());
    ///     context.cached_attention(&context.constant(&queries), &keys, &values, heads)
    /// };
    /// let (both, second) = (ask(&[7.0, 7.0, 1.0, 1.0]), ask(&[1.0, 1.0]));
    /// assert_eq!(both.tensor().row(0), [10.0, 20.0]); // the first token sees only itself
    /// assert_eq!(second.tensor().row(0), [20.0, 30.0]); // equal scores: the mean of both values
    /// assert_eq!(both.tensor().row(1), second.tensor().row(0));
    /// ```
    #[track_caller]
    pub fn cached_attention(
        &self,
        queries: &TensorValue<E>,
        keys: &[E],
        values: &[E],
        heads: AttentionHeads,
    ) -> TensorValue<E> {
        const OP: &str = "cached_attention";
        let AttentionHeads { n_heads, n_kv_heads, head_dim } = heads;
        let whole_groups = n_kv_heads > 0 && n_heads.is_multiple_of(n_kv_heads);
        assert!(whole_groups, "{OP}: {heads:?} have no whole groups");
        assert!(!queries.tracks_gradient(), "{OP}: recorded queries, but it has no backward pass");
        let [new, _] = queries.tensor().matrix(OP, "queries");
        let kv_columns = n_kv_heads * head_dim;
        let tokens = keys.len() / kv_columns.max(1);
        expect(OP, "queries", queries.shape(), &[new, n_heads * head_dim]);
        expect(OP, "keys", &[keys.len()], &[tokens * kv_columns]);
        expect(OP, "values", &[values.len()], &[keys.len()]);
        assert!(tokens >= new, "{OP}: {new} queries but only {tokens} keys");

        let group = heads.group();
        let shape = AttentionShape { first_position: tokens - new, ..heads.shape() };
        let mut y = vec![E::ZERO; queries.data().len()];
        // What a backward pass would need; the kernel writes it in any case.
        let mut statistics =
            vec![[vec![E::ZERO; new * group], vec![E::ZERO; new * group]]; n_kv_heads];
        let work = columns(&mut y, new, n_kv_heads).into_iter().zip(&mut statistics).enumerate();
        let work = work.map(|(head, (output, [maxima, inverse_sums]))| AttentionForward {
            shape,
            queries: head_part(queries.data(), new, n_kv_heads, head),
            keys: head_part(keys, tokens, n_kv_heads, head),
            values: head_part(values, tokens, n_kv_heads, head),
            output,
            maxima: MatrixMut::new(maxima, new, group),
            inverse_sums: MatrixMut::new(inverse_sums, new, group),
        });
        let (kernels, all) = (self.kernels(), work.collect::<Vec<_>>());
        if kernels.parts(new * tokens * n_heads * head_dim) > 1 {
            all.into_par_iter().for_each(|kernel| E::run_attention_forward(kernels, kernel));
        } else {
            all.into_iter().for_each(|kernel| E::run_attention_forward(kernels, kernel));
        }
        self.constant(&Tensor::new(queries.shape(), y))
    }
}

/// The columns of one key/value head, or of the query heads that share it.
fn head_part<E: Element>(
    data: &[E],
    rows: usize,
    n_kv_heads: usize,
    head: usize,
) -> MatrixView<'_, E> {
    let width = data.len() / (rows * n_kv_heads).max(1);
    let columns = head * width..(head + 1) * width;
    MatrixView::new(data, rows, n_kv_heads * width).block(0..rows, columns)
}

/// Cuts an output into the columns of each key/value head.
fn columns<E: Element>(data: &mut [E], rows: usize, n_kv_heads: usize) -> Vec<MatrixMut<'_, E>> {
    let width = data.len() / (rows * n_kv_heads).max(1);
    let mut rest = MatrixMut::new(data, rows, n_kv_heads * width);
    let mut parts = Vec::with_capacity(n_kv_heads);
    for _ in 0..n_kv_heads {
        let (part, right) = rest.split_columns(width);
        rest = right;
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    #![expect(clippy::single_range_in_vec_init, reason = "a list of one document is meant")]

    use super::*;
    use crate::Kernels;
    use crate::ops::testing::wavy;

    /// Every way to cut 15 tokens in two (a tile has six rows), for all kernels, alone and shared.
    #[test]
    fn every_cut_of_a_document_gives_the_bits_of_the_whole() {
        let heads = AttentionHeads { n_heads: 4, n_kv_heads: 2, head_dim: 6 };
        let (q, k, v) = (wavy(&[15, 24], 0.3), wavy(&[15, 12], 1.1), wavy(&[15, 12], 2.0));
        let alone = Kernels::available();
        let shared = alone.iter().map(|kernels| kernels.with_sharing_threshold(0));
        for kernels in alone.iter().copied().chain(shared) {
            let context = AutogradContext::no_grad_with(kernels);
            let [whole_q, whole_k, whole_v] = [&q, &k, &v].map(|x| context.constant(x));
            let whole = context.attention(&whole_q, &whole_k, &whole_v, heads, &[0..15]);
            for past in 0..15 {
                for end in past + 1..=15 {
                    let new =
                        Tensor::new(&[end - past, 24], q.data()[past * 24..end * 24].to_vec());
                    let (keys, values) = (&k.data()[..end * 12], &v.data()[..end * 12]);
                    let y = context.cached_attention(&context.constant(&new), keys, values, heads);
                    let expected = &whole.tensor().bits()[past * 24..end * 24];
                    assert_eq!(y.tensor().bits(), expected, "{past}..{end} {}", kernels.name());
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "3 queries but only 2 keys")]
    fn more_queries_than_keys_are_a_bug() {
        let heads = AttentionHeads { n_heads: 1, n_kv_heads: 1, head_dim: 2 };
        let context = AutogradContext::<f64>::no_grad();
        let queries = context.constant(&wavy(&[3, 2], 0.0));
        context.cached_attention(&queries, &[0.0; 4], &[0.0; 4], heads);
    }

    #[test]
    #[should_panic(expected = "recorded queries")]
    fn recorded_queries_are_a_bug() {
        let heads = AttentionHeads { n_heads: 1, n_kv_heads: 1, head_dim: 2 };
        let context = AutogradContext::<f64>::recording();
        let queries = context.variable(&wavy(&[1, 2], 0.0));
        context.cached_attention(&queries, &[0.0; 2], &[0.0; 2], heads);
    }
}
