"""What a selection rule is."""

from __future__ import annotations

from typing import Protocol

from tercet._validation import Floats, Ints


class Rule(Protocol):
    """Scores questions; the learner asks those with the largest score, and settles ties at random.

    A rule says what it looks at: without ``needs_beliefs`` the beliefs are not computed (they are most of
    the work), and with ``needs_asked`` a batch is scored anew after each of its questions.
    """

    needs_beliefs: bool
    needs_asked: bool

    def score(self, triplets: Ints, beliefs: Floats | None, asked: Ints) -> Floats:
        """Return a score for each triplet; larger is better.

        Parameters
        ----------
        triplets : array of shape (m, 3)
        beliefs : array of shape (n, C), or None where the rule does not need them
        asked : array of shape (q, 3)
            The questions asked so far, answered or not.
        """
