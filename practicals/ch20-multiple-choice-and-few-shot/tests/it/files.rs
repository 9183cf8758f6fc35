//! The files that the program writes on request.

use std::fs;

use clap::Parser;
use llm_from_scratch_practical::evaluation::tasks::{
    OptionRule, TaskResult, TaskSummary, read_option_records,
};
use practical_ch20_multiple_choice_and_few_shot::{Args, run};

const SMALL: [&str; 5] = ["chapter", "--updates", "3", "--draws", "1"];

#[test]
fn records_and_result_read_back_to_the_numbers_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let [records, result] = ["r.jsonl", "r.json"].map(|name| folder.path().join(name));
    let files = ["--records", records.to_str().unwrap(), "--save-result", result.to_str().unwrap()];
    let report = run(&Args::parse_from([&SMALL[..], &files].concat())).unwrap();

    let records = fs::read(records).unwrap();
    let records = read_option_records(&records[..]).collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(records.len(), 48 * 3);
    let summary = TaskSummary::from_records(records).unwrap();
    let text = fs::read_to_string(result).unwrap();
    let result: TaskResult = serde_json::from_str(&text).unwrap();
    assert_eq!(*result.summary(), summary);
    assert_eq!(result.contract().signature(), report.contracts.signature);
    for (row, rule) in report.rules.rules.iter().zip(OptionRule::ALL) {
        let given = summary.accuracy(rule).unwrap();
        assert_eq!((row.rule, row.right, row.ties), (rule, given.right_count, given.tie_count));
        assert_eq!(row.clustered_error, given.clustered_standard_error);
    }
    let other_split = text.replacen("\"split\": \"test\"", "\"split\": \"train\"", 1);
    assert_ne!(other_split, text);
    assert!(serde_json::from_str::<TaskResult>(&other_split).is_err());
}

#[test]
fn one_file_for_both_and_a_place_that_cannot_be_written_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let path = file.to_str().unwrap();
    let same = [&SMALL[..], &["--records", path, "--save-result", path]].concat();
    let error = run(&Args::parse_from(same)).unwrap_err().to_string();
    assert!(error.ends_with("cannot hold both the records and the result"), "{error}");
    fs::write(&file, "").unwrap();
    let below = format!("{path}/r.json");
    let error = run(&Args::parse_from([&SMALL[..], &["--save-result", &below]].concat()));
    assert!(format!("{:#}", error.unwrap_err()).contains("file/r.json"));
}
