//! What `save` has to do; both files beside this one are tested with it.

use super::save;
use std::fs;
use std::io::{self, Write};

fn folder_and_path() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    (folder, path)
}

fn disk_full() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "the disk is full")
}

#[test]
fn a_new_file_and_its_successor_have_what_was_written() {
    let (_folder, path) = folder_and_path();
    for text in ["first and longer", "second"] {
        save(&path, |file| file.write_all(text.as_bytes())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn the_old_file_is_there_until_the_new_one_is_complete() {
    let (_folder, path) = folder_and_path();
    fs::write(&path, "old").unwrap();
    save(&path, |file| {
        file.write_all(b"half of the ")?;
        assert_eq!(fs::read_to_string(&path)?, "old"); // what a crash here would leave
        file.write_all(b"new")
    })
    .unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "half of the new");
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let (folder, path) = folder_and_path();
    fs::write(&path, "old").unwrap();
    let error = save(&path, |file| file.write_all(b"half").and(Err(disk_full()))).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_first_save_that_fails_leaves_nothing() {
    let (folder, path) = folder_and_path();
    save(&path, |_| Err(disk_full())).unwrap_err();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
