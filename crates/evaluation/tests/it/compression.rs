//! Documents really compressed: back they come, at the price of their surprisal.

use std::num::NonZeroUsize;

use llm_baselines::{BigramModel, NgramModel, Smoothing};
use llm_corpus::{Document, EncodedDocument, Partition};
use llm_evaluation::{
    FramedDocument, Framing, LanguageModel, Place, RecordSummary, ScoreError, WindowRule,
    collect_records, compress, decompress,
};
use llm_metrics::nats_to_bits;
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::chapter_four_tokenizer;
use proptest::prelude::*;

use crate::models::{Broken, all_models, framed, ids};

const TRAINING: [&str; 2] =
    ["the other day the weather turned", "there the river turns and the road ends"];
const TEXT: &str = "then the other river turned over the road, and the day ends there";

/// Compresses, compares the size with the summed surprisal, and decompresses.
fn round_trip(model: &dyn LanguageModel, document: &FramedDocument, rule: WindowRule) -> u64 {
    let documents = std::slice::from_ref(document);
    let (records, _) = collect_records(model, documents, rule, NonZeroUsize::MIN).unwrap();
    let metrics = RecordSummary::from_records(records).unwrap().metrics().unwrap();
    let surprisal = nats_to_bits(metrics.total_nll());
    let code = compress(model, document.id(), document.ids(), rule).unwrap();
    assert!((code.bits as f64 - surprisal).abs() <= 2.0, "{} bits, {surprisal}", code.bits);
    assert_eq!(code.bytes.len() as u64, code.bits.div_ceil(8));
    assert_eq!(decompress(model, document.id(), &code, rule).unwrap(), document.ids());
    code.bits
}

#[test]
fn bigram_trigram_and_decoder_compress_a_text_to_its_surprisal() {
    let tokenizer = chapter_four_tokenizer();
    let vocab_size = tokenizer.vocab_size();
    let encode = |text: &&str| {
        EncodedDocument::encode(&Document::new(*text, Partition::Train, *text), &tokenizer).unwrap()
    };
    let train: Vec<_> = TRAINING.iter().map(encode).collect();
    let bigram = BigramModel::fit(vocab_size, &train).unwrap();
    let kneser_ney = Smoothing::KneserNey { discount: 0.75 };
    let trigram = NgramModel::fit(vocab_size, 3, kneser_ney, &train).unwrap();
    let config = DecoderConfig::reference(vocab_size, 16).validate().unwrap();
    let decoder = DecoderModel::<f32>::initialize(config, 39);

    let text = Document::new("text", Partition::Test, TEXT);
    let document = FramedDocument::encode(&text, &tokenizer, Framing::DOCUMENT).unwrap();
    let windows = WindowRule { window: 17, stride: 8, bos_per_window: false };
    let copied = WindowRule { bos_per_window: true, ..windows };
    let models: [&dyn LanguageModel; 3] = [&bigram, &trigram, &decoder];
    let bits = models.map(|model| {
        round_trip(model, &document, copied);
        round_trip(model, &document, windows)
    });
    assert!(bits[1] < bits[0] && bits[0] < bits[2], "{bits:?}"); // the decoder has learned nothing
    assert!(bits[1] < 8 * TEXT.len() as u64);
}

#[test]
fn an_over_fitted_model_is_charged_next_to_nothing_for_what_it_knows_by_heart() {
    let text = framed("d", &[0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1]);
    let train = [EncodedDocument::from_ids("d", Partition::Train, text.ids().to_vec()).unwrap()];
    let by_heart = NgramModel::fit(11, 2, Smoothing::AddK { k: 1e-12 }, &train).unwrap();
    assert_eq!(round_trip(&by_heart, &text, WindowRule::WHOLE), 2);
}

#[test]
fn a_target_thought_impossible_comes_back_and_costs_at_most_48_bits() {
    for log_probability in [-60.0, -1e300, f64::NEG_INFINITY] {
        let ids = [0, 7, 2, 1]; // 2 after 7, which `Broken` gives this log-probability
        let code = compress(&Broken(log_probability), "d", &ids, WindowRule::WHOLE).unwrap();
        assert!((48..=48 + 8 + 2).contains(&code.bits), "{}", code.bits); // 2 log2 11 < 8
        let back = decompress(&Broken(log_probability), "d", &code, WindowRule::WHOLE).unwrap();
        assert_eq!(back, ids);
    }
}

#[test]
fn another_start_is_another_document_and_no_ids_are_refused() {
    let model = NgramModel::uniform(4).unwrap();
    let code = compress(&model, "d", &[3], WindowRule::WHOLE).unwrap();
    assert_eq!((code.first, code.target_count, code.bits), (3, 0, 2));
    assert_eq!(decompress(&model, "d", &code, WindowRule::WHOLE).unwrap(), [3]);
    let none = compress(&model, "d", &[], WindowRule::WHOLE);
    assert!(matches!(none, Err(ScoreError::Code { .. })));
}

#[test]
fn broken_rows_and_unknown_ids_are_refused_with_their_place() {
    let rule = WindowRule { window: 3, stride: 1, bos_per_window: false };
    for value in [f64::NAN, 0.5, f64::INFINITY] {
        let error = compress(&Broken(value), "d", &[0, 2, 3, 7, 4, 1], rule).unwrap_err();
        let ScoreError::NonFinite { place, .. } = error else { panic!("{error}") };
        assert_eq!(place, Place::Document { document: "d".into(), position: 4 });
    }
    for position in 1..4 {
        let mut ids = [0, 2, 3, 1];
        ids[position] = 11;
        let error = compress(&Broken(-3.0), "d", &ids, WindowRule::WHOLE).unwrap_err();
        let ScoreError::Request { place, .. } = error else { panic!("{error}") };
        assert_eq!(place, Place::Document { document: "d".into(), position });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_document_comes_back_under_any_model_in_any_windows(
        ids in ids(2..30),
        window in 2usize..8,
        stride in 1usize..7,
        bos_per_window in any::<bool>(),
    ) {
        let rule = WindowRule { window, stride: stride.min(window - 1), bos_per_window };
        for model in all_models() {
            round_trip(&*model, &framed("d", &ids), rule);
        }
    }
}
