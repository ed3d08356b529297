"""Which questions are candidates, and how good the best of a sampled pool is."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from tercet._validation import Ints, check_count, check_number
from tercet.triplets import count_questions, draw_distinct, questions_from_numbers

# Above this an exhaustive pool no longer fits in memory with its scores (n = 585).
_MOST_EXHAUSTIVE = 100_000_000


class Pool(Protocol):
    """Draws the candidate questions, once a learner."""

    def draw(self, n_items: int, rng: np.random.Generator) -> Ints:
        """Return different questions as an (m, 3) array."""


class SampledPool:
    """Different questions drawn at random: ``multiple`` times as many as there are items.

    Parameters
    ----------
    multiple : int
        Questions an item; 100 in the paper. Where there are fewer questions in all, the pool has them all.
    most : int
        At most so many questions, however many items there are.

    Examples
    --------
    >>> SampledPool(multiple=2).draw(10, np.random.default_rng(0)).shape
    (20, 3)
    """

    def __init__(self, multiple: int = 100, *, most: int = 2_000_000) -> None:
        self.multiple = check_count("multiple", multiple)
        self.most = check_count("most", most)

    def __repr__(self) -> str:
        return f"SampledPool(multiple={self.multiple}, most={self.most})"

    def draw(self, n_items: int, rng: np.random.Generator) -> Ints:
        """Return the pool; j and k stand in random order."""
        numbers = draw_distinct(count_questions(n_items), min(self.multiple * n_items, self.most), rng)
        return _shuffle_candidates(questions_from_numbers(numbers, n_items), rng)


class ExhaustivePool:
    """All n(n-1)(n-2)/2 questions.

    Examples
    --------
    >>> ExhaustivePool().draw(5, np.random.default_rng(0)).shape
    (30, 3)
    """

    def __repr__(self) -> str:
        return "ExhaustivePool()"

    def draw(self, n_items: int, rng: np.random.Generator) -> Ints:
        """Return the pool; j and k stand in random order."""
        total = count_questions(n_items)
        if total > _MOST_EXHAUSTIVE:
            raise ValueError(
                f"{n_items} items have {total:,} questions, too many to hold at once "
                f"(at most {_MOST_EXHAUSTIVE:,}); use SampledPool()"
            )
        return _shuffle_candidates(questions_from_numbers(np.arange(total), n_items), rng)


def _shuffle_candidates(triplets: Ints, rng: np.random.Generator) -> Ints:
    """Exchange j and k in half of the triplets, so that neither place favours low item numbers."""
    swap = rng.random(len(triplets)) < 0.5
    triplets[swap] = triplets[swap][:, [0, 2, 1]]
    return triplets


def pool_guarantee(size: int, epsilon: float) -> float:
    """Return the probability that a random pool holds one of the best ``epsilon`` share of all questions.

    Examples
    --------
    >>> round(pool_guarantee(10_000, epsilon=0.001), 6)
    0.999955
    """
    size = check_count("size", size, minimum=0)
    epsilon = check_number("epsilon", epsilon, low=0.0, high=1.0)
    return -math.expm1(size * math.log1p(-epsilon)) if epsilon < 1 else float(size > 0)


def pool_size(probability: float, epsilon: float) -> int:
    """Return the smallest pool that holds one of the best ``epsilon`` share with this probability.

    Examples
    --------
    >>> pool_size(0.99, epsilon=0.001)
    4603
    """
    probability = check_number("probability", probability, low=0.0, high=1.0)
    epsilon = check_number("epsilon", epsilon, low=0.0, high=1.0, open_low=True)
    if epsilon == 1:
        return int(probability > 0)
    if probability == 1:
        raise ValueError(
            "no sampled pool is certain (probability=1); use ExhaustivePool() or a value below 1"
        )
    size = math.ceil(math.log1p(-probability) / math.log1p(-epsilon))
    # The logarithms may round to the wrong side of a whole number.
    if size > 0 and pool_guarantee(size - 1, epsilon) >= probability:
        return size - 1
    return size + (pool_guarantee(size, epsilon) < probability)
