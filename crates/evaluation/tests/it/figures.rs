//! Every figure of `testdata/figures.json`, recomputed from its inputs.
//!
//! A case names a computation, gives its inputs and says what must come out. Adding a case needs no
//! Rust; a quantity that no computation produces fails.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use llm_baselines::NgramModel;
use llm_corpus::{Document, Partition};
use llm_evaluation::{
    FramedDocument, Framing, RecordSummary, ScoreError, ScoreRequest, StartToken, WindowRule,
    collect_records,
};
use llm_metrics::{MetricSummary, nats_to_bits, random_guess_bits, random_guess_nats};
use llm_tokenizer::{Pretokenizer, Tokenizer, TokenizerArtifact};
use serde_json::{Value, json};

use crate::models::framed;
use crate::numbers::{document, summary};

type Quantities = BTreeMap<&'static str, Value>;

macro_rules! quantities {
    ($($name:literal: $value:expr),+ $(,)?) => {
        Quantities::from([$(($name, json!($value))),+])
    };
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn count(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("no count: {value}")) as usize
}

fn pair<T>(value: &Value, read: fn(&Value) -> T) -> [T; 2] {
    [read(&value[0]), read(&value[1])]
}

/// Records of a document with so many equal tokens, all bytes on the first one.
fn equal_tokens(nats: f64, tokens: usize, bytes: usize) -> RecordSummary {
    let mut targets = vec![(nats, 0); tokens];
    targets[0].1 = bytes as u64;
    summary(document("d", &targets))
}

fn per_byte(summary: &RecordSummary) -> f64 {
    summary.bits_per_byte().unwrap().unwrap()
}

fn windows(case: &Value) -> Quantities {
    let [ids, window, stride] = ["ids", "window", "stride"].map(|key| count(&case[key]));
    let plan = match (WindowRule { window, stride, bos_per_window: false }).plan(ids) {
        Ok(plan) => plan,
        Err(error) => {
            assert!(matches!(error, ScoreError::Window { .. }), "{error}");
            // What windows one after the other would lose: the first id of each but the first.
            let starts = (stride..ids).step_by(stride.max(1));
            let lost: Vec<usize> = if stride == window { starts.collect() } else { vec![] };
            return quantities! { "refused": true, "never_scored": lost };
        }
    };
    quantities! {
        "refused": false,
        "starts": plan.windows().map(|window| window.start).collect::<Vec<_>>(),
        "windows": plan.window_count(),
        "targets": plan.target_count(),
        "context_only": plan.context_only_count(),
        "least_context": plan.least_context(),
    }
}

fn answers(case: &Value) -> Quantities {
    let ids: Vec<u32> = (0..count(&case["ids"]) as u32).collect();
    let model = NgramModel::uniform(ids.len()).unwrap();
    let request = ScoreRequest { ids: &ids, first_target: 1 };
    let scores = llm_evaluation::LanguageModel::score(&model, &[request]).unwrap();
    quantities! { "scores": scores[0].len() }
}

fn uniform(case: &Value) -> Quantities {
    let model = NgramModel::uniform(count(&case["vocab_size"])).unwrap();
    let rule = WindowRule { window: 5, stride: 3, bos_per_window: false };
    let document = [framed("d", &[0, 7, 1, 3, 3, 6, 2])];
    let (records, _) = collect_records(&model, &document, rule, NonZeroUsize::MIN).unwrap();
    let summary = summary(records);
    quantities! {
        "nats": summary.nats_per_token().unwrap(),
        "bits": summary.bits_per_token().unwrap(),
        "perplexity": summary.perplexity().unwrap(),
    }
}

fn loss(case: &Value) -> Quantities {
    let nats = number(&case["nats"]);
    let summary = equal_tokens(nats, count(&case["tokens"]), count(&case["bytes"]));
    let (bits, compressor) = (per_byte(&summary), number(&case["compressor_bits_per_byte"]));
    quantities! {
        "bits_per_byte": bits,
        "perplexity": summary.perplexity().unwrap(),
        "beats_uniform": nats < random_guess_nats(count(&case["uniform_over"])).unwrap(),
        "beats_compressor": bits < compressor,
        "compressor_gap": compressor - bits,
    }
}

fn order(case: &Value) -> Quantities {
    let nats = pair(&case["nats"], number);
    let [tokens, bytes] = ["tokens", "bytes"].map(|key| pair(&case[key], count));
    let [first, second] = [0, 1].map(|i| per_byte(&equal_tokens(nats[i], tokens[i], bytes[i])));
    quantities! {
        "first_is_better_per_token": nats[0] < nats[1],
        "first_is_better_per_byte": first < second,
    }
}

/// Whether a perplexity and a loss can be prints of one value: the intervals behind them overlap.
fn prints(case: &Value) -> Quantities {
    let perplexity = |nats| MetricSummary::from_total_nll(nats, 1).unwrap().perplexity();
    let [lowest, highest] = pair(&case["nats"], number).map(perplexity);
    let [from, to] = pair(&case["perplexity"], number);
    quantities! {
        "possible": lowest < to && from < highest,
        "lowest": lowest,
        "highest": highest,
        "in_words": lowest.floor(),
    }
}

fn special(case: &Value) -> Quantities {
    let nats = case["nats"].as_array().unwrap().iter().map(number);
    let bytes = case["bytes"].as_array().unwrap().iter().map(|bytes| count(bytes) as u64);
    let targets: Vec<(f64, u64)> = nats.zip(bytes).collect();
    let summary = summary(document("d", &targets));
    quantities! {
        "text_only": summary.bits_per_byte_text_only().unwrap(),
        "all": per_byte(&summary),
    }
}

fn pooled(case: &Value) -> Quantities {
    let nats = pair(&case["nats"], number);
    let [tokens, bytes] = ["tokens", "bytes"].map(|key| pair(&case[key], count));
    let mut records = Vec::new();
    let mut alone = Vec::new();
    for (i, name) in ["a", "b"].into_iter().enumerate() {
        let mut targets = vec![(nats[i], 0); tokens[i]];
        targets[0].1 = bytes[i] as u64;
        let targets = document(name, &targets);
        alone.push(per_byte(&summary(targets.clone())));
        records.extend(targets);
    }
    let (pooled, mean) = (per_byte(&summary(records)), (alone[0] + alone[1]) / 2.0);
    quantities! { "pooled": pooled, "mean_of_both": mean, "differ": pooled != mean }
}

fn bytes(case: &Value) -> Quantities {
    let text = case["text"].as_str().unwrap();
    let artifact = TokenizerArtifact::trained(vec![], Pretokenizer::None);
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    let framing = Framing { start_token: StartToken::Bos, end_token: true };
    let document = Document::new("d", Partition::Test, text);
    let documents = [FramedDocument::encode(&document, &tokenizer, framing).unwrap()];
    let model = NgramModel::uniform(tokenizer.vocab_size()).unwrap();
    let run = collect_records(&model, &documents, WindowRule::WHOLE, NonZeroUsize::MIN).unwrap();
    let per_character = random_guess_bits(258).unwrap() * run.0.len() as f64;
    let found = summary(run.0).bits_per_character(text.chars().count() as u64).unwrap();
    assert!((found - per_character).abs() < 1e-12);
    quantities! {
        "characters": text.chars().count(),
        "bytes": documents[0].byte_count(),
        "scored_bytes": run.1.scored_bytes,
    }
}

/// One total over two denominators: what a wrong count of bytes does to a published number.
fn rescaled(case: &Value) -> Quantities {
    let [wrong, right] = ["bytes", "right_bytes"].map(|key| count(&case[key]));
    let nats = number(&case["bits_per_byte"]) * wrong as f64 * std::f64::consts::LN_2;
    let summary = equal_tokens(nats, 1, right);
    assert!((nats_to_bits(nats) / right as f64 - per_byte(&summary)).abs() < 1e-12);
    quantities! { "bits_per_byte": per_byte(&summary) }
}

fn compute(case: &Value) -> Quantities {
    match case["compute"].as_str().unwrap() {
        "windows" => windows(case),
        "answers" => answers(case),
        "uniform" => uniform(case),
        "loss" => loss(case),
        "order" => order(case),
        "prints" => prints(case),
        "special" => special(case),
        "pooled" => pooled(case),
        "bytes" => bytes(case),
        "rescaled" => rescaled(case),
        other => panic!("no computation {other}"),
    }
}

/// Whether a quantity is what the file says: a truth value, or numbers within a tolerance.
fn agrees(found: &Value, expected: &Value) -> bool {
    let list = |value: &Value| match value {
        Value::Array(list) => list.iter().map(number).collect::<Vec<_>>(),
        one => vec![number(one)],
    };
    let Value::Array(value_and_tolerance) = expected else { return found == expected };
    let (found, wanted) = (list(found), list(&value_and_tolerance[0]));
    let tolerance = number(&value_and_tolerance[1]);
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance;
    found.len() == wanted.len() && found.iter().zip(&wanted).all(near)
}

#[test]
fn every_stored_figure_comes_out_within_its_tolerance() {
    let file: Value = serde_json::from_str(include_str!("../../testdata/figures.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let mut complaints = Vec::new();
    let mut checked = 0;
    for case in cases {
        let found = compute(case);
        for (quantity, expected) in case["expect"].as_object().unwrap() {
            let value = found.get(quantity.as_str());
            if !value.is_some_and(|value| agrees(value, expected)) {
                let name = &case["name"];
                complaints.push(format!("{name}: {quantity} is {value:?}, expected {expected}"));
            }
            checked += 1;
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert_eq!((cases.len(), checked), (20, 58), "the file lost or gained figures");
}
