"""ModelInfo: the question whose answer tells most about the hidden classes and about the models of them."""

from __future__ import annotations

import numpy as np

from tercet._validation import Floats, Ints, check_count, check_number
from tercet.information import information_about_models
from tercet.selection._choose import choose_together
from tercet.triplets import draw_questions, question_numbers

# A batch is chosen among so many more questions at random for each of its own.
_DRAWN_EACH = 200


class ModelInfo:
    """What an answer tells about the classes of its three items, and about which of several models is right.

    The paper's criterion counts what an answer tells about the classes of its own three items. Much of that
    may be of no use elsewhere: an item between two classes stays between them whoever is right. What an
    answer tells about the models changes the beliefs about *all* items. This rule takes the mean of the two
    (see `information_about_models`), by the models of `LatentClassMetric` or `LatentClass`.

    Parameters
    ----------
    share : float in [0, 1]
        How much the models count.
    error : float in [0, 0.99], optional
        The share of answers that are given at random. By default that of whoever is asked, where the learner
        estimates it, and else 0.
    n_candidates : int
        How many random questions to compare, where the learner was given no pool; more were not better
        (docs/beyond-the-paper.md).
    max_items : int
        How many items to look at, drawn anew for each question.

    Examples
    --------
    >>> sure = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    >>> other = np.array([[1.0, 0], [0, 1], [1, 0], [0, 1]])  # another model: items 1 and 2 are exchanged
    >>> models, rng = np.stack([sure, other]), np.random.default_rng(0)
    >>> questions, scores = ModelInfo().find(models, np.empty((0, 3), int), 1, rng)
    >>> scores.round(3)
    array([0.693])
    """

    needs_beliefs = True
    needs_asked = False
    needs_members = True
    search = "auto"

    def __init__(
        self,
        share: float = 0.5,
        *,
        error: float | None = None,
        n_candidates: int = 1000,
        max_items: int = 1000,
    ) -> None:
        self.share = check_number("share", share, low=0.0, high=1.0)
        self.error = None if error is None else check_number("error", error, low=0.0, high=0.99)
        self.n_candidates = check_count("n_candidates", n_candidates)
        self.max_items = check_count("max_items", max_items, minimum=3)

    def __repr__(self) -> str:
        error = "" if self.error is None else f", error={self.error}"
        return f"ModelInfo({self.share}{error}, n_candidates={self.n_candidates}, max_items={self.max_items})"

    @property
    def needs_error(self) -> bool:
        """Whether to tell ``find`` how often who is asked errs."""
        return self.error is None

    def looks_at(self, n_items: int) -> int:
        """Return how many of so many items a question is looked for among."""
        return min(n_items, self.max_items)

    def score(
        self, triplets: Ints, beliefs: Floats | None, asked: Ints, error: float | None = None
    ) -> Floats:
        """Return the expected information of each question, in nats; beliefs are of shape (K, n, C)."""
        if beliefs is None or np.ndim(beliefs) != 3:
            raise ValueError("ModelInfo compares models; give beliefs of shape (models, items, classes)")
        given = error if self.error is None else self.error
        return information_about_models(beliefs, triplets, error=given or 0.0, share=self.share)

    def find(
        self, beliefs: Floats, asked: Ints, n: int, rng: np.random.Generator, error: float | None = None
    ) -> tuple[Ints, Floats]:
        """Return ``n`` of the best questions that were not asked, and their scores.

        As far as possible no two of a batch share an item: see `choose_together`.
        """
        n_items = beliefs.shape[1]
        done = question_numbers(asked, n_items)
        drawn = draw_questions(n_items, max(self.n_candidates, _DRAWN_EACH * n) + len(done), rng)
        drawn = drawn[~np.isin(question_numbers(drawn, n_items), done)]
        scores = self.score(drawn, beliefs, asked, error)
        chosen = choose_together(drawn, scores, n, rng)
        return drawn[chosen], scores[chosen]
