//! Folders that are damaged, that lie, or that ask for something else: an error with the place, never
//! a panic and never other numbers.

mod tokenizers;

use std::fs;
use std::path::Path;

use llm_interop::hugging_face::{ImportOptions, import};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{FOLDERS, data};

/// A copy of a folder that may be spoiled.
fn copy(folder: &str) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(data(folder)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

/// Why a folder is refused, without the path of the temporary folder. With `f64` elements, so that no
/// type of weights is refused for its precision.
fn refusal(dir: &Path) -> String {
    let error = import::<f64>(dir, &ImportOptions::default()).unwrap_err();
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        message += &format!(": {error}");
        cause = error.source();
    }
    message.replace(&format!("{}/", dir.display()), "")
}

/// Changes a JSON file of a folder.
fn edit(dir: &Path, file: &str, change: impl FnOnce(&mut Value)) {
    let path = dir.join(file);
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, serde_json::to_vec(&value).unwrap()).unwrap();
}

/// Puts a value into `config.json`, one case after the other, and compares how its refusal begins.
#[track_caller]
fn assert_refused_by_key(cases: impl IntoIterator<Item = (&'static str, Value, &'static str)>) {
    for (key, value, expected) in cases {
        let dir = copy("llama3");
        edit(dir.path(), "config.json", |config| config[key] = value.clone());
        let message = refusal(dir.path());
        let expected = format!("config.json: {expected}");
        assert!(message.starts_with(&expected), "{key} {value}:\n{message}\n{expected}");
    }
}

#[test]
fn configurations_of_other_models_are_refused_by_the_key() {
    assert_refused_by_key([
        ("model_type", json!("mistral"), "`model_type` is \"mistral\", supported: \"llama\" or"),
        ("model_type", Value::Null, "`model_type` is missing"),
        ("architectures", json!(["LlamaForSequenceClassification"]), "`architectures` is ["),
        ("hidden_act", json!("gelu"), "`hidden_act` is \"gelu\", supported: \"silu\""),
        ("mlp_bias", json!(true), "`mlp_bias` is true"),
        ("rope_scaling", json!({"rope_type": "yarn", "factor": 4.0}), "`rope_scaling` is {"),
        ("rope_scaling", json!({"rope_type": "default", "factor": 4.0}), "`rope_scaling` is {"),
        ("rope_parameters", json!({"rope_type": "llama3"}), "`rope_parameters` is {"),
        ("rope_parameters", json!({"partial_rotary_factor": 0.5}), "`rope_parameters` is {"),
        ("rope_theta", json!(10.0), "`rope_theta` is 10, supported: 500000, as `rope_parameters`"),
        ("quantization_config", json!({"bits": 4}), "`quantization_config` is {\"bits\":4}"),
        ("logits_scaling", json!(8.0), "`logits_scaling` is 8.0, supported: no such key"),
        ("layer_types", json!(["sliding_attention"]), "`layer_types` is [\"sliding_attention\"]"),
        ("dtype", json!("float8_e4m3fn"), "`dtype` is \"float8_e4m3fn\""),
        ("use_mrope", json!(true), "`use_mrope` is true, supported: false"),
        ("use_sliding_window", json!(true), "`use_sliding_window` is true"),
        ("pretraining_tp", json!(2), "`pretraining_tp` is 2, supported: 1"),
    ]);
}

#[test]
fn sizes_that_no_model_can_have_are_refused() {
    assert_refused_by_key([
        ("hidden_size", json!(-16), "`hidden_size` is -16, supported: a whole number, 1 or more"),
        ("hidden_size", json!(0), "`hidden_size` is 0"),
        ("hidden_size", json!(16.5), "`hidden_size` is 16.5"),
        ("hidden_size", json!("16"), "`hidden_size` is \"16\""),
        ("vocab_size", Value::Null, "`vocab_size` is missing"),
        ("vocab_size", json!(u64::MAX), "configuration: vocab_size is 18446744073709551615"),
        ("num_hidden_layers", json!(1_000_000_000_000_u64), "`num_hidden_layers` is 1000000000000"),
        ("num_attention_heads", json!(1_u64 << 62), "configuration: sizes is too many parameters"),
        (
            "max_position_embeddings",
            json!(u64::MAX),
            "configuration: context_len is 184467440737095",
        ),
        ("num_key_value_heads", json!(3), "configuration: n_kv_heads is 3 with n_heads 4"),
        ("head_dim", json!(5), "configuration: head_dim is 5, expected an even number"),
        ("rms_norm_eps", json!(-1e-5), "`rms_norm_eps` is -0.00001"),
        ("rms_norm_eps", json!("1e-5"), "`rms_norm_eps` is \"1e-5\""),
        ("rope_theta", json!(0), "`rope_theta` is 0, supported: a number above 0"),
        ("eos_token_id", json!([]), "`eos_token_id` is []"),
        ("bos_token_id", json!(-1), "`bos_token_id` is -1"),
        ("tie_word_embeddings", json!("yes"), "`tie_word_embeddings` is \"yes\""),
    ]);
    for text in ["", "[]", "{\"hidden_size\": NaN}", "\u{feff}{}", "nul\0"] {
        let dir = copy("llama3");
        fs::write(dir.path().join("config.json"), text).unwrap();
        assert!(refusal(dir.path()).starts_with("config.json: not a JSON object"), "{text}");
    }
}

#[test]
fn missing_files_are_named() {
    for (folder, file) in [
        ("llama3", "config.json"),
        ("llama3", "model.safetensors"),
        ("llama3", "tokenizer.json"),
        ("qwen2", "model-00002-of-00004.safetensors"),
    ] {
        let dir = copy(folder);
        fs::remove_file(dir.path().join(file)).unwrap();
        let message = refusal(dir.path());
        assert!(message.starts_with(&format!("{file}: cannot be read: ")), "{message}");
        fs::create_dir(dir.path().join(file)).unwrap();
        assert!(refusal(dir.path()).contains("not a regular file"));
    }
    let nowhere = tempfile::tempdir().unwrap();
    assert!(refusal(&nowhere.path().join("none")).starts_with("config.json: cannot be read: "));
}

#[test]
fn shards_that_contradict_their_index_are_refused() {
    const INDEX: &str = "model.safetensors.index.json";
    const EMBEDDING: &str = "model.embed_tokens.weight";
    let with_index = |change: fn(&mut Value)| {
        let dir = copy("qwen2");
        edit(dir.path(), INDEX, |index| change(&mut index["weight_map"]));
        refusal(dir.path())
    };
    let escape = with_index(|map| map[EMBEDDING] = json!("../other.safetensors"));
    assert!(escape.starts_with(
        "model.safetensors.index.json: a file of `weight_map` is ../other.safetensors, supported:"
    ));
    let absolute = with_index(|map| map[EMBEDDING] = json!("/etc/passwd"));
    assert!(absolute.contains("is /etc/passwd, supported: the name of a .safetensors file"));
    let wrong = with_index(|map| map["made.up"] = json!("model-00001-of-00004.safetensors"));
    assert!(wrong.contains("tensor `made.up` is not there, though"), "{wrong}");
    let less = with_index(|map| drop(map.as_object_mut().unwrap().remove("model.norm.weight")));
    assert!(less.contains("`model.norm.weight` is there, but not in"), "{less}");

    let both = copy("qwen2");
    fs::copy(data("llama3").join("model.safetensors"), both.path().join("model.safetensors"))
        .unwrap();
    assert!(refusal(both.path()).starts_with("model.safetensors: stands beside"));
}

/// Changes the header and the data of a folder's weights.
fn edit_weights(dir: &Path, change: impl FnOnce(&mut Value, &mut Vec<u8>)) {
    let path = dir.join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let mut data = bytes[8 + length..].to_vec();
    change(&mut header, &mut data);
    let header = serde_json::to_vec(&header).unwrap();
    let length = (header.len() as u64).to_le_bytes();
    fs::write(&path, [&length[..], &header, &data].concat()).unwrap();
}

/// Puts another value in the place of one element of a tensor of f32.
fn set_element(dir: &Path, tensor: &str, element: usize, value: f32) {
    edit_weights(dir, |header, data| {
        let start = header[tensor]["data_offsets"][0].as_u64().unwrap() as usize + 4 * element;
        data[start..start + 4].copy_from_slice(&value.to_le_bytes());
    });
}

/// Why a folder is refused whose weights were changed.
fn spoil_weights(change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> String {
    let dir = copy("smollm2");
    edit_weights(dir.path(), change);
    refusal(dir.path())
}

#[test]
fn weights_that_do_not_fit_the_configuration_are_refused() {
    const NORM: &str = "model.norm.weight";
    let message = spoil_weights(|header, _| header[NORM]["shape"] = json!([3, 4]));
    assert!(
        message.ends_with("tensor `model.norm.weight` has shape [3, 4], config.json asks for [12]")
    );
    let renamed = spoil_weights(|header, _| {
        let norm = header.as_object_mut().unwrap().remove(NORM).unwrap();
        header["model.norm.gain"] = norm;
    });
    assert_eq!(renamed, "model.safetensors: tensor `model.norm.weight` is missing");
    let extra = spoil_weights(|header, data| {
        let end = data.len();
        data.extend([0; 4]);
        header["lora.weight"] =
            json!({"dtype": "F32", "shape": [1], "data_offsets": [end, end + 4]});
    });
    assert!(extra.contains("tensor `lora.weight` is not a part of the model"), "{extra}");
    let integers = spoil_weights(|header, _| header[NORM]["dtype"] = json!("I32"));
    assert!(integers.contains("is of type I32, supported: F32, F16, BF16"), "{integers}");
}

#[test]
fn a_weight_that_is_no_number_is_refused_with_its_place() {
    for broken in [f32::NAN, f32::INFINITY] {
        let dir = copy("smollm2");
        set_element(dir.path(), "model.norm.weight", 2, broken);
        let message = refusal(dir.path());
        let expected = format!("tensor `model.norm.weight` has {broken} at element 2");
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn headers_that_lie_about_sizes_are_refused_without_taking_memory() {
    const NORM: &str = "model.norm.weight";
    let huge = 1_u64 << 60;
    let overflow = spoil_weights(|header, _| header[NORM]["shape"] = json!([huge, huge]));
    assert!(overflow.starts_with("model.safetensors: its header: "), "{overflow}");
    let beyond = spoil_weights(|header, _| {
        header[NORM]["shape"] = json!([huge]);
        header[NORM]["data_offsets"] = json!([0, huge * 4]);
    });
    assert!(beyond.starts_with("model.safetensors: its header: "), "{beyond}");
    let cut = spoil_weights(|_, data| data.truncate(data.len() - 1));
    assert!(cut.contains("its header describes") && cut.contains("bytes but there are"), "{cut}");
    let longer = spoil_weights(|_, data| data.push(0));
    assert!(longer.contains("its header describes"), "{longer}");

    let dir = copy("llama3");
    for start in [&u64::MAX.to_le_bytes()[..], &1_000_000_u64.to_le_bytes(), b"PK\x03\x04", b""] {
        fs::write(dir.path().join("model.safetensors"), start).unwrap();
        assert!(refusal(dir.path()).starts_with("model.safetensors: "));
    }
}

#[test]
fn a_bias_that_this_decoder_has_not_must_be_zero() {
    let dir = copy("tied");
    set_element(dir.path(), "model.layers.0.self_attn.o_proj.bias", 0, 1.0);
    assert!(refusal(dir.path()).contains("self_attn.o_proj.bias` is not zero"));
}

#[test]
fn a_head_that_differs_from_the_embedding_it_should_be_is_used_and_told() {
    let dir = copy("tied");
    set_element(dir.path(), "lm_head.weight", 0, 0.25);
    let imported = import::<f32>(dir.path(), &ImportOptions::default()).unwrap();
    assert!(!imported.model.config().tied_head);
    assert_eq!(imported.model.parameters().last().unwrap().value().data()[0], 0.25);
    assert!(imported.notes[0].contains("differs from the embedding"), "{:?}", imported.notes);
}

#[cfg(unix)]
#[test]
fn links_are_followed_as_in_the_cache_of_downloads() {
    let (dir, blobs) = (tempfile::tempdir().unwrap(), copy("llama3"));
    for entry in fs::read_dir(blobs.path()).unwrap() {
        let entry = entry.unwrap();
        std::os::unix::fs::symlink(entry.path(), dir.path().join(entry.file_name())).unwrap();
    }
    assert!(import::<f32>(dir.path(), &ImportOptions::default()).is_ok());
    fs::remove_file(blobs.path().join("model.safetensors")).unwrap();
    assert!(refusal(dir.path()).starts_with("model.safetensors: cannot be read: "));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_folder_with_changed_bytes_is_imported_or_refused_and_never_a_panic(
        folder in prop::sample::select(FOLDERS.to_vec()),
        file: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let dir = copy(folder);
        let mut files: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().path()).collect();
        files.sort();
        let path = file.get(&files);
        let mut bytes = fs::read(path).unwrap();
        for (place, byte) in changes {
            // Digits and signs make other numbers of numbers, more often than any byte would.
            let byte = if byte < 128 { b"0123456789-.e\"[]{},:"[usize::from(byte) % 20] } else { byte };
            // Most of a file of weights is weights; its header is what can lie.
            let place = place.index(bytes.len().min(6000));
            bytes[place] = byte;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        fs::write(path, bytes).unwrap();
        for tokenizer in [true, false] {
            if let Ok(imported) = import::<f64>(dir.path(), &ImportOptions { tokenizer }) {
                prop_assert!(imported.portable().is_ok());
            }
        }
    }
}
