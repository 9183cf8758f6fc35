//! Behaviour of the archive, seen from outside. One module for each promise.

mod damage;
mod hostile;
mod identity;
#[cfg(target_os = "linux")] // elsewhere a kill may leave an unfinished draft
mod kills;
mod portable;
mod round_trip;

use llm_archive::{Container, TensorData};
use serde_json::json;

/// The kind of all archives here.
const KIND: &str = "example";

/// A small archive with three element types and a name that sorts before the metadata's key.
fn small() -> Container<'static> {
    let tensors = vec![
        TensorData::new("w", vec![2, 1], vec![1.0_f64, -0.0]),
        TensorData::new("Bias", vec![2], vec![0.5_f32, f32::MIN_POSITIVE]),
        TensorData::new("codes", vec![3], vec![-1_i8, 0, 127]),
    ];
    Container::new(KIND, &json!({"note": "é\"\\\n", "rate": 0.1}), tensors).expect("good")
}
