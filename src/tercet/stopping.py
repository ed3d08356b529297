"""When to stop asking: how well the model answers, what the next answer is worth, and how many are left.

The model's own estimate of how often it would answer a random question right is followed over the answers, at
8, 16, 32, ... of them and now. Such curves are close to a power law in the number of answers, whose slope
gives the gain of the next answer and the number left to a target. docs/beyond-the-paper.md says how far the
estimates can be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tercet._validation import Floats, check_number
from tercet.information import answer_probabilities
from tercet.triplets import draw_questions

_FEWEST = 8
_QUESTIONS = 2000
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
        How much the next answer is expected to add to it; NaN while there are too few answers to say.
    """

    n_answers: int
    accuracy: float
    gain: float

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


def own_accuracy(beliefs: Floats, rng: np.random.Generator) -> float:
    """Return how often a model of these beliefs, or several together, expect to answer a question right."""
    questions = draw_questions(beliefs.shape[-2], _QUESTIONS, rng)
    return float(answer_probabilities(beliefs, questions).max(axis=1).mean())
