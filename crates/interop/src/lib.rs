//! Models from elsewhere and to elsewhere.
//!
//! A model that others trained becomes a decoder of this course, with its tokenizer, and is then
//! measured by the same code as one trained here; a model trained here becomes files that the tools
//! of the field open. Nothing is approximated: what a folder asks for and this decoder cannot do is
//! an error that names it.
//!
//! | module | idea |
//! | --- | --- |
//! | [`hugging_face`] | Llama-family folders (`config.json`, `*.safetensors`, `tokenizer.json`), in and out |
//! | [`gguf`] | one file for llama.cpp, out |
//!
//! Left out: other architectures (the decoder has one), rotary scaling, PyTorch's pickled weights
//! (loading one runs code from it), SentencePiece tokenizers. Taught in chapter 23.
//!
//! # Example
//! ```no_run
//! use llm_interop::{gguf, hugging_face};
//!
//! let imported = hugging_face::import::<f32>("SmolLM2-135M", &Default::default())?;
//! imported.portable()?.save("smollm2.llm")?; // one file, model and tokenizer
//!
//! let tokenizer = imported.tokenizer.as_ref();
//! hugging_face::export(&imported.model, tokenizer, "copy")?;
//! let written = gguf::export(&imported.model, tokenizer, "copy.gguf", gguf::Quantization::Q8_0)?;
//! println!("not quantized: {:?}", written.tensors_left_in_f32);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod byte_alphabet;
mod error;
mod file;
pub mod gguf;
mod half;
pub mod hugging_face;
mod names;
mod rows;
mod spelling;

pub use error::InteropError;
