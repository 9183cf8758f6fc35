//! The facade: every crate of the course as a module.
