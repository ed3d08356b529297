"""A metric by latent classes, learned from every answer."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tercet._dask import is_dask, map_rows, whole_rows
from tercet._random import RandomState, Seeds
from tercet._validation import (
    LARGEST_FEATURE,
    Floats,
    check_points,
    check_same_features,
    check_values,
    unchanging,
)
from tercet.answers import annotator_names
from tercet.latent import Answers, ClassModel, LearnedDistance, Settings, fit_latent
from tercet.metrics._base import (
    Preprocessor,
    TripletClassifier,
    as_point,
    check_answers,
    look_up,
    reference_points,
    resolve_questions,
    resolve_tuples,
)


class LatentClassMetric(TripletClassifier):
    """Near items by their features, far ones by classes that explain every answer, don't-knows too.

    The answers are taken to come from hidden classes, as in the paper's answer model: yes if i and j are of
    one class and k is not, no the other way round, and else don't-know. Several models of the classes, linear
    and bent, are fitted to all answers at once, so that a don't-know teaches as much as a yes. The learned
    distance joins them with the plain features. Where the models disagree the classes count for little, so
    that the result is rarely worse than where it started.

    Features of any scale will do: they are standardised, and bent where a few values are far out, so that a
    code for missing values does little harm (where it is in many cells, fill them in). Those that neighbours
    by all other features do not foresee are taken for noise and count for less, where there are several and
    others are foreseen.

    Parameters
    ----------
    n_classes : int, optional
        How many hidden classes to expect; without it the answers choose, from 2 to 20.
    ridge : float, optional
        How strongly weights are pulled to 0; without it the answers choose, by how likely they are to models
        that did not see them.
    error : float in [0, 0.99], optional
        The share of answers that are given at random. Without it, each annotator's is estimated together with
        the classes, in the manner of Dawid and Skene.
    preprocessor : array of shape (n, d) or callable, optional
        Turns indices in triplets into points. All its points are clustered, also those never asked about.
    warm_start : bool
        Start from the last fit where that saw the same items and the beginning of the same answers:
        milliseconds in place of a tenth of a second to a second.
    random_state : int, Generator, RandomState or None
        Decides where the clusters start.

    Attributes
    ----------
    n_classes_ : int
    ridge_ : float
    errors_ : dict
        Each annotator's error rate.

    Examples
    --------
    >>> X = np.array([[0.0, 0], [0.1, 1], [3, 0], [3.1, 1], [0.2, 0.5]])
    >>> metric = LatentClassMetric(n_classes=2, preprocessor=X, random_state=0).fit([(0, 1, 2), (2, 3, 4)])
    >>> metric.predict([(0, 4, 3)]), metric.predict_proba(X).shape
    (array([1]), (5, 2))
    """

    takes_annotators = True
    model_: ClassModel
    distance_: LearnedDistance
    _seen: tuple[Floats, Floats, Answers, Settings]

    def __init__(
        self,
        n_classes: int | None = None,
        *,
        ridge: float | None = None,
        error: float | None = None,
        warm_start: bool = True,
        preprocessor: Preprocessor = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_classes = n_classes
        self.ridge = ridge
        self.error = error
        self.warm_start = warm_start
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(
        self,
        triplets: ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: None = None,
        annotators: ArrayLike | None = None,
    ) -> Self:
        """Learn from answered questions.

        Parameters
        ----------
        triplets : array-like of shape (m, 3) with indices if there is a preprocessor, else (m, 3, d) points
        y : array-like of shape (m,), optional
            The answers: 1 (i is more like j), -1 (more like k), 0 (don't know). Without it all are 1.
        sample_weight : None
            Here for the signature's sake; answers count alike.
        annotators : array-like of shape (m,), optional
            Who gave each answer, as text.
        """
        if sample_weight is not None:
            raise ValueError("LatentClassMetric counts all answers alike; leave sample_weight out")
        points = resolve_questions(triplets, self.preprocessor)
        reference = reference_points(points, self.preprocessor)
        if self.preprocessor is not None and not callable(self.preprocessor):
            table, places = reference, np.asarray(triplets, dtype=np.int64).reshape(-1, 3)
        else:  # points that are in no table come after the reference, each once
            asked, where = np.unique(points.reshape(-1, points.shape[2]), axis=0, return_inverse=True)
            own = self.preprocessor is None
            table = asked if own else np.concatenate([reference, asked])
            places = where.reshape(-1, 3) + (0 if own else len(reference))
        answers = Answers(
            places.astype(np.int64), check_answers(y, len(points)), annotator_names(annotators, len(points))
        )
        settings = Settings.checked(self.n_classes, self.ridge, self.error)
        rng = Seeds(self.random_state).generator("latent classes")
        known = self.warm_start and self._saw_beginning(reference, points, answers, settings)
        if table is reference and not known:  # points that are in no table have no row to name
            check_values(table, 0, "preprocessor", LARGEST_FEATURE)
        self.model_ = fit_latent(table, answers, settings, rng, self.model_ if known else None)
        self.distance_ = LearnedDistance.learned(self.model_)
        self._seen = unchanging(reference), points, answers, settings
        self.n_features_in_ = points.shape[2]
        self.n_classes_, self.ridge_ = self.model_.n_classes, self.model_.ridge
        self.errors_ = dict(self.model_.errors)
        return self

    def _saw_beginning(self, reference: Floats, points: Floats, answers: Answers, settings: Settings) -> bool:
        """Return whether the last fit saw the same items and the first of these answers about them.

        And left the same to the answers: what was given then was no choice of theirs.
        """
        if not hasattr(self, "_seen"):
            return False
        items, asked, earlier, before = self._seen
        same = np.array_equal(asked, points[: len(asked)]) and np.array_equal(items, reference)
        return same and answers.repeat(earlier) and settings.left_open == before.left_open

    def transform(self, X: ArrayLike) -> Floats:
        """Map points to a space in which plain Euclidean distance comes near the learned one.

        Exact it cannot be: the learned distance saturates, and no map of few coordinates does.
        docs/beyond-the-paper.md says what is lost; `pair_distance` and `distances` lose nothing.

        Parameters
        ----------
        X : array-like of shape (n, d), or of shape (n,) with indices if there is a preprocessor
            A Dask array is transformed on its cluster, when the result is computed.
        """
        check_is_fitted(self)
        return self._by_rows(X, self.distance_.embedded, self.n_features_in_ + self.model_.weights[:, 0].size)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probability of each class for these items."""
        check_is_fitted(self)
        return self._by_rows(X, self.model_.probabilities, self.n_classes_)

    def error_of(self, annotator: str) -> float:
        """Return the error rate of an annotator; somebody new is taken to err in 5% of the answers."""
        check_is_fitted(self)
        return self.model_.error_of(annotator) if self.error is None else self.error

    def members(self, X: ArrayLike) -> Floats:
        """Return what each of the models believes about these items.

        Returns
        -------
        array of shape (K, n, C)
            The numbers of the classes mean the same in all of them, as far as the models agree.
        """
        check_is_fitted(self)
        return self.model_.members(self._points(X))

    def pair_distance(self, pairs: ArrayLike) -> Floats:
        """Return the learned distance of each pair, given as (m, 2, d) points or (m, 2) indices."""
        check_is_fitted(self)
        points = resolve_tuples(pairs, 2, self.preprocessor)
        check_same_features(points.shape[2], self.n_features_in_)
        return np.sqrt(self.distance_.of_pairs(points[:, 0], points[:, 1]))

    def pair_score(self, pairs: ArrayLike) -> Floats:
        """Return how alike the two of each pair are: the distance with a minus sign."""
        return -self.pair_distance(pairs)

    def distances(self, X: ArrayLike, Y: ArrayLike | None = None) -> Floats:
        """Return the learned distance of every row of X from every row of Y, or of X."""
        check_is_fitted(self)
        left = self._points(X)
        table = np.sqrt(self.distance_.between(left, left if Y is None else self._points(Y)))
        if Y is None:
            np.fill_diagonal(table, 0.0)  # of items far out, rounding may leave more than elsewhere
        return np.asarray(table)

    def get_metric(self) -> Callable[..., float]:
        """Return the distance as a function ``metric(u, v, squared=False)`` of two points."""
        check_is_fitted(self)
        learned, n_features = copy.deepcopy(self.distance_), self.n_features_in_

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            left, right = (as_point(point, n_features)[np.newaxis] for point in (u, v))
            square = float(learned.of_pairs(left, right)[0])
            return square if squared else square**0.5

        return metric

    def _points(self, X: ArrayLike) -> Floats:
        if self.preprocessor is not None and np.ndim(X) == 1:
            X = look_up(X, self.preprocessor)
        return check_points(X, self.n_features_in_)

    def _by_rows(self, X: ArrayLike, function: Callable[[Floats], Floats], n_columns: int) -> Floats:
        if not is_dask(X):
            return function(self._points(X))
        chunks = whole_rows(X)
        check_same_features(chunks.shape[1], self.n_features_in_)

        def checked(rows: Floats, first_row: int) -> Floats:
            return function(check_points(rows, first_row=first_row))

        return cast(Floats, map_rows(checked, chunks, n_columns))
