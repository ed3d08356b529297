"""When to stop asking: how well the model answers, what the next answer is worth, and how many are left.

The model's own estimate of how often it would answer a random question right is followed over the answers, at
8, 16, 32, ... of them and now. What it said before each answer came, where that is known, shows whether it is
too sure of itself, and corrects the estimate. Such curves are close to a power law in the number of answers,
whose slope gives the gain of the next answer and the number left to a target. docs/beyond-the-paper.md says
how far the estimates can be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from tercet._validation import Floats, check_number
from tercet.information import answer_probabilities
from tercet.triplets import draw_questions

_FEWEST = 8
_QUESTIONS = 2000
# How large a correction is expected to be, a standard deviation of log-odds. On sets outside the paper's
# eight 0.5 and 1 do alike.
_USUAL_CORRECTION = 0.7
_LEAST_DOUBT = 1e-6
_FARTHEST = 3.0  # the logarithm of how many times as many answers can be foretold


@dataclass(frozen=True)
class Outlook:
    """What is to be expected of further questions.

    Attributes
    ----------
    n_answers : int
    accuracy : float
        The estimated share of random questions that the model answers as the person would.
    gain : float
        How much the next answer is expected to add to it; 0 where the estimate falls, as it may while the
        models find out that they were too sure; NaN while there are too few answers to say.
    """

    n_answers: int
    accuracy: float
    gain: float

    def is_enough(self, target: float, min_gain: float) -> bool:
        """Return whether the target is reached, or the next answer hardly brings it nearer.

        An estimate that falls is no reason to stop.

        >>> Outlook(100, accuracy=0.90, gain=0.0005).is_enough(0.95, 1e-4)
        False
        >>> Outlook(100, accuracy=0.90, gain=0.00005).is_enough(0.95, 1e-4)
        True
        """
        wanted = check_number("target", target, low=0.0, high=1.0)
        least = check_number("min_gain", min_gain, low=0.0)
        return self.accuracy >= wanted or 0 < self.gain < least

    def questions_left(self, target: float) -> int | None:
        """Return about how many more answers bring the accuracy to the target.

        None if nobody can say: there are too few answers yet, no more progress, or a target so far off that a
        line through so few answers does not reach there (twenty times as many).

        >>> Outlook(100, accuracy=0.90, gain=0.0005).questions_left(0.95)
        300
        >>> Outlook(100, accuracy=0.96, gain=0.0005).questions_left(0.95)
        0
        """
        wanted = check_number("target", target, low=0.0, high=1.0)
        missing = 1 - self.accuracy
        if self.accuracy >= wanted:
            return 0
        if not self.gain > 0 or wanted == 1:
            return None
        power = self.gain * self.n_answers / missing
        log_factor = np.log(missing / (1 - wanted)) / power
        if log_factor > _FARTHEST:
            return None
        return int(np.ceil(round(self.n_answers * np.expm1(log_factor), 6)))


def sizes(n_answers: int) -> list[int]:
    """Return the numbers of answers at which to look back.

    >>> sizes(100)
    [8, 16, 32, 64, 100]
    """
    powers = [2**power for power in range(3, n_answers.bit_length()) if 2**power < n_answers]
    return [*powers, n_answers]


def outlook(n_answers: Sequence[int], accuracies: Sequence[float]) -> Outlook:
    """Return what accuracies at these numbers of answers lead to expect; the last is now."""
    now, accuracy = n_answers[-1], accuracies[-1]
    enough = [(m, a) for m, a in zip(n_answers, accuracies, strict=True) if m >= _FEWEST]
    if len(enough) < 2:
        return Outlook(now, accuracy, float("nan"))
    m, a = np.array(enough).T
    missing = np.maximum(1 - a, 1e-6)
    # Later points say more about what comes next.
    slope = np.polyfit(np.log(m), np.log(missing), 1, w=np.sqrt(m))[0]
    return Outlook(now, accuracy, max(float(-slope * missing[-1] / now), 0.0))


def own_accuracy(beliefs: Floats, rng: np.random.Generator, shift: float = 0.0) -> float:
    """Return how often a model of these beliefs, or several together, expect to answer a question right.

    The shift is added to the log-odds of their likeliest answers: see `correction`.
    """
    questions = draw_questions(beliefs.shape[-2], _QUESTIONS, rng)
    return float(_shifted(answer_probabilities(beliefs, questions).max(axis=1), shift).mean())


def correction(foretold: Floats, answers: NDArray[np.int8]) -> float:
    """Return by how much, in log-odds, a model is right more often than it thinks.

    Parameters
    ----------
    foretold : array of shape (m, 3)
        The probabilities of yes, no and don't-know by the model, before each answer came.
    answers : array of shape (m,)
        1, -1, 0 for yes, no, don't-know.

    Examples
    --------
    >>> sure = np.tile([0.9, 0.05, 0.05], (100, 1))
    >>> round(correction(sure, np.repeat([1, -1], 50)), 1)  # right in half: log-odds of 0 in place of 2.2
    -2.0
    """
    likeliest = foretold.max(axis=1)
    came = np.choose(answers + 1, [1, 2, 0])
    right = foretold.argmax(axis=1) == came

    def slope(shift: float) -> float:
        """Of the logarithm of the posterior, which is concave."""
        return float((right - _shifted(likeliest, shift)).sum()) - shift / _USUAL_CORRECTION**2

    widest = 1 + _USUAL_CORRECTION**2 * len(right)  # no answers outweigh the prior there
    return float(brentq(slope, -widest, widest))


def _shifted(chances: Floats, shift: float) -> Floats:
    return np.asarray(expit(logit(np.clip(chances, _LEAST_DOUBT, 1 - _LEAST_DOUBT)) + shift))
