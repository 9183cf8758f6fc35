//! What must hold in the experiment, beside its figures.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use llm_from_scratch_practical::{autograd, baselines, corpus, evaluation, model, tokenizer};

use autograd::AutogradContext;
use baselines::BigramModel;
use corpus::{
    BatchBinding, Document, EncodedDocument, Layout, PackedBatch, Partition, VariableBatch, number,
};
use evaluation::{evaluate, score_bigram};
use model::{DropoutMode, DropoutProbability, DropoutStream};
use practical_ch16_language_model_evaluation::{Chapter, Seeds, experiment, train_and_observe};

use crate::support::default_report;

const BOTH: [Partition; 2] = [Partition::Train, Partition::Validation];

fn texts(chapter: &Chapter, partition: Partition) -> BTreeSet<Vec<u8>> {
    let decode = |d: &EncodedDocument| chapter.tokenizer.decode(d.ids()).unwrap();
    chapter.documents(partition).iter().map(decode).collect()
}

#[test]
fn the_splits_share_their_letters_and_no_text() {
    let chapter = Chapter::new().unwrap();
    let [train, validation] = BOTH.map(|partition| texts(&chapter, partition));
    assert!(train.is_disjoint(&validation));
    let letters =
        |texts: &BTreeSet<Vec<u8>>| texts.iter().flatten().copied().collect::<BTreeSet<u8>>();
    assert_eq!(letters(&train), BTreeSet::from([b'a', b'b']));
    assert_eq!(letters(&train), letters(&validation));
}

#[test]
fn other_validation_documents_leave_the_trained_weights_alone() {
    let chapter = Chapter::new().unwrap();
    let mut other = chapter.clone();
    let document = Document::new("other", Partition::Validation, "bbbb");
    other.0.validation = vec![EncodedDocument::encode(&document, &chapter.tokenizer).unwrap()];
    let (run, model) = train_and_observe(&chapter, 39).unwrap();
    let (other_run, other_model) = train_and_observe(&other, 39).unwrap();
    assert_eq!(model, other_model);
    assert_ne!(run.checkpoints[4].validation, other_run.checkpoints[4].validation);
}

#[test]
fn a_layout_changes_no_bit_of_a_score() {
    let layouts = &default_report().layout_comparison;
    assert_eq!(layouts.largest_absolute_nll_difference, 0.0);
    assert!(layouts.bitwise_equal);
}

/// One row that holds both validation documents keeps them apart; read as one text, they would
/// score differently.
#[test]
fn documents_packed_into_one_row_do_not_see_each_other() {
    let chapter = Chapter::new().unwrap();
    let wide = BatchBinding { capacity: 18, ..chapter.binding.clone() };
    let packed =
        PackedBatch::first_fit(Partition::Validation, &wide, &number(0, &chapter.validation))
            .unwrap();
    assert_eq!(packed.rows(), 1);
    let model = chapter.fresh_model(39).unwrap();
    let together = evaluate(&model, Partition::Validation, &wide, [packed.storage()]).unwrap();
    let apart = chapter.score(&model, Partition::Validation, Layout::SEPARATE).unwrap();
    assert_eq!(together.metrics.mean_nll().to_bits(), apart.mean_nll.to_bits());

    // The second document's tokens behind the first one's, as one document: 9 inputs would exceed
    // the context, so both are cut to three ids.
    let ids = |i: usize| &chapter.validation[i].ids()[..3];
    let document =
        |ids: Vec<u32>| EncodedDocument::from_ids("d", Partition::Validation, ids).unwrap();
    let nll = |ids: Vec<u32>| {
        let documents = [document(ids)];
        let batch =
            VariableBatch::padded(Partition::Validation, &chapter.binding, &number(0, &documents));
        let context = AutogradContext::no_grad();
        let loss = model.loss_padded_with_context(&context, &batch.unwrap(), &chapter.binding);
        loss.unwrap().token_nll().to_vec()
    };
    assert_ne!(nll([ids(0), ids(1)].concat())[3..], nll(ids(1).to_vec()));
}

#[test]
fn batch_means_times_counts_give_back_the_total() {
    let chapter = Chapter::new().unwrap();
    let model = chapter.fresh_model(39).unwrap();
    for batch in chapter.batches(Partition::Validation, Layout::SEPARATE).unwrap() {
        let context = AutogradContext::no_grad();
        let loss = model.loss_padded_with_context(&context, &batch, &chapter.binding).unwrap();
        let total: f64 = loss.token_nll().iter().sum();
        assert!((loss.mean() * loss.count() as f64 - total).abs() <= 1e-12);
    }
}

#[test]
fn scoring_preserves_nonzero_gradients_values_and_revisions() {
    let chapter = Chapter::new().unwrap();
    let mut model = chapter.fresh_model(39).unwrap();
    for batch in chapter.batches(Partition::Train, Layout::SEPARATE).unwrap() {
        let context = AutogradContext::recording();
        let loss = model.loss_padded_with_context(&context, &batch, &chapter.binding).unwrap();
        model.backward(&context, loss.sum().unwrap()).unwrap();
    }
    let before = model.clone();
    let gradients = model.parameters().iter().flat_map(|p| p.gradient()).flatten();
    assert!(gradients.clone().any(|&g| g != 0.0));
    for partition in BOTH {
        let score = chapter.score(&model, partition, Layout::SEPARATE).unwrap();
        assert_eq!((score.recorded_graphs, score.target_count), (0, 9));
    }
    // Equality of models compares values, gradients and revisions of every parameter; values and
    // gradients are compared as bits as well, since 0.0 equals -0.0.
    assert_eq!(model, before);
    for (now, then) in model.parameters().iter().zip(before.parameters()) {
        assert_eq!(now.value().bits(), then.value().bits());
        let bits = |g: Option<&[f64]>| g.map(|g| g.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        assert_eq!(bits(now.gradient()), bits(then.gradient()));
        assert_eq!(bits(now.head_gradient()), bits(then.head_gradient()));
    }
}

#[test]
fn evaluation_mode_ignores_a_configured_dropout_and_training_mode_does_not() {
    let chapter = Chapter::new().unwrap();
    let model = chapter.fresh_model(39).unwrap();
    let batch = &chapter.batches(Partition::Validation, Layout::SEPARATE).unwrap()[0];
    let half = DropoutProbability::new(0.5).unwrap();
    let score = |mode| {
        let context = AutogradContext::no_grad(); // no recording either way: a different switch
        let loss = model.loss_with_dropout(&context, batch, &chapter.binding, half, mode);
        loss.unwrap().token_nll().to_vec()
    };
    let context = AutogradContext::no_grad();
    let plain = model.loss_padded_with_context(&context, batch, &chapter.binding).unwrap();
    assert_eq!(score(DropoutMode::Eval), plain.token_nll());

    let mut stream = DropoutStream::new(7);
    let untouched = stream.clone();
    assert_eq!(stream.drawn(), 0);
    assert_eq!(stream, untouched);
    assert_ne!(score(DropoutMode::Train(&mut stream)), plain.token_nll());
    assert!(stream.drawn() > 0);
}

#[test]
fn the_bigram_learns_from_training_documents_only() {
    let chapter = Chapter::new().unwrap();
    BigramModel::fit(266, &chapter.validation).unwrap_err();
    let frozen = BigramModel::fit(266, &chapter.train).unwrap();
    // Relabelled, the validation documents would be learned from and score better.
    let relabel = |d: &EncodedDocument| {
        EncodedDocument::from_ids(d.id(), Partition::Train, d.ids().to_vec()).unwrap()
    };
    let leaked: Vec<_> =
        chapter.train.iter().cloned().chain(chapter.validation.iter().map(relabel)).collect();
    let leaky = BigramModel::fit(266, &leaked).unwrap();
    let nll = |model| {
        let batches = chapter.batches(Partition::Validation, Layout::SEPARATE).unwrap();
        score_bigram(model, Partition::Validation, &chapter.binding, &batches).unwrap().mean_nll()
    };
    assert!(nll(&leaky) < nll(&frozen));
    assert_eq!(frozen.transitions(), 9);
}

#[test]
fn the_bigram_scores_the_same_targets_in_every_layout() {
    let chapter = Chapter::new().unwrap();
    let bigram = BigramModel::fit(266, &chapter.train).unwrap();
    let rows = NonZeroUsize::new(2).unwrap();
    for partition in BOTH {
        let layouts = [Layout::SEPARATE, Layout::Padded { rows }, Layout::Packed { rows }];
        let scores = layouts.map(|layout| {
            let batches = chapter.batches(partition, layout).unwrap();
            score_bigram(&bigram, partition, &chapter.binding, &batches).unwrap()
        });
        assert!(scores.iter().all(|score| *score == scores[0]));
        let wide = BatchBinding { capacity: 18, ..chapter.binding.clone() };
        let numbered = number(0, chapter.documents(partition));
        let row = PackedBatch::first_fit(partition, &wide, &numbered).unwrap();
        assert_eq!(score_bigram(&bigram, partition, &wide, [row.storage()]).unwrap(), scores[0]);
    }
}

#[test]
fn the_decoder_beats_the_bigram_and_is_worse_than_its_own_update_20() {
    let report = default_report();
    let [at_20, at_80] = [2, 4].map(|i| report.runs[0].checkpoints[i].validation);
    let bigram = report.baseline.validation;
    assert!(at_80.mean_nll < bigram.mean_nll && at_80.perplexity < bigram.perplexity);
    assert!(at_80.mean_nll > at_20.mean_nll && at_80.perplexity > at_20.perplexity);
}

#[test]
fn an_in_memory_round_trip_scores_like_the_model_itself() {
    let saved = &default_report().saved_first_seed_model;
    assert_eq!((saved.round_trip, saved.matches_unsaved_model), ("in-memory", true));
    let last = default_report().runs[0].checkpoints[4];
    assert_eq!(saved.train.mean_nll.to_bits(), last.train.mean_nll.to_bits());
    assert_eq!(saved.validation.mean_nll.to_bits(), last.validation.mean_nll.to_bits());
}

#[test]
fn all_perplexities_are_finite() {
    let report = default_report();
    let checkpoints = report.runs.iter().flat_map(|run| &run.checkpoints);
    let scores = checkpoints.flat_map(|c| [c.train.perplexity, c.validation.perplexity]);
    let bigram = [report.baseline.train.perplexity, report.baseline.validation.perplexity];
    assert!(scores.chain(bigram).all(f64::is_finite));
}

#[test]
fn one_seed_has_no_deviation_and_the_same_run_as_among_others() {
    let alone = experiment(&Seeds::new(vec![40]).unwrap(), None).unwrap();
    let summary = alone.final_validation_seed_summary;
    assert_eq!((summary.seed_count, summary.sample_standard_deviation_nll), (1, None));
    assert_eq!(summary.minimum_nll.to_bits(), summary.maximum_nll.to_bits());
    assert_eq!(alone.runs[0], default_report().runs[1]);
    assert_eq!(alone.saved_first_seed_model.seed, 40);
    assert_ne!(
        alone.saved_first_seed_model.model_sha256,
        default_report().saved_first_seed_model.model_sha256
    );
}

#[test]
fn the_tokenizer_is_the_frozen_one_of_chapter_four() {
    let chapter = Chapter::new().unwrap();
    assert_eq!(chapter.tokenizer, tokenizer::chapter_four_tokenizer());
    assert_eq!(chapter.binding.vocab_size, 266);
}
