//! Rows, contexts and windows, worked out by hand.

use clap::Parser;
use practical_ch05_packed_contexts::{Args, Report, run};

fn report(arguments: &[&str]) -> Report {
    run(&Args::parse_from([&["ch05"], arguments].concat())).unwrap()
}

#[test]
fn first_fit_goes_back_to_a_row_with_room() {
    // 5 targets open row 0. 4 do not fit into the 3 cells left and open row 1. 3 fit into row 0,
    // which is full then. 2 go into row 1.
    let report = report(&[]);
    let places: Vec<_> =
        report.places.iter().map(|p| (&*p.document, p.targets, p.row, p.column)).collect();
    assert_eq!(places, [("abaa", 5, 0, 0), ("baa", 4, 1, 0), ("ab", 3, 0, 5), ("b", 2, 1, 4)]);
    let (padded, packed) = (report.padded, report.packed);
    assert_eq!((padded.rows, padded.width, padded.cells, padded.filled), (4, 5, 20, 14));
    assert_eq!((packed.rows, packed.width, packed.cells, packed.filled), (2, 8, 16, 14));
}

#[test]
fn positions_start_anew_with_every_document() {
    let cells = report(&[]).cells;
    let row = |values: [usize; 8], len: usize| -> Vec<Option<usize>> {
        values.iter().enumerate().map(|(i, &value)| (i < len).then_some(value)).collect()
    };
    assert_eq!(
        cells.positions,
        [row([0, 1, 2, 3, 4, 0, 1, 2], 8), row([0, 1, 2, 3, 0, 1, 0, 0], 6)]
    );
    // Start a b a a, start a b; start b a a, start b. The end tokens are targets only.
    let ids = |ids: [usize; 8], len| -> Vec<Option<u32>> {
        row(ids, len).into_iter().map(|id| id.map(|id| id as u32)).collect()
    };
    assert_eq!(
        cells.inputs,
        [ids([0, 99, 100, 99, 99, 0, 99, 100], 8), ids([0, 100, 99, 99, 0, 100, 0, 0], 6)]
    );
    let owners = cells.documents[0].iter().flatten().copied().collect::<Vec<_>>();
    assert_eq!(owners, [0, 0, 0, 0, 0, 2, 2, 2]);
}

#[test]
fn five_and_four_targets_need_two_rows_of_eight() {
    let rows: Vec<_> =
        report(&[]).five_and_four.iter().map(|needed| (needed.capacity, needed.rows)).collect();
    assert_eq!(rows, [(5, 2), (8, 2), (9, 1)]);
}

#[test]
fn a_prediction_changes_with_its_own_past_and_with_nothing_else() {
    let influence = report(&[]).influence;
    assert!(influence.own_past_only);
    assert_eq!(
        influence.pictures[0],
        [
            "#.......", "##......", "###.....", "####....", "#####...", ".....#..", ".....##.",
            ".....###",
        ]
    );
    assert_eq!(influence.pictures[1], ["#.....", "##....", "###...", "####..", "....#.", "....##"]);
}

#[test]
fn joining_documents_changes_what_the_second_is_told() {
    let joined = report(&[]).joined;
    let targets: Vec<&str> = joined.iter().map(|row| row.target.as_str()).collect();
    assert_eq!(targets, ["b", "a", "a", "<|eos|>"]);
    assert!(joined.iter().all(|row| row.own_document != row.joined), "{joined:?}");
}

#[test]
fn a_long_document_is_refused_whole_and_cut_without_loss() {
    // 12 letters and the end are 13 targets: windows of 8 and 5.
    let long = report(&[]).long_document;
    assert_eq!(long.targets, 13);
    assert!(long.refusal.unwrap().contains("has 13 inputs, the capacity is 8"));
    let lengths: Vec<usize> = long.windows.iter().map(|window| window.targets.len()).collect();
    assert_eq!(lengths, [8, 5]);
    let starts = long.windows.iter().map(|w| w.inputs.iter().filter(|&&id| id == 0).count());
    assert_eq!(starts.collect::<Vec<_>>(), [1, 0], "only the beginning has a start token");
    assert_eq!(long.windows[1].inputs[0], long.windows[0].targets[7]);
    assert!(long.windows.iter().all(|window| window.document == long.text));
    let targets: Vec<u32> = long.windows.iter().flat_map(|w| w.targets.clone()).collect();
    assert_eq!(targets[..4], [99, 100, 100, 99]);
    assert_eq!((targets.len(), targets[12]), (13, 1));
}
