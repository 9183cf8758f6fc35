//! Settings from a file and from flags.

use std::path::Path;

use anyhow::Context;
use llm_chapter_kit::read_at_most;

use super::{ScheduleName, Settings};

/// Most bytes of a settings file: a thousand times a long one.
const MOST_BYTES: u64 = 1 << 20;

impl Settings {
    /// The settings of the file, if there is one, under those of the flags.
    ///
    /// Paths in the file start at the file's folder, paths in flags at the current one.
    pub(in super::super) fn load(file: Option<&Path>, flags: &Self) -> anyhow::Result<Self> {
        let Some(path) = file else { return Ok(flags.clone()) };
        let mut settings = Self::read(path)?;
        settings.start_paths_at(path.parent().unwrap_or(Path::new("")));
        settings.forget_parts_of(flags);
        let mut table = toml::Table::try_from(settings)?;
        lay_over(&mut table, toml::Table::try_from(flags).context("flags")?);
        Ok(table.try_into()?)
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let text = String::from_utf8(read_at_most(path, MOST_BYTES)?)
            .with_context(|| format!("{name} is no text"))?;
        let at_line = |error: toml::de::Error| {
            let before = error.span().map_or("", |span| &text[..span.start]);
            let number = before.matches('\n').count();
            let line = text.lines().nth(number).unwrap_or_default().trim();
            anyhow::anyhow!("{name}, line {}, `{line}`: {}", number + 1, error.message())
        };
        // Numbers beyond those of TOML are found here.
        toml::from_str::<toml::Table>(&text).map_err(at_line)?;
        toml::from_str(&text).map_err(at_line)
    }

    /// A flag that chooses something as a whole also replaces what the file says about its parts.
    fn forget_parts_of(&mut self, flags: &Self) {
        let Self { tokenizer, model, training, .. } = self;
        if flags.tokenizer.artifact.is_some() {
            (tokenizer.vocab_size, tokenizer.pretokenizer) = (None, None);
        }
        if flags.tokenizer.vocab_size.is_some() || flags.tokenizer.pretokenizer.is_some() {
            tokenizer.artifact = None;
        }
        if flags.model.preset.is_some() {
            let sizes = [&mut model.context_len, &mut model.d_model, &mut model.n_layers];
            let heads = [&mut model.n_heads, &mut model.n_kv_heads, &mut model.head_dim];
            sizes.into_iter().chain(heads).chain([&mut model.d_ff]).for_each(|size| *size = None);
        }
        match flags.training.schedule {
            Some(ScheduleName::Constant) => {
                (training.warmup_updates, training.floor_rate) = (None, None);
            }
            Some(ScheduleName::Warmup) => training.floor_rate = None,
            Some(ScheduleName::WarmupCosine) | None => {}
        }
    }

    fn start_paths_at(&mut self, folder: &Path) {
        let files = self.data.files.iter_mut().flatten();
        let paths = files.chain(&mut self.out).chain(&mut self.tokenizer.artifact);
        paths.for_each(|path| *path = folder.join(&path));
    }
}

/// Replaces what `upper` gives; settings that it does not give are absent in it.
fn lay_over(lower: &mut toml::Table, upper: toml::Table) {
    for (key, value) in upper {
        match (lower.get_mut(&key), value) {
            (Some(toml::Value::Table(lower)), toml::Value::Table(upper)) => lay_over(lower, upper),
            (_, value) => drop(lower.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::train::settings::Preset;

    const EXAMPLE: &str = include_str!("../../../../../../docs/run.toml");

    /// Settings that are shown but not made are behind a `# `.
    #[test]
    fn the_documented_file_has_every_setting() {
        let all: String = EXAMPLE
            .lines()
            .map(|line| line.strip_prefix("# ").unwrap_or(line).to_owned() + "\n")
            .collect();
        let settings = all.split_once("out = ").map(|(_, rest)| format!("out = {rest}")).unwrap();
        let settings: Settings = toml::from_str(&settings).unwrap();
        let json = serde_json::to_value(settings).unwrap();
        let missing =
            |(key, value): (&String, &serde_json::Value)| value.is_null().then(|| key.clone());
        let object = |value: &serde_json::Value| value.as_object().unwrap().clone();
        let missing: Vec<String> = (object(&json).iter().filter_map(missing))
            .chain(["data", "tokenizer", "model", "training", "evaluation"].iter().flat_map(
                |section| object(&json[section]).iter().filter_map(missing).collect::<Vec<_>>(),
            ))
            .collect();
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn a_flag_for_the_whole_replaces_the_parts_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        let file = "[tokenizer]\nvocab_size = 300\n[model]\nd_model = 7\nrope_base = 5.0\n\
                    [training]\nfloor_rate = 0.1\nwarmup_updates = 3";
        std::fs::write(&path, file).unwrap();
        let mut flags = Settings::default();
        assert_eq!(Settings::load(Some(&path), &flags).unwrap().model.d_model, Some(7));

        flags.model.preset = Some(Preset::Small);
        flags.tokenizer.artifact = Some("t.json".into());
        flags.training.schedule = Some(ScheduleName::Warmup);
        let settings = Settings::load(Some(&path), &flags).unwrap();
        assert_eq!((settings.model.d_model, settings.model.rope_base), (None, Some(5.0)));
        assert_eq!(settings.tokenizer, flags.tokenizer);
        let training = settings.training;
        assert_eq!((training.floor_rate, training.warmup_updates), (None, Some(3)));

        std::fs::write(&path, "[tokenizer]\nartifact = \"t.json\"").unwrap();
        flags.tokenizer.artifact = None;
        flags.tokenizer.vocab_size = Some(300);
        assert_eq!(Settings::load(Some(&path), &flags).unwrap().tokenizer, flags.tokenizer);
    }
}
