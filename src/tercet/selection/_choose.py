"""The one place where ties are broken and batches are settled."""

from __future__ import annotations

import numpy as np

from tercet._validation import Floats, Ints

# Scores that are equal in theory differ by rounding; a smaller gap than this is a tie.
TIE = 1e-12


def choose(scores: Floats, n: int, rng: np.random.Generator) -> Ints:
    """Return the positions of the ``n`` largest scores, best first, ties in random order.

    >>> choose(np.array([0.1, 0.9, 0.3, 0.5]), 2, np.random.default_rng(0))
    array([1, 3])
    """
    if not np.isfinite(scores).all():
        raise ValueError(
            f"a selection rule gave the score {scores[~np.isfinite(scores)][0]}; scores must be finite"
        )
    if n == 1:  # the usual case, in one pass
        best = scores.max()
        tied = np.flatnonzero(scores >= best - TIE)
        return tied[[rng.integers(len(tied))]]
    threshold = np.partition(scores, -n)[-n]
    candidates = rng.permutation(np.flatnonzero(scores >= threshold - TIE))
    # Scores within a tie are made equal first, so that the stable sort keeps their random order.
    level = np.round(scores[candidates] / TIE)
    return candidates[np.argsort(-level, kind="stable")[:n]]
