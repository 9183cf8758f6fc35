//! Ids, rectangles and masks, worked out by hand. Ids: a = 99, b = 100; merges he 258, the 259,
//! the+space 260, space+the+space 261, r+space 262, re 263, ve 264, d+space 265.

use clap::Parser;
use llm_from_scratch_practical::tokenizer::chapter_four_tokenizer;
use practical_ch04_masked_batches::{Args, Report, refusals, run};
use proptest::prelude::*;

fn report(arguments: &[&str]) -> Report {
    run(&Args::parse_from([&["ch04"], arguments].concat())).unwrap()
}

#[test]
fn documents_are_framed_and_merged() {
    // "then there": the 259, n 112, then " the" has no token without a second space, so a space 34,
    // the 259, re 263.
    let documents = report(&[]).documents;
    assert_eq!(documents[0].ids, [0, 259, 112, 34, 259, 263, 1]);
    assert_eq!(documents[0].tokens, "<|bos|> the n ␣ the re <|eos|>");
    assert_eq!(documents[1].ids, [0, 99, 99, 99, 100, 1]);
    assert_eq!(documents[2].ids, [0, 100, 1]);
    let targets: Vec<usize> = documents.iter().map(|document| document.targets).collect();
    assert_eq!(targets, [6, 5, 2]);
    assert!(documents.iter().all(|document| document.control_ids == 2));
}

#[test]
fn two_rows_make_two_batches_and_the_last_one_is_small() {
    let batches = report(&[]).batches;
    let [first, second] = &batches[..] else { panic!("{batches:?}") };
    let ids = |ids: [u32; 6], len: usize| -> Vec<Option<u32>> {
        ids.iter().enumerate().map(|(i, &id)| (i < len).then_some(id)).collect()
    };
    assert_eq!(
        first.inputs,
        [ids([0, 259, 112, 34, 259, 263], 6), ids([0, 99, 99, 99, 100, 0], 5)]
    );
    assert_eq!(
        first.targets,
        [ids([259, 112, 34, 259, 263, 1], 6), ids([99, 99, 99, 100, 1, 0], 5)]
    );
    assert_eq!(first.loss_mask, [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0]]);
    assert_eq!((first.lengths.as_slice(), first.cells, first.target_count), (&[6, 5][..], 12, 11));
    assert_eq!((second.cells, second.target_count), (2, 2));
}

#[test]
fn padding_is_not_counted() {
    // Three rows of 6 cells, 6 + 5 + 2 of which hold a target.
    let batch = &report(&["--rows", "3"]).batches[0];
    assert_eq!((batch.cells, batch.target_count), (18, 13));
    assert_eq!(batch.mean_over_targets, 1.0);
    assert_eq!(batch.incorrect_mean_over_cells, 13.0 / 18.0);
}

#[test]
fn text_that_looks_like_control_tokens_is_text() {
    let looks = report(&[]).looks_like_control;
    // 7 + 2 + 7 letters, none of them merged, in a frame of two.
    assert_eq!((looks.ids.len(), looks.control_ids), (18, 2));
}

#[test]
fn the_frozen_tokenizer_is_the_one_of_every_lesson() {
    let report = report(&[]);
    assert_eq!(report.tokenizer.sha256, chapter_four_tokenizer().sha256());
    assert_eq!(report.tokenizer.vocab_size, 266);
    let merges = ["he", "the", "the␣", "␣the␣", "r␣", "re", "ve", "d␣"];
    assert_eq!(report.tokenizer.merges, merges);
    assert_eq!(report.texts_that_came_back, 256 + 65_536);
}

#[test]
fn every_damaged_thing_is_refused_for_its_own_reason() {
    let refusals = refusals().unwrap();
    for (what, named) in [
        ("file cut off", "EOF while parsing"),
        ("file with a space added", "not canonical JSON: byte 13 differs"),
        ("file with an unknown field", "unknown field `author`"),
        ("file of another version", "format_version is 2"),
        ("file too long", "67108865 is above the limit of 67108864"),
        ("ranks 0 and 1 exchanged", "merges[0].right: id 258 is not the token of a byte"),
        ("two bytes with one id", "byte_ids[98]: id 99 already has another meaning"),
        ("an id above the vocabulary", "merges[7].id: id 266 is not below vocab_size 266"),
        ("a start that is a letter", "document_start: id 99 is not a control token"),
        ("document without its start", "id 99 at position 0 is not the start token"),
        ("document without its end", "id 100 at position 2 is not the end token"),
        ("two documents in one", "id 1 at position 2 is not a token of the text"),
        ("validation in a training batch", "belongs to the validation partition"),
        ("a row that is too short", "has 4 inputs, the capacity is 3"),
        ("an id of another tokenizer", "has token id 300 at position 1"),
        ("a batch of another tokenizer", "258 ids, capacity 3"),
    ] {
        assert!(refusals[what].contains(named), "{what}: {}", refusals[what]);
    }
    assert_eq!(refusals.len(), 16);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))] // each case runs the whole chapter

    #[test]
    fn every_target_is_in_one_batch_and_the_mask_counts_it(
        documents in prop::collection::vec("[a-z ]{0,9}", 1..7),
        rows in 1_usize..5,
    ) {
        let mut args = Args::parse_from(["ch04"]);
        args.documents = documents;
        args.rows = rows.try_into().unwrap();
        let report = run(&args).unwrap();
        let targets: usize = report.documents.iter().map(|document| document.targets).sum();
        let counted: usize = report.batches.iter().map(|batch| batch.target_count).sum();
        prop_assert_eq!(counted, targets);
        for batch in &report.batches {
            let ones = batch.loss_mask.iter().flatten().filter(|&&mark| mark == 1).count();
            prop_assert_eq!(ones, batch.target_count);
            for (inputs, targets) in batch.inputs.iter().zip(&batch.targets) {
                let len = inputs.iter().flatten().count();
                prop_assert_eq!(&inputs[1..len], &targets[..len - 1], "shifted by one");
            }
        }
    }
}
