from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import evaluation, knn_accuracy, triplet_accuracy


def slow_triplet_accuracy(Z, y):
    marks = []
    for i, j, k in permutations(range(len(Z)), 3):
        if y[i] == y[j] != y[k]:
            to_j, to_k = np.sum((Z[i] - Z[j]) ** 2), np.sum((Z[i] - Z[k]) ** 2)
            marks.append(1.0 if to_j < to_k else 0.5 if to_j == to_k else 0.0)
    return np.mean(marks)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_all_triplets_against_enumeration(seed, grid):
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 0, 1], rng.integers(3, size=6)])
    Z = rng.integers(3, size=(9, 2)).astype(float) if grid else rng.normal(size=(9, 2))  # grids have ties
    assert triplet_accuracy(Z, y) == pytest.approx(slow_triplet_accuracy(Z, y))
    assert triplet_accuracy(Z, y, max_triplets=None) == pytest.approx(slow_triplet_accuracy(Z, y))


def test_a_sample_is_close_to_all_and_chunks_do_not_matter(wine, monkeypatch):
    X, y = wine
    every = triplet_accuracy(X, y, max_triplets=None)
    sample = triplet_accuracy(X, y, max_triplets=20_000, random_state=0)
    assert sample == pytest.approx(every, abs=0.01)
    assert sample != every
    monkeypatch.setattr(evaluation, "_CHUNK", 999)
    assert triplet_accuracy(X, y, max_triplets=20_000, random_state=0) == pytest.approx(sample, abs=1e-12)


def test_knn_against_a_plain_loop(wine):
    X, y = wine
    half = np.arange(len(X)) % 2 == 0
    right = [
        y[half][np.argmin(((X[half] - x) ** 2).sum(axis=1))] == label
        for x, label in zip(X[~half], y[~half], strict=True)
    ]
    assert knn_accuracy(X[half], y[half], X[~half], y[~half]) == pytest.approx(np.mean(right))
    assert knn_accuracy(X, y, X, y, n_neighbors=1) == 1.0
    assert knn_accuracy(X, y, X, y, n_neighbors=9) < 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: triplet_accuracy([[0.0], [1.0], [2.0]], [0, 0, 0]), "at least two classes"),
        (lambda: triplet_accuracy([[0.0], [1.0], [2.0]], [0, 1, 2]), "one item a class"),
        (lambda: triplet_accuracy([[0.0], [np.nan], [2.0]], [0, 0, 1]), "Z holds 1 values that are NaN"),
        (lambda: triplet_accuracy([[0.0], [1.0], [2.0]], [0, 1]), "y must hold 3 labels"),
        (lambda: triplet_accuracy(np.eye(9), np.arange(9) % 2, max_triplets=0), "max_triplets must be"),
        (lambda: knn_accuracy([[0.0]] * 3, [0, 0, 1], [[0.0]], [0], n_neighbors=0), "n_neighbors must be"),
        (lambda: knn_accuracy([[0.0]] * 3, [0, 0, 1], [[0.0]], [0, 1]), "y_test must hold 1 labels"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
