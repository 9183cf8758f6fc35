//! The surprise view as a page.
//!
//! Everything is there without the script: colours, and bits and rank of each token as its title.
//! The script adds the keyboard: one token has the focus, arrow keys move it, `n` and `p` jump to the
//! next and previous token at or above a limit, and what is known of it is said in a line.

use super::scale::{LIMITS, level, range};
use super::{Piece, SurpriseDocument, SurpriseTarget, SurpriseView, visible_text};
use crate::html::{Page, escape};

const STYLE: &str = include_str!("view.css");
const SCRIPT: &str = include_str!("view.js");

impl SurpriseView {
    /// A self-contained page with the title given.
    pub fn to_html(&self, title: &str) -> String {
        let mut body = self.summary_table();
        body += &legend();
        body += &controls(self.first_jump());
        let mut first = true;
        for document in self.documents() {
            body += &section(document, &mut first);
        }
        Page::new(title).with_style(STYLE).with_body(body).with_script(SCRIPT).render()
    }

    /// From how many bits on the buttons find a token at first: 8, or the highest limit below that
    /// some token reaches, so that there is something to find.
    fn first_jump(&self) -> f64 {
        let targets = self.documents().iter().flat_map(|document| &document.targets);
        let highest = targets.map(|target| level(target.bits)).max().unwrap_or(0);
        LIMITS[highest].min(8.0)
    }

    /// The pooled numbers; the view was not made without records.
    fn summary_table(&self) -> String {
        let summary = self.summary();
        let decimals = |value: Option<f64>| value.map_or("unknown".into(), |v| format!("{v:.4}"));
        let rows = [
            ("Documents", summary.document_count().to_string()),
            ("Targets", summary.target_count().to_string()),
            ("Bits per token", decimals(summary.bits_per_token().ok())),
            ("Perplexity", decimals(summary.perplexity().ok())),
            ("Bits per byte", decimals(summary.bits_per_byte().ok().flatten())),
        ];
        let row = |(name, value): (&str, String)| {
            format!("<tr><th scope=\"row\">{name}</th><td class=\"number\">{value}</td></tr>\n")
        };
        format!("<table>\n{}</table>\n", rows.map(row).concat())
    }
}

/// What each colour means.
fn legend() -> String {
    let swatch = |level| format!("<span class=\"l{level}\">{}</span>\n", range(level));
    let swatches: String = (0..LIMITS.len()).map(swatch).collect();
    format!("<p class=\"legend\">Bits: {swatches}</p>\n")
}

fn controls(limit: f64) -> String {
    format!(
        "<p class=\"controls\">\n\
         <button type=\"button\" id=\"previous\">Previous surprise (p)</button>\n\
         <button type=\"button\" id=\"next\">Next surprise (n)</button>\n\
         <label>of at least <input id=\"limit\" type=\"number\" min=\"0\" step=\"1\" \
         value=\"{limit}\"> bits</label>\n\
         <label><input id=\"numbers\" type=\"checkbox\"> show the bits</label>\n</p>\n\
         <p id=\"detail\" role=\"status\">Choose a token: Tab, then the arrow keys, Home and End.</p>\n"
    )
}

fn section(document: &SurpriseDocument, first: &mut bool) -> String {
    let id = escape(&visible_text(document.id.as_bytes()));
    let (count, mean) = (document.targets.len(), document.mean_bits());
    let tokens: String = document
        .targets
        .iter()
        .map(|target| token(target, std::mem::replace(first, false)))
        .collect();
    format!(
        "<section>\n<h2>{id}</h2>\n<p class=\"muted\">{count} targets, {mean:.2} bits each</p>\n\
         <p class=\"text\">{tokens}</p>\n</section>\n"
    )
}

/// One token; only one on the page can be reached with Tab, the others with the arrow keys.
fn token(target: &SurpriseTarget, reachable: bool) -> String {
    let mut shown = String::new();
    for piece in &target.shown {
        match piece {
            Piece::Text(text) => shown += &escape(text),
            Piece::Mark(mark) => shown += &format!("<i>{}</i>", escape(mark)),
        }
    }
    let line_break = if target.shown.contains(&Piece::Mark("↵".into())) { "<br>" } else { "" };
    let gap = match target.missing_before {
        0 => String::new(),
        count => format!("<span class=\"gap\" title=\"{count} without a record\">⋯</span>"),
    };
    let SurpriseTarget { position, bits, rank, .. } = target;
    let (level, tab) = (level(*bits), if reachable { 0 } else { -1 });
    format!(
        "{gap}<span class=\"t l{level}\" tabindex=\"{tab}\" data-b=\"{bits:.2}\" \
         title=\"{bits:.2} bits, rank {rank}, position {position}\">{shown}</span>{line_break}"
    )
}
