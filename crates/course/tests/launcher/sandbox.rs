//! A copy of the launcher in a temporary folder, on a machine that has just what a test gives it.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The standard tools that the launcher and the fakes may use. Neither cargo nor docker nor cc.
const TOOLS: [&str; 15] = [
    "awk", "bash", "cat", "cksum", "cut", "df", "dirname", "env", "id", "mkdir", "mktemp", "pwd",
    "rm", "sed", "touch",
];

/// The root of the real repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// What a call of the launcher left behind.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A temporary repository and the machine around it.
pub(crate) struct Sandbox {
    folder: TempDir,
    path: Vec<PathBuf>,
    variables: Vec<(String, String)>,
}

impl Sandbox {
    /// A machine with the standard tools and nothing else.
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it exists");
        for name in ["repository", "home", "images", "tools"] {
            fs::create_dir(root.join(name)).expect("a writable temporary folder");
        }
        for name in ["course", "Cargo.toml", "Cargo.lock", "Dockerfile"] {
            fs::copy(repository().join(name), root.join("repository").join(name))
                .expect("the repository has this file");
        }
        for name in TOOLS {
            link_tool(&root.join("tools"), name).expect("a standard tool");
        }
        let mut sandbox = Self { folder, path: vec![root.join("tools")], variables: Vec::new() };
        let text = |path: PathBuf| path.into_os_string().into_string().expect("paths are UTF-8");
        sandbox.set("HOME", &text(root.join("home")));
        sandbox.set("CARGO_HOME", &text(root.join("home/.cargo")));
        sandbox.set("FAKE_LOG", &text(root.join("log")));
        sandbox.set("FAKE_IMAGES", &text(root.join("images")));
        let image_path = format!("{}:{}", text(root.join("tools")), text(fake("cargo")));
        sandbox.set("FAKE_IMAGE_PATH", &image_path);
        sandbox
    }

    /// Adds a cargo that says it is `version`.
    pub(crate) fn with_cargo(mut self, version: &str) -> Self {
        self.path.push(fake("cargo"));
        self.with("FAKE_CARGO_VERSION", version)
    }

    /// Adds docker.
    pub(crate) fn with_docker(mut self) -> Self {
        self.path.push(fake("docker"));
        self
    }

    /// Adds the tools of the real machine, such as cc and git, where there is no fake.
    pub(crate) fn with_real_tools(mut self) -> Self {
        let path = std::env::var_os("PATH").expect("a machine has a PATH");
        self.path.extend(std::env::split_paths(&path));
        self
    }

    /// Sets an environment variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.into(), value.into()));
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists")
    }

    /// The temporary repository.
    pub(crate) fn repository(&self) -> PathBuf {
        self.root().join("repository")
    }

    /// The calls of the fakes so far that begin with `start`, one a line.
    pub(crate) fn calls(&self, start: &str) -> Vec<String> {
        let log = fs::read_to_string(self.root().join("log")).unwrap_or_default();
        log.lines().filter(|line| line.starts_with(start)).map(str::to_owned).collect()
    }

    /// The launcher, not started yet, called from another folder.
    ///
    /// It is handed to bash and not started itself: a file that was just written can be busy for a
    /// moment, because another test's child process may still hold it open.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.root().join("tools/bash"));
        command.arg(self.repository().join("course")).args(arguments);
        command.current_dir(self.root().join("home")).env_clear();
        command.env("PATH", std::env::join_paths(&self.path).expect("no colons in our paths"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Calls the launcher and waits for it.
    pub(crate) fn course(&self, arguments: &[&str]) -> Outcome {
        self.course_reading(arguments, "")
    }

    /// Calls the launcher with `input` as its standard input and waits for it.
    pub(crate) fn course_reading(&self, arguments: &[&str], input: &str) -> Outcome {
        let mut stdin = tempfile::tempfile().expect("a temporary file");
        stdin.write_all(input.as_bytes()).expect("a writable temporary file");
        stdin.seek(SeekFrom::Start(0)).expect("a file can be rewound");
        let output = self
            .command(arguments)
            .stdin(Stdio::from(stdin))
            .output()
            .expect("bash starts the launcher");
        Outcome {
            code: output.status.code().expect("the launcher exits"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

/// The folder of a stand-in program.
fn fake(name: &str) -> PathBuf {
    repository().join("crates/course/tests/fakes").join(name).canonicalize().expect("it exists")
}

/// Makes the tool of this machine that is called `name` available in `folder`.
fn link_tool(folder: &Path, name: &str) -> Option<()> {
    let path = std::env::var_os("PATH")?;
    let tool = std::env::split_paths(&path).map(|place| place.join(name)).find(|f| f.is_file())?;
    symlink(tool, folder.join(name)).ok()
}
