//! What is saved comes back, here and in the safetensors crate, which knows nothing of us.

use std::collections::BTreeMap;

use llm_archive::{Container, Dtype, Header, TensorData, Values, inspect};
use proptest::prelude::*;
use safetensors::SafeTensors;
use serde_json::{Value, json};

use crate::{KIND, small};

/// Values of any type and any bits, `count` of them.
fn values(count: usize) -> impl Strategy<Value = Values<'static>> {
    let bits = prop::collection::vec(any::<u64>(), count);
    (0..8_usize, bits).prop_map(|(dtype, bits)| match dtype {
        0 => bits.into_iter().map(f64::from_bits).collect::<Vec<_>>().into(),
        1 => bits.into_iter().map(|b| f32::from_bits(b as u32)).collect::<Vec<_>>().into(),
        2 => Values::F16(bits.into_iter().map(|b| b as u16).collect()),
        3 => Values::BF16(bits.into_iter().map(|b| b as u16).collect()),
        4 => bits.into_iter().map(|b| b as i8).collect::<Vec<_>>().into(),
        5 => bits.into_iter().map(|b| b as u8).collect::<Vec<_>>().into(),
        6 => bits.into_iter().map(|b| b as u32).collect::<Vec<_>>().into(),
        _ => bits.into(),
    })
}

/// Up to three axes, also empty ones, also none.
fn tensor() -> impl Strategy<Value = (Vec<usize>, Values<'static>)> {
    prop::collection::vec(0..5_usize, 0..4).prop_flat_map(|shape| {
        let count = shape.iter().product();
        (Just(shape), values(count))
    })
}

/// Any tensors under any names, in an order that has nothing to do with the names.
fn tensors() -> impl Strategy<Value = Vec<TensorData<'static>>> {
    prop::collection::btree_map(".{1,6}", tensor(), 0..6).prop_flat_map(|named| {
        let list =
            named.into_iter().map(|(name, (shape, values))| TensorData { name, shape, values });
        Just(list.collect::<Vec<_>>()).prop_shuffle()
    })
}

fn metadata() -> impl Strategy<Value = BTreeMap<String, Value>> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no infinity", |x| x.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,3}", inner, 0..4)
                .prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    });
    // With a first letter that no key of the container has.
    prop::collection::btree_map("x.{0,4}", value, 0..4)
}

/// NaN is not equal to itself, its bytes are.
fn bytes_of(values: &Values<'_>) -> Vec<u8> {
    match values {
        Values::F64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Values::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Values::F16(v) | Values::BF16(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Values::I8(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Values::U8(v) => v.to_vec(),
        Values::U32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Values::U64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        other => panic!("a type without a case here: {other:?}"),
    }
}

proptest! {
    #[test]
    fn everything_comes_back(tensors in tensors(), metadata in metadata()) {
        let saved = Container::new(KIND, &metadata, tensors).expect("good");
        let bytes = saved.to_bytes();
        let loaded = Container::from_bytes(&bytes, KIND).expect("our own");
        prop_assert_eq!(loaded.header(), saved.header());
        prop_assert_eq!(loaded.header().metadata::<BTreeMap<String, Value>>().expect("ours"), metadata);
        prop_assert_eq!(loaded.tensors().len(), saved.tensors().len());
        for (loaded, saved) in loaded.tensors().iter().zip(saved.tensors()) {
            prop_assert_eq!((&loaded.name, &loaded.shape), (&saved.name, &saved.shape));
            prop_assert_eq!(loaded.values.dtype(), saved.values.dtype());
            prop_assert_eq!(bytes_of(&loaded.values), bytes_of(&saved.values));
        }
        prop_assert_eq!(loaded.to_bytes(), bytes);
    }

    #[test]
    fn the_safetensors_crate_sees_the_same_tensors(tensors in tensors()) {
        let bytes = Container::new(KIND, &json!({"a": "é\""}), tensors.clone()).expect("good").to_bytes();
        let theirs = SafeTensors::deserialize(&bytes).expect("the file follows the format");
        prop_assert_eq!(theirs.len(), tensors.len());
        for tensor in &tensors {
            let view = theirs.tensor(&tensor.name).expect("there");
            prop_assert_eq!(format!("{:?}", view.dtype()), tensor.values.dtype().name());
            prop_assert_eq!(view.shape(), &tensor.shape[..]);
            prop_assert_eq!(view.data(), bytes_of(&tensor.values));
        }
        let (_, header) = SafeTensors::read_metadata(&bytes).expect("the file follows the format");
        let keys: Vec<_> = header.metadata().as_ref().expect("ours").keys().collect();
        prop_assert_eq!(keys, ["llm"]);
    }
}

#[test]
fn file_and_memory_hold_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("new/folder/small.safetensors");
    small().save(&path).expect("writable");
    assert_eq!(std::fs::read(&path).expect("saved"), small().to_bytes());
    assert_eq!(Container::load(&path, KIND).expect("saved"), small());
}

#[test]
fn a_tensor_larger_than_any_buffer_comes_back_from_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("large");
    let elements: Vec<f32> = (0..1_000_003).map(|i| i as f32).collect();
    let tensor = TensorData::new("w", vec![elements.len()], &elements[..]);
    Container::new(KIND, &json!({}), vec![tensor]).expect("good").save(&path).expect("writable");
    let loaded = Container::load(&path, KIND).expect("saved").into_tensors();
    assert_eq!(loaded[0].values, elements.into());
}

#[test]
fn the_header_alone_tells_what_is_inside() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("small");
    small().save(&path).expect("writable");
    let header: Header = inspect(&path).expect("saved");
    assert_eq!(&header, small().header());
    assert_eq!((header.kind(), header.data_len()), (KIND, 27));
    let list: Vec<_> = header.tensors().iter().map(|t| (t.name(), t.dtype(), t.shape())).collect();
    let expected: [(_, _, &[usize]); 3] =
        [("w", Dtype::F64, &[2, 1]), ("Bias", Dtype::F32, &[2]), ("codes", Dtype::I8, &[3])];
    assert_eq!(list, expected);

    // Damage to the data is beyond its sight, a change of size is not.
    let mut bytes = small().to_bytes();
    *bytes.last_mut().expect("not empty") ^= 1;
    std::fs::write(&path, &bytes).expect("writable");
    assert_eq!(&inspect(&path).expect("only data changed"), small().header());
    std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("writable");
    assert!(inspect(&path).is_err());
}

#[test]
fn an_archive_without_tensors_or_metadata_is_one_too() {
    let empty = Container::new(KIND, &json!({}), vec![]).expect("good");
    assert_eq!(Container::from_bytes(&empty.to_bytes(), KIND).expect("our own"), empty);
    SafeTensors::deserialize(&empty.to_bytes()).expect("the file follows the format");
}
