"""Info: the question whose answer is expected to tell most about the hidden classes."""

from __future__ import annotations

from tercet._validation import Floats, Ints
from tercet.information import information_gain


class Info:
    """The paper's rule: the largest expected information about the classes of the three items.

    Examples
    --------
    >>> import numpy as np
    >>> beliefs = np.array([[1, 0], [0.5, 0.5], [0, 1], [1, 0]])
    >>> Info().score(np.array([[0, 1, 2], [0, 3, 2]]), beliefs, np.empty((0, 3), int)).round(3)
    array([0.347, 0.   ])
    """

    needs_beliefs = True
    needs_asked = False

    def __repr__(self) -> str:
        return "Info()"

    def score(self, triplets: Ints, beliefs: Floats | None, asked: Ints) -> Floats:
        """Return the expected information of each question, in nats."""
        if beliefs is None:
            raise ValueError("Info scores questions by beliefs, and got none; give an (items, classes) array")
        return information_gain(beliefs, triplets)
