//! What `sliding_window_nll` has to do; both files beside this one are tested with it.

use super::sliding_window_nll;

/// A model for which each target costs as many nats as its id says.
fn costs_its_id(window: &[u32]) -> Vec<f64> {
    window[1..].iter().map(|&id| -f64::from(id)).collect()
}

/// A model for which each target costs as many nats as it has ids before it in the window.
fn costs_its_context(window: &[u32]) -> Vec<f64> {
    (1..window.len()).map(|before| -(before as f64)).collect()
}

const IDS: [u32; 10] = [9, 1, 2, 4, 8, 16, 32, 64, 128, 256];

#[test]
fn each_target_is_counted_once_for_every_stride() {
    // 1 + 2 + ... + 256 = 511 over nine targets; the first id is none.
    for (window, stride) in [(4, 1), (4, 2), (4, 3), (2, 1), (7, 5), (10, 9), (100, 1)] {
        let found = sliding_window_nll(&IDS, costs_its_id, window, stride);
        assert_eq!(found, Some(511.0 / 9.0), "window {window}, stride {stride}");
    }
}

#[test]
fn a_target_has_as_much_context_as_its_window_gives() {
    // Windows of 4 with stride 2: 1 + 2 + 3 in the first, then three times 2 + 3.
    assert_eq!(sliding_window_nll(&IDS, costs_its_context, 4, 2), Some(21.0 / 9.0));
    // Stride 1: min(i, 3) for position i.
    assert_eq!(sliding_window_nll(&IDS, costs_its_context, 4, 1), Some(24.0 / 9.0));
}

#[test]
fn windows_start_at_every_stride_and_stop_at_the_end() {
    let mut starts = Vec::new();
    let ids: Vec<u32> = (0..10).collect();
    let model = |window: &[u32]| {
        starts.push((window[0], window.len()));
        costs_its_context(window)
    };
    sliding_window_nll(&ids, model, 4, 2);
    assert_eq!(starts, [(0, 4), (2, 4), (4, 4), (6, 4)]);
}

#[test]
fn the_last_window_may_be_short() {
    // Positions 1 to 3, then 4 to 6, then 7 alone: twice 1 + 2 + 3, and 1.
    assert_eq!(sliding_window_nll(&IDS[..8], costs_its_context, 4, 3), Some(13.0 / 7.0));
}

#[test]
fn what_would_lose_targets_has_no_score() {
    for (window, stride) in [(4, 0), (4, 4), (4, 5), (1, 1), (0, 0)] {
        assert_eq!(sliding_window_nll(&IDS, costs_its_id, window, stride), None);
    }
    assert_eq!(sliding_window_nll(&IDS[..1], costs_its_id, 4, 2), None);
    assert_eq!(sliding_window_nll(&[], costs_its_id, 4, 2), None);
    assert_eq!(sliding_window_nll(&IDS, |window| vec![0.0; window.len()], 4, 2), None);
}
