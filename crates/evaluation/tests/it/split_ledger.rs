//! The file that counts looks at each split.

use std::fs;

use llm_corpus::{Document, Partition};
use llm_evaluation::{
    Conditions, ContractError, EvaluationContract, Framing, Look, SplitCount, SplitLedger,
    WindowRule,
};

use crate::contract_fields::subject;

fn of(split: Partition, model: &str) -> EvaluationContract {
    let texts = [Document::new("x", split, "abc")];
    let conditions = Conditions::new(split, &texts, Framing::DOCUMENT, WindowRule::WHOLE);
    EvaluationContract::new(subject(model), conditions).unwrap()
}

fn ledger(folder: &tempfile::TempDir) -> SplitLedger {
    SplitLedger::new(folder.path().join("splits.jsonl"))
}

#[test]
fn looks_are_counted_by_split_and_by_model() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(&folder);
    assert_eq!((ledger.entries().unwrap(), ledger.counts().unwrap()), (vec![], vec![]));
    for model in ["m", "m", "n"] {
        let entry = ledger.record(&of(Partition::Validation, model), "tune", Look::Once).unwrap();
        assert!(!entry.again);
    }
    ledger.record(&of(Partition::Train, "m"), "fit", Look::Once).unwrap();
    ledger.record(&of(Partition::Test, "m"), "paper", Look::Once).unwrap();
    let expected =
        [(Partition::Train, 1, 1), (Partition::Validation, 3, 2), (Partition::Test, 1, 1)]
            .map(|(split, times, models)| SplitCount { split, times, models });
    assert_eq!(ledger.counts().unwrap(), expected);
    let numbers: Vec<usize> = ledger.entries().unwrap().iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}

#[test]
fn the_final_split_is_scored_once_or_knowingly_again_by_any_model() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(&folder);
    ledger.record(&of(Partition::Test, "m"), "the paper", Look::Once).unwrap();
    let before = fs::read(ledger.path()).unwrap();
    let error = ledger.record(&of(Partition::Test, "n"), "again", Look::Once).unwrap_err();
    let ContractError::FinalSplit { times, first_by } = error else { panic!("{error}") };
    assert_eq!((times, first_by.as_str()), (1, "the paper"));
    assert_eq!(fs::read(ledger.path()).unwrap(), before, "a refusal is no look");
    let entry = ledger.record(&of(Partition::Test, "n"), "again", Look::Again).unwrap();
    assert!(entry.again);
    let error = ledger.record(&of(Partition::Test, "n"), "and again", Look::Once).unwrap_err();
    assert!(matches!(error, ContractError::FinalSplit { times: 2, .. }), "{error}");
}

#[test]
fn permission_to_look_again_is_no_second_look_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let entry = ledger(&folder).record(&of(Partition::Test, "m"), "first", Look::Again).unwrap();
    assert!(!entry.again);
}

/// Wherever the power fails while the third line is written, two looks are there and the next one
/// follows them.
#[test]
fn a_line_torn_at_any_byte_costs_no_other_line() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(&folder);
    let contract = of(Partition::Validation, "m");
    let record = |by: &str| ledger.record(&contract, by, Look::Once).unwrap();
    record("one");
    record("two, with a \n and \u{2028}");
    let two = fs::read(ledger.path()).unwrap();
    record("three");
    let three = fs::read(ledger.path()).unwrap();
    for cut in two.len()..three.len() {
        fs::write(ledger.path(), &three[..cut]).unwrap();
        assert_eq!(ledger.entries().unwrap().len(), 2, "cut at {cut}");
        record("three");
        assert_eq!(fs::read(ledger.path()).unwrap(), three, "cut at {cut}");
    }
}

#[test]
fn changed_and_removed_lines_show() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(&folder);
    for by in ["one", "two", "three"] {
        ledger.record(&of(Partition::Validation, "m"), by, Look::Once).unwrap();
    }
    let text = fs::read_to_string(ledger.path()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let damages = [
        (text.replace("\"two\"", "\"2\""), "line 3: does not follow"),
        (format!("{}\n{}\n", lines[0], lines[2]), "line 2: does not follow"),
        (format!("{}\n{}\n", lines[1], lines[0]), "line 1: does not follow"),
        (text.replacen("{\"number\":1", "\n{\"number\":1", 1), "line 1: "),
        (format!("{text}hello\n"), "line 4: "),
    ];
    for (damaged, reason) in damages {
        fs::write(ledger.path(), &damaged).unwrap();
        for error in [
            ledger.entries().unwrap_err(),
            ledger.record(&of(Partition::Validation, "m"), "four", Look::Once).unwrap_err(),
        ] {
            assert!(error.to_string().contains(reason), "{reason}: {error}");
        }
        assert_eq!(fs::read_to_string(ledger.path()).unwrap(), damaged);
    }
    fs::write(ledger.path(), b"\xff\n").unwrap();
    assert!(ledger.entries().unwrap_err().to_string().contains("no UTF-8"));
    let nowhere = SplitLedger::new(folder.path().join("no/such/folder/file"));
    assert!(nowhere.record(&of(Partition::Test, "m"), "x", Look::Once).is_err());
}

#[test]
fn looks_of_several_threads_are_all_counted() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(&folder);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let ledger = &ledger;
            scope.spawn(move || {
                for _ in 0..5 {
                    let contract = of(Partition::Validation, &format!("m{thread}"));
                    ledger.record(&contract, "race", Look::Once).unwrap();
                }
            });
        }
    });
    let count = ledger.counts().unwrap()[0].clone();
    assert_eq!((count.times, count.models), (20, 4));
}
