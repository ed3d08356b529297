"""Who errs how often, compiled. Needs numba, in the extra ``fast``.

The same steps as `tercet.latent._fit` takes in numpy, where each of a few hundred small sums is a call.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tercet._validation import Floats, Ints


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def error_rates(
    gain: Floats,
    frequent: Floats,
    who: Ints,
    n_people: int,
    prior_rate: float,
    prior_answers: float,
    least_curvature: float,
    n_rounds: int,
) -> Floats:
    """Return the error rate of each annotator."""
    errors, others = prior_rate * prior_answers, (1 - prior_rate) * prior_answers
    rates, right = np.full(n_people, prior_rate), 0.5
    slopes, curvatures = np.empty(n_people), np.empty(n_people)
    for _ in range(n_rounds):
        total, squares = 0.0, 0.0
        for t in range(len(gain)):
            e = rates[who[t]]
            slope = (1 - e) * gain[t] / ((1 - e) * (frequent[t] + right * gain[t]) + e / 3)
            total += slope
            squares += slope * slope
        right = _stepped(right, total, squares, least_curvature)
        for name in range(n_people):
            e = rates[name]
            slopes[name] = errors / e - others / (1 - e)
            curvatures[name] = errors / (e * e) + others / ((1 - e) * (1 - e))
        for t in range(len(gain)):
            e, chance = rates[who[t]], frequent[t] + right * gain[t]
            slope = (1 / 3 - chance) / ((1 - e) * chance + e / 3)
            slopes[who[t]] += slope
            curvatures[who[t]] += slope * slope
        for name in range(n_people):
            rates[name] = _stepped(rates[name], slopes[name], curvatures[name], least_curvature)
    return rates


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _stepped(share: float, slope: float, curvature: float, least_curvature: float) -> float:
    """Return a share after a step of Newton, at most three quarters of the way to 0 or 1."""
    stepped = share + slope / max(curvature, least_curvature)
    return min(max(stepped, share / 4), 1 - (1 - share) / 4)
