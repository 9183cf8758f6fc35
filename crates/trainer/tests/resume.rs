//! Stopping and going on: equal bits in every number, and refusal of whatever is another run.

mod tiny_run;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use llm_archive::{
    ArchiveError, Container, MODEL_KIND, PortableElement, PortableModel, TensorData,
};
use llm_autograd::Kernels;
use llm_corpus::{EncodedDocument, Partition};
use llm_model::{DecoderConfig, DecoderModel, DropoutProbability, ValidConfig};
use llm_tokenizer::chapter_four_tokenizer;
use llm_trainer::{AdamWConfig, CHECKPOINT_KIND, Run, RunConfig, Schedule, TrainError};
use proptest::prelude::*;
use serde_json::Value;
use tiny_run::{config, documents, fresh, model_config};

/// Bits of every parameter and both of its moments.
fn bits<E: PortableElement>(run: &Run<'_, E>) -> Vec<Vec<u64>> {
    let trainer = run.trainer();
    let moments = trainer.optimizer().moments().iter().flatten();
    let moments = moments.map(|moment| moment.iter().map(|x| x.bits()).collect());
    trainer.model().parameters().iter().map(|p| p.value().bits()).chain(moments).collect()
}

fn assert_same<E: PortableElement>(a: &Run<'_, E>, b: &Run<'_, E>) {
    assert_eq!(bits(a), bits(b));
    let rest = |run: &Run<'_, E>| {
        let trainer = run.trainer();
        let powers = trainer.optimizer().powers().map(f64::to_bits);
        (trainer.updates(), powers, trainer.dropout().clone(), run.order().clone())
    };
    assert_eq!(rest(a), rest(b));
    let model_id = |run: &Run<'_, E>| {
        let model = PortableModel::new(run.trainer().model(), &chapter_four_tokenizer()).unwrap();
        model.model_id().to_owned()
    };
    assert_eq!(model_id(a), model_id(b));
    assert_eq!(a.identity().unwrap(), b.identity().unwrap());
}

fn update_until<E: PortableElement>(run: &mut Run<'_, E>, updates: u64) {
    while run.trainer().updates() < updates {
        run.update().unwrap();
    }
}

/// A run of `total` updates in one piece, and one that is stopped after each of the `stops`.
fn check_stops<E: PortableElement>(
    config: &RunConfig,
    model: ValidConfig,
    total: u64,
    stops: &[u64],
) {
    let documents = documents();
    let fresh = || DecoderModel::<E>::initialize(model, 39);
    let mut whole = Run::start(config.clone(), &documents, fresh()).unwrap();
    update_until(&mut whole, total);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut run = Run::start(config.clone(), &documents, fresh()).unwrap();
    for (i, &stop) in stops.iter().chain([&total]).enumerate() {
        // Machines differ in kernels and in the documents that fit.
        let (kernels, rows) = [(Kernels::portable(), 1), (Kernels::fastest(), 9)][i % 2];
        let mut config = config.clone();
        config.documents_per_microbatch = NonZeroUsize::new(rows).unwrap();
        run.save(&path).unwrap();
        let resumed = Run::resume(&path, config, &documents, model).unwrap();
        assert_same(&run, &resumed);
        run = resumed.with_kernels(kernels);
        update_until(&mut run, stop);
    }
    assert_same(&run, &whole);
}

fn schedules() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        Just(Schedule::Constant { rate: 0.02 }),
        (0_u64..5).prop_map(|warmup| Schedule::Warmup { peak: 0.02, warmup }),
        (0_u64..5, 1_u64..9).prop_map(|(warmup, decay)| {
            let updates = warmup + decay;
            Schedule::WarmupCosine { peak: 0.02, floor: 0.001, warmup, updates }
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_resumed_run_has_the_bits_of_an_uninterrupted_one(
        schedule in schedules(),
        weight_decay in prop_oneof![Just(0.0), Just(0.1)],
        dropout in prop_oneof![Just(0.0), Just(0.3)],
        clip_limit in prop_oneof![Just(f64::INFINITY), Just(0.5)],
        shuffle_seed in prop::option::of(any::<u64>()),
        per_update in 1_usize..30,
        [tied_head, single] in any::<[bool; 2]>(),
        total in 1_u64..9,
        mut stops in prop::collection::vec(0_u64..9, 0..4),
    ) {
        let mut config = config(9);
        config.training.schedule = schedule;
        config.training.optimizer = AdamWConfig { weight_decay, ..AdamWConfig::default() };
        config.training.dropout = DropoutProbability::new(dropout).unwrap();
        config.training.clip_limit = clip_limit;
        config.shuffle_seed = shuffle_seed;
        config.documents_per_update = NonZeroUsize::new(per_update).unwrap();
        let model = DecoderConfig { tied_head, ..*model_config() }.validate().unwrap();
        stops.retain(|&stop| stop < total);
        stops.sort_unstable();
        match single {
            true => check_stops::<f32>(&config, model, total, &stops),
            false => check_stops::<f64>(&config, model, total, &stops),
        }
    }
}

/// A checkpoint of the tiny run after three updates.
struct Saved {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn saved() -> Saved {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let documents = documents();
    let mut run = Run::start(config(9), &documents, fresh(model_config())).unwrap();
    update_until(&mut run, 3);
    run.save(&path).unwrap();
    Saved { _folder: folder, path }
}

impl Saved {
    fn resume(&self) -> Result<u64, TrainError> {
        let documents = documents();
        let run = Run::<f32>::resume(&self.path, config(9), &documents, model_config())?;
        Ok(run.trainer().updates())
    }
}

#[test]
fn another_configuration_is_refused_by_field() {
    type Change = fn(&mut RunConfig);
    let changes: [(&str, Change); 11] = [
        ("tokenizer_sha256", |c| c.binding.tokenizer_sha256 = "another".into()),
        ("vocab_size", |c| c.binding.vocab_size = 300),
        ("capacity", |c| c.binding.capacity = 9),
        ("optimizer.beta2", |c| c.training.optimizer.beta2 = 0.99),
        ("schedule.warmup_cosine.peak", |c| {
            c.training.schedule =
                Schedule::WarmupCosine { peak: 0.03, floor: 0.002, warmup: 3, updates: 9 };
        }),
        ("schedule.warmup_cosine", |c| c.training.schedule = Schedule::Constant { rate: 0.02 }),
        ("clip_limit", |c| c.training.clip_limit = f64::INFINITY),
        ("dropout", |c| c.training.dropout = DropoutProbability::ZERO),
        ("dropout_seed", |c| c.training.dropout_seed = 18),
        ("shuffle_seed", |c| c.shuffle_seed = None),
        ("documents_per_update", |c| c.documents_per_update = NonZeroUsize::MIN),
    ];
    let (saved, documents) = (saved(), documents());
    for (name, change) in changes {
        let mut config = config(9);
        change(&mut config);
        let error = Run::<f32>::resume(&saved.path, config, &documents, model_config());
        let error = error.map(|_| ()).unwrap_err();
        assert!(
            matches!(&error, TrainError::Checkpoint { field, .. } if field == name),
            "{name}: {error}"
        );
    }
    assert_eq!(saved.resume().unwrap(), 3);
}

#[test]
fn other_model_sizes_and_element_types_are_refused() {
    let (saved, documents) = (saved(), documents());
    let wider = DecoderConfig { d_ff: 17, ..*model_config() }.validate().unwrap();
    let error = Run::<f32>::resume(&saved.path, config(9), &documents, wider).map(|_| ());
    let message = error.unwrap_err().to_string();
    assert!(message.contains("model.d_ff is 16 there and 17 here"), "{message}");
    let error = Run::<f64>::resume(&saved.path, config(9), &documents, model_config()).map(|_| ());
    let message = error.unwrap_err().to_string();
    assert!(message.contains("element is \"f32\" there and \"f64\" here"), "{message}");
}

#[test]
fn other_documents_are_refused() {
    let saved = saved();
    let (mut swapped, mut renamed, mut changed, mut masked) =
        (documents(), documents(), documents(), documents());
    swapped.swap(0, 1);
    renamed[0] =
        EncodedDocument::from_ids("new", Partition::Train, renamed[0].ids().to_vec()).unwrap();
    let ids = changed[0].ids().iter().map(|id| id ^ 1).collect();
    changed[0] = EncodedDocument::from_ids("d0", Partition::Train, ids).unwrap();
    let long = masked.iter().position(|document| document.target_count() > 1).unwrap();
    let mut flags = vec![true; masked[long].target_count()];
    flags[0] = false;
    masked[long] = masked[long].clone().with_scored(flags).unwrap();
    for others in [swapped, renamed, changed, masked, documents()[1..].to_vec()] {
        let error = Run::<f32>::resume(&saved.path, config(9), &others, model_config());
        let error = error.map(|_| ()).unwrap_err();
        assert!(
            matches!(&error, TrainError::Checkpoint { field, .. } if field.starts_with("documents")),
            "{error}"
        );
    }
}

#[test]
fn a_file_of_another_kind_or_a_damaged_one_is_refused_and_never_overwritten() {
    let saved = saved();
    let model = fresh(model_config());
    PortableModel::new(&model, &chapter_four_tokenizer()).unwrap().save(&saved.path).unwrap();
    let before = std::fs::read(&saved.path).unwrap();
    let error = saved.resume().unwrap_err();
    assert!(
        matches!(&error, TrainError::Archive(ArchiveError::WrongKind { found, .. }) if found == MODEL_KIND),
        "{error}"
    );
    let documents = documents();
    let anew = Run::resume_or_start(&saved.path, config(9), &documents, model_config(), fresh);
    assert!(anew.is_err());
    assert_eq!(std::fs::read(&saved.path).unwrap(), before);

    std::fs::write(&saved.path, &before[..before.len() - 1]).unwrap();
    assert!(matches!(saved.resume(), Err(TrainError::Archive(_))));
    std::fs::remove_file(&saved.path).unwrap();
    assert!(matches!(saved.resume(), Err(TrainError::Archive(ArchiveError::Io { .. }))));
}

/// Saves the checkpoint with other metadata or tensors, under a digest that fits them.
fn forge(saved: &Saved, change: impl FnOnce(&mut Value, &mut Vec<TensorData<'static>>)) {
    let container = Container::load(&saved.path, CHECKPOINT_KIND).unwrap();
    let mut metadata: Value = container.header().metadata().unwrap();
    let mut tensors = container.into_tensors();
    change(&mut metadata, &mut tensors);
    Container::new(CHECKPOINT_KIND, &metadata, tensors).unwrap().save(&saved.path).unwrap();
}

#[test]
fn forged_checkpoints_are_errors_and_no_panics() {
    let huge = Value::from(u64::MAX);
    let forgeries: [(&str, Value); 8] = [
        ("updates", huge.clone()),
        ("dropout_drawn", huge.clone()),
        ("epoch", huge.clone()),
        ("taken", Value::from(11)),
        ("taken", huge),
        ("powers", serde_json::json!([2.0, 0.5])),
        ("powers", serde_json::json!([0.5])),
        ("powers", serde_json::json!([1, 1])), // no floats: the identity would change on the way
    ];
    for (field, value) in forgeries {
        let saved = saved();
        forge(&saved, |metadata, _| metadata["progress"][field] = value.clone());
        let error = saved.resume().unwrap_err();
        let refused = matches!(&error, TrainError::Archive(ArchiveError::Content { .. }));
        assert!(refused, "{field} = {value}: {error}");
    }
    type Change = fn(&mut Vec<TensorData<'static>>);
    let changes: [Change; 6] = [
        |tensors| drop(tensors.pop()),
        |tensors| tensors.swap(1, 2),
        |tensors| tensors.push(TensorData::new("extra", vec![1], vec![1_f32])),
        |tensors| tensors[1].name = "first_moment/other".into(),
        |tensors| tensors[0].shape.reverse(),
        |tensors| {
            let len = tensors[0].values.len();
            tensors[0].values = vec![0_f64; len].into();
        },
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let saved = saved();
        forge(&saved, |_, tensors| change(tensors));
        let error = saved.resume().unwrap_err();
        assert!(matches!(&error, TrainError::Archive(ArchiveError::Table { .. })), "{i}: {error}");
    }
}

#[test]
fn a_refused_update_changes_nothing_not_even_the_place_in_the_order() {
    let mut documents = documents();
    documents[4] = EncodedDocument::from_ids("long", Partition::Train, vec![99; 20]).unwrap();
    let mut config = config(9);
    config.shuffle_seed = None; // so that the third update meets document 4
    config.documents_per_update = NonZeroUsize::new(2).unwrap();
    let mut run = Run::start(config, &documents, fresh(model_config())).unwrap();
    update_until(&mut run, 2);
    let before = run.identity().unwrap();
    for _ in 0..2 {
        assert!(matches!(run.update(), Err(TrainError::Batch { microbatch: 0, .. })));
        assert_eq!(run.identity().unwrap(), before);
    }
}

/// A rate that no element holds makes infinite weights of finite gradients.
#[test]
fn a_run_that_has_diverged_does_not_replace_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let documents = documents();
    let mut diverging = config(5);
    diverging.training.schedule = Schedule::Constant { rate: 1e300 };
    let mut run = Run::start(diverging.clone(), &documents, fresh(model_config())).unwrap();
    run.save(&path).unwrap();
    run.update().unwrap();
    let error = run.save(&path).unwrap_err();
    assert!(matches!(&error, TrainError::Diverged { updates: 1, .. }), "{error}");
    let kept = Run::<f32>::resume(&path, diverging, &documents, model_config()).unwrap();
    assert_eq!(kept.trainer().updates(), 0);
    assert!(matches!(run.update().unwrap_err(), TrainError::NonFinite { update: 1 }));
}

#[test]
fn a_run_without_documents_is_refused() {
    let error = Run::start(config(9), &[], fresh(model_config())).map(|_| ()).unwrap_err();
    assert!(matches!(error, TrainError::EmptyUpdate), "{error}");
}

#[test]
fn the_run_of_these_tests_learns() {
    let documents = documents();
    let mut run = Run::start(config(40), &documents, fresh(model_config())).expect("possible");
    let losses: Vec<f64> = (0..40).map(|_| run.update().expect("finite").loss.mean_nll()).collect();
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    assert!(mean(&losses[35..]) < 0.8 * mean(&losses[..5]), "{losses:?}");
}
