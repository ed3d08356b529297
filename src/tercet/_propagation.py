"""What answers tell about the very items that they are about.

A model of the classes knows an item by its features alone. But the items of an answered question are known
better than that: whoever is like one and unlike the other has a class of its own, however its features look.
This is belief propagation over the answers: each answer tells each of its three items how likely it is if the
item is of this class or that, by what is believed about the other two without it. So a question about an item
whose class the answers have settled is no longer taken to be worth asking.
"""

from __future__ import annotations

import numpy as np

from tercet._fast import kernels
from tercet._validation import Floats, Ints

_ROUNDS = 4  # enough for neighbours of neighbours; after more, messages have gone round in circles
# What is kept of the last message, in logarithms, since answers share items; from silence, four rounds hold a
# sixteenth of every message back.
_DAMPING = 0.5
# No answer is taken for certain: in circles it comes back to where it started.
_LEAST_ERROR = 0.05
_LEAST = 1e-12  # probability of a class, or of what was heard, beside the likeliest


def informed(beliefs: Floats, triplets: Ints, answers: Ints, errors: Floats) -> Floats:
    """Return the beliefs about items, those of several models each, once the answers about them are heard.

    Parameters
    ----------
    beliefs : array of shape (K, n, C)
        Of models that see features alone. They learned from these answers, too, which are so heard twice;
        that no answer is taken for certain tempers it.
    triplets : array of shape (m, 3)
        Answered questions about these items.
    answers : array of shape (m,)
        1, -1, 0 for yes, no, don't-know.
    errors : array of shape (m,)
        The error rate of whoever gave each answer.

    Returns
    -------
    array of shape (K, n, C)

    Examples
    --------
    >>> nothing_known = np.full((1, 3, 2), 0.5)
    >>> nothing_known[0, 0] = 0.9, 0.1
    >>> informed(nothing_known, np.array([(0, 1, 2)]), np.array([1]), np.zeros(1)).round(2)[0]
    array([[0.9 , 0.1 ],
           [0.86, 0.14],
           [0.14, 0.86]])
    """
    if not len(triplets):
        return beliefs
    questions = np.ascontiguousarray(triplets, dtype=np.int64)
    given = np.ascontiguousarray(answers, dtype=np.int64)
    questions, heard = _by_question(questions, given, np.maximum(errors, _LEAST_ERROR))
    compiled = kernels("tercet._propagation_kernel")
    run = _messages if compiled is None else compiled.messages
    log_P = np.ascontiguousarray(np.log(np.maximum(beliefs, _LEAST)))  # one layout is compiled for
    for of_model in log_P:  # in place: what all answers say is added to what the features say
        of_model += run(of_model, questions, heard, _ROUNDS, _DAMPING)
    log_P -= log_P.max(axis=2, keepdims=True)
    told = np.exp(log_P)
    return np.asarray(told / told.sum(axis=2, keepdims=True))


def _by_question(triplets: Ints, answers: Ints, errors: Floats) -> tuple[Ints, Floats]:
    """Return each question once, and how likely what was heard is if yes, no or don't-know is right.

    The same question to several people is one: as several, their answers would confirm each other in circles.
    """
    swapped = triplets[:, 1] > triplets[:, 2]
    ordered = np.where(swapped[:, np.newaxis], triplets[:, [0, 2, 1]], triplets)
    questions, which = np.unique(ordered, axis=0, return_inverse=True)
    right = np.where(swapped, -answers, answers)[:, np.newaxis] == [1, -1, 0]
    log_heard = np.zeros((len(questions), 3))
    np.add.at(
        log_heard, which.ravel(), np.log((1 - errors)[:, np.newaxis] * right + errors[:, np.newaxis] / 3)
    )
    heard = np.exp(log_heard - log_heard.max(axis=1, keepdims=True))
    return np.ascontiguousarray(questions), np.maximum(heard, _LEAST)


def _messages(log_P: Floats, triplets: Ints, heard: Floats, rounds: int, damping: float) -> Floats:
    """Return the sum of the messages to each item, an array of shape (n, C)."""
    yes, no, dk = heard.T[:, :, np.newaxis]
    sent = np.zeros((*triplets.shape, log_P.shape[1]))
    total = np.zeros_like(log_P)
    for _ in range(rounds):
        without = (log_P + total)[triplets] - sent
        without = np.exp(without - without.max(axis=2, keepdims=True))
        without /= without.sum(axis=2, keepdims=True)
        a, b, e = without.transpose(1, 0, 2)
        same_j, same_k = ((a * other).sum(axis=1, keepdims=True) for other in (b, e))
        for place, (if_yes, if_no) in enumerate(
            (
                (b * (1 - e), e * (1 - b)),
                (a * (1 - e), same_k - a * e),
                (same_j - a * b, a * (1 - b)),
            )
        ):
            neither = np.maximum(1 - if_yes - if_no, 0.0)
            news = np.log(yes * np.maximum(if_yes, 0.0) + no * np.maximum(if_no, 0.0) + dk * neither)
            sent[:, place] = damping * sent[:, place] + (1 - damping) * news
        total[:] = 0
        np.add.at(total, triplets, sent)
    return total
