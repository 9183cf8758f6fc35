//! From questions to records: only the option counts, and nothing else changes its bits.

use std::num::NonZeroUsize;

use llm_baselines::NgramModel;
use llm_evaluation::tasks::{
    BoundaryRule, Join, OptionRecord, OptionScoring, Question, TaskError, TaskItem, score_options,
};
use llm_evaluation::{LanguageModel, Place, RowRequest, ScoreError, StartToken};
use llm_metrics::ExactSum;
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::{TokenId, Tokenizer, TokenizerArtifact, chapter_four_tokenizer};
use proptest::prelude::*;

use crate::models::{Broken, VOCAB_SIZE};
use crate::task_models::{models, tokenizer_with_words};

fn score(
    model: &dyn LanguageModel,
    tokenizer: &Tokenizer,
    items: &[TaskItem],
    scoring: &OptionScoring,
    batch: usize,
) -> Result<Vec<OptionRecord>, TaskError> {
    let questions: Vec<_> = items.iter().map(Question::plain).collect();
    score_options(model, tokenizer, &questions, scoring, NonZeroUsize::new(batch).unwrap())
}

fn uniform(tokenizer: &Tokenizer) -> NgramModel {
    NgramModel::uniform(tokenizer.vocab_size()).unwrap()
}

fn back_off() -> OptionScoring {
    OptionScoring { boundary: BoundaryRule::BackOff, ..OptionScoring::default() }
}

/// Short texts in which words, spaces, merges and two-byte characters meet.
fn text(len: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", " ", "é"]), len)
        .prop_map(|parts| parts.concat())
}

fn item() -> impl Strategy<Value = TaskItem> {
    let option = text(1..6).prop_filter("not only spaces", |t| !t.trim_matches(' ').is_empty());
    let options = prop::collection::vec(option, 2..5);
    (text(0..12), options, any::<prop::sample::Index>()).prop_map(|(context, options, answer)| {
        let answer = answer.index(options.len());
        TaskItem::new(context, options, answer).unwrap()
    })
}

fn scoring() -> impl Strategy<Value = OptionScoring> {
    let boundary = prop_oneof![Just(BoundaryRule::Separate), Just(BoundaryRule::BackOff)];
    let start_token = prop_oneof![Just(StartToken::Bos), Just(StartToken::EosAsPrefix)];
    (boundary, start_token, prop::option::of(text(0..4))).prop_map(
        |(boundary, start_token, neutral_prompt)| OptionScoring {
            start_token,
            boundary,
            neutral_prompt,
        },
    )
}

fn tokenizer() -> Tokenizer {
    tokenizer_with_words(&["ab", " a", "ba", "aé"])
}

/// Log-probabilities of `ids[from..]` by reading `ids[..i]` for each `i`, alone.
fn slowly(model: &dyn LanguageModel, ids: &[TokenId], from: usize) -> Vec<f64> {
    let one = |i: usize| {
        let mut found = 0.0;
        let visit = &mut |row: llm_evaluation::Row<'_>| {
            found = row.log_probabilities[ids[i] as usize];
            Ok(())
        };
        model.visit_rows(&[RowRequest::next(&ids[..i])], visit).unwrap();
        found
    };
    (from..ids.len()).map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_option_has_the_same_bits_alone_in_any_batch_and_in_any_order(
        items in prop::collection::vec(item(), 1..5),
        scoring in scoring(),
        batch in 1usize..6,
        rotation in 0usize..5,
    ) {
        let tokenizer = tokenizer();
        for model in models(&tokenizer) {
            let together = score(&*model, &tokenizer, &items, &scoring, batch).unwrap();
            let mut expected = Vec::new();
            for (number, item) in items.iter().enumerate() {
                let alone = score(&*model, &tokenizer, std::slice::from_ref(item), &scoring, 1);
                expected.extend(
                    alone.unwrap().into_iter().map(|record| OptionRecord { item: number, ..record }),
                );
            }
            prop_assert_eq!(&together, &expected);

            // Options in another order are scored the same, so their records only change places.
            for (number, item) in items.iter().enumerate() {
                let count = item.options().len();
                let mut options = item.options().to_vec();
                options.rotate_left(rotation % count);
                let answer = (item.answer() + count - rotation % count) % count;
                let rotated = TaskItem::new(item.context(), options, answer).unwrap();
                let rotated = score(&*model, &tokenizer, &[rotated], &scoring, 1).unwrap();
                let of_item: Vec<_> = together.iter().filter(|r| r.item == number).collect();
                for record in rotated {
                    let original = of_item[(record.option + rotation % count) % count];
                    let moved = OptionRecord {
                        item: number,
                        option: original.option,
                        digest: original.digest.clone(),
                        ..record
                    };
                    prop_assert_eq!(&moved, original);
                }
            }
        }
    }

    #[test]
    fn a_neutral_prompt_changes_no_other_field(
        items in prop::collection::vec(item(), 1..4), scoring in scoring(),
    ) {
        let tokenizer = tokenizer();
        let without = OptionScoring { neutral_prompt: None, ..scoring.clone() };
        for model in models(&tokenizer) {
            let with = score(&*model, &tokenizer, &items, &scoring, 2).unwrap();
            let without = score(&*model, &tokenizer, &items, &without, 2).unwrap();
            for (with, without) in with.into_iter().zip(without) {
                prop_assert_eq!(OptionRecord { neutral_log_probabilities: None, ..with }, without);
            }
        }
    }

    #[test]
    fn each_id_of_an_option_and_nothing_else_is_scored_given_all_before_it(
        item in item(), neutral in text(0..4),
    ) {
        let tokenizer = tokenizer();
        let scoring = OptionScoring {
            neutral_prompt: Some(neutral.clone()), ..OptionScoring::default()
        };
        let encode = |text: &str| tokenizer.encode(text.as_bytes()).unwrap();
        let context = item.context().trim_end_matches(' ');
        let spaces = &item.context()[context.len()..];
        for model in models(&tokenizer) {
            let records = score(&*model, &tokenizer, std::slice::from_ref(&item), &scoring, 1).unwrap();
            for (record, option) in records.iter().zip(item.options()) {
                let text = format!("{spaces}{option}");
                let after = |prompt: &str| {
                    let prompt = [vec![0], encode(prompt)].concat();
                    slowly(&*model, &[&prompt[..], &encode(&text)].concat(), prompt.len())
                };
                prop_assert_eq!(&record.log_probabilities, &after(context));
                let neutral = after(neutral.trim_end_matches(' '));
                prop_assert_eq!(record.neutral_log_probabilities.as_ref(), Some(&neutral));
                prop_assert_eq!(record.bytes, text.len() as u64);
                prop_assert_eq!(record.characters, text.chars().count() as u64);
                let whole = encode(&format!("{context}{text}"));
                let clean = whole == [encode(context), encode(&text)].concat();
                prop_assert_eq!(record.join == Join::Clean, clean);
            }
        }
    }

    #[test]
    fn backing_off_scores_the_joined_text_of_all_options_from_one_place(item in item()) {
        let tokenizer = tokenizer();
        let encode = |text: &str| tokenizer.encode(text.as_bytes()).unwrap();
        for model in models(&tokenizer) {
            let records = score(&*model, &tokenizer, std::slice::from_ref(&item), &back_off(), 1).unwrap();
            let scored = |record: &OptionRecord, option: &str| {
                (item.context().len() + option.len()) as u64 - record.bytes
            };
            let place = scored(&records[0], &item.options()[0]);
            for (record, option) in records.iter().zip(item.options()) {
                prop_assert_eq!(scored(record, option), place);
                let whole = [vec![0], encode(&format!("{}{option}", item.context()))].concat();
                let from = whole.len() - record.log_probabilities.len();
                prop_assert_eq!(&record.log_probabilities, &slowly(&*model, &whole, from));
                let kept = tokenizer.decode(&whole[..from]).unwrap();
                prop_assert_eq!(kept.len() as u64, place);
                let prompt = item.context().trim_end_matches(' ').len() as u64;
                prop_assert_eq!(record.join, if place == prompt { Join::Clean } else { Join::BackedOff });
            }
        }
    }
}

#[test]
fn a_token_across_the_join_is_flagged_and_scored_by_the_declared_rule() {
    let tokenizer = tokenizer_with_words(&["Answer"]);
    let model = uniform(&tokenizer);
    let items = [TaskItem::new("Ans", ["wer", "y"], 0).unwrap()];
    let separate = score(&model, &tokenizer, &items, &OptionScoring::default(), 1).unwrap();
    assert_eq!((separate[0].join, separate[0].bytes), (Join::Split, 3));
    assert_eq!((separate[1].join, separate[1].bytes), (Join::Clean, 1));
    assert_eq!(separate[0].log_probabilities.len(), 3); // w, e, r: only `Answer` has merges
    assert!(separate[0].log_probability().is_finite());
    // `Answer` shares nothing with `Ans` but the start token, so the other option backs off too.
    let joined = score(&model, &tokenizer, &items, &back_off(), 1).unwrap();
    assert_eq!((joined[0].join, joined[0].bytes, joined[0].characters), (Join::BackedOff, 6, 6));
    assert_eq!((joined[1].join, joined[1].bytes, joined[1].characters), (Join::BackedOff, 4, 4));
    assert_eq!((joined[0].log_probabilities.len(), joined[0].bare_characters), (1, 3));
}

#[test]
fn spaces_at_the_end_of_the_prompt_belong_to_the_option() {
    let tokenizer = tokenizer_with_words(&[" yes"]);
    for model in models(&tokenizer) {
        let records = ["Q: ", "Q:"].map(|prompt| {
            let option = if prompt == "Q: " { "yes" } else { " yes" };
            let items = [TaskItem::new(prompt, [option, " y"], 0).unwrap()];
            score(&*model, &tokenizer, &items, &OptionScoring::default(), 1).unwrap().remove(0)
        });
        let [moved, written] = records;
        assert_eq!(moved.log_probabilities.len(), 1); // the one token ` yes`
        assert_eq!(OptionRecord { digest: written.digest.clone(), ..moved }, written);
    }
}

#[test]
fn backing_off_into_a_character_counts_the_characters_that_begin_in_the_scored_bytes() {
    // The token of é's second byte and `x`: the prompt `é` shares only é's first byte with `éx`.
    let tokenizer = {
        let mut artifact: TokenizerArtifact = tokenizer_with_words(&[]).artifact().clone();
        let merge = llm_tokenizer::Merge { id: 258, left: 0xa9 + 2, right: u32::from(b'x') + 2 };
        artifact.merges.push(merge);
        artifact.vocab_size += 1;
        Tokenizer::from_artifact(artifact).unwrap()
    };
    let items = [TaskItem::new("é", ["x", "y"], 0).unwrap()];
    let records = score(&uniform(&tokenizer), &tokenizer, &items, &back_off(), 1).unwrap();
    let lengths = records.iter().map(|r| (r.bytes, r.characters, r.log_probabilities.len()));
    assert_eq!(lengths.collect::<Vec<_>>(), [(2, 1, 1), (2, 1, 2)]);
}

#[test]
fn text_that_looks_like_a_control_token_is_text() {
    let tokenizer = chapter_four_tokenizer();
    let items = [TaskItem::new("<|bos|>", ["<|eos|>", "x"], 0).unwrap()];
    let scoring = OptionScoring::default();
    let records = score(&uniform(&tokenizer), &tokenizer, &items, &scoring, 1).unwrap();
    assert_eq!(records[0].bytes, 7);
}

#[test]
fn options_that_cannot_be_asked_are_refused_before_anything_is_scored() {
    let tokenizer = chapter_four_tokenizer();
    let config = DecoderConfig::reference(tokenizer.vocab_size(), 8).validate().unwrap();
    let model = DecoderModel::<f32>::initialize(config, 1);
    let fine = TaskItem::new("x", ["y", "z"], 0).unwrap();
    // A start token, 4 letters and 4 of the option but its last: 8 ids.
    let fits = TaskItem::new("xxxx", ["y", "yyyy"], 0).unwrap();
    let scoring = OptionScoring::default();
    assert!(score(&model, &tokenizer, &[fine.clone(), fits], &scoring, 1).is_ok());
    let long = [fine.clone(), TaskItem::new("xxxxx", ["y", "yyyy"], 0).unwrap()];
    let error = score(&model, &tokenizer, &long, &scoring, 1).unwrap_err();
    assert!(matches!(error, TaskError::Option { item: 1, option: 1, .. }), "{error}");
    let message = error.to_string();
    assert!(message.starts_with("item 1, option 1: 9 ids to read, the model's context holds 8"));
    let long_neutral = Some("neutral".into());
    let neutral = OptionScoring { neutral_prompt: long_neutral, ..OptionScoring::default() };
    let error = score(&model, &tokenizer, &[fine.clone(), long[1].clone()], &neutral, 1);
    assert!(matches!(error, Err(TaskError::Option { item: 1, .. })));

    let bare = OptionScoring { start_token: StartToken::None, ..OptionScoring::default() };
    let nothing_before = [fine.clone(), TaskItem::new("  ", ["y", "z"], 0).unwrap()];
    let error = score(&model, &tokenizer, &nothing_before, &bare, 1).unwrap_err();
    assert!(matches!(error, TaskError::Option { item: 1, .. }), "{error}");
    assert!(score(&model, &tokenizer, &nothing_before, &scoring, 1).is_ok()); // a start token helps
    let empty_neutral = OptionScoring { neutral_prompt: Some(" ".into()), ..bare };
    let error =
        score(&model, &tokenizer, std::slice::from_ref(&fine), &empty_neutral, 1).unwrap_err();
    assert!(error.to_string().starts_with("the neutral prompt is empty"), "{error}");

    let mut artifact: TokenizerArtifact = tokenizer.artifact().clone();
    artifact.document_start = None;
    let headless = Tokenizer::from_artifact(artifact).unwrap();
    let error = score(&model, &headless, &[fine], &scoring, 1).unwrap_err();
    assert!(matches!(error, TaskError::Score(ScoreError::Framing { missing: "start" })), "{error}");
    assert_eq!(score(&model, &tokenizer, &[], &scoring, 1).unwrap(), []);
}

#[test]
fn what_a_model_refuses_is_said_of_item_and_option() {
    let tokenizer = chapter_four_tokenizer();
    let items = [
        TaskItem::new("", ["\u{1}", "\u{2}"], 0).unwrap(),
        TaskItem::new("\u{1}", ["\u{1}", "\u{2}\u{5}\u{0}"], 0).unwrap(),
    ];
    // Byte b has id b + 2; the model breaks behind id 7 where id 2 is wanted.
    for batch in [1, 2] {
        let scoring = OptionScoring::default();
        let error = score(&Broken(f64::NAN), &tokenizer, &items, &scoring, batch).unwrap_err();
        let TaskError::Score(ScoreError::NonFinite { place, .. }) = &error else {
            panic!("{error}")
        };
        assert_eq!(*place, Place::Option { item: 1, option: 1, position: 4 });
        assert!(error.to_string().starts_with("item 1, option 1, position 4: the model gives NaN"));
    }
    let unknown = [TaskItem::new("", ["\u{1}", "x"], 0).unwrap()];
    let error = score(&Broken(-9.0), &tokenizer, &unknown, &OptionScoring::default(), 1);
    let error = error.unwrap_err().to_string();
    let outside = format!("token id {} is outside the vocabulary", u32::from(b'x') + 2);
    assert!(error.contains(&outside) && error.contains(&VOCAB_SIZE.to_string()), "{error}");
}

#[test]
fn the_log_probability_of_an_option_is_one_exact_sum() {
    let terms = [-1e16, -1.0, -1.0];
    let record = crate::task_models::record(0, 0, true, "abc", &terms);
    assert_eq!(record.log_probability(), -10_000_000_000_000_002.0);
    let exact: ExactSum = terms.into_iter().collect();
    assert_eq!(record.log_probability(), exact.value());
}
