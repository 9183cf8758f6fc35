//! Windows over a document that is longer than the context.
//!
//! A window of `T` ids moves by a stride of `s`: it starts at 0, s, 2s, ... and stops when it has
//! reached the end. Each target is scored once, by the first window in which something stands
//! before it. A small stride gives every target a long context and reads every id `T / s` times;
//! `s = T - 1` reads (nearly) every id once and starts each window blind.
//!
//! ```text
//! T = 4, s = 2       ids  0 1 2 3 4 5 6 7 8 9       - context only   x scored
//!                         - x x x
//!                             - - x x
//!                                 - - x x
//!                                     - - x x
//! ```
//!
//! The first window scores all its targets, the first with one id of context, the last with
//! `T - 1`. Every later one scores its last `s` ids, each after at least `T - s`. With `s = T` the
//! first id of each window would have nothing before it in any window, so that is refused.

use std::fmt;

use llm_corpus::TokenId;
use serde::{Deserialize, Serialize};

use crate::ScoreError;

/// How windows are laid over a document. Part of the conditions under which a number was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowRule {
    /// `T`: most ids in a window, the last target included. A model reads all but the last, so
    /// `T - 1` must not exceed its context.
    pub window: usize,
    /// `s`: how many ids further the next window starts, from 1 to `T - 1`.
    pub stride: usize,
    /// Whether every window after the first begins with a copy of the document's first id, its
    /// start token, which takes one of the `T` places and is never a target there.
    pub bos_per_window: bool,
}

impl WindowRule {
    /// One window for a document of any length.
    pub const WHOLE: Self =
        Self { window: usize::MAX, stride: usize::MAX - 1, bos_per_window: false };

    /// Lays the windows over a document of `len` ids.
    ///
    /// # Errors
    /// [`ScoreError::Window`] unless `1 <= stride <= window - 1`.
    ///
    /// # Example
    /// ```
    /// use llm_evaluation::WindowRule;
    /// let rule = WindowRule { window: 4, stride: 2, bos_per_window: false };
    /// let plan = rule.plan(10)?;
    /// let starts: Vec<usize> = plan.windows().map(|window| window.start).collect();
    /// assert_eq!(starts, [0, 2, 4, 6]);
    /// assert_eq!((plan.target_count(), plan.context_only_count()), (9, 7)); // 16 ids read
    /// # Ok::<(), llm_evaluation::ScoreError>(())
    /// ```
    pub fn plan(self, len: usize) -> Result<WindowPlan, ScoreError> {
        let Self { window, stride, .. } = self;
        if stride == 0 || stride >= window {
            return Err(ScoreError::Window { window, stride });
        }
        Ok(WindowPlan { rule: self, len })
    }
}

/// The windows over one document, known before anything is scored. Takes no memory: window `k` is
/// computed from `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowPlan {
    rule: WindowRule,
    len: usize,
}

/// One window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Position of its first id in the document, a copied start token not counted.
    pub start: usize,
    /// Position behind its last id.
    pub end: usize,
    /// Position in the document of the first target that it scores; it scores all up to `end`.
    pub first_target: usize,
    /// Whether the document's first id is put in front.
    pub copies_start: bool,
}

impl WindowPlan {
    /// The rule behind it.
    pub fn rule(&self) -> WindowRule {
        self.rule
    }

    /// Number of windows; `1 + ceil(max(0, n - T) / s)` for `n` ids without copied start tokens.
    pub fn window_count(&self) -> usize {
        if self.len < 2 {
            return 0; // no target
        }
        let beyond_first = self.len.saturating_sub(self.rule.window);
        1 + beyond_first.div_ceil(self.rule.stride)
    }

    /// Window number `index`, if there are so many.
    pub fn window(&self, index: usize) -> Option<Window> {
        if index >= self.window_count() {
            return None;
        }
        let (rule, len) = (self.rule, self.len);
        let first_end = len.min(rule.window);
        if index == 0 {
            return Some(Window { start: 0, end: first_end, first_target: 1, copies_start: false });
        }
        // Nothing overflows: before the last window all of this is below `len`.
        let copied = usize::from(rule.bos_per_window);
        let before = first_end + (index - 1) * rule.stride;
        let start = copied + index * rule.stride;
        let end = len.min(before + rule.stride);
        Some(Window { start, end, first_target: before, copies_start: rule.bos_per_window })
    }

    /// All windows in order.
    pub fn windows(&self) -> impl Iterator<Item = Window> + use<> {
        let plan = *self;
        (0..self.window_count()).filter_map(move |index| plan.window(index))
    }

    /// Number of targets, each scored by exactly one window: all ids but the first.
    pub fn target_count(&self) -> usize {
        self.len.saturating_sub(1)
    }

    /// Over all windows, the ids that are only read: the price of context.
    pub fn context_only_count(&self) -> usize {
        self.windows().map(|window| window.context_only_count()).sum()
    }

    /// The fewest ids that stand before any target of a window after the first; `None` if there
    /// is only one window.
    pub fn least_context(&self) -> Option<usize> {
        self.windows().skip(1).map(|window| window.context_only_count()).min()
    }
}

impl Window {
    /// Ids in the window that it does not score, a copied start token included.
    pub fn context_only_count(&self) -> usize {
        self.first_target - self.start + usize::from(self.copies_start)
    }

    /// Targets that it scores.
    pub fn target_count(&self) -> usize {
        self.end - self.first_target
    }

    /// The window's ids out of the document's.
    ///
    /// # Panics
    /// If the document is shorter than the plan was made for.
    pub fn ids(&self, document: &[TokenId]) -> Vec<TokenId> {
        let copied = self.copies_start.then_some(document[0]);
        copied.into_iter().chain(document[self.start..self.end].iter().copied()).collect()
    }

    /// Where an id of the window stands in the document; a copied start token stands at 0.
    pub fn document_position(&self, position: usize) -> usize {
        match position.checked_sub(usize::from(self.copies_start)) {
            Some(inside) => self.start + inside,
            None => 0,
        }
    }
}

/// The plan on a screen: one line for the rule, one for each window, at most ten of them.
impl fmt::Display for WindowPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 10;
        let (rule, count) = (self.rule, self.window_count());
        if rule == WindowRule::WHOLE {
            write!(f, "one window over {} ids", self.len)?;
        } else {
            let copied = if rule.bos_per_window { ", start token in each" } else { "" };
            let (window, stride, len) = (rule.window, rule.stride, self.len);
            write!(f, "{count} windows of {window}, stride {stride}{copied}, over {len} ids")?;
        }
        let (targets, context) = (self.target_count(), self.context_only_count());
        write!(f, ": {targets} targets scored once, {context} ids read as context only")?;
        for (index, window) in self.windows().take(SHOWN).enumerate() {
            let Window { start, end, first_target, copies_start } = window;
            let copied = if copies_start { "start token and " } else { "" };
            write!(f, "\n{index}: reads {copied}{start}..{end}, scores {first_target}..{end}")?;
        }
        if count > SHOWN {
            write!(f, "\n... and {} more", count - SHOWN)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
