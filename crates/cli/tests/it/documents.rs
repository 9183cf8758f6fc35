//! What `llm evaluate` takes for documents: any bytes, streams, ids, splits.

use serde_json::Value;

use crate::support::{Folder, json, llm, refused, run_with_input, text_of};

#[test]
fn any_bytes_are_scored_as_they_are_and_counted() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let long_line = vec![b'x'; 20_000];
    let cases: [(&str, &[u8]); 7] = [
        ("bom", b"\xef\xbb\xbfabc"),
        ("crlf", b"one\r\ntwo\r\n"),
        ("nul", b"a\0b"),
        ("latin1", b"caf\xe9"),
        ("emoji", "👩‍🚀 שלום 你好".as_bytes()),
        ("picture", b"\x89PNG\r\n\x1a\n\0\0"),
        ("long", &long_line),
    ];
    for (name, bytes) in cases {
        let text = folder.write(name, bytes);
        let report = json(&mut llm(["evaluate", "--model", &model, "--input", &text]));
        assert_eq!(report["bytes"], bytes.len(), "{name}");
        assert_eq!(report["targets"], bytes.len() + 1, "{name}");
        assert_eq!(report["contract"]["conditions"]["documents"][0]["bytes"], bytes.len());
        let valid_up_to = str::from_utf8(bytes).map_err(|error| error.valid_up_to()).err();
        let said = report["not_utf8"][0]["offset"].as_u64().map(|offset| offset as usize);
        assert_eq!(said, valid_up_to, "{name}");

        // The same through a pipe.
        let piped = run_with_input(
            &mut llm(["evaluate", "--model", &model, "--input", "-", "--json"]),
            bytes,
        );
        let piped: Value = serde_json::from_str(&text_of(&piped)).unwrap();
        assert_eq!(piped["nats_per_token"], report["nats_per_token"], "{name}");
    }
}

#[test]
fn json_lines_on_standard_input_are_never_scored_as_text_unasked() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let bytes = |format: &[&str]| {
        let words = ["evaluate", "--model", &model, "--input", "-", "--json"];
        let output = run_with_input(llm(words).args(format), b"{\"text\":\"abc\"}\n");
        if output.status.code() == Some(2) {
            return String::from_utf8(output.stderr).unwrap();
        }
        serde_json::from_str::<Value>(&text_of(&output)).unwrap()["bytes"].to_string()
    };
    assert!(bytes(&[]).contains("--format text or --format jsonl"));
    assert_eq!(bytes(&["--format", "jsonl"]), "3");
    assert_eq!(bytes(&["--format", "text"]), "15");
}

#[test]
fn an_empty_file_is_one_end_token_and_has_no_figure_per_byte() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("empty", ""));
    let words = ["evaluate", "--model", &model, "--input", &text];
    let report = json(&mut llm(words));
    assert_eq!((&report["targets"], &report["bytes"]), (&1.into(), &0.into()));
    assert!(report.get("bits_per_byte").is_none());
    let message = refused(llm(words).arg("--no-eos"), 1);
    assert!(message.contains("empty"), "{message}");
}

#[test]
fn ids_need_no_tokenizer_and_have_no_bytes() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let text = folder.write("t.jsonl", r#"{"id":"x","text":"abc"}"#);
    let ids = folder.write("i.jsonl", r#"{"id":"x","ids":[0,99,100,101,1]}"#);
    let of_text = json(&mut llm(["evaluate", "--model", &model, "--input", &text]));
    let of_ids = json(&mut llm(["evaluate", "--model", &model, "--input", &ids]));
    assert_eq!(of_ids["nats_per_token"], of_text["nats_per_token"]);
    for key in ["bytes", "bits_per_byte", "bits_per_byte_text_only", "tokens_per_byte"] {
        assert!(of_text.get(key).is_some() && of_ids.get(key).is_none(), "{key}");
    }
    assert_eq!(of_ids["contract"]["subject"]["tokenizer_sha256"], Value::Null);

    refused(llm(["evaluate", "--model", &model, "--input", &ids]).arg("--no-eos"), 2);

    let unknown = folder.write("u.jsonl", r#"{"id":"x","ids":[0,258]}"#);
    let message = refused(&mut llm(["evaluate", "--model", &model, "--input", &unknown]), 1);
    assert!(message.contains("`x`, position 1") && message.contains("258"), "{message}");
    let mixed = folder.write("m.jsonl", "{\"text\":\"a\"}\n{\"ids\":[0,1]}\n");
    refused(&mut llm(["evaluate", "--model", &model, "--input", &mixed]), 1);
}

#[test]
fn splits_and_domains_come_from_the_records() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let file = folder.write(
        "d.jsonl",
        "{\"id\":\"a\",\"text\":\"aa\",\"split\":\"test\",\"domain\":\"one\"}\n\
         {\"id\":\"b\",\"text\":\"bbbb\",\"split\":\"test\",\"domain\":\"two\"}\n\
         {\"id\":\"c\",\"text\":\"c\",\"split\":\"train\"}\n",
    );
    let words = ["evaluate", "--model", &model, "--input", &file];
    assert!(refused(&mut llm(words), 1).contains("--split"));
    let report = json(llm(words).args(["--split", "test"]));
    assert_eq!((&report["documents"], &report["left_out"]), (&2.into(), &1.into()));
    assert_eq!(report["domains"]["one"]["targets"], 3);
    assert_eq!(report["domains"]["two"]["targets"], 5);
    assert_eq!(report["contract"]["conditions"]["split"], "test");
    assert!(refused(llm(words).args(["--split", "validation"]), 1).contains("validation"));
    assert!(refused(llm(words).args(["--split", "dev"]), 2).contains("--split"));
}
