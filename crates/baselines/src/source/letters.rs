//! The language of the course: short sentences of made-up names.
//!
//! ```text
//! taki heari mosa. kate singe tima.
//! ```
//!
//! A sentence is a name, a verb and a name. A name is two syllables, each a consonant and a vowel,
//! so names hardly ever repeat: what a model remembers of them is of no use in another document. A
//! verb is one of four stems and ends in the last vowel of the name before it. That vowel is six
//! letters back, out of sight for a 5-gram and in sight for a decoder: the only thing here that
//! longer contexts are good for. With probability 0.2 the document ends after a sentence.
//!
//! All probabilities are our choice.

use super::{Alternative, SourceGrammar};

const CONSONANTS: [(u8, f64); 8] = [
    (b't', 0.3),
    (b'k', 0.2),
    (b'm', 0.15),
    (b'n', 0.1),
    (b'l', 0.1),
    (b's', 0.07),
    (b'r', 0.05),
    (b'v', 0.03),
];
const VOWELS: [(u8, f64); 4] = [(b'a', 0.4), (b'e', 0.3), (b'i', 0.2), (b'o', 0.1)];
const STEMS: [(&[u8], f64); 4] = [(b"hear", 0.4), (b"sing", 0.3), (b"find", 0.2), (b"know", 0.1)];
/// How likely another sentence is.
const GOES_ON: f64 = 0.8;

/// The states, in their order.
const FIRST_SYLLABLE: usize = 0;
const SECOND_SYLLABLE: usize = 1;
/// One for each vowel that the name can have ended in.
const VERB: usize = 2;
const OBJECT_FIRST: usize = VERB + VOWELS.len();
const OBJECT_SECOND: usize = OBJECT_FIRST + 1;
const SENTENCE_END: usize = OBJECT_FIRST + 2;

/// The grammar. A document has five sentences of 17 bytes on average.
pub fn letters_language() -> SourceGrammar {
    let mut states = vec![syllables("", |_| SECOND_SYLLABLE), syllables("", |vowel| VERB + vowel)];
    states.extend(VOWELS.map(|(vowel, _)| verbs(vowel)));
    states.push(syllables(" ", |_| OBJECT_SECOND));
    states.push(syllables("", |_| SENTENCE_END));
    states.push(vec![
        alternative(b". ".to_vec(), GOES_ON, Some(FIRST_SYLLABLE)),
        alternative(b".\n".to_vec(), 1.0 - GOES_ON, None),
    ]);
    SourceGrammar::new(states).expect("the constants above make a grammar, as its test shows")
}

/// All syllables, each with what leads from its vowel's number to the next state.
fn syllables(before: &str, next: impl Fn(usize) -> usize) -> Vec<Alternative> {
    let mut all = Vec::new();
    for (consonant, consonant_probability) in CONSONANTS {
        for (index, (vowel, vowel_probability)) in VOWELS.into_iter().enumerate() {
            let text = [before.as_bytes(), &[consonant, vowel]].concat();
            let probability = consonant_probability * vowel_probability;
            all.push(alternative(text, probability, Some(next(index))));
        }
    }
    all
}

/// All verbs that agree with a vowel.
fn verbs(vowel: u8) -> Vec<Alternative> {
    let verb = |(stem, probability): (&[u8], f64)| {
        alternative([b" ", stem, &[vowel]].concat(), probability, Some(OBJECT_FIRST))
    };
    STEMS.into_iter().map(verb).collect()
}

fn alternative(text: Vec<u8>, probability: f64, next: Option<usize>) -> Alternative {
    Alternative { text, probability, next }
}
