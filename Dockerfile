# A place to work for machines without Rust: `./course run ...` builds and uses this image when no
# recent enough cargo is installed (or with COURSE_RUNNER=docker). The repository itself is mounted,
# not copied, so the image changes only with this file.
#
# The version is that of `rust-version` in Cargo.toml; a test of crates/course compares them. The
# slim image brings gcc and the C library's files for linking; its toolchain is the minimal one.
FROM rust:1.95-slim
RUN rustup component add rustfmt clippy
