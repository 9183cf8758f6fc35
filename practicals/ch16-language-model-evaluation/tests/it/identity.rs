//! The identity of the saved model: one constant for all kernels, threads and profiles.

use crate::support::{default_report, json, program};

/// SHA-256 of the content of the seed-39 model after update 80. It changes only with the format's
/// version, the tokenizer, or the mathematics.
const SEED_39_MODEL: &str = "a3617db552f8f8fb7004241a9907c11cb788fbc1811e8b09e096ea64084b253f";

#[test]
fn the_seed_39_model_is_this_one() {
    assert_eq!(default_report().saved_first_seed_model.model_sha256, SEED_39_MODEL);
}

#[test]
fn kernels_and_threads_change_no_byte_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let run = |kernels: &str, threads: &str| {
        let mut program = program(folder.path());
        let output = program.env("LLM_KERNELS", kernels).env("RAYON_NUM_THREADS", threads).output();
        let output = output.unwrap();
        assert_eq!(json(&output)["saved_first_seed_model"]["model_sha256"], SEED_39_MODEL);
        output.stdout
    };
    let expected = run("portable", "1");
    for (kernels, threads) in [("", "1"), ("", "2"), ("", "3"), ("portable", "3")] {
        assert!(run(kernels, threads) == expected, "{kernels:?} with {threads} threads");
    }
}
