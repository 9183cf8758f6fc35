//! One file per operation: formula, shapes, forward, backward, gradient check.

mod add;
mod add_row;
mod attention;
mod cached_attention;
mod cross_entropy;
mod embedding;
mod matmul;
mod mul;
mod rms_norm;
mod rope;
mod scale;
mod select_rows;
mod sum;
mod swiglu;

pub use attention::AttentionHeads;
pub use cross_entropy::CrossEntropy;
pub use rope::RopeTable;

#[cfg(test)]
pub(crate) mod testing {
    //! Inputs for the operations' tests.
    use crate::Tensor;

    /// Numbers between -1 and 1 that look irregular and are the same in every run.
    pub(crate) fn wavy(shape: &[usize], phase: f64) -> Tensor<f64> {
        let len = shape.iter().product();
        let wave = |i: usize| libm::sin(phase + 1.7 * i as f64 + 0.3 * (i * i) as f64);
        Tensor::new(shape, (0..len).map(wave).collect())
    }
}
