//! Every parameter of the small decoder.

use llm_from_scratch_practical::model::{ValidConfig, parameter_specs};
use serde::Serialize;

/// The parameters in their order in files, optimizers and initialization.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterTable {
    /// Token ids.
    pub vocab_size: usize,
    /// Features between the blocks.
    pub d_model: usize,
    /// Heads.
    pub n_heads: usize,
    /// Features of one head.
    pub head_dim: usize,
    /// Hidden features of the feed-forward layer.
    pub d_ff: usize,
    /// Blocks.
    pub n_layers: usize,
    /// One row for each.
    pub table: Vec<ParameterRow>,
    /// Numbers in all of them.
    pub total: usize,
    /// How many more an output head of its own would have.
    pub saved_by_the_tied_head: usize,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterRow {
    /// Its name in files.
    pub name: String,
    /// `[input, output]` for a matrix, `[vocab_size, d_model]` for the embedding.
    pub shape: Vec<usize>,
    /// Its numbers.
    pub count: usize,
}

/// The table of a configuration.
pub fn parameter_table(config: &ValidConfig) -> ParameterTable {
    let row = |name: String, shape: Vec<usize>| {
        let count = shape.iter().product();
        ParameterRow { name, shape, count }
    };
    ParameterTable {
        vocab_size: config.vocab_size,
        d_model: config.d_model,
        n_heads: config.n_heads,
        head_dim: config.head_dim,
        d_ff: config.d_ff,
        n_layers: config.n_layers,
        table: parameter_specs(config).into_iter().map(|s| row(s.name, s.shape)).collect(),
        total: config.parameter_count(),
        saved_by_the_tied_head: config.vocab_size * config.d_model,
    }
}
