"""Answers of many questions under several models, in a compiled loop. Needs numba, in the extra ``fast``."""

from __future__ import annotations

import numpy as np
from numba import njit

from tercet._validation import Floats, Ints


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def chances(members: Floats, triplets: Ints, error: float) -> Floats:
    """Return the probability of each answer under each model, as an array of shape (K, m, 3)."""
    n_models, n_classes = len(members), members.shape[2]
    result = np.empty((n_models, len(triplets), 3))
    keep, chance = 1 - error, error / 3
    for model in range(n_models):
        P = members[model]
        for row in range(len(triplets)):
            i, j, k = triplets[row, 0], triplets[row, 1], triplets[row, 2]
            with_j = with_k = all_three = 0.0
            for c in range(n_classes):
                same = P[i, c] * P[j, c]
                with_j += same
                with_k += P[i, c] * P[k, c]
                all_three += same * P[k, c]
            yes, no = with_j - all_three, with_k - all_three
            result[model, row, 0] = keep * yes + chance
            result[model, row, 1] = keep * no + chance
            result[model, row, 2] = keep * max(1 - yes - no, 0.0) + chance
    return result
