//! The numbers of the report: by hand where that is possible, and what must hold for any seed.

use std::sync::OnceLock;

use clap::Parser;
use practical_ch07_decoder_model::{Args, DepthRow, Report, depth_rows, run};

fn report() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| run(&Args::parse_from(["chapter"])).unwrap())
}

#[track_caller]
fn assert_close(x: f64, expected: f64) {
    assert!((x - expected).abs() < 1e-12, "{x}, expected {expected}");
}

#[test]
fn the_norm_divides_three_and_four_by_the_root_of_twelve_and_a_half() {
    let norm = &report().parts.rms_norm;
    assert_close(norm.rms, 12.5f64.sqrt());
    assert_close(norm.y[0], 3.0 / 12.5f64.sqrt());
    assert_close(norm.y[1], 4.0 / 12.5f64.sqrt());
}

#[test]
fn a_rotated_score_is_the_cosine_of_the_distance_whatever_the_place() {
    for row in &report().parts.rotary_positions {
        let distance = row.query_position - row.key_position;
        assert_close(row.score, libm::cos(distance as f64));
    }
}

#[test]
fn attention_weighs_the_visible_keys_one_two_and_four() {
    // Token 0 sees weight 1; token 1 weights 1 and 2 of 3; token 2 weights 1, 2 and 4 of 7.
    let expected = [[1.0, 0.0], [1.0 / 3.0, 2.0 / 3.0], [1.0 / 7.0, 2.0 / 7.0]];
    let output = &report().parts.causal_attention.output;
    for (row, expected) in output.iter().zip(expected) {
        assert_close(row[0], expected[0]);
        assert_close(row[1], expected[1]);
    }
}

#[test]
fn the_gate_of_one_passes_its_sigmoid_and_the_tied_head_reads_the_embedding() {
    assert_close(report().parts.swiglu_of_gate_1_and_up_2, 2.0 / (1.0 + libm::exp(-1.0)));
    assert_eq!(report().parts.tied_head_logits, [1.0, 2.0, 3.0]);
}

#[test]
fn the_table_has_2792_numbers_in_eleven_parameters() {
    let parameters = &report().parameters;
    let counts: Vec<usize> = parameters.table.iter().map(|row| row.count).collect();
    // Embedding 266 * 8; gain; four matrices 8 * 8; gain; gate and up 8 * 16, down 16 * 8; gain.
    assert_eq!(counts, [2128, 8, 64, 64, 64, 64, 8, 128, 128, 128, 8]);
    assert_eq!(parameters.total, 2792);
    assert_eq!(parameters.saved_by_the_tied_head, 2128);
}

#[test]
fn a_changed_input_is_noticed_at_its_position_and_later_and_nowhere_else() {
    let causality = &report().causality;
    assert_eq!(causality.inputs, [0, 99, 100, 99, 99, 100]); // start, a, b, a, a, b
    assert!(causality.only_the_future_noticed);
    for change in &causality.changes {
        for (position, &moved) in change.largest_logit_change.iter().enumerate() {
            assert_eq!(moved == 0.0, position < change.changed_position, "{change:?}");
        }
    }
}

fn of(rows: &[DepthRow], n_layers: usize, depth_factor: bool) -> &DepthRow {
    rows.iter().find(|r| r.n_layers == n_layers && r.depth_factor == depth_factor).unwrap()
}

#[test]
fn without_the_factor_the_stream_grows_with_depth_and_with_it_far_less() {
    for seed in [39, 40, 41, 42] {
        let rows = depth_rows(seed, &[1, 2, 8]).unwrap();
        let last = |n_layers, factor| *of(&rows, n_layers, factor).activation_rms.last().unwrap();
        assert!(last(8, false) > 3.0 * last(1, false), "seed {seed}");
        assert!(last(8, true) < 2.0 * last(1, true), "seed {seed}");
        // What eight blocks add is smaller by sqrt(8) = 2.83, and nearly all of the stream.
        let ratio = last(8, false) / last(8, true);
        assert!((2.5..3.2).contains(&ratio), "seed {seed}: {ratio}");
    }
}

#[test]
fn one_block_has_no_factor_and_every_list_one_entry_more_than_blocks() {
    let rows = &report().depth;
    assert_eq!(rows.len(), 6);
    assert_eq!(of(rows, 1, true).activation_rms, of(rows, 1, false).activation_rms);
    assert_eq!(of(rows, 1, true).thousand_gradient_rms, of(rows, 1, false).thousand_gradient_rms);
    for row in rows {
        assert_eq!(row.activation_rms.len(), row.n_layers + 1);
        assert_eq!(row.thousand_gradient_rms.len(), row.n_layers + 1);
        assert_eq!(row.activation_rms[0], rows[0].activation_rms[0]); // the same embedding
    }
}

/// The numbers in the lesson's sentences, which no block of output shows.
#[test]
fn the_stream_has_the_sizes_that_the_lesson_names() {
    let rows = depth_rows(39, &[1, 2, 8, 32]).unwrap();
    let last = |factor| {
        [1, 2, 8, 32].map(|n_layers| {
            let size = of(&rows, n_layers, factor).activation_rms.last().unwrap();
            (100.0 * size).round() as u32
        })
    };
    assert_eq!(last(true), [56, 68, 88, 91]);
    assert_eq!(last(false), [56, 96, 252, 538]);
}

#[test]
fn any_text_and_seed_is_causal() {
    for (seed, text) in [("1", "a"), ("2", "zzzzzzz"), ("3", "\u{e9}b")] {
        let args = Args::parse_from(["chapter", "--depths=1", "--seed", seed, "--text", text]);
        assert!(run(&args).unwrap().causality.only_the_future_noticed, "{text}");
    }
}
