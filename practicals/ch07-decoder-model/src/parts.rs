//! The operations of a block, each on numbers that can be followed by hand.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::{
    AttentionHeads, AutogradContext, RopeTable, Tensor, TensorValue,
};
use serde::Serialize;

/// One example of each part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartsReport {
    /// RMSNorm of one row.
    pub rms_norm: NormPart,
    /// The product of one query and one key at several pairs of positions.
    pub rotary_positions: Vec<RotaryRow>,
    /// Three tokens with one head.
    pub causal_attention: AttentionPart,
    /// silu(1) * 2, where silu(z) = z / (1 + exp(-z)).
    #[serde(serialize_with = "six_decimals")]
    pub swiglu_of_gate_1_and_up_2: f64,
    /// Logits of the hidden state (1, 2) with the embedding rows (1, 0), (0, 1) and (1, 1).
    pub tied_head_logits: Vec<f64>,
}

/// A row before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NormPart {
    /// The row.
    pub x: Vec<f64>,
    /// Its root mean square.
    #[serde(serialize_with = "six_decimals")]
    pub rms: f64,
    /// The row divided by it (gain 1).
    #[serde(serialize_with = "six_decimals")]
    pub y: Vec<f64>,
}

/// One query and one key, turned to their positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RotaryRow {
    /// Where the query stands.
    pub query_position: usize,
    /// Where the key stands.
    pub key_position: usize,
    /// Their product after both are turned.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
}

/// Attention of three tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttentionPart {
    /// One key per token; each token's query is (sqrt(2) ln 2, 0).
    pub keys: Vec<[f64; 2]>,
    /// One value per token.
    pub values: Vec<[f64; 2]>,
    /// What each token reads: its own and earlier values, weighted.
    #[serde(serialize_with = "six_decimals")]
    pub output: Vec<[f64; 2]>,
}

/// Computes all parts with the library's operations.
pub fn parts() -> PartsReport {
    let context = AutogradContext::no_grad();
    let gate = constant(&context, &[1, 1], &[1.0]);
    let up = constant(&context, &[1, 1], &[2.0]);
    let hidden = constant(&context, &[1, 2], &[1.0, 2.0]);
    let embedding = constant(&context, &[3, 2], &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    PartsReport {
        rms_norm: rms_norm(&context),
        rotary_positions: [(0, 0), (3, 3), (1, 0), (3, 2), (2, 0), (3, 1)]
            .map(|(query, key)| rotary(&context, query, key))
            .to_vec(),
        causal_attention: causal_attention(&context),
        swiglu_of_gate_1_and_up_2: context.swiglu(&gate, &up).tensor().item(),
        tied_head_logits: context.matmul_transposed(&hidden, &embedding).data().to_vec(),
    }
}

fn constant(context: &AutogradContext<f64>, shape: &[usize], x: &[f64]) -> TensorValue<f64> {
    context.constant(&Tensor::new(shape, x.to_vec()))
}

fn rms_norm(context: &AutogradContext<f64>) -> NormPart {
    let x = constant(context, &[1, 2], &[3.0, 4.0]);
    let gain = constant(context, &[2], &[1.0, 1.0]);
    let mean_square = context.mean_axis(&context.mul(&x, &x), 1);
    NormPart {
        x: x.data().to_vec(),
        rms: context.sqrt(&mean_square).tensor().item(),
        y: context.rms_norm(&x, &gain, 0.0).data().to_vec(),
    }
}

/// The query (1, 0) at one position and the key (1, 0) at another. With one pair of features the
/// angle is one radian for each position.
fn rotary(context: &AutogradContext<f64>, query_position: usize, key_position: usize) -> RotaryRow {
    let table = RopeTable::new(2, 10_000.0, 4);
    let x = constant(context, &[1, 2], &[1.0, 0.0]);
    let query = context.rope(&x, &table, &[query_position]);
    let key = context.rope(&x, &table, &[key_position]);
    let score = context.matmul_transposed(&query, &key).tensor().item();
    RotaryRow { query_position, key_position, score }
}

/// The scaled product of a query with the keys is ln 2 times the key's first feature: keys of
/// weight 1, 2 and 4.
fn causal_attention(context: &AutogradContext<f64>) -> AttentionPart {
    let keys = vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
    let values = vec![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
    let query = [2f64.sqrt() * std::f64::consts::LN_2, 0.0];
    let heads = AttentionHeads { n_heads: 1, n_kv_heads: 1, head_dim: 2 };
    let rows = |rows: &[[f64; 2]]| constant(context, &[rows.len(), 2], rows.as_flattened());
    let document = 0..keys.len();
    let output = context.attention(
        &rows(&[query; 3]),
        &rows(&keys),
        &rows(&values),
        heads,
        std::slice::from_ref(&document),
    );
    let output = output.data().chunks_exact(2).map(|row| [row[0], row[1]]).collect();
    AttentionPart { keys, values, output }
}
