use super::lines::BOM;
use super::*;
use proptest::prelude::*;
use std::io::{self, Read};

fn read(file: &[u8]) -> Result<Vec<Document>, JsonlError> {
    read_jsonl(file, JsonlLimits::default())
}

/// The error message for a good line followed by this one.
fn message(second_line: &[u8]) -> String {
    let file = [GOOD.as_bytes(), b"\n", second_line, b"\n"].concat();
    read(&file).unwrap_err().to_string()
}

const GOOD: &str = r#"{"id":"a","text":"one","split":"train"}"#;

#[test]
fn further_fields_escapes_and_every_split_are_read() {
    let file = r#"{"id":"a","text":"one\n\u00e9\ud83d\ude00","split":"train","n":[1,{"id":2}]}
 {"split":"validation", "text":"  two ","id":"b"}
{"id":"c","text":"three","split":"test"}"#; // no line end after the last record
    let documents = read(file.as_bytes()).unwrap();
    let expected = [
        Document::new("a", Partition::Train, "one\né😀"),
        Document::new("b", Partition::Validation, "  two "),
        Document::new("c", Partition::Test, "three"),
    ];
    assert_eq!(documents, expected);
    assert_eq!(read(b"").unwrap(), []);
}

#[test]
fn what_is_wrong_comes_with_its_line_and_a_way_out() {
    let cases: [(&[u8], &str); 24] = [
        (b"", "the line is blank"),
        (b" \t ", "the line is blank"),
        (br#"{"id":"b","text":"","split":"train"}"#, "the text is blank"),
        (br#"{"id":"b","text":" \n\u3000","split":"train"}"#, "the text is blank"),
        (br#"{"id":" ","text":"x","split":"train"}"#, "the id is blank"),
        (br#"{"id":"a","text":"x","split":"test"}"#, "id \"a\" was given in line 1 already"),
        (br#"{"id":"b","text":"x","split":"dev"}"#, "split \"dev\" is unknown"),
        (br#"{"id":"b","text":"x","split":"Train"}"#, "split \"Train\" is unknown"),
        (br#"{"text":"x","split":"train"}"#, "has no field \"id\""),
        (br#"{"id":"b","split":"train"}"#, "has no field \"text\""),
        (br#"{"id":"b","text":"x"}"#, "has no field \"split\""),
        (br#"{"id":7,"text":"x","split":"train"}"#, "field \"id\" is a number"),
        (br#"{"id":"b","text":null,"split":"train"}"#, "field \"text\" is null"),
        (br#"{"id":"b","text":["x"],"split":"train"}"#, "field \"text\" is a list"),
        (br#"{"id":"b","text":"x","split":{}}"#, "field \"split\" is an object"),
        (
            br#"{"id":"b","id":"c","text":"x","split":"train"}"#,
            "is no JSON object of one document: duplicate field",
        ),
        (br#"["b","x","train"]"#, "is no JSON object of one document: starts with"),
        (
            br#"{"id":"b","text":"x","split":"train"} {}"#,
            "is no JSON object of one document: trailing",
        ),
        (br#"{"id":"b","text":"x","#, "is no JSON object of one document: EOF"),
        (br#"{"id":"b","text":"\ud800","split":"train"}"#, "is no JSON object of one document"),
        (
            b"{\"id\":\"b\",\"text\":\"\xff\",\"split\":\"train\"}",
            "byte 19 of the line is not valid UTF-8",
        ),
        (b"{\"id\":\"b\",\"text\":\"\0\",\"split\":\"train\"}", "has a NUL byte"),
        (br#"{"id":"b","text":"x\u0000","split":"train"}"#, "has a NUL character in the text"),
        (br#"{"id":"b\n","text":"x","split":"train"}"#, "has a control character in the id"),
    ];
    for (line, expected) in cases {
        let message = message(line);
        assert!(message.starts_with(&format!("line 2: {expected}")), "{message}");
    }
}

#[test]
fn marks_and_line_ends_of_other_systems_are_refused() {
    let marked = [BOM, GOOD.as_bytes()].concat();
    let error = read(&marked).unwrap_err().to_string();
    assert!(error.starts_with("line 1: has a byte order mark"), "{error}");
    let error = read(format!("{GOOD}\r\n").as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("line 1: has a carriage return"), "{error}");
    // Inside a text, the same characters are content like any other.
    let inside = r#"{"id":"a","text":"\ufeffone\r\n","split":"train"}"#;
    assert_eq!(read(inside.as_bytes()).unwrap()[0].text, "\u{feff}one\r\n".as_bytes());
}

#[test]
fn limits_hold_exactly() {
    let file = format!("{GOOD}\n{}\n", GOOD.replace("\"a\"", "\"b\""));
    let length = GOOD.len();
    let exact =
        JsonlLimits { record_bytes: length, documents: 2, total_bytes: 2 * length as u64 + 2 };
    assert_eq!(read_jsonl(file.as_bytes(), exact).unwrap().len(), 2);
    for (limits, line, what) in [
        (JsonlLimits { record_bytes: length - 1, ..exact }, 1, "bytes in one record"),
        (JsonlLimits { documents: 1, ..exact }, 2, "documents"),
        (JsonlLimits { total_bytes: exact.total_bytes - 1, ..exact }, 2, "bytes in all"),
        (JsonlLimits { total_bytes: 3, ..exact }, 1, "bytes in all"),
    ] {
        let error = read_jsonl(file.as_bytes(), limits).unwrap_err();
        assert_eq!(error.line, line);
        assert!(
            matches!(error.problem, JsonlProblem::Limit { what: found, .. } if found == what),
            "{error}"
        );
    }
    // The file's last line end is not needed, so it is not one byte too many.
    let without = &file.as_bytes()[..file.len() - 1];
    let limits = JsonlLimits { total_bytes: without.len() as u64, ..exact };
    assert_eq!(read_jsonl(without, limits).unwrap().len(), 2);
}

/// Gives endless text without a line end, and counts how much was taken.
struct Endless<'a>(&'a mut u64);

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        buffer.fill(b'x');
        *self.0 += buffer.len() as u64;
        Ok(buffer.len())
    }
}

#[test]
fn an_endless_line_is_refused_without_reading_much_of_it() {
    let mut taken = 0;
    let limits = JsonlLimits { record_bytes: 100_000, ..JsonlLimits::default() };
    let error = read_jsonl(io::BufReader::new(Endless(&mut taken)), limits).unwrap_err();
    assert!(matches!(error.problem, JsonlProblem::Limit { limit: 100_000, .. }), "{error}");
    assert!(taken < 200_000, "{taken}");
}

#[test]
fn the_reader_ends_after_an_error_and_messages_stay_short() {
    let file = format!("{GOOD}\n{{{}\n{GOOD}\n", "x".repeat(10_000));
    let results: Vec<_> = JsonlReader::new(file.as_bytes(), JsonlLimits::default()).collect();
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false]);
    let split = format!(r#"{{"id":"b","text":"x","split":"{}"}}"#, "y".repeat(10_000));
    assert!(message(split.as_bytes()).len() < 250);
}

proptest! {
    #[test]
    fn whatever_json_a_writer_makes_is_read_back(
        texts in prop::collection::vec("\\PC*[a-z]\\PC*", 0..6),
        splits in prop::collection::vec(0_usize..3, 6),
    ) {
        let partitions = [Partition::Train, Partition::Validation, Partition::Test];
        let documents: Vec<Document> = (0..)
            .zip(&texts)
            .zip(splits)
            .map(|((i, text), split)| Document::new(format!("d{i}"), partitions[split], text.as_str()))
            .collect();
        let lines: Vec<String> = documents
            .iter()
            .zip(&texts)
            .map(|(d, text)| {
                serde_json::json!({"id": d.id, "text": text, "split": d.partition}).to_string()
            })
            .collect();
        prop_assert_eq!(read(lines.join("\n").as_bytes()).unwrap(), documents);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(file in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = read(&file);
        let _ = read(&[GOOD.as_bytes(), b"\n", &file].concat());
    }
}
