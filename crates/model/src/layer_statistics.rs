//! How large activations and gradients are at every depth of a decoder.
//!
//! Each block adds to a stream that runs from the embedding to the head. If what is added does not
//! shrink with the number of blocks, the stream grows with depth; this shows it on a fresh model.
//! Observing is one more [`Reading`] of the ordinary forward pass and a watched walk back, so the
//! default path records nothing for it.
//!
//! The root mean square of n numbers is `rms(x) = sqrt((x_1^2 + ... + x_n^2) / n)`, here over all
//! tokens and features, summed in row order in f64.

use std::ops::Range;

use llm_autograd::{AttentionHeads, AutogradContext, Element, TensorValue};
use llm_corpus::{BatchBinding, VariableBatch};

use crate::forward::{Reading, document_ranges};
use crate::{DecoderModel, ModelError};

/// The stream behind one layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerStatistics {
    /// 0 behind the embedding, l behind block l, counted from 1.
    pub layer: usize,
    /// Root mean square of the stream, `[tokens, d_model]`.
    pub activation_rms: f64,
    /// Root mean square of the gradient of the batch's mean loss (nats per target) with respect to
    /// it, same shape.
    pub gradient_rms: f64,
}

impl<E: Element> DecoderModel<E> {
    /// The stream of a batch behind the embedding and behind every block: `n_layers + 1` entries.
    /// Changes nothing, not even the accumulated gradients.
    ///
    /// # Errors
    /// As [`loss_padded_with_context`](Self::loss_padded_with_context).
    pub fn layer_statistics(
        &self,
        batch: &VariableBatch,
        binding: &BatchBinding,
    ) -> Result<Vec<LayerStatistics>, ModelError> {
        self.check_batch(batch, binding)?;
        let ragged = batch.ragged();
        let context = AutogradContext::recording();
        // What the embedding and every attention and feed-forward layer adds to the stream, in this
        // order: 2 n_layers + 1 values [N, C].
        let mut branches = Vec::new();
        let observer = Observer { documents: document_ranges(ragged), branches: &mut branches };
        let hidden = self.read(&context, ragged, observer)?; // [N, C]
        let loss = self.recorded_loss(&context, hidden, ragged);
        let targets = E::from_f64(loss.token_nll.len() as f64);
        let mean = context.scale(&loss.sum, E::ONE / targets);
        let mut gradients = vec![0.0; branches.len()];
        context
            .backward_watched(&mean, |step| {
                let observed = branches.iter().position(|b| b.node() == Some(step.node));
                observed.into_iter().for_each(|branch| gradients[branch] = rms(&step.gradient));
            })
            .expect("a fresh recording of a scalar that depends on parameters");
        Ok(self.behind_blocks(&branches, &gradients))
    }

    /// Adds up the branches, and keeps what stands behind the embedding and behind whole blocks.
    ///
    /// An addition passes the gradient of its sum on unchanged, so a branch's gradient is that of
    /// the stream behind it.
    fn behind_blocks(
        &self,
        branches: &[TensorValue<E>],
        gradients: &[f64],
    ) -> Vec<LayerStatistics> {
        let mut stream = vec![E::ZERO; branches[0].data().len()];
        let mut statistics = Vec::with_capacity(self.config().n_layers + 1);
        for (site, (branch, &gradient_rms)) in branches.iter().zip(gradients).enumerate() {
            stream.iter_mut().zip(branch.data()).for_each(|(sum, &x)| *sum += x);
            if site.is_multiple_of(2) {
                let activation_rms = rms(&stream);
                statistics.push(LayerStatistics { layer: site / 2, activation_rms, gradient_rms });
            }
        }
        statistics
    }
}

/// Reads whole documents without dropout, and keeps what each site adds to the stream.
struct Observer<'b, E> {
    documents: Vec<Range<usize>>,
    branches: &'b mut Vec<TensorValue<E>>,
}

impl<E: Element> Reading<E> for Observer<'_, E> {
    fn attend(
        &mut self,
        context: &AutogradContext<E>,
        _layer: usize,
        [queries, keys, values]: [&TensorValue<E>; 3],
        heads: AttentionHeads,
    ) -> TensorValue<E> {
        context.attention(queries, keys, values, heads, &self.documents)
    }

    fn drop_features(
        &mut self,
        _context: &AutogradContext<E>,
        x: TensorValue<E>,
        _site: u64,
    ) -> TensorValue<E> {
        self.branches.push(x.clone());
        x
    }
}

fn rms<E: Element>(x: &[E]) -> f64 {
    let squares: f64 = x.iter().map(|x| x.to_f64() * x.to_f64()).sum();
    (squares / x.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use llm_autograd::Tensor;
    use llm_corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};

    use super::rms;
    use crate::{DecoderConfig, DecoderModel, ModelError};

    fn config(n_layers: usize) -> DecoderConfig {
        DecoderConfig { n_layers, ..DecoderConfig::reference(10, 4) }
    }

    fn batch() -> VariableBatch {
        let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 4 };
        let documents = [vec![0, 2, 2, 5, 1], vec![0, 9, 8]]
            .map(|ids| EncodedDocument::from_ids("x", Partition::Train, ids).unwrap());
        VariableBatch::training(&binding, &number(0, &documents)).unwrap()
    }

    #[test]
    fn the_rms_of_three_and_four_is_the_root_of_twelve_and_a_half() {
        assert_eq!(rms(&[3.0_f32, -4.0]), 12.5_f64.sqrt());
    }

    #[test]
    fn blocks_of_zeros_leave_the_embedding_as_it_is() {
        let model = DecoderModel::<f64>::initialize(config(2).validate().unwrap(), 5);
        let silent = model.parameters().iter().map(|parameter| {
            let residual = parameter.name().ends_with("output.weight")
                || parameter.name().ends_with("down.weight");
            let zeros = Tensor::filled(parameter.value().shape(), 0.0);
            if residual { zeros } else { parameter.value().clone() }
        });
        let silent = DecoderModel::from_parameters(*model.config(), silent.collect()).unwrap();
        let statistics = silent.layer_statistics(&batch(), batch().binding()).unwrap();
        assert_eq!(statistics.iter().map(|s| s.layer).collect::<Vec<_>>(), [0, 1, 2]);

        let table = silent.parameters()[0].value();
        let rows: Vec<f64> =
            [0, 2, 2, 5, 0, 9].iter().flat_map(|&id| table.row(id).to_vec()).collect();
        for layer in &statistics {
            assert_eq!(layer.activation_rms, rms(&rows));
            assert!((layer.gradient_rms / statistics[2].gradient_rms - 1.0).abs() < 1e-12);
        }
    }

    /// The gradient behind the embedding, by moving every row of the table that is read once.
    #[test]
    fn the_gradient_behind_the_embedding_is_the_difference_quotient_of_the_mean_loss() {
        // Inputs 5 and 9, each once: a row of the table is one token's.
        let binding = batch().binding().clone();
        let document = EncodedDocument::from_ids("x", Partition::Train, vec![5, 9, 1]).unwrap();
        let batch = VariableBatch::training(&binding, &number(0, &[document])).unwrap();
        // An untied head, so that the table is nothing but an embedding.
        let untied = DecoderConfig { tied_head: false, ..config(2) }.validate().unwrap();
        let model = DecoderModel::<f64>::initialize(untied, 5);
        let mean = |table: Tensor<f64>| {
            let mut values: Vec<_> = model.parameters().iter().map(|p| p.value().clone()).collect();
            values[0] = table;
            let model = DecoderModel::from_parameters(untied, values).unwrap();
            let context = llm_autograd::AutogradContext::no_grad();
            model.loss_padded_with_context(&context, &batch, &binding).unwrap().mean()
        };
        let table = model.parameters()[0].value();
        let quotients: Vec<f64> = [5, 9]
            .iter()
            .flat_map(|row| row * 8..(row + 1) * 8)
            .map(|element| {
                let at = |step: f64| {
                    let mut moved = table.clone();
                    moved.data_mut()[element] += step;
                    mean(moved)
                };
                (at(1e-5) - at(-1e-5)) / 2e-5
            })
            .collect();
        let statistics = model.layer_statistics(&batch, &binding).unwrap();
        assert!((statistics[0].gradient_rms / rms(&quotients) - 1.0).abs() < 1e-7);
    }

    #[test]
    fn the_depth_factor_is_all_that_the_two_initializations_differ_in() {
        let config = config(4).validate().unwrap();
        let scaled = DecoderModel::<f64>::initialize(config, 5);
        let plain = DecoderModel::<f64>::initialize_without_depth_factor(config, 5);
        for (scaled, plain) in scaled.parameters().iter().zip(plain.parameters()) {
            let residual =
                scaled.name().ends_with("output.weight") || scaled.name().ends_with("down.weight");
            let factor = if residual { 0.5 } else { 1.0 }; // 1 / sqrt(4)
            let expected: Vec<f64> = plain.value().data().iter().map(|x| factor * x).collect();
            assert_eq!(scaled.value().data(), expected, "{}", scaled.name());
        }
    }

    #[test]
    fn a_document_longer_than_the_context_is_refused() {
        let short = DecoderConfig { context_len: 3, ..config(1) }.validate().unwrap();
        let model = DecoderModel::<f64>::initialize(short, 5);
        let refused = model.layer_statistics(&batch(), batch().binding());
        assert!(matches!(refused, Err(ModelError::ContextLength { tokens: 4, .. })), "{refused:?}");
    }
}
