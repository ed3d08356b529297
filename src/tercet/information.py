"""What an answer is expected to tell about the hidden classes of three items.

Beliefs are an (n, C) array whose row h holds p(y_h = c). The oracle of the paper answers yes if i and j are
of one class and k is not, no if i and k are of one class and j is not, and don't-know otherwise.

Beliefs of several models, all of which explain what is known so far, are a (K, n, C) array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr, xlogy

from tercet._fast import kernels
from tercet._validation import (
    Floats,
    Ints,
    check_beliefs,
    check_members,
    check_number,
    check_option,
    check_triplets,
)

#: How a don't-know counts: as no answer at all, or as news that two classes or none of them agree.
DONT_KNOW = ("uninformative", "informative")

# Triplets scored at a time: the working arrays stay in the processor's cache, and memory stays flat.
_CHUNK = 8192


def answer_probabilities(beliefs: ArrayLike, triplets: ArrayLike) -> Floats:
    """Return the probability of each answer to each question.

    Parameters
    ----------
    beliefs : array-like of shape (n, C), or (K, n, C) for the mean over several models
    triplets : array-like of shape (m, 3)

    Returns
    -------
    array of shape (m, 3), in the order yes, no, don't-know

    Examples
    --------
    >>> answer_probabilities([[1, 0], [0.5, 0.5], [0, 1]], [(0, 1, 2)])
    array([[0.5, 0. , 0.5]])
    """
    if np.ndim(beliefs) == 3:
        members = check_members(beliefs)
        return cast(Floats, _chances(members, check_triplets(triplets, members.shape[1])).mean(axis=0))
    P = check_beliefs(beliefs)
    return _chances(P, check_triplets(triplets, len(P)))


def information_gain(
    beliefs: ArrayLike, triplets: ArrayLike, *, dont_know: str = "uninformative", error: float = 0.0
) -> Floats:
    """Return the information (in nats) that each answer is expected to give about the three classes.

    Parameters
    ----------
    beliefs : array-like of shape (n, C)
    triplets : array-like of shape (m, 3)
    dont_know : {"uninformative", "informative"}
        Whether a don't-know teaches something. If not, this is the paper's criterion,
        (1 - p(dk)) (H_i + H_j + H_k) - sum over yes and no of p(a) H(y_ijk | a), computed by a sum over C
        classes in place of C^3 combinations; it can be slightly negative, where an unlikely yes would raise
        the doubt about the classes. If it does, the classes determine the answer and so the information is
        the entropy of the three answers.
    error : float in [0, 1]
        The share of answers that are given at random; only where a don't-know is informative. An answer then
        says less about the classes: the information is the entropy of the answer as it is heard, less that of
        the errors.

    Returns
    -------
    array of shape (m,)

    Examples
    --------
    >>> information_gain([[1, 0], [0.5, 0.5], [0, 1]], [(0, 1, 2)]).round(3)  # half a chance of one bit
    array([0.347])
    """
    if check_option("dont_know", dont_know, DONT_KNOW) == "informative":
        return heard(answer_probabilities(beliefs, triplets), check_number("error", error, low=0.0, high=1.0))
    if error != 0:
        raise ValueError(f"error is {error}, which counts with dont_know='informative' only; leave one out")
    P = check_beliefs(beliefs)
    questions = check_triplets(triplets, len(P))
    entropy = -xlogy(P, P).sum(axis=1)
    # With M = P (log P + H) and f(x) = x log x, the yes half of the score is
    #   sum_c (M_i P_j + P_i M_j)(1 - P_k) - P_i P_j M_k  -  f(p(yes)),
    # and the no half the same with j and k exchanged. Both share the products with all three items.
    M = xlogy(P, P) + P * entropy[:, np.newaxis]
    compiled = kernels("tercet._information_kernel")
    if compiled is not None:
        return cast(Floats, compiled.information(P, M, questions))
    return _information(P, M, questions)


def information_about_models(
    beliefs: ArrayLike, triplets: ArrayLike, *, error: float = 0.0, share: float = 0.5
) -> Floats:
    """Return the information (in nats) of each answer about the classes and about which model is right.

    Parameters
    ----------
    beliefs : array-like of shape (K, n, C)
        Of several models. Each may number the classes in its own way.
    triplets : array-like of shape (m, 3)
    error : float in [0, 1]
        The share of answers that are given at random, as in `information_gain`.
    share : float in [0, 1]
        How much the models count. With 0 this is what the answer tells about the classes of the three items,
        by the mean of the models; with 1 it is what it tells about the models: the former less what they
        would each learn about the three items (known as BALD).

    Returns
    -------
    array of shape (m,), never below 0

    Examples
    --------
    >>> sure = [[1, 0], [1, 0], [0, 1]]
    >>> other = [[1, 0], [0, 1], [1, 0]]
    >>> information_about_models([sure, other], [(0, 1, 2)], share=1.0).round(3)  # yes or no: one bit
    array([0.693])
    >>> information_about_models([sure, sure], [(0, 1, 2)]).round(3)
    array([0.])
    """
    share = check_number("share", share, low=0.0, high=1.0)
    error = check_number("error", error, low=0.0, high=1.0)
    members = check_members(beliefs)
    questions = check_triplets(triplets, members.shape[1])
    compiled = kernels("tercet._information_kernel")
    if compiled is not None:
        members = np.ascontiguousarray(members)
        return cast(Floats, compiled.about_models(members, questions, error, share, noise_of(error)))
    by_model = _chances(members, questions)
    within = heard(by_model, error).mean(axis=0)
    return np.asarray(np.maximum(heard(by_model.mean(axis=0), error) - share * within, 0.0))


def _chances(beliefs: Floats, questions: Ints) -> Floats:
    """Return the probabilities of answers, in the last two axes, under one model or each of several."""
    result = np.empty((*beliefs.shape[:-2], len(questions), 3))
    by_class = np.ascontiguousarray(np.moveaxis(beliefs, -1, 0))
    for rows, (i, j, k) in _chunks(questions):
        Pi, Pj, Pk = (by_class.take(items, axis=-1) for items in (i, j, k))
        same_j, same_k = Pi * Pj, Pi * Pk
        all_same = (same_j * Pk).sum(axis=0)
        result[..., rows, 0] = np.maximum(same_j.sum(axis=0) - all_same, 0.0)
        result[..., rows, 1] = np.maximum(same_k.sum(axis=0) - all_same, 0.0)
    result[..., 2] = np.maximum(1.0 - result[..., 0] - result[..., 1], 0.0)
    return result


def heard(chances: Floats, error: float) -> Floats:
    """Return the information of answers of these probabilities (in the last axis) that err so often."""
    return cast(Floats, entr((1 - error) * chances + error / 3).sum(axis=-1) - noise_of(error))


def noise_of(error: float) -> float:
    """Return the entropy of an answer about known classes, if so large a share is given at random."""
    return float(entr(1 - 2 * error / 3) + 2 * entr(error / 3))


def _information(P: Floats, M: Floats, questions: Ints) -> Floats:
    """Return what `information_gain` does, by numpy alone."""
    P, M = np.ascontiguousarray(P.T), np.ascontiguousarray(M.T)
    result = np.empty(len(questions))
    for rows, (i, j, k) in _chunks(questions):
        Pi, Pj, Pk = (P.take(items, axis=1) for items in (i, j, k))
        Mi, Mj, Mk = (M.take(items, axis=1) for items in (i, j, k))
        PiPj, PiPk, PjPk = Pi * Pj, Pi * Pk, Pj * Pk
        all_same = _dot(PiPj, Pk)
        yes, no = PiPj.sum(axis=0) - all_same, PiPk.sum(axis=0) - all_same
        shared = _dot(Mi, PjPk) + _dot(Mj, PiPk) + _dot(Mk, PiPj)
        pairs = _dot(Mi, Pj) + _dot(Pi, Mj) + _dot(Mi, Pk) + _dot(Pi, Mk)
        result[rows] = pairs - 2 * shared - _x_log_x(yes) - _x_log_x(no)
    return result


def _dot(a: Floats, b: Floats) -> Floats:
    return cast(Floats, np.einsum("cm,cm->m", a, b))


def _x_log_x(x: Floats) -> Floats:
    x = np.maximum(x, 0.0)  # rounding may leave a probability a hair below 0
    return cast(Floats, xlogy(x, x))


def _chunks(triplets: Ints) -> Iterator[tuple[slice, Ints]]:
    for start in range(0, len(triplets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        yield rows, triplets[rows].T
