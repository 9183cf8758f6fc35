//! A quantized model comes back from its file with the same bits, and from no other file.

use llm_archive::{ArchiveError, Container, PortableModel, Selection, TensorData, inspect};
use llm_corpus::{EncodedDocument, Partition};
use llm_evaluation::{LanguageModel, ScoreRequest};
use llm_model::{DecoderConfig, DecoderModel};
use llm_quantization::{
    QUANTIZED_KIND, QuantizedDecoder, QuantizedModel, WeightFormat, distribution_shift,
};
use llm_tokenizer::{Tokenizer, chapter_four_tokenizer};
use serde_json::{Value, json};

fn reference(format: WeightFormat) -> QuantizedModel<f64> {
    let tokenizer = chapter_four_tokenizer();
    let config = DecoderConfig::reference(tokenizer.vocab_size(), 8).validate().unwrap();
    let model = DecoderModel::initialize(config, 39);
    QuantizedModel::new(QuantizedDecoder::quantize(&model, format).unwrap(), &tokenizer).unwrap()
}

/// The smallest model of 258 ids.
fn tiny(format: WeightFormat) -> QuantizedModel<f32> {
    let tokenizer = Tokenizer::of_bytes();
    let mut config = DecoderConfig::reference(tokenizer.vocab_size(), 2);
    (config.d_model, config.n_heads, config.n_kv_heads) = (1, 1, 1);
    (config.head_dim, config.d_ff) = (2, 1);
    let model = DecoderModel::initialize(config.validate().unwrap(), 1);
    QuantizedModel::new(QuantizedDecoder::quantize(&model, format).unwrap(), &tokenizer).unwrap()
}

#[test]
fn a_file_scores_with_the_same_bits_and_holds_the_bytes_that_were_counted() {
    let folder = tempfile::tempdir().unwrap();
    for format in WeightFormat::ALL {
        let saved = reference(format);
        let path = folder.path().join(format.name()).join("model.safetensors");
        saved.save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), saved.to_bytes());
        let loaded = QuantizedModel::<f64>::load(&path).unwrap();
        assert_eq!(loaded, saved);
        assert_eq!(loaded.to_bytes(), saved.to_bytes());
        assert_eq!(loaded.decoder().identity(), saved.decoder().identity());

        let request = [ScoreRequest { ids: &[0, 99, 99, 100, 1], first_target: 1 }];
        let bits = |model: &QuantizedModel<f64>| -> Vec<u64> {
            let scores = model.decoder().score(&request).unwrap();
            scores[0].iter().map(|score| score.log_probability.to_bits()).collect()
        };
        assert_eq!(bits(&loaded), bits(&saved));
        let document =
            EncodedDocument::from_ids("d", Partition::Test, vec![0, 99, 100, 1]).unwrap();
        let shift = distribution_shift(saved.decoder(), loaded.decoder(), &[document]).unwrap();
        assert_eq!((shift.mean_kl_nats, shift.top_1_flips), (0.0, 0));

        let header = inspect(&path).unwrap();
        assert_eq!((header.kind(), header.content_sha256()), (QUANTIZED_KIND, saved.model_id()));
        assert_eq!(header.data_len(), saved.decoder().byte_len());
    }
}

#[test]
fn the_label_of_a_chosen_model_comes_back_and_is_another_content() {
    let selection =
        Selection { selected_on: "validation".into(), update: 120, nats_per_token: 4.25 };
    let plain = tiny(WeightFormat::Int8);
    let chosen = plain.clone().selected(selection.clone()).unwrap();
    assert_eq!((plain.selection(), chosen.selection()), (None, Some(&selection)));
    assert_ne!(plain.model_id(), chosen.model_id());
    let loaded = QuantizedModel::<f32>::from_bytes(&chosen.to_bytes()).unwrap();
    assert_eq!(loaded, chosen);
    assert_eq!(loaded.to_bytes(), chosen.to_bytes());

    let broken = Selection { nats_per_token: f64::INFINITY, ..selection };
    let error = plain.selected(broken).unwrap_err();
    assert_eq!(error.to_string(), "unusable content: selected at inf nats per token");
}

/// Names what a reader in another language has to look for.
#[test]
fn the_file_names_every_tensor_with_type_and_shape() {
    let listed = |format| {
        let container =
            Container::from_bytes(&reference(format).to_bytes(), QUANTIZED_KIND).unwrap();
        let metadata: Value = container.header().metadata().unwrap();
        assert_eq!(metadata["format"], json!(format.name()));
        assert_eq!(metadata["model"]["config"]["dtype"], json!("f64"));
        assert_eq!(metadata["model"]["tokenizer"]["vocab_size"], json!(266));
        let infos = container.header().tensors();
        let line = |i: usize| {
            format!("{} {} {:?}", infos[i].name(), infos[i].dtype().name(), infos[i].shape())
        };
        // 3 gains, then 8 scales, then 8 matrices of codes.
        assert_eq!(infos.len(), 19);
        [0, 3, 10, 11, 18].map(line)
    };
    assert_eq!(
        listed(WeightFormat::Int8),
        [
            "blocks.0.attention_norm.gain F64 [8]",
            "token_embedding.weight.scale F32 [266, 1]",
            "blocks.0.ffn.down.weight.scale F32 [8, 1]",
            "token_embedding.weight.int8 I8 [266, 8]",
            "blocks.0.ffn.down.weight.int8 I8 [8, 16]",
        ]
    );
    assert_eq!(
        listed(WeightFormat::Int4)[3..],
        ["token_embedding.weight.int4 U8 [266, 4]", "blocks.0.ffn.down.weight.int4 U8 [8, 8]"]
    );
}

#[test]
fn a_changed_byte_and_a_cut_are_refused() {
    // Every byte is tried on a small container; here every seventeenth.
    for format in WeightFormat::ALL {
        let whole = tiny(format).to_bytes();
        for position in (0..whole.len()).step_by(17) {
            let mut bytes = whole.clone();
            bytes[position] ^= 1 << (position / 17 % 8);
            assert!(QuantizedModel::<f32>::from_bytes(&bytes).is_err(), "byte {position}");
        }
        for len in (0..whole.len()).step_by(37) {
            assert!(QuantizedModel::<f32>::from_bytes(&whole[..len]).is_err(), "{len} bytes");
        }
        let longer = [&whole[..], &[0]].concat();
        assert!(QuantizedModel::<f32>::from_bytes(&longer).is_err());
    }
}

/// The parts of the tiny int4 model, to be put together wrongly: such a file has a right digest.
fn load_spoilt(
    spoil: impl Fn(&mut Value, &mut Vec<TensorData<'static>>),
) -> Result<QuantizedModel<f32>, ArchiveError> {
    let bytes = tiny(WeightFormat::Int4).to_bytes();
    let container = Container::from_bytes(&bytes, QUANTIZED_KIND).unwrap();
    let mut metadata: Value = container.header().metadata().unwrap();
    let mut tensors = container.into_tensors();
    spoil(&mut metadata, &mut tensors);
    let container = Container::new(QUANTIZED_KIND, &metadata, tensors).unwrap();
    QuantizedModel::from_bytes(&container.to_bytes())
}

#[test]
fn the_parts_here_make_the_model() {
    assert_eq!(load_spoilt(|_, _| {}).unwrap(), tiny(WeightFormat::Int4));
}

#[test]
fn tensors_that_no_quantization_makes_are_refused_by_name() {
    type Spoil = fn(&mut Vec<TensorData<'static>>);
    // 0 to 2 gains, 3 to 10 scales, 11 to 18 codes.
    let cases: [(&str, Spoil); 11] = [
        ("blocks.0.ffn.down.weight.int4", |t| drop(t.pop())),
        ("extra", |t| t.push(TensorData::new("extra", vec![1], vec![1.0_f32]))),
        ("final_norm.gain", |t| t[2].values = vec![f32::NAN].into()),
        ("blocks.0.ffn.up.weight.scale", |t| t.swap(8, 9)),
        ("token_embedding.weight.scale", |t| t[3].shape = vec![1, 258]),
        ("token_embedding.weight.int4", |t| t[3].values = vec![0.0_f32; 258].into()),
        ("token_embedding.weight.int4", |t| t[3].values = vec![f32::INFINITY; 258].into()),
        ("token_embedding.weight.int4", |t| t[3].values = vec![1.000_000_1_f32; 258].into()),
        ("token_embedding.weight.int4", |t| t[11].values = vec![0x08_u8; 258].into()),
        ("token_embedding.weight.int4", |t| t[11].values = vec![0x11_u8; 258].into()),
        ("token_embedding.weight.int4", |t| t[11].values = vec![1_i8; 258].into()),
    ];
    for (name, spoil) in cases {
        let error = load_spoilt(|_, tensors| spoil(tensors)).unwrap_err();
        let ArchiveError::Table { tensor, .. } = &error else { panic!("{name}: {error}") };
        assert_eq!(tensor, name, "{error}");
    }
}

#[test]
fn metadata_that_does_not_fit_is_refused() {
    type Spoil = fn(&mut Value);
    let cases: [(&str, Spoil); 7] = [
        ("spelled in another way", |m| m["model"]["config"]["rope_base"] = json!(10_000)),
        ("int5", |m| m["format"] = json!("int5")),
        ("unknown field", |m| m["extra"] = json!(1)),
        ("unknown field", |m| m["model"]["extra"] = json!(1)),
        ("\"f64\"", |m| m["model"]["config"]["dtype"] = json!("f64")),
        ("blocks", |m| m["model"]["config"]["n_layers"] = json!(1_u64 << 40)),
        ("vocabulary of 259", |m| m["model"]["config"]["vocab_size"] = json!(259)),
    ];
    for (part, spoil) in cases {
        let error = load_spoilt(|metadata, _| spoil(metadata)).unwrap_err();
        assert!(matches!(error, ArchiveError::Content { .. }), "{part}: {error}");
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
    // The tensors are those of int4.
    let error = load_spoilt(|metadata, _| metadata["format"] = json!("int8")).unwrap_err();
    assert!(matches!(&error, ArchiveError::Table { tensor, .. } if tensor.ends_with(".int4")));
}

#[test]
fn a_quantized_file_is_no_model_file_and_the_other_way_round() {
    let quantized = reference(WeightFormat::Int8);
    let error = PortableModel::<f64>::from_bytes(&quantized.to_bytes()).unwrap_err();
    assert!(matches!(&error, ArchiveError::WrongKind { found, .. } if found == QUANTIZED_KIND));
    let plain = PortableModel::new(&quantized.decoder().decode(), quantized.tokenizer()).unwrap();
    let error = QuantizedModel::<f64>::from_bytes(&plain.to_bytes()).unwrap_err();
    assert!(matches!(&error, ArchiveError::WrongKind { .. }));
    let error = QuantizedModel::<f32>::from_bytes(&quantized.to_bytes()).unwrap_err();
    assert!(error.to_string().contains("opened as \"f32\""), "{error}");
}

#[test]
fn a_tokenizer_of_another_vocabulary_is_refused() {
    let decoder = tiny(WeightFormat::Int8).decoder().clone();
    let error = QuantizedModel::new(decoder, &chapter_four_tokenizer()).unwrap_err();
    assert!(matches!(error, ArchiveError::Content { .. }), "{error}");
}
