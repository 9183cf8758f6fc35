//! AdamW (Loshchilov and Hutter 2019, "Decoupled weight decay regularization"; Adam is from Kingma and
//! Ba 2015).

use llm_autograd::{AdamWStep, Element, Kernels};
use llm_model::Parameter;
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
    pub(crate) fn check(&self) -> Result<(), TrainError> {
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

/// The optimizer's state: two moments for every element of every parameter, and the bias corrections.
///
/// Nothing is shared between elements, so each moves as if it were alone. One step with gradient g,
/// for each element, with the products P1 and P2 of all beta1 and beta2 so far:
///
/// ```text
/// m = beta1 m + (1 - beta1) g            v = beta2 v + (1 - beta2) g^2
/// w = w - rate (m / (1 - P1)) / (sqrt(v / (1 - P2)) + epsilon) - rate decay w
/// ```
///
/// ```
/// use llm_autograd::{Kernels, Tensor};
/// use llm_model::Parameter;
/// use llm_trainer::{AdamW, AdamWConfig};
///
/// let mut parameters = [Parameter::new("w", Tensor::new(&[2], vec![1.0_f64, 1.0]))];
/// let mut optimizer = AdamW::new(AdamWConfig::default(), &parameters)?;
/// parameters[0].set_gradient(&[0.004, -700.0]);
/// optimizer.step(Kernels::detect(), &mut parameters, 0.1);
/// // m / (1 - P1) = g and the root of v / (1 - P2) is |g|: the first step is the rate.
/// let [down, up] = parameters[0].value().data() else { panic!("two elements") };
/// assert!((down - 0.9).abs() < 1e-6 && (up - 1.1).abs() < 1e-6);
/// # Ok::<(), llm_trainer::TrainError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW<E> {
    config: AdamWConfig,
    moments: Vec<[Vec<E>; 2]>,
    /// Products of all beta1 and of all beta2 so far.
    powers: [f64; 2],
}

impl<E: Element> AdamW<E> {
    /// Zero moments for some parameters, those of a model for example.
    ///
    /// # Errors
    /// [`TrainError::InvalidConfig`].
    pub fn new(config: AdamWConfig, parameters: &[Parameter<E>]) -> Result<Self, TrainError> {
        config.check()?;
        let zeros = |parameter: &Parameter<E>| vec![E::ZERO; parameter.value().len()];
        let moments = parameters.iter().map(|p| [zeros(p), zeros(p)]).collect();
        Ok(Self { config, moments, powers: [1.0; 2] })
    }

    /// Whether weight decay reaches a parameter: a matrix, and no gain or bias.
    pub fn decays(parameter: &Parameter<E>) -> bool {
        parameter.value().shape().len() == 2
    }

    /// The first and the second moment of every parameter, in the parameters' order.
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

    /// One step with the accumulated gradients. A parameter without a gradient, which no
    /// target depended on, has a gradient of zero: its moments decay and it may still move.
    ///
    /// # Panics
    /// If there are other parameters than those that this optimizer was made for.
    pub fn step(&mut self, kernels: Kernels, parameters: &mut [Parameter<E>], rate: f64) {
        let AdamWConfig { beta1, beta2, epsilon, weight_decay } = self.config;
        self.powers = [self.powers[0] * beta1, self.powers[1] * beta2];
        assert_eq!(parameters.len(), self.moments.len(), "other parameters");
        for (parameter, [first_moment, second_moment]) in
            parameters.iter_mut().zip(&mut self.moments)
        {
            let decays = Self::decays(parameter);
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
