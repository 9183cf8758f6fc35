//! Results on disk, by the digest of their contract.
//!
//! A cache that is asked for "this text" answers for the wrong model sooner or later. The key here is
//! the digest of the whole contract: weights, tokenizer, code version, documents, every rule. What
//! is found is read like any result, and its contract must be the one that was asked for;
//! otherwise it is not an answer, and the result is computed again.
//!
//! The code version is the package's version and [`SCORING_REVISION`](super::SCORING_REVISION), a
//! number that people raise, not a digest of the code: whoever changes the arithmetic and has not run the
//! tests yet gets the scores of the code before.

use std::fs;
use std::io;
use std::path::PathBuf;

use llm_archive::write_atomically;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Contract, ContractError, Rules};

/// A result that carries the contract it was made under, in its file too.
pub trait UnderContract: Serialize + DeserializeOwned {
    /// How it was measured.
    type Conditions: Rules;

    /// The rules behind its numbers.
    fn contract(&self) -> &Contract<Self::Conditions>;
}

/// A folder of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultCache {
    folder: PathBuf,
}

impl ResultCache {
    /// The cache in a folder, which is created when something is stored.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn path(&self, contract: &Contract<impl Rules>) -> PathBuf {
        self.folder.join(format!("{}.json", contract.sha256()))
    }

    /// The stored result under this contract. A damaged file is as good as none.
    ///
    /// # Errors
    /// [`ContractError::File`] if the folder cannot be read.
    pub fn get<R: UnderContract>(
        &self,
        contract: &Contract<R::Conditions>,
    ) -> Result<Option<R>, ContractError> {
        let path = self.path(contract);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ContractError::file(&path, error)),
        };
        let stored = serde_json::from_slice::<R>(&bytes).ok();
        Ok(stored.filter(|result| result.contract() == contract))
    }

    /// The stored result, or else the one that `compute` gives, which is then stored.
    ///
    /// # Errors
    /// What `compute` returns; [`ContractError::File`] if the folder cannot be read or written.
    pub fn get_or_compute<R: UnderContract, E: From<ContractError>>(
        &self,
        contract: &Contract<R::Conditions>,
        compute: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        if let Some(result) = self.get(contract)? {
            return Ok(result);
        }
        let result = compute()?;
        if result.contract() != contract {
            let problem = "is not the one whose result was asked for";
            return Err(ContractError::invalid("the computed result's contract", problem).into());
        }
        let path = self.path(contract);
        let json =
            serde_json::to_vec(&result).map_err(|error| ContractError::file(&path, error))?;
        write_atomically(&path, |file| file.write_all(&json))
            .map_err(|error| ContractError::file(&path, error))?;
        Ok(result)
    }
}
