//! The one thing about the weights that must be converted.
//!
//! The rotary embedding turns the features of a head in pairs. Folders pair the two halves of a head,
//! this course pairs neighbours, so the columns of queries and keys change their places on the way in.
//! Nobody notices a mistake there from shapes or names.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::interop::hugging_face::{Imported, interleaved};
use llm_from_scratch_practical::metrics::ExactSum;
use llm_from_scratch_practical::model::DecoderModel;
use serde::Serialize;

use crate::imported::tokenizer;
use crate::scores::{Expected, Score, framed, nll};

/// What the conversion does, and what its absence would do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RotaryReport {
    /// Our feature of every row of the first head.
    pub our_feature_of_their_row: Vec<usize>,
    /// Nats per target, all texts together.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// The same, had the rows been taken as they are.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll_unconverted: f64,
}

/// Scores the texts with a model whose queries and keys were not converted.
pub(crate) fn without_conversion(
    imported: &Imported<f64>,
    texts: &[Expected],
    scores: &[Score],
) -> anyhow::Result<RotaryReport> {
    let wrong = unconverted(&imported.model);
    let tokenizer = tokenizer(imported)?;
    let losses = texts.iter().map(|text| nll(&wrong, &framed(&text.text, tokenizer)?));
    let losses: ExactSum = losses.collect::<anyhow::Result<Vec<f64>>>()?.into_iter().collect();
    let right: ExactSum = scores.iter().map(|score| score.nll).collect();
    let targets = scores.iter().map(|score| score.targets).sum::<usize>() as f64;
    let head_dim = imported.model.config().head_dim;
    Ok(RotaryReport {
        our_feature_of_their_row: (0..head_dim).map(|row| interleaved(row, head_dim)).collect(),
        mean_nll: right.value() / targets,
        mean_nll_unconverted: losses.value() / targets,
    })
}

/// Puts every feature of queries and keys back where the folder has it.
fn unconverted(model: &DecoderModel<f64>) -> DecoderModel<f64> {
    let mut wrong = model.clone();
    let head_dim = model.config().head_dim;
    for parameter in wrong.parameters_mut() {
        if !parameter.name().contains("attention.query")
            && !parameter.name().contains("attention.key")
        {
            continue;
        }
        let columns = *parameter.value().shape().last().expect("a matrix or a vector");
        for row in parameter.value_mut().chunks_exact_mut(columns) {
            let converted = row.to_vec();
            for (column, weight) in row.iter_mut().enumerate() {
                *weight = converted[interleaved(column, head_dim)];
            }
        }
    }
    wrong
}
