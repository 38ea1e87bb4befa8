"""Means over replicates with their bands, for the figures of experiments."""

from __future__ import annotations

import numpy as np

from fltheory.kinds import Floats


def band(curves: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean over replicates and its 95 % band by Student's quantile, ``(replicates, records) -> 3 x (records,)``."""
    from scipy.stats import t

    values = np.asarray(curves, dtype=np.float64)
    mean = values.mean(axis=0)
    if len(values) < 2:
        return mean, mean, mean
    half = t.ppf(0.975, len(values) - 1) * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return mean, mean - half, mean + half
