//! Scoring by the contract: the same numbers as by hand, and nothing else than what it names.

use std::num::NonZeroUsize;

use llm_baselines::{NgramModel, Smoothing};
use llm_corpus::{Document, EncodedDocument, Partition};
use llm_evaluation::{
    Conditions, ContractError, EvaluationContract, EvaluationResult, FramedDocument, Framing,
    LanguageModel, ResultCache, StartToken, Subject, WindowRule, collect_records,
    score_under_contract,
};
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::Tokenizer;
use proptest::prelude::*;
use serde_json::{Value, json};

fn model(tokenizer: &Tokenizer, k: f64) -> NgramModel {
    let text = Document::new("t", Partition::Train, "abcabcab");
    let text = EncodedDocument::encode(&text, tokenizer).unwrap();
    NgramModel::fit(tokenizer.vocab_size(), 3, Smoothing::AddK { k }, &[text]).unwrap()
}

fn texts() -> Vec<Document> {
    [("x", "abcabc"), ("y", "cab"), ("z", "b")]
        .map(|(id, text)| Document::new(id, Partition::Test, text))
        .to_vec()
}

const RULE: WindowRule = WindowRule { window: 4, stride: 2, bos_per_window: false };

fn contract(model: &dyn LanguageModel, tokenizer: &Tokenizer) -> EvaluationContract {
    let conditions = Conditions::new(Partition::Test, &texts(), Framing::DOCUMENT, RULE);
    EvaluationContract::new(Subject::new(model, Some(tokenizer), "f64"), conditions).unwrap()
}

#[test]
fn the_contract_scores_what_its_rules_say() {
    let tokenizer = Tokenizer::of_bytes();
    let model = model(&tokenizer, 0.5);
    let rules = [
        (Framing::DOCUMENT, RULE),
        (Framing { start_token: StartToken::EosAsPrefix, end_token: false }, WindowRule::WHOLE),
        (Framing { start_token: StartToken::None, end_token: true }, RULE),
        (Framing::DOCUMENT, WindowRule { bos_per_window: true, ..RULE }),
    ];
    let mut totals = Vec::new();
    for (framing, rule) in rules {
        let conditions = Conditions::new(Partition::Test, &texts(), framing, rule);
        let subject = Subject::new(&model, Some(&tokenizer), "f64");
        let contract = EvaluationContract::new(subject, conditions).unwrap();
        let framed: Vec<FramedDocument> = texts()
            .iter()
            .map(|text| FramedDocument::encode(text, &tokenizer, framing).unwrap())
            .collect();
        let (records, _) = collect_records(&model, &framed, rule, NonZeroUsize::MIN).unwrap();
        let by_hand = EvaluationResult::from_records(contract.clone(), records).unwrap();
        let batch = NonZeroUsize::new(3).unwrap();
        let given = score_under_contract(&contract, &model, &tokenizer, &texts(), batch).unwrap();
        assert_eq!(given, by_hand);
        totals.push(given.documents()[0].nats);
    }
    totals.sort_by(f64::total_cmp);
    totals.dedup();
    assert_eq!(totals.len(), 4, "some rule changed nothing: {totals:?}");
}

#[test]
fn anything_else_than_the_contract_names_is_refused() {
    let tokenizer = Tokenizer::of_bytes();
    let other_tokenizer = llm_tokenizer::chapter_four_tokenizer();
    let (given, other) = (model(&tokenizer, 0.5), model(&tokenizer, 0.25));
    let contract = contract(&given, &tokenizer);
    let one = NonZeroUsize::MIN;
    let refused = |tokenizer, model: &NgramModel, texts: &[Document], reason: &str| {
        let error = score_under_contract(&contract, model, tokenizer, texts, one).unwrap_err();
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    };
    refused(&tokenizer, &other, &texts(), "contract: subject.model is");
    refused(&other_tokenizer, &given, &texts(), "contract: subject.tokenizer_sha256 is");
    refused(&tokenizer, &given, &texts()[1..], "has 3 documents, 2 are given");
    let mut changed = texts();
    changed[1].text.push(b'!');
    refused(&tokenizer, &given, &changed, "another text for `y`");
    let mut renamed = texts();
    renamed[2].id = "w".into();
    refused(&tokenizer, &given, &renamed, "has no `w`");
    let mut moved = texts();
    moved[0].partition = Partition::Validation;
    refused(&tokenizer, &given, &moved, "document `x` is of the validation split");
    let mut twice = texts();
    twice[2] = twice[0].clone();
    refused(&tokenizer, &given, &twice, "`x`");

    let fields: [(&str, Value); 8] = [
        ("subject.code_version", json!("another 1")),
        ("subject.execution", json!("gpu")),
        ("subject.tokenizer_sha256", Value::Null),
        ("conditions.boundaries", json!("joined")),
        ("conditions.dropout", json!(true)),
        ("conditions.seed", json!(7)),
        ("conditions.targets.control_tokens", json!(true)),
        ("conditions.targets.end_token", json!(false)),
    ];
    for (field, value) in fields {
        let mut changed = serde_json::to_value(&contract).unwrap();
        if field == "conditions.dropout" {
            changed["conditions"]["seed"] = json!(7); // no contract without one
        }
        *changed.pointer_mut(&format!("/{}", field.replace('.', "/"))).unwrap() = value;
        let changed: EvaluationContract = serde_json::from_value(changed).unwrap();
        let error = score_under_contract(&changed, &given, &tokenizer, &texts(), one).unwrap_err();
        assert!(error.to_string().starts_with(&format!("contract: {field} is")), "{error}");
    }
}

proptest! {
    #[test]
    fn neither_batch_nor_order_changes_a_bit(
        batch in 1_usize..20,
        order in Just([0_usize, 1, 2]).prop_shuffle(),
    ) {
        let tokenizer = Tokenizer::of_bytes();
        let model = model(&tokenizer, 0.5);
        let contract = contract(&model, &tokenizer);
        let shuffled: Vec<Document> = order.iter().map(|&i| texts()[i].clone()).collect();
        let score = |texts: &[Document], batch| {
            let batch = NonZeroUsize::new(batch).unwrap();
            score_under_contract(&contract, &model, &tokenizer, texts, batch).unwrap()
        };
        prop_assert_eq!(score(&shuffled, batch), score(&texts(), 1));
    }
}

/// One folder, two models that differ in the last bit of one weight: neither gets the other's score.
#[test]
fn a_cache_tells_models_apart_by_every_weight() {
    let tokenizer = Tokenizer::of_bytes();
    let config = DecoderConfig::reference(tokenizer.vocab_size(), 8).validate().unwrap();
    let model = DecoderModel::<f32>::initialize(config, 3);
    let mut other = model.clone();
    let weight = &mut other.parameters_mut()[2].value_mut()[1];
    *weight = weight.next_up();

    let folder = tempfile::tempdir().unwrap();
    let cache = ResultCache::new(folder.path());
    let mut computed = 0;
    let mut ask = |model: &DecoderModel<f32>| {
        let contract = contract(model, &tokenizer);
        let result: Result<EvaluationResult, ContractError> =
            cache.get_or_compute(&contract, || {
                computed += 1;
                let batch = NonZeroUsize::MIN;
                score_under_contract(&contract, model, &tokenizer, &texts(), batch)
            });
        (result.unwrap(), computed)
    };
    let (first, second) = (ask(&model), ask(&other));
    assert_eq!((first.1, second.1), (1, 2));
    assert_ne!(first.0.contract().sha256(), second.0.contract().sha256());
    assert_eq!(ask(&model), (first.0, 2));
    assert_eq!(ask(&other), (second.0, 2));
}
