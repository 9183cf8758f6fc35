use serde_json::Value;

use super::*;
use crate::tensor::{Dtype, TensorData};

fn info(name: &str, dtype: Dtype, shape: &[usize]) -> TensorInfo {
    TensorInfo::new(name.into(), dtype, shape.to_vec()).expect("a small tensor")
}

fn header(metadata: Value, tensors: Vec<TensorInfo>) -> Result<Header, ArchiveError> {
    Header::new("example".into(), CanonicalObject::new(&metadata)?, tensors)
}

/// Written out by hand from the format, with the table's keys sorted and the list in data order.
#[test]
fn the_header_is_the_text_that_the_format_asks_for() {
    let tensors = vec![info("w", Dtype::F32, &[2, 1]), info("a", Dtype::I8, &[3])];
    let mut header = header(json!({"note": "hi", "Z": 0.5}), tensors).expect("good");
    header.set_content_sha256("0".repeat(64));
    assert_eq!(
        header.identity_json().expect("JSON"),
        r#"{"Z":5e-1,"format_version":1,"kind":"example","note":"hi","tensors":[{"dtype":"F32","name":"w","shape":[2,1]},{"dtype":"I8","name":"a","shape":[3]}]}"#
    );
    let zeros = "0".repeat(64);
    let json = [
        r#"{"__metadata__":{"llm":"{\"Z\":5e-1,\"content_sha256\":\""#,
        &zeros,
        r#"\",\"format_version\":1,\"kind\":\"example\",\"note\":\"hi\",\"tensors\":[{\"dtype\":\"F32\",\"name\":\"w\",\"shape\":[2,1]},{\"dtype\":\"I8\",\"name\":\"a\",\"shape\":[3]}]}"},"#,
        r#""a":{"data_offsets":[8,11],"dtype":"I8","shape":[3]},"w":{"data_offsets":[0,8],"dtype":"F32","shape":[2,1]}}"#,
    ]
    .concat();
    let bytes = header.encode().expect("short");
    assert_eq!(bytes.len() % 8, 0);
    assert_eq!(bytes[..8], (bytes.len() as u64 - 8).to_le_bytes());
    let text = std::str::from_utf8(&bytes[8..]).expect("JSON is UTF-8");
    assert_eq!(text.trim_end_matches(' '), json);
    assert!(text.len() - json.len() < 8);
    assert_eq!(Header::decode(text.as_bytes(), None).expect("our own"), header);
}

#[test]
fn a_key_upper_case_sorts_before_the_metadata() {
    let mut header = header(json!({}), vec![info("W", Dtype::U8, &[])]).expect("good");
    header.set_content_sha256("f".repeat(64));
    let bytes = header.encode().expect("short");
    assert!(
        bytes[8..].starts_with(br#"{"W":{"data_offsets":[0,1],"dtype":"U8","shape":[]},"__meta"#)
    );
    assert_eq!(Header::decode(&bytes[8..], None).expect("our own"), header);
}

#[test]
fn metadata_comes_back_as_the_type_it_was() {
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Settings {
        rate: f64,
        name: String,
    }
    let settings = Settings { rate: 0.1, name: "é\n\"".into() };
    let metadata = CanonicalObject::new(&settings).expect("an object");
    let header = Header::new("example".into(), metadata, vec![]).expect("good");
    assert_eq!(header.metadata::<Settings>().expect("as written"), settings);
    assert!(matches!(
        header.metadata::<std::collections::BTreeMap<String, u64>>(),
        Err(ArchiveError::Content { .. })
    ));
}

#[test]
fn exact_metadata_is_refused_in_another_spelling() {
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Settings {
        rate: f64,
        seed: Option<u64>,
    }
    let read = |metadata| header(metadata, vec![]).expect("good").exact_metadata::<Settings>();
    let settings = Settings { rate: 1.0, seed: None };
    assert_eq!(read(json!({"rate": 1.0, "seed": null})).expect("as written"), settings);
    for other in [
        json!({"rate": 1, "seed": null}),
        json!({"rate": 1.0}),
        json!({"rate": 1.0, "seed": null, "x": 0}),
    ] {
        assert!(matches!(read(other), Err(ArchiveError::Content { .. })));
    }
}

#[test]
fn keys_of_the_container_cannot_be_given() {
    for key in OWN_KEYS {
        assert!(matches!(header(json!({key: 1}), vec![]), Err(ArchiveError::Content { .. })));
    }
}

#[test]
fn two_tensors_cannot_share_a_name_and_sizes_cannot_overflow() {
    let twice = vec![info("w", Dtype::F32, &[2]), info("w", Dtype::F32, &[2])];
    assert!(matches!(header(json!({}), twice), Err(ArchiveError::Table { .. })));
    // Three times 2^63 - 1 bytes.
    let big = ["a", "b", "c"].map(|name| info(name, Dtype::U8, &[i64::MAX as usize])).to_vec();
    assert!(matches!(header(json!({}), big), Err(ArchiveError::Table { .. })));
}

#[test]
fn a_header_beyond_the_limit_is_not_written() {
    let longest = "x".repeat(MAX_HEADER_LEN as usize);
    assert_eq!(framed(longest.clone()).expect("not beyond").len() as u64, 8 + MAX_HEADER_LEN);
    let error = framed(longest + "x").unwrap_err();
    let ArchiveError::HeaderTooLong { length, limit } = error else { panic!("{error}") };
    // One more byte, padded to eight.
    assert_eq!((length, limit), (MAX_HEADER_LEN + 8, MAX_HEADER_LEN));
}

#[test]
fn offsets_are_running_sums() {
    let tensors: Vec<_> = [("a", 3), ("b", 0), ("c", 2)]
        .map(|(name, count)| TensorData::new(name, vec![count], vec![0_u32; count]))
        .iter()
        .map(|tensor| tensor.info().expect("fits"))
        .collect();
    let header = header(json!({}), tensors).expect("good");
    let entries: Vec<_> =
        table::entries(header.tensors()).map(|(_, entry)| entry.to_text()).collect();
    let expected = [
        r#"{"data_offsets":[0,12],"dtype":"U32","shape":[3]}"#,
        r#"{"data_offsets":[12,12],"dtype":"U32","shape":[0]}"#,
        r#"{"data_offsets":[12,20],"dtype":"U32","shape":[2]}"#,
    ];
    assert_eq!(entries, expected);
    assert_eq!(header.data_len(), 20);
}
