//! An item as it is asked.

use std::borrow::Cow;

use super::TaskItem;

/// An item and the exact text that a model reads before its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    item: &'a TaskItem,
    prompt: Cow<'a, str>,
    examples: Vec<usize>,
}

impl<'a> Question<'a> {
    /// The item's own context and nothing else.
    pub fn plain(item: &'a TaskItem) -> Self {
        Self { item, prompt: Cow::Borrowed(item.context()), examples: Vec::new() }
    }

    /// Any other prompt, such as one that [`PromptTemplate::prompt`](super::PromptTemplate::prompt)
    /// made of chosen examples.
    pub fn with_prompt(item: &'a TaskItem, prompt: impl Into<String>) -> Self {
        Self { item, prompt: Cow::Owned(prompt.into()), examples: Vec::new() }
    }

    /// The same with the places in the pool of the examples shown.
    pub(super) fn showing(mut self, examples: Vec<usize>) -> Self {
        self.examples = examples;
        self
    }

    /// The item.
    pub fn item(&self) -> &'a TaskItem {
        self.item
    }

    /// The exact text before the options, spaces at its end included.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Places in the pool of the examples drawn by [`FewShot`](super::FewShot), in the order shown.
    pub fn examples(&self) -> &[usize] {
        &self.examples
    }
}
