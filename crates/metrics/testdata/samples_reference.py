"""Reference values for the measures of generated text, by other methods than the crate uses.

    python3 crates/metrics/testdata/samples_reference.py > crates/metrics/testdata/samples.json

Made with Python 3, NumPy 2.4.6 and SciPy 1.17.1. Random numbers: SplitMix64, written out below from its
definition; only what starts k-means and makes the texts depends on it.

distinct, loop   counted from the definitions, with slices and dictionaries
frontier         the formulas of Pillutla and others (2021) as in their program: sort the curve by x
                 and by y, integrate both ways, average
mauve            texts to hashed byte n-grams (FNV-1a), scaled to length 1; clustered with k-means++
                 and Lloyd's rounds as whole matrices; then frontier
judge            the regression through a QR decomposition, its sandwich covariance as matrices
kappa            from the table of both raters' labels, as exact fractions
"""

import json
from fractions import Fraction

import numpy as np
import scipy

MASK = (1 << 64) - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed & MASK

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def unit(self):
        return (self.bits() >> 11) * 2.0**-53

    def below(self, bound):  # Lemire 2019
        while True:
            product = self.bits() * bound
            if product & MASK >= 2**64 % bound:
                return product >> 64


def distinct(tokens, n):
    grams = [tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1)]
    return {"tokens": tokens, "n": n, "distinct": len(dict.fromkeys(grams)), "total": len(grams)}


def longest_loop(tokens):
    """Every stretch and every period, from the definition."""
    best = None
    for start in range(len(tokens)):
        for end in range(start + 2, len(tokens) + 1):
            part = tokens[start:end]
            for period in range(1, len(part) // 2 + 1):
                if part[period:] == part[:-period]:
                    key = (-len(part), period, start)
                    best = min(best, key) if best else key
                    break
    found = best and {"len": -best[0], "period": best[1], "start": best[2]}
    return {"tokens": tokens, "found": found}


def kl(p, q):
    return float(np.sum(scipy.special.rel_entr(p, q)))


def frontier(p, q, c=5.0):
    p, q = np.array(p, dtype=float), np.array(q, dtype=float)
    curve = [(0.0, np.inf)]
    for w in np.linspace(1e-6, 1 - 1e-6, 25):
        r = w * p + (1 - w) * q
        curve.append((kl(q, r), kl(p, r)))
    curve.append((np.inf, 0.0))
    x, y = np.exp(-c * np.array(curve)).T
    by_x, by_y = np.lexsort((-y, x)), np.lexsort((-x, y))
    return 0.5 * (np.trapezoid(y[by_x], x[by_x]) + np.trapezoid(x[by_y], y[by_y]))


def features(text, n, dimensions):
    counts = np.zeros(dimensions)
    for i in range(len(text) - n + 1):
        h = 0xCBF29CE484222325
        for byte in text[i:i + n]:
            h = ((h ^ byte) * 0x100000001B3) & MASK
        counts[h % dimensions] += 1
    norm = np.linalg.norm(counts)
    return counts / norm if norm else counts


def k_means(points, k, seed):
    order = np.lexsort(points.T[::-1])  # by the first column, then the second, ...
    x = points[order]
    stream = SplitMix64(seed)
    centres = [x[stream.below(len(x))]]
    while len(centres) < k:
        d = np.min([np.sum((x - c) ** 2, axis=1) for c in centres], axis=0)
        if d.sum() == 0:
            break
        centres.append(x[np.searchsorted(np.cumsum(d / d.sum()), stream.unit(), side="right")])
    centres = np.array(centres)
    labels, margin = None, np.inf
    while True:
        d = ((x[:, None, :] - centres[None]) ** 2).sum(-1)
        margin = min(margin, float(np.diff(np.sort(d, axis=1)[:, :2], axis=1).min()))
        new = d.argmin(1)
        if labels is not None and (new == labels).all():
            break
        labels = new
        for c in range(len(centres)):
            if (labels == c).any():
                centres[c] = x[labels == c].mean(0)
    out = np.empty(len(points), dtype=int)
    out[order] = labels
    return out, len(centres), float(d.min(1).sum()), margin


def mauve(texts_p, texts_q, n, dimensions, clusters, seed_count=8):
    """Seeds with which some vector is equally near to two centres are passed over: there the last
    bit of a sum decides, and it depends on the order of adding."""
    p = np.array([features(t.encode(), n, dimensions) for t in texts_p])
    q = np.array([features(t.encode(), n, dimensions) for t in texts_q])
    seeds, values, errors, seed = [], [], [], 0
    while len(seeds) < seed_count:
        seed += 1
        labels, count, error, margin = k_means(np.vstack([p, q]), clusters, seed)
        if margin < 1e-9:
            continue
        seeds.append(seed)
        hp = np.bincount(labels[:len(p)], minlength=count) / len(p)
        hq = np.bincount(labels[len(p):], minlength=count) / len(q)
        values.append(float(frontier(hp, hq)))
        errors.append(error)
    return {"p": texts_p, "q": texts_q, "n": n, "dimensions": dimensions, "clusters": clusters,
            "seeds": seeds, "values": values, "squared_errors": errors}


def sentences(stream, nouns, verbs, count):
    def one():
        pick = lambda words: words[stream.below(len(words))]
        return f"the {pick(nouns)} {pick(verbs)} the {pick(nouns)}."
    return [" ".join(one() for _ in range(2)) for _ in range(count)]


def judge(seed, pairs):
    """Verdicts are a rule of the pair's number with noise, not a simulated judge."""
    stream = SplitMix64(seed)
    rows, y, groups = [], [], []
    for pair in range(pairs):
        codes = [stream.below(3) - 1, stream.below(2) * 2 - 1, stream.below(3) - 1]
        for sign in (1, -1):
            rows.append([1] + [sign * code for code in codes])
            chance = 0.5 + 0.5 * (0.2 + sum(w * c for w, c in zip((0.15, 0.1, 0.4), rows[-1][1:])))
            y.append(1 if stream.unit() < chance else -1)
            groups.append(pair)
    X, Y = np.array(rows, dtype=float), np.array(y, dtype=float)
    q, r = np.linalg.qr(X)
    beta = scipy.linalg.solve_triangular(r, q.T @ Y)
    residual = Y - X @ beta
    bread = np.linalg.inv(r) @ np.linalg.inv(r).T
    meat = np.zeros((4, 4))
    for pair in range(pairs):
        inside = np.array(groups) == pair
        s = X[inside].T @ residual[inside]
        meat += np.outer(s, s)
    covariance = bread @ meat @ bread * pairs / (pairs - 1)
    return {"codes": rows, "verdicts": y, "pairs": groups, "values": beta.tolist(),
            "standard_errors": np.sqrt(np.diag(covariance)).tolist()}


def kappa(one, other):
    n = len(one)
    labels = sorted(set(one) | set(other))
    table = {(a, b): Fraction(sum(x == a and y == b for x, y in zip(one, other)), n)
             for a in labels for b in labels}
    observed = sum(table[a, a] for a in labels)
    chance = sum(sum(table[a, b] for b in labels) * sum(table[b, a] for b in labels) for a in labels)
    return {"one": one, "other": other, "observed": float(observed), "by_chance": float(chance),
            "kappa": float((observed - chance) / (1 - chance))}


def main():
    s = SplitMix64(2026)
    tokens = lambda count, kinds: [s.below(kinds) for _ in range(count)]
    animals, tools = ["cat", "dog", "hen", "pig"], ["axe", "saw", "file", "drill"]
    eats, cuts = ["eats", "sees", "likes"], ["cuts", "files", "bends"]
    p = sentences(s, animals, eats, 40)
    near = sentences(s, animals, eats, 40)
    mixed = sentences(s, animals + tools, eats + cuts, 40)
    far = sentences(s, tools, cuts, 30)
    histograms = [([0.5, 0.5], [0.5, 0.5]), ([1, 0], [0, 1]), ([0.75, 0.25], [0.25, 0.75]),
                  ([0.5, 0.5, 0], [0, 0.5, 0.5]), ([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]),
                  ([0.9, 0.05, 0.05], [0.3, 0.3, 0.4]), ([1, 0, 0], [0.98, 0.01, 0.01])]
    json.dump({
        "made_by": f"samples_reference.py with NumPy {np.__version__}, SciPy {scipy.__version__}",
        "distinct": [distinct(tokens(n, k), g) for n, k, g in
                     [(1, 5, 1), (20, 3, 1), (20, 3, 2), (60, 4, 3), (200, 9, 4), (30, 30, 2)]],
        "loop": [longest_loop(t) for t in
                 [[0], [1, 2, 1, 2, 1], [3, 1, 2, 1, 2, 2], [1, 2, 3]] +
                 [tokens(n, k) for n, k in [(12, 2), (25, 2), (25, 3), (40, 2), (40, 5), (30, 4)]]],
        "frontier": [{"p": a, "q": b, "scaling": c, "area": float(frontier(a, b, c))}
                     for a, b in histograms for c in (5.0, 1.0)],
        "mauve": [mauve(p, near, 3, 64, 8), mauve(p, mixed, 3, 64, 8),
                  mauve(p, far, 3, 64, 4), mauve(p, mixed, 2, 16, 5)],
        "judge": [judge(5, 40), judge(6, 7)],
        "kappa": [kappa(tokens(50, 3), tokens(50, 3)), kappa([0, 1, 1, 2] * 5, [0, 1, 2, 2] * 5)],
    }, fp=__import__("sys").stdout, indent=None, separators=(",", ":"))


main()
