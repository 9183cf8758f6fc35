use std::io;

use super::*;

/// A sink that collects the bytes.
fn bytes_of(values: &Values<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut sink = |piece: &[u8]| -> io::Result<()> {
        out.extend_from_slice(piece);
        Ok(())
    };
    values.to_pieces(&mut sink).expect("the sink never fails");
    out
}

#[test]
fn elements_are_little_endian() {
    // 1.5 = 0x3FF8 << 48 in binary64 and 0x3FC0 << 16 in binary32.
    assert_eq!(bytes_of(&vec![1.5_f64].into()), [0, 0, 0, 0, 0, 0, 0xf8, 0x3f]);
    assert_eq!(bytes_of(&vec![1.5_f32].into()), [0, 0, 0xc0, 0x3f]);
    assert_eq!(bytes_of(&Values::BF16(vec![0x3fc0].into())), [0xc0, 0x3f]);
    assert_eq!(bytes_of(&Values::F16(vec![0x3e00].into())), [0x00, 0x3e]);
    assert_eq!(bytes_of(&vec![-2_i8].into()), [0xfe]);
    assert_eq!(bytes_of(&vec![7_u8, 255].into()), [7, 255]);
    assert_eq!(bytes_of(&vec![0x0102_0304_u32].into()), [4, 3, 2, 1]);
    assert_eq!(bytes_of(&vec![0x0102_0304_0506_0708_u64].into()), [8, 7, 6, 5, 4, 3, 2, 1]);
}

/// Lengths around the piece size of 128 KiB = 16384 elements of 8 bytes.
#[test]
fn pieces_join_without_a_seam() {
    for count in [0, 1, 16_383, 16_384, 16_385, 40_000] {
        let elements: Vec<u64> = (0..count as u64).map(|i| i * 0x0123_4567_89ab).collect();
        let values = Values::from(&elements[..]);
        let bytes = bytes_of(&values);
        assert_eq!(bytes.len(), 8 * count);

        let mut seen = Vec::new();
        let mut reader = &bytes[..];
        let show = &mut |piece: &[u8]| seen.extend_from_slice(piece);
        let back = Values::read(Dtype::U64, count, &mut reader, show).expect("enough bytes");
        assert_eq!(back, values);
        assert_eq!(seen, bytes);
        assert!(reader.is_empty());
    }
}

#[test]
fn every_bit_pattern_survives() {
    let bits = [0, 1 << 63, 0x7ff0_0000_0000_0001, 0xfff8_dead_beef_0001, 1, u64::MAX];
    let values = Values::from(bits.map(f64::from_bits).to_vec());
    let bytes = bytes_of(&values);
    let back = Values::read(Dtype::F64, bits.len(), &mut &bytes[..], &mut |_| ()).expect("enough");
    let Values::F64(floats) = back else { panic!("asked for F64") };
    assert_eq!(floats.iter().map(|float| float.to_bits()).collect::<Vec<_>>(), bits);
}

#[test]
fn an_early_end_and_an_absurd_count_are_errors() {
    let short = Values::read(Dtype::F32, 3, &mut &[0_u8; 11][..], &mut |_| ()).unwrap_err();
    assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
    let huge = Values::read(Dtype::F32, usize::MAX / 4, &mut io::empty(), &mut |_| ()).unwrap_err();
    assert_eq!(huge.kind(), io::ErrorKind::OutOfMemory);
}

#[test]
fn names_and_sizes_agree_with_the_format() {
    for dtype in Dtype::ALL {
        assert_eq!(Dtype::from_name(dtype.name()), Some(dtype));
        let bits: usize =
            dtype.name().trim_start_matches(char::is_alphabetic).parse().expect("digits");
        assert_eq!(dtype.element_bytes() * 8, bits);
    }
    for unknown in ["f64", "I64", "BOOL", "F8_E4M3", "", "F64 "] {
        assert_eq!(Dtype::from_name(unknown), None);
    }
}

#[test]
fn a_shape_that_overflows_is_refused() {
    let info = |shape: &[usize]| TensorInfo::new("t".into(), Dtype::F64, shape.to_vec());
    assert_eq!(info(&[2, 3]).expect("small").byte_len(), 48);
    assert_eq!(info(&[]).expect("a scalar").element_count(), 1);
    assert_eq!(info(&[0, usize::MAX, usize::MAX]).expect("empty").byte_len(), 0);
    // 2^61 elements of 8 bytes are 2^64 bytes.
    for shape in [&[usize::MAX, 2][..], &[1 << 61], &[usize::MAX, 2, 0], &[1 << 32, 1 << 32]] {
        assert!(matches!(info(shape), Err(ArchiveError::Table { .. })), "{shape:?}");
    }
}

#[test]
fn a_tensor_needs_a_name_of_its_own_and_the_right_number_of_values() {
    for name in ["", "__metadata__"] {
        assert!(TensorData::new(name, vec![1], vec![0_u8]).info().is_err());
    }
    let error = TensorData::new("w", vec![2, 2], vec![1.0_f64; 3]).info().unwrap_err();
    assert_eq!(error.to_string(), "tensor \"w\": shape [2, 2] needs 4 values, got 3");
}
