//! One score per option, by six rules.
//!
//! With `l_1 .. l_n` the log-probabilities of an option's ids given the prompt, `m_1 .. m_n` those
//! of the same ids behind a neutral prompt:
//!
//! | rule | score | favours |
//! | --- | --- | --- |
//! | `sum` | `l_1 + .. + l_n` | short options: each further token costs |
//! | `token` | sum / n | long options whose ends are easy to guess |
//! | `char` | sum / characters scored, a leading space included | the same, whatever the tokens |
//! | `char-bare` | sum / characters of the option without leading spaces | the same |
//! | `byte` | sum / bytes scored | the same |
//! | `mutual-information` | `(l_1 - m_1) + .. + (l_n - m_n)` | options that are rare elsewhere |
//!
//! None is right. lm-evaluation-harness prints `sum` as `acc` and `char-bare` as `acc_norm`; the
//! mutual information is from Holtzman et al., *Surface form competition* (2021),
//! <https://arxiv.org/abs/2104.08315>. A number without its rule cannot be compared.
//!
//! Sums are exact and rounded once, so equal scores mean equal numbers.

use std::fmt;
use std::str::FromStr;

use llm_metrics::ExactSum;
use serde::{Deserialize, Serialize};

use super::{OptionRecord, TaskError};

/// How the log-probabilities of an option become its score; the highest is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionRule {
    /// The sum: the probability of the whole option.
    Sum,
    /// The mean over tokens.
    Token,
    /// The sum over the number of characters scored, leading spaces included.
    Char,
    /// The sum over the number of characters of the option without leading spaces.
    CharBare,
    /// The sum over the number of bytes scored.
    Byte,
    /// How much more probable the prompt made the option than a neutral prompt does.
    MutualInformation,
}

impl OptionRule {
    /// All rules, in the order of the table.
    pub const ALL: [Self; 6] =
        [Self::Sum, Self::Token, Self::Char, Self::CharBare, Self::Byte, Self::MutualInformation];

    /// The score of an option in nats (per token, character or byte); `None` for the mutual
    /// information of an option that was not scored behind a neutral prompt.
    ///
    /// # Example
    /// ```
    /// use llm_evaluation::tasks::{Join, OptionRecord, OptionRule};
    /// let record = OptionRecord {
    ///     item: 0,
    ///     digest: String::new(),
    ///     group: None,
    ///     option: 0,
    ///     is_answer: true,
    ///     log_probabilities: vec![-2.0, -1.0],
    ///     neutral_log_probabilities: Some(vec![-4.0, -1.5]),
    ///     bytes: 6, // " café"
    ///     characters: 5,
    ///     bare_characters: 4,
    ///     join: Join::Clean,
    /// };
    /// let scores = OptionRule::ALL.map(|rule| rule.score(&record).unwrap());
    /// assert_eq!(scores, [-3.0, -1.5, -0.6, -0.75, -0.5, 2.5]);
    /// ```
    pub fn score(self, record: &OptionRecord) -> Option<f64> {
        let sum = record.log_probability();
        let length = match self {
            Self::Sum => return Some(sum),
            Self::Token => record.log_probabilities.len() as u64,
            Self::Char => record.characters,
            Self::CharBare => record.bare_characters,
            Self::Byte => record.bytes,
            Self::MutualInformation => {
                let neutral = record.neutral_log_probabilities.as_ref()?;
                let gains = record.log_probabilities.iter().copied();
                let gains: ExactSum = gains.chain(neutral.iter().map(|m| -m)).collect();
                return Some(gains.value());
            }
        };
        Some(sum / length as f64)
    }

    /// The name in files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Token => "token",
            Self::Char => "char",
            Self::CharBare => "char-bare",
            Self::Byte => "byte",
            Self::MutualInformation => "mutual-information",
        }
    }
}

impl fmt::Display for OptionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for OptionRule {
    type Err = TaskError;

    fn from_str(name: &str) -> Result<Self, TaskError> {
        let rule = Self::ALL.into_iter().find(|rule| rule.name() == name);
        rule.ok_or_else(|| TaskError::Rule { given: name.chars().take(40).collect() })
    }
}

/// The names of all rules, for a message.
pub(super) fn names() -> String {
    OptionRule::ALL.map(OptionRule::name).join(", ")
}
