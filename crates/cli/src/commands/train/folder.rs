//! The folder of a run: which file is what.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use llm_chapter_kit::with_causes;
use practical::archive::verify;
use practical::corpus::{CorpusManifest, Document};
use practical::tokenizer::Tokenizer;

use super::data::Data;
use crate::documents::{save, save_json};
use crate::model::at;

/// Documents of a changed corpus that an error message names.
const SHOWN: usize = 3;

/// The files of a run, in the order in which they appear.
const FILES: [&str; 10] = [
    LOG,
    "corpus.json",
    "tokenizer.json",
    "validation.jsonl",
    "overlap.json",
    CHECKPOINT,
    "best.safetensors",
    "loss.svg",
    "model.safetensors",
    "report.json",
];

const LOG: &str = "log.jsonl";
const CHECKPOINT: &str = "checkpoint.safetensors";

/// What the log of every run begins with.
const LOG_HEAD: &[u8] = br#"{"type":"start""#;

/// The folder of a run.
pub(super) struct Folder {
    path: PathBuf,
    /// Whether a run in it is to go on.
    pub(super) resumes: bool,
}

impl Folder {
    /// Looks whether a run can start here, or go on. Nothing is written yet.
    ///
    /// # Errors
    /// If there are files that a run would replace, unless they are of a run that is to go on. One that
    /// was ended before its first checkpoint goes on from its beginning.
    pub(super) fn at(path: &Path, resume: bool) -> anyhow::Result<Self> {
        let path = short(path);
        let folder = path.display();
        let is_there = |name: &&str| path.join(name).symlink_metadata().is_ok();
        let there: Vec<&str> = FILES.into_iter().filter(is_there).collect();
        if let Some(&name) = there.first() {
            ensure!(
                resume,
                "{folder} has a {name} already: go on with that run by --resume, or give another --out"
            );
            ensure!(
                name == LOG,
                "{folder} has a {name} but no {LOG}, so it is not of a run: give another --out"
            );
        }
        let resumes = there.contains(&CHECKPOINT);
        // Models come behind the first checkpoint: they are results of a run that lost its own.
        let mut results = FILES.into_iter().skip_while(|&name| name != CHECKPOINT);
        if !resumes && let Some(name) = results.find(|name| there.contains(name)) {
            bail!(
                "{folder} has a {name} but no {CHECKPOINT} to go on from: bring it back, or give \
                 another --out"
            );
        }
        Ok(Self { path, resumes })
    }

    /// Creates what is missing, and opens the log for this process alone.
    ///
    /// # Errors
    /// If another process trains here.
    pub(super) fn open(&mut self) -> anyhow::Result<File> {
        let creating = || format!("cannot create the folder {}", self.path.display());
        fs::create_dir_all(&self.path).with_context(creating)?;
        self.path = short(&self.path);
        let path = self.path.join(LOG);
        let mut options = File::options();
        let log = options.create(true).truncate(false).read(true).write(true).open(&path);
        let log = log.with_context(|| format!("cannot write {}", path.display()))?;
        ensure!(
            log.try_lock().is_ok(),
            "another process trains in {}: give another --out",
            self.path.display()
        );
        if !self.resumes {
            demand_log_of_a_run(&log).with_context(|| path.display().to_string())?;
        }
        Ok(log)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Everything that the next update depends on.
    pub(super) fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// The model after the last update.
    pub(super) fn model(&self) -> PathBuf {
        self.path.join("model.safetensors")
    }

    /// The model with the lowest loss on the validation documents.
    pub(super) fn best(&self) -> PathBuf {
        self.path.join("best.safetensors")
    }

    pub(super) fn figure(&self) -> PathBuf {
        self.path.join("loss.svg")
    }

    pub(super) fn report(&self) -> PathBuf {
        self.path.join("report.json")
    }

    fn tokenizer(&self) -> PathBuf {
        self.path.join("tokenizer.json")
    }

    fn manifest(&self) -> PathBuf {
        self.path.join("corpus.json")
    }

    /// Refuses, by name, documents that were changed since the run began.
    pub(super) fn demand_same_documents(&self, documents: &[Document]) -> anyhow::Result<()> {
        if !self.resumes {
            return Ok(());
        }
        let path = self.manifest();
        let name = || path.display().to_string();
        let manifest = fs::read(&path).with_context(|| format!("cannot read {}", name()))?;
        let manifest = CorpusManifest::from_json(&manifest).with_context(name)?;
        let changes = manifest.differences(documents);
        let shown = changes.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        ensure!(
            changes.is_empty(),
            "the documents have changed since the run began ({} change(s): {shown}): bring them back, or \
             start another run with another --out",
            changes.len()
        );
        Ok(())
    }

    /// Refuses a tokenizer that is not the one that the run began with.
    pub(super) fn demand_same_tokenizer(&self, tokenizer: &Tokenizer) -> anyhow::Result<()> {
        let path = self.tokenizer();
        let same = !self.resumes
            || fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?
                == tokenizer.to_json();
        ensure!(
            same,
            "the tokenizer is not the one that the run began with, {}: bring back its vocab_size, \
             pretokenizer or artifact, or start another run with another --out",
            path.display()
        );
        Ok(())
    }

    /// Refuses to go on beside a best model that is damaged or missing. The run does not read it, so
    /// nobody would notice before it is needed, and no later update makes it again.
    pub(super) fn demand_whole_best(&self) -> anyhow::Result<()> {
        let path = self.best();
        verify(&path, |_| ()).map_err(|error| {
            let error = with_causes(&at(&path, error));
            anyhow!("{error}; bring back this run's own, or start another run with another --out")
        })?;
        Ok(())
    }

    /// Writes what is known before the first update: the list of documents, those for validation
    /// with their texts, what the sides share, the tokenizer.
    pub(super) fn write_data(&self, data: &Data) -> anyhow::Result<()> {
        // Of a run that had no checkpoint yet.
        for name in FILES.into_iter().filter(|name| *name != LOG) {
            match fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot replace {name}"));
                }
                _ => {}
            }
        }
        save(&self.manifest(), &data.manifest.to_json())?;
        save(&self.tokenizer(), &data.tokenizer.to_json())?;
        if let Some(lines) = &data.validation_lines {
            save(&self.path.join("validation.jsonl"), lines.as_bytes())?;
        }
        if let Some(report) = &data.overlap {
            save_json(&self.path.join("overlap.json"), report)?;
        }
        Ok(())
    }
}

/// Refuses to write over a file that only has the name of a log. A run that was killed may have left
/// a part of its first line.
fn demand_log_of_a_run(mut log: &File) -> anyhow::Result<()> {
    let mut head = Vec::new();
    log.take(LOG_HEAD.len() as u64).read_to_end(&mut head)?;
    ensure!(LOG_HEAD.starts_with(&head), "is not the log of a run: give another --out");
    Ok(log.rewind()?)
}

/// The shortest way to write the path of a folder, if it exists: settings and their file may lead to it
/// by detours.
fn short(path: &Path) -> PathBuf {
    let Ok(full) = path.canonicalize() else { return path.to_owned() };
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    match here.ok().and_then(|here| full.strip_prefix(here).ok().map(Path::to_owned)) {
        Some(below) if !below.as_os_str().is_empty() => below,
        _ => full,
    }
}
