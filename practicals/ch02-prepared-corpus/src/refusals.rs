//! Files that are almost right, and what the reader says about each.

use std::collections::BTreeMap;

use llm_from_scratch_practical::corpus::{JsonlLimits, read_jsonl};

/// Small enough that three of the files below are too large.
const LIMITS: JsonlLimits = JsonlLimits { record_bytes: 80, documents: 3, total_bytes: 200 };

const GOOD: &str = "{\"id\":\"a\",\"text\":\"one\",\"split\":\"train\"}\n";

/// What is wrong with each file, and its bytes.
fn damaged_files() -> Vec<(&'static str, Vec<u8>)> {
    let record = |id: &str, text: &str, split: &str| {
        format!("{{\"id\":\"{id}\",\"text\":\"{text}\",\"split\":\"{split}\"}}\n")
    };
    let after_a_good_line = |line: &str| [GOOD, line].concat().into_bytes();
    let four = ["a", "b", "c", "d"].map(|id| record(id, "one", "train")).concat();
    let long = ["a", "b", "c"].map(|id| record(id, &"x".repeat(30), "train")).concat();
    vec![
        ("saved with a byte order mark", [b"\xef\xbb\xbf", GOOD.as_bytes()].concat()),
        ("line ends of Windows", GOOD.replace('\n', "\r\n").into_bytes()),
        ("a NUL byte", after_a_good_line("{\"id\":\"b\0\"}\n")),
        ("bytes that are no UTF-8", [GOOD.as_bytes(), b"{\"id\":\"\xe9\"}\n"].concat()),
        ("an empty line", after_a_good_line("\n")),
        ("a text of spaces", after_a_good_line(&record("b", "  ", "train"))),
        ("an id twice", after_a_good_line(&record("a", "two", "train"))),
        ("a split that nobody knows", after_a_good_line(&record("b", "two", "dev"))),
        ("a field left out", after_a_good_line("{\"id\":\"b\",\"text\":\"two\"}\n")),
        ("a number for a text", after_a_good_line("{\"id\":\"b\",\"text\":2}\n")),
        ("a line cut off", after_a_good_line("{\"id\":\"b\",\"te")),
        ("a line too long", after_a_good_line(&record("b", &"x".repeat(80), "train"))),
        ("a document too many", four.into_bytes()),
        ("a byte too many", long.into_bytes()),
    ]
}

/// What the reader says to every damaged file, by what is wrong with it.
///
/// # Errors
/// If one of them is accepted.
pub fn refusals() -> anyhow::Result<BTreeMap<&'static str, String>> {
    let read = |(file, bytes): (&'static str, Vec<u8>)| match read_jsonl(&bytes[..], LIMITS) {
        Ok(_) => anyhow::bail!("the file with {file} was accepted"),
        Err(error) => Ok((file, error.to_string())),
    };
    damaged_files().into_iter().map(read).collect()
}
