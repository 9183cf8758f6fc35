use super::*;
use crate::CorpusManifest;
use crate::Partition::{Test, Train};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn scan() -> ContaminationScan {
    ContaminationScan::default()
}

fn test(id: &str, text: &str) -> Document {
    Document::new(id, Test, text)
}

fn train(id: &str, text: &str) -> Document {
    Document::new(id, Train, text)
}

const SENTENCE: &str = "the old ferry crossed the river twice a day until the new bridge was built";

#[test]
fn each_search_finds_its_own_kind_of_copy() {
    let near = SENTENCE.replace("bridge", "tunnel");
    let quoted = format!("he wrote that {} and then he slept for a week", &SENTENCE[..60]);
    let evaluation = [
        test("exact", SENTENCE),
        test(
            "spaced",
            "The old  ferry crossed the river, twice a day, until the new bridge was built.",
        ),
        test("near", &near),
        test("quoted", &quoted),
        test("paraphrase", "before there was a bridge, a boat went over the water two times daily"),
    ];
    let training =
        [train("other", "nothing to see here at all today or ever"), train("t", SENTENCE)];
    let report = scan().run(&evaluation, &training).unwrap();
    let duplicates: Vec<_> = (report.duplicates.iter())
        .map(|found| (found.document.as_str(), found.earlier.as_str(), found.same_bytes))
        .collect();
    assert_eq!(duplicates, [("exact", "t", true), ("spaced", "t", false)]);
    let near: Vec<_> =
        report.near.iter().map(|found| (found.document.as_str(), found.similarity)).collect();
    // 15 words are 13 runs of three; one changed word breaks three of them: 10 in both, 16 in either.
    assert_eq!(near, [("exact", 1.0), ("spaced", 1.0), ("near", 10.0 / 16.0)]);
    let eight: Vec<_> = (report.shared[0].documents.iter())
        .map(|found| (found.document.as_str(), found.ngrams, found.shared))
        .collect();
    // `quoted` has 3 + 12 + 8 = 23 words, 16 runs of eight; the 12 quoted words have 5 of them.
    // In `near` only the runs within the first 11 words are untouched.
    let expected = [("exact", 8, 8), ("spaced", 8, 8), ("near", 8, 5), ("quoted", 16, 5)];
    assert_eq!(eight, expected);
    assert_eq!(report.flagged, ["exact", "near", "spaced"]);
    assert_eq!(report.shared[1].too_short, 0);
}

#[test]
fn the_report_states_method_parameters_and_digests_and_promises_nothing() {
    let (evaluation, training) = ([test("x", SENTENCE)], [train("t", "something else")]);
    let report = scan().run(&evaluation, &training).unwrap();
    assert!(report.flagged.is_empty() && report.near.is_empty() && report.duplicates.is_empty());
    for stated in ["no finding is no proof", "paraphrases", "8 and 13", "0.6 or more", "0.999941"] {
        assert!(report.scope.contains(stated), "{stated} is not in: {}", report.scope);
    }
    assert!(!report.scope.to_lowercase().contains("no leak"));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["parameters"]["min_hash"]["bands"], 40);
    assert_eq!(json["evaluation"]["sha256"], CorpusManifest::new(&evaluation).sha256());
    assert_eq!(json["training"]["sha256"], CorpusManifest::new(&training).sha256());
    assert_eq!((report.training.documents, report.training.bytes), (1, 14));
    assert_eq!(report.detection[0].similarity, 0.6);
}

#[test]
fn what_would_compare_nothing_is_refused() {
    let (x, t) = ([test("x", SENTENCE)], [train("t", SENTENCE)]);
    let twice = [x[0].clone(), x[0].clone()];
    let huge = MinHash { rows: NonZeroUsize::MAX, ..MinHash::default() };
    let share = |flag_from_share| ContaminationScan { flag_from_share, ..scan() };
    let similarity = |near_from_similarity| ContaminationScan { near_from_similarity, ..scan() };
    let cases: [(ContaminationScan, &[Document], &[Document], &str); 8] = [
        (share(0.0), &x, &t, "share of 0"),
        (share(f64::NAN), &x, &t, "share of NaN"),
        (similarity(1.5), &x, &t, "similarity from 1.5"),
        (ContaminationScan { ngram_words: vec![], ..scan() }, &x, &t, "no length of n-grams"),
        (ContaminationScan { min_hash: huge, ..scan() }, &x, &t, "hash functions"),
        (scan(), &[], &t, "no evaluation documents"),
        (scan(), &x, &[], "no training documents"),
        (scan(), &twice, &t, "two evaluation documents have the id `x`"),
    ];
    for (scan, evaluation, training, reason) in cases {
        let error = scan.run(evaluation, training).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// Documents of random words, and copies of some training documents among the evaluation documents.
struct Planted {
    evaluation: Vec<Document>,
    training: Vec<Document>,
    exact: BTreeSet<String>,
    spaced: BTreeSet<String>,
    near: BTreeSet<String>,
}

/// `count` documents on each side, of 60 words of 5,000; in every 20 evaluation documents one exact
/// copy, one in other case and spacing, one with one word in 20 changed.
fn plant(count: usize, seed: u64) -> Planted {
    let mut stream = llm_metrics::SplitMix64::new(seed);
    let mut word = move || format!("w{}", stream.below(NonZeroUsize::new(5_000).unwrap()));
    let mut text = |words: usize| (0..words).map(|_| word()).collect::<Vec<_>>();
    let training: Vec<Document> =
        (0..count).map(|i| train(&format!("t{i}"), &text(60).join(" "))).collect();
    let mut planted = Planted {
        evaluation: Vec::new(),
        training,
        exact: BTreeSet::new(),
        spaced: BTreeSet::new(),
        near: BTreeSet::new(),
    };
    for i in 0..count {
        let id = format!("e{i}");
        let source = String::from_utf8(planted.training[(i * 7) % count].text.clone()).unwrap();
        let copy = match i % 20 {
            0 => {
                planted.exact.insert(id.clone());
                source
            }
            1 => {
                planted.spaced.insert(id.clone());
                source.to_uppercase().replace(' ', " \t\n ")
            }
            2 => {
                planted.near.insert(id.clone());
                let mut words: Vec<&str> = source.split(' ').collect();
                [5, 30, 55].into_iter().for_each(|place| words[place] = "changed");
                words.join(" ")
            }
            _ => text(60).join(" "),
        };
        planted.evaluation.push(test(&id, &copy));
    }
    planted
}

/// 58 runs of three words; three changed words break nine of them: 49 in both, 67 in either, a
/// similarity of 0.73, which is missed with a probability of 3e-9.
fn all_planted_are_found(planted: &Planted, scan: &ContaminationScan) {
    let report = scan.run(&planted.evaluation, &planted.training).unwrap();
    let duplicates = |same_bytes: bool| -> BTreeSet<String> {
        let found = report.duplicates.iter().filter(|found| found.same_bytes == same_bytes);
        found.map(|found| found.document.clone()).collect()
    };
    assert_eq!(duplicates(true), planted.exact);
    assert_eq!(duplicates(false), planted.spaced);
    let near = report.near.iter().filter(|near| near.similarity < 1.0);
    let near: BTreeSet<String> = near
        .inspect(|near| assert_eq!(near.similarity, 49.0 / 67.0))
        .map(|near| near.document.clone())
        .collect();
    assert_eq!(near, planted.near);
    let all: BTreeSet<String> =
        [&planted.exact, &planted.spaced, &planted.near].into_iter().flatten().cloned().collect();
    assert_eq!(report.flagged, all.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_planted_copy_among_a_thousand_documents_is_found() {
    all_planted_are_found(&plant(1_000, 11), &scan());
}

#[test]
#[ignore = "campaign: 10,000 documents on each side, some seconds"]
fn every_planted_copy_among_ten_thousand_documents_is_found() {
    all_planted_are_found(&plant(10_000, 12), &scan());
}

#[test]
fn any_bound_on_memory_gives_the_same_report() {
    let planted = plant(60, 13);
    let report = |bound: usize| {
        let bound = NonZeroUsize::new(bound).unwrap();
        let scan =
            ContaminationScan { ngrams_in_memory: bound, sketches_in_memory: bound, ..scan() };
        let report = scan.run(&planted.evaluation, &planted.training).unwrap();
        (report.duplicates, report.shared, report.near, report.flagged)
    };
    let whole = report(1_000_000);
    assert_eq!(whole.3.len(), 9);
    for bound in [1, 7, 100] {
        assert_eq!(report(bound), whole, "{bound}");
    }
}

proptest! {
    /// What is reported as near is near, by a second way to count; nothing that is equal is missed;
    /// and the order of the training documents does not change who is found.
    #[test]
    fn findings_are_facts(
        texts in prop::collection::vec("[ab]( [abc]){0,7}", 2..9),
        cut in 1_usize..8,
    ) {
        let cut = cut.min(texts.len() - 1);
        let number = |(i, text): (usize, &String)| Document::new(format!("d{i}"), Test, text.as_str());
        let documents: Vec<Document> = texts.iter().enumerate().map(number).collect();
        let (evaluation, training) = documents.split_at(cut);
        let runs = |document: &Document| -> BTreeSet<Vec<String>> {
            let text = String::from_utf8(document.text.clone()).unwrap();
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            words.windows(3).map(<[String]>::to_vec).collect()
        };
        let report = scan().run(evaluation, training).unwrap();
        for near in &report.near {
            let by_id = |id: &String| runs(documents.iter().find(|d| d.id == *id).unwrap());
            let (a, b) = (by_id(&near.document), by_id(&near.training));
            let share = a.intersection(&b).count() as f64 / a.union(&b).count() as f64;
            prop_assert_eq!(near.similarity, share);
            prop_assert!(share >= 0.6);
        }
        for document in evaluation {
            let copied = training.iter().any(|other| other.text == document.text);
            let found = report.duplicates.iter().any(|d| d.document == document.id && d.same_bytes);
            prop_assert_eq!(copied, found);
            if copied && !runs(document).is_empty() {
                prop_assert!(report.near.iter().any(|near| near.document == document.id));
            }
        }
        let reversed: Vec<Document> = training.iter().rev().cloned().collect();
        prop_assert_eq!(scan().run(evaluation, &reversed).unwrap().flagged, report.flagged);
    }
}
