use std::fs;

use super::*;

fn update(update: u64, nats: f64, targets: usize) -> UpdateEvent {
    let nats_per_token = nats / targets as f64;
    UpdateEvent {
        update,
        nats,
        targets,
        nats_per_token,
        gradient_norm: 1.0,
        clipped: false,
        rate: 0.1,
        seconds: 0.5,
    }
}

fn look(update: u64, nats_per_token: f64) -> LookEvent {
    LookEvent {
        update,
        train_nats_per_token: (update > 0).then_some(nats_per_token - 0.5),
        validation: Some(Validation { nats_per_token, bits_per_byte: nats_per_token }),
        best: false,
        sample: None,
        seconds: 0.5,
    }
}

/// Looks at 0, 2 and 4 of four updates; the second one is the best.
pub(in super::super) fn four_updates() -> Log {
    let mut log = Log::start(tempfile::tempfile().unwrap(), Value::Null).unwrap();
    log.look(look(0, 5.0)).unwrap();
    for event in [update(1, 40.0, 10), update(2, 6.0, 2)] {
        log.update(event).unwrap();
    }
    log.look(look(2, 3.0)).unwrap();
    for event in [update(3, 20.0, 10), update(4, 20.0, 10)] {
        log.update(event).unwrap();
    }
    log.look(look(4, 3.5)).unwrap();
    log
}

fn text(log: &Log) -> String {
    let mut file = log.file.try_clone().unwrap();
    file.rewind().unwrap();
    std::io::read_to_string(file).unwrap()
}

#[test]
fn the_best_look_is_the_one_with_the_lowest_validation_loss() {
    let (best, loss) = four_updates().best().map(|(look, loss)| (look.update, loss)).unwrap();
    assert_eq!((best, loss.nats_per_token), (2, 3.0));
}

/// (40 + 6) / (10 + 2), not the mean of 4 and 3.
#[test]
fn the_training_loss_between_two_looks_weighs_every_target_the_same() {
    let mut log = Log::start(tempfile::tempfile().unwrap(), Value::Null).unwrap();
    assert_eq!(log.train_loss_since_look(), None);
    log.look(look(0, 5.0)).unwrap();
    log.update(update(1, 40.0, 10)).unwrap();
    log.update(update(2, 6.0, 2)).unwrap();
    assert_eq!(log.train_loss_since_look(), Some(46.0 / 12.0));
    log.look(look(2, 3.0)).unwrap();
    assert_eq!(log.train_loss_since_look(), None);
}

#[test]
fn going_on_cuts_off_what_is_behind_the_checkpoint() {
    let whole = text(&four_updates());
    let lines: Vec<&str> = whole.lines().collect();
    for (checkpoint, kept) in [(0, 2), (1, 3), (2, 5), (3, 6), (4, 8)] {
        let log = Log::resume(four_updates().file, checkpoint).unwrap();
        assert_eq!(text(&log), lines[..kept].join("\n") + "\n", "{checkpoint}");
        assert_eq!(log.updates.len(), checkpoint as usize);
    }
}

#[test]
fn half_a_line_is_cut_off_and_written_again() {
    let whole = text(&four_updates());
    let folder = tempfile::tempdir().unwrap();
    for len in whole.len() - 30..whole.len() {
        let path = folder.path().join(len.to_string());
        fs::write(&path, &whole.as_bytes()[..len]).unwrap();
        let file = File::options().read(true).write(true).open(path).unwrap();
        let mut log = Log::resume(file, 4).unwrap();
        assert_eq!(log.looks.len(), 2, "a look that was cut off is made again");
        log.look(look(4, 3.5)).unwrap();
        assert_eq!(text(&log), whole);
    }
}

#[test]
fn a_log_that_does_not_reach_the_checkpoint_is_refused() {
    let error = Log::resume(four_updates().file, 5).err().unwrap().to_string();
    assert!(error.contains("ends at update 4") && error.contains("of update 5"), "{error}");
}
