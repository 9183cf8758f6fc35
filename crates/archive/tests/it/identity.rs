//! The identity belongs to the content, to all of it and to nothing else.

use llm_archive::{ArchiveError, Container, TensorData, Values};
use serde_json::json;

use crate::KIND;

/// Computed with Python's hashlib over this text, then 1.0 and -2.0 as little-endian binary32:
/// `{"format_version":1,"kind":"example","note":"hi","tensors":[{"dtype":"F32","name":"w","shape":[2]}]}`
const BY_HAND: &str = "7226ad58efae666a3721a5bf21abf7d267a01eabb04106c14cf263e39d34a242";

fn example(note: &str, name: &str, shape: Vec<usize>, values: Values<'static>) -> String {
    let tensor = TensorData::new(name, shape, values);
    let container = Container::new(KIND, &json!({"note": note}), vec![tensor]).expect("good");
    let loaded = Container::from_bytes(&container.to_bytes(), KIND).expect("our own");
    assert_eq!(loaded.content_sha256(), container.content_sha256());
    container.content_sha256().to_owned()
}

#[test]
fn it_is_the_digest_that_the_format_defines() {
    assert_eq!(example("hi", "w", vec![2], vec![1.0_f32, -2.0].into()), BY_HAND);
}

#[test]
fn every_part_of_the_content_changes_it() {
    let bits = [1.0_f32.to_bits(), (-2.0_f32).to_bits()].to_vec();
    let others = [
        example("ho", "w", vec![2], vec![1.0_f32, -2.0].into()),
        example("hi", "v", vec![2], vec![1.0_f32, -2.0].into()),
        example("hi", "w", vec![2, 1], vec![1.0_f32, -2.0].into()),
        example("hi", "w", vec![2], vec![-2.0_f32, 1.0].into()),
        // The same bytes under another type.
        example("hi", "w", vec![2], bits.into()),
    ];
    for (i, other) in others.iter().enumerate() {
        assert_ne!(other, BY_HAND);
        assert!(!others[..i].contains(other));
    }
    let tensor = TensorData::new("w", vec![2], vec![1.0_f32, -2.0]);
    let other_kind = Container::new("sample", &json!({"note": "hi"}), vec![tensor]).expect("good");
    assert_ne!(other_kind.content_sha256(), BY_HAND);
}

#[test]
fn the_order_of_the_tensors_is_content_and_the_order_of_keys_is_not() {
    let [a, b] = ["a", "b"].map(|name| TensorData::new(name, vec![], vec![1_u8]));
    let make = |metadata, tensors| Container::new(KIND, &metadata, tensors).expect("good");
    let one = make(json!({"x": 1, "y": 2}), vec![a.clone(), b.clone()]);
    let same = make(json!({"y": 2, "x": 1}), vec![a.clone(), b.clone()]);
    let other = make(json!({"x": 1, "y": 2}), vec![b, a]);
    assert_eq!(one.to_bytes(), same.to_bytes());
    assert_ne!(one.content_sha256(), other.content_sha256());
}

#[test]
fn borrowed_and_owned_tensors_are_the_same_content() {
    let elements = [1.0_f64, 2.0, 3.0];
    let [borrowed, owned] = [Values::from(&elements[..]), Values::from(elements.to_vec())]
        .map(|values| TensorData::new("w", vec![3], values))
        .map(|tensor| Container::new(KIND, &json!({}), vec![tensor]).expect("good"));
    assert_eq!(borrowed, owned);
    assert_eq!(borrowed.to_bytes(), owned.to_bytes());
}

#[test]
fn nothing_can_be_saved_that_could_not_be_loaded() {
    let scalar = |name: &str| TensorData::new(name, vec![], vec![1_u8]);
    let table = [vec![scalar("")], vec![scalar("__metadata__")], vec![scalar("a"), scalar("a")]];
    for tensors in table {
        let error = Container::new(KIND, &json!({}), tensors).unwrap_err();
        assert!(matches!(error, ArchiveError::Table { .. }), "{error}");
    }
    for metadata in [json!(1), json!([1]), json!({"kind": "model"}), json!({"tensors": []})] {
        let error = Container::new(KIND, &metadata, vec![]).unwrap_err();
        assert!(matches!(error, ArchiveError::Content { .. }), "{error}");
    }
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let error = Container::new(KIND, &json!({"deep": deep}), vec![]).unwrap_err();
    assert!(matches!(error, ArchiveError::Content { .. }), "{error}");
}
