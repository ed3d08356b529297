"""Beliefs that are fitted to every answer, don't-knows included."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tercet._random import RandomState, Seeds
from tercet._validation import Floats, check_features, check_points, check_triplets, unchanging
from tercet.answers import Comparisons
from tercet.latent import Answers, ClassModel, Settings, fit_latent


class LatentClass(BaseEstimator):
    """Classes as several models see them, fitted to all answers by the paper's answer model.

    Where `ClusterForest` clusters without looking at the answers, this model explains them: yes if i and j
    are of one class and k is not, no the other way round, and else don't-know, with an error rate for each
    annotator. It goes with any metric learner; `tercet.metrics.LatentClassMetric` is the same model with a
    metric of its own, fitted once for both.

    Parameters
    ----------
    n_classes : int, optional
        How many classes to expect, up to 20 if the answers are to choose; an `ActiveLearner` that knows their
        number fills it in.
    ridge : float, optional
        How strongly weights are pulled to 0; the answers choose if None.
    error : float in [0, 0.99], optional
        The share of answers that are given at random; estimated for each annotator if None.
    warm_start : bool
        Start from the last fit where that saw the same items and the beginning of the same answers:
        milliseconds in place of a tenth of a second to a second.
    random_state : int, Generator, RandomState or None

    Attributes
    ----------
    n_classes_ : int
    ridge_ : float
    errors_ : dict
        Each annotator's error rate.

    Examples
    --------
    >>> Z = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> answers = Comparisons([(0, 1, 3), (0, 1, 2)], ["yes", "dk"])
    >>> beliefs = LatentClass(n_classes=2, random_state=0).fit(Z, answers).predict_proba()
    >>> beliefs.shape, bool((beliefs[:3].argmax(axis=1) != beliefs[3:].argmax(axis=1)).all())
    ((6, 2), True)
    """

    #: A learner need not say how many classes there are.
    counts_classes = True
    model_: ClassModel
    _seen: tuple[Floats, Answers, Settings]

    def __init__(
        self,
        n_classes: int | None = None,
        *,
        ridge: float | None = None,
        error: float | None = None,
        warm_start: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.n_classes = n_classes
        self.ridge = ridge
        self.error = error
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, Z: ArrayLike, comparisons: Comparisons | None = None) -> Self:
        """Fit to the items, one row an item, and to the answers about them."""
        points = check_features(Z, name="Z")
        record = Comparisons() if comparisons is None else comparisons
        if not isinstance(record, Comparisons):
            raise TypeError(f"give Comparisons, not {type(record).__name__}: Comparisons(triplets, answers)")
        check_triplets(record.triplets, len(points))
        answers = Answers(record.triplets, record.answers, record.annotators)
        rng = Seeds(self.random_state).generator("latent classes")
        settings = Settings.checked(self.n_classes, self.ridge, self.error)
        # Where a metric moves the items, nothing but what the answers chose carries over.
        before = self.model_ if self.warm_start and self._saw_beginning(answers, settings) else None
        warm, like = (before, None) if before is not None and self._saw_items(points) else (None, before)
        self.model_ = fit_latent(points, answers, settings, rng, warm, like)
        self._seen = unchanging(points), answers, settings
        self.n_features_in_ = points.shape[1]
        self.n_classes_, self.ridge_ = self.model_.n_classes, self.model_.ridge
        self.errors_ = dict(self.model_.errors)
        return self

    def _saw_beginning(self, answers: Answers, settings: Settings) -> bool:
        """Return whether the last fit saw the first of these answers, and left the same to them."""
        if not hasattr(self, "_seen"):
            return False
        _, earlier, before = self._seen
        same = np.array_equal(answers.triplets[: len(earlier)], earlier.triplets)
        return same and answers.repeat(earlier) and settings.left_open == before.left_open

    def _saw_items(self, points: Floats) -> bool:
        """Return whether the last fit saw the first of these items."""
        earlier, *_ = self._seen
        return np.array_equal(points[: len(earlier)], earlier)

    def predict_proba(self, Z: ArrayLike | None = None) -> Floats:
        """Return the probability of each class for these items, or for those of ``fit``."""
        rows = self._rows(Z)
        return self.model_.probabilities(rows)

    def error_of(self, annotator: str) -> float:
        """Return the error rate of an annotator; somebody new is taken to err in 5% of the answers."""
        check_is_fitted(self)
        return self.model_.error_of(annotator) if self.error is None else self.error

    def members(self, Z: ArrayLike | None = None) -> Floats:
        """Return what each of several models believes about the items, as an array of shape (K, n, C)."""
        rows = self._rows(Z)
        return self.model_.members(rows)

    def _rows(self, Z: ArrayLike | None) -> Floats:
        check_is_fitted(self)
        if Z is None:
            return self._seen[0]
        return check_points(Z, self.n_features_in_, name="Z")
