//! Time of learning merges from a text and of encoding that text with them.
//!
//! `cargo run --release -p llm-from-scratch-practical --example tokenizer_speed -- RULE VOCABULARY FILE [RUNS]`
//! prints two JSON lines. RULE is gpt2 (the text is cut by the rule of GPT-2 first) or raw (it is
//! not). VOCABULARY counts bytes and merges. The documents of FILE are separated by blank lines.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod speed;

use llm_from_scratch_practical::tokenizer;

use speed::Timing;
use tokenizer::{Pretokenizer, Tokenizer, TrainingConfig, WeightedDocument, train};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rule, vocabulary, file] = arguments.get(..3).map(|a| [&a[0], &a[1], &a[2]]).expect(USAGE);
    let runs = arguments.get(3).map_or(3, |runs| runs.parse().expect("a number of runs"));
    let pretokenizer = match rule.as_str() {
        "gpt2" => Pretokenizer::Gpt2,
        "raw" => Pretokenizer::None,
        _ => panic!("{USAGE}"),
    };
    let vocabulary: usize = vocabulary.parse().expect("a size of the vocabulary");
    let text = std::fs::read_to_string(file).expect("a text file");
    let documents: Vec<&str> = text.split_inclusive("\n\n").collect();
    let weighted: Vec<_> =
        documents.iter().map(|text| WeightedDocument::once(text.as_bytes())).collect();
    let merges = vocabulary.checked_sub(256).expect("a vocabulary of 256 or more");
    let config = TrainingConfig { merges, minimum_count: 1, pretokenizer };

    let mut learned = Vec::new();
    let training = Timing::of(runs, || learned = train(&weighted, &config).expect("a short text"));
    let tokenizer = Tokenizer::from_training(&learned, pretokenizer).expect("what was learned");
    let mut tokens = 0;
    let encoding = Timing::of(runs, || {
        let encode = |text: &&str| tokenizer.encode(text.as_bytes()).expect("every byte is known");
        tokens = documents.iter().map(|text| encode(text).len()).sum();
    });
    for (operation, timing) in [("train", training), ("encode", encoding)] {
        println!(
            "{}",
            serde_json::json!({
                "bench": "bpe",
                "impl": "llm-from-scratch",
                "op": operation,
                "variant": rule,
                "vocab": vocabulary,
                "file": file,
                "bytes": text.len(),
                "docs": documents.len(),
                "threads": speed::threads(),
                "s": timing.seconds(),
                "MBps": text.len() as f64 / timing.median / 1e6,
                "tokens": tokens,
                "peak_mib": speed::peak_mib(),
            })
        );
    }
}

const USAGE: &str = "usage: tokenizer_speed gpt2|raw VOCABULARY FILE [RUNS]";
