//! What every count model asks of the documents that it is fitted on.

use llm_corpus::{EncodedDocument, Partition, TokenId};

use crate::BaselineError;

/// Refuses an empty list, documents of other partitions, and ids without a place in the vocabulary.
pub(crate) fn check_training_documents(
    vocab_size: usize,
    documents: &[EncodedDocument],
) -> Result<(), BaselineError> {
    if documents.is_empty() {
        return Err(BaselineError::NoTrainingDocuments);
    }
    documents.iter().try_for_each(|document| check_document(vocab_size, document))
}

fn check_document(vocab_size: usize, document: &EncodedDocument) -> Result<(), BaselineError> {
    let name = || document.id().to_owned();
    if document.partition() != Partition::Train {
        let partition = document.partition();
        return Err(BaselineError::NotForTraining { document: name(), partition });
    }
    for (position, &id) in document.ids().iter().enumerate() {
        if !is_in_vocabulary(id, vocab_size) {
            let document = name();
            return Err(BaselineError::DocumentOutsideVocabulary {
                document,
                position,
                id,
                vocab_size,
            });
        }
    }
    Ok(())
}

/// Refuses an id that the vocabulary does not have.
pub(crate) fn check_id(id: TokenId, vocab_size: usize) -> Result<(), BaselineError> {
    if is_in_vocabulary(id, vocab_size) {
        Ok(())
    } else {
        Err(BaselineError::IdOutsideVocabulary { id, vocab_size })
    }
}

/// Ids count from 0, so they are below the vocabulary's size.
fn is_in_vocabulary(id: TokenId, vocab_size: usize) -> bool {
    (id as usize) < vocab_size
}
