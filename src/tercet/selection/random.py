"""Random: any question."""

from __future__ import annotations

import numpy as np

from tercet._validation import Floats, Ints


class Random:
    """A baseline: every question is as good as any other, so ties decide.

    Examples
    --------
    >>> Random().score(np.array([[0, 1, 2], [0, 3, 2]]), None, np.empty((0, 3), int))
    array([0., 0.])
    """

    needs_beliefs = False
    needs_asked = False

    def __repr__(self) -> str:
        return "Random()"

    def score(self, triplets: Ints, beliefs: Floats | None, asked: Ints) -> Floats:
        """Return zeros."""
        return np.zeros(len(triplets))
