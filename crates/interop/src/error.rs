//! Everything that importing and exporting refuse.

use std::io;
use std::path::{Path, PathBuf};

use llm_archive::ArchiveError;
use llm_model::ModelError;
use llm_tokenizer::TokenizerError;

/// Why a model was not imported or exported. Every message begins with the file it is about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InteropError {
    /// The file system said no: no such file, no permission, a folder where a file should be.
    #[error("{path}: cannot be read", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file that is damaged or is not what its name says.
    #[error("{path}: {problem}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What was found and what belongs there.
        problem: String,
    },
    /// A good file that asks for something this decoder or tokenizer does not do. Ignoring it would
    /// give other numbers than the model's own, so it is refused.
    #[error("{path}: {what} is {given}, supported: {supported}", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The key or part, for example `` `rope_scaling` ``.
        what: String,
        /// What it says.
        given: String,
        /// What would be read.
        supported: String,
    },
    /// A tensor that is missing, unknown, or not as the configuration asks.
    #[error("{path}: tensor `{tensor}` {problem}", path = path.display())]
    Tensor {
        /// The file it is in, or should be in.
        path: PathBuf,
        /// Its name there.
        tensor: String,
        /// What was found and what was expected.
        problem: String,
    },
    /// Sizes that no decoder can have.
    #[error("{path}", path = path.display())]
    Model {
        /// The configuration file.
        path: PathBuf,
        /// Which size.
        source: ModelError,
    },
    /// A vocabulary that contradicts itself.
    #[error("{path}", path = path.display())]
    Tokenizer {
        /// The tokenizer's file.
        path: PathBuf,
        /// Which rule is broken.
        source: TokenizerError,
    },
    /// A model or tokenizer of ours that the other format cannot express.
    #[error("cannot be exported: {problem}")]
    Inexpressible {
        /// What the other format lacks.
        problem: String,
    },
    /// The target is there already and would be mixed with other files.
    #[error("{path}: {problem}", path = path.display())]
    Target {
        /// The folder or file.
        path: PathBuf,
        /// Why nothing is written to it.
        problem: &'static str,
    },
    /// The archive that holds the imported model, or a file that could not be written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl InteropError {
    /// Whether a Hugging Face folder is refused because of its tokenizer. The model alone may be good:
    /// see [`ImportOptions::tokenizer`](crate::hugging_face::ImportOptions::tokenizer).
    pub fn is_about_tokenizer(&self) -> bool {
        let (Self::Io { path, .. }
        | Self::Malformed { path, .. }
        | Self::Unsupported { path, .. }
        | Self::Tokenizer { path, .. }) = self
        else {
            return false;
        };
        path.ends_with("tokenizer.json") || path.ends_with("tokenizer_config.json")
    }

    pub(crate) fn reading(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }

    pub(crate) fn malformed(path: &Path, problem: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_path_buf(), problem: problem.into() }
    }

    pub(crate) fn unsupported(
        path: &Path,
        what: impl Into<String>,
        given: impl Into<String>,
        supported: impl Into<String>,
    ) -> Self {
        let (what, given, supported) = (what.into(), given.into(), supported.into());
        Self::Unsupported { path: path.to_path_buf(), what, given, supported }
    }

    pub(crate) fn tensor(path: &Path, tensor: &str, problem: impl Into<String>) -> Self {
        let (tensor, problem) = (tensor.to_owned(), problem.into());
        Self::Tensor { path: path.to_path_buf(), tensor, problem }
    }

    pub(crate) fn inexpressible(problem: impl Into<String>) -> Self {
        Self::Inexpressible { problem: problem.into() }
    }
}
