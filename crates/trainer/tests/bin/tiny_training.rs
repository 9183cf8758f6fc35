//! Trains until the end, from the last checkpoint if there is one: `tiny-training PATH UPDATES
//! EVERY PAUSE`. The pause, in milliseconds after each update, gives the tests time to kill it.

#[path = "../tiny_run/mod.rs"]
mod tiny_run;

use std::num::NonZeroU64;
use std::thread::sleep;
use std::time::Duration;

use llm_trainer::{Checkpoints, Run};
use tiny_run::{config, documents, fresh, model_config};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, updates, every, pause] = &arguments[..] else {
        return Err("usage: tiny-training PATH UPDATES EVERY PAUSE".into());
    };
    let (updates, every, pause) = (updates.parse()?, every.parse::<NonZeroU64>()?, pause.parse()?);
    let documents = documents();
    let mut run = Run::resume_or_start(path, config(updates), &documents, model_config(), fresh)?;
    let checkpoints = Checkpoints { path: path.into(), every };
    run.train_until(updates, &checkpoints, |_| sleep(Duration::from_millis(pause)))?;
    Ok(())
}
