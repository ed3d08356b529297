"""How good a learned space is, judged by true classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import pairwise_distances_argmin
from sklearn.neighbors import KNeighborsClassifier

from tercet._random import RandomState, Seeds
from tercet._validation import Floats, Ints, check_count, check_features, check_labels
from tercet.triplets import check_decided, count_decided, triplets_from_labels

# Triplets handled at a time: the points of so many stay in the processor's cache.
_CHUNK = 4096


def triplet_accuracy(
    Z: ArrayLike, y: ArrayLike, max_triplets: int | None = 200_000, random_state: RandomState = None
) -> float:
    """Return how often an item is nearer to one of its own class than to one of another.

    Parameters
    ----------
    Z : array-like of shape (n, r)
        Items in the learned space, that is ``metric.transform(X)``.
    y : array-like of shape (n,)
        Their classes.
    max_triplets : int or None
        Where there are more such triplets than this, a sample of that size is judged; None judges all.
    random_state : int, Generator, RandomState or None
        Decides the sample.

    Returns
    -------
    float
        The share of triplets (i, j, k), i and j of one class and k of another, with d(i, j) < d(i, k).
        Equal distances count half.

    Examples
    --------
    >>> triplet_accuracy([[0.0], [1.0], [1.5]], [0, 0, 1])
    0.5
    """
    points = check_features(Z, name="Z")
    labels = check_labels(y, len(points))
    if max_triplets is not None and count_decided(labels) > check_count("max_triplets", max_triplets):
        rng = Seeds(random_state).generator("evaluation triplets")
        return accuracy_of(points, triplets_from_labels(labels, max_triplets, rng))
    return _accuracy_of_all(points, labels)


def accuracy_of(points: Floats, triplets: Ints) -> float:
    """Return the share of these triplets (i, j, k) with d(i, j) < d(i, k); equal distances count half."""
    right = 0.0
    for start in range(0, len(triplets), _CHUNK):
        i, j, k = triplets[start : start + _CHUNK].T
        head = points[i]
        to_j, to_k = (np.einsum("md,md->m", side, side) for side in (head - points[j], head - points[k]))
        right += np.count_nonzero(to_j < to_k) + 0.5 * np.count_nonzero(to_j == to_k)
    return right / len(triplets)


def _accuracy_of_all(points: Floats, labels: Ints) -> float:
    """Judge all triplets in O(n^2 log n): for each head, rank its distances to the others."""
    total = check_decided(labels)
    right = 0.0
    for head in range(len(points)):
        distance = ((points - points[head]) ** 2).sum(axis=1)
        own = labels == labels[head]
        others = np.sort(distance[~own])
        own[head] = False
        farther_or_equal = len(others) - np.searchsorted(others, distance[own], side="left")
        farther = len(others) - np.searchsorted(others, distance[own], side="right")
        right += 0.5 * float(farther_or_equal.sum() + farther.sum())
    return right / total


def knn_accuracy(
    Z_train: ArrayLike, y_train: ArrayLike, Z_test: ArrayLike, y_test: ArrayLike, n_neighbors: int = 1
) -> float:
    """Return the share of test items whose nearest training items vote for their class.

    Parameters
    ----------
    Z_train, Z_test : array-like of shape (n, r)
        Items in the learned space.
    y_train, y_test : array-like of shape (n,)
        Their classes.
    n_neighbors : int
        How many neighbours vote.

    Examples
    --------
    >>> knn_accuracy([[0.0], [0.2], [5.0]], [0, 0, 1], [[0.1], [4.0], [4.5]], [0, 1, 0])
    0.6666666666666666
    """
    train, test = (np.asarray(Z, dtype=np.float64) for Z in (Z_train, Z_test))
    known, true = np.asarray(y_train), np.asarray(y_test)
    for name, points, labels in (("train", train, known), ("test", test, true)):
        if len(points) != len(labels):
            raise ValueError(f"y_{name} must hold {len(points)} labels, one an item, not {len(labels)}")
    if check_count("n_neighbors", n_neighbors) > 1:
        return float(np.mean(KNeighborsClassifier(n_neighbors).fit(train, known).predict(test) == true))
    return float(np.mean(known[pairwise_distances_argmin(test, train)] == true))
