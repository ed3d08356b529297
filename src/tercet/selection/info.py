"""Info: the question whose answer is expected to tell most about the hidden classes."""

from __future__ import annotations

import numpy as np

from tercet._validation import Floats, Ints, check_count, check_option
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
    max_items : int
        How many items "auto" looks at; 1,000 take about a tenth of a second, and have better questions than a
        random pool of 100 an item, however many items there are (docs/performance.md).

    Examples
    --------
    >>> beliefs = np.array([[1, 0], [0.5, 0.5], [0, 1], [1, 0]])
    >>> Info().score(np.array([[0, 1, 2], [0, 3, 2]]), beliefs, np.empty((0, 3), int)).round(3)
    array([0.347, 0.   ])
    """

    needs_beliefs = True
    needs_asked = False

    def __init__(
        self, search: str = "auto", *, dont_know: str = "uninformative", max_items: int = 1000
    ) -> None:
        self.search = check_option("search", search, ("auto", "exact", "pool"))
        self.dont_know = check_option("dont_know", dont_know, DONT_KNOW)
        self.max_items = check_count("max_items", max_items, minimum=3)

    def __repr__(self) -> str:
        return f"Info({self.search!r}, dont_know={self.dont_know!r}, max_items={self.max_items})"

    def score(self, triplets: Ints, beliefs: Floats | None, asked: Ints) -> Floats:
        """Return the expected information of each question, in nats."""
        if beliefs is None:
            raise ValueError("Info scores questions by beliefs, and got none; give an (items, classes) array")
        return information_gain(beliefs, triplets, dont_know=self.dont_know)

    def find(self, beliefs: Floats, asked: Ints, n: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Return the ``n`` best of all questions that were not asked, and their scores."""
        return best_questions(beliefs, n, rng, asked=asked, dont_know=self.dont_know)
