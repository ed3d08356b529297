"""How far apart items are by their features, compiled. Needs numba, in the extra ``fast``.

The same sums as `tercet.latent._apart`, without a table of all pairs for each feature.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tercet._validation import Floats


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def apart(A: Floats, B: Floats) -> Floats:
    """Return the sum over features of sqrt(1 + t^2) - 1, for every row of A and every row of B."""
    n_features = A.shape[1]
    found = np.empty((len(A), len(B)))
    for i in range(len(A)):
        for j in range(len(B)):
            total = 0.0
            for f in range(n_features):
                total += math.sqrt(1 + (A[i, f] - B[j, f]) ** 2)
            found[i, j] = total - n_features
    return found
