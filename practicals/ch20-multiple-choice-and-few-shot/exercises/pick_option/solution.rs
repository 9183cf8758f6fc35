//! Pick the option with the highest score, by three rules.

/// The number of the chosen option. `option_token_logprobs[i]` are the log-probabilities (nats) of
/// the tokens of option i, `option_texts[i]` is its text as it was scored, the space before it
/// included. Methods: `sum`; `token`, the sum over the number of tokens; `char`, the sum over the
/// number of characters of the text. Of options with the same score the first is chosen.
///
/// # Errors
/// For lists of different lengths, no options, an option without tokens or text, another method.
pub fn pick_option(
    option_token_logprobs: &[Vec<f64>],
    option_texts: &[&str],
    method: &str,
) -> Result<usize, String> {
    let (options, texts) = (option_token_logprobs.len(), option_texts.len());
    if options == 0 || options != texts {
        return Err(format!("{options} options and {texts} texts, expected one text for each"));
    }
    let mut best: Option<(usize, f64)> = None;
    for (option, (logprobs, text)) in option_token_logprobs.iter().zip(option_texts).enumerate() {
        if logprobs.is_empty() || text.is_empty() {
            return Err(format!("option {option} is empty"));
        }
        let sum: f64 = logprobs.iter().sum();
        let score = match method {
            "sum" => sum,
            "token" => sum / logprobs.len() as f64,
            // Characters, not bytes: `é` is one character of two bytes.
            "char" => sum / text.chars().count() as f64,
            other => return Err(format!("method {other:?}, expected sum, token or char")),
        };
        // Strictly greater: an equal score later in the list does not win.
        if best.is_none_or(|(_, highest)| score > highest) {
            best = Some((option, score));
        }
    }
    best.map(|(option, _)| option).ok_or_else(|| "no options".to_owned())
}

#[cfg(test)]
mod tests;
