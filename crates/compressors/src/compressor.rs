//! General-purpose compressors as baselines.
//!
//! A compressor turns `n` bytes into `m`, that is `8 m / n` bits per byte, and a language model
//! that spends `b` bits on them could do it in `b / n`. Both are code lengths of the same bytes, so
//! they compare directly, over any tokenizer. A compressor is at a disadvantage on a short text: it
//! starts out knowing nothing, and its frame and checksum count too. Hence two numbers, each
//! document alone and all of them joined.
//!
//! The exact sizes belong to the libraries' versions, which the workspace's lock file fixes.

use std::fmt;
use std::io::Write;

use crate::CompressorError;

/// A compressor at the level that is usual for a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressor {
    /// zlib at its highest level, 9: LZ77 in a window of 32 KiB, Huffman codes (RFC 1950, 1951).
    Zlib,
    /// Zstandard at level 19, its highest ordinary one: larger windows, entropy coding by finite
    /// states (RFC 8878).
    Zstd,
    /// xz at its default preset 6 (LZMA2): windows of 8 MiB, arithmetic coding of bits in context.
    Xz,
}

/// What a compressor made of some documents. All sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressedSizes {
    /// All documents together before compression, at least 1.
    pub original: u64,
    /// The sum over the documents, each compressed alone.
    pub separate: u64,
    /// All documents joined in order and compressed once.
    pub concatenated: u64,
}

impl CompressedSizes {
    /// Bits per byte with each document compressed alone.
    pub fn separate_bits_per_byte(&self) -> f64 {
        8.0 * self.separate as f64 / self.original as f64
    }

    /// Bits per byte of all documents joined.
    pub fn concatenated_bits_per_byte(&self) -> f64 {
        8.0 * self.concatenated as f64 / self.original as f64
    }
}

impl Compressor {
    /// All of them, in the order in which they were invented.
    pub const ALL: [Self; 3] = [Self::Zlib, Self::Zstd, Self::Xz];

    /// The compressed bytes, frame and checksum included.
    ///
    /// # Errors
    /// [`CompressorError::Failed`] if the library fails, for instance without memory.
    pub fn compress(self, bytes: &[u8]) -> Result<Vec<u8>, CompressorError> {
        let compressed = match self {
            Self::Zlib => {
                let level = flate2::Compression::best();
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(bytes).and_then(|()| encoder.finish())
            }
            Self::Zstd => zstd::bulk::compress(bytes, 19),
            Self::Xz => {
                let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
                encoder.write_all(bytes).and_then(|()| encoder.finish())
            }
        };
        compressed.map_err(|error| CompressorError::Failed {
            compressor: self.name(),
            reason: error.to_string(),
        })
    }

    /// Bits of compressed text per byte of text.
    ///
    /// # Errors
    /// [`CompressorError::NoBytes`] for an empty text, [`CompressorError::Failed`].
    ///
    /// # Example
    /// ```
    /// use llm_compressors::Compressor;
    /// let text = "ab".repeat(500);
    /// assert!(Compressor::Zlib.bits_per_byte(text.as_bytes())? < 0.2); // 1000 bytes in a few
    /// # Ok::<(), llm_compressors::CompressorError>(())
    /// ```
    pub fn bits_per_byte(self, text: &[u8]) -> Result<f64, CompressorError> {
        Ok(self.sizes([text])?.concatenated_bits_per_byte())
    }

    /// Compresses each document alone, and all of them joined without anything in between.
    ///
    /// # Errors
    /// [`CompressorError::NoBytes`] if all documents are empty, [`CompressorError::Failed`].
    pub fn sizes<'a>(
        self,
        documents: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<CompressedSizes, CompressorError> {
        let mut joined = Vec::new();
        let mut separate = 0;
        for document in documents {
            separate += self.compress(document)?.len() as u64;
            joined.extend_from_slice(document);
        }
        if joined.is_empty() {
            return Err(CompressorError::NoBytes);
        }
        let (original, concatenated) = (joined.len() as u64, self.compress(&joined)?.len() as u64);
        Ok(CompressedSizes { original, separate, concatenated })
    }

    /// `zlib-9`, `zstd-19` or `xz-6`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zlib => "zlib-9",
            Self::Zstd => "zstd-19",
            Self::Xz => "xz-6",
        }
    }
}

impl fmt::Display for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn decompress(compressor: Compressor, bytes: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        match compressor {
            Compressor::Zlib => flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut text),
            Compressor::Zstd => zstd::Decoder::new(bytes).unwrap().read_to_end(&mut text),
            Compressor::Xz => liblzma::read::XzDecoder::new(bytes).read_to_end(&mut text),
        }
        .unwrap();
        text
    }

    #[test]
    fn every_text_comes_back() {
        for compressor in Compressor::ALL {
            for text in [&b""[..], b"a", &[0, 255, 13, 10], "ab".repeat(500).as_bytes()] {
                let compressed = compressor.compress(text).unwrap();
                assert_eq!(decompress(compressor, &compressed), text, "{compressor}");
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_reference_programs() {
        // CPython 3.11, zlib 1.2.13 and liblzma 5.4.1: len(zlib.compress(text, 9)) and
        // len(lzma.compress(text)); zstd 1.5.4: `zstd -19 --no-check`.
        let text = b"the same words again and again, ".repeat(20);
        let sizes = Compressor::ALL.map(|c| c.compress(&text).unwrap().len());
        assert_eq!(sizes, [43, 46, 104]);
    }

    #[test]
    fn bits_per_byte_are_eight_times_the_ratio_and_no_text_is_refused() {
        for compressor in Compressor::ALL {
            let text = "ab".repeat(500);
            let bytes = compressor.compress(text.as_bytes()).unwrap().len();
            let bits_per_byte = compressor.bits_per_byte(text.as_bytes()).unwrap();
            assert_eq!(bits_per_byte, bytes as f64 / 125.0); // 8 / 1000
            assert_eq!(compressor.bits_per_byte(b""), Err(CompressorError::NoBytes));
            assert_eq!(compressor.sizes([]), Err(CompressorError::NoBytes));
        }
    }

    #[test]
    fn joining_documents_saves_frames_and_repeated_words() {
        for compressor in Compressor::ALL {
            let documents = [&b"one and the same sentence"[..], b"one and the same sentence", b""];
            let sizes = compressor.sizes(documents).unwrap();
            let alone = |text| compressor.compress(text).unwrap().len() as u64;
            assert_eq!(
                (sizes.original, sizes.separate),
                (50, 2 * alone(documents[0]) + alone(b""))
            );
            assert_eq!(sizes.concatenated, alone(&documents.concat()));
            assert!(sizes.concatenated < sizes.separate, "{compressor}");
            assert!(sizes.concatenated_bits_per_byte() < sizes.separate_bits_per_byte());
        }
    }
}
