"""Correctly rounded values of exp for the tests of the workspace's own exponential.

Writes two text files, one line per input:

    <bits of x> <bits of y> <rest>

y is exp(x) rounded to nearest, ties to even, with gradual underflow (what IEEE 754 calls a correctly rounded
result). The bits are hexadecimal: 16 digits for f64, 8 for f32. `rest` is what rounding took away,
(exp(x) - y) / ulp(y), nine decimals, between -0.5 and 0.5. Here ulp(y) is the distance from y to the next larger
number, so the error of an approximation z is

    | (z - y) / ulp(y) - rest |   ulp

and z - y is exact in f64 for any z close to y. In lines where y is zero, ulp(y) is the smallest subnormal number.
Where y is infinite or x is an infinity there is nothing to measure: rest is 0 and z must equal y.
Lines that start with `#` are comments. NaN is left to the tests.

Run from the root of the workspace (a few seconds; the output does not depend on the machine):

    python3 -m pip install mpmath==1.3.0
    python3 tools/reference/exp_reference.py crates/autograd/testdata

The files in the repository were written with Python 3.11.7 and mpmath 1.3.0. Inputs come from SplitMix64 with a fixed
seed, not from Python's generator, so that other versions choose the same ones.
"""

import struct
import sys
from pathlib import Path

import mpmath

MASK64 = (1 << 64) - 1


class SplitMix64:
    """Generator of Steele, Lea and Flood (2014)."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        return z ^ (z >> 31)

    def between(self, low, high):
        return low + (high - low) * ((self.next() >> 11) / (1 << 53))

    def sign(self):
        return 1.0 if self.next() & 1 else -1.0


class Format:
    """A binary floating-point format: `fraction` stored bits, smallest normal number 2**min_exponent."""

    def __init__(self, name, width, fraction, min_exponent, float_code, int_code):
        self.name, self.width, self.fraction = name, width, fraction
        self.min_exponent = min_exponent
        self.max_exponent = 1 - min_exponent
        self.tiny_exponent = min_exponent - fraction  # of the smallest subnormal number
        self.float_code, self.int_code = float_code, int_code
        self.infinity = ((1 << (width - 1 - fraction)) - 1) << fraction
        self.sign_bit = 1 << (width - 1)

    def bits(self, value):
        """Bits of a Python float, rounded to this format."""
        return struct.unpack(self.int_code, struct.pack(self.float_code, value))[0]

    def value(self, bits):
        """The Python float with these bits (exact: a Python float is an f64)."""
        return struct.unpack(self.float_code, struct.pack(self.int_code, bits))[0]

    def steps(self, bits, count):
        """The number `count` representable numbers further away from zero (nearer to it if count < 0)."""
        return (bits & self.sign_bit) | max((bits & ~self.sign_bit) + count, 0)


F64 = Format("f64", 64, 52, -1022, "<d", "<Q")
F32 = Format("f32", 32, 23, -126, "<f", "<I")


def round_half_even(numerator, shift):
    """numerator / 2**shift rounded to an integer."""
    if shift <= 0:
        return numerator << -shift
    if shift > numerator.bit_length() + 1:  # below a quarter; exp of a huge negative x has a shift beyond any memory
        return 0
    quotient, remainder = numerator >> shift, numerator & ((1 << shift) - 1)
    half = 1 << (shift - 1)
    return quotient + (remainder > half or (remainder == half and quotient & 1))


def round_to(fmt, mantissa, exponent):
    """Bits of mantissa * 2**exponent (positive), rounded to nearest even."""
    top = exponent + mantissa.bit_length() - 1  # 2**top <= value < 2**(top + 1)
    unit = max(top, fmt.min_exponent) - fmt.fraction  # value is rounded to a multiple of 2**unit
    multiple = round_half_even(mantissa, unit - exponent)
    # A multiple of 2**(fraction + 1) carries into the exponent field by itself; so does the first normal number.
    return min(((unit - fmt.tiny_exponent) << fmt.fraction) + multiple, fmt.infinity)


def correctly_rounded_exp(fmt, x):
    """(bits of exp(x), rest in ulp). Precision grows until both ends of the error interval round alike (Ziv)."""
    precision = 256
    while True:
        with mpmath.workprec(precision):
            exact = mpmath.exp(mpmath.mpf(x))
            _, mantissa, exponent, _ = exact._mpf_
        mantissa, exponent = int(mantissa) << 64, exponent - 64
        slack = max(mantissa >> (precision - 8), 1)  # far more than mpmath's error of at most one unit
        low, high = (round_to(fmt, mantissa + d, exponent) for d in (-slack, slack))
        if low == high:
            break
        # exp(0) = 1 is the only exact case, and it is far from a tie, so this loop ends.
        precision *= 2
    if low == fmt.infinity:
        return low, 0.0
    y = fmt.value(low)
    unit = max((low >> fmt.fraction) - 1, 0) + fmt.tiny_exponent  # ulp(y) = 2**unit
    with mpmath.workprec(precision):
        rest = mpmath.ldexp(exact - mpmath.mpf(y), -unit)
    assert abs(rest) <= 0.5, (fmt.name, x, rest)
    return low, round(float(rest), 9) + 0.0  # + 0.0 turns -0.0 into 0.0


def thresholds(fmt):
    """Inputs where the result changes kind: overflow, first subnormal result, last nonzero result, exact one."""
    edges = [
        mpmath.log(2) * (fmt.max_exponent + 1),
        mpmath.log(2) * fmt.min_exponent,
        mpmath.log(2) * fmt.tiny_exponent,
        mpmath.log(2) * (fmt.tiny_exponent - 1),
    ]
    found = []
    for edge in edges:
        middle = fmt.bits(float(edge))
        found += [fmt.steps(middle, d) for d in range(-12, 13)]
    largest = fmt.infinity - 1
    found += [0, 1, 2, fmt.infinity, largest, 1 << fmt.fraction, (1 << fmt.fraction) - 1]
    found += [fmt.bits(float(v)) for v in (1, 2, 10, 80, 89, 100, 104, 700, 710, 746, 1000, 1e30)]
    return found + [bits ^ fmt.sign_bit for bits in found]


def near_zero(fmt, rng):
    """Powers of two and random numbers of falling size: exp(x) close to one."""
    found = []
    for k in range(0, fmt.fraction + 10):
        found += [fmt.bits(s * 2.0**-k) for s in (1.0, -1.0)]
        found += [fmt.bits(rng.sign() * 2.0**-k * rng.between(1.0, 2.0)) for _ in range(3)]
    half_ulp = 2.0 ** -(fmt.fraction + 1)
    for edge in (half_ulp, -half_ulp, -half_ulp / 2, 3 * half_ulp):
        found += [fmt.steps(fmt.bits(edge), d) for d in range(-2, 3)]
    return found


def reduction_edges(fmt, rng, whole, finer):
    """Numbers next to multiples of ln2/2, where range reduction changes its quotient or cancels most, and next to
    multiples of ln2/256, where a table-driven one may change its entry."""
    ln2 = mpmath.log(2)
    first, last = 2 * (fmt.tiny_exponent - 1), 2 * (fmt.max_exponent + 1)
    found = []
    for i in range(whole):
        k = first + (last - first) * i // (whole - 1)
        middle = fmt.bits(float(ln2 * k / 2))
        found += [middle, fmt.steps(middle, 1 if rng.next() & 1 else -1)]
    for _ in range(finer):
        k = int(rng.between(128 * first, 128 * last))
        found.append(fmt.steps(fmt.bits(float(ln2 * k / 256)), int(rng.next() % 3) - 1))
    return found


def uniform(fmt, rng, count):
    """Random inputs: the whole finite range, subnormal results, and the intervals that softmax and silu use most."""
    ln2 = float(mpmath.log(2))
    bottom, top = (fmt.tiny_exponent - 1) * ln2, (fmt.max_exponent + 1) * ln2
    first_normal = fmt.min_exponent * ln2
    intervals = [(bottom, top, 4), (bottom, first_normal, 3), (-30.0, 0.0, 3), (-1.0, 1.0, 3), (-0.35, 0.35, 2)]
    return [fmt.bits(rng.between(low, high)) for low, high, share in intervals for _ in range(share * count)]


def inputs(fmt, seed, whole, finer, count):
    """All inputs of one file, each once, ordered by value."""
    rng = SplitMix64(seed)
    with mpmath.workprec(300):
        chosen = thresholds(fmt) + near_zero(fmt, rng)
        chosen += reduction_edges(fmt, rng, whole, finer) + uniform(fmt, rng, count)
    return sorted(set(chosen), key=lambda b: (fmt.value(b), b == 0))


def write(fmt, chosen, folder):
    digits = fmt.width // 4
    lines = [
        f"# exp in {fmt.name}: bits of x, bits of exp(x) correctly rounded, (exp(x) - rounded) / ulp(rounded).",
        "# Written by tools/reference/exp_reference.py, which defines the columns exactly. Do not edit.",
    ]
    for bits in chosen:
        x = fmt.value(bits)
        if x == float("-inf"):
            y, rest = 0, 0.0
        elif x == float("inf"):
            y, rest = fmt.infinity, 0.0
        else:
            y, rest = correctly_rounded_exp(fmt, x)
        lines.append(f"{bits:0{digits}x} {y:0{digits}x} {rest:+.9f}")
    path = folder / f"exp_{fmt.name}.txt"
    path.write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")
    print(f"{path}: {len(chosen)} inputs, {path.stat().st_size} bytes")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: exp_reference.py FOLDER")
    folder = Path(sys.argv[1])
    write(F64, inputs(F64, 64, whole=1060, finer=400, count=110), folder)
    write(F32, inputs(F32, 32, whole=559, finer=700, count=200), folder)


if __name__ == "__main__":
    main()
