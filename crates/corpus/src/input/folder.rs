//! A folder of texts.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{InputDocument, InputError, InputProblem};

pub(super) fn read(folder: &Path) -> Result<Vec<InputDocument>, InputError> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let documents: Vec<_> =
        files.iter().map(|file| document(folder, file)).collect::<Result<_, _>>()?;
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

/// A file as the document that is called by its path below the folder.
fn document(folder: &Path, file: &Path) -> Result<InputDocument, InputError> {
    let text = fs::read(file)
        .map_err(|problem| InputError { path: file.to_owned(), problem: problem.into() })?;
    let below = file.strip_prefix(folder).unwrap_or(file);
    let names: Vec<_> = below.components().map(Component::as_os_str).collect();
    let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
    let mut document = InputDocument::text(names.join("/"), text);
    document.domain =
        names.split_last().and_then(|(_, folders)| folders.first()).map(ToString::to_string);
    Ok(document)
}
