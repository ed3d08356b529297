"""What the answers choose: the ridge, the kinds of models and, where nobody gives it, the number of classes.

All are judged by answers that a model did not see. That flatters, since questions share items, and it does so
most to models that remember items; so where many answers share items they count for less. (Judging by items
that a model was told nothing about leaves it too few answers, and chooses simpler models than are best.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

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
_RIDGES = (0.15, 0.3, 0.6, 1.2, 2.4)
# How much the kernel's components count in three models, against the plain features: from not at all to most.
_KINDS = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 3.0), (1.0, 3.0, 3.0), (3.0, 10.0, 10.0))
_OF_EACH = 2  # models in the ensemble
_USUAL = 2  # the place of either to begin at
_DOUBT = 2.0  # nats by which held-out answers have to be likelier for the first step; four times that for two


@dataclass(frozen=True)
class Settings:
    """What the user fixed; None leaves it to the answers."""

    n_classes: int | None
    ridge: float | None
    error: float | None

    @property
    def left_open(self) -> tuple[bool, bool]:
        """Whether the answers choose the number of classes, and the ridge."""
        return self.n_classes is None, self.ridge is None

    @classmethod
    def checked(cls, n_classes: int | None, ridge: float | None, error: float | None) -> Settings:
        """Return settings whose values are what they should be."""
        return cls(
            None if n_classes is None else check_count("n_classes", n_classes, minimum=2),
            None if ridge is None else check_number("ridge", ridge, low=0.0, open_low=True),
            None if error is None else check_number("error", error, low=0.0, high=0.99),
        )


def fit_latent(
    X: Floats,
    answers: Answers,
    settings: Settings,
    rng: np.random.Generator,
    warm: ClassModel | None = None,
    like: ClassModel | None = None,
) -> ClassModel:
    """Fit the models, and let the answers choose what was left open.

    They choose whenever their number has reached a power of two; in between the choice stands, so that it
    costs little a question.

    Parameters
    ----------
    warm : ClassModel, optional
        Models of fewer of the same answers, to start from; with the same left open, so that what they have
        was chosen.
    like : ClassModel, optional
        Where there are none: models of fewer of the same answers by other features, whose choices stand.
    """
    if len(X) < 2:
        raise ValueError(
            f"there are {len(X)} items to learn classes of; give more triplets, or all items as preprocessor"
        )
    before, m = warm or like, len(answers)
    n_classes = settings.n_classes or (before.n_classes if before else min(_FIRST_CLASSES, len(X)))
    check_n_classes(n_classes, len(X))
    ridge = settings.ridge or (before.ridge if before else _RIDGES[_USUAL])
    shares = before.shares if before else _KINDS[_USUAL] * _OF_EACH
    basis = None
    if m >= _FEWEST_ANSWERS and (before is None or before.n_answers < 1 << (m.bit_length() - 1)):
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
    """Return whether what is open is chosen anew after so many answers, if they come one by one."""
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
    # The same for everybody: rates that were estimated by one ridge would not be fair to another.
    error = PRIOR_RATE if settings.error is None else settings.error
    witnesses = min(len(answers), len(np.unique(answers.triplets)) / 3)

    @cache
    def foretold(ridge: float, shares: tuple[float, ...]) -> float:
        fit = partial(
            fit_classes,
            X,
            n_classes=n_classes,
            ridge=ridge,
            error=error,
            rng=np.random.default_rng(seed),  # as like as can be for all that are compared
            basis=basis,
            shares=shares,
            restarts=False,  # which would take twice the time, and tell no more
        )
        return witnesses * float(_held_out(X, answers, fold, error, fit).mean())

    def at(place: tuple[int, int]) -> tuple[float, tuple[float, ...]]:
        return settings.ridge or _RIDGES[place[0]], _KINDS[place[1]]

    def worth(place: tuple[int, int]) -> float:
        return foretold(*at(place)) - _DOUBT * sum((step - _USUAL) ** 2 for step in place)

    ridge, shares = start
    place = (
        _USUAL if settings.ridge else _RIDGES.index(ridge),
        _KINDS.index(shares[: len(shares) // _OF_EACH]),
    )
    steps = ((0, 0), (0, -1), (0, 1)) if settings.ridge else ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
    while True:
        near = [(place[0] + a, place[1] + b) for a, b in steps]
        inside = [(a, b) for a, b in near if 0 <= a < len(_RIDGES) and 0 <= b < len(_KINDS)]
        best = max(inside, key=worth)
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
