use proptest::prelude::*;

use super::*;
use crate::artifact::ExtraToken;
use crate::pretokenizer::Pretokenizer;

fn extra_tokens(texts: &[Vec<u8>]) -> ExtraTokens {
    let mut artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    artifact.extra_tokens = (300..)
        .zip(texts)
        .map(|(id, bytes)| ExtraToken { bytes: bytes.clone(), id, match_text: true })
        .collect();
    ExtraTokens::of(&artifact).unwrap()
}

/// The definition: at every byte, try all tokens and keep the longest that fits.
fn naive_spans<'a>(tokens: &[Vec<u8>], text: &'a [u8]) -> Vec<Span<'a>> {
    let (mut spans, mut between, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let fits = (300..).zip(tokens).filter(|(_, token)| text[at..].starts_with(token));
        match fits.max_by_key(|(_, token)| token.len()) {
            Some((id, token)) => {
                spans.extend((between < at).then(|| Span::Text(&text[between..at])));
                spans.push(Span::Token { id, len: token.len() });
                at += token.len();
                between = at;
            }
            None => at += 1,
        }
    }
    spans.extend((between < at).then(|| Span::Text(&text[between..at])));
    spans
}

proptest! {
    #[test]
    fn spans_are_the_leftmost_longest_matches(
        tokens in prop::collection::hash_set("[abc]{1,5}", 0..8),
        text in "[abcd]{0,40}",
    ) {
        let tokens: Vec<Vec<u8>> = tokens.into_iter().map(String::into_bytes).collect();
        let found = extra_tokens(&tokens);
        let spans: Vec<_> = found.spans(text.as_bytes()).collect();
        prop_assert_eq!(spans, naive_spans(&tokens, text.as_bytes()));
    }
}
