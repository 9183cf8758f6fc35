//! What the chapter shows, and what it refuses to continue.

use std::fs;
use std::num::NonZeroU64;
use std::path::Path;

use practical_ch12_checkpoint_and_resume::{
    Args, Command, Part, Report, TrainArgs, demonstrate, run, train,
};

fn train_args(checkpoint: &Path, updates: u64) -> TrainArgs {
    let every = NonZeroU64::new(5).unwrap();
    TrainArgs { checkpoint: checkpoint.to_owned(), updates, every, pause_ms: 0 }
}

#[test]
fn a_resumed_run_has_the_identity_of_an_uninterrupted_one() {
    let shown = demonstrate().unwrap();
    assert_eq!(shown.resumed_sha256, shown.uninterrupted_sha256);
    assert_eq!((shown.checkpoint.updates, shown.lost_updates), (15, 2));
    // And the program that writes to a file of the reader's makes the same run.
    let folder = tempfile::tempdir().unwrap();
    let trained = train(&train_args(&folder.path().join("run"), 40)).unwrap();
    assert_eq!(trained.run_sha256, shown.uninterrupted_sha256);
}

/// 15 updates of 4 documents are 60, and 60 = 8 * 7 + 4. The embedding has 266 * 8 weights; each of
/// two blocks has two gains (8 each), query 64 and its bias 8, key and value 32 each with biases of 4,
/// output 64, and gate, up and down 128 each; and there is a last gain.
#[test]
fn the_checkpoint_holds_what_can_be_counted_by_hand() {
    let checkpoint = demonstrate().unwrap().checkpoint;
    assert_eq!((checkpoint.epoch, checkpoint.documents_taken), (8, 4));
    let block = 2 * 8 + (64 + 8) + 2 * (32 + 4) + 64 + 3 * 128;
    let weights = 266 * 8 + 2 * block + 8;
    assert_eq!(checkpoint.tensor_bytes, 3 * 4 * weights); // with two moments, 4 bytes each
    assert_eq!(checkpoint.tensors, 3 * (1 + 2 * 12 + 1));
    assert!((checkpoint.powers[0] - 0.9_f64.powi(15)).abs() < 1e-15);
    assert!((checkpoint.powers[1] - 0.999_f64.powi(15)).abs() < 1e-15);
}

#[test]
fn whatever_is_forgotten_gives_another_run() {
    let endings = demonstrate().unwrap().endings;
    assert_eq!(endings[0].forgotten, None);
    assert!(endings[0].same_bits);
    assert_eq!(endings.len(), 5);
    for ending in &endings[1..] {
        assert!(!ending.same_bits && ending.mean_nll != endings[0].mean_nll, "{ending:?}");
        let all_again = ending.forgotten == Some(Part::UpdateCount);
        assert_eq!(ending.more_updates, if all_again { 40 } else { 25 });
    }
}

#[test]
fn a_finished_run_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let first = train(&train_args(&path, 8)).unwrap();
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    let second = train(&train_args(&path, 8)).unwrap();
    assert_eq!((first.resumed_from_update, second.resumed_from_update), (0, 8));
    assert_eq!(first.run_sha256, second.run_sha256);
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
}

#[test]
fn what_cannot_be_continued_is_refused_and_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    train(&train_args(&path, 8)).unwrap();
    let good = fs::read(&path).unwrap();
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 1;
    for (bytes, updates, message) in [
        (&good[..], 9, "the checkpoint belongs to another run: schedule.warmup_cosine.updates"),
        (&good[..], 3, "the checkpoint belongs to another run"),
        (&damaged, 8, "damaged"),
        (&good[..good.len() - 1], 8, ""),
        (&[], 8, ""),
        (b"\xff\xfe not a checkpoint", 8, ""),
    ] {
        fs::write(&path, bytes).unwrap();
        let command = Some(Command::Train(train_args(&path, updates)));
        let error = run(&Args { command }).map(|_: Report| ()).unwrap_err();
        assert!(format!("{error:#}").contains(message), "{error:#}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error:#}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    let error = train(&train_args(&folder.path().join("new"), 3)).unwrap_err();
    assert!(format!("{error:#}").contains("updates is 3"), "{error:#}");
    assert!(train(&train_args(folder.path(), 8)).is_err());
}
