//! Every published figure of the chapter, recomputed: `testdata/figures.json` names the quantities,
//! this file says how each is computed, and one test compares them all.

use std::num::NonZeroUsize;

use llm_from_scratch_practical::{autograd, baselines, corpus, metrics, model, trainer};

use autograd::{AutogradContext, Kernels, Tensor};
use baselines::{BigramModel, score_bigram_transitions};
use corpus::{Layout, PADDING, Partition};
use metrics::{MetricSummary, score_assigned_probabilities};
use model::{DecoderConfig, DecoderModel};
use practical_ch16_language_model_evaluation::{
    Chapter, OBSERVED_UPDATES, Run, Seeds, evaluate_saved, experiment, weighting_probe,
};
use serde_json::{Value, json};
use trainer::{AdamW, AdamWConfig, clip_gradients};

use crate::support::default_report;

const FIGURES: &str = include_str!("../../testdata/figures.json");
const TRAJECTORIES: &str = include_str!("../../testdata/trajectories.json");

#[test]
fn every_figure_is_reproduced() {
    let figures: Value = serde_json::from_str(FIGURES).unwrap();
    let figures = figures["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 59);
    for figure in figures {
        let id = figure["id"].as_str().unwrap();
        let got = compute(id, &figure["inputs"]);
        match figure.get("at_most") {
            Some(bound) => {
                assert!(got.as_f64().unwrap() <= bound.as_f64().unwrap(), "{id}: {got} > {bound}");
            }
            None => compare(id, &got, &figure["expected"], figure["tolerance"].as_f64().unwrap()),
        }
    }
}

#[track_caller]
fn compare(id: &str, got: &Value, expected: &Value, tolerance: f64) {
    match (got, expected) {
        (Value::Array(got), Value::Array(expected)) => {
            assert_eq!(got.len(), expected.len(), "{id}: {got:?}, expected {expected:?}");
            got.iter().zip(expected).for_each(|(g, e)| compare(id, g, e, tolerance));
        }
        (Value::Number(got), Value::Number(expected)) => {
            let (got, expected) = (got.as_f64().unwrap(), expected.as_f64().unwrap());
            assert!((got - expected).abs() <= tolerance, "{id}: {got}, expected {expected}");
        }
        _ => assert_eq!(got, expected, "{id}"),
    }
}

#[test]
fn every_checkpoint_is_reproduced_to_six_decimals() {
    let table: Value = serde_json::from_str(TRAJECTORIES).unwrap();
    let rows = table["checkpoints"].as_array().unwrap();
    assert_eq!(rows.len(), 15);
    let report = serde_json::to_value(default_report()).unwrap();
    let checkpoints = report["runs"].as_array().unwrap().iter().flat_map(|run| {
        let checkpoints = run["checkpoints"].as_array().unwrap().iter();
        checkpoints.map(|c| {
            let (train, validation) = (&c["train"], &c["validation"]);
            json!([
                run["seed"],
                c["update"],
                train["mean_nll"],
                train["perplexity"],
                validation["mean_nll"],
                validation["perplexity"]
            ])
        })
    });
    // Both sides are six-decimal numbers, so they are compared for equality.
    let checkpoints: Vec<Value> = checkpoints.collect();
    for (got, expected) in checkpoints.iter().zip(rows) {
        compare("checkpoint", got, expected, 0.0);
    }
    assert_eq!(checkpoints.len(), 15);
}

fn compute(id: &str, inputs: &Value) -> Value {
    let report = default_report();
    let chapter = Chapter::new().unwrap();
    let run = |seed: u64| report.runs.iter().find(|run| run.seed == seed).unwrap();
    let splits = [Partition::Train, Partition::Validation];
    let finals: Vec<f64> = report.runs.iter().map(final_validation).collect();
    let saved = &report.saved_first_seed_model;
    let layouts = {
        let c = &report.layout_comparison;
        [c.separate, c.padded, c.packed]
    };
    match id {
        "control_and_letter_ids" => {
            let ids = chapter.tokenizer.encode(b"ab").unwrap();
            json!([chapter.tokenizer.start_token(), chapter.tokenizer.end_token(), ids[0], ids[1]])
        }
        "encoded_documents" => {
            json!(
                splits
                    .map(|s| chapter.documents(s))
                    .concat()
                    .iter()
                    .map(|d| d.ids())
                    .collect::<Vec<_>>()
            )
        }
        "document_targets" => json!(splits.map(|s| {
            chapter.documents(s).iter().map(|d| d.target_count()).collect::<Vec<_>>()
        })),
        "split_targets" => json!(splits.map(|s| scored(&chapter, s).len())),
        "scored_control_targets" => {
            let counts = splits.map(|s| {
                let targets = scored(&chapter, s);
                [0, 1, PADDING].map(|id| targets.iter().filter(|&&target| target == id).count())
            });
            assert_eq!(counts[0], counts[1]);
            json!(counts[0])
        }
        "probe_lengths"
        | "probe_surprise"
        | "probe_list_nll"
        | "probe_nll"
        | "probe_perplexity"
        | "probe_unweighted_nll"
        | "probe_unweighted_perplexity"
        | "probe_target_shares" => probe(id, inputs),
        "perplexity_overflow" => {
            let perplexity = |nll: &Value| {
                let nll = nll.as_f64().unwrap();
                let perplexity = MetricSummary::from_total_nll(nll, 1).unwrap().perplexity();
                if perplexity.is_finite() { "finite" } else { "inf" }
            };
            json!(inputs["mean_nll"].as_array().unwrap().iter().map(perplexity).collect::<Vec<_>>())
        }
        "seed_39_train_nll_at_20" => json!(at(run(39), 20).0),
        "seed_39_train_nll_at_80" => json!(at(run(39), 80).0),
        "seed_39_validation_nll_at_0" => json!(at(run(39), 0).1),
        "seed_39_validation_nll_at_20" => json!(at(run(39), 20).1),
        "seed_39_validation_nll_at_80" => json!(at(run(39), 80).1),
        "seed_39_validation_perplexity_at_20" => {
            json!(run(39).checkpoints[2].validation.perplexity)
        }
        "seed_39_validation_perplexity_at_80" => {
            json!(run(39).checkpoints[4].validation.perplexity)
        }
        "seed_39_gap_at_20" => json!(at(run(39), 20).1 - at(run(39), 20).0),
        "seed_39_nlls" => nlls(run(39)),
        "seed_40_nlls" => nlls(run(40)),
        "seed_41_nlls" => nlls(run(41)),
        "validation_perplexities" => json!(
            report
                .runs
                .iter()
                .map(|r| r.checkpoints.iter().map(|c| c.validation.perplexity).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        ),
        "final_validation_nlls" => json!(finals),
        "overfitting_intervals" => json!(
            report
                .runs
                .iter()
                .flat_map(|run| &run.overfitting_intervals)
                .filter(|interval| interval.training_fell_and_validation_rose)
                .count()
        ),
        "lowest_validation_updates" => {
            json!(
                report.runs.iter().map(|r| r.lowest_observed_validation_update).collect::<Vec<_>>()
            )
        }
        "observed_updates" => {
            json!(run(39).checkpoints.iter().map(|c| c.update).collect::<Vec<_>>())
        }
        "gradient_weighting" => {
            json!([final_validation(run(39)), train_with_document_weights(&chapter)])
        }
        "norm_epsilons" => {
            let final_nll = |eps: &Value| {
                let config = DecoderConfig {
                    norm_eps: eps.as_f64().unwrap(),
                    ..DecoderConfig::reference(266, 8)
                };
                train(&chapter, DecoderModel::initialize(config.validate().unwrap(), 39))
            };
            json!(inputs["norm_eps"].as_array().unwrap().iter().map(final_nll).collect::<Vec<_>>())
        }
        "seed_39_sensitivity" => {
            let factor = 1.0 + inputs["factor_minus_one"].as_f64().unwrap();
            let fresh = chapter.fresh_model(39).unwrap();
            let mut values: Vec<Tensor<f64>> =
                fresh.parameters().iter().map(|p| p.value().clone()).collect();
            values[0].data_mut().iter_mut().for_each(|x| *x *= factor);
            let moved = DecoderModel::from_parameters(*fresh.config(), values).unwrap();
            json!((train(&chapter, moved) - final_validation(run(39))).abs())
        }
        "final_mean" => json!(report.final_validation_seed_summary.mean_nll),
        "final_sample_deviation" => {
            json!(report.final_validation_seed_summary.sample_standard_deviation_nll)
        }
        "final_extremes" => {
            let summary = &report.final_validation_seed_summary;
            json!([summary.minimum_nll, summary.maximum_nll])
        }
        "final_population_deviation" => {
            let deviation = report.final_validation_seed_summary.sample_standard_deviation_nll;
            json!(deviation.unwrap() * (2.0f64 / 3.0).sqrt())
        }
        "lowest_final_seed" => {
            let lowest = report
                .runs
                .iter()
                .min_by(|a, b| final_validation(a).total_cmp(&final_validation(b)));
            json!(lowest.unwrap().seed)
        }
        "bigram_vocabulary" => bigram_vocabulary(&chapter, inputs),
        "bigram_transitions" => json!(report.baseline.training_transitions),
        "bigram_probabilities" => {
            let bigram = BigramModel::fit(266, &chapter.train).unwrap();
            let fraction = |pair: &Value| {
                let [u, v] = [0, 1].map(|i| pair[i].as_u64().unwrap() as u32);
                let row = bigram.context_count(u) + 266;
                let cell = bigram.transition_count(u, v) + 1;
                assert_eq!(bigram.probability(u, v).unwrap(), cell as f64 / row as f64);
                [cell, row]
            };
            json!(inputs["pairs"].as_array().unwrap().iter().map(fraction).collect::<Vec<_>>())
        }
        "bigram_train_nll" => json!(report.baseline.train.mean_nll),
        "bigram_train_perplexity" => json!(report.baseline.train.perplexity),
        "bigram_validation_nll" => json!(report.baseline.validation.mean_nll),
        "bigram_validation_perplexity" => json!(report.baseline.validation.perplexity),
        "bigram_targets" => {
            json!([report.baseline.train.target_count, report.baseline.validation.target_count])
        }
        "layout_batches" => json!(layouts.map(|l| l.batch_count)),
        "layout_scored_targets" => json!(layouts.map(|l| l.target_count)),
        "layout_nlls" => json!(layouts.map(|l| l.mean_nll)),
        "layout_recorded_graphs" => json!(layouts.map(|l| l.recorded_graphs)),
        "packed_rows" => json!(report.layout_comparison.packed_rows),
        "layout_difference" => json!(report.layout_comparison.largest_absolute_nll_difference),
        "two_spacings" => {
            let near = inputs["near"].as_f64().unwrap();
            json!(inputs["distance"].as_f64().unwrap() / (near.next_up() - near))
        }
        "zero_probability" => {
            let scored = score_assigned_probabilities(&[0.5, 0.0]).unwrap();
            let name = |x: f64| if x == f64::INFINITY { "inf" } else { "finite" };
            json!([name(scored.mean_nll()), name(scored.perplexity())])
        }
        "saved_run" => json!([saved.seed, saved.update]),
        "saved_nlls" => json!([saved.train.mean_nll, saved.validation.mean_nll]),
        "saved_counts" => json!([
            saved.train.target_count,
            saved.validation.target_count,
            saved.train.recorded_graphs + saved.validation.recorded_graphs
        ]),
        "batches_of_one_row" | "batches_of_two_rows" => saved_batches(inputs),
        _ => panic!("no way to compute `{id}`: add one"),
    }
}

fn at(run: &Run, update: u64) -> (f64, f64) {
    let checkpoint = run.checkpoints.iter().find(|c| c.update == update).unwrap();
    (checkpoint.train.mean_nll, checkpoint.validation.mean_nll)
}

fn final_validation(run: &Run) -> f64 {
    at(run, 80).1
}

fn nlls(run: &Run) -> Value {
    let (train, validation): (Vec<f64>, Vec<f64>) =
        OBSERVED_UPDATES.iter().map(|&update| at(run, update)).unzip();
    json!([train, validation])
}

/// Targets under the loss mask of the padded batch of a split.
fn scored(chapter: &Chapter, partition: Partition) -> Vec<u32> {
    let layout = Layout::Padded { rows: NonZeroUsize::new(2).unwrap() };
    let batches = chapter.batches(partition, layout).unwrap();
    let cells = batches.iter().flat_map(|b| b.targets().iter().zip(b.loss_mask()));
    cells.filter_map(|(&target, &scored)| scored.then_some(target)).collect()
}

fn probe(id: &str, inputs: &Value) -> Value {
    let lists: Vec<Vec<f64>> = serde_json::from_value(inputs["lists"].clone()).unwrap();
    let [a, b] = [0, 1].map(|i| score_assigned_probabilities(&lists[i]).unwrap());
    let report = weighting_probe().unwrap();
    let both = a.clone().merge(b.clone()).unwrap();
    match id {
        "probe_lengths" => json!([a.target_count(), b.target_count(), report.correct.target_count]),
        "probe_surprise" => json!([a, b, both].map(|m| {
            let multiple = m.total_nll() / std::f64::consts::LN_2;
            assert!((multiple - multiple.round()).abs() < 1e-15 * multiple);
            multiple.round()
        })),
        "probe_list_nll" => json!(report.batch_mean_nll),
        "probe_nll" => json!(report.correct.mean_nll),
        "probe_perplexity" => json!(report.correct.perplexity),
        "probe_unweighted_nll" => json!(report.incorrect_unweighted_mean_nll),
        "probe_unweighted_perplexity" => json!(report.incorrect_mean_perplexity),
        "probe_target_shares" => {
            let share = |count: usize| 1.0 / (2.0 * count as f64);
            json!([
                share(a.target_count()),
                share(b.target_count()),
                1.0 / both.target_count() as f64
            ])
        }
        _ => unreachable!(),
    }
}

fn validation_nll(chapter: &Chapter, model: &DecoderModel<f64>) -> f64 {
    chapter.score(model, Partition::Validation, Layout::SEPARATE).unwrap().mean_nll
}

/// Final validation loss of a model trained with the chapter's schedule.
fn train(chapter: &Chapter, model: DecoderModel<f64>) -> f64 {
    let microbatches = chapter.batches(Partition::Train, Layout::SEPARATE).unwrap();
    let mut trainer = chapter.trainer(model).unwrap();
    for _ in 0..80 {
        trainer.update(&chapter.binding, &microbatches).unwrap();
    }
    validation_nll(chapter, trainer.model())
}

/// The mistake: every update averages the two documents' mean losses, so that a target of the
/// shorter document weighs more.
fn train_with_document_weights(chapter: &Chapter) -> f64 {
    let microbatches = chapter.batches(Partition::Train, Layout::SEPARATE).unwrap();
    let mut model = chapter.fresh_model(39).unwrap();
    let mut optimizer = AdamW::new(AdamWConfig::default(), model.parameters()).unwrap();
    for _ in 0..80 {
        model.clear_gradients();
        for batch in &microbatches {
            let context = AutogradContext::recording();
            let loss = model.loss_padded_with_context(&context, batch, &chapter.binding).unwrap();
            let weighted = context.scale(loss.sum().unwrap(), 0.5 / loss.count() as f64);
            model.backward(&context, &weighted).unwrap();
        }
        model.merge_tied_gradient();
        clip_gradients(Kernels::detect(), model.parameters_mut(), 1.0);
        optimizer.step(Kernels::detect(), model.parameters_mut(), 0.02);
    }
    validation_nll(chapter, &model)
}

/// The only vocabulary size whose bigram has both printed losses.
fn bigram_vocabulary(chapter: &Chapter, inputs: &Value) -> Value {
    let fits = |vocab_size: usize| {
        let bigram = BigramModel::fit(vocab_size, &chapter.train).unwrap();
        [(Partition::Train, "train_nll"), (Partition::Validation, "validation_nll")].iter().all(
            |&(partition, key)| {
                let pairs = chapter
                    .documents(partition)
                    .iter()
                    .flat_map(|d| d.ids().windows(2).map(|pair| (pair[0], pair[1])));
                let nll = score_bigram_transitions(&bigram, pairs).unwrap().mean_nll();
                (nll - inputs[key].as_f64().unwrap()).abs() <= 5e-7
            },
        )
    };
    let found: Vec<usize> = (258..=400).filter(|&size| fits(size)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    json!(found[0])
}

fn saved_batches(inputs: &Value) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    experiment(&Seeds::new(vec![39]).unwrap(), Some(&path)).unwrap();
    let rows = NonZeroUsize::new(inputs["batch_rows"].as_u64().unwrap() as usize).unwrap();
    let evaluation = evaluate_saved(&path, rows).unwrap();
    assert_eq!(evaluation.scores.train.batch_count, evaluation.scores.validation.batch_count);
    json!(evaluation.scores.train.batch_count)
}
