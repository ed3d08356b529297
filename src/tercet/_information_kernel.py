"""The information of a pool of questions in one compiled loop. Needs numba, in the extra ``fast``.

`make bench` has the ratio to numpy, which it beats because nothing is gathered or stored between the sums.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tercet._validation import Floats, Ints


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def information(P: Floats, M: Floats, triplets: Ints) -> Floats:
    """Return the score of each question from the two tables that `information_gain` describes."""
    scores = np.empty(len(triplets))
    for row in range(len(triplets)):
        i, j, k = triplets[row]
        Pi, Pj, Pk, Mi, Mj, Mk = P[i], P[j], P[k], M[i], M[j], M[k]
        with_j = with_k = all_three = pairs = shared = 0.0
        for c in range(P.shape[1]):
            PiPj, PiPk = Pi[c] * Pj[c], Pi[c] * Pk[c]
            with_j += PiPj
            with_k += PiPk
            all_three += PiPj * Pk[c]
            pairs += Mi[c] * (Pj[c] + Pk[c]) + Pi[c] * (Mj[c] + Mk[c])
            shared += Mi[c] * Pj[c] * Pk[c] + Mj[c] * PiPk + Mk[c] * PiPj
        score = pairs - 2.0 * shared
        for p in (with_j - all_three, with_k - all_three):
            if p > 0.0:  # rounding may leave a probability a hair below 0
                score -= p * math.log(p)
        scores[row] = score
    return scores
