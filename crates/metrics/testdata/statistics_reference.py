"""Reference values for the statistics of llm-metrics, by other methods than the crate uses.

    python3 crates/metrics/testdata/statistics_reference.py > crates/metrics/testdata/statistics.json

Made with Python 3, NumPy 2.4.6 and SciPy 1.17.1. Nothing here is random.

proportion   scipy.stats.binomtest(...).proportion_ci(method="wilson"); the error from rationals
mean         scipy.stats.sem
clustered    the sandwich estimator of a regression on a constant, as matrices
paired       scipy.stats.ttest_rel: mean difference over its t statistic
mcnemar      scipy.stats.binomtest(b, b + c, 0.5) and, beside it, the sum of exact fractions
binomial     exact fractions
normal       scipy.stats.norm
detectable   the effect at which a two-sided z-test reaches the power, found by root search
bootstrap    all m^m resamples, the ratio of each as a fraction
"""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import scipy
from scipy import optimize, stats


def proportion(successes, items, confidence):
    interval = stats.binomtest(successes, items).proportion_ci(confidence, method="wilson")
    share = Fraction(successes, items)
    error = math.sqrt(share * (1 - share) / items)
    return {"successes": successes, "items": items, "confidence": confidence,
            "standard_error": error, "lower": float(interval.low), "upper": float(interval.high)}


def clustered(values, groups):
    y = np.array(values)
    x = np.ones((len(values), 1))
    bread = np.linalg.inv(x.T @ x)
    residual = y - x @ (bread @ x.T @ y)
    names = sorted(set(groups))
    meat = np.zeros((1, 1))
    for name in names:
        rows = [i for i, group in enumerate(groups) if group == name]
        score = x[rows].T @ residual[rows]
        meat += np.outer(score, score)
    g = len(names)
    variance = (bread @ meat @ bread)[0, 0] * g / (g - 1)
    return {"values": values, "groups": groups, "mean": float(np.mean(y)),
            "standard_error": math.sqrt(variance)}


def paired(a, b):
    difference = float(np.mean(np.array(a) - np.array(b)))
    t = stats.ttest_rel(a, b).statistic
    return {"a": a, "b": b, "difference": difference, "standard_error": difference / float(t)}


def mcnemar(first, second):
    trials, fewer = first + second, min(first, second)
    if trials == 0:
        exact = Fraction(1)
    else:
        tail = sum(Fraction(math.comb(trials, k), 2**trials) for k in range(fewer + 1))
        exact = min(Fraction(1), 2 * tail)
        by_scipy = stats.binomtest(first, trials, 0.5).pvalue
        assert abs(by_scipy - float(exact)) < 1e-12 * (1 + by_scipy), (first, second)
    return {"only_first": first, "only_second": second, "p_value": float(exact)}


def binomial(trials, successes, numerator, denominator):
    p = Fraction(numerator, denominator)
    value = math.comb(trials, successes) * p**successes * (1 - p)**(trials - successes)
    return {"trials": trials, "successes": successes, "p": numerator / denominator,
            "probability": float(value)}


def detectable(items, deviation, significance, power):
    error = deviation / math.sqrt(items)
    critical = stats.norm.isf(significance / 2)
    # The far tail is left out, as usual: a significant result in the wrong direction.
    reached = lambda effect: stats.norm.sf(critical - effect / error) - power
    return {"items": items, "deviation": deviation, "significance": significance, "power": power,
            "difference": optimize.brentq(reached, 0, 100 * error, xtol=1e-15, rtol=1e-14)}


def bootstrap(numerators, denominators):
    m = len(numerators)
    ratios = []
    for drawn in itertools.product(range(m), repeat=m):
        ratios.append(Fraction(sum(numerators[i] for i in drawn),
                               sum(denominators[i] for i in drawn)))
    mean = sum(ratios) / len(ratios)
    variance = sum((ratio - mean)**2 for ratio in ratios) / len(ratios)
    return {"numerators": numerators, "denominators": denominators,
            "estimate": sum(numerators) / sum(denominators),
            "standard_error": math.sqrt(variance)}


VALUES = [0.25, 1.5, -3.0, 2.0, 0.125, 7.5, 1.0, -0.75, 4.0, 2.5, 3.25, 0.0]
OTHERS = [0.0, 1.0, -2.5, 2.25, 0.5, 6.0, 1.5, -1.0, 3.0, 2.0, 3.5, -0.25]
GROUPS = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4]

print(json.dumps({
    "made_by": f"statistics_reference.py with NumPy {np.__version__}, SciPy {scipy.__version__}",
    "proportion": [proportion(*case) for case in [
        (500, 1000, 0.95), (1, 10, 0.95), (10, 10, 0.95), (0, 7, 0.99), (37, 120, 0.9),
        (999, 1000, 0.95), (1, 1, 0.5), (123456, 1000000, 0.999)]],
    "mean": [{"values": values, "mean": float(np.mean(values)),
              "standard_error": float(stats.sem(values))} for values in [VALUES, OTHERS, [1.0, 2.0]]],
    "clustered": [clustered(VALUES, GROUPS), clustered(OTHERS, GROUPS),
                  clustered(VALUES, list(range(12))), clustered(VALUES, [i % 2 for i in range(12)])],
    "paired": [paired(VALUES, OTHERS), paired(VALUES[:3], OTHERS[4:7])],
    "mcnemar": [mcnemar(*case) for case in [
        (0, 0), (1, 0), (0, 5), (3, 3), (10, 2), (25, 40), (121, 59), (500, 580), (3000, 2890)]],
    "binomial": [binomial(*case) for case in [
        (20, 2, 1, 10), (20, 10, 1, 2), (1000, 500, 1, 2), (1000, 3, 1, 1000), (50, 49, 9, 10),
        (2000, 100, 1, 20), (300, 0, 1, 3)]],
    "normal": [{"z": z, "probability": float(stats.norm.cdf(z))} for z in
               [-8.0, -3.0, -1.959963984540054, -0.5, 0.1, 1.0, 2.5758293035489004]],
    "detectable": [detectable(*case) for case in [
        (1000, math.sqrt(0.5), 0.05, 0.8), (1000, math.sqrt(0.1), 0.05, 0.8),
        (100, 1.0, 0.01, 0.9), (7, 2.5, 0.1, 0.5)]],
    "bootstrap": [bootstrap(*case) for case in [
        ([24, 600], [2, 200]), ([3, 1, 4, 1], [2, 1, 3, 1]), ([5, 7, 9, 20, 11], [4, 4, 8, 9, 10]),
        ([1, 0, 1, 1, 0], [1, 1, 1, 1, 1])]],
}, indent=1))
