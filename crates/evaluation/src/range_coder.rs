//! An arithmetic coder: symbols to bits and back, given each symbol's share of an interval.
//!
//! The message is a number in [0, 1). Each symbol narrows the interval that the number lies in to
//! the symbol's share of it, so a symbol of probability p costs `-log2 p` bits, fractions included.
//! At the end any number inside will do; naming one takes at most 2 bits more than the interval is
//! wide.
//!
//! The interval's ends are kept as 64-bit integers. Leading bits on which both agree are settled
//! and leave; an interval around the middle, whose ends do not agree yet, is doubled and one bit
//! noted as pending, which will be the opposite of the next. The interval is thus always wider than
//! a quarter of 2^64, and shares of 2^-48 are still represented to one part in 2^14.
//!
//! Source: Witten, Neal and Cleary, *Arithmetic coding for data compression* (1987).

/// Largest sum of frequencies: leaves 2^13 interval places to the rarest symbol.
pub(crate) const MAX_TOTAL: u64 = 1 << 49;

const HALF: u64 = 1 << 63;
const QUARTER: u64 = 1 << 62;

/// The part of an interval of `total` that belongs to one symbol: `low .. high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) low: u64,
    pub(crate) high: u64,
    /// At most [`MAX_TOTAL`].
    pub(crate) total: u64,
}

/// The current interval, both ends included.
#[derive(Clone, Copy, Debug)]
struct Interval {
    low: u64,
    high: u64,
}

impl Interval {
    const ALL: Self = Self { low: 0, high: u64::MAX };

    fn width(self) -> u128 {
        u128::from(self.high - self.low) + 1
    }

    fn narrow(self, share: Share) -> Self {
        let place = |at: u64| (self.width() * u128::from(at) / u128::from(share.total)) as u64;
        // `place(total)` may be 2^64, which wraps to 0; minus 1 it is the last place again.
        let high = self.low.wrapping_add(place(share.high)).wrapping_sub(1);
        Self { low: self.low + place(share.low), high }
    }

    /// How the interval can be doubled, if it can.
    fn settled(self) -> Option<Settled> {
        match self {
            Self { high, .. } if high < HALF => Some(Settled::Bit(false)),
            Self { low, .. } if low >= HALF => Some(Settled::Bit(true)),
            Self { low, high } if low >= QUARTER && high < HALF + QUARTER => Some(Settled::Middle),
            _ => None,
        }
    }

    fn double(self, settled: Settled) -> Self {
        let shift = settled.shift();
        Self { low: (self.low - shift) << 1, high: (self.high - shift) << 1 | 1 }
    }
}

#[derive(Clone, Copy, Debug)]
enum Settled {
    Bit(bool),
    Middle,
}

impl Settled {
    /// What is subtracted before doubling.
    fn shift(self) -> u64 {
        match self {
            Self::Bit(false) => 0,
            Self::Bit(true) => HALF,
            Self::Middle => QUARTER,
        }
    }
}

/// Shares to bits.
pub(crate) struct Encoder {
    interval: Interval,
    pending: u64,
    bits: Bits,
}

impl Encoder {
    pub(crate) fn new() -> Self {
        Self { interval: Interval::ALL, pending: 0, bits: Bits::default() }
    }

    pub(crate) fn encode(&mut self, share: Share) {
        self.interval = self.interval.narrow(share);
        while let Some(settled) = self.interval.settled() {
            match settled {
                Settled::Bit(bit) => self.emit(bit),
                Settled::Middle => self.pending += 1,
            }
            self.interval = self.interval.double(settled);
        }
    }

    fn emit(&mut self, bit: bool) {
        self.bits.push(bit);
        (0..std::mem::take(&mut self.pending)).for_each(|_| self.bits.push(!bit));
    }

    /// The bytes and how many bits of them count. The interval holds the second or the third
    /// quarter, so two bits (and the pending ones) name a number inside whatever follows.
    pub(crate) fn finish(mut self) -> (Vec<u8>, u64) {
        self.pending += 1;
        self.emit(self.interval.low >= QUARTER);
        (self.bits.bytes, self.bits.len)
    }
}

/// Bits to shares.
pub(crate) struct Decoder<'a> {
    interval: Interval,
    /// The first 64 bits of the number, from where the interval is.
    value: u64,
    bytes: &'a [u8],
    next: u64,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { interval: Interval::ALL, value: 0, bytes, next: 0 };
        (0..64).for_each(|_| decoder.value = decoder.value << 1 | decoder.next_bit());
        decoder
    }

    /// Where in an interval of `total` the number lies: below `total`, inside the share to decode.
    pub(crate) fn position(&self, total: u64) -> u64 {
        let inside = u128::from(self.value - self.interval.low) + 1;
        ((inside * u128::from(total) - 1) / self.interval.width()) as u64
    }

    /// Goes on to the next symbol; `share` is the one that holds [`position`](Self::position).
    pub(crate) fn consume(&mut self, share: Share) {
        self.interval = self.interval.narrow(share);
        while let Some(settled) = self.interval.settled() {
            self.value = (self.value - settled.shift()) << 1 | self.next_bit();
            self.interval = self.interval.double(settled);
        }
    }

    /// Zeros follow the last byte: any continuation names a number inside the interval.
    fn next_bit(&mut self) -> u64 {
        let byte = usize::try_from(self.next / 8).ok().and_then(|index| self.bytes.get(index));
        let bit = byte.map_or(0, |byte| byte >> (7 - self.next % 8) & 1);
        self.next += 1;
        u64::from(bit)
    }
}

/// Bits in bytes, the first bit of each byte the highest.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    len: u64,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        let place = 7 - self.len % 8;
        if place == 7 {
            self.bytes.push(0);
        }
        let last = self.bytes.last_mut().expect("a byte was begun above");
        *last |= u8::from(bit) << place;
        self.len += 1;
    }
}

#[cfg(test)]
mod tests;
