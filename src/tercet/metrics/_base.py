"""What all metric learners share, in metric-learn's conventions."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tercet._dask import is_dask, map_rows, whole_rows
from tercet._validation import (
    Floats,
    as_numbers,
    check_different,
    check_points,
    check_same_features,
    check_weights,
)
from tercet.answers import as_answers
from tercet.metrics._basis import Basis, resolve_basis

Preprocessor = ArrayLike | Callable[[NDArray[Any]], ArrayLike] | None


class MahalanobisMetric(BaseEstimator):
    """Distances |L (x - x')| for a learned matrix L, called ``components_``.

    Every public method is derived from ``components_``, so that changing it changes all of them. A subclass
    says in ``_learn`` how differences to the near and to the far item become ``components_``.
    """

    components_: Floats
    basis_: Floats
    n_features_in_: int
    basis: Basis
    preprocessor: Preprocessor = None

    def transform(self, X: ArrayLike) -> Floats:
        """Map points to the space in which plain Euclidean distance is the learned one.

        Parameters
        ----------
        X : array-like of shape (n, d), or of shape (n,) with indices if there is a preprocessor
            A Dask array is transformed on its cluster, when the result is computed.

        Returns
        -------
        array of shape (n, n_components)
        """
        check_is_fitted(self, "components_")
        if is_dask(X):
            chunks = whole_rows(X)
            check_same_features(chunks.shape[1], self.n_features_in_)
            # Without the preprocessor, which may hold all points in memory.
            alone = copy.copy(self)
            alone.preprocessor = None
            return cast(Floats, map_rows(alone._transform_from, chunks, len(self.components_)))
        if self.preprocessor is not None and np.ndim(X) == 1:
            X = look_up(X, self.preprocessor)
        return self._transform_from(X)

    def pair_distance(self, pairs: ArrayLike) -> Floats:
        """Return the learned distance of each pair, given as (m, 2, d) points or (m, 2) indices."""
        check_is_fitted(self, "components_")
        points = self._tuples(pairs, 2)
        return np.asarray(np.linalg.norm((points[:, 0] - points[:, 1]) @ self.components_.T, axis=1))

    def pair_score(self, pairs: ArrayLike) -> Floats:
        """Return how alike the two of each pair are: the distance with a minus sign."""
        return -self.pair_distance(pairs)

    def get_mahalanobis_matrix(self) -> Floats:
        """Return M = L'L, so that the squared distance is (x - x')' M (x - x')."""
        check_is_fitted(self, "components_")
        return np.asarray(self.components_.T @ self.components_)

    def get_metric(self) -> Callable[..., float]:
        """Return the distance as a function ``metric(u, v, squared=False)`` of two points.

        It keeps a copy of what was learned, and can be given to scikit-learn wherever a metric is wanted.
        """
        check_is_fitted(self, "components_")
        components = self.components_.T.copy()

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            difference = (as_point(u, len(components)) - as_point(v, len(components))) @ components
            square = float(difference @ difference)
            return square if squared else square**0.5

        return metric

    def _transform_from(self, X: ArrayLike, first_row: int = 0) -> Floats:
        return np.asarray(self._check_points(X, first_row) @ self.components_.T)

    def _check_points(self, X: ArrayLike, first_row: int) -> Floats:
        return check_points(X, self.n_features_in_, first_row=first_row)

    def _tuples(self, tuples: ArrayLike, size: int) -> Floats:
        points = resolve_tuples(tuples, size, self.preprocessor)
        check_same_features(points.shape[2], self.n_features_in_)
        return points

    def _fit_points(self, near_first: Floats, weights: Floats, reference: Floats) -> None:
        """Learn from triplets of points whose second is nearer than the third."""
        self.basis_ = resolve_basis(self.basis, reference)
        head, near, far = near_first.swapaxes(0, 1)
        to_near, to_far = head - near, head - far
        if self.basis is not None:
            to_near, to_far = to_near @ self.basis_.T, to_far @ self.basis_.T
        self._learn(to_near, to_far, weights)
        self.n_features_in_ = near_first.shape[2]

    def _learn(self, near: Floats, far: Floats, weights: Floats) -> None:
        raise NotImplementedError


class TripletClassifier(ClassifierMixin, BaseEstimator):
    """Answers questions by a distance between pairs; the sign of ``decision_function`` is the answer."""

    classes_ = np.array([-1, 1])
    #: ``fit`` takes answers 1, -1, 0 as ``y``; a learner that does not gets triplets with the nearer second.
    takes_answers = True
    preprocessor: Preprocessor = None
    pair_distance: Callable[[ArrayLike], Floats]

    def decision_function(self, triplets: ArrayLike) -> Floats:
        """Return d(i, k) - d(i, j): positive where i is nearer to j."""
        check_is_fitted(self)
        points = resolve_tuples(triplets, 3, self.preprocessor)
        to_j, to_k = (self.pair_distance(points[:, [0, other]]) for other in (1, 2))
        return np.asarray(to_k - to_j)

    def predict(self, triplets: ArrayLike) -> NDArray[np.int64]:
        """Return 1 where i is nearer to j than to k, else -1 (also where the two are equally far)."""
        return np.where(self.decision_function(triplets) > 0, 1, -1)

    def score(
        self, triplets: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the share of yes/no answers predicted right; don't-knows are passed over.

        Without ``y`` every answer is taken to be 1.
        """
        predictions = self.predict(triplets)
        answers = check_answers(y, len(predictions))
        weights = check_weights(sample_weight, len(predictions)) * (answers != 0)
        if not weights.any():
            raise ValueError("there is no yes or no answer (of positive weight) to score; give at least one")
        return float(np.average(predictions == answers, weights=weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.target_tags.required = False
        return tags


class TripletMetric(TripletClassifier, MahalanobisMetric):
    """``fit`` on answered questions for a linear map that is learned from the yes and no answers."""

    def fit(
        self, triplets: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from answered questions.

        Parameters
        ----------
        triplets : array-like of shape (m, 3) with indices if there is a preprocessor, else (m, 3, d) points
            Each row is a question (i, j, k).
        y : array-like of shape (m,), optional
            The answers: 1 (i is more like j), -1 (more like k), 0 (don't know, passed over).
            Without it every answer is 1, as in metric-learn.
        sample_weight : array-like of shape (m,), optional
            How much each triplet counts; 2 is the same as giving it twice.
        """
        points = resolve_questions(triplets, self.preprocessor)
        answers = check_answers(y, len(points))
        weights = check_weights(sample_weight, len(points))
        used = answers != 0
        near_first = np.where(answers[used, None, None] == 1, points[used], points[used][:, [0, 2, 1]])
        self._fit_points(near_first, weights[used], reference_points(points, self.preprocessor))
        return self


def reference_points(points: Floats, preprocessor: Preprocessor) -> Floats:
    """Return the known points as rows: the preprocessor's table, or the triplets' own."""
    everything = points if preprocessor is None or callable(preprocessor) else preprocessor
    # A preprocessor for more points than fit in memory brings a sample of them.
    everything = getattr(preprocessor, "reference", everything)
    return check_points(np.reshape(np.asarray(everything), (-1, points.shape[2])), name="preprocessor")


def as_point(point: ArrayLike, n_features: int) -> Floats:
    """Return a single point as an array of shape (d,); quickly, since one call is about one pair only."""
    found = as_numbers(point, "a point")
    if found.ndim != 1 and (found.ndim != 2 or len(found) != 1):
        raise ValueError(
            f"a metric takes single points, not an array of shape {found.shape}; use pair_distance or "
            "distances for several at once"
        )
    check_same_features(found.shape[-1], n_features)
    if not np.isfinite(found).all():
        raise ValueError(f"a point holds {found[~np.isfinite(found)][0]}; fill in what is unknown")
    return found.reshape(n_features)


def resolve_questions(triplets: ArrayLike, preprocessor: Preprocessor) -> Floats:
    """Return questions as an (m, 3, d) array; with indices, of three different items each."""
    array = np.asarray(triplets)
    if preprocessor is not None and array.ndim == 2 and array.shape[1] == 3 and array.dtype.kind in "iu":
        check_different(array.astype(np.int64))
    return resolve_tuples(triplets, 3, preprocessor)


def resolve_tuples(tuples: ArrayLike, size: int, preprocessor: Preprocessor) -> Floats:
    """Return tuples given as points, or as indices into ``preprocessor``, as an (m, size, d) array."""
    array = np.asarray(tuples)
    if preprocessor is not None and (array.ndim == 2 or array.size == 0) and array.ndim < 3:
        indices = array.reshape(-1, size).astype(np.int64) if array.size == 0 else array
        if indices.shape[1] != size:
            raise ValueError(f"expected {size} indices a row, not an array of shape {array.shape}")
        points = look_up(indices.ravel(), preprocessor)
        return points.reshape(len(indices), size, points.shape[1])
    if array.ndim != 3 or array.shape[1] != size:
        hint = "; to use indices give preprocessor=X" if array.ndim == 2 else ""
        raise ValueError(f"expected points of shape (m, {size}, d), not {array.shape}{hint}")
    return check_points(array, name="pairs" if size == 2 else "triplets", size=size)


def look_up(indices: ArrayLike, preprocessor: Preprocessor) -> Floats:
    """Return the points that the indices stand for, as a (len(indices), d) array."""
    wanted = np.asarray(indices)
    if callable(preprocessor):
        points = check_points(preprocessor(wanted), name="what the preprocessor returned")
        if len(points) != len(wanted):
            raise ValueError(f"the preprocessor returned {len(points)} points for {len(wanted)} indices")
        return points
    table = check_points(cast(ArrayLike, preprocessor), name="preprocessor")
    if wanted.size == 0:
        return np.empty((0, table.shape[1]))
    if wanted.dtype.kind not in "iu":
        raise ValueError(
            "with an array as preprocessor, items are row numbers (integers), not "
            f"{wanted.dtype}; give a single point as point.reshape(1, -1)"
        )
    outside = (wanted < 0) | (wanted >= len(table))
    if outside.any():
        raise ValueError(
            f"index {wanted[outside][0]} is not a row of the preprocessor, which has {len(table)} rows"
        )
    return np.asarray(table[wanted])


def check_answers(y: ArrayLike | None, n_triplets: int) -> NDArray[np.int8]:
    """Return one answer a triplet as 1, -1 or 0; all 1 where none are given."""
    answers = np.ones(n_triplets, dtype=np.int8) if y is None else as_answers(y)
    if len(answers) != n_triplets:
        raise ValueError(f"{n_triplets} triplets but {len(answers)} answers in y; give one answer a triplet")
    return answers
