"""How far apart items are by their plain features: squares of small differences, and lengths of large ones.

One feature that differs much counts for less than in Euclidean distance, where it outweighs all others: with
t the difference in standard deviations over the turn, a feature adds sqrt(1 + t^2) - 1. The sum is the square
of a Euclidean distance in some space, since the root of 1 + t^2 is conditionally negative definite.
"""

from __future__ import annotations

import numpy as np

from tercet._fast import kernels
from tercet._validation import Floats


def apart(A: Floats, B: Floats, turn: float) -> Floats:
    """Return how far every row of A is from every row of B.

    Parameters
    ----------
    A, B : arrays of shape (n, d) and (m, d)
    turn : float
        The difference at which squares turn into lengths.
    """
    compiled = kernels("tercet.latent._apart_kernel")
    if compiled is not None:
        found: Floats = compiled.apart(A / turn, B / turn)
        return found
    total = np.full((len(A), len(B)), -float(A.shape[1]))
    for a, b in zip((A / turn).T, (B / turn).T, strict=True):
        total += _root(np.subtract.outer(a, b))
    return total


def apart_by_row(A: Floats, B: Floats, turn: float) -> Floats:
    """Return how far each row of A is from the same row of B."""
    return np.asarray(_root((A - B) / turn).sum(axis=1) - A.shape[1])


def _root(t: Floats) -> Floats:
    """Return sqrt(1 + t^2), in place."""
    np.square(t, out=t)
    t += 1
    return np.asarray(np.sqrt(t, out=t))
