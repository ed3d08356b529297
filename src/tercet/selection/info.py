"""Info: the question whose answer is expected to tell most about the hidden classes."""

from __future__ import annotations

from math import isqrt

import numpy as np

from tercet._validation import Floats, Ints, check_count, check_number, check_option
from tercet.information import DONT_KNOW, information_gain
from tercet.selection._exact import best_questions


class Info:
    """The paper's rule: the largest expected information about the classes of the three items.

    Parameters
    ----------
    search : {"auto", "exact", "pool"}
        Where to look for it: "exact" among all questions there are; "pool" among the candidates of the
        learner's pool, as in the paper; "auto" in the pool if the learner was given one, and else among all
        questions about up to ``max_items`` items, drawn anew for each question.
    dont_know : {"uninformative", "informative"}
        Whether a don't-know is taken to teach something; see `information_gain`. The metric learners pass
        don't-knows over, so that by default they count for nothing here too.
    error : float in [0, 0.99]
        The share of answers that are given at random, as in `information_gain`; only with an informative
        don't-know.
    max_items : int, optional
        How many items "auto" looks at. By default 20 sqrt(n) of n, but at least 1,000 and at most 2,500: as
        many as have a question at least as good as the best of a random pool of 100 n (docs/performance.md).

    Examples
    --------
    >>> beliefs = np.array([[1, 0], [0.5, 0.5], [0, 1], [1, 0]])
    >>> Info().score(np.array([[0, 1, 2], [0, 3, 2]]), beliefs, np.empty((0, 3), int)).round(3)
    array([0.347, 0.   ])
    """

    needs_beliefs = True
    needs_asked = False

    def __init__(
        self,
        search: str = "auto",
        *,
        dont_know: str = "uninformative",
        error: float = 0.0,
        max_items: int | None = None,
    ) -> None:
        self.search = check_option("search", search, ("auto", "exact", "pool"))
        self.dont_know = check_option("dont_know", dont_know, DONT_KNOW)
        self.error = check_number("error", error, low=0.0, high=0.99)
        if error and dont_know == "uninformative":
            raise ValueError(f"error={error} counts with dont_know='informative' only; give both or neither")
        self.max_items = None if max_items is None else check_count("max_items", max_items, minimum=3)

    def __repr__(self) -> str:
        error = f", error={self.error}" if self.error else ""
        return f"Info({self.search!r}, dont_know={self.dont_know!r}{error}, max_items={self.max_items})"

    def score(self, triplets: Ints, beliefs: Floats | None, asked: Ints) -> Floats:
        """Return the expected information of each question, in nats."""
        if beliefs is None:
            raise ValueError("Info scores questions by beliefs, and got none; give an (items, classes) array")
        return information_gain(beliefs, triplets, dont_know=self.dont_know, error=self.error)

    def looks_at(self, n_items: int) -> int:
        """Return how many of so many items a question is looked for among."""
        if self.search == "exact":
            return n_items
        if self.max_items is None:
            return min(n_items, max(1000, min(2500, 20 * isqrt(n_items))))
        return min(n_items, self.max_items)

    def find(self, beliefs: Floats, asked: Ints, n: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Return the ``n`` best of all questions that were not asked, and their scores."""
        return best_questions(beliefs, n, rng, asked=asked, dont_know=self.dont_know, error=self.error)
