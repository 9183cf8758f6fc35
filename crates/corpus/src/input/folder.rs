//! All files of a folder.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{InputDocument, InputError, InputFormat, InputProblem, read_file};

pub(super) fn read(folder: &Path, format: InputFormat) -> Result<Vec<InputDocument>, InputError> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let mut documents = Vec::new();
    for file in files {
        documents.extend(documents_of(folder, &file, format)?);
    }
    if documents.is_empty() {
        return Err(InputError { path: folder.to_owned(), problem: InputProblem::Empty });
    }
    Ok(documents)
}

/// Adds the files in `folder` and below it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), InputError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |problem: std::io::Error| InputError { path, problem: problem.into() }
    };
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let entry = entry.map_err(at(folder))?;
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if entry.file_type().map_err(at(&path))?.is_dir() {
            collect(&path, files)?;
            continue;
        }
        let target = fs::metadata(&path).map_err(at(&path))?;
        if target.is_file() {
            files.push(path);
        } else if !target.is_dir() {
            // Reading a pipe without a writer would never end.
            return Err(InputError { path, problem: InputProblem::NotAFile });
        }
    }
    Ok(())
}

/// The documents of one file. A text is called by its path below the folder, and so is the beginning
/// of a record's id, since two files may use the same ones.
fn documents_of(
    folder: &Path,
    file: &Path,
    format: InputFormat,
) -> Result<Vec<InputDocument>, InputError> {
    let below = file.strip_prefix(folder).unwrap_or(file).components().map(Component::as_os_str);
    let names: Vec<_> = below.map(|name| name.to_string_lossy()).collect();
    let domain = names.split_last().and_then(|(_, folders)| folders.first());
    let name = names.join("/");
    let mut documents = read_file(file, &name, format)?;
    for document in &mut documents {
        if format.is_lines(file) {
            document.id = format!("{name}/{}", document.id);
        }
        document.domain = document.domain.take().or(domain.map(ToString::to_string));
    }
    Ok(documents)
}
