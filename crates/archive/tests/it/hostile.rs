//! Files made to mislead, each with the error that tells its reader what to do.

use std::fs;
use std::path::Path;

use llm_archive::{ArchiveError, Container, MAX_HEADER_LEN, inspect};
use safetensors::tensor::TensorView;

use crate::{KIND, small};

/// The small archive's header text without padding, and its data.
fn parts() -> (String, Vec<u8>) {
    let bytes = small().to_bytes();
    let (length, rest) = bytes.split_first_chunk::<8>().expect("long enough");
    let (json, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    (String::from_utf8(json.to_vec()).expect("UTF-8").trim_end().to_owned(), data.to_vec())
}

/// A file with this header text, padded as the format asks.
fn file(json: &str, data: &[u8]) -> Vec<u8> {
    let padded = format!("{json}{}", " ".repeat(json.len().next_multiple_of(8) - json.len()));
    [&(padded.len() as u64).to_le_bytes()[..], padded.as_bytes(), data].concat()
}

fn error_of(bytes: &[u8]) -> ArchiveError {
    Container::from_bytes(bytes, KIND).expect_err("a hostile file")
}

/// The error for the small archive after a change of its header text.
fn after(from: &str, to: &str) -> ArchiveError {
    let (json, data) = parts();
    let changed = json.replace(from, to);
    assert_ne!(changed, json, "{from} must be there");
    error_of(&file(&changed, &data))
}

#[test]
fn the_file_builder_here_leaves_a_good_file_good() {
    let (json, data) = parts();
    assert_eq!(file(&json, &data), small().to_bytes());
}

#[test]
fn a_length_beyond_limit_or_file_is_refused_at_once() {
    for length in [1 << 63, u64::MAX, MAX_HEADER_LEN + 1, 100_000_000] {
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.resize(20, b' ');
        let error = error_of(&bytes);
        let ArchiveError::HeaderTooLong { length: claimed, limit } = error else {
            panic!("{length}: {error}");
        };
        assert_eq!((claimed, limit), (length, MAX_HEADER_LEN));
    }
    for length in [13, 1 << 20, MAX_HEADER_LEN] {
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.resize(20, b' ');
        let error = error_of(&bytes);
        let ArchiveError::WrongSize { expected, found: 20 } = error else {
            panic!("{length}: {error}");
        };
        assert_eq!(expected, length + 8);
    }
}

#[test]
fn what_is_not_the_canonical_text_is_malformed() {
    let (json, data) = parts();
    let mut not_utf8 = small().to_bytes();
    not_utf8[20] = 0xff;
    let deep = "[".repeat(200_000);
    let deep_metadata = json.replace(r#"{\"content"#, &(deep.clone() + r#"{\"content"#));
    let spaced = json.replacen(":{", ": {", 1);
    let files = [
        not_utf8,
        file("", &[]),
        file("nonsense", &data),
        file("[1,2]", &data),
        file("{}{}", &data),
        file(&deep, &data),
        file(&format!(r#"{{"x":{deep}"#), &data),
        file(&deep_metadata, &data),
        file(&spaced, &data),
        file(&format!(" {json}"), &data),
        // Eight spaces too many, and a tab among the right number.
        file(&format!("{json}        "), &data),
        file(&format!("{json}\t"), &data),
    ];
    for (i, bytes) in files.iter().enumerate() {
        let error = error_of(bytes);
        assert!(matches!(error, ArchiveError::Malformed { .. }), "file {i}: {error}");
    }
}

#[test]
fn a_repeated_key_does_not_slip_through_anywhere() {
    let (json, _) = parts();
    let entry = &json[json.find(r#""w":"#).expect("there")..json.len() - 1];
    let metadata = &json
        [json.find(r#""__metadata__""#).expect("there")..json.find(r#","codes""#).expect("there")];
    let llm = &metadata[metadata.find(r#""llm""#).expect("there")..metadata.len() - 1];
    let cases = [
        // As metadata, in an entry of the table, in the metadata, in our description.
        (metadata.to_owned(), format!("{metadata},{metadata}")),
        (r#""dtype":"I8""#.to_owned(), r#""dtype":"I8","dtype":"I8""#.to_owned()),
        (llm.to_owned(), format!("{llm},{llm}")),
        (r#"\"rate\":1e-1"#.to_owned(), r#"\"rate\":1e-1,\"rate\":1e-1"#.to_owned()),
        (r#"\"rate\":1e-1"#.to_owned(), r#"\"rate\":2e-1,\"rate\":1e-1"#.to_owned()),
        (r#"\"name\":\"w\""#.to_owned(), r#"\"name\":\"w\",\"name\":\"w\""#.to_owned()),
    ];
    for (from, to) in &cases {
        let error = after(from, to);
        assert!(matches!(error, ArchiveError::Malformed { .. }), "{to}: {error}");
    }
    let error = after(entry, &format!("{entry},{entry}"));
    assert!(matches!(&error, ArchiveError::Table { tensor, .. } if tensor == "w"), "{error}");
}

#[test]
fn further_metadata_is_refused() {
    let error = after(r#"{"llm":"#, r#"{"a":"b","llm":"#);
    assert!(matches!(error, ArchiveError::Malformed { .. }), "{error}");
}

#[test]
fn a_table_that_contradicts_the_list_names_the_tensor() {
    // In the list: w at 0..16, Bias at 16..24, codes at 24..27.
    let cases = [
        ("Bias", "[16,24]", "[8,16]"),               // overlap
        ("codes", "[24,27]", "[25,28]"),             // a hole
        ("Bias", "[16,24]", "[24,16]"),              // backwards
        ("w", "[0,16]", "[0,18446744073709551615]"), // far beyond the file
        ("codes", r#""I8","#, r#""U8","#),           // another type of the same size
        ("codes", r#""I8","#, r#""F8_E4M3","#),      // a type unknown here
        ("w", r#"F64","shape":[2,1]"#, r#"F64","shape":[1,2]"#),
        ("w0", r#""w":{"#, r#""w0":{"#), // not in the table
        ("extra", r#","w":{"#, r#","extra":{"data_offsets":[0,0],"dtype":"U8","shape":[0]},"w":{"#),
    ];
    for (name, from, to) in cases {
        let error = after(from, to);
        let ArchiveError::Table { tensor, .. } = &error else { panic!("{to}: {error}") };
        assert_eq!(tensor, name, "{error}");
    }
}

#[test]
fn a_listed_tensor_must_be_in_the_table() {
    let (json, data) = parts();
    let (rest, _) = json.rsplit_once(r#","w":"#).expect("the last entry");
    let error = error_of(&file(&format!("{rest}}}"), &data));
    assert!(matches!(&error, ArchiveError::Table { tensor, .. } if tensor == "w"), "{error}");
}

#[test]
fn tensors_in_another_order_than_listed_are_refused() {
    let (json, data) = parts();
    let swapped = json
        .replace(r#""codes":{"data_offsets":[24,27]"#, r#""codes":{"data_offsets":[16,19]"#)
        .replace(r#""Bias":{"data_offsets":[16,24]"#, r#""Bias":{"data_offsets":[19,27]"#);
    assert_ne!(swapped, json);
    assert!(matches!(error_of(&file(&swapped, &data)), ArchiveError::Table { .. }));
}

#[test]
fn a_list_with_impossible_tensors_names_the_tensor() {
    let cases = [
        (r#"\"F64\""#, r#"\"F65\""#),
        (r#"\"shape\":[2,1]"#, r#"\"shape\":[18446744073709551615,18446744073709551615]"#),
        (r#"\"shape\":[2,1]"#, r#"\"shape\":[2305843009213693952]"#),
        (r#"\"shape\":[2,1]"#, r#"\"shape\":[4294967296,4294967296,4294967296]"#),
        (r#"\"name\":\"w\""#, r#"\"name\":\"codes\""#),
        (r#"\"name\":\"w\""#, r#"\"name\":\"\""#),
        (r#"\"name\":\"w\""#, r#"\"name\":\"__metadata__\""#),
    ];
    for (from, to) in cases {
        let error = after(from, to);
        assert!(matches!(error, ArchiveError::Table { .. }), "{to}: {error}");
    }
    for to in ["-1", "1.5", "1e0", "null", "18446744073709551616"] {
        let error = after(r#"\"shape\":[2,1]"#, &format!(r#"\"shape\":[2,{to}]"#));
        assert!(matches!(error, ArchiveError::Malformed { .. }), "{to}: {error}");
    }
}

/// Header and list agree on terabytes, the file has 27 bytes of data: no memory may be taken.
#[test]
fn sizes_far_beyond_the_file_are_refused_before_memory_is_taken() {
    let (json, data) = parts();
    let sizes = [(1_u64 << 40, "[2,1]"), (1 << 59, "[2,1]")];
    for (count, shape) in sizes {
        let bytes = count * 8;
        let huge = json
            .replace(shape, &format!("[{count}]"))
            .replace("[0,16]", &format!("[0,{bytes}]"))
            .replace("[16,24]", &format!("[{bytes},{}]", bytes + 8))
            .replace("[24,27]", &format!("[{},{}]", bytes + 8, bytes + 11));
        let error = error_of(&file(&huge, &data));
        let ArchiveError::WrongSize { expected, .. } = error else { panic!("{error}") };
        assert!(expected > bytes);
    }
}

#[test]
fn another_kind_is_named() {
    let error = Container::from_bytes(&small().to_bytes(), "model").unwrap_err();
    let ArchiveError::WrongKind { expected, found } = &error else { panic!("{error}") };
    assert_eq!((expected.as_str(), found.as_str()), ("model", KIND));
    assert_eq!(error.to_string(), r#"this archive holds a "example", a "model" is needed"#);
}

#[test]
fn another_format_is_named_whatever_else_it_contains() {
    for version in ["2", "0", "-1", "1e0", "null", "[1]", r#"\"1\""#, "18446744073709551615"] {
        let to = format!(r#"\"format_version\":{version},"#);
        let error = after(r#"\"format_version\":1,"#, &to);
        let ArchiveError::UnknownVersion { found } = &error else { panic!("{version}: {error}") };
        assert_eq!(*found, version.replace('\\', ""));
    }
    let (json, data) = parts();
    let later =
        json.replace(r#"\"format_version\":1"#, r#"\"format_version\":2"#).replace("F64", "F8");
    assert!(matches!(error_of(&file(&later, &data)), ArchiveError::UnknownVersion { .. }));
}

#[test]
fn a_description_with_a_gap_is_malformed() {
    let digest = format!(r#"\"content_sha256\":\"{}\","#, small().content_sha256());
    let cases = [
        (digest.as_str(), ""),
        (r#"\"format_version\":1,"#, ""),
        (r#"\"kind\":\"example\","#, ""),
        (r#"\"kind\":\"example\","#, r#"\"kind\":1,"#),
        (digest.as_str(), r#"\"content_sha256\":\"ABC\","#),
        (r#"\"tensors\":["#, r#"\"tensors\":[1,"#),
        (r#"\"dtype\":\"F64\","#, ""),
        (r#"\"dtype\":\"F64\","#, r#"\"dtype\":\"F64\",\"extra\":1,"#),
        // A list in place of an object must not pass for one.
        (r#"{\"dtype\":\"F64\",\"name\":\"w\",\"shape\":[2,1]}"#, r#"[\"F64\",\"w\",[2,1]]"#),
    ];
    for (from, to) in cases {
        let error = after(from, to);
        assert!(matches!(error, ArchiveError::Malformed { .. }), "{to}: {error}");
    }
    let upper = small().content_sha256().to_uppercase();
    assert!(matches!(after(small().content_sha256(), &upper), ArchiveError::Malformed { .. }));
}

#[test]
fn files_of_other_programs_are_called_foreign() {
    let data = [0; 8];
    let view = || TensorView::new(safetensors::Dtype::F32, vec![2], &data).expect("fits");
    let note = [("format".to_owned(), "pt".to_owned())].into();
    for metadata in [None, Some(note)] {
        let bytes = safetensors::serialize([("w", view())], metadata).expect("good");
        let error = error_of(&bytes);
        assert!(matches!(error, ArchiveError::Foreign { .. }), "{error}");
        assert!(error.to_string().contains("one metadata entry \"llm\""), "{error}");
    }
}

#[test]
fn what_is_no_file_is_an_input_error_with_its_path() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for path in [&folder.path().join("missing"), folder.path(), Path::new("/dev/null")] {
        for error in [Container::load(path, KIND).unwrap_err(), inspect(path).unwrap_err()] {
            let ArchiveError::Io { action: "read", path: named, .. } = &error else {
                panic!("{}: {error}", path.display());
            };
            assert_eq!(named, path);
        }
    }
    let empty = folder.path().join("empty");
    fs::write(&empty, b"").expect("writable");
    let error = Container::load(&empty, KIND).unwrap_err();
    assert!(matches!(error, ArchiveError::WrongSize { expected: 8, found: 0 }), "{error}");
}

/// Hostile names and texts are quoted in messages, but neither whole nor with line breaks.
#[test]
fn messages_stay_short_and_on_one_line() {
    let long = "x\\\\n".repeat(10_000);
    let cases = [
        after(r#"\"name\":\"w\""#, &format!(r#"\"name\":\"{long}\""#)),
        after(r#"\"F64\""#, &format!(r#"\"{long}\""#)),
        after(r#"\"shape\":[2,1]"#, &format!(r#"\"shape\":\"{long}\""#)),
        after(r#"\"shape\":[2,1]"#, &format!(r#"\"shape\":[2,1],\"{long}\":1"#)),
        after(r#"\"example\""#, &format!(r#"\"{long}\""#)),
        after(r#"\"format_version\":1"#, &format!(r#"\"format_version\":\"{long}\""#)),
        after(r#""w":{"#, &format!(r#""{}":{{"#, "y\\n".repeat(10_000))),
    ];
    for error in cases {
        let message = error.to_string();
        assert!(message.len() < 600 && !message.contains('\n'), "{message}");
    }
}
