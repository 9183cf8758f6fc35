//! AdamW (Loshchilov and Hutter 2019, "Decoupled weight decay regularization").

use llm_autograd::{AdamWStep, Element, Kernels};
use llm_model::{DecoderModel, Parameter};
use serde::{Deserialize, Serialize};

use crate::TrainError;

/// The numbers of the method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdamWConfig {
    /// Share of the first moment that is kept in an update, in [0, 1).
    pub beta1: f64,
    /// Share of the second moment that is kept in an update, in [0, 1).
    pub beta2: f64,
    /// Added to the root of the second moment, above 0.
    pub epsilon: f64,
    /// Share of a matrix that an update with rate 1 removes. Gains and biases do not decay.
    pub weight_decay: f64,
}

impl Default for AdamWConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0 }
    }
}

impl AdamWConfig {
    fn check(&self) -> Result<(), TrainError> {
        let share = |x: f64| (0.0..1.0).contains(&x);
        let checks = [
            ("beta1", self.beta1, share(self.beta1), "at least 0 and below 1"),
            ("beta2", self.beta2, share(self.beta2), "at least 0 and below 1"),
            ("epsilon", self.epsilon, self.epsilon.is_finite() && self.epsilon > 0.0, "above 0"),
            (
                "weight_decay",
                self.weight_decay,
                self.weight_decay.is_finite() && self.weight_decay >= 0.0,
                "a finite number, 0 or above",
            ),
        ];
        match checks.into_iter().find(|(_, _, good, _)| !good) {
            Some((field, given, _, expected)) => {
                Err(TrainError::InvalidConfig { field, given, expected })
            }
            None => Ok(()),
        }
    }
}

/// The optimizer's state: two moments for every parameter, and the bias corrections.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW<E> {
    config: AdamWConfig,
    moments: Vec<[Vec<E>; 2]>,
    /// Products of all beta1 and of all beta2 so far.
    powers: [f64; 2],
}

impl<E: Element> AdamW<E> {
    /// Zero moments for a model's parameters.
    ///
    /// # Errors
    /// [`TrainError::InvalidConfig`].
    pub fn new(config: AdamWConfig, model: &DecoderModel<E>) -> Result<Self, TrainError> {
        config.check()?;
        let zeros = |parameter: &Parameter<E>| vec![E::ZERO; parameter.value().len()];
        let moments = model.parameters().iter().map(|p| [zeros(p), zeros(p)]).collect();
        Ok(Self { config, moments, powers: [1.0; 2] })
    }

    /// The first and the second moment of every parameter, in the model's order.
    pub fn moments(&self) -> &[[Vec<E>; 2]] {
        &self.moments
    }

    /// The products of all beta1 and of all beta2 so far, which the bias corrections need.
    pub fn powers(&self) -> [f64; 2] {
        self.powers
    }

    /// An optimizer in the middle of training. `moments` have the lengths of the parameters.
    pub(crate) fn resumed(
        config: AdamWConfig,
        moments: Vec<[Vec<E>; 2]>,
        powers: [f64; 2],
    ) -> Result<Self, TrainError> {
        config.check()?;
        Ok(Self { config, moments, powers })
    }

    /// One step with the model's accumulated gradients. A parameter without a gradient, which no
    /// target depended on, has a gradient of zero: its moments decay and it may still move.
    ///
    /// # Panics
    /// If the model has other parameters than the one this optimizer was made for.
    pub fn step(&mut self, kernels: Kernels, model: &mut DecoderModel<E>, rate: f64) {
        let AdamWConfig { beta1, beta2, epsilon, weight_decay } = self.config;
        self.powers = [self.powers[0] * beta1, self.powers[1] * beta2];
        let parameters = model.parameters_mut();
        assert_eq!(parameters.len(), self.moments.len(), "another model");
        for (parameter, [first_moment, second_moment]) in
            parameters.iter_mut().zip(&mut self.moments)
        {
            let decays = parameter.value().shape().len() == 2;
            let (weights, gradient) = parameter.value_and_gradient();
            AdamWStep {
                weights,
                gradient,
                first_moment,
                second_moment,
                betas: [beta1, beta2].map(E::from_f64),
                corrections: self.powers.map(|power| E::from_f64(1.0 - power)),
                epsilon: E::from_f64(epsilon),
                rate: E::from_f64(rate),
                rate_times_decay: E::from_f64(if decays { rate * weight_decay } else { 0.0 }),
            }
            .run(kernels);
        }
    }
}
