use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// Both kinds of draft must keep every promise.
type Create = fn(&Folder) -> io::Result<Draft>;
const DRAFTS: [(&str, Create); 2] = [("best", Draft::create), ("named", Draft::named)];

fn put(path: &Path, create: Create, bytes: &[u8]) -> io::Result<()> {
    replace(path, create, |file| file.write_all(bytes))
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn a_file_is_created_and_replaced_and_nothing_else_is_left() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let path = folder.path().join("model");
        for content in [&b"first"[..], b"", b"the third is longer"] {
            put(&path, create, content).expect(draft);
            assert_eq!(fs::read(&path).expect("saved"), content, "{draft}");
            assert_eq!(names(folder.path()), ["model"], "{draft}");
        }
    }
}

#[test]
fn an_error_leaves_the_old_file_and_nothing_else() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let path = folder.path().join("model");
        let fail = |file: &mut dyn Write| {
            file.write_all(&[7; 100_000])?;
            Err(io::ErrorKind::StorageFull.into())
        };
        let error = replace(&path, create, fail).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{draft}");
        assert!(names(folder.path()).is_empty(), "{draft}");

        put(&path, create, b"old").expect(draft);
        replace(&path, create, fail).unwrap_err();
        assert_eq!(fs::read(&path).expect("still there"), b"old", "{draft}");
        assert_eq!(names(folder.path()), ["model"], "{draft}");
    }
}

#[test]
fn a_panic_while_writing_leaves_nothing() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let path = folder.path().join("model");
        let unwound = std::panic::catch_unwind(|| {
            replace(&path, create, |_| panic!("a bug of the caller, part of the test"))
        });
        assert!(unwound.is_err());
        assert!(names(folder.path()).is_empty(), "{draft}");
    }
}

#[test]
fn the_name_appears_only_when_the_content_is_complete() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let path = folder.path().join("model");
        put(&path, create, b"old").expect(draft);
        replace(&path, create, |file| {
            file.write_all(&[7; 100_000])?;
            assert_eq!(fs::read(&path)?, b"old", "{draft}");
            Ok(())
        })
        .expect(draft);
        assert_eq!(fs::read(&path).expect("saved").len(), 100_000, "{draft}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_nameless_draft_is_not_in_the_folder() {
    let folder = folder();
    let open = Folder::open(folder.path()).expect("a folder");
    let draft = Draft::create(&open).expect("a draft");
    if matches!(draft, Draft::Nameless(_)) {
        assert!(names(folder.path()).is_empty());
    }
    let named = Draft::named(&open).expect("a draft");
    assert_eq!(names(folder.path()).len(), 1);
    drop(named);
    assert!(names(folder.path()).is_empty());
}

/// What a kill between link and rename leaves, see `Draft::publish`.
#[cfg(target_os = "linux")]
#[test]
fn the_next_replacing_save_removes_what_a_kill_left() {
    let folder = folder();
    let path = folder.path().join("model");
    put(&path, Draft::create, b"1").expect("writable");
    fs::write(folder.path().join(draft::SHARED_NAME), b"left").expect("writable");
    put(&path, Draft::create, b"2").expect("writable");
    assert_eq!(fs::read(&path).expect("saved"), b"2");
    let open = Folder::open(folder.path()).expect("a folder");
    if matches!(Draft::create(&open), Ok(Draft::Nameless(_))) {
        assert_eq!(names(folder.path()), ["model"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_locked_by_somebody_else_does_not_stop_a_save() {
    let folder = folder();
    let path = folder.path().join("model");
    let lock = File::open(folder.path()).expect("a folder");
    lock.lock().expect("nobody else holds it");
    for content in [b"1", b"2"] {
        put(&path, Draft::create, content).expect("writable");
        assert_eq!(fs::read(&path).expect("saved"), content);
    }
    assert_eq!(names(folder.path()), ["model"]);
}

#[test]
fn permissions_are_those_of_a_new_file() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode();
        let plain = folder.path().join("plain");
        fs::write(&plain, b"").expect("writable");
        let path = folder.path().join("model");
        put(&path, create, b"1").expect(draft);
        assert_eq!(mode(&path), mode(&plain), "{draft}");

        // Also where a file with other permissions is replaced.
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("ours");
        put(&path, create, b"2").expect(draft);
        assert_eq!(mode(&path), mode(&plain), "{draft}");
    }
}

#[test]
fn missing_folders_are_created() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let path = folder.path().join("a/b/c/model");
        put(&path, create, b"1").expect(draft);
        assert_eq!(names(&folder.path().join("a/b/c")), ["model"], "{draft}");
    }
}

#[test]
fn what_is_not_a_file_is_refused_and_stays() {
    let folder = folder();
    let inner = folder.path().join("folder");
    fs::create_dir(&inner).expect("writable");
    fs::write(folder.path().join("file"), b"").expect("writable");
    symlink(&inner, folder.path().join("link")).expect("writable");
    symlink("nowhere", folder.path().join("dangling")).expect("writable");
    let before = names(folder.path());

    let cases = [
        ("folder", io::ErrorKind::IsADirectory),
        ("link", io::ErrorKind::IsADirectory),
        ("folder/..", io::ErrorKind::IsADirectory),
        ("missing/", io::ErrorKind::InvalidInput),
        ("missing/..", io::ErrorKind::InvalidInput),
        ("dangling", io::ErrorKind::NotFound),
        ("file/model", io::ErrorKind::NotADirectory),
        ("file/", io::ErrorKind::NotADirectory),
    ];
    for (name, kind) in cases {
        let path = folder.path().join(name);
        for (draft, create) in DRAFTS {
            let error = put(&path, create, b"1").unwrap_err();
            assert_eq!(error.kind(), kind, "{draft} {name}: {error}");
        }
        let asked = check_writable(&path);
        assert!(matches!(&asked, Err(ArchiveError::Io { source, .. }) if source.kind() == kind));
    }
    assert_eq!(names(folder.path()), before);
    assert!(names(&inner).is_empty());
    for path in ["/dev/null", "/", "", "..", "."] {
        assert!(put(Path::new(path), Draft::create, b"1").is_err(), "{path}");
    }
}

#[test]
fn asking_for_a_place_writes_nothing_there() {
    let folder = folder();
    let path = folder.path().join("a/b/model");
    check_writable(&path).expect("writable");
    assert!(names(&folder.path().join("a/b")).is_empty());
    put(&path, Draft::create, b"old").expect("writable");
    check_writable(&path).expect("writable");
    assert_eq!(fs::read(&path).expect("still there"), b"old");
    assert_eq!(names(&folder.path().join("a/b")), ["model"]);
}

#[test]
fn a_symbolic_link_is_followed_and_stays() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let real = folder.path().join("elsewhere");
        fs::create_dir(&real).expect("writable");
        fs::write(real.join("model"), b"old").expect("writable");
        let link = folder.path().join("link");
        symlink("elsewhere/model", &link).expect("writable");

        put(&link, create, b"new").expect(draft);
        assert!(link.is_symlink(), "{draft}");
        assert_eq!(fs::read(real.join("model")).expect("there"), b"new", "{draft}");
        assert_eq!(names(folder.path()), ["elsewhere", "link"], "{draft}");
        assert_eq!(names(&real), ["model"], "{draft}");
    }
}

#[test]
fn the_longest_name_can_be_written() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let path = folder.path().join("n".repeat(255));
        put(&path, create, b"1").expect(draft);
        put(&path, create, b"2").expect(draft);
        assert!(put(&folder.path().join("n".repeat(256)), create, b"3").is_err(), "{draft}");
        assert_eq!(names(folder.path()).len(), 1, "{draft}");
    }
}

#[test]
fn saving_the_same_path_from_many_threads_leaves_one_complete_file() {
    for (draft, create) in DRAFTS {
        let folder = folder();
        let path = folder.path().join("model");
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..5 {
                        put(path, create, &[thread; 50_000]).expect(draft);
                    }
                });
            }
        });
        let content = fs::read(&path).expect("saved");
        assert_eq!(content, [content[0]; 50_000], "{draft}");
        assert_eq!(names(folder.path()), ["model"], "{draft}");
    }
}

/// A file system that refuses every new file even to the administrator.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_files_is_an_error() {
    for (draft, create) in DRAFTS {
        assert!(put(Path::new("/proc/self/model"), create, b"1").is_err(), "{draft}");
    }
    let error = write_atomically("/proc/self/model", |_| Ok(())).unwrap_err();
    assert!(matches!(&error, ArchiveError::Io { action: "write", .. }));
    assert_eq!(error.to_string(), "cannot write /proc/self/model");
}
