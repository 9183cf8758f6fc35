//! A model and its tokenizer come back from one file, and only from a file of a whole model.

use llm_archive::{
    ArchiveError, Container, MODEL_KIND, PortableElement, PortableModel, Selection, TensorData,
    inspect,
};
use llm_autograd::Tensor;
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::{Pretokenizer, Tokenizer, TokenizerArtifact, chapter_four_tokenizer};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The decoder of the evaluation chapter, untrained, with its tokenizer.
fn reference<E: PortableElement>() -> PortableModel<E> {
    let tokenizer = chapter_four_tokenizer();
    let config = DecoderConfig::reference(tokenizer.vocab_size(), 8).validate().expect("valid");
    PortableModel::new(&DecoderModel::initialize(config, 39), &tokenizer).expect("they fit")
}

/// The smallest model of 258 ids.
fn tiny() -> PortableModel<f32> {
    let tokenizer = bytes_only();
    let mut config = DecoderConfig::reference(tokenizer.vocab_size(), 2);
    (config.d_model, config.n_heads, config.n_kv_heads) = (1, 1, 1);
    (config.head_dim, config.d_ff) = (2, 1);
    let model = DecoderModel::initialize(config.validate().expect("valid"), 1);
    PortableModel::new(&model, &tokenizer).expect("they fit")
}

fn bytes_only() -> Tokenizer {
    let artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    Tokenizer::from_artifact(artifact).expect("no merges, no mistakes")
}

fn assert_round_trip<E: PortableElement>(saved: &PortableModel<E>) {
    let loaded = PortableModel::<E>::from_bytes(&saved.to_bytes()).expect("our own");
    assert_eq!(&loaded, saved);
    let ((model, tokenizer), (original, _)) = (loaded.restore_text(), saved.restore_text());
    assert_eq!(model.config(), original.config());
    for (new, old) in model.parameters().iter().zip(original.parameters()) {
        assert_eq!((new.name(), new.value().shape()), (old.name(), old.value().shape()));
        assert_eq!(new.value().bits(), old.value().bits());
        assert_eq!((new.revision(), new.gradient()), (0, None));
    }
    assert_eq!(tokenizer, saved.restore_text().1);
    assert_eq!(loaded.to_bytes(), saved.to_bytes());
}

#[test]
fn model_and_tokenizer_come_back_with_the_same_bits() {
    assert_round_trip(&reference::<f64>());
    assert_round_trip(&reference::<f32>());
}

#[test]
fn a_chosen_model_says_how_it_was_chosen_and_is_another_content() {
    let selection =
        Selection { selected_on: "validation".into(), update: 120, nats_per_token: 4.25 };
    let plain = reference::<f64>();
    let chosen = plain.clone().selected(selection.clone()).expect("a finite loss");
    assert_round_trip(&chosen);
    assert_eq!((plain.selection(), chosen.selection()), (None, Some(&selection)));
    assert_ne!(plain.model_id(), chosen.model_id());
    assert_eq!(plain.restore_text().0, chosen.restore_text().0);

    let broken = Selection { nats_per_token: f64::NAN, ..selection };
    let error = plain.selected(broken).unwrap_err();
    assert_eq!(error.to_string(), "unusable content: selected at NaN nats per token");
}

#[test]
fn file_and_memory_hold_the_same_model() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a/model.safetensors");
    let saved = reference::<f64>();
    saved.save(&path).expect("writable");
    assert_eq!(std::fs::read(&path).expect("saved"), saved.to_bytes());
    assert_eq!(PortableModel::<f64>::load(&path).expect("saved"), saved);
    let header = inspect(&path).expect("saved");
    assert_eq!((header.kind(), header.content_sha256()), (MODEL_KIND, saved.model_id()));
}

/// Names the fields of the file as the format documents them: later programs will look for these.
#[test]
fn the_file_names_every_part_of_the_configuration() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("model");
    reference::<f64>().save(&path).expect("writable");
    let header = inspect(&path).expect("saved");
    let metadata: Value = header.metadata().expect("JSON");
    let config = json!({
        "vocab_size": 266, "d_model": 8, "n_layers": 1, "n_heads": 2, "n_kv_heads": 2,
        "head_dim": 4, "d_ff": 16, "context_len": 8, "rope_base": 10000.0, "norm_eps": 1e-6,
        "tied_head": true, "attention_bias": false, "dtype": "f64",
    });
    assert_eq!(metadata["config"], config);
    assert_eq!(metadata["tokenizer"]["vocab_size"], 266);
    assert_eq!(metadata.as_object().expect("an object").len(), 2);
    let names: Vec<_> = header.tensors().iter().map(|tensor| tensor.name()).collect();
    assert_eq!(names.len(), 11);
    assert_eq!((names[0], names[10]), ("token_embedding.weight", "final_norm.gain"));
}

#[test]
fn training_on_does_not_change_what_was_taken() {
    let tokenizer = chapter_four_tokenizer();
    let config = DecoderConfig::reference(266, 8).validate().expect("valid");
    let mut model = DecoderModel::<f64>::initialize(config, 39);
    let taken = PortableModel::new(&model, &tokenizer).expect("they fit");
    let before = taken.to_bytes();
    model.parameters_mut()[0].value_mut()[0] += 1.0;
    assert_eq!(taken.to_bytes(), before);
    assert_ne!(PortableModel::new(&model, &tokenizer).expect("fit").model_id(), taken.model_id());
}

#[test]
fn the_identity_covers_values_configuration_type_and_tokenizer() {
    let base = tiny();
    let (model, _) = base.restore_text();
    let values = || model.parameters().iter().map(|p| p.value().clone()).collect::<Vec<_>>();
    let with = |config: DecoderConfig, tokenizer: &Tokenizer| {
        let config = config.validate().expect("valid");
        let model = DecoderModel::from_parameters(config, values()).expect("the same shapes");
        PortableModel::new(&model, tokenizer).expect("they fit").model_id().to_owned()
    };
    let same = with(**model.config(), &bytes_only());
    assert_eq!(same, base.model_id());

    let mut other_eps = **model.config();
    other_eps.norm_eps = 1e-5;
    let mut artifact = bytes_only().artifact().clone();
    artifact.document_start = None;
    let other_tokenizer = Tokenizer::from_artifact(artifact).expect("documents need no start");
    let others = [with(other_eps, &bytes_only()), with(**model.config(), &other_tokenizer)];
    assert!(!others.contains(&same) && others[0] != others[1]);
    assert_ne!(reference::<f32>().model_id(), reference::<f64>().model_id());
}

#[test]
fn every_byte_of_a_model_file_matters() {
    let whole = tiny().to_bytes();
    for position in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[position] ^= 1 << (position % 8);
        assert!(PortableModel::<f32>::from_bytes(&bytes).is_err(), "byte {position}");
    }
    // Every length is tried on a small container; here every thirteenth.
    for len in (0..whole.len()).step_by(13) {
        assert!(PortableModel::<f32>::from_bytes(&whole[..len]).is_err(), "{len} bytes");
    }
}

/// The parts of the tiny model, to be put together wrongly: such a file has a right digest.
struct Parts {
    metadata: Value,
    tensors: Vec<TensorData<'static>>,
}

impl Parts {
    fn new() -> Self {
        let container = Container::from_bytes(&tiny().to_bytes(), MODEL_KIND).expect("our own");
        let metadata = container.header().metadata().expect("JSON");
        Self { metadata, tensors: container.into_tensors() }
    }

    fn container(&self) -> Container<'static> {
        let container = Container::new(MODEL_KIND, &self.metadata, self.tensors.clone());
        container.expect("a good container")
    }

    fn load(&self) -> Result<PortableModel<f32>, ArchiveError> {
        PortableModel::from_bytes(&self.container().to_bytes())
    }
}

#[test]
fn the_parts_here_make_the_model() {
    assert_eq!(Parts::new().load().expect("unchanged"), tiny());
}

#[test]
fn tensors_that_are_not_the_parameters_are_refused_by_name() {
    type Spoil = fn(&mut Vec<TensorData<'static>>);
    let cases: [(&str, Spoil); 11] = [
        ("final_norm.gain", |t| drop(t.pop())),
        ("blocks.0.attention_norm.gain", |t| drop(t.remove(0))),
        ("extra", |t| t.push(TensorData::new("extra", vec![1], vec![1.0_f32]))),
        ("output_head.weight", |t| {
            t.push(TensorData::new("output_head.weight", vec![258, 1], vec![1.0_f32; 258]));
        }),
        ("blocks.0.ffn.down.weight", |t| t.swap(8, 9)), // stands where `up` belongs
        ("renamed", |t| t[3].name = "renamed".into()),
        ("token_embedding.weight", |t| t[0].shape = vec![1, 258]),
        ("final_norm.gain", |t| t[10].shape = vec![1, 1]),
        ("final_norm.gain", |t| t[10].values = vec![1.0_f64].into()),
        ("final_norm.gain", |t| t[10].values = vec![f32::NAN].into()),
        ("final_norm.gain", |t| t[10].values = vec![f32::NEG_INFINITY].into()),
    ];
    for (name, spoil) in cases {
        let mut parts = Parts::new();
        spoil(&mut parts.tensors);
        let error = parts.load().unwrap_err();
        let ArchiveError::Table { tensor, .. } = &error else { panic!("{name}: {error}") };
        assert_eq!(tensor, name, "{error}");
    }
}

#[test]
fn a_configuration_or_tokenizer_that_cannot_be_is_refused() {
    type Spoil = fn(&mut Value);
    let cases: [(&str, Spoil); 17] = [
        ("spelled in another way", |m| m["selection"] = json!(null)), // absent, but spelled out
        ("n_heads", |m| drop(m["config"].as_object_mut().expect("object").remove("n_heads"))),
        ("unknown field", |m| m["config"]["extra"] = json!(1)),
        ("unknown field", |m| m["extra"] = json!(1)),
        ("tokenizer", |m| drop(m.as_object_mut().expect("object").remove("tokenizer"))),
        ("head_dim", |m| m["config"]["head_dim"] = json!(3)),
        ("d_model", |m| m["config"]["d_model"] = json!(0)),
        ("rope_base", |m| m["config"]["rope_base"] = json!(-1.0)),
        ("invalid type", |m| m["config"]["norm_eps"] = json!(null)),
        ("invalid type", |m| m["config"]["d_ff"] = json!(1.0)),
        ("too many parameters", |m| m["config"]["d_ff"] = json!(u64::MAX)),
        // Fits 64 bits as a count of parameters, but no memory as a list of them.
        ("blocks", |m| m["config"]["n_layers"] = json!(1_u64 << 40)),
        ("\"f64\"", |m| m["config"]["dtype"] = json!("f64")),
        ("\"F32\"", |m| m["config"]["dtype"] = json!("F32")),
        ("tokenizer of 266", |m| {
            let other = chapter_four_tokenizer();
            m["tokenizer"] = serde_json::to_value(other.artifact()).expect("JSON");
        }),
        ("vocabulary of 259", |m| m["config"]["vocab_size"] = json!(259)),
        ("tokenizer", |m| m["tokenizer"]["byte_ids"][1] = json!(2)),
    ];
    for (part, spoil) in cases {
        let mut parts = Parts::new();
        spoil(&mut parts.metadata);
        let error = parts.load().unwrap_err();
        assert!(matches!(error, ArchiveError::Content { .. }), "{part}: {error}");
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
}

/// The path of every member and item of a JSON value.
fn places(value: &Value) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, x)| (key.clone(), x)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(i, x)| (i.to_string(), x)).collect(),
        _ => Vec::new(),
    };
    let path = |(key, value): (String, &Value)| {
        let inside = places(value).into_iter();
        let paths: Vec<String> = inside.map(|rest| format!("/{key}{rest}")).collect();
        [vec![format!("/{key}")], paths].concat()
    };
    below.into_iter().flat_map(path).collect()
}

/// A file that is taken must be the one that would be saved, or its identity changes on the way.
#[test]
fn what_is_left_out_or_spelled_in_another_way_is_refused() {
    let mut whole = Parts::new();
    whole.metadata["selection"] = json!({"selected_on": "x", "update": 1, "nats_per_token": 4.0});
    whole.load().expect("as our own would be");
    for place in places(&whole.metadata) {
        let value = whole.metadata.pointer(&place).expect("there");
        let as_integer = value.as_f64().filter(|x| x.fract() == 0.0).map(|x| json!(x as u64));
        let as_float = value.as_u64().map(|x| json!(x as f64));
        for spelling in [None, Some(Value::Null), as_integer, as_float] {
            let mut metadata = whole.metadata.clone();
            let (above, key) = place.rsplit_once('/').expect("a path");
            match (spelling, metadata.pointer_mut(above).expect("there")) {
                (Some(spelling), _) => *metadata.pointer_mut(&place).expect("there") = spelling,
                (None, Value::Object(members)) => drop(members.remove(key)),
                (None, _) => continue,
            }
            let changed = Parts { metadata, tensors: whole.tensors.clone() };
            let bytes = changed.container().to_bytes();
            match PortableModel::<f32>::from_bytes(&bytes) {
                Ok(model) => assert!(model.to_bytes() == bytes, "{place} changes when saved"),
                Err(error) => assert!(matches!(error, ArchiveError::Content { .. }), "{error}"),
            }
        }
    }
}

#[test]
fn a_configuration_of_other_shapes_is_refused_by_the_first_tensor() {
    let mut parts = Parts::new();
    parts.metadata["config"]["d_ff"] = json!(2);
    let error = parts.load().unwrap_err();
    let ArchiveError::Table { tensor, problem } = &error else { panic!("{error}") };
    assert_eq!(tensor, "blocks.0.ffn.gate.weight");
    assert_eq!(problem, "has shape [1, 1], the configuration asks for [1, 2]");
}

#[test]
fn a_model_is_refused_as_another_type_and_another_kind_as_a_model() {
    let error = PortableModel::<f32>::from_bytes(&reference::<f64>().to_bytes()).unwrap_err();
    assert!(matches!(&error, ArchiveError::Content { reason } if reason.contains("\"f64\"")));
    let other = Container::new("checkpoint", &json!({}), vec![]).expect("good").to_bytes();
    let error = PortableModel::<f64>::from_bytes(&other).unwrap_err();
    assert!(matches!(&error, ArchiveError::WrongKind { found, .. } if found == "checkpoint"));
}

#[test]
fn what_could_not_be_loaded_is_not_taken() {
    let (model, tokenizer) = tiny().restore_text();
    let error = PortableModel::new(&model, &chapter_four_tokenizer()).unwrap_err();
    assert!(matches!(error, ArchiveError::Content { .. }), "{error}");

    let mut values: Vec<Tensor<f32>> =
        model.parameters().iter().map(|parameter| parameter.value().clone()).collect();
    values[2].data_mut()[1] = f32::NAN;
    let broken = DecoderModel::from_parameters(*model.config(), values).expect("shapes are right");
    let error = PortableModel::new(&broken, &tokenizer).unwrap_err();
    let ArchiveError::Table { tensor, problem } = &error else { panic!("{error}") };
    assert_eq!(tensor, "blocks.0.attention.query.weight");
    assert_eq!(problem, "element 1 is NaN, a parameter must be finite");
}

fn config() -> impl Strategy<Value = DecoderConfig> {
    let sizes = (1..5_usize, 1..3_usize, 1..3_usize, 1..3_usize, 1..3_usize, 1..6_usize);
    (sizes, 1..20_usize, 1e-9..1e9_f64, 0.0..1e-3_f64, any::<[bool; 2]>()).prop_map(
        |(
            (d_model, n_layers, n_kv_heads, group, half, d_ff),
            context_len,
            rope_base,
            norm_eps,
            flags,
        )| {
            DecoderConfig {
                vocab_size: 258,
                d_model,
                n_layers,
                n_heads: n_kv_heads * group,
                n_kv_heads,
                head_dim: 2 * half,
                d_ff,
                context_len,
                rope_base,
                norm_eps,
                tied_head: flags[0],
                attention_bias: flags[1],
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn models_of_every_shape_come_back(config in config(), seed: u64) {
        let config = config.validate().expect("valid");
        let tokenizer = bytes_only();
        let double = DecoderModel::<f64>::initialize(config, seed);
        assert_round_trip(&PortableModel::new(&double, &tokenizer).expect("they fit"));
        let single = DecoderModel::<f32>::initialize(config, seed);
        assert_round_trip(&PortableModel::new(&single, &tokenizer).expect("they fit"));
    }
}
