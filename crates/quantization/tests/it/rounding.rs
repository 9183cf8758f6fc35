//! Rounding on random matrices of any size.

use llm_autograd::{Element, Kernels, Product, Tensor};
use llm_quantization::{ChannelAxis, QuantizedMatrix, WeightFormat};
use proptest::prelude::*;

/// Weights of every size that has a code, many of them alike, zero or half way between two codes.
fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![
        -1.0..1.0_f64,
        (-60..60_i32).prop_map(|eighths| f64::from(eighths) / 8.0),
        (-1.0..1.0_f64, -300..126_i32).prop_map(|(x, e)| x * 2.0_f64.powi(e)),
        Just(0.0),
        Just(-0.0),
    ]
}

fn matrix() -> impl Strategy<Value = Tensor<f64>> {
    (1..6_usize, 1..75_usize).prop_flat_map(|(rows, columns)| {
        prop::collection::vec(weight(), rows * columns)
            .prop_map(move |data| Tensor::new(&[rows, columns], data))
    })
}

fn format() -> impl Strategy<Value = WeightFormat> {
    prop::sample::select(WeightFormat::ALL.to_vec())
}

fn axis() -> impl Strategy<Value = ChannelAxis> {
    prop::sample::select(vec![ChannelAxis::Rows, ChannelAxis::Columns])
}

/// Row and column of a channel's input.
fn place(axis: ChannelAxis, channel: usize, input: usize) -> (usize, usize) {
    match axis {
        ChannelAxis::Rows => (channel, input),
        ChannelAxis::Columns => (input, channel),
    }
}

proptest! {
    /// No tolerance: a difference of at most s/2 cannot round to more than s/2, which is an f64.
    #[test]
    fn no_error_is_larger_than_half_a_scale(
        weights in matrix(), format in format(), axis in axis(),
    ) {
        let quantized = QuantizedMatrix::quantize(format, &weights, axis).unwrap();
        let decoded: Tensor<f64> = quantized.decode();
        prop_assert_eq!(decoded.shape(), weights.shape());
        for channel in 0..quantized.channels() {
            for input in 0..quantized.inputs() {
                let (row, column) = place(axis, channel, input);
                let error = decoded.row(row)[column] - weights.row(row)[column];
                prop_assert!(error.abs() <= f64::from(quantized.scale(channel, input)) / 2.0);
                prop_assert!(quantized.code(channel, input).abs() <= format.largest_code());
            }
        }
    }

    /// The scale is the smallest with 16 significant bits under which every weight of the block has a
    /// code: one unit less would be too small. Unless it is 2^-126.
    #[test]
    fn a_scale_fits_its_block_and_no_other(weights in matrix(), format in format()) {
        let quantized = QuantizedMatrix::quantize(format, &weights, ChannelAxis::Rows).unwrap();
        for channel in 0..quantized.channels() {
            let blocks = weights.row(channel).chunks(format.block_inputs(quantized.inputs()));
            for (number, block) in blocks.enumerate() {
                let first = number * format.block_inputs(quantized.inputs());
                let scale = quantized.scale(channel, first);
                let largest = block.iter().fold(0.0, |most: f64, w| w.abs().max(most));
                let most = f64::from(format.largest_code());
                prop_assert!(largest <= most * f64::from(scale));
                // Scales have zeros in the last 8 of 23 fraction bits.
                let smaller = f32::from_bits(scale.to_bits() - (1 << 8));
                let is_least = scale == llm_quantization::SMALLEST_SCALE;
                prop_assert!(is_least || largest > most * f64::from(smaller));
            }
        }
    }

    #[test]
    fn quantizing_what_was_decoded_changes_nothing_in_either_type(
        weights in matrix(), format in format(), axis in axis(),
    ) {
        let once = QuantizedMatrix::quantize(format, &weights, axis).unwrap();
        let (wide, narrow) = (once.decode::<f64>(), once.decode::<f32>());
        let mut pairs = wide.data().iter().zip(narrow.data());
        prop_assert!(pairs.all(|(a, b)| a.bits() == f64::from(*b).bits()));
        prop_assert_eq!(&QuantizedMatrix::quantize(format, &wide, axis).unwrap(), &once);
        prop_assert_eq!(&QuantizedMatrix::quantize(format, &narrow, axis).unwrap(), &once);
    }

    #[test]
    fn bytes_are_codes_and_scales(weights in matrix(), axis in axis()) {
        let size = |format| QuantizedMatrix::quantize(format, &weights, axis).unwrap().byte_len();
        let [rows, columns] = weights.shape() else { panic!("a matrix") };
        let (channels, inputs) = place(axis, *rows, *columns);
        prop_assert_eq!(size(WeightFormat::Int8), (channels * (inputs + 4)) as u64);
        let (bytes, blocks) = (inputs / 2 + inputs % 2, (0..inputs).step_by(32).count());
        let int4 = channels * (bytes + 4 * blocks);
        prop_assert_eq!(size(WeightFormat::Int4), int4 as u64);
    }

    /// `x W` of the decoder for matrices of columns, `x Wᵀ` of its head for those of rows.
    #[test]
    fn the_product_has_the_bits_of_the_product_with_decoded_weights(
        weights in matrix(), format in format(), axis in axis(), rows in 1..4_usize,
    ) {
        let quantized = QuantizedMatrix::quantize(format, &weights, axis).unwrap();
        let inputs = quantized.inputs();
        let x: Vec<f64> = (0..rows * inputs).map(|i| (i as f64 * 0.37).fract() - 0.4).collect();
        let x = Tensor::new(&[rows, inputs], x);
        let mut expected = vec![0.0; rows * quantized.channels()];
        let product = match axis {
            ChannelAxis::Rows => Product::RightTransposed,
            ChannelAxis::Columns => Product::Plain,
        };
        product.write(Kernels::detect(), &x, &quantized.decode(), &mut expected);
        let given = quantized.product(Kernels::detect(), &x);
        prop_assert_eq!(given.bits(), Tensor::new(&[rows, quantized.channels()], expected).bits());
    }
}
