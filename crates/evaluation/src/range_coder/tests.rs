//! Unit tests of the coder: what comes back, and how long it was.

use super::*;
use proptest::prelude::*;

/// Symbol `symbol` of a table of frequencies.
fn share(frequencies: &[u64], symbol: usize) -> Share {
    let low = frequencies[..symbol].iter().sum();
    Share { low, high: low + frequencies[symbol], total: frequencies.iter().sum() }
}

fn encode(message: &[(Vec<u64>, usize)]) -> (Vec<u8>, u64) {
    let mut encoder = Encoder::new();
    message.iter().for_each(|(frequencies, symbol)| encoder.encode(share(frequencies, *symbol)));
    encoder.finish()
}

fn decode(bytes: &[u8], message: &[(Vec<u64>, usize)]) -> Vec<usize> {
    let mut decoder = Decoder::new(bytes);
    let one = |(frequencies, _): &(Vec<u64>, usize)| {
        let position = decoder.position(frequencies.iter().sum());
        let inside = |&symbol: &usize| position < share(frequencies, symbol).high;
        let symbol = (0..frequencies.len()).find(inside).unwrap();
        decoder.consume(share(frequencies, symbol));
        symbol
    };
    message.iter().map(one).collect()
}

fn surprisal(message: &[(Vec<u64>, usize)]) -> f64 {
    let bits = |(frequencies, symbol): &(Vec<u64>, usize)| {
        let total: u64 = frequencies.iter().sum();
        (total as f64).log2() - (frequencies[*symbol] as f64).log2()
    };
    message.iter().map(bits).sum()
}

#[test]
fn halves_and_quarters_cost_their_bits_and_two_more() {
    // 1/2, 1/4, 1/4, 1/2: 1 + 2 + 2 + 1 bits.
    let message = [0, 1, 2, 0].map(|symbol| (vec![2, 1, 1], symbol));
    let (bytes, bits) = encode(&message);
    assert_eq!((bits, bytes.len()), (8, 1));
    assert_eq!(decode(&bytes, &message), [0, 1, 2, 0]);
}

#[test]
fn an_empty_message_and_certain_symbols_cost_two_bits() {
    assert_eq!(encode(&[]).1, 2);
    let certain = vec![(vec![5], 0); 1000];
    let (bytes, bits) = encode(&certain);
    assert_eq!(bits, 2);
    assert_eq!(decode(&bytes, &certain).len(), 1000);
}

#[test]
fn shares_of_one_part_in_the_largest_total_survive() {
    let rare = vec![(vec![1, MAX_TOTAL - 2, 1], 2); 50];
    let (bytes, bits) = encode(&rare);
    assert!((bits as f64 - 50.0 * 49.0).abs() <= 2.0, "{bits}");
    assert!(decode(&bytes, &rare).iter().all(|&symbol| symbol == 2));
    // 100,000 nearly certain symbols: less than a bit together.
    let sure = vec![(vec![1, MAX_TOTAL - 2, 1], 1); 100_000];
    assert!(encode(&sure).1 <= 3);
}

#[test]
fn a_straddled_middle_leaves_pending_bits_in_order() {
    // The middle third, again and again, keeps the interval around 1/2.
    let message = vec![(vec![1, 1, 1], 1); 60];
    let (bytes, bits) = encode(&message);
    assert!(bits as f64 <= surprisal(&message) + 2.0);
    assert_eq!(decode(&bytes, &message), vec![1; 60]);
}

proptest! {
    #[test]
    fn messages_come_back_and_cost_their_surprisal_and_at_most_two_bits(
        message in prop::collection::vec(
            prop::collection::vec(prop_oneof![1u64..4, 1u64..1 << 40], 1..6)
                .prop_flat_map(|frequencies| {
                    let symbols = 0..frequencies.len();
                    (Just(frequencies), symbols)
                }),
            0..60,
        ),
    ) {
        let (bytes, bits) = encode(&message);
        prop_assert_eq!(bytes.len() as u64, bits.div_ceil(8));
        let expected: Vec<usize> = message.iter().map(|&(_, symbol)| symbol).collect();
        prop_assert_eq!(decode(&bytes, &message), expected);
        let ideal = surprisal(&message);
        prop_assert!(bits as f64 <= ideal + 2.0 + 1e-6 && bits as f64 >= ideal - 1e-6, "{} {}", bits, ideal);
    }
}
