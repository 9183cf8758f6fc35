//! Changing one document never changes another one's losses, in any bit.

use std::num::NonZeroUsize;

use llm_from_scratch_practical::autograd::AutogradContext;
use llm_from_scratch_practical::corpus::{
    BatchBinding, EncodedDocument, Layout, Partition, batches,
};
use llm_from_scratch_practical::model::{DecoderConfig, DecoderModel};
use proptest::prelude::*;

const VOCAB_SIZE: usize = 20;

/// The losses of each document, as bits.
fn losses(ids: &[Vec<u32>], seed: u64, layout: Layout) -> Vec<Vec<u64>> {
    let documents: Vec<EncodedDocument> = ids
        .iter()
        .map(|ids| EncodedDocument::from_ids("d", Partition::Test, ids.clone()).unwrap())
        .collect();
    let binding =
        BatchBinding { tokenizer_sha256: "none".into(), vocab_size: VOCAB_SIZE, capacity: 10 };
    let config = DecoderConfig { n_layers: 2, ..DecoderConfig::reference(VOCAB_SIZE, 10) };
    let model = DecoderModel::<f64>::initialize(config.validate().unwrap(), seed);
    let mut all = Vec::new();
    for batch in batches(Partition::Test, &binding, &documents, layout).unwrap() {
        let context = AutogradContext::no_grad();
        let loss = model.loss_padded_with_context(&context, &batch, &binding).unwrap();
        all.extend(loss.token_nll().iter().map(|nll| nll.to_bits()));
    }
    let mut rest = all.as_slice();
    documents
        .iter()
        .map(|document| {
            let (own, later) = rest.split_at(document.target_count());
            rest = later;
            own.to_vec()
        })
        .collect()
}

fn ids() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..VOCAB_SIZE as u32, 2..11)
}

#[test]
fn no_id_is_taken_for_an_empty_cell() {
    // Ids 0 and 19, which others use for padding, alone in a document and beside a longer one.
    let documents = [vec![0, 0, 0], vec![19; 4], vec![3, 0, 19, 0, 5, 0, 7, 19, 2, 1]];
    let rows = NonZeroUsize::new(3).unwrap();
    let alone = losses(&documents, 7, Layout::SEPARATE);
    assert_eq!(alone.iter().map(Vec::len).collect::<Vec<_>>(), [2, 3, 9]);
    for layout in [Layout::Padded { rows }, Layout::Packed { rows }] {
        assert_eq!(losses(&documents, 7, layout), alone, "{layout:?}");
    }
}

proptest! {
    #[test]
    fn a_document_keeps_its_losses_whoever_is_in_the_row(
        documents in prop::collection::vec(ids(), 2..7),
        other in ids(),
        changed in any::<prop::sample::Index>(),
        rows in 1_usize..5,
        seed in any::<u64>(),
    ) {
        let rows = NonZeroUsize::new(rows).unwrap();
        let layout = Layout::Packed { rows };
        let before = losses(&documents, seed, layout);
        prop_assert_eq!(&losses(&documents, seed, Layout::SEPARATE), &before);
        prop_assert_eq!(&losses(&documents, seed, Layout::Padded { rows }), &before);

        // Another text, of another length too: everybody may move to another row.
        let changed = changed.index(documents.len());
        let mut perturbed = documents.clone();
        perturbed[changed] = other;
        let after = losses(&perturbed, seed, layout);
        for document in (0..documents.len()).filter(|&document| document != changed) {
            prop_assert_eq!(&after[document], &before[document]);
        }
    }
}
