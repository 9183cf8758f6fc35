//! Chapter 16.
fn main() {}
