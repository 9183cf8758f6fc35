//! The statistics of a document of one input, against the formulas written out with plain loops.
//!
//! A single token attends to itself with weight 1, so attention is two products, and nothing turns
//! at position 0.

use llm_corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};
use llm_model::{DecoderConfig, DecoderModel};

/// `row M` for a matrix `[row.len(), columns]`.
fn product(row: &[f64], matrix: &[f64]) -> Vec<f64> {
    let columns = matrix.len() / row.len();
    let column = |c: usize| row.iter().enumerate().map(|(r, x)| x * matrix[r * columns + c]).sum();
    (0..columns).map(column).collect()
}

fn norm(row: &[f64]) -> Vec<f64> {
    let size = (mean_square(row) + 1e-6).sqrt();
    row.iter().map(|x| x / size).collect()
}

fn mean_square(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64
}

#[test]
fn the_stream_of_one_token_is_the_one_that_the_formulas_give() {
    let config = DecoderConfig { n_layers: 2, ..DecoderConfig::reference(10, 4) };
    let model = DecoderModel::<f64>::initialize(config.validate().unwrap(), 11);
    let of = |name: &str| {
        let parameter = model.parameters().iter().find(|p| p.name() == name).unwrap();
        parameter.value().data().to_vec()
    };
    let mut stream = of("token_embedding.weight")[3 * 8..4 * 8].to_vec(); // the row of id 3
    let mut expected = vec![mean_square(&stream).sqrt()];
    for block in 0..2 {
        let weight = |part: &str| of(&format!("blocks.{block}.{part}.weight"));
        let value = product(&norm(&stream), &weight("attention.value"));
        let added = product(&value, &weight("attention.output"));
        stream.iter_mut().zip(added).for_each(|(x, y)| *x += y);
        let h = norm(&stream);
        let gates = product(&h, &weight("ffn.gate"));
        let ups = product(&h, &weight("ffn.up"));
        let inner: Vec<f64> =
            gates.iter().zip(ups).map(|(z, up)| z / (1.0 + libm::exp(-z)) * up).collect();
        let added = product(&inner, &weight("ffn.down"));
        stream.iter_mut().zip(added).for_each(|(x, y)| *x += y);
        expected.push(mean_square(&stream).sqrt());
    }

    let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 4 };
    let document = EncodedDocument::from_ids("x", Partition::Train, vec![3, 7]).unwrap();
    let batch = VariableBatch::training(&binding, &number(0, &[document])).unwrap();
    let statistics = model.layer_statistics(&batch, &binding).unwrap();
    assert_eq!(statistics.len(), expected.len());
    for (layer, expected) in statistics.iter().zip(expected) {
        assert!((layer.activation_rms / expected - 1.0).abs() < 1e-12, "{layer:?} {expected}");
    }
}
