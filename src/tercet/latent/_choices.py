"""What the answers choose: the ridge, the kinds of models and, where nobody gives it, the number of classes.

All are judged by answers that a model did not see. That flatters, since questions share items, but it does so
to all that are compared. (Judging by items that a model was told nothing about leaves it too few answers, and
simpler models than are best are chosen.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from math import log2

import numpy as np

from tercet._validation import Floats, Ints, check_count, check_n_classes, check_number
from tercet.latent._basis import Basis
from tercet.latent._fit import PRIOR_RATE, Answers, ClassModel, fit_classes

_FEWEST_ANSWERS = 16
_FOLDS = 4

_FIRST_CLASSES = 5  # before there are answers to choose by
_CLASSES = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20)
_SHARES_TO_COUNT = (1.0,)  # one model is enough to compare by
# Of the ridge while comparing, the same for all numbers of classes: a weaker one alone makes held-out answers
# likelier.
_STRENGTH = 0.11

# Chosen on sets outside the paper's eight (docs/beyond-the-paper.md).
_FIRST_RIDGE = 0.6  # and by steps of two from there
# How much the kernel's components count in three models, against the plain features: from not at all to most.
_KINDS = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 3.0), (1.0, 3.0, 3.0), (3.0, 10.0, 10.0))
_OF_EACH = 2  # models in the ensemble
_MOST_STEPS = 2  # away from where it begins, of either
_DOUBT = 2.0  # nats by which held-out answers have to be likelier for the first step; four times that for two


@dataclass(frozen=True)
class Settings:
    """What the user fixed; None leaves it to the answers."""

    n_classes: int | None
    ridge: float | None
    error: float | None

    @classmethod
    def checked(cls, n_classes: int | None, ridge: float | None, error: float | None) -> Settings:
        """Return settings whose values are what they should be."""
        return cls(
            None if n_classes is None else check_count("n_classes", n_classes, minimum=2),
            None if ridge is None else check_number("ridge", ridge, low=0.0, open_low=True),
            None if error is None else check_number("error", error, low=0.0, high=0.99),
        )


def fit_latent(
    X: Floats, answers: Answers, settings: Settings, rng: np.random.Generator, warm: ClassModel | None = None
) -> ClassModel:
    """Fit the models, and let the answers choose what was left open.

    They choose when their number is a power of two, or nothing was chosen before; in between the choice
    stands, so that it costs little a question.
    """
    n_classes = settings.n_classes or (warm.n_classes if warm else min(_FIRST_CLASSES, len(X)))
    check_n_classes(n_classes, len(X))
    ridge = settings.ridge or (warm.ridge if warm else _FIRST_RIDGE)
    shares = warm.shares if warm else _KINDS[_MOST_STEPS] * _OF_EACH
    m = len(answers)
    basis = None
    if chooses(m) or (warm is None and m >= _FEWEST_ANSWERS):
        basis = warm.basis if warm else Basis.measured(X, rng)  # the same for all that are compared
        if settings.n_classes is None:
            n_classes = _chosen_classes(X, answers, settings.error, basis, rng)
        ridge, shares = _chosen_kinds(X, answers, n_classes, settings, basis, (ridge, shares), rng)
    return fit_classes(
        X,
        answers,
        n_classes=n_classes,
        ridge=ridge,
        error=settings.error,
        rng=rng,
        warm=warm,
        basis=basis,
        shares=shares,
    )


def chooses(n_answers: int) -> bool:
    """Return whether what is open is chosen anew after so many answers."""
    return n_answers >= _FEWEST_ANSWERS and n_answers & (n_answers - 1) == 0


def _chosen_classes(
    X: Floats, answers: Answers, error: float | None, basis: Basis, rng: np.random.Generator
) -> int:
    """Return the smallest number of classes under which held-out answers are about as likely as they can be.

    About: by no more than one standard error of the difference, answer by answer.
    """
    counts = [count for count in _CLASSES if count <= len(X)]
    fold = _folds(len(answers), rng)
    fit = partial(fit_classes, X, error=error, rng=rng, basis=basis, shares=_SHARES_TO_COUNT)
    logs = np.stack(
        [
            _held_out(X, answers, fold, error, partial(fit, n_classes=count, ridge=_STRENGTH * count))
            for count in counts
        ]
    )
    behind = logs[logs.sum(axis=1).argmax()] - logs
    near = behind.mean(axis=1) <= behind.std(axis=1) / np.sqrt(len(answers))
    return counts[int(np.argmax(near))]


def _chosen_kinds(
    X: Floats,
    answers: Answers,
    n_classes: int,
    settings: Settings,
    basis: Basis,
    start: tuple[float, tuple[float, ...]],
    rng: np.random.Generator,
) -> tuple[float, tuple[float, ...]]:
    """Return the ridge and the shares under which held-out answers are likeliest.

    They are found by steps from a start. The probability of a few answers is a noisy judge, so each step away
    from the usual ridge and shares has to be worth it, as by a Gaussian prior. And answers that share items
    are no witnesses of their own: models that remember the items foretell them too. So they count as many as
    questions about these items could be that share none.
    """
    fold, seed = _folds(len(answers), rng), int(rng.integers(2**31))
    error = PRIOR_RATE if settings.error is None else settings.error
    witnesses = min(len(answers), len(np.unique(answers.triplets)) / 3)

    def at(place: tuple[int, int]) -> tuple[float, tuple[float, ...]]:
        strength, kind = place
        return settings.ridge or _FIRST_RIDGE * 2.0**strength, _KINDS[kind + _MOST_STEPS]  # once each

    @cache
    def worth(place: tuple[int, int]) -> float:
        ridge, shares = at(place)
        fit = partial(
            fit_classes,
            X,
            n_classes=n_classes,
            ridge=ridge,
            error=error,
            rng=np.random.default_rng(seed),  # all that are compared start from the same clusters
            basis=basis,
            shares=shares,
            restarts=False,  # which would take twice the time, and tell no more
        )
        logs = _held_out(X, answers, fold, error, fit)
        return witnesses * float(logs.mean()) - _DOUBT * (place[0] ** 2 + place[1] ** 2)

    ridge, shares = start
    # A model to start from may have been given any ridge.
    strength = 0 if settings.ridge else round(min(max(log2(ridge / _FIRST_RIDGE), -_MOST_STEPS), _MOST_STEPS))
    place = strength, _KINDS.index(shares[: len(shares) // _OF_EACH]) - _MOST_STEPS
    steps = ((0, 0), (0, -1), (0, 1)) if settings.ridge else ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
    while True:
        near = [(place[0] + a, place[1] + b) for a, b in steps]
        best = max((other for other in near if max(map(abs, other)) <= _MOST_STEPS), key=worth)
        if best == place:  # which comes first, and so stays if nothing is better
            ridge, shares = at(place)
            return ridge, shares * _OF_EACH
        place = best


def _folds(n_answers: int, rng: np.random.Generator) -> Ints:
    """Return the number of the fold that each answer is in."""
    return rng.permutation(np.arange(n_answers) % _FOLDS)


def _held_out(
    X: Floats, answers: Answers, fold: Ints, error: float | None, fit: Callable[..., ClassModel]
) -> Floats:
    """Return the logarithm of the probability of each answer, by models of those in other folds."""
    cold = fit(answers[:0])
    logs = np.empty(len(answers))
    for held_out in range(_FOLDS):
        model = fit(answers[fold != held_out], warm=cold)
        likelihood = model.likelihood(X, answers[fold == held_out], error)
        logs[fold == held_out] = np.log(np.maximum(likelihood, 1e-6))
    return logs
