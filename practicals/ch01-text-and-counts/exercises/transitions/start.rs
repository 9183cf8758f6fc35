//! Count which byte follows which, document by document.

use std::collections::BTreeMap;

/// The start and the end of a document have no byte value, so a symbol is a byte or one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// Before the first byte.
    Start,
    /// One byte of the text.
    Byte(u8),
    /// After the last byte.
    End,
}

/// How often each symbol followed each other one: `counts[&(previous, next)]`. Pairs that never
/// occurred are not in the map.
pub fn count_transitions(documents: &[&[u8]]) -> BTreeMap<(Symbol, Symbol), u64> {
    // All documents become one long list here. Look at what that does where two of them meet.
    let mut symbols = vec![Symbol::Start];
    for document in documents {
        symbols.extend(document.iter().map(|&byte| Symbol::Byte(byte)));
    }
    symbols.push(Symbol::End);

    let mut counts = BTreeMap::new();
    for pair in symbols.windows(2) {
        *counts.entry((pair[0], pair[1])).or_insert(0) += 1;
    }
    counts
}

#[cfg(test)]
mod tests;
