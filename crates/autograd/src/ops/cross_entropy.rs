//! Negative log-likelihood of targets under a softmax of logits, in nats.
//!
//! `nll[t] = ln(sum_v exp(logits[t, v])) - logits[t, target]`, with the row's maximum subtracted
//! first; the losses are formed in f64 from logits of either precision, because a sum of tens of
//! thousands of f32 exponentials is biased. `d logits = softmax(logits) - onehot(target)`, formed
//! in the precision of the logits.

use crate::kernels::{ElementKernels, Scratch, Shared, SoftmaxRow, cut_at, share};
use crate::{AutogradContext, Element, Kernels, Tensor, TensorValue};

/// Losses of a batch of targets.
#[derive(Clone, Debug)]
pub struct CrossEntropy<E> {
    /// The sum of all losses, what a backward pass starts from. Its value is for looking at; exact
    /// sums are made from `token_nll`.
    pub sum: TensorValue<E>,
    /// The loss of every target in nats, in row order.
    pub token_nll: Vec<f64>,
}

impl<E: Element> AutogradContext<E> {
    /// The losses of `targets`.
    ///
    /// # Shapes
    /// `logits: [targets.len(), vocab_size]`.
    ///
    /// # Panics
    /// If the shapes do not fit or a target is outside the vocabulary.
    #[track_caller]
    pub fn cross_entropy(&self, logits: &TensorValue<E>, targets: &[u32]) -> CrossEntropy<E> {
        let [rows, vocab_size] = logits.tensor().matrix("cross_entropy", "logits");
        assert!(rows == targets.len(), "cross_entropy: {rows} rows, {} targets", targets.len());
        let inside = targets.iter().all(|&target| (target as usize) < vocab_size);
        assert!(inside, "cross_entropy: a target is outside the vocabulary of {vocab_size}");

        let mut token_nll = vec![0.0; rows];
        let losses = Losses { logits: logits.data(), targets, token_nll: &mut token_nll };
        share(self.kernels(), losses, Losses::compute);

        let sum = Tensor::scalar(E::from_f64(token_nll.iter().sum()));
        let (saved, targets) = (logits.clone(), targets.to_vec());
        let sum = self.record("cross_entropy", &[logits], sum, move |gradient, flow| {
            let mut d_logits = flow.buffer(saved.data().len());
            let gradients = LogitGradients {
                logits: saved.data(),
                d_logits: &mut d_logits,
                targets: &targets,
                upstream: gradient[0],
            };
            share(flow.kernels, gradients, LogitGradients::compute);
            flow.add(saved.place(), d_logits);
        });
        CrossEntropy { sum, token_nll }
    }
}

/// Losses of some rows.
struct Losses<'a, E> {
    /// `[targets.len(), vocab_size]`
    logits: &'a [E],
    targets: &'a [u32],
    token_nll: &'a mut [f64],
}

impl<E: Element> Losses<'_, E> {
    fn compute(kernels: Kernels, this: Self) {
        let vocab_size = this.logits.len() / this.targets.len().max(1);
        let mut scratch = Scratch::new();
        let promoted = scratch.any(vocab_size);
        let rows = this.logits.chunks_exact(vocab_size.max(1)).zip(this.targets);
        for ((logits, &target), nll) in rows.zip(this.token_nll) {
            promoted.iter_mut().zip(logits).for_each(|(to, x)| *to = x.to_f64());
            let logit = promoted[target as usize];
            let (largest, sum) = f64::run_softmax_row(kernels, SoftmaxRow(promoted));
            *nll = libm::log(sum) - (logit - largest);
        }
    }
}

impl<E: Element> Shared for Losses<'_, E> {
    fn work(&self) -> usize {
        40 * self.logits.len() // an exponential in f64
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.targets.len(), 1, left, parts) else { return Err(self) };
        let (logits, logits_rest) =
            self.logits.split_at(self.logits.len() / self.targets.len() * at);
        let (targets, targets_rest) = self.targets.split_at(at);
        let (token_nll, nll_rest) = self.token_nll.split_at_mut(at);
        Ok((
            Self { logits, targets, token_nll },
            Self { logits: logits_rest, targets: targets_rest, token_nll: nll_rest },
        ))
    }
}

/// Gradients of some rows.
struct LogitGradients<'a, E> {
    /// `[targets.len(), vocab_size]`
    logits: &'a [E],
    d_logits: &'a mut [E],
    targets: &'a [u32],
    upstream: E,
}

impl<E: Element> LogitGradients<'_, E> {
    fn compute(kernels: Kernels, this: Self) {
        let vocab_size = this.logits.len() / this.targets.len().max(1);
        let rows = this.logits.chunks_exact(vocab_size.max(1)).zip(this.targets);
        let d_rows = this.d_logits.chunks_exact_mut(vocab_size.max(1));
        for ((logits, &target), row) in rows.zip(d_rows) {
            row.copy_from_slice(logits);
            let (_, total) = E::run_softmax_row(kernels, SoftmaxRow(row));
            let factor = this.upstream / total;
            row.iter_mut().for_each(|x| *x = *x * factor);
            row[target as usize] = row[target as usize] - this.upstream;
        }
    }
}

impl<E: Element> Shared for LogitGradients<'_, E> {
    fn work(&self) -> usize {
        20 * self.logits.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.targets.len(), 1, left, parts) else { return Err(self) };
        let cells = self.logits.len() / self.targets.len() * at;
        let (logits, logits_rest) = self.logits.split_at(cells);
        let (d_logits, d_logits_rest) = self.d_logits.split_at_mut(cells);
        let (targets, targets_rest) = self.targets.split_at(at);
        let upstream = self.upstream;
        Ok((
            Self { logits, d_logits, targets, upstream },
            Self { logits: logits_rest, d_logits: d_logits_rest, targets: targets_rest, upstream },
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::wavy;
    use crate::{AutogradContext, Tensor, gradient_check};

    fn nll(logits: Vec<f64>, target: u32) -> f64 {
        let context = AutogradContext::no_grad();
        let logits = context.constant(&Tensor::new(&[1, logits.len()], logits));
        context.cross_entropy(&logits, &[target]).token_nll[0]
    }

    #[test]
    fn equal_logits_cost_the_logarithm_of_the_vocabulary() {
        assert!((nll(vec![7.0; 20], 3) - 20f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn a_gap_that_underflows_a_probability_is_still_exact() {
        assert_eq!(nll(vec![0.0, -800.0], 1), 800.0);
        assert_eq!(nll(vec![0.0, -800.0], 0), 0.0);
    }

    #[test]
    fn infinite_and_missing_logits_give_no_finite_loss() {
        assert!(!nll(vec![0.0, f64::INFINITY], 0).is_finite());
        assert!(!nll(vec![0.0, f64::NAN], 0).is_finite());
        assert!(!nll(vec![f64::NAN, 0.0, 1.0], 2).is_finite());
    }

    #[test]
    fn gradient_agrees_with_differences() {
        let check = gradient_check(&[wavy(&[3, 21], 0.4)], 1e-5, |c, x| {
            c.scale(&c.cross_entropy(&x[0], &[20, 0, 7]).sum, 0.25)
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }

    #[test]
    fn gradients_of_a_row_sum_to_zero() {
        let context = AutogradContext::recording();
        let logits = context.variable(&wavy(&[1, 9], 1.0));
        let loss = context.cross_entropy(&logits, &[4]);
        let gradient = context.backward(&loss.sum).unwrap().of(&logits).unwrap();
        assert!(gradient.data().iter().sum::<f64>().abs() < 1e-15);
    }
}
