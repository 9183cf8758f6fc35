//! The choice between this machine and a container, and the call of docker.

use crate::sandbox::{Sandbox, repository};
use std::fs;

const PRINT_RUNNER: [&str; 4] = ["run", "bash", "-c", "echo ${COURSE_RUNNER:-here}"];

/// Where a command runs: `here`, or `native` as the container is told.
fn place(sandbox: &Sandbox) -> String {
    let outcome = sandbox.course(&PRINT_RUNNER);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    outcome.stdout.trim().into()
}

#[test]
fn the_version_decides_number_by_number() {
    for version in ["1.95.0", "1.95.1", "1.96.0-nightly", "1.100.0", "2.0.0"] {
        assert_eq!(place(&Sandbox::new().with_cargo(version).with_docker()), "here", "{version}");
    }
    for version in ["1.94.9", "1.9.99", "0.99.0", "not a version"] {
        assert_eq!(place(&Sandbox::new().with_cargo(version).with_docker()), "native", "{version}");
    }
}

#[test]
fn a_machine_without_cargo_uses_the_container() {
    assert_eq!(place(&Sandbox::new().with_docker()), "native");
}

#[test]
fn the_runner_can_be_chosen() {
    let sandbox = Sandbox::new().with_cargo("1.95.0").with_docker();
    assert_eq!(place(&sandbox), "here");
    assert_eq!(sandbox.calls("docker"), [""; 0]);
    let sandbox = sandbox.with("COURSE_RUNNER", "docker");
    assert_eq!(place(&sandbox), "native");
    assert_eq!(sandbox.calls("docker run").len(), 1);
}

#[test]
fn a_runner_that_does_not_exist_is_wrong_usage() {
    let sandbox = Sandbox::new().with_cargo("1.95.0").with("COURSE_RUNNER", "podman");
    for arguments in [&["run", "pwd"][..], &["test"], &["list"], &["doctor"]] {
        let outcome = sandbox.course(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
        assert_eq!(
            outcome.stderr,
            "course: COURSE_RUNNER is 'podman', expected 'native' or 'docker'\n"
        );
    }
}

#[test]
fn without_cargo_and_docker_the_message_says_how_to_get_them() {
    let too_old = Sandbox::new().with_cargo("1.80.0");
    let forced = Sandbox::new().with_docker().with("COURSE_RUNNER", "native");
    for (sandbox, found) in [
        (Sandbox::new(), "is not installed"),
        (too_old, "1.80.0 is too old"),
        (forced, "is not installed"),
    ] {
        let outcome = sandbox.course(&["run", "pwd"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (127, ""));
        let expected = format!("course: cargo {found}, 1.95 is needed: ");
        assert!(outcome.stderr.starts_with(&expected), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("https://rustup.rs"), "{}", outcome.stderr);
    }
    let outcome = Sandbox::new().with("COURSE_RUNNER", "docker").course(&["run", "pwd"]);
    assert_eq!(outcome.code, 127);
    assert!(outcome.stderr.contains("no docker command"), "{}", outcome.stderr);
}

#[test]
fn a_daemon_that_does_not_answer_is_reported() {
    let outcome =
        Sandbox::new().with_docker().with("FAKE_DOCKER", "broken").course(&["run", "pwd"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""));
    assert!(outcome.stderr.contains("could not build the container image"), "{}", outcome.stderr);
}

#[test]
fn output_input_and_exit_code_pass_through_the_container() {
    let sandbox = Sandbox::new().with_docker();
    let outcome = sandbox.course_reading(&["run", "bash", "-c", "pwd; cat; exit 42"], "abc");
    let expected = format!("{}\nabc", sandbox.repository().display());
    assert_eq!((outcome.code, outcome.stdout), (42, expected));
}

#[test]
fn the_container_fetches_once_into_the_repository() {
    let sandbox = Sandbox::new().with_docker();
    let script = "cargo build --offline --locked; cargo run";
    for _ in 0..2 {
        let outcome = sandbox.course(&["run", "bash", "-euc", script]);
        assert_eq!(outcome.stdout, "cargo did: build --offline --locked\ncargo did: run\n");
    }
    assert_eq!(sandbox.calls("cargo fetch --locked").len(), 1);
    assert!(sandbox.repository().join("target/container/cargo/fetched").exists());
}

#[test]
fn the_image_is_built_once_for_each_dockerfile() {
    let sandbox = Sandbox::new().with_docker();
    for _ in 0..2 {
        sandbox.course(&["run", "pwd"]);
    }
    assert_eq!(sandbox.calls("docker build").len(), 1);
    fs::write(sandbox.repository().join("Dockerfile"), "FROM rust:1.96-slim\n").unwrap();
    sandbox.course(&["run", "pwd"]);
    assert_eq!(sandbox.calls("docker build").len(), 2);
}

#[test]
fn the_container_sees_the_repository_as_the_caller() {
    let sandbox = Sandbox::new().with_docker();
    sandbox.course(&["run", "pwd"]);
    let call = sandbox.calls("docker run").remove(0);
    let root = sandbox.repository().display().to_string();
    for option in [format!(" --volume={root}:{root} "), format!(" --workdir={root} ")] {
        assert!(call.contains(&option), "{option} in {call}");
    }
    let user = sandbox.course(&["run", "bash", "-c", "echo --user=$(id -u):$(id -g)"]).stdout;
    assert!(call.contains(user.trim()), "{user} in {call}");
    assert!(!call.contains(" --tty "), "no terminal is connected: {call}");
    assert!(call.ends_with(" ./course run pwd"), "{call}");
}

#[test]
fn settings_of_the_caller_reach_the_container() {
    let sandbox = Sandbox::new().with_docker().with("LLM_KERNELS", "portable").with("OTHER", "1");
    let script = "echo ${LLM_KERNELS:-unset} ${RAYON_NUM_THREADS:-unset} ${OTHER:-unset}";
    assert_eq!(sandbox.course(&["run", "bash", "-c", script]).stdout, "portable unset unset\n");
}

#[test]
fn the_dockerfile_has_the_rust_version_of_the_workspace() {
    let read =
        |name| fs::read_to_string(repository().join(name)).expect("a file of this repository");
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("\nrust-version = \"").expect("it is stated");
    let (version, _) = rest.split_once('"').expect("it ends");
    let image = format!("\nFROM rust:{version}-slim\n");
    assert!(read("Dockerfile").contains(&image), "expected {image:?} in the Dockerfile");
}
