//! What a batch refuses, with the document and the numbers in the error.

use std::num::NonZeroUsize;

use llm_corpus::{
    BatchBinding, CorpusError, Document, EncodedDocument, Layout, NumberedDocument, PackedBatch,
    Partition, VariableBatch, batches, number,
};
use llm_tokenizer::{Tokenizer, TokenizerError, chapter_four_tokenizer};

use crate::{binding, document};

/// Asks both constructors, which must refuse alike.
fn refusal(binding: &BatchBinding, documents: &[NumberedDocument<'_>]) -> CorpusError {
    let padded = VariableBatch::padded(Partition::Train, binding, documents).unwrap_err();
    let packed = PackedBatch::first_fit(Partition::Train, binding, documents).unwrap_err();
    assert_eq!(padded.to_string(), packed.to_string());
    padded
}

#[test]
fn a_training_batch_refuses_validation_and_test_documents() {
    let binding = binding(10, 8);
    let train = document("t0", Partition::Train, &[0, 9, 1]);
    for held_out in [Partition::Validation, Partition::Test] {
        let documents = [train.clone(), document("v0", held_out, &[0, 8, 1])];
        let error = VariableBatch::training(&binding, &number(0, &documents)).unwrap_err();
        let CorpusError::WrongPartition { document, given, expected } = &error else {
            panic!("{error}")
        };
        assert_eq!(document.as_deref(), Some("v0"));
        assert_eq!((*given, *expected), (held_out, Partition::Train));
        assert_eq!(
            error.to_string(),
            format!(
                "document `v0` belongs to the {held_out} partition, expected train: \
                 use train documents only"
            )
        );
        assert_eq!(refusal(&binding, &number(0, &documents)).to_string(), error.to_string());
    }
    let batch = VariableBatch::training(&binding, &number(0, &[train])).unwrap();
    assert_eq!(batch.partition(), Partition::Train);
}

#[test]
fn an_evaluation_batch_refuses_training_documents() {
    let documents = [document("t0", Partition::Train, &[0, 9, 1])];
    let error =
        VariableBatch::padded(Partition::Validation, &binding(10, 8), &number(0, &documents))
            .unwrap_err();
    assert!(
        matches!(error, CorpusError::WrongPartition { expected: Partition::Validation, .. }),
        "{error}"
    );
}

#[test]
fn a_batch_of_nothing_is_refused_but_no_documents_give_no_batches() {
    assert!(matches!(refusal(&binding(10, 8), &[]), CorpusError::EmptyBatch));
    let none = batches(Partition::Train, &binding(10, 8), &[], Layout::SEPARATE).unwrap();
    assert!(none.is_empty());
}

#[test]
fn a_document_longer_than_the_capacity_is_refused_by_name_in_every_layout() {
    let documents = [
        document("fits", Partition::Train, &[0, 9, 9, 9, 1]), // 4 inputs
        document("long", Partition::Train, &[0, 9, 9, 9, 9, 1]), // 5 inputs
    ];
    let binding = binding(10, 4);
    let is_long = |error: &CorpusError| {
        matches!(error, CorpusError::LongerThanCapacity { document, inputs: 5, capacity: 4 }
            if document == "long")
    };
    assert!(is_long(&refusal(&binding, &number(0, &documents))));
    for rows in 1..4 {
        let rows = NonZeroUsize::new(rows).unwrap();
        for layout in [Layout::Padded { rows }, Layout::Packed { rows }] {
            let error = batches(Partition::Train, &binding, &documents, layout).unwrap_err();
            assert!(is_long(&error), "{layout:?}: {error}");
        }
    }
}

#[test]
fn a_capacity_of_zero_refuses_every_document() {
    let documents = [document("d", Partition::Train, &[0, 1])];
    let error = refusal(&binding(10, 0), &number(0, &documents));
    assert!(matches!(error, CorpusError::LongerThanCapacity { capacity: 0, .. }), "{error}");
}

#[test]
fn an_id_outside_the_vocabulary_is_refused_with_its_position() {
    // The last id is only ever a target, the first only ever an input: both are checked.
    for (position, ids) in [[10, 1, 1], [0, 10, 1], [0, 1, 10]].into_iter().enumerate() {
        let documents = [document("d", Partition::Train, &ids)];
        let error = refusal(&binding(10, 8), &number(0, &documents));
        let CorpusError::IdOutsideVocabulary { position: given, id: 10, vocab_size: 10, .. } =
            error
        else {
            panic!("{error}")
        };
        assert_eq!(given, position);
    }
}

#[test]
fn an_ordinal_given_twice_is_refused() {
    let document: EncodedDocument = document("d", Partition::Train, &[0, 1]);
    let twice = [4, 7, 4].map(|ordinal| NumberedDocument { ordinal, document: &document });
    let error = refusal(&binding(10, 8), &twice);
    assert!(matches!(error, CorpusError::DuplicateOrdinal { ordinal: 4 }), "{error}");
}

#[test]
fn a_finished_batch_is_refused_under_another_partition_or_binding() {
    let documents = [document("d", Partition::Validation, &[0, 1])];
    let built_for = binding(10, 8);
    let batch =
        VariableBatch::padded(Partition::Validation, &built_for, &number(0, &documents)).unwrap();
    batch.check(Partition::Validation, &built_for).unwrap();

    let error = batch.check(Partition::Train, &built_for).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the batch belongs to the validation partition, expected train: use train documents only"
    );
    let others = [
        BatchBinding { tokenizer_sha256: "1".repeat(64), ..built_for.clone() },
        BatchBinding { vocab_size: 11, ..built_for.clone() },
        BatchBinding { capacity: 9, ..built_for.clone() },
    ];
    for other in others {
        let error = batch.check(Partition::Validation, &other).unwrap_err();
        let CorpusError::WrongBinding { given, expected } = error else { panic!("{error}") };
        assert_eq!((*given, *expected), (built_for.clone(), other));
    }
}

#[test]
fn a_text_that_cannot_be_encoded_is_refused_with_the_document_and_the_byte() {
    let mut artifact = chapter_four_tokenizer().artifact().clone();
    artifact.byte_ids[0xff] = None;
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    let document = Document::new("d", Partition::Train, b"a\xff");
    let error = EncodedDocument::encode(&document, &tokenizer).unwrap_err();
    assert_eq!(error.to_string(), "document `d` does not fit its tokenizer");
    assert!(
        matches!(
            error,
            CorpusError::Tokenizer {
                source: TokenizerError::MissingByte { byte: 0xff, offset: 1 },
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn an_empty_text_has_a_target_only_if_the_tokenizer_frames_it() {
    let empty = Document::new("d", Partition::Train, "");
    let framed = chapter_four_tokenizer();
    assert_eq!(EncodedDocument::encode(&empty, &framed).unwrap().ids(), [0, 1]);

    let mut artifact = framed.artifact().clone();
    (artifact.document_start, artifact.document_end) = (None, None);
    let bare = Tokenizer::from_artifact(artifact).unwrap();
    let error = EncodedDocument::encode(&empty, &bare).unwrap_err();
    assert!(matches!(error, CorpusError::TooFewIds { ids: 0, .. }), "{error}");
}
