"""How far apart items are by their plain features: squares of small differences, and lengths of large ones.

One feature that differs much counts for less than in Euclidean distance, where it outweighs all others: with
t the difference in standard deviations, a feature adds sqrt(1 + t^2) - 1. The sum is the
square of a Euclidean distance in some space, since the root of 1 + t^2 is conditionally negative definite.
"""

from __future__ import annotations

import numpy as np

from tercet._fast import kernels
from tercet._validation import Floats

# In standard deviations of a feature: where squares turn into lengths. At half of one, sets outside the
# paper's eight have up to .002 more 1NN accuracy, and those with many classes and a strong Euclid up to .01
# less than Euclid (docs/beyond-the-paper.md).
TURN = 1.0


def apart(A: Floats, B: Floats) -> Floats:
    """Return how far every row of A is from every row of B."""
    compiled = kernels("tercet.latent._apart_kernel")
    if compiled is not None:
        found: Floats = compiled.apart(A / TURN, B / TURN)
        return found
    total = np.full((len(A), len(B)), -float(A.shape[1]))
    for a, b in zip((A / TURN).T, (B / TURN).T, strict=True):
        total += _root(np.subtract.outer(a, b))
    return total


def apart_by_row(A: Floats, B: Floats) -> Floats:
    """Return how far each row of A is from the same row of B."""
    return np.asarray(_root((A - B) / TURN).sum(axis=1) - A.shape[1])


def _root(t: Floats) -> Floats:
    """Return sqrt(1 + t^2), in place."""
    np.square(t, out=t)
    t += 1
    return np.asarray(np.sqrt(t, out=t))
