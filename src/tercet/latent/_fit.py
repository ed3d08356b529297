"""Fits several latent-class models to all answers: starts, warm starts, and each annotator's error rate.

One model is too sure of itself: few answers leave many ways to divide the items, and its optimum is one of
them. So there are several, an ensemble. They differ in where they start, and as a rule in how much the
kernel's components count beside the plain features; now and then each tries another start and may move there,
by the rule of Metropolis, as a sampler would between the modes of what the answers leave possible. Where they
differ, nobody knows yet; that is the doubt that beliefs, distances and questions go by.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from tercet._fast import kernels
from tercet._validation import Floats, Ints
from tercet.latent._basis import Basis
from tercet.latent._objective import (
    ANSWERS_PER_CLUSTERING,
    Evidence,
    minimise,
    one_thread,
    softmax_and_log,
)

#: The clustering terms see at most so many items, and all that were asked about.
MAX_CLUSTERED = 500
#: Error rates are Beta distributed before any answer is seen: 5%, worth so many answers.
PRIOR_RATE, _PRIOR_ANSWERS = 0.05, 5.0
_ROUNDS_OF_ERRORS = 12
_LEAST_CURVATURE = 1e-9  # where all answers were foreseen as well as they are frequent
_COLD_STEPS, _WARM_STEPS, _OTHER_STEPS = 30, 8, 30
#: Every so many answers each model tries another start.
RESTART_EVERY = 8
# A start from the answers alone counts them so many times as much as the clusters.
_ANSWERS_FIRST = 20.0


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers about the rows of a table: what the models are fitted to."""

    triplets: Ints
    answers: NDArray[np.int8]
    annotators: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, rows: NDArray[np.bool_] | Ints | slice) -> Answers:
        return Answers(self.triplets[rows], self.answers[rows], self.annotators[rows])

    @property
    def of_several(self) -> bool:
        """Whether more than one person gave them."""
        return len(np.unique(self.annotators)) > 1

    def repeat(self, earlier: Answers) -> bool:
        """Return whether the first of these answers are the earlier ones, whatever the questions were."""
        m = len(earlier)
        return np.array_equal(self.answers[:m], earlier.answers) and np.array_equal(
            self.annotators[:m], earlier.annotators
        )


@dataclass(frozen=True, eq=False)
class ClassModel:
    """Classes of items by their coordinates x, as several models see them: softmax(x W + b) of each.

    Attributes
    ----------
    basis : Basis
        Turns features into coordinates.
    weights : array of shape (K, D + 1, C)
        Of each model, the intercepts in the last row. A class has the same number in all of them, as far as
        they agree.
    errors : dict
        Each annotator's error rate.
    foreseen : array of shape (m,)
        How likely each answer was, before it was learned, if nobody erred.
    ridge : float
        How strongly the weights were pulled to 0, over the number of classes.
    shares : tuple of K float
        How much the kernel's components counted in each model, against the plain features.
    """

    basis: Basis
    weights: Floats
    errors: dict[str, float]
    foreseen: Floats
    ridge: float
    shares: tuple[float, ...]

    @property
    def n_answers(self) -> int:
        """How many answers these models explain."""
        return len(self.foreseen)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.weights.shape[2])

    def directions(self, coordinates: Floats) -> Floats:
        """Return the logits of each model without intercepts, centred over the classes; shape (K, n, C)."""
        raw = coordinates @ self.weights[:, :-1]
        return np.asarray(raw - raw.mean(axis=2, keepdims=True))

    def members_at(self, coordinates: Floats) -> Floats:
        """Return what each model believes about items at these coordinates; shape (K, n, C)."""
        return softmax_and_log(coordinates @ self.weights[:, :-1] + self.weights[:, -1:])[0]

    def members(self, X: Floats) -> Floats:
        """Return what each model believes about these items, an array of shape (K, n, C)."""
        return self.members_at(self.basis.coordinates(self.basis.standardised(X)))

    def probabilities(self, X: Floats) -> Floats:
        """Return the probability of each class for these items, in the mean of the models."""
        return np.asarray(self.members(X).mean(axis=0))

    def error_of(self, annotator: str) -> float:
        """Return an annotator's error rate; somebody new is taken to be like most."""
        return self.errors.get(annotator, PRIOR_RATE)

    def likelihood(self, X: Floats, answers: Answers, error: float | None = None) -> Floats:
        """Return the probability of each of these answers about the rows of X.

        Everybody errs as often as estimated, if no rate is given for all.
        """
        asked, place = np.unique(answers.triplets, return_inverse=True)
        evidence = _evidence(place.reshape(-1, 3), answers, self.errors, error)
        return np.asarray(evidence.likelihood(self.members(X[asked])).mean(axis=0))


def fit_classes(
    X: Floats,
    answers: Answers,
    *,
    n_classes: int,
    ridge: float,
    error: float | None,
    rng: np.random.Generator,
    warm: ClassModel | None = None,
    basis: Basis | None = None,
    shares: tuple[float, ...],
    restarts: bool = True,
) -> ClassModel:
    """Return the models of these items' classes.

    Parameters
    ----------
    X : array of shape (n, d)
    ridge : float
        The strength of the ridge, over the number of classes.
    error : float, optional
        The error rate of all annotators; estimated, one for each, if None.
    warm : ClassModel, optional
        Models of fewer of the same answers, to start from.
    basis : Basis, optional
        Of these items, if it is known and there is nothing to start from.
    shares : tuple of float
        How much the kernel's components count against the plain features, one number a model.
    restarts : bool
        Whether the models try other starts now and then.
    """
    if warm is None and len(answers):  # what half of them foresee of the other half says who errs
        warm = fit_classes(
            X,
            answers[: len(answers) // 2],
            n_classes=n_classes,
            ridge=ridge,
            error=error,
            rng=rng,
            basis=basis,
            shares=shares,
            restarts=restarts,
        )
    basis = warm.basis if warm is not None else basis or Basis.measured(X, rng)
    seen = _clustered(len(X), n_classes, answers.triplets, rng)
    place = np.searchsorted(seen, answers.triplets)
    foreseen = _foreseen(X, answers, warm)
    errors: dict[str, float] = {}
    several = False  # people, whose answers are each kept from one of the models
    if len(answers) and error is None:
        several = len(shares) > 1 and answers.of_several
        known = _held_back(X, answers, warm, foreseen) if several else foreseen
        errors = _error_rates(known, answers)
    kept_from = _turn(answers, len(shares)) if several else None
    everything = _evidence(place, answers, errors, error)
    coordinates = basis.coordinates(basis.standardised(X[seen]))
    goes_on = warm is not None and warm.weights.shape[::2] == (len(shares), n_classes)
    of_kind = {
        share: _Member(basis, coordinates, share, n_classes, ridge / n_classes, rng) for share in set(shares)
    }
    turn = None if len(answers) % RESTART_EVERY or not restarts else len(answers) // RESTART_EVERY
    found = []
    with one_thread():
        for number, share in enumerate(shares):
            one = of_kind[share]
            start = one.narrowed(warm.weights[number]) if warm is not None and goes_on else one.cold()
            if len(answers):
                evidence = everything if kept_from is None else everything[kept_from != number]
                start = one.learned(start, evidence, None if turn is None else turn + number)
            found.append(one.widened(start))
        weights = np.stack(found)
        members = softmax_and_log(coordinates @ weights[:, :-1] + weights[:, -1:])[0]
        known = warm.members_at(coordinates).mean(axis=0) if warm is not None and goes_on else members[0]
        order = _numbered_alike(members, known)
        weights = np.take_along_axis(weights, order[:, np.newaxis], axis=2)
    return ClassModel(basis, weights, errors, foreseen, ridge, shares)


class _Member:
    """One kind of model while it is fitted: to coordinates that are scaled by its own taste."""

    def __init__(
        self,
        basis: Basis,
        coordinates: Floats,
        share: float,
        n_classes: int,
        ridge: float,
        rng: np.random.Generator,
    ) -> None:
        self.scale = np.ones(basis.n_columns + 1)
        self.scale[basis.n_features : -1] = np.sqrt(share)
        self.used = self.scale > 0
        whole = np.column_stack([coordinates, np.ones(len(coordinates))]) * self.scale
        self.design = np.ascontiguousarray(whole[:, self.used])
        self.n_classes, self.ridge, self.rng = n_classes, ridge, rng

    def narrowed(self, weights: Floats) -> Floats:
        """Return the weights of scaled coordinates, of those that this model looks at."""
        return np.asarray(weights[self.used] / self.scale[self.used, np.newaxis])

    def widened(self, weights: Floats) -> Floats:
        """Return the weights of all coordinates as they are."""
        whole = np.zeros((len(self.scale), self.n_classes))
        whole[self.used] = weights * self.scale[self.used, np.newaxis]
        return whole

    def cold(self) -> Floats:
        """Return weights before any answer."""
        nothing = Evidence(np.empty((0, 3), np.int64), np.empty(0, np.int64), np.empty(0))
        return minimise(self.design, nothing, self.ridge, self.by_clusters(), _COLD_STEPS)[0]

    def learned(self, start: Floats, evidence: Evidence, turn: int | None) -> Floats:
        """Return weights that explain the answers, from a start or, in a turn, from another one."""
        weights, value = minimise(self.design, evidence, self.ridge, start, _WARM_STEPS)
        if turn is None:
            return weights
        other = self.by_answers(evidence) if turn % 2 else self.by_clusters()
        other, other_value = minimise(self.design, evidence, self.ridge, other, _OTHER_STEPS)
        # The value is minus a log-probability, over the answers that the clustering terms count for.
        odds = np.exp(min(0.0, ANSWERS_PER_CLUSTERING * (value - other_value)))
        return other if self.rng.random() < odds else weights

    def by_clusters(self) -> Floats:
        """Return weights that say what k-means does, by ridge regression on its clusters."""
        n_items, width = self.design.shape
        seed = int(self.rng.integers(2**31))
        with warnings.catch_warnings():
            # Fewer different items than classes: as good a start as any.
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = KMeans(self.n_classes, n_init=1, random_state=seed).fit(self.design[:, :-1]).labels_
        wanted = np.eye(self.n_classes)[labels]
        shrink = np.full(width, 0.1 * n_items)
        shrink[-1] = 1e-6
        gram = self.design.T @ self.design
        gram[np.diag_indices(width)] += shrink
        return np.asarray(4.0 * np.linalg.solve(gram, self.design.T @ (wanted - wanted.mean(axis=0))))

    def by_answers(self, evidence: Evidence) -> Floats:
        """Return weights that explain the answers, whatever the clusters: classes may cut across them."""
        eager = Evidence(
            evidence.triplets, evidence.answers, evidence.errors, _ANSWERS_FIRST * evidence.weight
        )
        start = self.rng.normal(scale=0.1, size=(self.design.shape[1], self.n_classes))
        return minimise(self.design, eager, self.ridge, start, _COLD_STEPS)[0]


def _clustered(n_items: int, n_classes: int, triplets: Ints, rng: np.random.Generator) -> Ints:
    """Return the items that the clustering terms see, in order."""
    most = max(MAX_CLUSTERED, n_classes)
    if n_items <= most:
        return np.arange(n_items)
    return np.union1d(rng.choice(n_items, most, replace=False), triplets.ravel())


def _evidence(place: Ints, answers: Answers, errors: dict[str, float], error: float | None) -> Evidence:
    if error is None:
        rates = np.array([errors.get(name, PRIOR_RATE) for name in answers.annotators.tolist()])
    else:
        rates = np.full(len(answers), error)
    weight = 1 / ANSWERS_PER_CLUSTERING
    return Evidence(place, answers.answers.astype(np.int64), rates.astype(np.float64), weight)


def _numbered_alike(members: Floats, known: Floats) -> Ints:
    """Return the order of each model's classes in which they are most like those known; shape (K, C)."""
    return np.stack([linear_sum_assignment(known.T @ P, maximize=True)[1] for P in members])


def _foreseen(X: Floats, answers: Answers, warm: ClassModel | None) -> Floats:
    """Return how likely each answer was before it was learned: what is new, by the models of the others."""
    if warm is None:
        return np.empty(0)
    new = answers[warm.n_answers :]
    return np.concatenate([warm.foreseen, warm.likelihood(X, new, 0.0)]) if len(new) else warm.foreseen


def _turn(answers: Answers, n_models: int) -> Ints:
    """Return the number of the model that each answer is kept from, where several people answer.

    Everybody's answers go through all models, in whatever order people come: the models differ in kind, and
    those that see less would find fault with whoever they alone judge.
    """
    last: dict[str, int] = {}
    turns = []
    for name in answers.annotators.tolist():
        last[name] = last.get(name, len(last) - 1) + 1  # the next person begins with the next model
        turns.append(last[name] % n_models)
    return np.array(turns, dtype=np.int64)


def _held_back(X: Floats, answers: Answers, warm: ClassModel | None, foreseen: Floats) -> Floats:
    """Return how likely each answer is to a model that it was kept from.

    Models that knew nothing yet foresaw the first answers, and say little about who gave them. By what is
    known now they say more; but not by models that learned them, errors and all, as they did while all
    answers were one person's.
    """
    earlier = answers[: 0 if warm is None else warm.n_answers]
    if warm is None or not earlier.of_several:
        return foreseen
    asked, place = np.unique(earlier.triplets, return_inverse=True)
    evidence = _evidence(place.reshape(-1, 3), earlier, {}, 0.0)
    likelihood = evidence.likelihood(warm.members(X[asked]))
    turn = _turn(earlier, len(likelihood))
    return np.concatenate([likelihood[turn, np.arange(len(earlier))], foreseen[len(earlier) :]])


def _error_rates(foreseen: Floats, answers: Answers) -> dict[str, float]:
    """Return each annotator's error rate, the likeliest in the manner of Dawid and Skene.

    An answer that is unlikely to models that did not learn it (others explain errors too) comes of one of two
    faults: the models are wrong, by a share that is the same for everybody, and any answer is as likely as it
    is frequent; or who answered erred, and any of the three is as likely. The logarithm of the probability is
    concave in each of the shares while the others stand, so that a few steps of Newton in turn find them;
    expectation and maximisation would take hundreds.
    """
    names, who = np.unique(answers.annotators, return_inverse=True)
    counts = np.bincount(answers.answers + 1, minlength=3)
    frequent = ((counts + 1) / (len(answers) + 3))[answers.answers + 1]
    gain = foreseen - frequent
    compiled = kernels("tercet.latent._errors_kernel")
    if compiled is not None:  # 0.4 ms less of the 5 that a question takes where items are few
        found = compiled.error_rates(
            gain,
            frequent,
            who,
            len(names),
            PRIOR_RATE,
            _PRIOR_ANSWERS,
            _LEAST_CURVATURE,
            _ROUNDS_OF_ERRORS,
        )
        return dict(zip(names.tolist(), found.tolist(), strict=True))
    errors, others = PRIOR_RATE * _PRIOR_ANSWERS, (1 - PRIOR_RATE) * _PRIOR_ANSWERS
    rates, right = np.full(len(names), PRIOR_RATE), np.array(0.5)
    for _ in range(_ROUNDS_OF_ERRORS):
        e = rates[who]
        slope = (1 - e) * gain / ((1 - e) * (frequent + right * gain) + e / 3)
        right = _stepped(right, slope.sum(), np.square(slope).sum())
        chance = frequent + right * gain
        slope = (1 / 3 - chance) / ((1 - e) * chance + e / 3)
        by_name = np.bincount(who, slope) + errors / rates - others / (1 - rates)
        curvature = np.bincount(who, slope**2) + errors / rates**2 + others / (1 - rates) ** 2
        rates = _stepped(rates, by_name, curvature)
    return dict(zip(names.tolist(), rates.tolist(), strict=True))


def _stepped(share: Floats, slope: Floats, curvature: Floats) -> Floats:
    """Return shares after a step of Newton, at most three quarters of the way to 0 or 1."""
    step = slope / np.maximum(curvature, _LEAST_CURVATURE)
    return np.asarray(np.clip(share + step, share / 4, 1 - (1 - share) / 4))
