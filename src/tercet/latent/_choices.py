"""Settings that the answers choose: the number of classes, and the ridge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercet._validation import Floats, check_count, check_n_classes, check_number
from tercet.latent._fit import Answers, ClassModel, fit_classes

# Before there are answers to choose by. The ridge did best on sets outside the paper's eight.
_FIRST_CLASSES = 5
_FIRST_RIDGE = 0.4
_CLASSES = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20)
_RIDGES = (0.4, 0.15, 1.0)  # the first is kept where the answers cannot tell
_FEWEST_ANSWERS = 16
_FOLDS = 4


@dataclass(frozen=True)
class Settings:
    """What the user fixed; None leaves it to the answers."""

    n_classes: int | None = None
    ridge: float | None = None
    error: float | None = None

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
    """Fit the model, and let the answers choose what was left open.

    They choose when their number is a power of two, by the likelihood of answers that were held out; in
    between the choice stands, so that it costs little a question.
    """
    n_classes = settings.n_classes or (warm.n_classes if warm else min(_FIRST_CLASSES, len(X)))
    check_n_classes(n_classes, len(X))
    ridge = settings.ridge or (warm.ridge if warm else _FIRST_RIDGE)
    m = len(answers)
    if m >= _FEWEST_ANSWERS and m & (m - 1) == 0:
        if settings.n_classes is None:
            open_ = [count for count in _CLASSES if count <= len(X)]
            # Of one strength for all, since a weaker ridge alone makes held-out answers likelier.
            strength = _RIDGES[1] / _CLASSES[0]
            n_classes = _best(X, answers, settings, [(count, strength * count) for count in open_], rng)[0]
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
    """Return the first candidate under which held-out answers are about as likely as under the best.

    About: by no more than one standard error of the difference, answer by answer. So the smaller number of
    classes is taken where the answers cannot tell.
    """
    fold = rng.permutation(np.arange(len(answers)) % _FOLDS)
    logs = np.empty((len(candidates), len(answers)))
    for row, (n_classes, ridge) in enumerate(candidates):
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
            logs[row, fold == held_out] = np.log(model.likelihood(X, answers[fold == held_out]))
    behind = logs[logs.sum(axis=1).argmax()] - logs
    near = behind.mean(axis=1) <= behind.std(axis=1) / np.sqrt(len(answers))
    return candidates[int(np.argmax(near))]
