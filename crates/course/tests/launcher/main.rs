//! `./course` itself, the bash file at the top, on machines with and without cargo and docker.

#![cfg(unix)]

mod checks;
mod container;
mod run;
mod sandbox;
