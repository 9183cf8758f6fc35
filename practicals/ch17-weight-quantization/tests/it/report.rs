//! The chapter's numbers against hand calculations and an independent program.

use std::path::Path;
use std::sync::OnceLock;

use clap::Parser;
use practical_ch17_weight_quantization::{
    Args, FormatReport, OriginalReport, Report, RoundedRow, round_by_hand, run,
};

fn default_report() -> (&'static [RoundedRow], &'static OriginalReport, &'static [FormatReport]) {
    static REPORT: OnceLock<Report> = OnceLock::new();
    match REPORT.get_or_init(|| run(&Args::parse_from(["ch17"])).unwrap()) {
        Report::Inspection { by_hand, original, formats, .. } => (by_hand, original, formats),
        Report::Evaluation(_) => panic!("no subcommand means inspect"),
    }
}

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value}, expected {expected}");
}

#[test]
fn the_original_is_the_model_that_chapter_16_saves() {
    let (_, original, _) = default_report();
    let pinned = "a3617db552f8f8fb7004241a9907c11cb788fbc1811e8b09e096ea64084b253f";
    assert_eq!(original.model_sha256, pinned);
    assert_eq!(original.bytes, 8 * 2792);
    // Figures of chapter 16, which were not computed with this code.
    assert!((original.train.mean_nll - 0.157051).abs() < 5e-7);
    assert!((original.validation.mean_nll - 4.172745).abs() < 5e-7);
}

/// Printed by `testdata/quantized_losses.py`, which reads the file that chapter 16 saves and shares no code
/// with the crates: bytes, then for each split loss after, mean and largest divergence, flips.
#[test]
fn losses_and_divergences_are_those_of_an_independent_program() {
    let (_, original, formats) = default_report();
    let before = [0.157051431, 4.172744731];
    let expected = [
        (
            "int8",
            4312,
            [
                (0.156929247, 0.000039687, 0.000171980, 0),
                (4.203158839, 0.000163026, 0.000775409, 0),
            ],
        ),
        (
            "int4",
            2928,
            [
                (0.158672001, 0.003140727, 0.013530934, 2),
                (4.305807917, 0.075210625, 0.653649651, 1),
            ],
        ),
    ];
    assert_eq!(formats.len(), expected.len());
    for (report, (format, bytes, splits)) in formats.iter().zip(expected) {
        assert_eq!((report.format, report.bytes), (format, bytes));
        assert_eq!(report.times_smaller, original.bytes as f64 / bytes as f64);
        for ((split, expected), before) in report.splits.iter().zip(splits).zip(before) {
            let (after, mean_kl, largest_kl, flips) = expected;
            assert_close(split.loss.nll_before, before);
            assert_close(split.loss.nll_after, after);
            assert_close(split.loss.nll_change, after - before);
            assert_close(split.mean_kl_nats, mean_kl);
            assert_close(split.largest_kl_nats, largest_kl);
            assert_eq!((split.top_1_flips, split.targets), (flips, 9));
        }
    }
}

/// From the same program: largest error, RMS error and relative RMS error of three tensors.
#[test]
fn errors_of_tensors_are_those_of_an_independent_program() {
    let expected = [
        ("token_embedding.weight", 0, [0.003871655, 0.001516173, 0.002646401]),
        ("blocks.0.ffn.down.weight", 0, [0.003509324, 0.001801406, 0.004977965]),
        ("token_embedding.weight", 1, [0.058131532, 0.026811210, 0.046797574]),
        ("blocks.0.attention.output.weight", 1, [0.061966525, 0.030645517, 0.074565899]),
        ("blocks.0.ffn.down.weight", 1, [0.061141142, 0.029252549, 0.080835841]),
    ];
    let (_, _, formats) = default_report();
    for (name, format, [max_abs, rms, relative_rms]) in expected {
        let tensor = formats[format].tensors.iter().find(|tensor| tensor.name == name).unwrap();
        assert_close(tensor.max_abs, max_abs);
        assert_close(tensor.rms, rms);
        assert_close(tensor.relative_rms, relative_rms);
    }
    // By relative error: 0.0050, 0.0040, 0.0039 and 0.0808, 0.0746, 0.0690.
    let [down, output] = ["blocks.0.ffn.down.weight", "blocks.0.attention.output.weight"];
    let [value, key] = ["blocks.0.attention.value.weight", "blocks.0.attention.key.weight"];
    assert_eq!(formats[0].worst_tensors, [down, output, value]);
    assert_eq!(formats[1].worst_tensors, [down, output, key]);
}

#[test]
fn gains_are_kept_and_bytes_add_up() {
    let (_, original, formats) = default_report();
    for report in formats {
        let after: u64 = report.tensors.iter().map(|tensor| tensor.bytes_after).sum();
        let before: u64 = report.tensors.iter().map(|tensor| tensor.bytes_before).sum();
        assert_eq!((before, after), (original.bytes, report.bytes));
        for gain in report.tensors.iter().filter(|tensor| tensor.name.ends_with("gain")) {
            assert_eq!((gain.max_abs, gain.bytes_after), (0.0, gain.bytes_before));
        }
        assert!(report.restored_scores_same_bits);
    }
}

#[test]
fn a_row_is_rounded_as_by_hand() {
    let (by_hand, ..) = default_report();
    // int8: 1.27 / 127 = 0.01; in hundredths 127, -50, 0.4, 25.
    assert_eq!(by_hand[0].codes, [127, -50, 0, 25]);
    assert!((by_hand[0].scales[0] / 0.01 - 1.0).abs() < 1.0 / 32768.0);
    assert_eq!(by_hand[0].bytes, 4 + 4);
    // int4: 1.27 / 7 = 0.181429; -0.5 is -2.76 of them, 0.25 is 1.38.
    assert_eq!(by_hand[1].codes, [7, -3, 0, 1]);
    assert_eq!(by_hand[1].bytes, 2 + 4);
    assert!((by_hand[1].largest_error - (0.25 - 1.27 / 7.0)).abs() < 1e-5);
    let long = round_by_hand(&[1.0; 33]).unwrap();
    assert_eq!((long[0].scales.len(), long[1].scales.len()), (1, 2));
}

#[test]
fn what_has_no_code_is_refused() {
    assert!(round_by_hand(&[]).is_err());
    for bad in [f64::NAN, f64::INFINITY, -1e39] {
        let error = round_by_hand(&[1.0, bad]).unwrap_err().to_string();
        assert!(error.contains("input 1: weight") && error.contains("has no code"), "{error}");
    }
}

#[test]
fn files_and_memory_hold_the_same_quantized_models() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("made/here");
    let arguments = ["ch17".as_ref(), "--save".as_ref(), saved.as_os_str()];
    let report = run(&Args::parse_from(arguments)).unwrap();
    let Report::Inspection { formats, .. } = report else { panic!("no subcommand") };
    assert_eq!(formats, default_report().2);
    for report in formats {
        let path = saved.join(report.format).with_extension("safetensors");
        let evaluation =
            practical_ch17_weight_quantization::evaluate_saved(Path::new(&path)).unwrap();
        assert_eq!(
            (evaluation.format, &evaluation.model_sha256),
            (report.format, &report.model_sha256)
        );
        let scores = [evaluation.train, evaluation.validation].map(|score| score.mean_nll);
        for (score, split) in scores.into_iter().zip(&report.splits) {
            assert_eq!(score.to_bits(), split.loss.nll_after.to_bits());
        }
    }
}
