//! The surprise view: everything shown, nothing obeyed.

use std::num::NonZeroUsize;

use llm_baselines::NgramModel;
use llm_corpus::{Document, Partition};
use llm_evaluation::{
    FramedDocument, Framing, ScoreError, SurpriseView, TargetRecord, WindowRule, collect_records,
};
use llm_tokenizer::{Pretokenizer, Tokenizer, TokenizerArtifact};
use proptest::prelude::*;

fn tokenizer() -> Tokenizer {
    Tokenizer::from_artifact(TokenizerArtifact::trained(Vec::new(), Pretokenizer::None)).unwrap()
}

/// Records of texts under a model that knows nothing: log2 258 = 8.01 bits each.
fn records(texts: &[(&str, &[u8])]) -> Vec<TargetRecord> {
    let tokenizer = tokenizer();
    let documents: Vec<FramedDocument> = texts
        .iter()
        .map(|&(id, text)| {
            let document = Document::new(id, Partition::Test, text);
            FramedDocument::encode(&document, &tokenizer, Framing::DOCUMENT).unwrap()
        })
        .collect();
    let model = NgramModel::uniform(tokenizer.vocab_size()).unwrap();
    let rule = WindowRule { window: 4096, stride: 1, bos_per_window: false };
    collect_records(&model, &documents, rule, NonZeroUsize::MIN).unwrap().0
}

fn view(texts: &[(&str, &[u8])]) -> SurpriseView {
    SurpriseView::new(&records(texts), &tokenizer()).unwrap()
}

/// The page without what is the same on every page.
fn tokens_of(page: &str) -> Vec<&str> {
    page.split("<span class=\"t ")
        .skip(1)
        .map(|part| part.split("</span>").next().unwrap())
        .collect()
}

#[test]
fn every_target_is_on_the_page_once_with_its_bits_and_rank() {
    let page = view(&[("one", b"ab"), ("two", b"c")]).to_html("Two texts");
    let tokens = tokens_of(&page);
    assert_eq!(tokens.len(), 5); // a b end, c end
    let expected = "l5\" tabindex=\"0\" data-b=\"8.01\" title=\"8.01 bits, rank 1, position 1\">a";
    assert_eq!(tokens[0], expected);
    assert!(tokens[1..].iter().all(|token| token.contains("tabindex=\"-1\"")));
    assert!(tokens[4].ends_with("<i>⟨end⟩</i>"));
    assert!(page.contains("<td class=\"number\">258.0000</td>")); // perplexity
    assert!(page.find("<h2>one</h2>").unwrap() < page.find("<h2>two</h2>").unwrap());
}

#[test]
fn the_buttons_find_something_at_first() {
    let page = |bits: f64| {
        let mut records = records(&[("x", b"ab")]);
        records[1].log_probability = -bits * std::f64::consts::LN_2;
        records[0].log_probability = 0.0;
        records[2].log_probability = 0.0;
        SurpriseView::new(&records, &tokenizer()).unwrap().to_html("x")
    };
    for (bits, limit) in [(0.5, 0), (3.5, 2), (7.5, 6), (8.5, 8), (100.0, 8)] {
        let limit = format!("id=\"limit\" type=\"number\" min=\"0\" step=\"1\" value=\"{limit}\"");
        assert!(page(bits).contains(&limit), "{bits}");
    }
}

#[test]
fn hostile_texts_and_names_add_no_element_to_the_page() {
    let hostile = "</script><img onerror=alert(1)>\"' onclick=\"x";
    let plain = "a".repeat(hostile.len());
    let page = |text: &str| view(&[(text, text.as_bytes())]).to_html(text);
    let [evil, tame] = [page(hostile), page(&plain)];
    for sign in ["<", ">", "\"", "'"] {
        let count = |page: &str| page.matches(sign).count();
        assert_eq!(count(&evil), count(&tame), "{sign}");
    }
}

#[test]
fn control_codes_and_broken_utf_8_are_shown_and_reach_no_terminal() {
    let text = b"a\x1b[2J\x07\xff\xc3\n\xe2\x80\xae.";
    let view = view(&[("t\x1b", text)]);
    let (page, plain, coloured) =
        (view.to_html("t"), view.to_terminal(false), view.to_terminal(true));
    for mark in ["␛", "␇", "⟨FF⟩", "⟨C3⟩", "↵", "⟨E2⟩", "⟨80⟩", "⟨AE⟩"] {
        assert!(page.contains(&format!("<i>{mark}</i>")), "{mark}");
        assert!(plain.contains(mark) && coloured.contains(mark), "{mark}");
    }
    assert!(plain.chars().all(|c| !c.is_control() || c == '\n'));
    // What is left of the coloured text without its colours has no escape.
    let bare = coloured.split('\x1b').skip(1).all(|rest| {
        let (code, _) = rest.split_once('m').unwrap_or(("x", ""));
        code.starts_with('[') && code[1..].chars().all(|c| c.is_ascii_digit() || c == ';')
    });
    assert!(bare, "{coloured:?}");
}

#[test]
fn the_plain_view_has_a_line_for_each_target_with_a_bar_of_half_bits() {
    let mut records = records(&[("d", b"ab")]);
    records[0].log_probability = -2.0 * std::f64::consts::LN_2; // 2 bits: 4 cells
    records[1].log_probability = 0.0;
    let text = SurpriseView::new(&records, &tokenizer()).unwrap().to_terminal(false);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], "d: 3 targets, 3.34 bits each"); // (2 + 0 + 8.01) / 3
    assert_eq!(lines[3], "    2.00       1  a        ####");
    assert_eq!(lines[4].trim_end(), "    0.00       1  b");
    assert_eq!(lines.len(), 6);
}

#[test]
fn records_in_any_order_give_the_same_view_and_gaps_are_told() {
    let mut given = records(&[("d", b"abcdef")]);
    let page = SurpriseView::new(&given, &tokenizer()).unwrap().to_html("d");
    given.reverse();
    assert_eq!(SurpriseView::new(&given, &tokenizer()).unwrap().to_html("d"), page);
    assert!(!page.contains("class=\"gap\""));
    given.retain(|record| record.position != 2 && record.position != 3);
    let view = SurpriseView::new(&given, &tokenizer()).unwrap();
    assert!(view.to_html("d").contains("title=\"2 without a record\""));
    assert!(view.to_terminal(false).contains("[2 without a record]"));
}

#[test]
fn records_that_make_no_view_are_refused() {
    assert!(matches!(SurpriseView::new(&[], &tokenizer()), Err(ScoreError::Metric(_))));
    let mut twice = records(&[("d", b"ab")]);
    twice.push(twice[0].clone());
    assert!(matches!(SurpriseView::new(&twice, &tokenizer()), Err(ScoreError::Count { .. })));
    // Made with a tokenizer whose token is longer.
    let mut longer = records(&[("d", b"ab")]);
    longer[0].bytes = Some(2);
    let refused = SurpriseView::new(&longer, &tokenizer()).unwrap_err().to_string();
    assert_eq!(refused, "document `d`: 2 bytes of a token by its record, expected 1");
    // Without bytes the tokenizer is believed, and an unknown token says so.
    longer[0].bytes = None;
    longer[0].token = 9999;
    let view = SurpriseView::new(&longer, &tokenizer()).unwrap();
    assert!(view.to_html("d").contains("⟨unknown 9999⟩"));
}

/// A model whose held-out text costs 1.62 nats a character shows 2.3 bits; one that shows more than
/// 6 bits is worse than guessing among 56 characters.
#[test]
fn figures_of_a_known_surprise_view_hold() {
    let mut of_text = records(&[("d", b"abc")]);
    of_text.iter_mut().for_each(|record| record.log_probability = -1.62);
    let view = SurpriseView::new(&of_text, &tokenizer()).unwrap();
    assert!((view.summary().bits_per_token().unwrap() - 2.3).abs() < 0.05);
    assert!((view.documents()[0].targets[0].bits - 2.337).abs() < 5e-4);
    assert!(6.0 > libm::log2(56.0) && (libm::log2(56.0) - 5.807).abs() < 5e-4);
}

proptest! {
    #[test]
    fn any_bytes_make_a_page_of_balanced_elements(text in prop::collection::vec(any::<u8>(), 1..60)) {
        let view = view(&[("d", &text)]);
        let page = view.to_html("any");
        prop_assert_eq!(tokens_of(&page).len(), text.len() + 1);
        for element in ["span", "i", "p", "section", "script", "style"] {
            let opened = page.matches(&format!("<{element}")).count();
            let closed = page.matches(&format!("</{element}>")).count();
            // `<i` also begins `<input`, `<p` nothing else.
            let others = if element == "i" { page.matches("<input").count() } else { 0 };
            prop_assert_eq!(opened - others, closed, "{}", element);
        }
        prop_assert!(page.chars().all(|c| !c.is_control() || c == '\n'));
    }
}
