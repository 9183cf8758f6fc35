//! AdamW, clipping, schedules and token-weighted accumulated updates.
