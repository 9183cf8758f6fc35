//! Tensors, the tape, one file per operation, kernels and the gradient check.
//!
//! An [`AutogradContext`] computes operations on [`TensorValue`]s; a recording one writes each
//! operation on a tape, and [`AutogradContext::backward`] walks the tape back. Shapes that do not
//! fit are bugs of the caller and panic with the operation's name and both shapes.
//!
//! Every number comes out with the same bits whatever the kernels, the number of threads and the
//! cut of the work: each output element of a product is one chain of fused multiply-adds, each sum
//! over a row has a fixed order, and the exponential is our own.
//!
//! `ENGINE.md` beside this crate's sources tells how the products reach the processor's peak.
//!
//! Left out: views, devices, graphs that are walked twice.
//!
//! | module | idea |
//! | --- | --- |
//! | `tensor`, `shape`, `element` | numbers with a shape, in f32 or f64 |
//! | `memory` | large arrays are used again |
//! | `tape` | recording and the walk back |
//! | `ops` | one file per operation: formula, forward, backward, gradient check |
//! | `kernels` | the loops, written once for all vector widths |
//! | `gradient_check`, `operation_checks` | central differences, for every operation |
//!
//! ```
//! use llm_autograd::{AutogradContext, Tensor};
//! let context = AutogradContext::recording();
//! let x = context.constant(&Tensor::new(&[1, 2], vec![1.0, 2.0]));
//! let w = context.variable(&Tensor::new(&[2, 1], vec![3.0, 4.0]));
//! let y = context.sum(&context.matmul(&x, &w));
//! assert_eq!(y.tensor().item(), 11.0); // 1*3 + 2*4
//! let gradients = context.backward(&y)?;
//! assert_eq!(gradients.of(&w).unwrap().data(), [1.0, 2.0]); // dy/dw = x
//! # Ok::<(), llm_autograd::AutogradError>(())
//! ```

mod element;
mod error;
mod gradient_check;
mod kernels;
mod memory;
mod operation_checks;
mod ops;
mod product;
mod shape;
mod tape;
mod tensor;

pub use element::Element;
pub use error::AutogradError;
pub use gradient_check::{GradientCheck, gradient_check};
pub use kernels::{AdamWStep, Kernels};
pub use memory::{Buffer, Memory};
pub use operation_checks::{OperationCheck, check_operations};
pub use ops::{AttentionHeads, CrossEntropy, PackedMatrix, RopeTable};
pub use product::Product;
pub use shape::{MAX_RANK, Shape};
pub use tape::{AutogradContext, BackwardStep, Gradients, RecordedNode, TensorValue};
pub use tensor::Tensor;
