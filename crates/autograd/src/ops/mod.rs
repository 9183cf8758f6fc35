//! One file per operation: formula, shapes, forward, backward, gradient check.

mod add;
mod add_row;
mod attention;
mod broadcast;
mod cached_attention;
mod cross_entropy;
mod div;
mod embedding;
mod exp;
mod log;
mod matmul;
mod mean_axis;
mod mul;
mod pointwise;
mod reshape;
mod rms_norm;
mod rope;
mod scale;
mod select_rows;
mod sqrt;
mod sub;
mod sum;
mod sum_axis;
mod swiglu;
mod tanh;
mod transpose;

pub use attention::AttentionHeads;
pub use cross_entropy::CrossEntropy;
pub use matmul::PackedMatrix;
pub use rope::RopeTable;

#[cfg(test)]
pub(crate) mod testing {
    //! Inputs for the operations' tests.
    pub(crate) use crate::operation_checks::wavy;
}
