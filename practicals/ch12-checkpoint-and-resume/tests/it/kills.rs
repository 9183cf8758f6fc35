//! A training process killed at random moments ends with the same identity as one that is not.
//!
//! For Unix, where `Child::kill` sends SIGKILL, which no process can catch.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use llm_from_scratch_practical::archive::inspect;
use llm_from_scratch_practical::model::SplitMix64;
use practical_ch12_checkpoint_and_resume::Setup;

/// Updates between checkpoints.
const EVERY: u64 = 2;

fn train(path: &Path, updates: u64, pause_ms: u64) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_practical-ch12-checkpoint-and-resume"));
    command.arg("train").arg("--checkpoint").arg(path).stdout(Stdio::null());
    for (flag, value) in [("--updates", updates), ("--every", EVERY), ("--pause-ms", pause_ms)] {
        command.arg(flag).arg(value.to_string());
    }
    command.spawn().expect("the program that was built for this test")
}

/// Updates in the checkpoint at `path`, 0 if there is none. Whatever is there must be whole.
fn updates_at(path: &Path, updates: u64) -> u64 {
    if !path.exists() {
        return 0;
    }
    let setup = Setup::new(updates).expect("a possible run");
    setup.resume(path).expect("a whole checkpoint").trainer().updates()
}

/// Identity of the checkpoint and of the model in it.
fn identities(path: &Path, updates: u64) -> [String; 2] {
    let setup = Setup::new(updates).expect("a possible run");
    let run = setup.resume(path).expect("a whole checkpoint");
    assert_eq!(run.trainer().updates(), updates);
    let checkpoint = inspect(path).expect("whole").content_sha256().to_owned();
    assert_eq!(run.identity().expect("a run"), checkpoint);
    [checkpoint, setup.model_id(run.trainer().model()).expect("a finite model")]
}

/// Waits until the process has made a checkpoint since `before`; false if it has ended by itself.
fn has_progressed(child: &mut Child, path: &Path, before: u64, updates: u64) -> bool {
    loop {
        if let Some(status) = child.try_wait().expect("our child") {
            assert!(status.success(), "{status}");
            return false;
        }
        if updates_at(path, updates) > before {
            return true;
        }
        sleep(Duration::from_millis(1));
    }
}

/// Runs to the end again and again until `wanted` processes were killed on the way.
fn campaign(wanted: u64, updates: u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let whole = folder.path().join("whole");
    assert!(train(&whole, updates, 0).wait().expect("our child").success());
    let expected = identities(&whole, updates);

    // A new seed each time: moments of killing are no part of any result.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    let mut moments = SplitMix64::new(now.as_nanos() as u64);
    let (mut killed, mut runs) = (0, 0);
    while killed < wanted {
        runs += 1;
        let path = folder.path().join(format!("killed-{runs}"));
        loop {
            let before = updates_at(&path, updates);
            let mut child = train(&path, updates, 3);
            // Half of the kills may come before the first checkpoint of a process.
            let wait = killed % 2 == 0 || killed >= wanted;
            if wait && !has_progressed(&mut child, &path, before, updates) {
                break;
            }
            if killed < wanted {
                sleep(Duration::from_micros(moments.next_u64() % 20_000));
                child.kill().expect("our child");
            }
            let status = child.wait().expect("our child");
            assert!(updates_at(&path, updates) >= before, "a kill lost a finished checkpoint");
            if status.success() {
                break;
            }
            assert_eq!(status.signal(), Some(9), "it ended by itself: {status}");
            killed += 1;
        }
        assert_eq!(identities(&path, updates), expected, "run {runs}, {killed} kills");
    }
}

#[test]
fn a_run_killed_at_three_moments_ends_with_the_same_identity() {
    campaign(3, 40);
}

#[test]
#[ignore = "campaign: kills a training process at 25 random moments, about a minute"]
fn a_run_killed_at_25_moments_ends_with_the_same_identity() {
    campaign(25, 300);
}
