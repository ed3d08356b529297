"""Belief propagation over answers, compiled. Needs numba, in the extra ``fast``.

The same sums as `tercet._propagation`, without arrays in between.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tercet._validation import Floats, Ints


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def messages(log_P: Floats, triplets: Ints, heard: Floats, rounds: int, damping: float) -> Floats:
    """Return the sum of the messages to each item, an array of shape (n, C)."""
    n_items, n_classes = log_P.shape
    sent = np.zeros((len(triplets), 3, n_classes))
    total = np.zeros((n_items, n_classes))
    without = np.empty((3, n_classes))
    for _ in range(rounds):
        following = np.zeros((n_items, n_classes))
        for t in range(len(triplets)):
            for place in range(3):
                item = triplets[t, place]
                top = -math.inf
                for c in range(n_classes):
                    without[place, c] = log_P[item, c] + total[item, c] - sent[t, place, c]
                    top = max(top, without[place, c])
                mass = 0.0
                for c in range(n_classes):
                    without[place, c] = math.exp(without[place, c] - top)
                    mass += without[place, c]
                for c in range(n_classes):
                    without[place, c] /= mass
            same_j, same_k = 0.0, 0.0
            for c in range(n_classes):
                same_j += without[0, c] * without[1, c]
                same_k += without[0, c] * without[2, c]
            for place in range(3):
                item = triplets[t, place]
                for c in range(n_classes):
                    a, b, e = without[0, c], without[1, c], without[2, c]
                    if place == 0:
                        if_yes, if_no = b * (1 - e), e * (1 - b)
                    elif place == 1:
                        if_yes, if_no = a * (1 - e), same_k - a * e
                    else:
                        if_yes, if_no = same_j - a * b, a * (1 - b)
                    news = math.log(
                        heard[t, 0] * max(if_yes, 0.0)
                        + heard[t, 1] * max(if_no, 0.0)
                        + heard[t, 2] * max(1 - if_yes - if_no, 0.0)
                    )
                    sent[t, place, c] = damping * sent[t, place, c] + (1 - damping) * news
                    following[item, c] += sent[t, place, c]
        total = following
    return total
