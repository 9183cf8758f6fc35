use std::collections::HashMap;

use practical::corpus::TokenId;
use proptest::prelude::*;

use super::*;
use crate::commands::train::settings::Settings;

const QUIET: Console = Console::new(true);

/// A plan whose files are never read, with contexts of so many tokens.
fn plan(context_len: usize) -> Plan {
    let mut settings = Settings { out: Some("out".into()), ..Settings::default() };
    settings.data.files = Some(vec!["unread".into()]);
    settings.model.context_len = Some(context_len);
    settings.tokenizer.vocab_size = Some(270);
    Plan::new(settings).unwrap()
}

/// A corpus of these texts; the flag says who is held out.
fn corpus(texts: &[(String, bool)]) -> Corpus {
    let document = |(i, (text, held_out)): (usize, &(String, bool))| {
        let side = if *held_out { Partition::Validation } else { Partition::Train };
        Document::new(format!("d{i}"), side, text.as_str())
    };
    let mut documents: Vec<_> = texts.iter().enumerate().map(document).collect();
    documents.sort_by_key(|document| document.partition);
    Corpus { documents, overlap: None, dropped: 0, read: ReadRecord::default() }
}

/// The (input, target) pairs of all windows of each document, in order.
fn pairs(windows: &[EncodedDocument]) -> HashMap<&str, Vec<(TokenId, TokenId)>> {
    let mut pairs: HashMap<_, Vec<_>> = HashMap::new();
    for window in windows {
        assert_eq!(window.scored_count(), window.target_count());
        pairs.entry(window.id()).or_default().extend(window.ids().windows(2).map(|p| (p[0], p[1])));
    }
    pairs
}

proptest! {
    #[test]
    fn windows_hold_each_target_once_and_no_side_has_text_of_the_other(
        texts in prop::collection::vec(("[ab ]{1,50}", any::<bool>()), 1..12),
        context_len in 1_usize..20,
    ) {
        prop_assume!(texts.iter().any(|(_, held_out)| !held_out));
        let corpus = corpus(&texts);
        let whole = corpus.documents.clone();
        let data = Data::new(corpus, &plan(context_len), &QUIET).unwrap();
        for (windows, side) in
            [(&data.train, Partition::Train), (&data.validation, Partition::Validation)]
        {
            prop_assert!(windows.iter().all(|w| w.partition() == side));
            prop_assert!(windows.iter().all(|w| w.target_count() <= context_len));
            let expected: HashMap<_, _> = whole
                .iter()
                .filter(|document| document.partition == side)
                .map(|document| {
                    let ids = data.tokenizer.encode_document(&document.text).unwrap();
                    (document.id.as_str(), ids.windows(2).map(|p| (p[0], p[1])).collect::<Vec<_>>())
                })
                .collect();
            prop_assert_eq!(pairs(windows), expected);
        }
        let targets = |windows: &[EncodedDocument]| windows.iter().map(|w| w.target_count()).sum::<usize>();
        prop_assert_eq!(data.record.train.targets, targets(&data.train));
        prop_assert_eq!(data.record.validation.targets, targets(&data.validation));
    }

    #[test]
    fn the_tokenizer_is_trained_without_the_validation_documents(
        train in prop::collection::vec("[ab ]{1,30}", 1..6),
        held_out in prop::collection::vec("[xyz]{1,30}", 0..6),
    ) {
        let all = |held_out: &[String]| {
            let texts: Vec<_> = (train.iter().map(|text| (text.clone(), false)))
                .chain(held_out.iter().map(|text| (text.clone(), true)))
                .collect();
            Data::new(corpus(&texts), &plan(8), &QUIET).unwrap().tokenizer
        };
        prop_assert_eq!(all(&held_out), all(&[]));
    }
}
