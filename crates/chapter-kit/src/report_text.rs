//! A report as indented lines and tables, for people.
//!
//! One renderer for all chapters: it shows every field under the name that it has in JSON, so a
//! report needs no second description of itself that could forget one.

use crate::report_tree::Tree;
use std::iter;

/// A table wider than this is turned on its side, and given up if that does not help.
const WIDTH: usize = 100;

/// The readable form of a JSON text.
///
/// - Short values stand beside their names, records are indented below theirs.
/// - A list of records with the same fields is a table with one line for each, or, if that is too
///   wide, one column for each.
/// - A missing value is `-`.
///
/// # Errors
/// If `json` is not JSON.
pub(crate) fn render(json: &str) -> serde_json::Result<String> {
    let lines = block(&serde_json::from_str(json)?);
    let mut text = String::new();
    for line in lines {
        text += line.trim_end();
        text.push('\n');
    }
    Ok(text)
}

/// Any value as lines.
fn block(tree: &Tree) -> Vec<String> {
    match (tree.inline(), tree) {
        (Some(text), _) => vec![text],
        (None, Tree::Record(fields)) => record(fields),
        (None, Tree::List(items)) => list(items),
        (None, Tree::Leaf(_)) => unreachable!("a leaf is always inline"),
    }
}

/// Short fields with their values in a column, long ones as a heading and an indented block.
fn record(fields: &[(String, Tree)]) -> Vec<String> {
    let short = fields.iter().filter(|(_, value)| value.inline().is_some());
    let width = short.map(|(name, _)| columns(name)).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (name, value) in fields {
        if let Some(text) = value.inline() {
            lines.push(format!("{name:width$}  {text}"));
        } else {
            lines.push(name.clone());
            lines.extend(block(value).iter().map(|line| format!("  {line}")));
        }
    }
    lines
}

/// A table if the items allow one, otherwise one line or one numbered block for each.
fn list(items: &[Tree]) -> Vec<String> {
    if let Some(lines) = items.iter().map(Tree::inline).collect() {
        return lines;
    }
    if let Some(cells) = cells(items) {
        let fits = |lines: &Vec<String>| lines.iter().all(|line| columns(line) <= WIDTH);
        let tables = [table(&cells), table(&transposed(&cells))];
        if let Some(lines) = tables.into_iter().find(fits) {
            return lines;
        }
    }
    let numbered = items.iter().enumerate().flat_map(|(index, item)| {
        let heading = format!("{} of {}", index + 1, items.len());
        iter::once(heading).chain(block(item).into_iter().map(|line| format!("  {line}")))
    });
    numbered.collect()
}

/// The items as lines of cells below a line of names, if all have the same fields.
fn cells(items: &[Tree]) -> Option<Vec<Vec<String>>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for item in items {
        let mut row = Vec::new();
        flatten("", item, &mut row)?;
        let (names, values): (Vec<_>, Vec<_>) = row.into_iter().unzip();
        match rows.first() {
            None => rows.push(names),
            Some(first) if *first == names => {}
            Some(_) => return None,
        }
        rows.push(values);
    }
    Some(rows)
}

/// Appends the fields of a record with their full names, `train.mean_nll`; `None` if one of them
/// does not fit a cell.
fn flatten(name: &str, value: &Tree, row: &mut Vec<(String, String)>) -> Option<()> {
    if let Some(text) = value.inline() {
        row.push((name.to_owned(), text));
        return Some(());
    }
    let Tree::Record(fields) = value else { return None };
    for (field, value) in fields {
        let dot = if name.is_empty() { "" } else { "." };
        flatten(&format!("{name}{dot}{field}"), value, row)?;
    }
    Some(())
}

/// Lines of cells as columns of cells, and back.
fn transposed(cells: &[Vec<String>]) -> Vec<Vec<String>> {
    let width = cells.first().map_or(0, Vec::len);
    (0..width).map(|at| cells.iter().map(|line| line[at].clone()).collect()).collect()
}

/// Lines of cells with their columns aligned: numbers end below each other, texts begin there.
fn table(cells: &[Vec<String>]) -> Vec<String> {
    let aligned: Vec<Vec<String>> =
        transposed(cells).iter().map(|column| aligned(column)).collect();
    transposed(&aligned).iter().map(|line| line.join("  ")).collect()
}

/// A column with all its cells equally wide.
fn aligned(column: &[String]) -> Vec<String> {
    let width = column.iter().map(|cell| columns(cell)).max().unwrap_or(0);
    let numbers = column.iter().skip(1).all(|cell| cell == "-" || cell.parse::<f64>().is_ok());
    let align = |cell: &String| {
        if numbers { format!("{cell:>width$}") } else { format!("{cell:width$}") }
    };
    column.iter().map(align).collect()
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_rendered(json: &str, expected: &str) {
        assert_eq!(render(json).unwrap(), expected);
    }

    #[test]
    fn fields_keep_their_order_and_their_digits() {
        assert_rendered(
            r#"{"seed": 39, "mean_nll": 0.924196, "tolerance": 1e-12, "equal": true, "best": null}"#,
            "seed       39\nmean_nll   0.924196\ntolerance  1e-12\nequal      true\nbest       -\n",
        );
    }

    #[test]
    fn records_are_indented_and_short_lists_stay_on_the_line() {
        assert_rendered(
            r#"{"weighting": {"targets": [2, 4], "correct": {"count": 6}}, "x": []}"#,
            "weighting\n  targets  2, 4\n  correct\n    count  6\nx\n",
        );
    }

    #[test]
    fn records_with_the_same_fields_are_a_table() {
        assert_rendered(
            r#"{"runs": [{"name": "b", "train": {"nll": 0.5}}, {"name": "abc", "train": {"nll": 10.25}}]}"#,
            "runs\n  name  train.nll\n  b           0.5\n  abc       10.25\n",
        );
    }

    #[test]
    fn a_wide_table_is_turned_on_its_side() {
        let name = "n".repeat(60);
        let json = format!(r#"[{{"{name}": 1, "{name}2": 2}}, {{"{name}": 3, "{name}2": 40}}]"#);
        assert_rendered(&json, &format!("{name}   1   3\n{name}2  2  40\n"));
    }

    #[test]
    fn records_that_make_no_table_are_numbered() {
        assert_rendered(
            r#"[{"a": 1}, {"b": [{"c": 2}, {"d": 3}]}]"#,
            "1 of 2\n  a  1\n2 of 2\n  b\n    1 of 2\n      c  2\n    2 of 2\n      d  3\n",
        );
    }

    #[test]
    fn a_text_from_outside_cannot_break_a_line_or_steer_the_terminal() {
        // The escaped text has 1 + 2 + 1 + 2 + 6 + 3 = 15 characters.
        assert_rendered(
            r#"[{"text": "a\nb\t\u001b[2J", "é": 1}, {"text": "", "é": 22}]"#,
            "text              é\na\\nb\\t\\u{1b}[2J   1\n                 22\n",
        );
    }

    #[test]
    fn a_matrix_is_a_list_of_lists() {
        assert_rendered("[[1, 2], [3, 4]]", "1, 2\n3, 4\n");
    }
}
