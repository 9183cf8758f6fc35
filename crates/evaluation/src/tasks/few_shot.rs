//! Which solved examples stand before a question.
//!
//! Every item draws for itself. A number is made of the seed and the item's content; together with
//! each example's content it gives the example a rank, and the `k` lowest ranks are shown, lowest
//! first. So what an item is shown does not depend on which other items are asked, on the order of
//! the pool, or on the order of the item's options, and a new example in the pool changes only the
//! prompts that it enters.
//!
//! *Content* is what a solved example would show: the context and the right option, without regard
//! to case (of ASCII letters) and to the amount of white space. An example with the item's own
//! content would hand over the answer, so it is never drawn, wherever in the pool it stands and
//! whatever else it says; of several examples with one content only the first can be drawn.
//!
//! ```text
//! content  SHA-256 of context, a zero byte, right option      word(x)  its first 8 bytes
//! item     SHA-256 of "few-shot", the seed's 8 bytes, content (all numbers little-endian)
//! rank     the first number of SplitMix64 from the seed word(item) xor word(example's content)
//! ```
//!
//! Choosing by hashed ranks is known as bottom-k sampling (Cohen and Kaplan 2007); as seeds and
//! contents are hashed, every example is equally likely.

use std::collections::HashSet;

use llm_metrics::SplitMix64;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{PromptTemplate, Question, TaskError, TaskItem};

/// How prompts are made. Part of the conditions under which a number was measured, as the pool is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FewShot {
    /// What a prompt looks like.
    pub template: PromptTemplate,
    /// Number `k` of examples; 0 is zero-shot.
    pub shots: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl FewShot {
    /// The item behind `shots` examples from the pool.
    ///
    /// # Errors
    /// [`TaskError::Pool`] if there are fewer without the item itself.
    ///
    /// # Example
    /// ```
    /// use llm_evaluation::tasks::{ExamplePool, FewShot, PromptTemplate, TaskItem};
    /// let item = |context, answer| TaskItem::new(context, [" odd", " even"], answer);
    /// let items = [item("one", 0)?, item("two", 1)?, item("six", 1)?];
    /// let pool = ExamplePool::new(&items); // each item is excluded from its own prompt
    ///
    /// let template = PromptTemplate::new("", "{context} is{answer}. ")?;
    /// let few_shot = FewShot { template, shots: 2, seed: 0 };
    /// let question = few_shot.question(&items[0], &pool)?;
    /// assert_eq!(question.examples(), [2, 1]);
    /// assert_eq!(question.prompt(), "six is even. two is even. one is");
    /// let three = FewShot { shots: 3, ..few_shot };
    /// assert!(three.question(&items[0], &pool).is_err());
    /// # Ok::<(), llm_evaluation::tasks::TaskError>(())
    /// ```
    pub fn question<'a>(
        &self,
        item: &'a TaskItem,
        pool: &ExamplePool<'_>,
    ) -> Result<Question<'a>, TaskError> {
        let places = self.draw(item, pool)?;
        let examples: Vec<&TaskItem> = places.iter().map(|&place| &pool.items[place]).collect();
        let prompt = self.template.prompt(item, &examples);
        Ok(Question::with_prompt(item, prompt).showing(places))
    }

    /// [`question`](Self::question) for every item.
    ///
    /// # Errors
    /// As [`question`](Self::question), for the first item with too few examples.
    pub fn questions<'a>(
        &self,
        items: &'a [TaskItem],
        pool: &ExamplePool<'_>,
    ) -> Result<Vec<Question<'a>>, TaskError> {
        items.iter().map(|item| self.question(item, pool)).collect()
    }

    /// Places in the pool of the `shots` lowest ranks, lowest first.
    fn draw(&self, item: &TaskItem, pool: &ExamplePool<'_>) -> Result<Vec<usize>, TaskError> {
        let own = content(item);
        let stream = Sha256::new()
            .chain_update(b"few-shot")
            .chain_update(self.seed.to_le_bytes())
            .chain_update(own);
        let item_word = word(&stream.finalize().into());
        let mut ranked: Vec<(u64, &Content, usize)> = Vec::with_capacity(pool.examples.len());
        for (place, example) in &pool.examples {
            if *example != own {
                let rank = SplitMix64::new(item_word ^ word(example)).next_u64();
                ranked.push((rank, example, *place));
            }
        }
        if ranked.len() < self.shots {
            let context = item.context().chars().take(40).collect();
            let (available, wanted) = (ranked.len(), self.shots);
            return Err(TaskError::Pool { context, available, wanted });
        }
        if self.shots < ranked.len() {
            ranked.select_nth_unstable(self.shots); // the lowest come first, unsorted
        }
        ranked.truncate(self.shots);
        ranked.sort_unstable();
        Ok(ranked.into_iter().map(|(_, _, place)| place).collect())
    }
}

/// Items that may be shown as examples, prepared for drawing.
#[derive(Clone, Debug)]
pub struct ExamplePool<'p> {
    items: &'p [TaskItem],
    /// Place and content of each, without repetitions.
    examples: Vec<(usize, Content)>,
}

impl<'p> ExamplePool<'p> {
    /// Any items, the evaluated ones included.
    pub fn new(items: &'p [TaskItem]) -> Self {
        let mut seen = HashSet::new();
        let all = items.iter().map(content).enumerate();
        let examples = all.filter(|(_, content)| seen.insert(*content)).collect();
        Self { items, examples }
    }

    /// All items, repetitions included.
    pub fn items(&self) -> &'p [TaskItem] {
        self.items
    }
}

/// SHA-256 of what a solved example shows.
type Content = [u8; 32];

fn content(item: &TaskItem) -> Content {
    let mut hash = Sha256::new();
    write_normalized(&mut hash, item.context());
    hash.update([0]);
    write_normalized(&mut hash, item.right_option());
    hash.finalize().into()
}

/// Words in lower case with one space between them.
fn write_normalized(hash: &mut Sha256, text: &str) {
    for (index, word) in text.split_ascii_whitespace().enumerate() {
        if index > 0 {
            hash.update(b" ");
        }
        hash.update(word.to_ascii_lowercase());
    }
}

fn word(hash: &Content) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| hash[i]))
}

#[cfg(test)]
mod tests;
