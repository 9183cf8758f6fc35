//! What the crate promises, on random weights, whole models and files.

mod costs;
mod files;
mod promises;
mod rounding;
