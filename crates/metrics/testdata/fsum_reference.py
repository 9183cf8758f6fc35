"""Writes fsum.txt: lists of f64 values and their correctly rounded sums.

Run with python3 (made with 3.11): python3 fsum_reference.py > fsum.txt

Each sum is computed twice: by math.fsum and with exact fractions that are rounded once. The two
must agree. Where the true sum, or a partial sum on fsum's way to it, leaves the range of f64, fsum
raises OverflowError; there the fraction alone decides, and a sum that rounds to 2^1024 or more is
infinite.
"""

import math
import random
import struct
from fractions import Fraction

MAX = float.fromhex("0x1.fffffffffffffp+1023")
TINY = float.fromhex("0x1p-1074")  # smallest subnormal
NORMAL = float.fromhex("0x1p-1022")  # smallest normal
LARGEST_SUBNORMAL = NORMAL - TINY


def bits(x):
    return "%016x" % struct.unpack(">Q", struct.pack(">d", x))[0]


def exact_sum(values):
    total = sum(map(Fraction, values), Fraction(0))
    try:
        by_fraction = total.numerator / total.denominator  # rounded once, half to even
    except OverflowError:
        by_fraction = math.inf if total > 0 else -math.inf
    try:
        assert bits(math.fsum(values)) == bits(by_fraction), values
    except OverflowError:
        pass
    return by_fraction


def emit(name, values):
    print("%s: %s = %s" % (name, " ".join(map(bits, values)), bits(exact_sum(values))))


two = lambda e: float.fromhex("0x1p%d" % e)

HARD = {
    "no terms": [],
    "negative zero": [-0.0],
    "negative zeros": [-0.0, -0.0],
    "one tenth ten times": [0.1] * 10,
    "ones lost beside a huge term": [1e16] + [1.0] * 7,
    "huge terms cancel": [1e100, 1.0, -1e100, 1e-100, 1e50, -1.0, -1e50],
    "largest and smallest": [MAX, TINY, -MAX],
    "smallest survives between largest": [TINY, MAX, -MAX, -TINY, TINY],
    "tie goes to even, down": [two(53), 1.0],
    "tie goes to even, up": [two(53) + 2, 1.0],
    "barely above a tie": [two(53), 1.0, TINY],
    "barely below a tie": [two(53) + 2, 1.0, -TINY],
    "negative tie goes to even": [-two(53), -1.0],
    "negative, barely above a tie": [-two(53), -1.0, -TINY],
    "tie from below a power of two": [two(53), -0.5],
    "barely past that tie": [two(53), -0.5, -two(-54)],
    "round up carries into the exponent": [two(54) - 2, 1.0],
    "subnormals add exactly": [TINY] * 5,
    "subnormals cross into normals": [LARGEST_SUBNORMAL, TINY],
    "normals cancel into subnormals": [NORMAL, -TINY],
    "negative subnormal": [TINY, TINY, -5 * TINY],
    "largest exact 53-bit integer of units": [two(-1022) * 1.5, two(-1022) * 0.5 - TINY],
    "first tie above the exact range": [two(-1021), TINY],
    "that tie, odd neighbour": [two(-1021) + 2 * TINY, TINY],
    "cancels to zero": [1e308, 1e-308, -1e308, -1e-308],
    "overflow on the way only": [MAX, MAX, -MAX, -MAX, 3.5],
    "overflow on the way, negative": [-MAX, -MAX, -MAX, MAX, MAX],
    "half a step above the largest is infinite": [MAX, two(970)],
    "barely less than half a step stays": [MAX, two(970), -TINY],
    "negative half step is infinite": [-MAX, -two(970)],
    "barely less, negative": [-MAX, -two(970), TINY],
    "twice the largest": [MAX, MAX],
    "minus twice the largest": [-MAX, -MAX],
    "carry runs through the whole row": [-TINY, MAX, TINY, TINY],
    "borrow runs through the whole row": [TINY, -TINY, -TINY],
    "alternating cubes": [float((-1) ** n * n**3) + 1 / (n + 1) for n in range(40)],
}


def any_finite(rng):
    """A float with random bits: every exponent is as likely."""
    while True:
        x = struct.unpack(">d", struct.pack(">Q", rng.getrandbits(64)))[0]
        if math.isfinite(x):
            return x


def main():
    for name, values in HARD.items():
        emit(name, values)
    rng = random.Random(2015)
    for i in range(12):
        emit("losses %d" % i, [-math.log(1 - rng.random()) for _ in range(rng.randrange(1, 40))])
    for i in range(12):
        emit("any bits %d" % i, [any_finite(rng) for _ in range(rng.randrange(1, 16))])
    for i in range(12):  # values, their negatives and a few small ones in random order
        values = [rng.gauss(0, 1) * 2.0 ** rng.randrange(-60, 60) for _ in range(12)]
        values += [-v for v in values[:11]] + [rng.random() * two(-80)]
        rng.shuffle(values)
        emit("cancelling %d" % i, values)
    for i in range(8):  # a random number plus or minus exactly half its last place
        x = rng.random() + 1
        emit("tie %d" % i, [x, rng.choice([-1, 1]) * two(-53)])
        emit("subnormal mix %d" % i, [rng.randrange(-(2**54), 2**54) * TINY for _ in range(9)])


main()
