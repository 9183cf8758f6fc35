use serde_json::{Value, json};

use super::*;

fn canonical(value: Value) -> String {
    canonical_json(&value).expect("a value is JSON")
}

/// Whether the strict reader takes this text as a member's value, and gives it back.
fn accepted(value_text: &str) -> bool {
    let text = format!(r#"{{"k":{value_text}}}"#);
    match CanonicalObject::parse(&text) {
        Ok(object) => object.to_text() == text,
        Err(ArchiveError::Malformed { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn keys_are_sorted_by_bytes_at_every_level() {
    // In UTF-8 upper case < underscore < lower case < é < 𝄞.
    let value = json!({"é": 1, "b": {"z": 1, "_": 2, "A": 3}, "𝄞": 2, "a": [{"d": 1, "c": 2}]});
    let text = r#"{"a":[{"c":2,"d":1}],"b":{"A":3,"_":2,"z":1},"é":1,"𝄞":2}"#;
    assert_eq!(canonical(value.clone()), text);
    assert_eq!(CanonicalObject::new(&value).expect("an object").to_text(), text);
    assert_eq!(CanonicalObject::parse(text).expect("canonical").to_text(), text);
}

/// The spellings are part of every identity that was ever written down, hence the long table.
#[test]
fn every_number_has_one_spelling() {
    let cases = [
        (json!(0), "0"),
        (json!(-1), "-1"),
        (json!(u64::MAX), "18446744073709551615"),
        (json!(i64::MIN), "-9223372036854775808"),
        (json!(0.0), "0e0"),
        (json!(-0.0), "-0e0"),
        (json!(1.0), "1e0"),
        (json!(0.1), "1e-1"),
        (json!(0.1 + 0.2), "3.0000000000000004e-1"),
        (json!(10_000.0), "1e4"),
        (json!(1e-6), "1e-6"),
        (json!(123_456.789), "1.23456789e5"),
        (json!(1e16), "1e16"),
        (json!(f64::MAX), "1.7976931348623157e308"),
        (json!(5e-324), "5e-324"),
    ];
    for (value, text) in cases {
        assert_eq!(canonical(value), text);
        assert!(accepted(text), "{text}");
    }
}

#[test]
fn only_what_must_be_escaped_is_escaped() {
    let value = json!("\"\\/\n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}é\u{2028}");
    let text = "\"\\\"\\\\/\\n\\r\\t\\b\\f\\u0000\\u001f\u{7f}é\u{2028}\"";
    assert_eq!(canonical(value), text);
    assert!(accepted(text));
}

#[test]
fn lists_and_constants_are_written_without_spaces() {
    let text = r#"[[],{},[[]],null,true,false,[1,2],""]"#;
    assert_eq!(canonical(json!([[], {}, [[]], null, true, false, [1, 2], ""])), text);
    assert!(accepted(text));
}

#[test]
fn every_other_spelling_is_refused() {
    let cases = [
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"a":1,"b":2,"a":1}"#,
        r#"{"b":1,"a":2}"#,
        r#"[{"x":{"a":1,"a":1}}]"#,
        r#"{"a": 1}"#,
        "[1, 2]",
        " 1",
        "1 ",
        "1.0",
        "1e+0",
        "1.0e0",
        "10e-1",
        "-0",
        "1E-6",
        "0.1e0",
        "1e-400",
        "100000000000000000000",
        "3.00000000000000040e-1",
        r#""\u0061""#,
        r#""\/""#,
        r#""\u001F""#,
        r#""\u000a""#,
    ];
    for text in cases {
        assert!(!accepted(text), "{text}");
    }
    for text in [r#"{"a":1,"a":1}"#, r#"{"b":1,"a":1}"#, r#"{"a":1} "#, r#" {"a":1}"#] {
        assert!(CanonicalObject::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_repeated_key_is_called_by_its_name() {
    let error = CanonicalObject::parse(r#"{"k":{"a":1,"a":2}}"#).unwrap_err();
    assert!(error.to_string().contains("the same key twice"), "{error}");
}

#[test]
fn text_that_is_no_json_is_refused() {
    let deep = "[".repeat(100_000);
    let bad =
        ["", "{", "nul", "NaN", "Infinity", "1 2", "[1,]", "\"\\ud800\"", "1e999", "01", &deep];
    for text in bad {
        assert!(!accepted(text));
        assert!(CanonicalObject::parse(text).is_err());
    }
    assert!(!accepted("1}{"));
    assert!(accepted(&("[".repeat(100) + &"]".repeat(100))));
}

#[test]
fn only_an_object_has_members() {
    for value in [json!(1), json!([]), json!("{}"), json!(null)] {
        assert!(matches!(CanonicalObject::new(&value), Err(ArchiveError::Content { .. })));
        assert!(CanonicalObject::parse(&canonical(value)).is_err());
    }
}

proptest::proptest! {
    #[test]
    fn every_float_reads_back_with_the_same_bits(bits: u64) {
        let float = f64::from_bits(bits);
        proptest::prop_assume!(float.is_finite());
        let text = canonical(json!(float));
        let back: f64 = serde_json::from_str(&text).expect("a number");
        proptest::prop_assert_eq!(back.to_bits(), bits);
        proptest::prop_assert!(accepted(&text));
    }

    #[test]
    fn every_string_reads_back(text: String) {
        let mut object = CanonicalObject::default();
        object.insert(&text, &text).expect("text is JSON");
        let mut back = CanonicalObject::parse(&object.to_text()).expect("canonical");
        proptest::prop_assert_eq!(&back, &object);
        proptest::prop_assert_eq!(back.take::<String>(&text).expect("a text"), text);
    }
}
