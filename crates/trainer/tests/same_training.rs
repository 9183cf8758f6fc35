//! The promise about training: for a given order of documents, a run is the same bits for any
//! padding, packing and cut into microbatches, on any number of threads and on any kernels.

#[path = "../../model/tests/random/mod.rs"]
mod random; // the same models and documents as the tests of scores

use llm_autograd::{AutogradContext, Element, Kernels};
use llm_corpus::{BatchBinding, EncodedDocument, NumberedDocument, Partition, VariableBatch};
use llm_model::{DecoderModel, DropoutMode, DropoutProbability, DropoutStream};
use llm_trainer::{AdamWConfig, Schedule, Trainer, TrainingConfig, UpdateReport};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use random::{
    HardCase, RandomDocument, RandomModel, cases, documents, models, store, with_threads,
};

/// One document, and how the run under test stores it.
#[derive(Clone, Debug)]
struct Placed {
    document: RandomDocument,
    /// After some documents a new microbatch begins,
    ends_microbatch: bool,
    /// packed or padded as its first document says,
    packed: bool,
    /// with its documents in storage by ascending `place`.
    place: u8,
}

/// A run, and one way to compute it.
#[derive(Clone, Debug)]
struct Case {
    model: RandomModel,
    /// The documents of each update, in their order.
    updates: Vec<Vec<Placed>>,
    dropout: f64,
    clip_limit: f64,
    /// Most inputs of a row beyond the longest document.
    spare: usize,
    threads: usize,
}

prop_compose! {
    fn placed()(
        document in documents(),
        ends_microbatch in prop::bool::weighted(0.4),
        packed in any::<bool>(),
        place in any::<u8>(),
    ) -> Placed {
        Placed { document, ends_microbatch, packed, place }
    }
}

prop_compose! {
    fn any_case()(
        model in models(),
        mut updates in prop::collection::vec(prop::collection::vec(placed(), 1..=5), 1..=4),
        dropout in prop_oneof![Just(0.0), Just(0.3)],
        clip_limit in prop_oneof![Just(f64::INFINITY), Just(0.5)],
        spare in 0_usize..40,
        threads in 1_usize..=4,
    ) -> Case {
        let vocab_size = model.config.vocab_size;
        updates.iter_mut().flatten().for_each(|placed| placed.document.fit(vocab_size));
        Case { model, updates, dropout, clip_limit, spare, threads }
    }
}

/// Cuts an update's documents into microbatches.
type Cut = fn(&Case, &[Placed], &[NumberedDocument<'_>]) -> Vec<VariableBatch>;

impl Case {
    fn binding(&self) -> BatchBinding {
        let inputs = self.updates.iter().flatten().map(|placed| placed.document.ids.len() - 1);
        self.model.binding(inputs.max().unwrap() + self.spare)
    }

    /// Every document a microbatch of its own: the run that all others must agree with.
    fn one_by_one(&self, _: &[Placed], numbered: &[NumberedDocument<'_>]) -> Vec<VariableBatch> {
        numbered.chunks(1).map(|one| store(&self.binding(), one, false)).collect()
    }

    /// The cut and the storage that the case describes.
    fn as_placed(
        &self,
        placed: &[Placed],
        numbered: &[NumberedDocument<'_>],
    ) -> Vec<VariableBatch> {
        let documents: Vec<_> = placed.iter().zip(numbered).collect();
        documents
            .chunk_by(|(placed, _), _| !placed.ends_microbatch)
            .map(|microbatch| {
                let packed = microbatch[0].0.packed;
                let mut stored = microbatch.to_vec();
                stored.sort_by_key(|(placed, _)| placed.place);
                let stored: Vec<_> = stored.into_iter().map(|(_, numbered)| *numbered).collect();
                store(&self.binding(), &stored, packed)
            })
            .collect()
    }

    /// The microbatches of every update; documents are numbered over the whole run.
    fn microbatches(&self, cut: Cut) -> Vec<Vec<VariableBatch>> {
        let mut ordinals = 0..;
        let mut update = |placed: &Vec<Placed>| {
            let encoded: Vec<EncodedDocument> =
                placed.iter().map(|placed| placed.document.encoded(Partition::Train)).collect();
            let numbered: Vec<_> = encoded
                .iter()
                .zip(&mut ordinals)
                .map(|(document, ordinal)| NumberedDocument { ordinal, document })
                .collect();
            cut(self, placed, &numbered)
        };
        self.updates.iter().map(&mut update).collect()
    }

    /// What each update reports, and the bits of each parameter after it.
    fn run<E: Element>(&self, cut: Cut, kernels: Kernels) -> Vec<(UpdateReport, Bits)> {
        let config = TrainingConfig {
            optimizer: AdamWConfig { weight_decay: 0.1, ..AdamWConfig::default() },
            schedule: Schedule::Constant { rate: 0.02 },
            clip_limit: self.clip_limit,
            dropout: DropoutProbability::new(self.dropout).unwrap(),
            dropout_seed: 5,
        };
        let mut trainer = Trainer::with_kernels(self.model.build::<E>(), config, kernels).unwrap();
        let binding = self.binding();
        let update = |microbatches: Vec<VariableBatch>| {
            let report = trainer.update(&binding, &microbatches).unwrap();
            (report, value_bits(trainer.model()))
        };
        self.microbatches(cut).into_iter().map(update).collect()
    }

    /// The bits of each parameter's gradient of all documents' losses, lookup and head of a tied
    /// matrix apart.
    fn gradients<E: Element>(&self, cut: Cut, kernels: Kernels) -> Bits {
        let mut model = self.model.build::<E>();
        let probability = DropoutProbability::new(self.dropout).unwrap();
        let mut stream = DropoutStream::new(5);
        for batch in self.microbatches(cut).concat() {
            let context = AutogradContext::recording_with(kernels);
            let mode = DropoutMode::Train(&mut stream);
            let loss =
                model.loss_with_dropout(&context, &batch, batch.binding(), probability, mode);
            model.backward(&context, loss.unwrap().sum().unwrap()).unwrap();
        }
        let apart = model.parameters().iter().flat_map(|parameter| {
            let parts = [parameter.gradient(), parameter.head_gradient()];
            let bits = |part: &[E]| part.iter().map(|x| x.bits()).collect();
            parts.map(|part| (parameter.name().to_owned(), part.map_or(Vec::new(), bits)))
        });
        apart.collect()
    }

    fn runs_are_the_same_bits<E: Element>(&self) -> TestCaseResult {
        let portable = Kernels::portable();
        let expected = self.run::<E>(Self::one_by_one, portable);
        let expected_gradients = self.gradients::<E>(Self::one_by_one, portable);
        for kernels in Kernels::available().into_iter().map(|k| k.with_sharing_threshold(0)) {
            let how = format!("{} {}", E::NAME, kernels.name());
            let got = with_threads(self.threads, || self.gradients::<E>(Self::as_placed, kernels));
            same_parameters(&format!("gradient, {how}"), &got, &expected_gradients)?;
            let got = with_threads(self.threads, || self.run::<E>(Self::as_placed, kernels));
            for (update, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let when = format!("after update {update}, {how}");
                same_parameters(&when, &got.1, &expected.1)?;
                prop_assert_eq!(&got.0, &expected.0, "report {}", when);
            }
        }
        Ok(())
    }
}

/// Name and bit patterns of every parameter.
type Bits = Vec<(String, Vec<u64>)>;

fn value_bits<E: Element>(model: &DecoderModel<E>) -> Bits {
    let parameters = model.parameters().iter();
    parameters.map(|parameter| (parameter.name().to_owned(), parameter.value().bits())).collect()
}

fn same_parameters(when: &str, got: &Bits, expected: &Bits) -> TestCaseResult {
    prop_assert_eq!(got.len(), expected.len());
    for ((name, got), (_, expected)) in got.iter().zip(expected) {
        let different = got.iter().zip(expected).filter(|(got, expected)| got != expected).count();
        prop_assert!(
            got.len() == expected.len() && different == 0,
            "{name} {when}: {different} of {} elements differ",
            expected.len()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn training_is_the_same_bits_for_any_cut_storage_threads_and_kernels(case in any_case()) {
        case.runs_are_the_same_bits::<f64>()?;
        case.runs_are_the_same_bits::<f32>()?;
    }
}

#[test]
fn training_of_hard_shapes_is_the_same_bits() {
    for hard in HardCase::all() {
        let placed = |(number, document)| {
            let place = (number * 7 % 5) as u8;
            Placed { document, ends_microbatch: number == 3, packed: true, place }
        };
        let documents: Vec<_> = hard.documents().enumerate().map(placed).collect();
        let (model, threads) = (hard.model(), hard.threads);
        let updates = vec![documents];
        let case = Case { model, updates, dropout: 0.3, clip_limit: 1.0, spare: 20, threads };
        let same = case.runs_are_the_same_bits::<f64>();
        same.and_then(|()| case.runs_are_the_same_bits::<f32>())
            .unwrap_or_else(|different| panic!("{}: {different}", hard.why));
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    #[ignore = "campaign: 2000 random runs, some minutes"]
    fn two_thousand_runs_are_the_same_bits(case in any_case()) {
        case.runs_are_the_same_bits::<f64>()?;
        case.runs_are_the_same_bits::<f32>()?;
    }
}
