"""The information of a pool of questions in compiled loops. Needs numba, in the extra ``fast``.

`make bench` has the ratio to numpy, which they beat because nothing is gathered or stored between the sums.
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


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def about_models(members: Floats, triplets: Ints, error: float, share: float, noise: float) -> Floats:
    """Return what `information_about_models` does; ``noise`` is the entropy of errors alone."""
    n_models, _, n_classes = members.shape
    scores = np.empty(len(triplets))
    for row in range(len(triplets)):
        i, j, k = triplets[row]
        mean_yes = mean_no = within = 0.0
        for model in range(n_models):
            Pi, Pj, Pk = members[model, i], members[model, j], members[model, k]
            with_j = with_k = all_three = 0.0
            for c in range(n_classes):
                PiPj = Pi[c] * Pj[c]
                with_j += PiPj
                with_k += Pi[c] * Pk[c]
                all_three += PiPj * Pk[c]
            yes, no = max(with_j - all_three, 0.0), max(with_k - all_three, 0.0)
            mean_yes += yes / n_models
            mean_no += no / n_models
            if share > 0.0:
                within += (_heard(yes, no, error) - noise) / n_models
        scores[row] = max(_heard(mean_yes, mean_no, error) - noise - share * within, 0.0)
    return scores


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _heard(yes: float, no: float, error: float) -> float:
    """Return the entropy of an answer as it is heard."""
    total = 0.0
    for chance in (yes, no, max(1.0 - yes - no, 0.0)):
        p = (1.0 - error) * chance + error / 3.0
        if p > 0.0:
            total -= p * math.log(p)
    return total
