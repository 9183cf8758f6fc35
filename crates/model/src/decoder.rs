//! A decoder as plain data.

use llm_autograd::{AutogradContext, AutogradError, Buffer, Element, Tensor, TensorValue};

use crate::{ModelError, ParameterSpec, SplitMix64, ValidConfig, parameter_specs};

/// Configuration and parameters. There is nothing hidden in it: a forward pass takes `&self` and
/// cannot change it.
#[derive(Clone, Debug, PartialEq)]
pub struct DecoderModel<E> {
    config: ValidConfig,
    parameters: Vec<Parameter<E>>,
}

/// One named parameter: its value, the gradient accumulated so far, and how often it was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter<E> {
    name: String,
    value: Tensor<E>,
    gradient: Option<Buffer<E>>,
    /// The tied matrix is used twice, as lookup and as head; each use continues its own sum, so
    /// that neither depends on where the other stands in the backward pass.
    head_gradient: Option<Buffer<E>>,
    revision: u64,
}

impl<E: Element> DecoderModel<E> {
    /// A fresh model; the same seed gives the same bits everywhere.
    pub fn initialize(config: ValidConfig, seed: u64) -> Self {
        Self::fresh(config, seed, parameter_specs(&config))
    }

    /// A fresh model whose residual outputs do not start smaller in a deeper model; otherwise as
    /// [`initialize`](Self::initialize). To compare with, see
    /// [`layer_statistics`](Self::layer_statistics).
    pub fn initialize_without_depth_factor(config: ValidConfig, seed: u64) -> Self {
        let specs = parameter_specs(&config).into_iter();
        Self::fresh(config, seed, specs.map(ParameterSpec::without_depth_factor).collect())
    }

    fn fresh(config: ValidConfig, seed: u64, specs: Vec<ParameterSpec>) -> Self {
        let mut stream = SplitMix64::new(seed);
        let parameters = specs
            .into_iter()
            .map(|spec| {
                let value = spec.draw(&mut stream);
                Parameter::new(spec.name, value)
            })
            .collect();
        Self { config, parameters }
    }

    /// A model with given values, in the order of [`parameter_specs`].
    ///
    /// # Errors
    /// Wrong number of tensors, or a wrong shape.
    pub fn from_parameters(
        config: ValidConfig,
        values: Vec<Tensor<E>>,
    ) -> Result<Self, ModelError> {
        let specs = parameter_specs(&config);
        if values.len() != specs.len() {
            let (given, expected) = (values.len(), specs.len());
            return Err(ModelError::ParameterCount { given, expected });
        }
        let parameters = specs.into_iter().zip(values).map(|(spec, value)| {
            if value.shape() != spec.shape {
                let (given, expected) = (value.shape().to_vec(), spec.shape);
                return Err(ModelError::ParameterShape { name: spec.name, given, expected });
            }
            Ok(Parameter::new(spec.name, value))
        });
        Ok(Self { config, parameters: parameters.collect::<Result<_, _>>()? })
    }

    /// The sizes.
    pub fn config(&self) -> &ValidConfig {
        &self.config
    }

    /// All parameters, in the order of [`parameter_specs`].
    pub fn parameters(&self) -> &[Parameter<E>] {
        &self.parameters
    }

    /// All parameters, for an optimizer.
    pub fn parameters_mut(&mut self) -> &mut [Parameter<E>] {
        &mut self.parameters
    }

    /// Walks back from a recorded scalar and continues every parameter's gradient.
    ///
    /// Each element's gradient is one chain over the tokens in (document, position) order, so
    /// documents in one batch or in several after each other give the same bits.
    ///
    /// # Errors
    /// As [`AutogradContext::backward`]; then no gradient has changed.
    pub fn backward(
        &mut self,
        context: &AutogradContext<E>,
        loss: &TensorValue<E>,
    ) -> Result<(), AutogradError> {
        let mut slots: Vec<_> = self.parameters.iter_mut().map(|p| p.gradient.take()).collect();
        slots.push(self.parameters[0].head_gradient.take());
        let result = context.backward_onto(loss, &mut slots);
        self.parameters[0].head_gradient = slots.pop().expect("pushed above");
        for (parameter, slot) in self.parameters.iter_mut().zip(slots) {
            parameter.gradient = slot;
        }
        result
    }

    /// Adds the two gradients of a tied matrix, once, when an update's gradients are complete.
    pub fn merge_tied_gradient(&mut self) {
        let embedding = &mut self.parameters[0];
        let Some(head) = embedding.head_gradient.take() else { return };
        match &mut embedding.gradient {
            Some(lookup) => lookup.iter_mut().zip(&*head).for_each(|(sum, &x)| *sum += x),
            none => *none = Some(head),
        }
    }

    /// Forgets all gradients.
    pub fn clear_gradients(&mut self) {
        for parameter in &mut self.parameters {
            (parameter.gradient, parameter.head_gradient) = (None, None);
        }
    }

    /// The leaf of parameter `index` in a computation.
    pub(crate) fn leaf(&self, context: &AutogradContext<E>, index: usize) -> TensorValue<E> {
        context.parameter(index, &self.parameters[index].value)
    }

    /// The matrix `[vocab_size, d_model]` of the output head: its own, or the embedding a second
    /// time, with a gradient of its own.
    pub(crate) fn head_leaf(&self, context: &AutogradContext<E>) -> TensorValue<E> {
        if self.config.tied_head {
            context.parameter(self.parameters.len(), &self.parameters[0].value)
        } else {
            self.leaf(context, self.parameters.len() - 1)
        }
    }
}

impl<E: Element> Parameter<E> {
    /// A parameter of no model yet, without a gradient: to look at an optimizer alone.
    pub fn new(name: impl Into<String>, value: Tensor<E>) -> Self {
        Self { name: name.into(), value, gradient: None, head_gradient: None, revision: 0 }
    }

    /// Its unique name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The numbers.
    pub fn value(&self) -> &Tensor<E> {
        &self.value
    }

    /// The numbers to change; counts as one revision.
    pub fn value_mut(&mut self) -> &mut [E] {
        self.revision += 1;
        self.value.data_mut()
    }

    /// How often the value was handed out to be changed since the model was made.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The accumulated gradient, row-major like the value. For a tied matrix this is the lookup's
    /// part until [`DecoderModel::merge_tied_gradient`].
    pub fn gradient(&self) -> Option<&[E]> {
        self.gradient.as_deref()
    }

    /// The head's part of a tied matrix's gradient.
    pub fn head_gradient(&self) -> Option<&[E]> {
        self.head_gradient.as_deref()
    }

    /// Replaces the accumulated gradient, as if a backward pass had given this one.
    ///
    /// # Panics
    /// If it has another number of elements than the value.
    #[track_caller]
    pub fn set_gradient(&mut self, gradient: &[E]) {
        let (given, expected) = (gradient.len(), self.value.len());
        assert!(given == expected, "a gradient of {given} elements for a value of {expected}");
        self.gradient = Some(gradient.to_vec().into());
    }

    /// The accumulated gradient, to scale or clip.
    pub fn gradient_mut(&mut self) -> Option<&mut [E]> {
        self.gradient.as_deref_mut()
    }

    /// The value to change and the gradient to change it by, as one revision. A parameter that no
    /// target depended on has a gradient of zeros.
    pub fn value_and_gradient(&mut self) -> (&mut [E], &[E]) {
        self.revision += 1;
        let len = self.value.len();
        let gradient = self.gradient.get_or_insert_with(|| vec![E::ZERO; len].into());
        (self.value.data_mut(), gradient)
    }
}
