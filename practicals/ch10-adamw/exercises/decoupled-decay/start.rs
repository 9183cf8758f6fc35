//! Take one AdamW step with decoupled weight decay.

/// One weight and its optimizer's state; the betas are 0.9 and 0.999.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// w.
    pub value: f64,
    /// m, 0 before the first step.
    pub first_moment: f64,
    /// v, 0 before the first step.
    pub second_moment: f64,
    /// Steps taken so far.
    pub steps: i32,
}

/// The weight behind a step with this gradient, learning rate and weight decay.
pub fn adamw_step(weight: Weight, gradient: f64, rate: f64, decay: f64) -> Weight {
    // The textbook's L2 penalty adds decay * w to the gradient. AdamW does something else.
    let gradient = gradient + decay * weight.value;
    let steps = weight.steps + 1;
    let first_moment = 0.9 * weight.first_moment + 0.1 * gradient;
    let second_moment = 0.999 * weight.second_moment + 0.001 * gradient * gradient;
    let mean = first_moment / (1.0 - 0.9_f64.powi(steps));
    let mean_square = second_moment / (1.0 - 0.999_f64.powi(steps));
    let value = weight.value - rate * mean / (mean_square.sqrt() + 1e-8);
    Weight { value, first_moment, second_moment, steps }
}

#[cfg(test)]
mod tests;
