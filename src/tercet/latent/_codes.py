"""Values that are no measurements: codes for missing ones such as -9999, and slips.

A number is such a code if it is hundreds of times as far from the median as half of the feature's values are,
with nothing between it and all others, and no third number is as far out: long tails and small classes have
values of all sizes. What it stands for is unknown; left in, it would decide what is near and far for all.
"""

from __future__ import annotations

import numpy as np

from tercet._validation import Floats

_FAR = 300.0  # times the median distance from the median
_GAP = 30.0  # times the distance of whatever is nearer
_NUMBERS = 2  # of this kind in one feature, as -9999 and 9999
_SOME = 2000  # items are enough for medians
_SAME = 1e-12  # of the median: less is rounding
ANYTHING = float(np.finfo(np.float64).max)


def without_codes(X: Floats) -> tuple[Floats, Floats]:
    """Return features with the median in place of codes, and how far from it a value may be."""
    reach = reaches(X)
    coded = np.flatnonzero(reach < ANYTHING)
    if len(coded):
        X = X.copy()
    for column in coded:
        values = X[:, column]
        far = np.abs(values - np.median(values)) > reach[column]
        values[far] = np.median(values[~far])
    return X, reach


def reaches(X: Floats) -> Floats:
    """Return how far from its median a value of each feature may be; ANYTHING where there are no codes."""
    some = X[:: max(1, len(X) // _SOME)]
    middle = np.median(some, axis=0)
    away = np.abs(some - middle)
    typical = np.median(away, axis=0)
    for column in np.flatnonzero(typical <= _SAME * np.abs(middle)):  # most items have the same value
        others = away[away[:, column] > _SAME * abs(middle[column]), column]
        typical[column] = np.median(others) if len(others) else np.inf
    found = np.full(X.shape[1], ANYTHING)
    farthest = np.maximum(X.max(axis=0) - middle, middle - X.min(axis=0))
    for column in np.flatnonzero(farthest > _FAR * typical):
        values = X[:, column]
        distance = np.abs(values - middle[column])
        far = distance > _FAR * typical[column]
        nearest, others = distance[far].min(), distance[~far].max()
        if nearest > _GAP * others and len(np.unique(values[far])) <= _NUMBERS:
            found[column] = np.sqrt(nearest) * np.sqrt(others)
    return found
