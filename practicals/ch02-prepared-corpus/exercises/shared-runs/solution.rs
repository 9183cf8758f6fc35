//! Find runs of words that a held-out text shares with the training texts: a solution.

use std::collections::HashSet;

/// How many runs of `n` words of `held_out` stand in one of the training texts. A run starts at
/// every word that has enough words behind it, so a text of m words has m - n + 1 runs. `n` is at
/// least 1.
pub fn shared_runs(training: &[&str], held_out: &str, n: usize) -> usize {
    let known: HashSet<Vec<String>> =
        training.iter().flat_map(|text| runs(&words(text), n)).collect();
    runs(&words(held_out), n).iter().filter(|run| known.contains(*run)).count()
}

/// All runs of `n` words, in order.
fn runs(words: &[String], n: usize) -> Vec<Vec<String>> {
    words.windows(n).map(<[String]>::to_vec).collect()
}

/// The words of a text: longest runs of letters and digits, in lower case.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
