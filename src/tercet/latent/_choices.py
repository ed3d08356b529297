"""The number of classes, chosen by the answers where nobody gives it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tercet._validation import Floats, check_count, check_n_classes, check_number
from tercet.latent._basis import Basis
from tercet.latent._fit import Answers, ClassModel, fit_classes

_FIRST_CLASSES = 5  # before there are answers to choose by
_CLASSES = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20)
_FEWEST_ANSWERS = 16
_FOLDS = 4
_SHARES = (1.0,)  # one model is enough to compare by
# Of the ridge while comparing, the same for all numbers of classes: a weaker one alone makes held-out answers
# likelier.
_STRENGTH = 0.11


@dataclass(frozen=True)
class Settings:
    """What the user fixed; None leaves it to the answers."""

    n_classes: int | None
    ridge: float
    error: float | None

    @classmethod
    def checked(cls, n_classes: int | None, ridge: float, error: float | None) -> Settings:
        """Return settings whose values are what they should be."""
        return cls(
            None if n_classes is None else check_count("n_classes", n_classes, minimum=2),
            check_number("ridge", ridge, low=0.0, open_low=True),
            None if error is None else check_number("error", error, low=0.0, high=0.99),
        )


def fit_latent(
    X: Floats, answers: Answers, settings: Settings, rng: np.random.Generator, warm: ClassModel | None = None
) -> ClassModel:
    """Fit the models, and let the answers choose the number of classes if it was left open.

    They choose when their number is a power of two, or nothing was chosen before, by the likelihood of
    answers that were held out; in between the choice stands, so that it costs little a question.
    """
    n_classes = settings.n_classes or (warm.n_classes if warm else min(_FIRST_CLASSES, len(X)))
    check_n_classes(n_classes, len(X))
    m = len(answers)
    basis = None
    if settings.n_classes is None and (counts_classes(m) or (warm is None and m >= _FEWEST_ANSWERS)):
        basis = warm.basis if warm else Basis.measured(X, rng)  # the same for all that are compared
        n_classes = _chosen(X, answers, settings.error, basis, rng)
    return fit_classes(
        X,
        answers,
        n_classes=n_classes,
        ridge=settings.ridge,
        error=settings.error,
        rng=rng,
        warm=warm,
        basis=basis,
    )


def counts_classes(n_answers: int) -> bool:
    """Return whether the number of classes, if it is open, is chosen anew after so many answers."""
    return n_answers >= _FEWEST_ANSWERS and n_answers & (n_answers - 1) == 0


def _chosen(X: Floats, answers: Answers, error: float | None, basis: Basis, rng: np.random.Generator) -> int:
    """Return the smallest number of classes under which held-out answers are about as likely as they can be.

    About: by no more than one standard error of the difference, answer by answer.
    """
    counts = [count for count in _CLASSES if count <= len(X)]
    fold = rng.permutation(np.arange(len(answers)) % _FOLDS)
    logs = np.empty((len(counts), len(answers)))
    for row, count in enumerate(counts):
        fit = partial(
            fit_classes,
            X,
            n_classes=count,
            ridge=_STRENGTH * count,
            error=error,
            rng=rng,
            basis=basis,
            shares=_SHARES,
        )
        cold = fit(answers[:0])
        for held_out in range(_FOLDS):
            model = fit(answers[fold != held_out], warm=cold)
            likelihood = model.likelihood(X, answers[fold == held_out], error)
            logs[row, fold == held_out] = np.log(np.maximum(likelihood, 1e-6))
    behind = logs[logs.sum(axis=1).argmax()] - logs
    near = behind.mean(axis=1) <= behind.std(axis=1) / np.sqrt(len(answers))
    return counts[int(np.argmax(near))]
