"""The one place where ties are broken and batches are settled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

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


def choose_together(
    triplets: Ints, scores: Floats, n: int, rng: np.random.Generator, waiting: ArrayLike = ()
) -> Ints:
    """Return the positions of ``n`` questions of large scores that share no items, as far as that goes.

    Beliefs about different items are independent, so that questions without common items tell together what
    each tells alone; of two that share items the second tells less. Where there are too few items for so many
    questions, they are used a second time only after all others. The answers to questions that are
    ``waiting`` come too late for this choice, so that they count as chosen already.

    >>> triplets = np.array([[0, 1, 2], [0, 1, 3], [3, 4, 5]])
    >>> choose_together(triplets, np.array([0.9, 0.8, 0.1]), 2, np.random.default_rng(0))
    array([0, 2])
    """
    taken = set(np.ravel(waiting).tolist())
    if n == 1 and not taken:
        return choose(scores, 1, rng)
    everything = set(np.unique(triplets).tolist())
    questions = triplets.tolist()
    left = choose(scores, len(scores), rng).tolist()
    chosen: list[int] = []
    while len(chosen) < n and left:
        passed, free = [], len(everything - taken)
        for looked_at, place in enumerate(left):
            if free < 3 or len(chosen) == n:  # no question fits any more
                passed += left[looked_at:]
                break
            if taken.isdisjoint(questions[place]):
                chosen.append(place)
                taken.update(questions[place])
                free -= 3
            else:
                passed.append(place)
        left, taken = passed, set()
    return np.array(chosen, dtype=np.int64)
