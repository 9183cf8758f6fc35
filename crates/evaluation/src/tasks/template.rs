//! Prompts from one text with slots.
//!
//! A solved example and the open question must look exactly alike up to the answer, or a model is
//! judged by how well it guesses the format. So there is one block for both, with the slots
//! `{context}` and `{answer}`:
//!
//! ```text
//! block      Q: {context}\nA:{answer}\n\n
//! example    Q: The sky is\nA: blue\n\n
//! question   Q: Snow is\nA:
//! ```
//!
//! The open question is the block up to its answer. `{{` and `}}` stand for braces. What fills a
//! slot is never searched for slots.

use serde::{Deserialize, Serialize};

use super::{TaskError, TaskItem};

/// An instruction and a block, checked.
///
/// # Example
/// ```
/// use llm_evaluation::tasks::{PromptTemplate, TaskItem};
/// let template = PromptTemplate::new("Complete.\n\n", "{context}:{answer}\n")?;
/// let sky = TaskItem::new("sky", [" red", " blue"], 1)?;
/// let snow = TaskItem::new("snow", [" white", " green"], 0)?;
/// assert_eq!(template.prompt(&snow, &[&sky]), "Complete.\n\nsky: blue\nsnow:");
/// assert_eq!(template.prompt(&snow, &[]), "Complete.\n\nsnow:"); // zero-shot
/// # Ok::<(), llm_evaluation::tasks::TaskError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Text", into = "Text")]
pub struct PromptTemplate {
    text: Text,
    /// The block's text before its context, before its answer, and behind it.
    literals: [String; 3],
}

/// As it is written in files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    instruction: String,
    block: String,
}

impl PromptTemplate {
    /// An instruction, which stands first and has no slots, and a block.
    ///
    /// # Errors
    /// [`TaskError::Template`] unless the block has `{context}` and then `{answer}`, once each and
    /// nothing else in braces.
    pub fn new(
        instruction: impl Into<String>,
        block: impl Into<String>,
    ) -> Result<Self, TaskError> {
        Text { instruction: instruction.into(), block: block.into() }.try_into()
    }

    /// The instruction, each example solved by its right option, and the item as an open question:
    /// exactly what the model reads.
    pub fn prompt(&self, item: &TaskItem, examples: &[&TaskItem]) -> String {
        let mut prompt = self.text.instruction.clone();
        for example in examples {
            self.write_question(&mut prompt, example);
            prompt.extend([example.right_option(), &self.literals[2]]);
        }
        self.write_question(&mut prompt, item);
        prompt
    }

    fn write_question(&self, prompt: &mut String, item: &TaskItem) {
        let [before_context, before_answer, _] = &self.literals;
        prompt.extend([before_context, item.context(), before_answer]);
    }
}

impl TryFrom<Text> for PromptTemplate {
    type Error = TaskError;

    fn try_from(text: Text) -> Result<Self, TaskError> {
        let (literals, slots) = cut(&text.block)?;
        let literals = <[String; 3]>::try_from(literals).ok();
        match literals.filter(|_| slots == ["context", "answer"]) {
            Some(literals) => Ok(Self { text, literals }),
            None => Err(TaskError::Template {
                problem: format!(
                    "the block has the slots {slots:?}, expected {{context}} and then {{answer}}, \
                     once each"
                ),
            }),
        }
    }
}

impl From<PromptTemplate> for Text {
    fn from(template: PromptTemplate) -> Self {
        template.text
    }
}

/// Cuts a block at its slots: the texts between them, one more than slots, and their names.
fn cut(block: &str) -> Result<(Vec<String>, Vec<&str>), TaskError> {
    let (mut literals, mut slots) = (vec![String::new()], Vec::new());
    let mut rest = block;
    while let Some(place) = rest.find(['{', '}']) {
        let (text, at_brace) = rest.split_at(place);
        let (brace, after) = at_brace.split_at(1);
        let literal = literals.last_mut().expect("there is one more than slots");
        literal.push_str(text);
        if let Some(after) = after.strip_prefix(brace) {
            literal.push_str(brace); // written twice
            rest = after;
        } else if let Some((name, after)) = after.split_once('}').filter(|_| brace == "{") {
            if !["context", "answer"].contains(&name) {
                let shown: String = name.chars().take(40).collect();
                let expected = "expected {context} or {answer}, and {{ or }} for a brace";
                let problem = format!("the slot {{{shown}}} is unknown, {expected}");
                return Err(TaskError::Template { problem });
            }
            slots.push(name);
            literals.push(String::new());
            rest = after;
        } else {
            let byte = block.len() - at_brace.len();
            let problem = format!("byte {byte} of the block is a single {brace:?}: write it twice");
            return Err(TaskError::Template { problem });
        }
    }
    literals.last_mut().expect("there is one more than slots").push_str(rest);
    Ok((literals, slots))
}
