"""The arithmetic of questions: counting, numbering and drawing triplets.

A question (i, {j, k}) asks whether item i is more like j or more like k; which of the two candidates is
named first does not matter. The n(n-1)(n-2)/2 questions about n items are numbered 0, 1, ..., which makes
drawing them without repetition the same as drawing distinct numbers.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from tercet._validation import Ints


def count_questions(n_items: int) -> int:
    """Return how many different questions there are about ``n_items`` items.

    >>> count_questions(4)
    12
    """
    return n_items * (n_items - 1) * (n_items - 2) // 2


def question_numbers(triplets: Ints, n_items: int) -> Ints:
    """Return the number of each question; (i, j, k) and (i, k, j) have the same.

    >>> question_numbers(np.array([[2, 0, 3], [2, 3, 0]]), 4)
    array([7, 7])
    """
    i, j, k = triplets.T
    # Number the other n - 1 items without a gap at i, then the pairs a < b of them as 01, 02, 12, 03, ...
    j, k = j - (j > i), k - (k > i)
    a, b = np.minimum(j, k), np.maximum(j, k)
    return cast(Ints, i * _pairs(n_items - 1) + b * (b - 1) // 2 + a)


def questions_from_numbers(numbers: Ints, n_items: int) -> Ints:
    """Return the (m, 3) triplets i, j < k with these numbers: the inverse of `question_numbers`."""
    i, pair = np.divmod(numbers, _pairs(n_items - 1))
    b = ((1 + np.sqrt(8.0 * pair + 1)) / 2).astype(np.int64)
    # The square root may be off by one where 8 * pair exceeds what a double holds exactly.
    b -= b * (b - 1) // 2 > pair
    b += (b + 1) * b // 2 <= pair
    a = pair - b * (b - 1) // 2
    return np.column_stack([i, a + (a >= i), b + (b >= i)])


def count_decided(labels: Ints) -> int:
    """Return how many triplets (i, j, k) have i and j of one class and k of another."""
    sizes = np.bincount(labels).astype(object)  # Python integers: the product overflows from n = 3e6 on
    return int((sizes * (sizes - 1) * (len(labels) - sizes)).sum())


def check_decided(labels: Ints) -> int:
    """Return `count_decided`, or raise where there is none."""
    total = count_decided(labels)
    if total == 0:
        raise ValueError(
            f"the {len(labels)} labels have no triplet with two items of one class and one of another "
            "(only one class, or one item a class); give at least two classes, one of them with two items"
        )
    return total


def triplets_from_labels(labels: Ints, size: int | None, rng: np.random.Generator) -> Ints:
    """Draw ``size`` different triplets (i, j, k), i and j of one class and k of another, all equally likely.

    Where there are no more than ``size`` of them, or ``size`` is None, all are returned.

    >>> triplets_from_labels(np.array([0, 0, 1]), None, np.random.default_rng(0))
    array([[0, 1, 2],
           [1, 0, 2]])
    """
    total = check_decided(labels)
    numbers = draw_distinct(total, total if size is None else size, rng)
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    starts = np.cumsum(sizes) - sizes
    ends = np.cumsum(sizes * (sizes - 1) * (len(labels) - sizes))
    c = np.searchsorted(ends, numbers, side="right")
    within = numbers - (ends - sizes * (sizes - 1) * (len(labels) - sizes))[c]
    within, k = np.divmod(within, len(labels) - sizes[c])
    i, j = np.divmod(within, sizes[c] - 1)
    j += j >= i  # skip i itself
    k += (k >= starts[c]) * sizes[c]  # skip the class of i
    return cast(Ints, order[np.column_stack([i + starts[c], j + starts[c], k])])


def draw_distinct(total: int, size: int, rng: np.random.Generator) -> Ints:
    """Draw ``size`` different numbers below ``total``, or all of them in order if there are no more."""
    if size >= total:
        return np.arange(total, dtype=np.int64)
    return rng.choice(total, size=size, replace=False, shuffle=False).astype(np.int64)


def draw_questions(n_items: int, size: int, rng: np.random.Generator) -> Ints:
    """Draw ``size`` different questions about these items, or all of them if there are no more."""
    total = count_questions(n_items)
    return questions_from_numbers(draw_distinct(total, min(size, total), rng), n_items)


def _pairs(count: int) -> int:
    return count * (count - 1) // 2
