//! One question with its options.

use serde::Serialize;

use super::TaskError;
use crate::sha256::sha256_hex;

/// A context, options that might continue it, and which of them is right.
///
/// Always valid: at least two options, none of them empty or only spaces, the answer among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskItem {
    context: String,
    options: Vec<String>,
    answer: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
}

impl TaskItem {
    /// An item of no group. The context may be empty: whole sentences can be options too.
    ///
    /// # Errors
    /// [`TaskError::Item`] for fewer than two options, for an option without anything but spaces,
    /// for an answer that is no option's number.
    ///
    /// # Example
    /// ```
    /// use llm_evaluation::tasks::TaskItem;
    /// let item = TaskItem::new("The sky is", [" blue", " edible"], 0)?;
    /// assert_eq!(item.right_option(), " blue");
    /// let error = TaskItem::new("The sky is", [" blue", " "], 0).unwrap_err();
    /// assert_eq!(error.to_string(), "option 1 is empty or only spaces: give it a text to score");
    /// # Ok::<(), llm_evaluation::tasks::TaskError>(())
    /// ```
    pub fn new(
        context: impl Into<String>,
        options: impl IntoIterator<Item = impl Into<String>>,
        answer: usize,
    ) -> Result<Self, TaskError> {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        let refuse = |problem| Err(TaskError::Item { problem });
        if options.len() < 2 {
            return refuse(format!("{} option(s), expected at least 2", options.len()));
        }
        if let Some(empty) = options.iter().position(|option| bare(option).is_empty()) {
            let problem =
                format!("option {empty} is empty or only spaces: give it a text to score");
            return refuse(problem);
        }
        if answer >= options.len() {
            let count = options.len();
            let problem = format!(
                "answer {answer} is no option, expected 0 to {}: {count} options are counted from 0",
                count - 1
            );
            return refuse(problem);
        }
        Ok(Self { context: context.into(), options, answer, group: None })
    }

    /// The same item in a group: what questions about one passage or of one subject share.
    #[must_use]
    pub fn with_group(mut self, group: Option<String>) -> Self {
        self.group = group;
        self
    }

    /// What the options continue.
    pub fn context(&self) -> &str {
        &self.context
    }

    /// At least two.
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// Number of the right option, from 0.
    pub fn answer(&self) -> usize {
        self.answer
    }

    /// The right option.
    pub fn right_option(&self) -> &str {
        &self.options[self.answer]
    }

    /// What the item shares with others, if it was said.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// SHA-256 of everything in the item, in hexadecimal: records carry it, so that two results are
    /// never compared item by item if the items differ.
    pub fn digest(&self) -> String {
        let json = serde_json::to_vec(self).expect("texts and a number can always be written");
        sha256_hex(&json)
    }
}

/// A text without the spaces that it begins with.
pub(super) fn bare(option: &str) -> &str {
    option.trim_start_matches(' ')
}
