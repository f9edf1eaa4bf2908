"""The 95% intervals that metrics carry.

Belongs here: the bootstrap of a mean and the Wilson interval of a rate. Does not: which runs
count (warehouse/metrics.py). Concept: docs/scores.md, "Intervals".

numpy is imported when a bootstrap is asked for: everything else that imports the domain, such as
the command line, would wait a third of a second for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

RESAMPLES = 10_000
SEED = 20_260_101
CONFIDENCE = 0.95
_Z = 1.959963984540054
"""The standard normal's 97.5th percentile."""
_CELLS = 2_000_000
"""How many drawn numbers are held at once, so that memory does not grow with the runs."""


class Interval(NamedTuple):
    low: float
    high: float


def bootstrap_mean(values: Sequence[float]) -> Interval | None:
    """The 95% percentile interval of the mean, by 10,000 seeded resamples.

    None below two values, for which no spread is known; a point where all are equal. The order
    of the values makes no difference.
    """
    if len(values) < 2:
        return None
    if min(values) == max(values):
        return Interval(values[0], values[0])
    import numpy as np

    # A resample is how often each value was drawn: scores take few values, however many runs.
    distinct, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    generator = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    step = max(1, _CELLS // len(distinct))
    for start in range(0, RESAMPLES, step):
        stop = min(start + step, RESAMPLES)
        drawn = generator.multinomial(len(values), counts / len(values), size=stop - start)
        means[start:stop] = drawn @ distinct / len(values)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def wilson(passed: int, decided: int) -> Interval | None:
    """The 95% Wilson score interval of the rate `passed / decided`; None where none is decided."""
    if decided == 0:
        return None
    rate = passed / decided
    spread = 1 + _Z**2 / decided
    centre = (rate + _Z**2 / (2 * decided)) / spread
    half = _Z * sqrt(rate * (1 - rate) / decided + _Z**2 / (4 * decided**2)) / spread
    return Interval(
        0.0 if passed == 0 else centre - half, 1.0 if passed == decided else centre + half
    )
