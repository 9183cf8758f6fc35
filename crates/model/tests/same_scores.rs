//! The promise about scores: a document's per-token losses are the same bits whatever else is in
//! the batch, however the batch is stored, on any number of threads and on any kernels.

mod random;

use llm_autograd::{AutogradContext, Element, Kernels};
use llm_corpus::{
    BatchBinding, EncodedDocument, NumberedDocument, Partition, VariableBatch, number,
};
use llm_model::DecoderModel;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use random::{
    HardCase, RandomDocument, RandomModel, cases, documents, models, store, with_threads,
};

/// One document, and where it goes.
#[derive(Clone, Debug)]
struct Placed {
    document: RandomDocument,
    /// Documents are numbered by ascending `rank` ...
    rank: u8,
    /// ... but stored by ascending `place`,
    place: u8,
    /// and after some of them a new batch begins,
    ends_batch: bool,
    /// packed or padded as its first document says.
    packed: bool,
}

/// A model, documents, and one way to compute their losses.
#[derive(Clone, Debug)]
struct Case {
    model: RandomModel,
    documents: Vec<Placed>,
    /// Most inputs of a row beyond the longest document.
    spare: usize,
    threads: usize,
}

prop_compose! {
    fn placed()(
        document in documents(),
        rank in any::<u8>(),
        place in any::<u8>(),
        ends_batch in prop::bool::weighted(0.3),
        packed in any::<bool>(),
    ) -> Placed {
        Placed { document, rank, place, ends_batch, packed }
    }
}

prop_compose! {
    fn any_case()(
        model in models(),
        mut documents in prop::collection::vec(placed(), 1..=6),
        spare in 0_usize..40,
        threads in 1_usize..=4,
    ) -> Case {
        documents.iter_mut().for_each(|placed| placed.document.fit(model.config.vocab_size));
        Case { model, documents, spare, threads }
    }
}

/// All implementations, sharing even the smallest work between threads.
fn all_kernels() -> Vec<Kernels> {
    Kernels::available().into_iter().map(|kernels| kernels.with_sharing_threshold(0)).collect()
}

fn context<E: Element>(kernels: Kernels, recording: bool) -> AutogradContext<E> {
    match recording {
        true => AutogradContext::recording_with(kernels),
        false => AutogradContext::no_grad_with(kernels),
    }
}

/// The losses of a batch's scored targets.
fn losses<E: Element>(
    model: &DecoderModel<E>,
    context: &AutogradContext<E>,
    batch: &VariableBatch,
) -> Vec<f64> {
    let loss = model.loss_padded_with_context(context, batch, batch.binding()).unwrap();
    assert_eq!(loss.tracks_gradient(), context.is_recording());
    assert_eq!(loss.count(), batch.target_count());
    loss.token_nll().to_vec()
}

/// The losses of all targets of one document that nothing else is computed with, in one thread on
/// portable kernels: what every other way must agree with.
fn alone<E: Element>(model: &DecoderModel<E>, binding: &BatchBinding, ids: &[u32]) -> Vec<f64> {
    let ids = ids.to_vec();
    let document = [EncodedDocument::from_ids("alone", Partition::Test, ids).unwrap()];
    let batch = VariableBatch::padded(Partition::Test, binding, &number(0, &document)).unwrap();
    losses(model, &AutogradContext::no_grad_with(Kernels::portable()), &batch)
}

/// Two lists of losses have the same bits; `what` says what they are.
fn same_bits(what: &str, got: &[f64], expected: &[f64]) -> TestCaseResult {
    prop_assert_eq!(got.len(), expected.len(), "{}", what);
    for (target, (got, expected)) in got.iter().zip(expected).enumerate() {
        let same = got.to_bits() == expected.to_bits();
        prop_assert!(same, "{what}, target {target}: {got:e} is not {expected:e}");
    }
    Ok(())
}

impl Case {
    fn encoded(&self) -> Vec<EncodedDocument> {
        self.documents.iter().map(|placed| placed.document.encoded(Partition::Test)).collect()
    }

    fn binding(&self) -> BatchBinding {
        let inputs = self.documents.iter().map(|placed| placed.document.ids.len() - 1);
        self.model.binding(inputs.max().unwrap() + self.spare)
    }

    /// The number of each document: unique, in the order of the ranks.
    fn ordinal(&self, document: usize) -> u64 {
        u64::from(self.documents[document].rank) * 1000 + document as u64
    }

    /// The documents of each batch in the order of storage.
    fn batches(&self) -> Vec<Vec<usize>> {
        let mut stored: Vec<usize> = (0..self.documents.len()).collect();
        stored.sort_by_key(|&document| self.documents[document].place);
        stored
            .chunk_by(|&document, _| !self.documents[document].ends_batch)
            .map(<[usize]>::to_vec)
            .collect()
    }

    /// The losses of each document's scored targets, computed as the case says.
    fn together<E: Element>(
        &self,
        model: &DecoderModel<E>,
        kernels: Kernels,
        recording: bool,
    ) -> Vec<Vec<f64>> {
        let (encoded, binding) = (self.encoded(), self.binding());
        let mut of_document = vec![Vec::new(); encoded.len()];
        for mut members in self.batches() {
            let numbered = members.iter().map(|&document| NumberedDocument {
                ordinal: self.ordinal(document),
                document: &encoded[document],
            });
            let packed = self.documents[members[0]].packed;
            let batch = store(&binding, &numbered.collect::<Vec<_>>(), packed);
            let losses = losses(model, &context(kernels, recording), &batch);
            let mut losses = losses.into_iter();
            members.sort_by_key(|&document| self.ordinal(document));
            for document in members {
                let count = encoded[document].scored_count();
                of_document[document].extend(losses.by_ref().take(count));
            }
            assert_eq!(losses.next(), None);
        }
        of_document
    }

    fn scores_are_the_same_bits<E: Element>(&self) -> TestCaseResult {
        let (model, encoded) = (self.model.build::<E>(), self.encoded());
        let expected: Vec<Vec<f64>> = encoded
            .iter()
            .map(|document| {
                let losses = alone(&model, &self.binding(), document.ids());
                let scored = (0..losses.len()).filter(|&target| document.is_scored(target));
                scored.map(|target| losses[target]).collect()
            })
            .collect();
        for kernels in all_kernels() {
            for recording in [false, true] {
                let got = with_threads(self.threads, || self.together(&model, kernels, recording));
                for (document, (got, expected)) in got.iter().zip(&expected).enumerate() {
                    let how = format!("{} {}, recording: {recording}", E::NAME, kernels.name());
                    same_bits(&format!("document {document}, {how}"), got, expected)?;
                }
            }
        }
        Ok(())
    }
}

/// A document, another way to go on after its first ids, and a neighbour of it.
#[derive(Clone, Debug)]
struct Futures {
    model: RandomModel,
    shared: Vec<u32>,
    ends: [Vec<u32>; 2],
    neighbours: [RandomDocument; 2],
    threads: usize,
}

prop_compose! {
    fn futures()(
        model in models(),
        mut shared in documents(),
        ends in prop::array::uniform2(prop::collection::vec(0..40_u32, 0..8)),
        mut neighbours in prop::array::uniform2(documents()),
        threads in 1_usize..=4,
    ) -> Futures {
        let vocab_size = model.config.vocab_size;
        shared.fit(vocab_size);
        neighbours.iter_mut().for_each(|document| document.fit(vocab_size));
        shared.ids.truncate(14); // the context is 20 inputs long
        let ends = ends.map(|end| end.into_iter().map(|id| id % vocab_size as u32).collect());
        Futures { model, shared: shared.ids, ends, neighbours, threads }
    }
}

impl Futures {
    /// Every loss in the document with `end`, packed into one row behind a neighbour.
    fn losses<E: Element>(
        &self,
        model: &DecoderModel<E>,
        kernels: Kernels,
        end: usize,
        neighbour: usize,
    ) -> Vec<f64> {
        let ids = [&self.shared[..], &self.ends[end]].concat();
        let inputs = ids.len() - 1;
        let encoded = [
            self.neighbours[neighbour].encoded(Partition::Test),
            EncodedDocument::from_ids("future", Partition::Test, ids).unwrap(),
        ];
        let batch = store(&self.model.binding(40), &number(0, &encoded), true);
        assert_eq!(batch.rows(), 1);
        let losses = losses(model, &AutogradContext::no_grad_with(kernels), &batch);
        losses[losses.len() - inputs..].to_vec()
    }

    fn the_past_is_the_same_bits<E: Element>(&self) -> TestCaseResult {
        let model = self.model.build::<E>();
        for kernels in all_kernels() {
            with_threads(self.threads, || -> TestCaseResult {
                let first = self.losses(&model, kernels, 0, 0);
                let other_future = self.losses(&model, kernels, 1, 0);
                let other_neighbour = self.losses(&model, kernels, 0, 1);
                // Target t is the id at t + 1, so this many targets are shared.
                let shared = self.shared.len() - 1;
                let how = format!("{} {}", E::NAME, kernels.name());
                same_bits(
                    &format!("other future, {how}"),
                    &other_future[..shared],
                    &first[..shared],
                )?;
                same_bits(&format!("other neighbour, {how}"), &other_neighbour, &first)?;
                Ok(())
            })?;
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_document_scores_the_same_bits_in_any_company(case in any_case()) {
        case.scores_are_the_same_bits::<f64>()?;
        case.scores_are_the_same_bits::<f32>()?;
    }

    #[test]
    fn neither_the_future_nor_a_neighbour_reaches_a_loss(futures in futures()) {
        futures.the_past_is_the_same_bits::<f64>()?;
        futures.the_past_is_the_same_bits::<f32>()?;
    }
}

#[test]
fn hard_shapes_score_the_same_bits() {
    for hard in HardCase::all() {
        // Numbered and stored in different orders.
        let placed = |(number, document)| {
            let rank = (number * 7 % 5) as u8;
            Placed { document, rank, place: number as u8, ends_batch: number == 3, packed: true }
        };
        let documents = hard.documents().enumerate().map(placed).collect();
        let case = Case { model: hard.model(), documents, spare: 15, threads: hard.threads };
        let same = case.scores_are_the_same_bits::<f64>();
        same.and_then(|()| case.scores_are_the_same_bits::<f32>())
            .unwrap_or_else(|different| panic!("{}: {different}", hard.why));
    }
}

proptest! {
    #![proptest_config(cases(5000))]

    #[test]
    #[ignore = "campaign: 5000 random models and batches, some minutes"]
    fn five_thousand_batches_score_the_same_bits(case in any_case(), futures in futures()) {
        case.scores_are_the_same_bits::<f64>()?;
        case.scores_are_the_same_bits::<f32>()?;
        futures.the_past_is_the_same_bits::<f64>()?;
        futures.the_past_is_the_same_bits::<f32>()?;
    }
}
