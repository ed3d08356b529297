"""What a selection rule is."""

from __future__ import annotations

from typing import Protocol

import numpy as np

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
            Of shape (K, n, C) where it compares several models.
        asked : array of shape (q, 3)
            The questions asked so far, answered or not.
        """


class SearchingRule(Rule, Protocol):
    """A rule that can also find the best of all questions, without a pool of candidates.

    ``search`` says when it does: always, among all items ("exact"), never ("pool"), or where the learner was
    given no pool, among as many items as ``looks_at`` says ("auto"). A rule with ``needs_members``
    gets the beliefs of several models, and one with ``needs_error`` the error rate of who is asked too, where
    the learner estimates it.
    """

    search: str

    def looks_at(self, n_items: int) -> int:
        """Return how many of so many items a question is looked for among."""

    def find(
        self, beliefs: Floats, asked: Ints, n: int, rng: np.random.Generator, **error: float
    ) -> tuple[Ints, Floats]:
        """Return the ``n`` best of all questions that were not asked, as (n, 3) items, and their scores."""
