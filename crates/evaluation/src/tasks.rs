//! Multiple choice: which of several options does a model find most likely?
//!
//! An item is a context, options and the number of the right one. The model reads the context and
//! says how probable each option would be as its continuation; nothing is generated. So a small
//! model can be asked too, and no answer has to be parsed. Three things decide the number and are
//! therefore values here, to be declared with it:
//!
//! - the *prompt*: the context alone, or after solved examples ([`FewShot`]);
//! - the *join*: what happens if a token spans the end of the prompt ([`BoundaryRule`]);
//! - the *rule* that makes options of different length comparable ([`OptionRule`]). All rules come
//!   from one pass, so comparing them costs nothing.
//!
//! | module | idea |
//! | --- | --- |
//! | `item`, `reader` | [`TaskItem`], and many of them from JSON lines |
//! | `template` | [`PromptTemplate`]: one text with slots for solved and open questions |
//! | `few_shot` | [`FewShot`]: which examples an item gets, by seed and content |
//! | `question` | [`Question`]: an item and its exact prompt |
//! | `boundary` | from a prompt and options to ids, and how they join |
//! | `scoring` | [`score_options`]: the one pass |
//! | `record` | [`OptionRecord`]: what it yields, as JSON lines |
//! | `rule` | [`OptionRule`]: one score per option |
//! | `summary` | [`TaskSummary`]: accuracy under every rule, with its uncertainty |
//! | `conditions`, `result` | [`TaskContract`], [`TaskResult`]: the rules behind an accuracy, kept with it |
//! | `contract_scoring` | [`score_task_under_contract`]: a contract carried out |
//! | `compare` | [`compare`]: two results, refused or compared |
//! | `comparison` | [`Comparison`]: the statistics of two models on the same items |
//! | `error` | [`TaskError`]: everything that is refused |
//!
//! # Example
//! A bigram that saw `a` followed by `b` more often than by anything else:
//! ```
//! use std::num::NonZeroUsize;
//! use llm_baselines::{NgramModel, Smoothing};
//! use llm_corpus::{Document, EncodedDocument, Partition};
//! use llm_evaluation::tasks::{
//!     OptionRule, OptionScoring, Question, TaskItem, TaskSummary, score_options,
//! };
//!
//! let tokenizer = llm_tokenizer::chapter_four_tokenizer();
//! let text = Document::new("x", Partition::Train, "ababac");
//! let text = EncodedDocument::encode(&text, &tokenizer)?;
//! let model = NgramModel::fit(tokenizer.vocab_size(), 2, Smoothing::AddK { k: 1.0 }, &[text])?;
//!
//! let items = [TaskItem::new("a", ["c", "b"], 1)?, TaskItem::new("a", ["b", "ca"], 1)?];
//! let questions = items.each_ref().map(Question::plain);
//! let scoring = OptionScoring::default();
//! let records = score_options(&model, &tokenizer, &questions, &scoring, NonZeroUsize::MIN)?;
//! assert_eq!(records[0].log_probabilities, [(2.0_f64 / 269.0).ln()]); // c came once of 3 times
//!
//! let result = TaskSummary::from_records(records)?;
//! let by_sum = result.accuracy(OptionRule::Sum)?;
//! assert_eq!((by_sum.right_count, by_sum.accuracy, by_sum.chance_level), (1, 0.5, 0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod boundary;
mod compare;
mod comparison;
mod conditions;
mod contract_scoring;
mod error;
mod few_shot;
mod item;
mod question;
mod reader;
mod record;
mod result;
mod rule;
mod scoring;
mod summary;
mod template;

pub use boundary::{BoundaryRule, Join};
pub use compare::{TaskComparison, compare};
pub use comparison::Comparison;
pub use conditions::{ItemSet, TaskConditions, TaskContract};
pub use contract_scoring::score_task_under_contract;
pub use error::TaskError;
pub use few_shot::{ExamplePool, FewShot};
pub use item::TaskItem;
pub use question::Question;
pub use reader::{ItemLimits, read_items};
pub use record::{OptionRecord, read_option_records, write_option_records};
pub use result::TaskResult;
pub use rule::OptionRule;
pub use scoring::{OptionScoring, score_options};
pub use summary::{ItemChoice, RuleResult, TaskSummary};
pub use template::PromptTemplate;
