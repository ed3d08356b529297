"""Info: the question whose answer is expected to tell most about the hidden classes."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from tercet._validation import Floats, Ints, check_count, check_number, check_option
from tercet.information import DONT_KNOW, information_gain
from tercet.selection._choose import choose_together
from tercet.selection._exact import best_questions
from tercet.triplets import draw_questions, question_numbers

# A batch is chosen among so many questions at random, or so many for each of its own.
_DRAWN, _DRAWN_EACH = 20_000, 200


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
    error : float in [0, 0.99], optional
        The share of answers that are given at random, as in `information_gain`; only with an informative
        don't-know. By default that of whoever is asked, where the learner estimates it, and else 0.
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
        error: float | None = None,
        max_items: int | None = None,
    ) -> None:
        self.search = check_option("search", search, ("auto", "exact", "pool"))
        self.dont_know = check_option("dont_know", dont_know, DONT_KNOW)
        self.error = None if error is None else check_number("error", error, low=0.0, high=0.99)
        if error and dont_know == "uninformative":
            raise ValueError(f"error={error} counts with dont_know='informative' only; give both or neither")
        self.max_items = None if max_items is None else check_count("max_items", max_items, minimum=3)

    def __repr__(self) -> str:
        error = "" if self.error is None else f", error={self.error}"
        return f"Info({self.search!r}, dont_know={self.dont_know!r}{error}, max_items={self.max_items})"

    @property
    def needs_error(self) -> bool:
        """Whether to tell ``find`` how often who is asked errs."""
        return self.dont_know == "informative" and self.error is None

    def score(
        self, triplets: Ints, beliefs: Floats | None, asked: Ints, error: float | None = None
    ) -> Floats:
        """Return the expected information of each question, in nats."""
        if beliefs is None:
            raise ValueError("Info scores questions by beliefs, and got none; give an (items, classes) array")
        return information_gain(beliefs, triplets, **self._settings(error))

    def looks_at(self, n_items: int) -> int:
        """Return how many of so many items a question is looked for among."""
        if self.search == "exact":
            return n_items
        if self.max_items is None:
            return min(n_items, max(1000, min(2500, 20 * isqrt(n_items))))
        return min(n_items, self.max_items)

    def find(
        self, beliefs: Floats, asked: Ints, n: int, rng: np.random.Generator, error: float | None = None
    ) -> tuple[Ints, Floats]:
        """Return the best of all questions that were not asked, and its score; or ``n`` good ones.

        A batch is chosen among many random questions, with "exact" also the best of all, and as far as
        possible no two share an item: see `choose_together`.
        """
        settings = self._settings(error)
        if n == 1:
            return best_questions(beliefs, 1, rng, asked=asked, **settings)
        done = question_numbers(asked, len(beliefs))
        drawn = draw_questions(len(beliefs), max(_DRAWN, _DRAWN_EACH * n) + len(done), rng)
        if self.search == "exact":
            best, _ = best_questions(beliefs, 1, rng, asked=asked, **settings)
            same = question_numbers(drawn, len(beliefs)) == question_numbers(best, len(beliefs))
            drawn = np.concatenate([best, drawn[~same]])
        drawn = drawn[~np.isin(question_numbers(drawn, len(beliefs)), done)]
        scores = information_gain(beliefs, drawn, **settings)
        chosen = choose_together(drawn, scores, n, rng)
        return drawn[chosen], scores[chosen]

    def _settings(self, error: float | None) -> dict[str, Any]:
        given = error if self.error is None else self.error
        return {"dont_know": self.dont_know, "error": given or 0.0}
