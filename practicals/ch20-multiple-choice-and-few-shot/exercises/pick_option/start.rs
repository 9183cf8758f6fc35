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
    let mut best = (0, f64::NEG_INFINITY);
    for (option, logprobs) in option_token_logprobs.iter().enumerate() {
        let sum: f64 = logprobs.iter().sum();
        let score = match method {
            "token" => sum / logprobs.len() as f64,
            "char" => sum / option_texts[option].len() as f64,
            _ => sum,
        };
        if score >= best.1 {
            best = (option, score);
        }
    }
    Ok(best.0)
}

#[cfg(test)]
mod tests;
