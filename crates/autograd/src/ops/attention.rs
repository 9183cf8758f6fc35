//! Causal attention with grouped key/value heads (Vaswani and others 2017; Ainslie and others 2023).
//!
//! For query t of a document and each of its visible keys j <= t of the same document:
//! `p[j] = softmax over j of (q[t] . k[j] / sqrt(head_dim))`, `y[t] = sum over j of p[j] v[j]`.
//! Consecutive query heads share a key/value head. With `dp[j] = dy . v[j]` and
//! `ds[j] = p[j] (dp[j] - sum(p dp)) / sqrt(head_dim)`: `dq[t] = sum ds[j] k[j]`,
//! `dk[j] = sum over t of ds[j] q[t]`, `dv[j] = sum over t of p[j] dy[t]`.
//!
//! Documents never meet: there is no mask, other documents' keys are simply not read. Scores are
//! recomputed in the backward pass, so memory grows with the tokens, not with their square.

use std::ops::Range;

use rayon::prelude::*;

use crate::kernels::{AttentionBackward, AttentionForward, AttentionShape, MatrixMut, MatrixView};
use crate::shape::expect;
use crate::tape::GradientFlow;
use crate::{AutogradContext, Buffer, Element, Kernels, Tensor, TensorValue};

/// How features are divided into heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionHeads {
    /// Query heads, a multiple of `n_kv_heads`.
    pub n_heads: usize,
    /// Key/value heads.
    pub n_kv_heads: usize,
    /// Features of one head.
    pub head_dim: usize,
}

impl AttentionHeads {
    pub(super) fn group(&self) -> usize {
        self.n_heads / self.n_kv_heads
    }

    fn query_columns(&self) -> usize {
        self.n_heads * self.head_dim
    }

    fn kv_columns(&self) -> usize {
        self.n_kv_heads * self.head_dim
    }

    /// For whole documents, whose first query stands at position 0.
    pub(super) fn shape<E: Element>(&self) -> AttentionShape<E> {
        let scale = E::ONE / E::from_f64(self.head_dim as f64).sqrt();
        AttentionShape { head_dim: self.head_dim, group: self.group(), first_position: 0, scale }
    }
}

impl<E: Element> AutogradContext<E> {
    /// Attention within each document.
    ///
    /// # Shapes
    /// `queries: [tokens, n_heads * head_dim]`, `keys`, `values: [tokens, n_kv_heads * head_dim]` ->
    /// like the queries. `documents` are the row ranges of the documents: consecutive, from 0 to
    /// `tokens`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    #[track_caller]
    pub fn attention(
        &self,
        queries: &TensorValue<E>,
        keys: &TensorValue<E>,
        values: &TensorValue<E>,
        heads: AttentionHeads,
        documents: &[Range<usize>],
    ) -> TensorValue<E> {
        let [tokens, _] = queries.tensor().matrix("attention", "queries");
        let whole_groups = heads.n_kv_heads > 0 && heads.n_heads.is_multiple_of(heads.n_kv_heads);
        assert!(whole_groups, "attention: {heads:?} have no whole groups");
        expect("attention", "queries", queries.shape(), &[tokens, heads.query_columns()]);
        expect("attention", "keys", keys.shape(), &[tokens, heads.kv_columns()]);
        expect("attention", "values", values.shape(), &[tokens, heads.kv_columns()]);
        let mut end = 0;
        for document in documents {
            assert!(document.start == end && !document.is_empty(), "attention: {documents:?}");
            end = document.end;
        }
        assert!(end == tokens, "attention: documents end at {end} of {tokens} tokens");

        let task = Task { heads, documents: documents.to_vec() };
        let inputs = [queries.clone(), keys.clone(), values.clone()];
        let y = self.buffer(queries.data().len());
        let (y, statistics) = task.forward(self.kernels(), &inputs, y);
        let y = queries.tensor().same_shape(y);
        self.record("attention", &[queries, keys, values], y, move |gradient, flow| {
            let gradients = task.backward(flow, &inputs, &statistics, &gradient);
            for (input, gradient) in inputs.iter().zip(gradients) {
                flow.add(input.place(), gradient);
            }
        })
    }
}

/// What was asked for, without the numbers.
struct Task {
    heads: AttentionHeads,
    documents: Vec<Range<usize>>,
}

/// Maximum and inverse sum of every row of scores: `[tokens, n_heads]` each.
struct Statistics<E> {
    maxima: Tensor<E>,
    inverse_sums: Tensor<E>,
}

impl Task {
    fn tokens(&self) -> usize {
        self.documents.last().map_or(0, |document| document.end)
    }

    /// Roughly the multiply-adds of one direction.
    fn work(&self) -> usize {
        let pairs: usize = self.documents.iter().map(|d| d.len() * d.len()).sum();
        pairs * self.heads.query_columns()
    }

    fn forward<E: Element>(
        &self,
        kernels: Kernels,
        [queries, keys, values]: &[TensorValue<E>; 3],
        mut y: Buffer<E>,
    ) -> (Buffer<E>, Statistics<E>) {
        let (tokens, n_heads) = (self.tokens(), self.heads.n_heads);
        let mut maxima = vec![E::ZERO; tokens * n_heads];
        let mut inverse_sums = vec![E::ZERO; tokens * n_heads];
        let shape = self.heads.shape();
        let outputs = self.parts(&mut y, self.heads.group() * self.heads.head_dim);
        let statistics = self
            .parts(&mut maxima, self.heads.group())
            .into_iter()
            .zip(self.parts(&mut inverse_sums, self.heads.group()));
        let work = self.places().zip(outputs).zip(statistics);
        let work =
            work.map(|(((document, kv_head), output), (maxima, inverse_sums))| AttentionForward {
                shape,
                queries: self.query_part(queries.data(), &document, kv_head),
                keys: self.kv_part(keys.data(), &document, kv_head),
                values: self.kv_part(values.data(), &document, kv_head),
                output,
                maxima,
                inverse_sums,
            });
        run_all(kernels, self.work(), work, E::run_attention_forward);
        let tensor = |data| Tensor::new(&[tokens, n_heads], data);
        (y, Statistics { maxima: tensor(maxima), inverse_sums: tensor(inverse_sums) })
    }

    fn backward<E: Element>(
        &self,
        flow: &GradientFlow<'_, E>,
        [queries, keys, values]: &[TensorValue<E>; 3],
        statistics: &Statistics<E>,
        gradient: &[E],
    ) -> [Buffer<E>; 3] {
        let (group, head_dim) = (self.heads.group(), self.heads.head_dim);
        let mut d_queries = flow.buffer(queries.data().len());
        let mut d_keys = flow.zeros(keys.data().len());
        let mut d_values = flow.zeros(values.data().len());
        let shape = self.heads.shape();
        let outputs = self
            .parts(&mut d_queries, group * head_dim)
            .into_iter()
            .zip(self.parts(&mut d_keys, head_dim))
            .zip(self.parts(&mut d_values, head_dim));
        let work = self.places().zip(outputs);
        let work =
            work.map(|((document, kv_head), ((d_query, d_key), d_value))| AttentionBackward {
                shape,
                queries: self.query_part(queries.data(), &document, kv_head),
                keys: self.kv_part(keys.data(), &document, kv_head),
                values: self.kv_part(values.data(), &document, kv_head),
                maxima: self.part(statistics.maxima.data(), group, &document, kv_head),
                inverse_sums: self.part(statistics.inverse_sums.data(), group, &document, kv_head),
                output_gradient: self.query_part(gradient, &document, kv_head),
                query_gradient: d_query,
                key_gradient: d_key,
                value_gradient: d_value,
            });
        run_all(flow.kernels, 3 * self.work(), work, E::run_attention_backward);
        [d_queries, d_keys, d_values]
    }

    /// Every (document, key/value head): the units that are computed independently.
    fn places(&self) -> impl Iterator<Item = (Range<usize>, usize)> + '_ {
        let heads = 0..self.heads.n_kv_heads;
        self.documents.iter().flat_map(move |d| heads.clone().map(move |head| (d.clone(), head)))
    }

    fn query_part<'a, E: Element>(
        &self,
        data: &'a [E],
        document: &Range<usize>,
        kv_head: usize,
    ) -> MatrixView<'a, E> {
        self.part(data, self.heads.group() * self.heads.head_dim, document, kv_head)
    }

    fn kv_part<'a, E: Element>(
        &self,
        data: &'a [E],
        document: &Range<usize>,
        kv_head: usize,
    ) -> MatrixView<'a, E> {
        self.part(data, self.heads.head_dim, document, kv_head)
    }

    /// The rows of one document and the `width` columns of one key/value head.
    fn part<'a, E: Element>(
        &self,
        data: &'a [E],
        width: usize,
        document: &Range<usize>,
        kv_head: usize,
    ) -> MatrixView<'a, E> {
        let columns = width * self.heads.n_kv_heads;
        MatrixView::new(data, self.tokens(), columns)
            .block(document.clone(), kv_head * width..(kv_head + 1) * width)
    }

    /// Cuts an output into the parts of [`places`](Self::places), in the same order.
    fn parts<'a, E: Element>(&self, data: &'a mut [E], width: usize) -> Vec<MatrixMut<'a, E>> {
        let mut rest = MatrixMut::new(data, self.tokens(), width * self.heads.n_kv_heads);
        let mut parts = Vec::with_capacity(self.documents.len() * self.heads.n_kv_heads);
        for document in &self.documents {
            let (mut rows, others) = rest.split_rows(document.len());
            rest = others;
            for _ in 0..self.heads.n_kv_heads {
                let (part, right) = rows.split_columns(width);
                rows = right;
                parts.push(part);
            }
        }
        parts
    }
}

/// Runs independent kernels, side by side if there is enough work.
fn run_all<K: Send>(
    kernels: Kernels,
    work: usize,
    all: impl Iterator<Item = K>,
    run: fn(Kernels, K),
) {
    if kernels.parts(work) > 1 {
        let all: Vec<K> = all.collect();
        all.into_par_iter().for_each(|kernel| run(kernels, kernel));
    } else {
        all.for_each(|kernel| run(kernels, kernel));
    }
}

#[cfg(test)]
mod tests;
