//! Behaviour of the tokenizer crate, through its public interface only.

mod artifact;
mod chapter_four;
mod documents;
mod encoding;
mod extra_tokens;
mod hugging_face;
mod naive_encoder;
mod strategies;
mod training;
