use super::*;

fn tensor(shape: [usize; 2], data: &[f64]) -> Tensor<f64> {
    Tensor::new(&shape, data.to_vec())
}

#[test]
fn columns_and_rows_give_the_same_codes_for_the_same_channels() {
    // Two channels of three inputs. Channel 0: scale 127 / 127 = 1. Channel 1: scale 254 / 127 = 2,
    // so 3 and 5 lie half way: 1.5 goes to 2 and 2.5 to 2.
    let rows = tensor([2, 3], &[127.0, -3.4, 0.5, 3.0, 5.0, -254.0]);
    let columns = tensor([3, 2], &[127.0, 3.0, -3.4, 5.0, 0.5, -254.0]);
    let from_rows =
        QuantizedMatrix::quantize(WeightFormat::Int8, &rows, ChannelAxis::Rows).unwrap();
    let from_columns =
        QuantizedMatrix::quantize(WeightFormat::Int8, &columns, ChannelAxis::Columns).unwrap();
    for matrix in [&from_rows, &from_columns] {
        assert_eq!((matrix.channels(), matrix.inputs()), (2, 3));
        assert_eq!(matrix.scales(), [1.0, 2.0]);
        let codes = Codes::Int8(vec![127, -3, 0, 2, 2, -127]);
        assert_eq!(matrix.codes, codes);
        assert_eq!(matrix.byte_len(), 6 + 8);
    }
    assert_eq!(from_rows.decode(), tensor([2, 3], &[127.0, -3.0, 0.0, 4.0, 4.0, -254.0]));
    assert_eq!(from_columns.decode(), tensor([3, 2], &[127.0, 4.0, -3.0, 4.0, 0.0, -254.0]));
}

#[test]
fn each_block_of_32_inputs_has_its_own_int4_scale_and_the_last_may_be_short() {
    // 35 inputs: 32 sevens, then 70, -35 and 1: scale 10, codes 7, -3.5 -> -4, 0.1 -> 0.
    let mut weights = vec![7.0; 32];
    weights.extend([70.0, -35.0, 1.0]);
    let matrix = QuantizedMatrix::quantize(
        WeightFormat::Int4,
        &tensor([1, 35], &weights),
        ChannelAxis::Rows,
    )
    .unwrap();
    assert_eq!(matrix.scales(), [1.0, 10.0]);
    assert_eq!([0, 31, 32, 33, 34].map(|input| matrix.code(0, input)), [7, 7, 7, -4, 0]);
    assert_eq!((matrix.scale(0, 31), matrix.scale(0, 32)), (1.0, 10.0));
    // 18 bytes of codes, the last one half used, and two scales.
    assert_eq!(matrix.byte_len(), 18 + 8);
    let decoded: Tensor<f64> = matrix.decode();
    assert_eq!(decoded.data()[30..], [7.0, 7.0, 70.0, -40.0, 0.0]);
}

#[test]
fn a_channel_of_zeros_has_codes_of_zero_and_no_negative_zero_comes_back() {
    for format in WeightFormat::ALL {
        let zeros = tensor([1, 3], &[0.0, -0.0, 0.0]);
        let matrix = QuantizedMatrix::quantize(format, &zeros, ChannelAxis::Rows).unwrap();
        assert_eq!([0, 1, 2].map(|input| matrix.code(0, input)), [0; 3]);
        assert_eq!(matrix.decode::<f64>().bits(), [0; 3]);
    }
}

#[test]
fn a_weight_without_a_code_is_named() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.8e38, -1e300] {
        let weights = tensor([2, 2], &[1.0, 2.0, bad, 3.0]);
        let error =
            |axis| QuantizedMatrix::quantize(WeightFormat::Int4, &weights, axis).unwrap_err();
        let (by_rows, by_columns) = (error(ChannelAxis::Rows), error(ChannelAxis::Columns));
        assert_eq!((by_rows.channel, by_rows.input), (1, 0));
        assert_eq!((by_columns.channel, by_columns.input), (0, 1));
        assert!(by_rows.to_string().starts_with("channel 1, input 0: weight "), "{by_rows}");
    }
    let largest = tensor([1, 1], &[-LARGEST_WEIGHT]);
    QuantizedMatrix::quantize(WeightFormat::Int8, &largest, ChannelAxis::Rows).unwrap();
}

#[test]
fn a_product_is_that_of_the_decoded_matrix_over_several_pieces() {
    // 130 channels are decoded in three pieces. Channel c has the weights c and -c (scale c / 127,
    // codes 127 and -127), so that (2, 1) gives about c.
    let weights: Vec<f64> = (0..130).flat_map(|c| [f64::from(c), -f64::from(c)]).collect();
    let matrix = QuantizedMatrix::quantize(
        WeightFormat::Int8,
        &tensor([130, 2], &weights),
        ChannelAxis::Rows,
    )
    .unwrap();
    let x = tensor([2, 2], &[2.0, 1.0, 1.0, 1.0]);
    let y = matrix.product(Kernels::detect(), &x);
    assert_eq!(y.shape(), [2, 130]);
    for channel in 0..130 {
        let exact = 127.0 * f64::from(matrix.scale(channel, 0));
        assert_eq!(y.row(0)[channel].to_bits(), if channel == 0 { 0 } else { exact.to_bits() });
        assert!((exact - channel as f64).abs() <= channel as f64 * 2.0_f64.powi(-15) + 1e-30);
        assert_eq!(y.row(1)[channel], 0.0);
    }
}

#[test]
fn a_stored_matrix_that_quantizing_cannot_have_made_is_refused() {
    let stored = |scales: &[f32], codes| {
        QuantizedMatrix::from_stored(ChannelAxis::Rows, [1, 3], scales.to_vec(), codes)
    };
    let int4 = |bytes: [u8; 2]| Codes::Int4(bytes.to_vec());
    assert!(stored(&[1.0], int4([0x12, 0x07])).is_ok());
    let cases = [
        (stored(&[1.0], int4([0x12, 0x17])), "unused half"),
        (stored(&[1.0], int4([0x12, 0x08])), "input 2: code -8, expected -7 to 7"),
        (stored(&[1.0], Codes::Int8(vec![1, -128, 3])), "input 1: code -128"),
        (stored(&[0.0], int4([0, 0])), "scale 0 is 0"),
        (stored(&[f32::NAN], int4([0, 0])), "scale 0 is NaN"),
        (stored(&[1.0, 1.0], int4([0, 0])), "[2, 2]"),
        (stored(&[1.0], Codes::Int8(vec![1, 2])), "[1, 2] scales and bytes, expected [1, 3]"),
    ];
    for (result, part) in cases {
        let problem = result.unwrap_err();
        assert!(problem.contains(part), "{part}: {problem}");
    }
}
