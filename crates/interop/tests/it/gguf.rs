//! GGUF files, read back with a reader of a few lines. `./course interop` opens them with llama.cpp.

use std::collections::BTreeMap;
use std::fs;

use llm_interop::InteropError;
use llm_interop::gguf::{Exported, Quantization, export};
use llm_interop::hugging_face::{ImportOptions, import};
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::{Tokenizer, TokenizerArtifact, chapter_four_tokenizer};

use crate::data;

/// What a file holds.
struct File {
    keys: BTreeMap<String, Value>,
    /// Sizes, innermost first; type; data up to the next tensor.
    tensors: BTreeMap<String, (Vec<u64>, u32, Vec<u8>)>,
}

#[derive(Debug, PartialEq)]
enum Value {
    Number(u32),
    Float(f32),
    Flag(bool),
    Text(String),
    Texts(Vec<String>),
    Numbers(Vec<u32>),
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, len: usize) -> Vec<u8> {
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        taken.to_vec()
    }
    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }
    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take(8).try_into().unwrap())
    }
    fn text(&mut self) -> String {
        let len = self.u64() as usize;
        String::from_utf8(self.take(len)).unwrap()
    }
    fn value(&mut self) -> Value {
        match self.u32() {
            4 => Value::Number(self.u32()),
            6 => Value::Float(f32::from_bits(self.u32())),
            7 => Value::Flag(self.take(1) == [1]),
            8 => Value::Text(self.text()),
            9 => {
                let (kind, len) = (self.u32(), self.u64());
                match kind {
                    5 => Value::Numbers((0..len).map(|_| self.u32()).collect()),
                    8 => Value::Texts((0..len).map(|_| self.text()).collect()),
                    other => panic!("a list of type {other}"),
                }
            }
            other => panic!("a value of type {other}"),
        }
    }
}

fn read(bytes: &[u8]) -> File {
    let mut reader = Reader(bytes);
    assert_eq!(reader.take(4), b"GGUF");
    assert_eq!(reader.u32(), 3);
    let (tensors, keys) = (reader.u64(), reader.u64());
    let keys = (0..keys).map(|_| (reader.text(), reader.value())).collect();
    let entries: Vec<_> = (0..tensors)
        .map(|_| {
            let name = reader.text();
            let axes = reader.u32();
            let sizes: Vec<u64> = (0..axes).map(|_| reader.u64()).collect();
            (name, sizes, reader.u32(), reader.u64() as usize)
        })
        .collect();
    let start = (bytes.len() - reader.0.len()).next_multiple_of(32);
    let data = &bytes[start..];
    let ends = entries.iter().skip(1).map(|entry| entry.3).chain([data.len()]);
    let tensors = entries.iter().zip(ends).map(|((name, sizes, kind, offset), end)| {
        assert_eq!(offset % 32, 0, "{name}");
        (name.clone(), (sizes.clone(), *kind, data[*offset..end].to_vec()))
    });
    File { keys, tensors: tensors.collect() }
}

fn exported(
    model: &DecoderModel<f32>,
    tokenizer: Option<&Tokenizer>,
    quantization: Quantization,
) -> (File, Exported) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    let exported = export(model, tokenizer, &path, quantization).unwrap();
    (read(&fs::read(path).unwrap()), exported)
}

/// Two heads that share a key head of 6 features, rows of 32 and of 40.
fn model(tied_head: bool) -> DecoderModel<f32> {
    let config = DecoderConfig {
        d_model: 32,
        n_heads: 2,
        n_kv_heads: 1,
        head_dim: 6,
        d_ff: 40,
        tied_head,
        ..DecoderConfig::reference(266, 8)
    };
    DecoderModel::initialize(config.validate().unwrap(), 1)
}

#[test]
fn sizes_and_formulas_are_written() {
    let (file, _) = exported(&model(true), None, Quantization::F32);
    let number = |key: &str| match file.keys.get(key) {
        Some(Value::Number(number)) => *number,
        other => panic!("{key}: {other:?}"),
    };
    assert_eq!(file.keys["general.architecture"], Value::Text("llama".into()));
    assert_eq!(number("llama.vocab_size"), 266);
    assert_eq!(number("llama.embedding_length"), 32);
    assert_eq!(number("llama.attention.head_count"), 2);
    assert_eq!(number("llama.attention.head_count_kv"), 1);
    assert_eq!(number("llama.attention.key_length"), 6);
    assert_eq!(number("llama.feed_forward_length"), 40);
    assert_eq!(number("llama.context_length"), 8);
    assert_eq!(number("llama.block_count"), 1);
    assert_eq!(file.keys["llama.rope.freq_base"], Value::Float(10_000.0));
    assert_eq!(file.keys["llama.attention.layer_norm_rms_epsilon"], Value::Float(1e-6));
}

#[test]
fn an_f32_file_has_the_transposed_matrices_and_pairs_stay_neighbours() {
    let model = model(true);
    let (file, exported) = exported(&model, None, Quantization::F32);
    assert!(!file.tensors.contains_key("output.weight"), "the head is tied");
    assert!(exported.tensors_left_in_f32.is_empty());
    let (sizes, kind, bytes) = &file.tensors["blk.0.attn_q.weight"];
    assert_eq!((&sizes[..], *kind), (&[32, 12][..], 0));
    let query = model.parameters()[2].value();
    assert_eq!(model.parameters()[2].name(), "blocks.0.attention.query.weight");
    for (output, row) in bytes.as_chunks::<4>().0.chunks(32).enumerate() {
        for (input, weight) in row.iter().enumerate() {
            assert_eq!(f32::from_le_bytes(*weight), query.row(input)[output]);
        }
    }
    let (sizes, _, bytes) = &file.tensors["token_embd.weight"];
    assert_eq!(sizes, &[32, 266]);
    assert_eq!(bytes[..4], model.parameters()[0].value().data()[0].to_le_bytes());
}

#[test]
fn matrices_whose_rows_are_no_whole_blocks_stay_f32_and_are_listed() {
    for (quantization, kind, block_bytes) in
        [(Quantization::Q8_0, 8, 34), (Quantization::Q4_0, 2, 18)]
    {
        let (file, exported) = exported(&model(false), None, quantization);
        // Rows of the attention's output have 12 weights, those of the feed-forward's 40.
        let left = ["blk.0.attn_output.weight", "blk.0.ffn_down.weight"];
        assert_eq!(exported.tensors_left_in_f32, left);
        for (name, (sizes, found, bytes)) in &file.tensors {
            let is_f32 = sizes.len() == 1 || left.contains(&name.as_str());
            assert_eq!(*found, if is_f32 { 0 } else { kind }, "{name}");
            if !is_f32 {
                let len = sizes[1] as usize * block_bytes;
                assert_eq!(bytes.len(), len.next_multiple_of(32), "{name}");
            }
        }
    }
}

#[test]
fn tokenizers_that_llama_cpp_knows_are_written() {
    for (folder, rule) in [("llama3", "llama-bpe"), ("smollm2", "smollm"), ("qwen2", "qwen2")] {
        let imported = import::<f32>(data(folder), &ImportOptions::default()).unwrap();
        let tokenizer = imported.tokenizer.unwrap();
        let (file, exported) = exported(&imported.model, Some(&tokenizer), Quantization::F32);
        assert!(exported.has_tokenizer && exported.notes.is_empty());
        assert_eq!(file.keys["tokenizer.ggml.pre"], Value::Text(rule.into()));
        let start = tokenizer.start_token().is_some();
        assert_eq!(file.keys["tokenizer.ggml.add_bos_token"], Value::Flag(start));
        let end = tokenizer.end_token().unwrap();
        assert_eq!(file.keys["tokenizer.ggml.eos_token_id"], Value::Number(end));
        let Value::Texts(tokens) = &file.keys["tokenizer.ggml.tokens"] else { panic!() };
        let Value::Numbers(kinds) = &file.keys["tokenizer.ggml.token_type"] else { panic!() };
        assert_eq!((tokens.len(), kinds.len()), (tokenizer.vocab_size(), tokenizer.vocab_size()));
        assert_eq!((tokens[end as usize].as_str(), kinds[end as usize]), ("<|end|>", 3));
        let space = tokenizer.artifact().byte_ids[usize::from(b' ')].unwrap() as usize;
        assert_eq!((tokens[space].as_str(), kinds[space]), ("Ġ", 1));
        match folder {
            "llama3" => assert_eq!(kinds[303..], [5; 5], "padding rows"),
            "qwen2" => assert_eq!((tokens[302].as_str(), kinds[302]), ("   ", 4)),
            _ => {}
        }
    }
}

#[test]
fn a_tokenizer_that_llama_cpp_does_not_know_is_left_out_and_told() {
    let ids_only = Tokenizer::from_artifact(TokenizerArtifact::ids_only(266)).unwrap();
    let mut merges_first = import::<f32>(data("llama3"), &ImportOptions::default()).unwrap();
    let mut artifact = merges_first.tokenizer.take().unwrap().artifact().clone();
    artifact.whole_piece_first = false;
    let merges_first = Tokenizer::from_artifact(artifact).unwrap();
    let chapter_four = chapter_four_tokenizer();
    for (tokenizer, reason) in [
        (None, "there is no tokenizer"),
        (Some(&ids_only), "the model's tokenizer knows ids only"),
        (Some(&chapter_four), "llama.cpp has no tokenizer that does not cut text into words"),
        (Some(&merges_first), "with this pretokenizer llama.cpp takes whole pieces first"),
    ] {
        let (file, exported) = exported(&model(true), tokenizer, Quantization::F32);
        assert!(!exported.has_tokenizer);
        assert!(exported.notes[0].starts_with(reason), "{:?}", exported.notes);
        assert_eq!(file.keys["tokenizer.ggml.model"], Value::Text("none".into()));
    }
}

#[test]
fn what_the_format_cannot_hold_is_refused_and_nothing_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    let refusal = |model: &DecoderModel<f64>, quantization| {
        let error = export(model, None, &path, quantization).unwrap_err();
        assert!(matches!(error, InteropError::Inexpressible { .. }));
        assert!(!path.exists());
        error.to_string()
    };
    let config = *model(true).config();
    let mut large = DecoderModel::<f64>::initialize(config, 1);
    large.parameters_mut()[0].value_mut()[5] = 1e7;
    assert!(refusal(&large, Quantization::Q8_0).contains("has a weight of 10000000"));
    assert!(export(&large, None, dir.path().join("f32.gguf"), Quantization::F32).is_ok());
    large.parameters_mut()[0].value_mut()[5] = 1e39;
    assert!(refusal(&large, Quantization::F32).contains("token_embedding.weight"));
    large.parameters_mut()[0].value_mut()[5] = f64::NAN;
    assert!(refusal(&large, Quantization::F32).contains("has a weight of NaN"));

    let mut config = *config;
    config.attention_bias = true;
    let biased = DecoderModel::<f64>::initialize(config.validate().unwrap(), 1);
    assert!(refusal(&biased, Quantization::F32).contains("biases of queries"));
}
