//! A list of the documents of a corpus: enough to notice any change, without the texts.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{CorpusError, Document, Partition};

/// The format written and read here.
const FORMAT_VERSION: u64 = 1;

/// Which documents a corpus has, in order. Kept beside a model, it says what the model was trained
/// and scored on.
///
/// ```
/// use llm_corpus::{CorpusManifest, Document, Partition};
/// let documents = [Document::new("t0", Partition::Train, "abc")];
/// let manifest = CorpusManifest::new(&documents);
/// // SHA-256 of "abc", from the standard's examples (FIPS 180-4).
/// assert!(manifest.documents()[0].sha256.starts_with("ba7816bf8f01cfea414140de5dae2223"));
///
/// let changed = [Document::new("t0", Partition::Train, "abd")];
/// assert_eq!(manifest.differences(&changed), ["document `t0` has another text"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct CorpusManifest {
    format_version: u64,
    documents: Vec<DocumentRecord>,
}

/// One document without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentRecord {
    /// Unique in the corpus.
    pub id: String,
    /// What the document may be used for.
    pub partition: Partition,
    /// Length of the text in bytes.
    pub bytes: u64,
    /// SHA-256 of the text, 64 lower-case hexadecimal digits.
    pub sha256: String,
}

/// Size of a partition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PartitionSize {
    /// Number of documents.
    pub documents: usize,
    /// Length of their texts in bytes.
    pub bytes: u64,
}

impl CorpusManifest {
    /// Lists documents with unique ids, as [`read_jsonl`](crate::read_jsonl) gives them.
    pub fn new(documents: &[Document]) -> Self {
        let record = |document: &Document| DocumentRecord {
            id: document.id.clone(),
            partition: document.partition,
            bytes: document.text.len() as u64,
            sha256: hex(&Sha256::digest(&document.text)),
        };
        let documents = documents.iter().map(record).collect();
        Self { format_version: FORMAT_VERSION, documents }
    }

    /// The manifest as a file: indented JSON that people can read and compare line by line.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("texts and numbers fit into JSON");
        json.push(b'\n');
        json
    }

    /// Reads what [`to_json`](Self::to_json) wrote, also if somebody has laid it out anew.
    ///
    /// # Errors
    /// [`CorpusError::Manifest`] for what is no JSON or has unknown fields, for a file of another
    /// version, an id that comes twice, or something else than a digest.
    pub fn from_json(json: &[u8]) -> Result<Self, CorpusError> {
        serde_json::from_slice(json).map_err(|problem| CorpusError::Manifest { problem })
    }

    /// The documents in their order.
    pub fn documents(&self) -> &[DocumentRecord] {
        &self.documents
    }

    /// Identity of the whole: SHA-256 over ids, partitions, lengths and digests in order; 64
    /// lower-case hexadecimal digits.
    pub fn sha256(&self) -> String {
        let mut hasher = Sha256::new_with_prefix(FORMAT_VERSION.to_le_bytes());
        for DocumentRecord { id, partition, bytes, sha256 } in &self.documents {
            // Lengths first, so that no two lists give the same bytes.
            hasher.update((id.len() as u64).to_le_bytes());
            hasher.update(id);
            hasher.update([*partition as u8]);
            hasher.update(bytes.to_le_bytes());
            hasher.update(sha256);
        }
        hex(&hasher.finalize())
    }

    /// Sizes of the partitions that have documents.
    pub fn sizes(&self) -> BTreeMap<Partition, PartitionSize> {
        let mut sizes = BTreeMap::<_, PartitionSize>::new();
        for record in &self.documents {
            let size = sizes.entry(record.partition).or_default();
            size.documents += 1;
            size.bytes = size.bytes.saturating_add(record.bytes);
        }
        sizes
    }

    /// How documents differ from the listed ones, one line for each change; empty if they are the
    /// same in the same order.
    pub fn differences(&self, documents: &[Document]) -> Vec<String> {
        let given = Self::new(documents);
        let by_id = |manifest: &'_ Self| -> BTreeMap<String, DocumentRecord> {
            manifest.documents.iter().map(|record| (record.id.clone(), record.clone())).collect()
        };
        let (listed, given_by_id) = (by_id(self), by_id(&given));
        let mut lines = Vec::new();
        for DocumentRecord { id, partition, sha256, .. } in &self.documents {
            let Some(other) = given_by_id.get(id) else {
                lines.push(format!("document `{id}` is missing"));
                continue;
            };
            if other.sha256 != *sha256 {
                lines.push(format!("document `{id}` has another text"));
            }
            if other.partition != *partition {
                let moved = other.partition;
                lines.push(format!("document `{id}` moved from {partition} to {moved}"));
            }
        }
        let new = given.documents.iter().filter(|record| !listed.contains_key(&record.id));
        lines.extend(new.map(|record| format!("document `{}` is new", record.id)));
        if lines.is_empty() && given != *self {
            lines.push("the order of the documents is another".to_owned());
        }
        lines
    }
}

/// A manifest as it stands in a file, not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format_version: u64,
    documents: Vec<DocumentRecord>,
}

impl TryFrom<Stored> for CorpusManifest {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let Stored { format_version, documents } = stored;
        if format_version != FORMAT_VERSION {
            return Err(format!("manifest format {format_version}, expected {FORMAT_VERSION}"));
        }
        let mut ids = HashSet::new();
        for DocumentRecord { id, sha256, .. } in &documents {
            if !ids.insert(id) {
                return Err(format!("document {id:?} is listed twice"));
            }
            let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            if sha256.len() != 64 || !sha256.bytes().all(digit) {
                return Err(format!(
                    "the sha256 of document {id:?} is not 64 lower-case hex digits"
                ));
            }
        }
        Ok(Self { format_version, documents })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Partition::{Test, Train, Validation};

    fn corpus() -> [Document; 3] {
        [
            Document::new("a", Train, "one"),
            Document::new("b", Train, &b"\xff\0"[..]),
            Document::new("c", Test, "three"),
        ]
    }

    #[test]
    fn sizes_count_documents_and_bytes() {
        let sizes = CorpusManifest::new(&corpus()).sizes();
        let expected = [
            (Train, PartitionSize { documents: 2, bytes: 5 }),
            (Test, PartitionSize { documents: 1, bytes: 5 }),
        ];
        assert_eq!(sizes, BTreeMap::from(expected));
    }

    #[test]
    fn every_change_has_its_line_and_changes_the_identity() {
        let manifest = CorpusManifest::new(&corpus());
        assert_eq!(manifest.differences(&corpus()), [""; 0]);
        type Change = fn(&mut Vec<Document>);
        let changes: [(&str, Change); 7] = [
            ("document `a` is missing", |d| drop(d.remove(0))),
            ("document `b` has another text", |d| d[1].text.push(b'x')),
            ("document `c` moved from test to validation", |d| d[2].partition = Validation),
            ("document `a` has another text, document `a` moved from train to test", |d| {
                d[0] = Document::new("a", Test, "two");
            }),
            ("document `d` is new", |d| d.push(Document::new("d", Train, "one"))),
            ("the order of the documents is another", |d| d.swap(0, 2)),
            ("document `a` is missing, document `e` is new", |d| d[0].id = "e".into()),
        ];
        for (expected, change) in changes {
            let mut documents = corpus().to_vec();
            change(&mut documents);
            assert_eq!(manifest.differences(&documents).join(", "), expected);
            assert_ne!(CorpusManifest::new(&documents).sha256(), manifest.sha256(), "{expected}");
        }
    }

    #[test]
    fn a_manifest_survives_its_file_and_wrong_files_are_refused() {
        let manifest = CorpusManifest::new(&corpus());
        assert_eq!(CorpusManifest::from_json(&manifest.to_json()).unwrap(), manifest);
        assert!(CorpusManifest::from_json(b"\xff").is_err());
        let file = serde_json::to_string(&manifest).unwrap();
        for (from, to, reason) in [
            ("\"format_version\":1", "\"format_version\":2", "manifest format 2"),
            ("\"id\":\"b\"", "\"id\":\"a\"", "\"a\" is listed twice"),
            ("\"sha256\":\"", "\"sha256\":\"A", "64 lower-case hex digits"),
            ("\"bytes\":3", "\"bytes\":3,\"more\":1", "unknown field `more`"),
            ("\"partition\":\"test\"", "\"partition\":\"dev\"", "unknown variant `dev`"),
        ] {
            let changed = file.replacen(from, to, 1);
            let error = CorpusManifest::from_json(changed.as_bytes()).unwrap_err();
            let CorpusError::Manifest { problem } = error else { panic!("{error}") };
            assert!(problem.to_string().contains(reason), "{problem}");
        }
    }
}
