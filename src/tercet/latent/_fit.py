"""Fits the latent-class model to all answers: starts, warm starts, and each annotator's error rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from tercet._validation import Floats, Ints
from tercet.latent._objective import Evidence, minimise, softmax_and_log

#: The clustering terms see at most so many items, and all that were asked about.
MAX_CLUSTERED = 1000
# Error rates are Beta distributed before any answer is seen: 5%, worth so many answers.
_PRIOR_RATE, _PRIOR_ANSWERS = 0.05, 20.0
_ROUNDS_OF_ERRORS = 2
_COLD_STEPS, _WARM_STEPS, _OTHER_STEPS = 100, 25, 60
#: Every so many answers other starts are tried too.
RESTART_EVERY = 8


@dataclass(frozen=True)
class Answers:
    """Answers about the rows of a table: what the model is fitted to."""

    triplets: Ints
    answers: NDArray[np.int8]
    annotators: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, rows: NDArray[np.bool_] | Ints | slice) -> Answers:
        return Answers(self.triplets[rows], self.answers[rows], self.annotators[rows])

    def repeat(self, earlier: Answers) -> bool:
        """Return whether the first of these answers are the earlier ones, whatever the questions were."""
        m = len(earlier)
        return np.array_equal(self.answers[:m], earlier.answers) and np.array_equal(
            self.annotators[:m], earlier.annotators
        )


@dataclass(frozen=True)
class ClassModel:
    """Classes of items by their features: softmax(x W + b) of the standardised x.

    Attributes
    ----------
    mean, spread : arrays of shape (d,)
        Of the features.
    weights : array of shape (d + 1, C)
        The intercepts in the last row.
    first : array of shape (d + 1, C)
        The weights before any answer.
    errors : dict
        Each annotator's error rate.
    ridge : float
    n_answers : int
    """

    mean: Floats
    spread: Floats
    weights: Floats
    first: Floats
    errors: dict[str, float]
    ridge: float
    n_answers: int

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.weights.shape[1])

    def standardised(self, X: Floats) -> Floats:
        """Return features of mean 0 and spread 1."""
        return np.asarray((X - self.mean) / self.spread)

    def logits(self, X: Floats) -> Floats:
        """Return the logits of the classes of these items."""
        return np.asarray(self.standardised(X) @ self.weights[:-1] + self.weights[-1])

    def probabilities(self, X: Floats) -> Floats:
        """Return the probability of each class for these items."""
        return softmax_and_log(self.logits(X))[0]

    def error_of(self, annotator: str) -> float:
        """Return an annotator's error rate; somebody new is taken to be like most."""
        return self.errors.get(annotator, _PRIOR_RATE)

    def likelihood(self, X: Floats, answers: Answers) -> Floats:
        """Return the probability of each of these answers about the rows of X, errors included."""
        evidence = _evidence(answers.triplets, answers, self.errors, None)
        return evidence.likelihood(self.probabilities(X))


def fit_classes(
    X: Floats,
    answers: Answers,
    *,
    n_classes: int,
    ridge: float,
    error: float | None,
    rng: np.random.Generator,
    warm: ClassModel | None = None,
) -> ClassModel:
    """Return the model of these items' classes.

    Parameters
    ----------
    X : array of shape (n, d)
    ridge : float
        The strength of the ridge, over the number of classes.
    error : float, optional
        The error rate of all annotators; estimated, one for each, if None.
    warm : ClassModel, optional
        A model of fewer of the same answers, to start from.
    """
    seen = _clustered(len(X), answers.triplets, rng)
    mean, spread = X.mean(axis=0), X.std(axis=0)
    # A constant feature tells nothing; dividing by 1 leaves it at 0.
    spread = np.where(spread > 1e-12 * np.abs(X).max(axis=0, initial=0.0), spread, 1.0)
    design = np.column_stack([(X[seen] - mean) / spread, np.ones(len(seen))])
    strength = ridge / n_classes
    place = np.searchsorted(seen, answers.triplets)
    nothing = _evidence(place[:0], answers[:0], {}, error)
    if warm is None or warm.weights.shape != (design.shape[1], n_classes):
        starts = [_by_clusters(design, n_classes, 3, rng) for _ in range(2)]
        first = _best(design, nothing, strength, starts, _COLD_STEPS)[0]
        errors: dict[str, float] = {}
        start = first
    else:
        first, errors, start = warm.first, warm.errors, warm.weights
    weights = start
    if len(answers):
        evidence = _evidence(place, answers, errors, error)
        weights, value = minimise(design, evidence, strength, start, _WARM_STEPS)
        if len(answers) % RESTART_EVERY == 0:
            others = [first, _by_clusters(design, n_classes, 1, rng)]
            other, other_value = _best(design, evidence, strength, others, _OTHER_STEPS)
            if other_value < value:
                weights = other
        if error is None:
            errors = _error_rates(design, weights, place, answers, errors)
    return ClassModel(mean, spread, weights, first, errors, ridge, len(answers))


def _clustered(n_items: int, triplets: Ints, rng: np.random.Generator) -> Ints:
    """Return the items that the clustering terms see, in order."""
    if n_items <= MAX_CLUSTERED:
        return np.arange(n_items)
    return np.union1d(rng.choice(n_items, MAX_CLUSTERED, replace=False), triplets.ravel())


def _evidence(place: Ints, answers: Answers, errors: dict[str, float], error: float | None) -> Evidence:
    if error is None:
        rates = np.array([errors.get(name, _PRIOR_RATE) for name in answers.annotators.tolist()])
    else:
        rates = np.full(len(answers), error)
    return Evidence(place, answers.answers.astype(np.int64), rates.astype(np.float64))


def _best(
    design: Floats, evidence: Evidence, ridge: float, starts: list[Floats], max_iter: int
) -> tuple[Floats, float]:
    found = [minimise(design, evidence, ridge, start, max_iter) for start in starts]
    return min(found, key=lambda pair: pair[1])


def _by_clusters(design: Floats, n_classes: int, n_init: int, rng: np.random.Generator) -> Floats:
    """Return weights that say what k-means does, by ridge regression on its clusters."""
    n_items, width = design.shape
    clusters = KMeans(n_classes, n_init=n_init, random_state=int(rng.integers(2**31))).fit(design[:, :-1])
    wanted = np.eye(n_classes)[clusters.labels_]
    shrink = np.full(width, 0.1 * n_items)
    shrink[-1] = 1e-6
    gram = design.T @ design
    gram[np.diag_indices(width)] += shrink
    return np.asarray(4.0 * np.linalg.solve(gram, design.T @ (wanted - wanted.mean(axis=0))))


def _error_rates(
    design: Floats, weights: Floats, place: Ints, answers: Answers, errors: dict[str, float]
) -> dict[str, float]:
    """Return each annotator's error rate, by expectation and maximisation with the classes held.

    An answer that the classes make unlikely is likely an error, in the manner of Dawid and Skene: with rate e
    the probability that it is one is (e/3) / [(1 - e) p(answer) + e/3].
    """
    P = softmax_and_log(design @ weights)[0]
    names, who = np.unique(answers.annotators, return_inverse=True)
    rates = np.array([errors.get(str(name), _PRIOR_RATE) for name in names])
    true = _evidence(place, answers, {}, 0.0).likelihood(P)
    counts = np.bincount(who, minlength=len(names))
    for _ in range(_ROUNDS_OF_ERRORS):
        wrong = rates[who] / 3 / ((1 - rates[who]) * true + rates[who] / 3)
        expected = np.bincount(who, weights=wrong, minlength=len(names))
        rates = (expected + _PRIOR_RATE * _PRIOR_ANSWERS) / (counts + _PRIOR_ANSWERS)
    return {str(name): float(rate) for name, rate in zip(names, rates, strict=True)}
