"""The learned space to look at: a flat picture of some items, their clusters, and the weights of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from scipy.optimize import linear_sum_assignment

from tercet._validation import Floats, Ints
from tercet.items import Items

#: Items in the picture; of a larger collection a sample, drawn once.
SHOWN = 1_000
#: Rows that spreads of features are taken from, and rows that are looked at in one go.
_ROWS = 10_000


@dataclass(frozen=True)
class View:
    """What was learned from some answers, ready to be shown.

    Attributes
    ----------
    name : bytes
        The digest of the answers.
    n_answers : int
    metric : fitted metric
    labels : array of shape (n,)
        The cluster of each item; clusters keep their numbers from one view to the next.
    n_clusters : int
        Their numbers are 0 to this, without it; some may have no items.
    sample : array of shape (s,)
        The items in the picture.
    places : array of shape (s, 2)
        Where they are: the two directions in which the learned space is widest, turned like the view before.
    explained : float
        The share of the learned space's variance that the picture shows.
    weights : array of shape (d,)
        The share of each feature in what was learned: see `feature_weights`.
    """

    name: bytes
    n_answers: int
    metric: Any
    labels: NDArray[np.int16]
    n_clusters: int
    sample: Ints
    places: Floats
    explained: float
    weights: Floats


class Painter:
    """Makes views of the same items that keep their place from one to the next."""

    def __init__(self, items: Items, rng: np.random.Generator) -> None:
        n_items = len(items)
        self.sample: Ints = np.sort(rng.choice(n_items, min(n_items, SHOWN), replace=False))
        rows = np.sort(rng.choice(n_items, min(n_items, _ROWS), replace=False))
        self._features = items.features
        self._points = np.asarray(items.features[self.sample], dtype=np.float64)
        self._variances = np.asarray(items.features[rows], dtype=np.float64).var(axis=0)
        self._last: View | None = None

    def view(self, name: bytes, n_answers: int, metric: Any) -> View:
        """Return what this metric makes of the items, turned and coloured like the view before."""
        labels, n_clusters = likeliest(metric, self._features), int(metric.n_classes_)
        places, explained = flat(np.asarray(metric.transform(self._points)))
        if self._last is not None:
            places = turned_like(places, self._last.places)
            labels = numbered_like(labels, self._last.labels, n_clusters)
        weights = feature_weights(metric, self._variances)
        self._last = View(
            name, n_answers, metric, labels, n_clusters, self.sample, places, explained, weights
        )
        return self._last


def likeliest(metric: Any, features: Any) -> NDArray[np.int16]:
    """Return the likeliest class of each item by a metric with classes; in parts, as there may be many."""
    parts = [
        np.argmax(metric.predict_proba(np.asarray(features[start : start + _ROWS], dtype=np.float64)), axis=1)
        for start in range(0, len(features), _ROWS)
    ]
    return np.concatenate(parts).astype(np.int16)


def flat(points: Floats) -> tuple[Floats, float]:
    """Return points on their two widest directions, with a mean squared distance from the centre of 1.

    >>> places, explained = flat(np.array([[0.0, 0, 0], [4, 0, 0], [0, 2, 0], [4, 2, 0]]))
    >>> places.shape, round(explained, 3)
    ((4, 2), 1.0)
    """
    centred = points - points.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    del left
    directions = right[:2]
    # A direction has no sign of its own; this one makes the same points give the same picture.
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    directions = directions * np.where(largest < 0, -1.0, 1.0)[:, np.newaxis]
    places = np.zeros((len(points), 2))
    places[:, : len(directions)] = centred @ directions.T
    total = float((sizes**2).sum())
    explained = float((sizes[:2] ** 2).sum()) / total if total > 0 else 1.0
    size = np.sqrt((places**2).sum(axis=1).mean())
    return places / (size if size > 0 else 1.0), explained


def turned_like(places: Floats, before: Floats) -> Floats:
    """Return a picture turned (and mirrored) to lie on the one before as well as it can: by Procrustes."""
    rotation, _ = orthogonal_procrustes(places, before)
    return np.asarray(places @ rotation)


def numbered_like(labels: NDArray[np.int16], before: NDArray[np.int16], n_clusters: int) -> NDArray[np.int16]:
    """Return clusters numbered so that most items keep the number they had, below ``n_clusters``.

    >>> numbered_like(np.array([1, 1, 0], np.int16), np.array([0, 0, 2], np.int16), 3).tolist()
    [0, 0, 2]
    """
    common = np.zeros((n_clusters, n_clusters))
    stays = before < n_clusters  # there may have been more clusters, whose numbers are gone
    np.add.at(common, (labels[stays], before[stays]), 1)
    rows, columns = linear_sum_assignment(-common)
    number = np.empty(n_clusters, dtype=np.int16)
    number[rows] = columns
    return number[labels]


def feature_weights(metric: Any, variances: Floats) -> Floats:
    """Return the share of each feature in the squared distance of two random items, or of what was learned.

    Products of two different features, which only some metrics have, are left out. What a latent-class metric
    learned is which features tell the classes apart, and these are the shares in that.
    """
    if hasattr(metric, "components_"):
        parts = (np.atleast_2d(np.asarray(metric.components_)) ** 2).sum(axis=0) * variances
    else:
        weights = metric.model_.weights[:, : len(variances)]  # of the features of the basis, in each model
        parts = ((weights - weights.mean(axis=2, keepdims=True)) ** 2).sum(axis=(0, 2))
        parts *= metric.model_.basis.landmarks.var(axis=0)  # which is less than 1 where they count for less
    total = parts.sum()
    return np.asarray(parts / total if total > 0 else parts)
