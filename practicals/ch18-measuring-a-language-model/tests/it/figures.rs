//! The two pictures.

use llm_from_scratch_practical::metrics::SyntheticCorpusPlan;
use practical_ch18_measuring_a_language_model::{averages_figure, surprisal_figure};

use crate::support::default_report;

#[test]
fn every_bar_has_its_surprisal_and_the_line_the_mean() {
    let svg = surprisal_figure(&default_report().worked_document).unwrap();
    for text in ["1.000", "2.000", "0.152", "6.644", "0.737", "mean 2.107", "guessing 15.62"] {
        assert!(svg.contains(text), "{text}");
    }
    // Three first guesses, one among the first five, one beyond; and a legend box of each colour.
    let boxes = |colour: &str| {
        svg.split('<').filter(|t| t.starts_with("rect") && t.contains(colour)).count()
    };
    assert_eq!(["#0072B2", "#009E73", "#D55E00"].map(boxes), [3 + 1, 1 + 1, 1 + 1]);
}

#[test]
fn both_averages_are_drawn_through_two_thousand_documents() {
    let corpus = SyntheticCorpusPlan::default().draw(0).unwrap();
    let report = default_report().synthetic_corpus;
    let svg = averages_figure(&corpus, &report).unwrap();
    assert_eq!(svg.matches("<circle").count(), 2000);
    let averages = report.longer_is_easier;
    assert!(svg.contains(&format!("every document equal: {:.3}", averages.document_level)));
    assert!(svg.contains(&format!("every token equal: {:.3}", averages.token_level)));
    assert_eq!(averages_figure(&corpus, &report).unwrap(), svg);
}
