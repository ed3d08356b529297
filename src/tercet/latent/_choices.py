"""Settings that the answers choose: the number of classes, and the ridge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercet._validation import Floats
from tercet.latent._fit import Answers, ClassModel, fit_classes

# Before there are answers to choose by. The ridge did best on sets outside the paper's eight.
_FIRST_CLASSES = 5
_FIRST_RIDGE = 0.4
_CLASSES = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20)
_RIDGES = (0.15, 0.4, 1.0)
_FEWEST_ANSWERS = 16
_FOLDS = 4


@dataclass(frozen=True)
class Settings:
    """What the user fixed; None leaves it to the answers."""

    n_classes: int | None = None
    ridge: float | None = None
    error: float | None = None


def fit_latent(
    X: Floats, answers: Answers, settings: Settings, rng: np.random.Generator, warm: ClassModel | None = None
) -> ClassModel:
    """Fit the model, and let the answers choose what was left open.

    They choose when their number is a power of two, by the likelihood of answers that were held out; in
    between the choice stands, so that it costs little a question.
    """
    n_classes = settings.n_classes or (warm.n_classes if warm else min(_FIRST_CLASSES, len(X)))
    ridge = settings.ridge or (warm.ridge if warm else _FIRST_RIDGE)
    m = len(answers)
    if m >= _FEWEST_ANSWERS and m & (m - 1) == 0:
        if settings.n_classes is None:
            open_ = [count for count in _CLASSES if count <= len(X)]
            n_classes = _best(X, answers, settings, [(count, ridge) for count in open_], rng)[0]
        if settings.ridge is None:
            ridge = _best(X, answers, settings, [(n_classes, value) for value in _RIDGES], rng)[1]
    return fit_classes(X, answers, n_classes=n_classes, ridge=ridge, error=settings.error, rng=rng, warm=warm)


def _best(
    X: Floats,
    answers: Answers,
    settings: Settings,
    candidates: list[tuple[int, float]],
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Return the number of classes and the ridge under which held-out answers are likeliest."""
    fold = rng.permutation(np.arange(len(answers)) % _FOLDS)
    likelihoods = []
    for n_classes, ridge in candidates:
        total = 0.0
        cold = fit_classes(
            X, answers[:0], n_classes=n_classes, ridge=ridge, error=settings.error, rng=rng, warm=None
        )
        for held_out in range(_FOLDS):
            model = fit_classes(
                X,
                answers[fold != held_out],
                n_classes=n_classes,
                ridge=ridge,
                error=settings.error,
                rng=rng,
                warm=cold,
            )
            total += float(np.log(model.likelihood(X, answers[fold == held_out])).sum())
        likelihoods.append(total)
    return candidates[int(np.argmax(likelihoods))]
