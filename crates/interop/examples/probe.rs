//! What the scripts of `interop/` ask this library; for people there is `llm import` and `llm export`.
//!
//! ```text
//! probe logits   DIR f32|f64 ID...     one JSON list a row, behind every id
//! probe fresh    DIR SEED SIZES...     a fresh model of f64 and the chapter-4 tokenizer, as a folder
//! probe copy     DIR DIR               in and out again
//! probe gguf     DIR FILE f32|q8_0|q4_0
//! probe encode   DIR                   a JSON list of texts on stdin, a list of ids a line
//! ```
#![expect(clippy::print_stdout, reason = "a program")]

use std::error::Error;

use llm_archive::PortableElement;
use llm_autograd::Kernels;
use llm_interop::gguf::{self, Quantization};
use llm_interop::hugging_face::{ImportOptions, Imported, export, import};
use llm_model::{DecoderConfig, DecoderModel, KeyValueCache};
use llm_tokenizer::chapter_four_tokenizer;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        ["logits", dir, "f32", ref ids @ ..] => logits::<f32>(dir, ids),
        ["logits", dir, "f64", ref ids @ ..] => logits::<f64>(dir, ids),
        ["fresh", dir, seed, n_heads, n_kv_heads, head_dim, n_layers] => {
            let tokenizer = chapter_four_tokenizer();
            let heads: usize = n_heads.parse()?;
            let config = DecoderConfig {
                d_model: 8 * heads,
                n_heads: heads,
                n_kv_heads: n_kv_heads.parse()?,
                head_dim: head_dim.parse()?,
                n_layers: n_layers.parse()?,
                d_ff: 24,
                tied_head: heads.is_multiple_of(2),
                attention_bias: heads.is_multiple_of(3),
                ..DecoderConfig::reference(tokenizer.vocab_size(), 64)
            };
            let mut model = DecoderModel::<f64>::initialize(config.validate()?, seed.parse()?);
            // A fresh bias is zero and a fresh gain one, which would hide a mistake.
            let vectors =
                model.parameters_mut().iter_mut().filter(|p| p.value().shape().len() == 1);
            for (at, vector) in vectors.enumerate() {
                let values = vector.value_mut().iter_mut().enumerate();
                values.for_each(|(i, x)| *x += 0.3 * some_number(at * 31 + i));
            }
            export(&model, Some(&tokenizer), dir)?;
            Ok(())
        }
        ["copy", from, to] => {
            let Imported { model, tokenizer, .. } = read::<f32>(from)?;
            export(&model, tokenizer.as_ref(), to)?;
            Ok(())
        }
        ["gguf", from, to, quantization] => {
            let quantization = match quantization {
                "f32" => Quantization::F32,
                "q8_0" => Quantization::Q8_0,
                "q4_0" => Quantization::Q4_0,
                other => return Err(format!("no quantization {other}").into()),
            };
            let Imported { model, tokenizer, .. } = read::<f64>(from)?; // takes every type
            let written = gguf::export(&model, tokenizer.as_ref(), to, quantization)?;
            println!("{written:?}");
            Ok(())
        }
        ["encode", dir] => {
            let tokenizer = read::<f64>(dir)?.tokenizer.ok_or("no tokenizer")?;
            let texts: Vec<String> = serde_json::from_reader(std::io::stdin())?;
            texts.iter().try_for_each(|text| {
                println!("{:?}", tokenizer.encode(text.as_bytes())?);
                Ok(())
            })
        }
        _ => Err("see the head of crates/interop/examples/probe.rs".into()),
    }
}

fn read<E: PortableElement>(dir: &str) -> Result<Imported<E>, Box<dyn Error>> {
    Ok(import(dir, &ImportOptions::default())?)
}

fn logits<E: PortableElement>(dir: &str, ids: &[&str]) -> Result<(), Box<dyn Error>> {
    let model = import::<E>(dir, &ImportOptions { tokenizer: false })?.model;
    let ids: Vec<u32> = ids.iter().map(|id| id.parse()).collect::<Result<_, _>>()?;
    let mut cache = KeyValueCache::new(model.config(), ids.len())?;
    let logits = model.extend(Kernels::detect(), &mut cache, &ids)?;
    for row in 0..ids.len() {
        let row: Vec<f64> = logits.row(row).iter().map(|x| x.to_f64()).collect();
        println!("{}", serde_json::to_string(&row)?);
    }
    Ok(())
}

/// Some numbers between -1 and 1.
fn some_number(i: usize) -> f64 {
    (i * 37 % 101) as f64 / 50.0 - 1.0
}
