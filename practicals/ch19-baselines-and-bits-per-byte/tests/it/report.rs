//! The report: what must hold for every language and seed, and what holds for these documents.

use std::f64::consts::LN_2;

use practical_ch19_baselines_and_bits_per_byte::{Args, ModelReport, run};

use crate::support::{default_args, default_report};

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

fn model(name: &str) -> &'static ModelReport {
    default_report().models.iter().find(|row| row.model == name).unwrap()
}

#[test]
fn the_language_has_the_entropy_of_its_choices() {
    // Consonants 2.696824 bits, vowels 1.846439; four syllables, a stem (1.846439), an end
    // (0.721928) per sentence of 17 bytes; five sentences.
    let sentence = 4.0 * (2.696_824 + 1.846_439) + 1.846_439 + 0.721_928;
    let language = &default_report().language;
    assert_near(language.entropy_bits_per_document, 5.0 * sentence, 1e-4);
    assert_near(language.bytes_per_document, 85.0, 1e-9);
    assert_near(language.entropy_bits_per_byte, sentence / 17.0, 1e-5);
    assert_eq!((language.train[0], language.held_out[0]), (48, 20));
}

#[test]
fn a_uniform_model_costs_the_logarithm_of_the_vocabulary() {
    let uniform = model("uniform");
    assert_near(uniform.held_out_nats_per_token, 258_f64.ln(), 1e-12);
    assert_near(uniform.held_out_perplexity, 258.0, 1e-9);
    assert_eq!(uniform.held_out_top_1_error, 1.0); // every tie broken against it
    let [documents, bytes] = default_report().language.held_out;
    let targets = (bytes + documents) as f64; // an end token each
    assert_near(uniform.held_out_bits_per_byte, 258_f64.log2() * targets / bytes as f64, 1e-12);
}

#[test]
fn longer_contexts_fit_the_training_documents_ever_better_and_then_others_worse() {
    let additive =
        ["unigram, add 0.01", "bigram, add 0.01", "trigram, add 0.01", "5-gram, add 0.01"]
            .map(model);
    let falls = |pair: &[&ModelReport]| pair[1].train_bits_per_byte < pair[0].train_bits_per_byte;
    assert!(additive.windows(2).take(2).all(falls));
    let held_out = additive.map(|row| row.held_out_bits_per_byte);
    assert!(held_out[3] > held_out[2] + 0.3, "{held_out:?}");
    // Kneser-Ney borrows from shorter contexts and is the better 5-gram.
    assert!(model("5-gram, Kneser-Ney").held_out_bits_per_byte < held_out[3] - 0.3);
    let kept = additive.map(|row| row.kept_ngrams.unwrap());
    assert!(kept.is_sorted());
}

#[test]
fn no_model_gets_below_the_source_on_documents_that_it_has_not_seen() {
    let report = default_report();
    let source = report.models.last().unwrap();
    assert_eq!((source.model, source.above_the_source), ("the source itself", 0.0));
    let (_, others) = report.models.split_last().unwrap();
    assert!(others.iter().all(|row| row.above_the_source > 0.05), "{others:?}");
    // 20 documents are a small sample: the source itself is near its entropy, not on it.
    let entropy = report.language.entropy_bits_per_byte;
    assert_near(source.held_out_bits_per_byte, entropy, 0.1);
    // On the training documents a long memory goes below what the source needs.
    assert!(model("5-gram, Kneser-Ney").train_bits_per_byte < source.train_bits_per_byte);
}

#[test]
fn the_decoder_beats_the_unigram() {
    let decoder = model("decoder");
    assert!(decoder.held_out_bits_per_byte < model("unigram, add 0.01").held_out_bits_per_byte);
}

#[test]
fn compressors_are_helped_by_company() {
    for row in &default_report().compressors {
        assert!(row.all_joined < row.each_document_alone, "{row:?}");
        assert!(row.after_the_training_documents < row.all_joined, "{row:?}");
        assert!(row.after_the_training_documents > default_report().language.entropy_bits_per_byte);
    }
}

#[test]
fn windows_score_every_target_once_and_stride_one_is_brute_force() {
    let windows = &default_report().windows;
    assert!(windows.stride_1_equals_one_by_one);
    assert!(windows.ids > windows.window, "the document is longer than a window");
    for row in &windows.strides {
        assert_eq!(row.scored_tokens, windows.ids as u64 - 1);
        let beyond = windows.ids - windows.window;
        assert_eq!(row.windows, 1 + beyond.div_ceil(row.stride) as u64);
        let read = row.scored_tokens + row.context_only_tokens;
        let last = beyond - (row.windows as usize - 2) * row.stride; // new ids of the last window
        let all = (row.windows as usize * windows.window - (row.stride - last)) as u64;
        assert_eq!(read, all, "{row:?}");
        assert!(row.least_context >= Some(windows.window - row.stride));
    }
    assert!(windows.plan[0].contains("stride 12"), "{:?}", windows.plan);
}

#[test]
fn bytes_add_up_and_the_two_ways_to_bits_per_byte_agree() {
    let bytes = &default_report().bytes;
    assert_eq!((bytes.scored_bytes, bytes.targets), (bytes.bytes, bytes.bytes + 1));
    assert_near(bytes.total_nats / (LN_2 * bytes.bytes as f64), bytes.bits_per_byte, 1e-12);
    assert_near(bytes.bits_per_token * bytes.tokens_per_byte, bytes.bits_per_byte, 1e-12);
    assert!(bytes.bits_per_byte_text_only < bytes.bits_per_byte);
}

#[test]
fn fewer_tokens_of_the_same_bytes_cost_more_each() {
    let [bytes, pairs] = &default_report().tokenizers[..] else { panic!() };
    assert_eq!(bytes.held_out_bytes, pairs.held_out_bytes);
    assert!(pairs.held_out_tokens < bytes.held_out_tokens);
    assert!(pairs.nats_per_token > bytes.nats_per_token);
    for row in [bytes, pairs] {
        let nats = row.nats_per_token * row.held_out_tokens as f64;
        assert_near(row.bits_per_byte, nats / LN_2 / row.held_out_bytes as f64, 1e-12);
    }
}

#[test]
fn documents_really_become_as_many_bits_as_they_surprise() {
    let rows = &default_report().coding;
    let models: Vec<&str> = rows.iter().map(|row| row.model).collect();
    assert_eq!(models, ["bigram, add 1", "trigram, add 0.01", "decoder", "the source itself"]);
    for row in rows {
        assert!(row.decoded, "{row:?}");
        assert!(row.code_bits as f64 <= row.surprisal_bits + 2.0, "{row:?}");
        assert!(row.code_bits as f64 > row.surprisal_bits - 1.0, "{row:?}");
        assert!(row.code_bits < row.text_bits);
    }
}

#[test]
fn the_surprises_of_the_tokens_are_those_of_the_document() {
    let report = default_report();
    let coded = report.coding.iter().find(|row| row.model == "decoder").unwrap();
    let (head, rows) = report.surprise.split_at(2);
    assert!(head[0].starts_with(&coded.document), "{head:?}");
    assert_eq!(rows.len() as u64, coded.text_bits / 8 + 1); // a token per byte, and the end
    let bits = rows.iter().map(|row| row.split_whitespace().next().unwrap().parse::<f64>());
    let total: f64 = bits.map(Result::unwrap).sum();
    // Each line is rounded to two decimals.
    assert_near(total, coded.surprisal_bits, 0.005 * rows.len() as f64);
    assert!(rows.last().unwrap().contains("⟨end⟩"));
}

#[test]
fn a_seed_gives_one_report() {
    let small = |seed| {
        let few = Args { train_documents: 4, held_out_documents: 2, updates: 3, ..default_args() };
        run(&Args { seed, ..few }).unwrap()
    };
    assert_eq!(small(7), small(7));
    assert_ne!(small(7).language, small(8).language);
}
