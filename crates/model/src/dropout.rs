//! Dropout (Srivastava and others 2014) as a mode of the forward pass.
//!
//! Inverted dropout: a kept feature is divided by the probability of keeping it, so evaluation
//! changes nothing. The mask of a feature is a function of (seed, update, document, position,
//! site, feature) alone: ChaCha8 keyed by the first three and the site, with the position as
//! stream number and the feature as place in the stream. Padding, packing and the cut into
//! microbatches therefore cannot change a mask, and no order of drawing needs to be kept.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use llm_autograd::{AutogradContext, Element, Tensor, TensorValue};
use llm_corpus::RaggedBatch;

use crate::ModelError;

/// A probability of dropping, at least 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DropoutProbability(f64);

impl DropoutProbability {
    /// Drops nothing.
    pub const ZERO: Self = Self(0.0);

    /// # Errors
    /// [`ModelError::DropoutProbability`] outside [0, 1).
    pub fn new(probability: f64) -> Result<Self, ModelError> {
        if !(0.0..1.0).contains(&probability) {
            return Err(ModelError::DropoutProbability { given: probability });
        }
        Ok(Self(probability))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Where dropout's randomness comes from. Owned by whoever trains, never by the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropoutStream {
    seed: u64,
    update: u64,
    drawn: u64,
}

impl DropoutStream {
    /// The stream of a run, at update 0.
    pub fn new(seed: u64) -> Self {
        Self { seed, update: 0, drawn: 0 }
    }

    /// The stream of a run that goes on after `drawn` mask elements. Masks need no more than the
    /// seed and the update; the count is kept for whoever looks at it.
    pub fn resumed(seed: u64, drawn: u64) -> Self {
        Self { seed, update: 0, drawn }
    }

    /// Chooses the update whose masks are drawn; all microbatches of an update share it.
    pub fn set_update(&mut self, update: u64) {
        self.update = update;
    }

    /// The mask of one token at this update: for every feature 0, or 1 / (1 - p) with dropping
    /// probability p. For looking at; it is not counted as drawn.
    ///
    /// ```
    /// use llm_model::{DropoutProbability, DropoutStream, MaskPlace};
    /// let stream = DropoutStream::new(7);
    /// let place = MaskPlace { document: 0, site: 0, position: 3 };
    /// let mask = stream.mask(place, 8, DropoutProbability::new(0.5)?);
    /// assert!(mask.iter().all(|&factor| factor == 0.0 || factor == 2.0));
    /// assert_eq!(mask, stream.mask(place, 8, DropoutProbability::new(0.5)?));
    /// # Ok::<(), llm_model::ModelError>(())
    /// ```
    pub fn mask(
        &self,
        place: MaskPlace,
        features: usize,
        probability: DropoutProbability,
    ) -> Vec<f64> {
        let mut mask = Vec::with_capacity(features);
        let mut generator = generator(self, place.document, place.site);
        extend_mask(&mut mask, &mut generator, place.position, features, probability);
        mask
    }

    /// How many mask elements were drawn so far. Evaluation leaves it alone.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }
}

/// Which token's features a mask is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskPlace {
    /// Ordinal of the document in the run.
    pub document: u64,
    /// 0 behind the embedding, 2l + 1 behind the attention and 2l + 2 behind the feed-forward layer
    /// of block l, counted from 0.
    pub site: u64,
    /// Place of the token in its document, from 0.
    pub position: usize,
}

/// Whether a forward pass drops features.
#[derive(Debug)]
pub enum DropoutMode<'a> {
    /// Nothing is dropped, whatever the configured probability.
    Eval,
    /// Features are dropped with masks of this stream.
    Train(&'a mut DropoutStream),
}

/// Dropout during one forward pass.
pub(crate) struct Dropout<'a, 'b> {
    pub(crate) probability: DropoutProbability,
    pub(crate) mode: DropoutMode<'a>,
    pub(crate) ragged: &'b RaggedBatch,
}

impl Dropout<'_, '_> {
    /// Drops features of `x: [tokens, features]` at a site; see [`MaskPlace`].
    pub(crate) fn apply<E: Element>(
        &mut self,
        context: &AutogradContext<E>,
        x: TensorValue<E>,
        site: u64,
    ) -> TensorValue<E> {
        let DropoutMode::Train(stream) = &mut self.mode else { return x };
        if self.probability == DropoutProbability::ZERO {
            return x;
        }
        let features = x.shape()[1];
        let mut mask = Vec::with_capacity(x.data().len());
        for segment in &self.ragged.segments {
            let mut generator = generator(stream, segment.ordinal, site);
            for &position in &self.ragged.positions[segment.start..segment.start + segment.len] {
                extend_mask(&mut mask, &mut generator, position, features, self.probability);
            }
        }
        stream.drawn += mask.len() as u64;
        context.mul(&x, &context.constant(&Tensor::new(x.shape(), mask)))
    }
}

/// ChaCha8 keyed by everything that is the same for all tokens of a document at a site.
fn generator(stream: &DropoutStream, ordinal: u64, site: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (part, x) in key.chunks_exact_mut(8).zip([stream.seed, stream.update, ordinal, site]) {
        part.copy_from_slice(&x.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// Appends the mask of the token at `position`.
fn extend_mask<E: Element>(
    mask: &mut Vec<E>,
    generator: &mut ChaCha8Rng,
    position: usize,
    features: usize,
    probability: DropoutProbability,
) {
    generator.set_stream(position as u64);
    generator.set_block_pos(0);
    let kept = E::from_f64(1.0 / (1.0 - probability.get()));
    // A draw is one of 2^32 equally likely numbers; below the threshold it drops.
    let threshold = (probability.get() * 2f64.powi(32)) as u64;
    mask.extend(
        (0..features).map(
            |_| {
                if u64::from(generator.next_u32()) < threshold { E::ZERO } else { kept }
            },
        ),
    );
}
