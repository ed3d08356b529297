"""Simulated people."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tercet._random import RandomState, Seeds
from tercet._validation import check_labels, check_number, check_triplets
from tercet.answers import Answer

#: Anything that answers a question (i, j, k); answers may be given in any form that `Answer` takes.
Oracle = Callable[[tuple[int, int, int]], object]


class ClassOracle:
    """Somebody who knows the class of every item and, with ``noise``, sometimes errs.

    Yes if i and j are of one class and k is not, no if i and k are of one class and j is not, and otherwise
    don't-know.

    Parameters
    ----------
    y : array-like of shape (n,)
        The class of each item.
    noise : float in [0, 1]
        The probability that an answer is replaced by one of the other two.
    random_state : int, Generator, RandomState or None
        Decides which answers are wrong. The same question always gets the same answer, also with j and k
        exchanged, whenever it is asked.

    Examples
    --------
    >>> oracle = ClassOracle(["wren", "wren", "creeper"])
    >>> oracle((0, 1, 2)), oracle((0, 2, 1)), oracle((2, 0, 1))
    (<Answer.YES: 1>, <Answer.NO: -1>, <Answer.DONT_KNOW: 0>)
    """

    def __init__(self, y: ArrayLike, noise: float = 0.0, random_state: RandomState = None) -> None:
        self._labels = check_labels(y)
        self.noise = check_number("noise", noise, low=0.0, high=1.0)
        self._seeds = Seeds(random_state)

    def __call__(self, triplet: ArrayLike) -> Answer:
        """Return the answer to the question (i, j, k)."""
        ((i, j, k),) = check_triplets(np.asarray(triplet)[np.newaxis], len(self._labels)).tolist()
        truth = self._truth(i, j, k)
        if self.noise == 0:
            return truth
        if j > k:  # so that the error is the same error
            return self((i, k, j)).swapped
        rng = self._seeds.generator("noise", i, j, k)
        if rng.random() >= self.noise:
            return truth
        return [answer for answer in Answer if answer != truth][rng.integers(2)]

    def _truth(self, i: int, j: int, k: int) -> Answer:
        like_j, like_k = (self._labels[i] == self._labels[other] for other in (j, k))
        return Answer(int(like_j) - int(like_k))
