//! One file for a trained model: a safetensors container with a canonical header and a digest, and
//! the portable model in it.
//!
//! A [`Container`] is a file in the safetensors format, which many tools can open. On top of the
//! format it promises three things: the same content always gives the same bytes, the content
//! has an identity (a SHA-256 digest), and no change of any byte goes unnoticed. Saving is
//! atomic: at every moment the file is either absent, the old one, or the complete new one.
//! A [`PortableModel`] is a decoder and its tokenizer in such a file.
//!
//! Left out: compression, encryption, files split into parts, lazy or memory-mapped loading. The
//! digest finds damage and mix-ups; it does not say who wrote a file. Taught in chapter 15.
//!
//! | to see | read |
//! | --- | --- |
//! | the bytes of the file | `header.rs`, then `canonical.rs` |
//! | what is stored, and how it is read without a second copy | `container.rs`, `tensor.rs`, `source.rs` |
//! | what a saved model is made of | `portable.rs`, `portable/description.rs` |
//! | how the tensors of a file are given their meaning | `sequence.rs` |
//! | how a file appears all at once | `atomic.rs`, `atomic/draft.rs` |
//! | what can go wrong | `error.rs` |
//!
//! # Example
//! ```
//! use llm_archive::{Container, TensorData};
//!
//! let gain = TensorData::new("gain", vec![2], vec![1.0_f64, 0.5]);
//! let container = Container::new("example", &serde_json::json!({"note": "two gains"}), vec![gain])?;
//! let bytes = container.to_bytes();
//! assert_eq!(Container::from_bytes(&bytes, "example")?, container);
//!
//! let mut damaged = bytes.clone();
//! *damaged.last_mut().unwrap() ^= 1;
//! assert!(Container::from_bytes(&damaged, "example").is_err());
//! # Ok::<(), llm_archive::ArchiveError>(())
//! ```
#![forbid(unsafe_code)]

mod atomic;
mod canonical;
mod container;
mod error;
mod header;
mod portable;
mod sequence;
mod source;
mod tensor;

pub use atomic::{check_writable, write_atomically};
pub use canonical::canonical_json;
pub use container::{Container, inspect, verify};
pub use error::ArchiveError;
pub use header::{FORMAT_VERSION, Header, MAX_HEADER_LEN};
pub use portable::{MODEL_KIND, ModelDescription, PortableElement, PortableModel, Selection};
pub use sequence::{StoredElement, TensorSequence};
pub use source::open_regular_file;
pub use tensor::{Dtype, TensorData, TensorInfo, Values};
