"""The latent-class objective in one compiled loop. Needs numba, in the extra ``fast``.

The same sums as `tercet.latent._objective`, without arrays in between, which would take most of the time.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tercet._validation import Floats, Ints


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def loss_and_gradient(
    logits: Floats,
    triplets: Ints,
    answers: Ints,
    errors: Floats,
    weight: float,
    sureness: float,
    least_log: float,
    least: float,
) -> tuple[float, Floats]:
    """Return what is minimised but for the ridge, and its gradient by the logits."""
    n_items, n_classes = logits.shape
    P = np.empty((n_items, n_classes))
    log_P = np.empty((n_items, n_classes))
    mean = np.zeros(n_classes)
    for i in range(n_items):
        top = logits[i, 0]
        for c in range(1, n_classes):
            top = max(top, logits[i, c])
        total = 0.0
        for c in range(n_classes):
            P[i, c] = math.exp(logits[i, c] - top)
            total += P[i, c]
        log_total = math.log(total)
        for c in range(n_classes):
            P[i, c] /= total
            log_P[i, c] = max(logits[i, c] - top - log_total, least_log)
            mean[c] += P[i, c] / n_items
    loss = 0.0
    log_mean = np.log(mean + 1e-12)
    for c in range(n_classes):
        loss += mean[c] * log_mean[c]
    G = np.empty((n_items, n_classes))
    for i in range(n_items):
        for c in range(n_classes):
            loss -= sureness * P[i, c] * log_P[i, c] / n_items
            G[i, c] = (log_mean[c] + 1 - sureness * (log_P[i, c] + 1)) / n_items
    for t in range(len(triplets)):
        i, j, k = triplets[t, 0], triplets[t, 1], triplets[t, 2]
        yes = 0.0
        no = 0.0
        for c in range(n_classes):
            yes += P[i, c] * P[j, c] * (1 - P[k, c])
            no += P[i, c] * P[k, c] * (1 - P[j, c])
        if answers[t] == 1:
            given, by_yes, by_no = yes, 1.0, 0.0
        elif answers[t] == -1:
            given, by_yes, by_no = no, 0.0, 1.0
        else:
            given, by_yes, by_no = max(1 - yes - no, 0.0), -1.0, -1.0
        likelihood = max((1 - errors[t]) * given + errors[t] / 3, least)
        loss -= weight * math.log(likelihood)
        slope = -weight * (1 - errors[t]) / likelihood
        by_yes *= slope
        by_no *= slope
        for c in range(n_classes):
            a, b, e = P[i, c], P[j, c], P[k, c]
            G[i, c] += by_yes * b * (1 - e) + by_no * e * (1 - b)
            G[j, c] += by_yes * a * (1 - e) - by_no * a * e
            G[k, c] += by_no * a * (1 - b) - by_yes * a * b
    for i in range(n_items):
        along = 0.0
        for c in range(n_classes):
            along += G[i, c] * P[i, c]
        for c in range(n_classes):
            G[i, c] = P[i, c] * (G[i, c] - along)
    return loss, G
