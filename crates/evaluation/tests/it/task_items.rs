//! Items from files, templates, and what is refused of both.

use llm_evaluation::tasks::{ItemLimits, PromptTemplate, TaskError, TaskItem, read_items};

const GOOD: &str = r#"{"context":"a","options":[" b"," c"],"answer":1}"#;

fn read(file: &str) -> Result<Vec<TaskItem>, TaskError> {
    read_items(file.as_bytes(), ItemLimits::default())
}

#[test]
fn items_are_read_in_order_with_their_groups() {
    let file = format!(
        "{GOOD}\n{{\"group\":\"g\",\"answer\":0,\"options\":[\"x\",\"y\",\"\\u00e9\"],\"context\":\"\"}}"
    );
    let expected = [
        TaskItem::new("a", [" b", " c"], 1).unwrap(),
        TaskItem::new("", ["x", "y", "é"], 0).unwrap().with_group(Some("g".into())),
    ];
    assert_eq!(read(&file).unwrap(), expected);
    assert_eq!(read("").unwrap(), []);
}

#[test]
fn lines_that_are_no_items_are_refused_with_their_number() {
    for (line, expected) in [
        ("", "the line is blank"),
        ("[\"a\",[\"b\",\"c\"],0,null]", "is no JSON object of one item"),
        (&GOOD[..30], "is no JSON object of one item: EOF"),
        (r#"{"context":"a","options":[" b"," c"],"answer":1,"anser":0}"#, "unknown field `anser`"),
        (r#"{"context":"a","context":"a","options":[" b"," c"],"answer":1}"#, "duplicate field"),
        (r#"{"options":[" b"," c"],"answer":1}"#, "missing field `context`"),
        (r#"{"context":"a","options":[" b"," c"]}"#, "missing field `answer`"),
        (r#"{"context":"a","options":[" b"," c"],"answer":"1"}"#, "invalid type: string"),
        (r#"{"context":"a","options":[" b"," c"],"answer":-1}"#, "invalid value: integer `-1`"),
        (r#"{"context":"a","options":[" b"," c"],"answer":1.0}"#, "invalid type: floating"),
        (r#"{"context":"a","options":[" b",7],"answer":1}"#, "invalid type: integer `7`"),
        (
            r#"{"context":"a","options":[" b"," c"],"answer":2}"#,
            "answer 2 is no option, expected 0 to 1",
        ),
        (r#"{"context":"a","options":[" b"],"answer":0}"#, "1 option(s), expected at least 2"),
        (r#"{"context":"a","options":[],"answer":0}"#, "0 option(s)"),
        (r#"{"context":"a","options":[" b",""],"answer":0}"#, "option 1 is empty or only spaces"),
        (r#"{"context":"a","options":["  "," b"],"answer":1}"#, "option 0 is empty or only spaces"),
        (r#"{"context":"\ud800","options":[" b"," c"],"answer":1}"#, "is no JSON object"),
    ] {
        let error = read(&format!("{GOOD}\n{line}\n{GOOD}\n")).unwrap_err();
        assert!(matches!(error, TaskError::Line { line: 2, .. }), "{line}: {error}");
        let message = error.to_string();
        assert!(message.starts_with("line 2: ") && message.contains(expected), "{message}");
        assert!(!message.contains("line 1") && message.len() < 300, "{message}");
    }
    let error = read("\u{feff}{}").unwrap_err().to_string();
    assert!(error.starts_with("line 1: has a byte order mark"), "{error}");
    let bytes = [GOOD.as_bytes(), b"\n\xff\n"].concat();
    let error = read_items(&bytes[..], ItemLimits::default()).unwrap_err().to_string();
    assert!(error.starts_with("line 2: byte 1 of the line is not valid UTF-8"), "{error}");
}

#[test]
fn limits_hold_for_lines_items_options_and_the_whole_file() {
    let file = format!("{GOOD}\n{GOOD}\n");
    let limits = |change: fn(&mut ItemLimits, usize), value| {
        let mut limits = ItemLimits::default();
        change(&mut limits, value);
        read_items(file.as_bytes(), limits).map(|items| items.len()).map_err(|e| e.to_string())
    };
    let most = |result: Result<usize, String>, expected| {
        let error = result.unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    };
    assert_eq!(limits(|l, n| l.items = n, 2), Ok(2));
    most(limits(|l, n| l.items = n, 1), "line 2: more than 1 items");
    assert_eq!(limits(|l, n| l.options = n, 2), Ok(2));
    most(limits(|l, n| l.options = n, 1), "line 1: 2 options, expected at most 1");
    assert_eq!(limits(|l, n| l.record_bytes = n, GOOD.len()), Ok(2));
    most(limits(|l, n| l.record_bytes = n, GOOD.len() - 1), "line 1: more than");
    assert_eq!(limits(|l, n| l.total_bytes = n as u64, file.len()), Ok(2));
    most(limits(|l, n| l.total_bytes = n as u64, file.len() - 1), "line 2: more than");
}

#[test]
fn digests_tell_items_apart_by_every_field() {
    let items = [
        TaskItem::new("a", [" b", " c"], 1).unwrap(),
        TaskItem::new("a ", [" b", " c"], 1).unwrap(),
        TaskItem::new("a", [" b", " c"], 0).unwrap(),
        TaskItem::new("a", [" c", " b"], 1).unwrap(),
        TaskItem::new("a", [" b", " c"], 1).unwrap().with_group(Some(String::new())),
    ];
    let digests: std::collections::BTreeSet<String> = items.iter().map(TaskItem::digest).collect();
    assert_eq!(digests.len(), items.len());
    // sha256sum of {"context":"a","options":[" b"," c"],"answer":1}
    assert_eq!(
        items[0].digest(),
        "3405a32c3475dc140b81a9bce7cc35771e3d3102a25fa8f77488d8a72add4783"
    );
}

#[test]
fn few_shot_prompts_are_solved_blocks_and_one_open_question_of_the_same_form() {
    let template = PromptTemplate::new("Do {this}.\n", "Q: {context}\n{{A}}:{answer}\n\n").unwrap();
    let examples = [
        TaskItem::new("{answer}", [" }{", " x"], 0).unwrap(), // slots in texts are only text
        TaskItem::new("two", [" 1", " 2"], 1).unwrap(),
    ];
    let open = TaskItem::new("three", [" 3", " 4"], 0).unwrap();
    let shown: Vec<&TaskItem> = examples.iter().collect();
    let expected = "Do {this}.\nQ: {answer}\n{A}: }{\n\nQ: two\n{A}: 2\n\nQ: three\n{A}:";
    assert_eq!(template.prompt(&open, &shown), expected);
    assert_eq!(template.prompt(&open, &[]), "Do {this}.\nQ: three\n{A}:");

    let json = serde_json::to_string(&template).unwrap();
    assert_eq!(
        json,
        r#"{"instruction":"Do {this}.\n","block":"Q: {context}\n{{A}}:{answer}\n\n"}"#
    );
    assert_eq!(serde_json::from_str::<PromptTemplate>(&json).unwrap(), template);
    let unknown = json.replace("instruction", "instructions");
    assert!(serde_json::from_str::<PromptTemplate>(&unknown).is_err());
    assert!(serde_json::from_str::<PromptTemplate>(&json.replace("{answer}", "")).is_err());
}

#[test]
fn templates_without_exactly_one_context_before_one_answer_are_refused() {
    for (block, expected) in [
        ("", "has the slots []"),
        ("{context}", "has the slots [\"context\"]"),
        ("{answer}", "has the slots [\"answer\"]"),
        ("{answer}{context}", "expected {context} and then {answer}"),
        ("{context}{context}{answer}", "expected {context} and then {answer}"),
        ("{context}{answer}{answer}", "expected {context} and then {answer}"),
        ("{{context}}{answer}", "has the slots [\"answer\"]"),
        ("{context} {Answer}", "the slot {Answer} is unknown"),
        ("{context} {answer", "byte 10 of the block is a single \"{\""),
        ("é} {context}{answer}", "byte 2 of the block is a single \"}\""),
        ("{}", "the slot {} is unknown"),
    ] {
        let error = PromptTemplate::new("", block).unwrap_err();
        assert!(matches!(error, TaskError::Template { .. }));
        assert!(error.to_string().contains(expected), "{block}: {error}");
    }
}
