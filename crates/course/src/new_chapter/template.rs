//! The files of a new chapter.
//!
//! The templates are a chapter themselves, number 0 with the name `my-topic` and the title "My
//! topic", so they can be read as they are. Writing a chapter replaces these words.

use std::fs;
use std::io;
use std::path::Path;

/// What a new chapter is called.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) title: String,
}

/// Path in the chapter's folder and text of each file.
macro_rules! templates {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../templates/chapter/", $path)))),*]
    };
}

const TEMPLATES: [(&str, &str); 10] = templates![
    "Cargo.toml",
    "README.md",
    "src/lib.rs",
    "src/main.rs",
    "tests/it/main.rs",
    "tests/it/lesson.rs",
    "tests/it/report.rs",
    "exercises/pooled-mean/start.rs",
    "exercises/pooled-mean/solution.rs",
    "exercises/pooled-mean/tests.rs",
];

impl Plan {
    /// `chNN-name`.
    pub(super) fn folder_name(&self) -> String {
        format!("ch{:02}-{}", self.number, self.name)
    }

    /// `practical-chNN-name`.
    pub(super) fn package(&self) -> String {
        format!("practical-{}", self.folder_name())
    }

    /// Writes all files into a new folder `chapter` of `parent`.
    pub(super) fn write(&self, parent: &Path) -> io::Result<()> {
        for (path, text) in TEMPLATES {
            let path = parent.join("chapter").join(path);
            fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
            fs::write(path, self.fill_in(text))?;
        }
        Ok(())
    }

    /// A template with this chapter's words. What is put in is not looked at again: names and titles
    /// may contain words of the templates.
    fn fill_in(&self, template: &str) -> String {
        let Plan { number, name, title } = self;
        let words = [
            ("practical_ch00_my_topic", self.package().replace('-', "_")),
            ("ch00", format!("ch{number:02}")),
            ("00-my-topic", format!("{number:02}-{name}")),
            ("my-topic", name.clone()),
            ("chapter = 0", format!("chapter = {number}")),
            ("Chapter 0", format!("Chapter {number}")),
            ("# 00 ", format!("# {number:02} ")),
            ("My topic", title.clone()),
        ];
        let mut text = String::new();
        let mut rest = template;
        let next = |rest: &str| {
            let found = words.iter().filter_map(|(from, to)| Some((rest.find(from)?, from, to)));
            found.min_by_key(|(at, ..)| *at)
        };
        while let Some((at, from, to)) = next(rest) {
            text.extend([&rest[..at], to]);
            rest = &rest[at + from.len()..];
        }
        text + rest
    }
}
