from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.triplets import (
    count_decided,
    count_questions,
    draw_distinct,
    question_numbers,
    questions_from_numbers,
    triplets_from_labels,
)


@pytest.mark.parametrize("n", [3, 4, 7, 12])
def test_numbers_and_questions_are_one_to_one(n):
    every = [(i, j, k) for i in range(n) for j, k in combinations([x for x in range(n) if x != i], 2)]
    assert count_questions(n) == len(every)
    triplets = questions_from_numbers(np.arange(len(every)), n)
    assert sorted(map(tuple, triplets.tolist())) == sorted(every)
    assert question_numbers(triplets, n).tolist() == list(range(len(every)))
    assert question_numbers(triplets[:, [0, 2, 1]], n).tolist() == list(range(len(every)))


@given(st.integers(3, 2_000_000), st.data())
def test_numbers_are_exact_for_very_many_items(n, data):
    number = np.array([data.draw(st.integers(0, count_questions(n) - 1))])
    triplet = questions_from_numbers(number, n)
    i, j, k = triplet[0]
    assert j < k < n
    assert i not in (j, k)
    assert question_numbers(triplet, n).tolist() == number.tolist()


@given(st.lists(st.integers(0, 3), min_size=2, max_size=8))
def test_all_triplets_from_labels_against_enumeration(labels):
    labels = np.unique(labels, return_inverse=True)[1]
    every = {
        (i, j, k) for i, j, k in permutations(range(len(labels)), 3) if labels[i] == labels[j] != labels[k]
    }
    assert count_decided(labels) == len(every)
    if not every:
        with pytest.raises(ValueError, match="at least two classes"):
            triplets_from_labels(labels, None, np.random.default_rng(0))
        return
    drawn = triplets_from_labels(labels, None, np.random.default_rng(0))
    assert sorted(map(tuple, drawn.tolist())) == sorted(every)
    some = triplets_from_labels(labels, 3, np.random.default_rng(0))
    assert len({tuple(row) for row in some.tolist()} & every) == min(3, len(every))


def test_drawn_triplets_are_equally_likely():
    labels = np.array([0, 0, 0, 1, 1, 2])
    rng = np.random.default_rng(0)
    counts = {}
    for _ in range(6000):
        (triplet,) = triplets_from_labels(labels, 1, rng).tolist()
        counts[tuple(triplet)] = counts.get(tuple(triplet), 0) + 1
    expected = 6000 / count_decided(labels)
    assert len(counts) == count_decided(labels)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < 2 * count_decided(labels)


def test_counts_do_not_overflow():
    labels = np.repeat([0, 1], 4_000_000)
    assert count_decided(labels) == 2 * 4_000_000 * 3_999_999 * 4_000_000


@given(st.integers(1, 50), st.integers(1, 60))
def test_distinct_numbers(total, size):
    numbers = draw_distinct(total, size, np.random.default_rng(0))
    assert len(set(numbers.tolist())) == len(numbers) == min(size, total)
    assert numbers.max() < total
