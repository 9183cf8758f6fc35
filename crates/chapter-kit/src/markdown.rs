//! The fenced code blocks of a Markdown page.

/// One fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FencedBlock<'a> {
    /// What stands behind the opening fence: `json`, `text`, ... or nothing.
    pub language: &'a str,
    /// The line number of the opening fence, from 1.
    pub line: usize,
    /// What stands between the fences, without line ends.
    pub lines: Vec<&'a str>,
}

/// The fenced blocks of a page, in order. A fence is a line that begins with three backticks, perhaps
/// behind spaces, as in a list; its lines are then without as many. A block that is never closed
/// ends with the page.
///
/// ```
/// let blocks = llm_chapter_kit::fenced_blocks("Prints\n```json\n{}\n```\n");
/// assert_eq!((blocks[0].language, blocks[0].line), ("json", 2));
/// assert_eq!(blocks[0].lines, ["{}"]);
/// ```
#[must_use]
pub fn fenced_blocks(page: &str) -> Vec<FencedBlock<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<FencedBlock<'_>> = None;
    let mut indent = 0;
    for (index, line) in page.lines().enumerate() {
        let text = line.trim_start_matches(' ');
        let spaces = line.len() - text.len();
        match (text.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => {
                let language = language.trim();
                open = Some(FencedBlock { language, line: index + 1, lines: Vec::new() });
                indent = spaces;
            }
            (None, Some(block)) => block.lines.push(&line[spaces.min(indent)..]),
            (None, None) => {}
        }
    }
    blocks.extend(open);
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_their_place_and_language() {
        let page = "# A\n\n```text\none\n\ntwo\n```\nbetween\n```\n```\n";
        let expected = [
            FencedBlock { language: "text", line: 3, lines: vec!["one", "", "two"] },
            FencedBlock { language: "", line: 9, lines: vec![] },
        ];
        assert_eq!(fenced_blocks(page), expected);
    }

    #[test]
    fn a_block_in_a_list_loses_the_lists_indentation_and_no_more() {
        let page = "1. One\n   ```json\n   {\n     1\n\n   }\n   ```\n";
        let expected = FencedBlock { language: "json", line: 2, lines: vec!["{", "  1", "", "}"] };
        assert_eq!(fenced_blocks(page), [expected]);
    }

    #[test]
    fn a_block_that_is_not_closed_ends_with_the_page() {
        let expected = FencedBlock { language: "json", line: 1, lines: vec!["{"] };
        assert_eq!(fenced_blocks("```json\n{"), [expected]);
    }
}
