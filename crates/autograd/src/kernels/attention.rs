//! Causal attention of one document and one key/value head; formulas in `ops/attention.rs`.
//!
//! Queries are taken six at a time, the height of a tile, which ends in the triangle of the at most
//! five keys that only the later ones see. No masked key is ever multiplied, and every chain runs over the visible
//! keys (or, for the gradients of keys and values, over the queries that see the key) in position
//! order, whatever the tile. Memory is a few rows of scores, not a square of them.

use std::ops::Range;

use super::matrix::{MatrixMut, MatrixView, blocks};
use super::pack::{pack_panels, panel_width};
use super::reduce::{Dot, row_max, sum_row};
use super::scratch::Scratch;
use super::simd::{Kernel, Simd};
use super::softmax::exponentials;
use super::tile::{Start, Steps, TILE_ROWS, multiply_panel};
use crate::Element;

/// Queries whose probabilities are held at once when the gradients of keys and values are formed.
const QUERY_BLOCK: usize = 8 * TILE_ROWS;

/// What both directions need to know beside the tensors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttentionShape<E> {
    /// Features of one head.
    pub(crate) head_dim: usize,
    /// Query heads that share this key/value head.
    pub(crate) group: usize,
    /// Position of the first query: it sees the keys before it and its own.
    pub(crate) first_position: usize,
    /// Factor of the scores, 1 / sqrt(head_dim).
    pub(crate) scale: E,
}

/// `queries: [T, group * head_dim]`, `keys`, `values: [first_position + T, head_dim]`, `output` like
/// the queries; `maxima` and `inverse_sums: [T, group]` keep what the backward pass needs.
pub struct AttentionForward<'a, E> {
    pub(crate) shape: AttentionShape<E>,
    pub(crate) queries: MatrixView<'a, E>,
    pub(crate) keys: MatrixView<'a, E>,
    pub(crate) values: MatrixView<'a, E>,
    pub(crate) output: MatrixMut<'a, E>,
    pub(crate) maxima: MatrixMut<'a, E>,
    pub(crate) inverse_sums: MatrixMut<'a, E>,
}

impl<E: Element> Kernel<E> for AttentionForward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(mut self, simd: S) {
        let AttentionShape { head_dim, group, first_position, scale } = self.shape;
        let (mut keys, mut values) = (Scratch::new(), Scratch::new());
        let keys = pack_panels(simd, self.keys.transposed(), &mut keys);
        let values = pack_panels(simd, self.values, &mut values);
        let key_count = self.keys.rows();
        let mut scores = Scratch::new();
        let scores = scores.any(TILE_ROWS * key_count);

        for head in 0..group {
            let features = head * head_dim..(head + 1) * head_dim;
            for first in (0..self.queries.rows()).step_by(TILE_ROWS) {
                let rows = first..(first + TILE_ROWS).min(self.queries.rows());
                let seen = first_position + first + 1; // keys that the first of these queries sees
                let queries = self.queries.block(rows.clone(), features.clone());
                score_rows(simd, queries, keys, seen, scores, key_count);
                for (r, query) in rows.clone().enumerate() {
                    let row = &mut scores[r * key_count..][..seen + r];
                    scale_row(row, scale);
                    let largest = row_max(simd, row);
                    let sum = exponentials(simd, row, largest);
                    self.maxima.row_mut(query)[head] = largest;
                    self.inverse_sums.row_mut(query)[head] = E::ONE / sum;
                }
                let output = self.output.block(rows.clone(), features.clone());
                mix_values(simd, scores, key_count, seen, values, output);
                let mut output = self.output.block(rows.clone(), features.clone());
                for (r, query) in rows.enumerate() {
                    let inverse_sum = self.inverse_sums.row_mut(query)[head];
                    scale_row(output.row_mut(r), inverse_sum);
                }
            }
        }
    }
}

/// Gradients of a whole document. `key_gradient` and `value_gradient` must come in as zeros; the
/// group's heads are added to them in order.
pub struct AttentionBackward<'a, E> {
    pub(crate) shape: AttentionShape<E>,
    pub(crate) queries: MatrixView<'a, E>,
    pub(crate) keys: MatrixView<'a, E>,
    pub(crate) values: MatrixView<'a, E>,
    pub(crate) maxima: MatrixView<'a, E>,
    pub(crate) inverse_sums: MatrixView<'a, E>,
    pub(crate) output_gradient: MatrixView<'a, E>,
    pub(crate) query_gradient: MatrixMut<'a, E>,
    pub(crate) key_gradient: MatrixMut<'a, E>,
    pub(crate) value_gradient: MatrixMut<'a, E>,
}

impl<E: Element> Kernel<E> for AttentionBackward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(mut self, simd: S) {
        let AttentionShape { head_dim, group, scale, .. } = self.shape;
        let tokens = self.queries.rows();
        let [mut keys_t, mut values_t, mut keys, mut queries, mut d_outputs] =
            std::array::from_fn(|_| Scratch::new());
        let keys_t = pack_panels(simd, self.keys.transposed(), &mut keys_t);
        let values_t = pack_panels(simd, self.values.transposed(), &mut values_t);
        let keys = pack_panels(simd, self.keys, &mut keys);
        let block_rows = QUERY_BLOCK.min(tokens);
        let (mut weights, mut d_scores) = (Scratch::new(), Scratch::new());
        let weights = weights.any(block_rows * tokens);
        let d_scores = d_scores.any(block_rows * tokens);

        for head in 0..group {
            let features = head * head_dim..(head + 1) * head_dim;
            let query_head = self.queries.block(0..tokens, features.clone());
            let d_output_head = self.output_gradient.block(0..tokens, features.clone());
            let queries = pack_panels(simd, query_head, &mut queries);
            let d_outputs = pack_panels(simd, d_output_head, &mut d_outputs);
            for block in (0..tokens).step_by(QUERY_BLOCK) {
                let block_end = (block + QUERY_BLOCK).min(tokens);
                for first in (block..block_end).step_by(TILE_ROWS) {
                    let rows = first..(first + TILE_ROWS).min(block_end);
                    let seen = first + 1;
                    let weights = &mut weights[(first - block) * tokens..];
                    let d_scores = &mut d_scores[(first - block) * tokens..];
                    let q = query_head.block(rows.clone(), 0..head_dim);
                    let dy = d_output_head.block(rows.clone(), 0..head_dim);
                    score_rows(simd, q, keys_t, seen, weights, tokens);
                    score_rows(simd, dy, values_t, seen, d_scores, tokens);
                    for (r, query) in rows.clone().enumerate() {
                        let from = r * tokens..r * tokens + seen + r;
                        let weights = &mut weights[from.clone()];
                        scale_row(weights, scale);
                        let largest = self.maxima.get(query, head);
                        exponentials(simd, weights, largest);
                        let inverse = self.inverse_sums.get(query, head);
                        scale_row(weights, inverse);
                        softmax_backward(simd, weights, &mut d_scores[from], scale);
                    }
                    let d_query = self.query_gradient.block(rows, features.clone());
                    mix_values(simd, d_scores, tokens, seen, keys, d_query);
                }
                let block = block..block_end;
                add_over_queries(
                    simd,
                    weights,
                    tokens,
                    block.clone(),
                    d_outputs,
                    &mut self.value_gradient,
                );
                add_over_queries(simd, d_scores, tokens, block, queries, &mut self.key_gradient);
            }
        }
    }
}

/// Products of up to six rows with all keys that the last of them sees: row r of `scores` starts at
/// `r * stride`; `seen` keys are visible to the first row, one more to each next row.
#[inline(always)]
fn score_rows<E: Element, S: Simd<E>>(
    simd: S,
    rows: MatrixView<'_, E>,
    keys: &[E],
    seen: usize,
    scores: &mut [E],
    stride: usize,
) {
    let (count, width) = (rows.rows(), panel_width::<E, S>());
    let visible = seen + count - 1;
    let mut scores = MatrixMut::new(&mut scores[..count * stride], count, stride);
    for (panel, columns) in keys.chunks_exact(width * rows.columns()).zip(blocks(visible, width)) {
        let tile = scores.block(0..count, columns);
        multiply_panel(simd, rows, panel, tile, Start::Zero, Steps::All);
    }
}

#[inline(always)]
fn scale_row<E: Element>(row: &mut [E], factor: E) {
    row.iter_mut().for_each(|x| *x = *x * factor);
}

/// Turns the gradients of a row of probabilities, in place, into those of the unscaled scores:
/// `p (dp - sum(p dp)) scale`.
#[inline(always)]
fn softmax_backward<E: Element, S: Simd<E>>(simd: S, p: &[E], dp: &mut [E], scale: E) {
    let dot = sum_row(simd, p.len(), Dot(p, dp));
    for (dp, &p) in dp.iter_mut().zip(p) {
        *dp = p * (*dp - dot) * scale;
    }
}

/// Each row of `output` becomes the chain of its weights times the packed `values`. The first of the
/// up to six rows has `seen` weights, each next row one more; row r begins at `r * stride`.
#[inline(always)]
fn mix_values<E: Element, S: Simd<E>>(
    simd: S,
    weights: &[E],
    stride: usize,
    seen: usize,
    values: &[E],
    mut output: MatrixMut<'_, E>,
) {
    let (width, rows, columns) = (panel_width::<E, S>(), output.rows(), output.columns());
    let weights = MatrixView::with_strides(weights, [rows, seen + rows - 1], [stride, 1]);
    let panels = values.chunks_exact(values.len() / columns.div_ceil(width));
    for (panel, columns) in panels.zip(blocks(columns, width)) {
        let tile = output.block(0..rows, columns);
        multiply_panel(simd, weights, panel, tile, Start::Zero, Steps::OneMoreEachRow);
    }
}

/// Continues, for every key, the chain over the queries of a block that see it:
/// `output[key] += weights[query][key] * rows[query]`, queries ascending. Blocks begin where tiles
/// do, so a tile of keys has all its queries that see only some of its keys in one block.
#[inline(always)]
fn add_over_queries<E: Element, S: Simd<E>>(
    simd: S,
    weights: &[E],
    stride: usize,
    block: Range<usize>,
    rows: &[E],
    output: &mut MatrixMut<'_, E>,
) {
    let (width, columns) = (panel_width::<E, S>(), output.columns());
    let panels = rows.chunks_exact(rows.len() / columns.div_ceil(width));
    for (panel, columns) in panels.zip(blocks(columns, width)) {
        for keys in blocks(block.end, TILE_ROWS) {
            let (queries, steps) = if keys.start < block.start {
                (block.clone(), Steps::All)
            } else {
                (keys.start..block.end, Steps::FromOwn)
            };
            let from = (queries.start - block.start) * stride + keys.start;
            let shape = [keys.len(), queries.len()];
            let weights = MatrixView::with_strides(&weights[from..], shape, [1, stride]);
            let panel = &panel[queries.start * width..];
            let tile = output.block(keys, columns.clone());
            multiply_panel(simd, weights, panel, tile, Start::Stored, steps);
        }
    }
}
