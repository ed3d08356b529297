"""What turns a triplet learner into one that is fitted on labelled points."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from tercet._random import RandomState, Seeds
from tercet._validation import Floats, check_count, check_labels
from tercet.metrics._base import MahalanobisMetric
from tercet.triplets import triplets_from_labels


class SupervisedMetric(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MahalanobisMetric):
    """``fit(X, y)`` on labelled points, by triplets with two items of one class and one of another."""

    n_triplets: int
    random_state: RandomState

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from points of known class.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
            The class of each point.
        """
        points, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        size = check_count("n_triplets", self.n_triplets)
        rng = Seeds(self.random_state).generator("triplets from labels")
        triplets = triplets_from_labels(check_labels(y), size, rng)
        self._fit_points(points[triplets], np.ones(len(triplets)), points)
        return self

    def _check_points(self, X: ArrayLike, first_row: int) -> Floats:
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
