//! Everything that can be wrong with a line.

use std::io;

/// Where reading stopped, and why.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct JsonlError {
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: JsonlProblem,
}

/// What is wrong with a line. Texts from the file are cut off after 80 characters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonlProblem {
    /// The file cannot be read on.
    #[error("cannot be read: {0}")]
    Io(io::Error),
    /// More than the reader was told to take.
    #[error("more than {limit} {what}: split the file, or raise the limit if it is right")]
    Limit {
        /// What is counted.
        what: &'static str,
        /// The most of it.
        limit: u64,
    },
    /// Something that other programs add or that has no place in text.
    #[error("has {what}: {hint}")]
    Unwanted {
        /// What was found.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Not text.
    #[error("byte {byte} of the line is not valid UTF-8: convert the file to UTF-8")]
    InvalidUtf8 {
        /// Its place in the line, from 1.
        byte: usize,
    },
    /// Not a JSON object, or one with a field given twice.
    #[error("is no JSON object of one document: {reason}")]
    Malformed {
        /// What the parser says.
        reason: String,
    },
    /// A field is not there.
    #[error("has no field \"{field}\", expected \"id\", \"text\" and \"split\"")]
    MissingField {
        /// The field.
        field: &'static str,
    },
    /// A field is no text.
    #[error("field \"{field}\" is {found}, expected a string")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A document for no partition.
    #[error("split {given:?} is unknown, expected \"train\", \"validation\" or \"test\"")]
    UnknownSplit {
        /// What was given.
        given: String,
    },
    /// Nothing, or only white space.
    #[error("the {what} is blank: remove the record or give it content")]
    Blank {
        /// `"line"`, `"id"` or `"text"`.
        what: &'static str,
    },
    /// An id that came before.
    #[error("id {id:?} was given in line {first_line} already: make ids unique")]
    DuplicateId {
        /// The id.
        id: String,
        /// Where it came first.
        first_line: u64,
    },
}
