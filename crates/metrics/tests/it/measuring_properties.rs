//! What holds for every document, row and data set, tried on random ones.

use llm_metrics::{
    DatasetAverages, DocumentLoss, DocumentScore, LossInterval, MetricSummary, OneBadToken,
    PredictionSmoothing, Ranks, TopKCounter, arithmetic_mean, broken_document_link,
    broken_token_link, cross_entropy_bits, entropy_bits, geometric_mean, kl_divergence_bits,
    log_softmax, perplexity_from_bits, perplexity_from_nats, perplexity_from_probabilities,
    random_guess_bits, random_guess_top_k_error, surprisal_bits, target_ranks, top_k_error_bound,
};
use proptest::prelude::*;

fn probabilities() -> impl Strategy<Value = Vec<f64>> {
    let one = prop_oneof![4 => 1e-6..1.0_f64, 1 => Just(1.0), 1 => 1e-300..1e-200];
    prop::collection::vec(one, 1..60)
}

/// A row that sums to one; about every fourth has tied and impossible tokens.
fn row(size: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<f64>> {
    let weight = prop_oneof![6 => 0.01..1.0_f64, 1 => Just(0.5), 1 => Just(0.0), 1 => 10.0..50.0];
    prop::collection::vec(weight, size).prop_map(|mut weights| {
        weights[0] += 1e-3; // never all zero
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    })
}

/// Two rows over the same vocabulary, none of whose entries is zero.
fn two_positive_rows() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop::collection::vec((0.01..1.0_f64, 0.01..1.0_f64), 2..30).prop_map(|pairs| {
        let (q, p): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let normalized = |row: Vec<f64>| {
            let sum: f64 = row.iter().sum();
            row.into_iter().map(|entry| entry / sum).collect()
        };
        (normalized(q), normalized(p))
    })
}

fn documents() -> impl Strategy<Value = Vec<(f64, usize)>> {
    prop::collection::vec((0.0..12.0_f64, 1_usize..3000), 1..50)
}

/// A row and one of its tokens that is not impossible.
fn row_and_target() -> impl Strategy<Value = (Vec<f64>, usize)> {
    (row(1..200), any::<prop::sample::Index>()).prop_map(|(row, index)| {
        let possible: Vec<usize> = (0..row.len()).filter(|&id| row[id] > 0.0).collect();
        let target = possible[index.index(possible.len())];
        (row, target)
    })
}

proptest! {
    #[test]
    fn the_forms_of_perplexity_agree_and_units_differ_by_ln_2(probabilities in probabilities()) {
        let score = DocumentScore::from_probabilities(&probabilities).unwrap();
        let nats = score.nats_per_token();
        prop_assert!((score.nll_nats() - score.nll_bits() * std::f64::consts::LN_2).abs()
            <= 1e-12 * (1.0 + score.nll_nats()));
        let forms = [
            perplexity_from_nats(nats),
            perplexity_from_bits(score.bits_per_token()),
            perplexity_from_probabilities(&probabilities).unwrap(),
        ];
        for form in forms {
            // An error of 1e-16 relative to the exponent is one of nats * 1e-16 in the power.
            prop_assert!((form / score.perplexity() - 1.0).abs() < 1e-14 * (2.0 + nats), "{forms:?}");
        }
    }

    #[test]
    fn the_likelihood_is_the_product_of_the_probabilities(
        probabilities in prop::collection::vec(0.05..1.0_f64, 1..60),
    ) {
        let score = DocumentScore::from_probabilities(&probabilities).unwrap();
        let product: f64 = probabilities.iter().product();
        prop_assert!((score.likelihood() / product - 1.0).abs() < 1e-12);
        let sum: f64 = probabilities.iter().map(|&p| surprisal_bits(p).unwrap()).sum();
        prop_assert!((score.nll_bits() - sum).abs() < 1e-11);
    }

    #[test]
    fn the_arithmetic_mean_is_never_below_the_geometric_one(probabilities in probabilities()) {
        let arithmetic = arithmetic_mean(&probabilities).unwrap();
        let geometric = geometric_mean(&probabilities).unwrap();
        prop_assert!(arithmetic >= geometric * (1.0 - 1e-12), "{arithmetic} < {geometric}");
        let (least, most) = probabilities.iter().fold((1.0_f64, 0.0_f64), |(least, most), &p| {
            (least.min(p), most.max(p))
        });
        if most > 1.01 * least {
            prop_assert!(arithmetic > geometric, "equal only for equal probabilities");
        }
        let constant = vec![most; probabilities.len()];
        let ratio = arithmetic_mean(&constant).unwrap() / geometric_mean(&constant).unwrap();
        prop_assert!((ratio - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_model_needs_less_than_the_entropy((q, p) in two_positive_rows()) {
        let gap = cross_entropy_bits(&q, &p).unwrap() - entropy_bits(&q).unwrap();
        let divergence = kl_divergence_bits(&q, &p).unwrap();
        prop_assert!((gap - divergence).abs() < 1e-12);
        prop_assert!(divergence >= 0.0 && gap > -1e-14);
        // Pinsker: at least |q - p|^2 / (2 ln 2) with the summed difference, so 0 only for p = q.
        let difference: f64 = q.iter().zip(&p).map(|(a, b)| (a - b).abs()).sum();
        prop_assert!(divergence >= difference * difference / (2.0 * std::f64::consts::LN_2) - 1e-12);
        prop_assert_eq!(kl_divergence_bits(&q, &q), Ok(0.0));
    }

    #[test]
    fn expected_bits_per_token_are_the_mean_cross_entropy(
        source in prop::collection::vec(row(3..4), 13..14),
        model in prop::collection::vec(row(3..4), 13..14),
    ) {
        // Documents of three tokens over {0, 1, 2}; row 0 after nothing, 1 to 3 after one token,
        // 4 to 12 after two. The model shares a little with the uniform guess, so nothing is
        // impossible.
        let smoothing = PredictionSmoothing::new(0.1, 3).unwrap();
        let model: Vec<Vec<f64>> = model.iter().map(|row| smoothing.row(row).unwrap()).collect();
        let (mut expected_bits, mut cross, mut entropy) = (0.0, 0.0, 0.0);
        let mut total = 0.0;
        for code in 0..27 {
            let tokens = [code / 9, code / 3 % 3, code % 3];
            let rows = [0, 1 + tokens[0], 4 + 3 * tokens[0] + tokens[1]];
            let step = |table: &[Vec<f64>], i: usize| table[rows[i]][tokens[i]];
            let chance: f64 = (0..3).map(|i| step(&source, i)).product();
            let logs: Vec<f64> = (0..3).map(|i| libm::log(step(&model, i))).collect();
            let score = DocumentScore::from_log_probabilities(&logs).unwrap();
            expected_bits += chance * score.bits_per_token();
            total += chance;
            for &row in &rows {
                cross += chance * cross_entropy_bits(&source[row], &model[row]).unwrap() / 3.0;
                entropy += chance * entropy_bits(&source[row]).unwrap() / 3.0;
            }
        }
        prop_assert!((total - 1.0).abs() < 1e-12);
        prop_assert!((expected_bits - cross).abs() < 1e-12, "{expected_bits} {cross}");
        prop_assert!(expected_bits >= entropy - 1e-12);
    }

    #[test]
    fn surprisal_and_rank_are_linked_in_every_row((row, target) in row_and_target()) {
        let bits = surprisal_bits(row[target]).unwrap();
        let ranks = target_ranks(&row, target).unwrap();
        for k in [1, 2, 5, 10, 100] {
            prop_assert_eq!(broken_token_link(bits, ranks, k, row.len()).unwrap(), None);
        }
        if bits < 1.0 {
            prop_assert_eq!(ranks.worst, 1, "more than one half is always the first guess");
        }
    }

    #[test]
    fn the_top_k_error_of_a_document_is_bounded_by_its_bits(
        tokens in prop::collection::vec(row_and_target(), 1..30),
    ) {
        let ks = [1, 5, 10, 100];
        let mut counter = TopKCounter::new(&ks, 200).unwrap();
        let mut logs = vec![];
        for (row, target) in &tokens {
            counter.add(target_ranks(row, *target).unwrap()).unwrap();
            logs.push(libm::log(row[*target]));
        }
        let bits = DocumentScore::from_log_probabilities(&logs).unwrap().bits_per_token();
        let mut last = 1.0;
        for error in counter.errors().unwrap() {
            let (low, high) = (error.optimistic(), error.pessimistic());
            prop_assert!((0.0..=1.0).contains(&low) && low <= high && high <= last);
            prop_assert!(high <= top_k_error_bound(bits, error.k) + 1e-9);
            prop_assert_eq!(broken_document_link(bits, high, error.k), None);
            last = high; // more guesses, no more misses
        }
    }

    #[test]
    fn temperature_changes_no_rank(
        logits in prop::collection::vec(-400_i32..400, 2..50),
        target in any::<prop::sample::Index>(),
        temperature in prop_oneof![Just(0.1), Just(1.0), Just(7.0)],
    ) {
        let target = target.index(logits.len());
        let cold: Vec<f64> = logits.iter().map(|&logit| f64::from(logit) / 16.0).collect();
        let warm: Vec<f64> = cold.iter().map(|logit| logit / temperature).collect();
        let ranks = target_ranks(&cold, target).unwrap();
        prop_assert_eq!(target_ranks(&warm, target).unwrap(), ranks);
        prop_assert_eq!(target_ranks(&log_softmax(&warm).unwrap(), target).unwrap(), ranks);
    }

    #[test]
    fn token_level_minus_document_level_is_covariance_over_mean_length(documents in documents()) {
        let (scores, lengths): (Vec<f64>, Vec<usize>) = documents.into_iter().unzip();
        let averages = DatasetAverages::from_scores(&scores, &lengths).unwrap();
        let (found, predicted) = (averages.difference(), averages.predicted_difference());
        prop_assert!((found - predicted).abs() < 1e-13, "{found} {predicted}");
        if predicted.abs() > 1e-12 {
            prop_assert_eq!(found < 0.0, averages.covariance < 0.0);
        }
        // The weights of the documents in the token-level average.
        let m_mean_length = averages.document_count as f64 * averages.mean_length();
        let weights: f64 = lengths.iter().map(|&l| l as f64 / m_mean_length).sum();
        prop_assert!((weights - 1.0).abs() < 1e-12);
    }

    #[test]
    fn repeating_a_corpus_moves_neither_average(documents in documents(), copies in 1_usize..6) {
        let (scores, lengths): (Vec<f64>, Vec<usize>) = documents.into_iter().unzip();
        let once = DatasetAverages::from_scores(&scores, &lengths).unwrap();
        let often = DatasetAverages::from_scores(&scores.repeat(copies), &lengths.repeat(copies));
        let often = often.unwrap();
        prop_assert!((often.document_level - once.document_level).abs() < 1e-13);
        prop_assert!((often.token_level - once.token_level).abs() < 1e-13);
    }

    #[test]
    fn averages_and_pooled_totals_do_not_depend_on_the_order_of_documents(
        (documents, order) in prop::collection::vec(prop::collection::vec(0.0..9.0_f64, 1..9), 1..9)
            .prop_flat_map(|documents| {
                let places: Vec<usize> = (0..documents.len()).collect();
                (Just(documents), Just(places).prop_shuffle())
            }),
    ) {
        let summary = |nlls: &Vec<f64>| MetricSummary::from_token_nlls(nlls).unwrap();
        let summaries: Vec<MetricSummary> = documents.iter().map(summary).collect();
        let shuffled: Vec<MetricSummary> = order.iter().map(|&i| summaries[i].clone()).collect();
        let averages = DatasetAverages::from_documents(&summaries).unwrap();
        prop_assert_eq!(DatasetAverages::from_documents(&shuffled).unwrap(), averages);
        // One sum over one count, however the targets are cut into documents.
        let pooled = MetricSummary::from_token_nlls(&documents.concat()).unwrap();
        prop_assert_eq!(averages.token_level.to_bits(), pooled.mean_nll().to_bits());
    }

    #[test]
    fn top_k_counts_do_not_depend_on_the_cut_into_batches(
        ranks in prop::collection::vec((1_usize..20, 0_usize..5, any::<bool>()), 1..60),
    ) {
        let ks = [1, 3, 10];
        let mut whole = TopKCounter::new(&ks, 30).unwrap();
        let mut batches = vec![whole.clone()];
        for &(best, ties, cut) in &ranks {
            let ranks = Ranks::from_bounds(best, best + ties).unwrap();
            whole.add(ranks).unwrap();
            batches.last_mut().unwrap().add(ranks).unwrap();
            if cut {
                batches.push(TopKCounter::new(&ks, 30).unwrap());
            }
        }
        let mut merged = batches.pop().unwrap();
        for batch in &batches {
            merged.merge(batch).unwrap();
        }
        prop_assert_eq!(merged, whole);
    }

    #[test]
    fn every_row_has_a_token_on_which_it_does_no_better_than_guessing(row in row(1..100)) {
        let worst = row.iter().copied().fold(1.0, f64::min);
        let level = random_guess_bits(row.len()).unwrap();
        prop_assert!(surprisal_bits(worst).unwrap() >= level - 1e-12);
        // Uniform text costs every model at least as much as it costs guessing.
        let uniform = vec![1.0 / row.len() as f64; row.len()];
        prop_assert!(cross_entropy_bits(&uniform, &row).unwrap() >= level - 1e-12);
    }

    #[test]
    fn on_uniform_text_every_fixed_set_of_k_tokens_errs_alike(
        (row, k) in row(1..60).prop_flat_map(|row| {
            let size = row.len();
            (Just(row), 1..=size)
        }),
    ) {
        // Each token is the target once; the k best by id are one fixed set.
        let mut counter = TopKCounter::new(&[k], row.len()).unwrap();
        for target in 0..row.len() {
            counter.add(target_ranks(&row, target).unwrap()).unwrap();
        }
        let misses = counter.errors().unwrap()[0].misses_by_id.unwrap();
        prop_assert_eq!(misses, row.len() - k);
        let error = misses as f64 / row.len() as f64;
        prop_assert_eq!(random_guess_top_k_error(k, row.len()), Ok(error));
    }

    #[test]
    fn smoothing_keeps_every_ranking_and_caps_every_loss(
        (row, target) in row_and_target(),
        alpha in prop_oneof![Just(0.01), Just(0.5), Just(0.99)],
    ) {
        let smoothing = PredictionSmoothing::new(alpha, row.len()).unwrap();
        let smoothed = smoothing.row(&row).unwrap();
        prop_assert_eq!(target_ranks(&smoothed, target), target_ranks(&row, target));
        let interval = smoothing.loss_interval();
        for &probability in &smoothed {
            let bits = surprisal_bits(probability.min(1.0)).unwrap();
            prop_assert!(bits >= interval.lowest - 1e-12 && bits <= interval.highest + 1e-12);
        }
        prop_assert!((smoothed.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn smoothing_never_swaps_two_tokens_however_small(a in 0.0..1.0_f64, b in 0.0..1e-30_f64) {
        let smoothing = PredictionSmoothing::new(0.1, 50_257).unwrap();
        let [small, large] = [a.min(b), a.max(b)].map(|p| smoothing.probability(p).unwrap());
        prop_assert!(small <= large);
    }

    #[test]
    fn bounded_token_losses_have_averages_in_the_same_interval(
        shares in prop::collection::vec(0.0..=1.0_f64, 1..200),
        lowest in -5.0..5.0_f64,
        width in 0.0..20.0_f64,
    ) {
        let interval = LossInterval { lowest, highest: lowest + width };
        let losses: Vec<f64> = shares.iter().map(|share| lowest + share * width).collect();
        let average = losses.iter().sum::<f64>() / losses.len() as f64;
        let slack = 1e-12;
        prop_assert!(interval.contains(average)
            || (average - interval.lowest).abs() < slack
            || (average - interval.highest).abs() < slack);
    }

    #[test]
    fn no_number_of_bits_bounds_a_document(level in 0.0..1e12_f64, tokens in 1_usize..10_000) {
        let clean = OneBadToken::new(tokens, 1.0, 1.0).unwrap();
        let document = OneBadToken::new(tokens, 1.0, clean.bits_to_reach(level + 1.0).max(0.0));
        prop_assert!(document.unwrap().bits_per_token() > level);
        prop_assert!(DocumentLoss::BitsPerToken.interval().is_err());
    }
}

#[test]
fn a_confident_wrong_model_is_worse_than_guessing() {
    let level = random_guess_bits(50_257).unwrap();
    assert!(surprisal_bits(1e-9).unwrap() > level); // 29.9 against 15.6 bits
}

#[test]
fn sampling_documents_approaches_the_population_averages() {
    // (L, b) is (2, 12) or (200, 3) with equal chance: E[b] = 7.5 and E[Lb]/E[L] = 624/202.
    let mut stream = llm_metrics::SplitMix64::new(0);
    let n = 40_000;
    let (scores, lengths): (Vec<f64>, Vec<usize>) =
        (0..n).map(|_| if stream.unit() < 0.5 { (12.0, 2) } else { (3.0, 200) }).unzip();
    let averages = DatasetAverages::from_scores(&scores, &lengths).unwrap();
    // sd of b is 4.5. With share s of long documents the ratio is (24 + 576 s) / (2 + 198 s), whose
    // slope at 1/2 is -(24 * 198 - 576 * 2) / 101^2 = -0.353; sd of s is 0.5 / sqrt(n).
    assert!((averages.document_level - 7.5).abs() < 3.0 * 4.5 / 200.0);
    assert!((averages.token_level - 624.0 / 202.0).abs() < 3.0 * 0.353 * 0.5 / 200.0);
}

#[test]
fn all_rankings_of_four_tokens_miss_a_target_as_often_as_guessing() {
    // 24 orders; each token is among the first k in 24 k / 4 of them.
    let mut orders = vec![vec![]];
    for size in 0..4 {
        orders = orders
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=size).map(move |place| {
                    let mut order = order.clone();
                    order.insert(place, size);
                    order
                })
            })
            .collect();
    }
    assert_eq!(orders.len(), 24);
    for target in 0..4 {
        let mut counter = TopKCounter::new(&[1, 2, 3, 4], 4).unwrap();
        for order in &orders {
            let rank = 1 + order.iter().position(|&token| token == target).unwrap();
            counter.add(Ranks::from_bounds(rank, rank).unwrap()).unwrap();
        }
        for error in counter.errors().unwrap() {
            assert_eq!(Ok(error.pessimistic()), random_guess_top_k_error(error.k, 4));
        }
    }
}
