"""Nonredundant: the question about the fewest items that were asked about before."""

from __future__ import annotations

import numpy as np

from tercet._validation import Floats, Ints


class Nonredundant:
    """A baseline: prefer questions that share the fewest items with those asked so far.

    Examples
    --------
    >>> Nonredundant().score(np.array([[0, 1, 2], [0, 3, 4]]), None, np.array([[0, 1, 5]]))
    array([-2., -1.])
    """

    needs_beliefs = False
    needs_asked = True

    def __repr__(self) -> str:
        return "Nonredundant()"

    def score(self, triplets: Ints, beliefs: Floats | None, asked: Ints) -> Floats:
        """Return minus the number of items in each question that were in an earlier one."""
        seen = np.zeros(1 + max(triplets.max(initial=0), asked.max(initial=0)), dtype=np.float64)
        seen[asked] = 1.0
        return np.asarray(-seen[triplets].sum(axis=1))
