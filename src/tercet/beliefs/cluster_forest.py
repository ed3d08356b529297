"""The paper's beliefs: clusters in the learned space, and a forest that is unsure where they meet."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from tercet._random import RandomState, Seeds
from tercet._validation import Floats, check_count, check_features, check_n_classes
from tercet.answers import Comparisons
from tercet.beliefs._forest import grow


class ClusterForest(BaseEstimator):
    """k-means in the learned space, then a random forest on the cluster labels.

    The belief about an item is the vote of the trees that did not train on it (out of bag), so an item well
    inside a cluster is near certain and one between two is not.

    Parameters
    ----------
    n_classes : int, optional
        The number of clusters. An `ActiveLearner` fills in its own.
    n_trees : int
        Trees in the forest.
    n_starts : int
        New starts of k-means, of which the best is kept; the paper's configuration has 10
        (studies/kmeans_starts.py compares the two).
    warm_start : bool
        In a second ``fit`` on the same items, which others may follow, also start k-means from the clusters
        of the first, and keep that result if it is no worse.
    max_draws : int or None
        Each tree sees as many draws (with replacement) as there are items, or at most so many, which keeps
        the forest of a large collection quick.
    engine : {"auto", "compiled", "sklearn"}
        What grows the forest: a compiled kernel (needs numba, in the extra ``fast``), scikit-learn, or by
        default the kernel where numba is installed. Both grow the same kind of forest, from other random
        numbers.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    labels_ : array of shape (n,)
        The cluster of each item.
    inertia_ : float
        The sum of squared distances to the cluster centres.
    forest_ : RandomForestClassifier, or the compiled one

    References
    ----------
    S. Xiong, R. Rosales, Y. Pei and X. Z. Fern, "Active metric learning from relative comparisons".

    Examples
    --------
    >>> Z = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> beliefs = ClusterForest(n_classes=2, random_state=0).fit(Z).predict_proba()
    >>> beliefs.shape, bool((beliefs[:3].argmax(axis=1) != beliefs[3:].argmax(axis=1)).all())
    ((6, 2), True)
    """

    def __init__(
        self,
        n_classes: int | None = None,
        n_trees: int = 50,
        *,
        n_starts: int = 3,
        warm_start: bool = True,
        max_draws: int | None = 4000,
        engine: str = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.n_classes = n_classes
        self.n_trees = n_trees
        self.n_starts = n_starts
        self.warm_start = warm_start
        self.max_draws = max_draws
        self.engine = engine
        self.random_state = random_state

    def fit(self, Z: ArrayLike, comparisons: Comparisons | None = None) -> Self:
        """Cluster the items and grow the forest.

        Parameters
        ----------
        Z : array-like of shape (n, r)
            The items in the learned space.
        comparisons : Comparisons, optional
            Not used: these beliefs see the answers only through the metric.
        """
        points = check_features(Z, name="Z")
        n_classes = check_n_classes(self.n_classes, len(points))
        n_trees = check_count("n_trees", self.n_trees)
        self.n_features_in_ = points.shape[1]
        seeds = Seeds(self.random_state)
        self._cluster(points, n_classes, seeds.integer("clusters"))
        max_draws = None if self.max_draws is None else check_count("max_draws", self.max_draws)
        self.forest_, votes = grow(
            points, self.labels_, n_classes, n_trees, seeds.integer("forest"), self.engine, max_draws
        )
        self._votes = _fill_in(votes, self.labels_)
        return self

    def predict_proba(self, Z: ArrayLike | None = None) -> Floats:
        """Return the beliefs about the fitted items (out of bag), or about new points by all trees.

        Parameters
        ----------
        Z : array-like of shape (m, r), optional
            New points in the same learned space.

        Returns
        -------
        array of shape (n or m, n_classes)
        """
        check_is_fitted(self, "forest_")
        if Z is None:
            return self._votes.copy()
        points = np.asarray(Z, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != self.n_features_in_:
            raise ValueError(f"Z must have shape (m, {self.n_features_in_}), as fitted, not {points.shape}")
        return np.asarray(self.forest_.predict_proba(points))

    def _cluster(self, points: Floats, n_classes: int, seed: int) -> None:
        """Set labels_ and inertia_ by k-means from new starts and, if wanted, from the last clusters."""
        n_starts = check_count("n_starts", self.n_starts)
        starts: list[tuple[str | Floats, int]] = [("k-means++", n_starts)]
        last = getattr(self, "labels_", None)
        if self.warm_start and last is not None and len(last) <= len(points) and last.max() < n_classes:
            starts.append((_centres(points[: len(last)], last, n_classes), 1))
        with warnings.catch_warnings():
            # Fewer distinct points than classes: some clusters stay empty, and nobody believes in them.
            warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
            results = [
                KMeans(n_classes, init=init, n_init=n_init, random_state=seed).fit(points)
                for init, n_init in starts
            ]
        best = min(reversed(results), key=lambda result: result.inertia_)  # a tie keeps the last clusters
        self.labels_: NDArray[np.int32] = best.labels_
        self.inertia_ = float(best.inertia_)


def _centres(points: Floats, labels: NDArray[np.int32], n_classes: int) -> Floats:
    """Return the cluster means; a cluster that has emptied starts anew at the point farthest from its own."""
    sizes = np.bincount(labels, minlength=n_classes)
    sums = np.zeros((n_classes, points.shape[1]))
    np.add.at(sums, labels, points)
    centres = sums / np.maximum(sizes, 1)[:, np.newaxis]
    empty = np.flatnonzero(sizes == 0)
    if len(empty):
        off = ((points - centres[labels]) ** 2).sum(axis=1)
        centres[empty] = points[np.argsort(-off)[: len(empty)]]
    return centres


def _fill_in(votes: Floats, labels: NDArray[np.int32]) -> Floats:
    """Return votes as probabilities; an item in every bag, which has none, gets the mean of its cluster.

    Where nobody in its cluster was out of bag either, the best guess left is that the clusters are right.
    """
    sums = votes.sum(axis=1)
    beliefs = votes / np.where(sums > 0, sums, 1.0)[:, np.newaxis]
    for c in np.unique(labels[sums == 0]):
        mine = labels == c
        peers = mine & (sums > 0)
        beliefs[mine & (sums == 0)] = (
            beliefs[peers].mean(axis=0) if peers.any() else np.eye(votes.shape[1])[c]
        )
    return np.asarray(beliefs)
