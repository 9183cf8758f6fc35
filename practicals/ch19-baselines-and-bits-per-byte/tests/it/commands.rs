//! The command line: files on request, and what is refused.

use crate::support::program;
use llm_chapter_kit::{printed, refusal};
use llm_from_scratch_practical::evaluation::{RecordSummary, read_records};
use tempfile::TempDir;

const SMALL: [&str; 6] = ["--train-documents", "3", "--held-out-documents", "2", "--updates", "1"];

#[track_caller]
fn refused(arguments: &[&str], code: i32, expected: &str) {
    let folder = TempDir::new().unwrap();
    let error = refusal(&program(folder.path(), arguments), code);
    assert!(error.contains(expected), "{error}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing was written");
}

#[test]
fn the_figure_names_every_model_and_the_entropy() {
    let folder = TempDir::new().unwrap();
    let output = program(folder.path(), &[&SMALL[..], &["--figure", "a.svg"]].concat());
    let report: serde_json::Value = serde_json::from_str(&printed(&output)).unwrap();
    let svg = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("entropy 1.220"));
    for model in report["models"].as_array().unwrap() {
        assert!(svg.contains(model["model"].as_str().unwrap()), "{model}");
    }
}

#[test]
fn the_records_of_the_decoder_give_its_bits_per_byte() {
    let folder = TempDir::new().unwrap();
    let output = program(folder.path(), &[&SMALL[..], &["--records", "a.jsonl"]].concat());
    let report: serde_json::Value = serde_json::from_str(&printed(&output)).unwrap();
    let models = report["models"].as_array().unwrap();
    let decoder = models.iter().find(|row| row["model"] == "decoder").unwrap();

    let file = std::fs::read(folder.path().join("a.jsonl")).unwrap();
    let records = read_records(&file[..]).collect::<Result<Vec<_>, _>>().unwrap();
    let summary = RecordSummary::from_records(records).unwrap();
    let bits = summary.bits_per_byte().unwrap().unwrap();
    let printed = decoder["held_out_bits_per_byte"].as_f64().unwrap();
    assert!((bits - printed).abs() <= 5e-7, "{bits} {printed}");
}

#[test]
fn the_page_shows_every_held_out_document_with_the_decoders_bits() {
    let folder = TempDir::new().unwrap();
    let files = ["--surprise", "a.html", "--records", "a.jsonl"];
    printed(&program(folder.path(), &[&SMALL[..], &files].concat()));
    let page = std::fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    let file = std::fs::read(folder.path().join("a.jsonl")).unwrap();
    let records = read_records(&file[..]).collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(page.matches("class=\"t l").count(), records.len());
    for record in records {
        let bits = (0.0 - record.log_probability) / std::f64::consts::LN_2;
        let (rank, position) = (record.rank_best, record.position);
        let title = format!("title=\"{bits:.2} bits, rank {rank}, position {position}\"");
        assert!(page.contains(&title), "{title}");
        assert!(page.contains(&format!("<h2>{}</h2>", record.document)));
    }
}

#[test]
fn one_file_for_two_outputs_is_refused() {
    for [one, other] in
        [["--records", "--figure"], ["--surprise", "--figure"], ["--records", "--surprise"]]
    {
        let same = [one, "a.out", other, "./a.out"];
        refused(&[&SMALL[..], &same].concat(), 1, "cannot hold both");
    }
}

#[test]
fn the_smallest_and_an_untrained_experiment_work() {
    let folder = TempDir::new().unwrap();
    let smallest = ["--train-documents", "1", "--held-out-documents", "1", "--updates", "0"];
    printed(&program(folder.path(), &[&smallest[..], &["--window", "2"]].concat()));
    printed(&program(folder.path(), &[&SMALL[..], &["--window", "49"]].concat()));
}

#[test]
fn counts_without_a_meaning_are_wrong_usage() {
    for (flag, value) in [
        ("--train-documents", "0"),
        ("--held-out-documents", "0"),
        ("--updates", "many"),
        ("--window", "1"),
        ("--window", "50"),
        ("--seed", "x"),
    ] {
        refused(&[flag, value], 2, flag);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    refused(&[&SMALL[..], &["--figure", "."]].concat(), 1, ".");
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let arguments = [&SMALL[..], &["--figure", "file/a.svg"]].concat();
    assert!(refusal(&program(folder.path(), &arguments), 1).contains("file/a.svg"));
}
