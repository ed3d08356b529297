"""A metric by latent classes, learned from every answer."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_is_fitted

from tercet._dask import is_dask, map_rows, whole_rows
from tercet._random import RandomState, Seeds
from tercet._validation import Floats, Ints, check_same_features
from tercet.answers import annotator_names
from tercet.latent import Answers, ClassModel, Doubt, LearnedDistance, Settings, fit_latent
from tercet.metrics._base import (
    Preprocessor,
    TripletClassifier,
    check_answers,
    look_up,
    reference_points,
    resolve_tuples,
)


class LatentClassMetric(TripletClassifier):
    """Near items by their features, far ones by classes that explain every answer, don't-knows too.

    The answers are taken to come from hidden classes, as in the paper's answer model: yes if i and j are of
    one class and k is not, no the other way round, and else don't-know. The classes are a softmax of the
    features, fitted to all answers at once, so that a don't-know teaches as much as a yes. The learned
    distance joins them with the plain features; how far they are trusted comes from answers to questions on
    which the two disagree (`duels`), so that the result is rarely worse than where it started.

    Parameters
    ----------
    n_classes : int, optional
        How many hidden classes to expect; without it the number is chosen from the answers.
    ridge : float, optional
        How strongly the weights of features are pulled to 0; chosen from the answers if None.
    error : float in [0, 1), optional
        The share of answers that are given at random. Without it, each annotator's is estimated together with
        the classes, in the manner of Dawid and Skene.
    check_every : int or None
        An `ActiveLearner` asks a duel every so many questions; None asks none.
    preprocessor : array of shape (n, d) or callable, optional
        Turns indices in triplets into points. All its points are clustered, also those never asked about.
    warm_start : bool
        Start from the last fit where that saw the beginning of the same answers: milliseconds in place of a
        tenth of a second.
    random_state : int, Generator, RandomState or None
        Decides where the clusters start.

    Attributes
    ----------
    n_classes_ : int
    errors_ : dict
        Each annotator's error rate.
    trust_ : float in [0, 1]
        How far the classes are trusted.

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
    _seen: tuple[Floats, Answers]

    def __init__(
        self,
        n_classes: int | None = None,
        *,
        ridge: float | None = None,
        error: float | None = None,
        check_every: int | None = 8,
        warm_start: bool = True,
        preprocessor: Preprocessor = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_classes = n_classes
        self.ridge = ridge
        self.error = error
        self.check_every = check_every
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
        points = resolve_tuples(triplets, 3, self.preprocessor)
        reference = reference_points(points, self.preprocessor)
        self.n_features_in_ = points.shape[2]
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
        known = self.warm_start and self._saw_beginning(points, answers)
        self.model_ = fit_latent(table, answers, settings, rng, self.model_ if known else None)
        scale = self.distance_.scale if known else None
        self.distance_ = LearnedDistance.learned(self.model_, table, answers, rng, scale)
        self._seen = table, answers
        self.n_classes_ = self.model_.n_classes
        self.errors_ = dict(self.model_.errors)
        self.trust_ = self.distance_.trust
        return self

    def _saw_beginning(self, points: Floats, answers: Answers) -> bool:
        """Return whether the last fit saw the first of these answers; places in the table may change."""
        if not hasattr(self, "_seen"):
            return False
        table, earlier = self._seen
        return answers.repeat(earlier) and np.array_equal(table[earlier.triplets], points[: len(earlier)])

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
        return self._by_rows(X, self.distance_.embedded, self.n_features_in_ + 2 * self.n_classes_)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probability of each class for these items."""
        check_is_fitted(self)
        return self._by_rows(X, self.model_.probabilities, self.n_classes_)

    def error_of(self, annotator: str) -> float:
        """Return the error rate of an annotator; somebody new is taken to err in 5% of the answers."""
        check_is_fitted(self)
        return self.model_.error_of(annotator) if self.error is None else self.error

    def members(self, X: ArrayLike, n_samples: int = 16, random_state: RandomState = None) -> Floats:
        """Return the beliefs of several models that explain the answers about as well as the best.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        array of shape (K, n, C)
            The numbers of the classes mean the same in all of them.
        """
        check_is_fitted(self)
        rng = Seeds(random_state).generator("doubt")
        return Doubt.around(self.model_, *self._seen, n_samples, rng).members(self._points(X))

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
        return np.sqrt(self.distance_.between(left, left if Y is None else self._points(Y)))

    def get_metric(self) -> Callable[..., float]:
        """Return the distance as a function ``metric(u, v, squared=False)`` of two points."""
        check_is_fitted(self)
        learned = copy.deepcopy(self.distance_)

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            u, v = (np.asarray(point, dtype=np.float64)[np.newaxis] for point in (u, v))
            square = float(learned.of_pairs(u, v)[0])
            return square if squared else square**0.5

        return metric

    def duels(self, X: ArrayLike, random_state: RandomState = None) -> Ints:
        """Return questions about rows of X on which features and classes disagree, in the order to ask."""
        check_is_fitted(self)
        return self.distance_.duel(self._points(X), Seeds(random_state).generator("duels"))

    def _points(self, X: ArrayLike) -> Floats:
        if self.preprocessor is not None and np.ndim(X) == 1:
            X = look_up(X, self.preprocessor)
        points = np.asarray(check_array(X, dtype=np.float64))
        check_same_features(points.shape[1], self.n_features_in_)
        return points

    def _by_rows(self, X: ArrayLike, function: Callable[[Floats], Floats], n_columns: int) -> Floats:
        if not is_dask(X):
            return function(self._points(X))
        chunks = whole_rows(X)
        check_same_features(chunks.shape[1], self.n_features_in_)
        return cast(Floats, map_rows(lambda rows, _: function(rows), chunks, n_columns))
