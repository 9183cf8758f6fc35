//! What a whole model costs: weights, bytes, distributions.

use llm_autograd::Tensor;
use llm_baselines::NgramModel;
use llm_corpus::{EncodedDocument, Partition};
use llm_evaluation::{LanguageModel, RowRequest};
use llm_model::{DecoderConfig, DecoderModel};
use llm_quantization::{
    ErrorTable, QuantizationError, QuantizedDecoder, WeightFormat, distribution_shift,
};
use proptest::prelude::*;

fn reference() -> DecoderModel<f64> {
    DecoderModel::initialize(DecoderConfig::reference(266, 8).validate().unwrap(), 39)
}

fn document(ids: &[u32]) -> EncodedDocument {
    EncodedDocument::from_ids("d", Partition::Test, ids.to_vec()).unwrap()
}

/// A model of a given parameter's values, for one parameter.
fn with_value(name: &str, change: impl Fn(&mut [f64])) -> DecoderModel<f64> {
    let mut model = reference();
    let parameter = model.parameters_mut().iter_mut().find(|p| p.name() == name).unwrap();
    change(parameter.value_mut());
    model
}

#[test]
fn the_bytes_of_the_reference_decoder_are_those_counted_by_hand() {
    // int8, channels * (inputs + 4): embedding 266 * 12, query, key, value and output 8 * 12 each, gate
    // and up 16 * 12 each, down 8 * 20, and 24 gains of 8 bytes:
    // 3192 + 384 + 384 + 160 + 192.
    // int4, channels * (inputs / 2 + 4), all with one block: 266 * 8, 4 * 8 * 8, 2 * 16 * 8, 8 * 12, 192.
    let model = reference();
    for (format, bytes) in [(WeightFormat::Int8, 4312), (WeightFormat::Int4, 2928)] {
        let quantized = QuantizedDecoder::quantize(&model, format).unwrap();
        let table = ErrorTable::new(&model, &quantized).unwrap();
        assert_eq!((quantized.byte_len(), table.bytes_after()), (bytes, bytes));
        assert_eq!(table.bytes_before(), 8 * 2792);
        let kept: Vec<&str> =
            table.tensors.iter().filter(|t| !t.quantized).map(|t| t.name.as_str()).collect();
        let gains = ["blocks.0.attention_norm.gain", "blocks.0.ffn_norm.gain", "final_norm.gain"];
        assert_eq!(kept, gains);
    }
}

#[test]
fn errors_of_a_tensor_are_those_worked_out_by_hand() {
    // Channels are columns of `query`: column 0 is 127, 0.25, 0, ... (scale 1, errors 0, -0.25, 0,
    // ...), every other column is zero. 64 elements:
    // rms = sqrt(0.0625 / 64) = 1/32, weights sqrt((16129 + 0.0625) / 64) = 15.8750307...
    let name = "blocks.0.attention.query.weight";
    let model = with_value(name, |value| {
        value.fill(0.0);
        (value[0], value[8]) = (127.0, 0.25);
    });
    let quantized = QuantizedDecoder::quantize(&model, WeightFormat::Int8).unwrap();
    let table = ErrorTable::new(&model, &quantized).unwrap();
    let tensor = table.tensors.iter().find(|tensor| tensor.name == name).unwrap();
    assert_eq!((tensor.max_abs, tensor.rms), (0.25, 1.0 / 32.0));
    assert!((tensor.relative_rms - (1.0 / 32.0) / 15.875_030_757_844).abs() < 1e-12);
    assert_eq!((tensor.bytes_before, tensor.bytes_after), (512, 96));
    assert_eq!(tensor.shape, [8, 8]);
}

#[test]
fn the_worst_tensors_come_first_and_kept_ones_never() {
    let model = with_value("blocks.0.ffn.up.weight", |value| {
        // One large weight in each channel leaves code 0 for all others.
        value[..16].fill(1.0);
        value[16..].fill(0.01);
    });
    let quantized = QuantizedDecoder::quantize(&model, WeightFormat::Int4).unwrap();
    let table = ErrorTable::new(&model, &quantized).unwrap();
    let worst = table.worst(100);
    assert_eq!(worst.len(), 8);
    assert!(worst.windows(2).all(|pair| pair[0].relative_rms >= pair[1].relative_rms));
    assert_eq!(table.worst(2), worst[..2]);
    let up = worst.iter().find(|tensor| tensor.name.ends_with("up.weight")).unwrap();
    assert_eq!(up.max_abs, 0.01);
}

#[test]
fn huge_and_tiny_weights_have_finite_errors() {
    for factor in [1e37, 1e-300] {
        let model = with_value("blocks.0.ffn.up.weight", |value| {
            value.iter_mut().for_each(|x| *x *= factor);
        });
        let quantized = QuantizedDecoder::quantize(&model, WeightFormat::Int8).unwrap();
        for tensor in ErrorTable::new(&model, &quantized).unwrap().tensors {
            assert!(tensor.rms.is_finite() && tensor.relative_rms <= 1.0 + 1e-12, "{tensor:?}");
        }
    }
}

#[test]
fn weights_that_are_not_finite_are_refused_with_their_parameter() {
    let model = with_value("blocks.0.ffn.up.weight", |value| value[17] = f64::NAN);
    let error = QuantizedDecoder::quantize(&model, WeightFormat::Int8).unwrap_err();
    let QuantizationError::Parameter { name, source } = &error else { panic!("{error}") };
    // Element 17 of [8, 16] is row 1, column 1.
    assert_eq!((name.as_str(), source.channel, source.input), ("blocks.0.ffn.up.weight", 1, 1));
    let model = with_value("final_norm.gain", |value| value[3] = f64::INFINITY);
    let error = QuantizedDecoder::quantize(&model, WeightFormat::Int8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameter `final_norm.gain`: element 3 is inf, expected a finite number"
    );
}

#[test]
fn a_quantized_decoder_scores_like_the_decoder_of_its_decoded_values() {
    let quantized = QuantizedDecoder::quantize(&reference(), WeightFormat::Int4).unwrap();
    let decoded = quantized.decode();
    let rows = |model: &dyn LanguageModel| {
        let mut rows = Vec::new();
        let requests = [RowRequest { ids: &[0, 99, 99], first: 1 }, RowRequest::next(&[0, 100])];
        model
            .visit_rows(&requests, &mut |row| {
                rows.push(row.log_probabilities.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
                Ok(())
            })
            .unwrap();
        rows
    };
    assert_eq!(rows(&quantized), rows(&decoded));
    assert_eq!(rows(&quantized).len(), 4);
    assert_eq!((quantized.vocab_size(), quantized.max_context()), (266, Some(8)));
    assert_eq!(quantized.identity(), format!("int4 as {}", decoded.identity()));
    let int8 = QuantizedDecoder::quantize(&reference(), WeightFormat::Int8).unwrap();
    assert_ne!(int8.identity(), quantized.identity());
}

#[test]
fn a_model_does_not_differ_from_itself() {
    let model = reference();
    let shift = distribution_shift(&model, &model, &[document(&[0, 99, 100, 1])]).unwrap();
    assert_eq!((shift.targets, shift.top_1_flips), (3, 0));
    assert_eq!((shift.mean_kl_nats, shift.largest_kl_nats), (0.0, 0.0));
}

#[test]
fn the_divergence_of_two_count_models_is_the_one_worked_out_by_hand() {
    use llm_baselines::Smoothing;
    // Over ids 0 to 3, after 2: the reference saw 3 twice and 1 once, so with one imaginary sighting
    // each (1, 2, 1, 3) / 7. The other is uniform. KL = sum p ln 4p
    // = (ln 4/7 + 2 ln 8/7 + ln 4/7 + 3 ln 12/7) / 7.
    let ids = vec![0, 2, 3, 2, 3, 2, 1];
    let text = EncodedDocument::from_ids("t", Partition::Train, ids).unwrap();
    let bigram = NgramModel::fit(4, 2, Smoothing::AddK { k: 1.0 }, &[text]).unwrap();
    let uniform = NgramModel::uniform(4).unwrap();
    let [rare, twice, often] = [4.0_f64 / 7.0, 8.0 / 7.0, 12.0 / 7.0].map(f64::ln);
    let after_two = (2.0 * rare + 2.0 * twice + 3.0 * often) / 7.0;
    // After 0 it saw one 2: (1, 1, 2, 1) / 5. KL = (3 ln 4/5 + 2 ln 8/5) / 5.
    let after_zero = (3.0 * 0.8_f64.ln() + 2.0 * 1.6_f64.ln()) / 5.0;

    let all = document(&[0, 2, 1]);
    let shift = distribution_shift(&bigram, &uniform, std::slice::from_ref(&all)).unwrap();
    assert!((shift.mean_kl_nats - (after_zero + after_two) / 2.0).abs() < 1e-14);
    assert!((shift.largest_kl_nats - after_two.max(after_zero)).abs() < 1e-14);
    // The uniform model's first guess is id 0, the bigram's 2 and 3.
    assert_eq!((shift.targets, shift.top_1_flips), (2, 2));

    let last_only = all.with_scored(vec![false, true]).unwrap();
    let shift = distribution_shift(&bigram, &uniform, &[last_only]).unwrap();
    assert_eq!(shift.targets, 1);
    assert!((shift.mean_kl_nats - after_two).abs() < 1e-14);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let model = reference();
    let uniform = NgramModel::uniform(4).unwrap();
    let short = document(&[0, 1]);
    let error = distribution_shift(&model, &uniform, std::slice::from_ref(&short)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the models differ in vocab_size: 266 in the reference, 4 in the other"
    );
    let error = distribution_shift(&model, &model, &[]).unwrap_err();
    assert!(matches!(error, QuantizationError::NoTargets));
    let error = distribution_shift(&model, &model, &[document(&[5; 10])]).unwrap_err();
    assert!(matches!(&error, QuantizationError::Document { document, .. } if document == "d"));

    let wider = DecoderConfig { d_ff: 17, ..DecoderConfig::reference(266, 8) };
    let wider = DecoderModel::<f64>::initialize(wider.validate().unwrap(), 39);
    let quantized = QuantizedDecoder::quantize(&wider, WeightFormat::Int8).unwrap();
    assert!(ErrorTable::new(&model, &quantized).is_err());
}

proptest! {
    /// Sums are exact, so no order of documents can show.
    #[test]
    fn the_order_of_documents_changes_no_bit(
        mut texts in prop::collection::vec(prop::collection::vec(2..258_u32, 2..8), 1..4),
    ) {
        let model = reference();
        let quantized = QuantizedDecoder::quantize(&model, WeightFormat::Int4).unwrap();
        let mut shift = || {
            let documents: Vec<_> = texts.iter().map(|ids| document(ids)).collect();
            texts.reverse();
            distribution_shift(&model, &quantized, &documents).unwrap()
        };
        let (forwards, backwards) = (shift(), shift());
        prop_assert_eq!(forwards.mean_kl_nats.to_bits(), backwards.mean_kl_nats.to_bits());
        prop_assert_eq!(forwards, backwards);
    }

    #[test]
    fn a_decoder_of_decoded_values_quantizes_to_itself(seed in any::<u64>(), int8 in any::<bool>()) {
        let format = if int8 { WeightFormat::Int8 } else { WeightFormat::Int4 };
        let mut config = DecoderConfig::reference(20, 4);
        (config.attention_bias, config.tied_head) = (true, false);
        let model = DecoderModel::<f32>::initialize(config.validate().unwrap(), seed);
        let once = QuantizedDecoder::quantize(&model, format).unwrap();
        prop_assert_eq!(&QuantizedDecoder::quantize(&once.decode(), format).unwrap(), &once);
        let values: Vec<Tensor<f32>> =
            once.decode().parameters().iter().map(|parameter| parameter.value().clone()).collect();
        prop_assert_eq!(values.len(), once.matrices().count());
    }
}
