//! The surprise view for a terminal.
//!
//! With colours the text runs on and every token has the background of its level; both colours are
//! set, so it can be read on dark and on light terminals. Without colours, as in a file, each target
//! has a line with its bits, its rank and a bar. No byte of the text reaches the terminal as a
//! control code: see `visible.rs`.

use std::fmt::Write as _;

use super::scale::{LIMITS, level, range};
use super::{Piece, SurpriseDocument, SurpriseTarget, SurpriseView, visible_text};

/// Backgrounds of the levels in the 256-colour palette, pale yellow to red, under black text.
const BACKGROUNDS: [u8; 8] = [255, 230, 229, 222, 215, 209, 203, 197];
const RESET: &str = "\x1b[0m";
/// Bits of one cell of a bar, and most cells.
const BITS_PER_CELL: f64 = 0.5;
const MOST_CELLS: f64 = 32.0;

impl SurpriseView {
    /// The view as text, with ANSI colours or without.
    pub fn to_terminal(&self, colours: bool) -> String {
        let mut out = String::new();
        if colours {
            let legend = (0..LIMITS.len()).map(|level| painted(level, &range(level), false));
            out += &format!("bits: {}\n", legend.collect::<Vec<_>>().join(" "));
        }
        for document in self.documents() {
            let id = visible_text(document.id.as_bytes());
            let (count, mean) = (document.targets.len(), document.mean_bits());
            // Writing into a String cannot fail.
            let _ = writeln!(out, "\n{id}: {count} targets, {mean:.2} bits each");
            out += &if colours { running_text(document) } else { lines(document) };
        }
        out
    }
}

fn running_text(document: &SurpriseDocument) -> String {
    let mut text = String::new();
    for target in &document.targets {
        text += &missing(target);
        for piece in &target.shown {
            let is_mark = matches!(piece, Piece::Mark(_));
            text += &painted(level(target.bits), piece.as_str(), is_mark);
            if is_mark && piece.as_str() == "↵" {
                text.push('\n');
            }
        }
    }
    text + "\n"
}

/// Black on the level's background; marks are underlined.
fn painted(level: usize, text: &str, is_mark: bool) -> String {
    let underline = if is_mark { "4;" } else { "" };
    format!("\x1b[{underline}38;5;16;48;5;{}m{text}{RESET}", BACKGROUNDS[level])
}

fn lines(document: &SurpriseDocument) -> String {
    let mut text = String::from("    bits    rank\n");
    for target in &document.targets {
        text += &missing(target);
        let cells = (target.bits / BITS_PER_CELL).round().min(MOST_CELLS) as usize;
        let (bar, shown) = ("#".repeat(cells), target.text());
        let _ = writeln!(text, "{:8.2} {:7}  {shown:<8} {bar}", target.bits, target.rank);
    }
    text
}

fn missing(target: &SurpriseTarget) -> String {
    match target.missing_before {
        0 => String::new(),
        count => format!("[{count} without a record]\n"),
    }
}
