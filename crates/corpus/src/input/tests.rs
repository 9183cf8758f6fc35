use super::*;

fn lines(text: &str) -> Result<Vec<InputDocument>, String> {
    read_stream(text.as_bytes(), "here", InputFormat::JsonLines).map_err(|error| error.to_string())
}

#[test]
fn a_record_says_as_much_as_it_wants() {
    let documents = lines(
        "{\"text\":\"a\\u0000b\"}\n{\"id\":\"x\",\"ids\":[0,7],\"split\":\"train\",\"domain\":\"d\",\"more\":1}\n",
    )
    .unwrap();
    let text = InputDocument::text("line-1", b"a\0b".to_vec());
    assert_eq!(documents[0], InputDocument { is_record: true, ..text });
    let ids = InputDocument {
        id: "x".into(),
        content: InputContent::Ids(vec![0, 7]),
        split: Some(Partition::Train),
        is_record: true,
        domain: Some("d".into()),
    };
    assert_eq!(documents[1], ids);
}

#[test]
fn a_record_that_is_no_document_is_named_by_file_and_line() {
    for (text, expected) in [
        ("", "here: has no document"),
        (
            "{\"text\":\"a\"}\n{}\n",
            "here: line 2: is no JSON object of one document: it has neither",
        ),
        ("{\"text\":\"a\",\"ids\":[1]}", "which of them"),
        ("[\"a\",\"b\"]", "does not start with"),
        ("{\"ids\":[-1]}", "column"),
        ("{\"text\":\"a\",\"text\":\"b\"}", "duplicate field"),
        ("{\"id\":\"x\",\"text\":\"\"}\n{\"id\":\"x\",\"text\":\"\"}", "given in line 1 already"),
        ("{\"text\":\"\\ud800\"}", "line 1"),
        ("{\"text\":\"a\",\"split\":\"dev\"}", "unknown variant `dev`"),
        ("\u{feff}{}", "a byte order mark"),
    ] {
        let message = lines(text).unwrap_err();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn a_folder_is_read_in_the_order_of_its_paths_and_hidden_files_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    write("news/deep/b.txt", b"b");
    write("a.bin", b"\0\xff");
    write("empty", b"");
    write(".git/config", b"no");
    write("lines.jsonl", b"{\"text\":\"one\"}\n{\"id\":\"x\",\"text\":\"two\",\"domain\":\"d\"}");
    let documents = read_documents(folder.path(), InputFormat::ByName).unwrap();
    let shown: Vec<_> = documents.iter().map(|d| (d.id.as_str(), d.domain.as_deref())).collect();
    let expected = [
        ("a.bin", None),
        ("empty", None),
        ("lines.jsonl/line-1", None),
        ("lines.jsonl/x", Some("d")),
        ("news/deep/b.txt", Some("news")),
    ];
    assert_eq!(shown, expected);
    assert_eq!(documents[0].content, InputContent::Text(b"\0\xff".to_vec()));
    let texts = read_documents(folder.path(), InputFormat::Text).unwrap();
    assert_eq!((texts.len(), texts[2].id.as_str()), (4, "lines.jsonl"));

    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(
        read_documents(empty.path(), InputFormat::ByName),
        Err(InputError { problem: InputProblem::Empty, .. })
    ));
}

#[test]
fn a_text_that_begins_with_a_record_must_be_called_one() {
    let record = b"{\"text\":\"a\"}\n";
    let read = |format| read_stream(&record[..], "here", format);
    assert!(matches!(
        read(InputFormat::ByName),
        Err(InputError { problem: InputProblem::Ambiguous, .. })
    ));
    assert_eq!(read(InputFormat::Text).unwrap(), [InputDocument::text("here", record.to_vec())]);
    assert_eq!(read(InputFormat::JsonLines).unwrap()[0].id, "line-1");
    let by_name = read_stream(&record[..], "here.ndjson", InputFormat::ByName).unwrap();
    assert_eq!(by_name[0].id, "line-1");
    // An object of something else is a text like any other.
    let other = read_stream(&b"{\"a\":1}"[..], "here", InputFormat::ByName);
    assert!(other.is_ok());
}
