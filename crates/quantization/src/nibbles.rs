//! Two 4-bit codes in a byte.
//!
//! Code 2i of a channel is the low half of byte i, code 2i + 1 the high half, each in two's
//! complement. The high half behind an odd last code is zero.

/// Appends the codes of one channel, each from -8 to 7.
pub(crate) fn pack(codes: &[i8], bytes: &mut Vec<u8>) {
    let half = |code: i8| code as u8 & 0x0f;
    bytes.extend(codes.chunks(2).map(|pair| {
        let high = pair.get(1).map_or(0, |&code| half(code));
        half(pair[0]) | high << 4
    }));
}

/// The code of one input of a channel.
pub(crate) fn unpack(bytes: &[u8], input: usize) -> i8 {
    let byte = bytes[input / 2];
    let high_half = if input.is_multiple_of(2) { byte << 4 } else { byte & 0xf0 };
    high_half as i8 >> 4 // the sign comes along
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_low_half_first_in_twos_complement() {
        let mut bytes = Vec::new();
        // 1 and -1: 0001 and 1111; 7 and -7: 0111 and 1001; 3 alone.
        pack(&[1, -1, 7, -7, 3], &mut bytes);
        assert_eq!(bytes, [0xf1, 0x97, 0x03]);
        assert_eq!([0, 1, 2, 3, 4].map(|input| unpack(&bytes, input)), [1, -1, 7, -7, 3]);
    }

    #[test]
    fn every_pair_of_codes_comes_back() {
        for (low, high) in (-8..8).flat_map(|low| (-8..8).map(move |high| (low, high))) {
            let mut bytes = Vec::new();
            pack(&[low, high], &mut bytes);
            assert_eq!((unpack(&bytes, 0), unpack(&bytes, 1)), (low, high));
        }
    }
}
