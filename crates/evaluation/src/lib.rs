//! Frozen scoring of batches, and what refuses to be scored.
