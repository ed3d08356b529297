"""What a latent-class model minimises, with its gradient.

Classes are P = softmax(X W + b) of an item's coordinates X (see `Basis`). With p(answer) the products of
three rows of P that the paper's answer model gives, e the error rate of who answered, and H the entropy, it
minimises

    -(1/m0) sum over answers of log[(1 - e) p(answer) + e/3]  -  H(mean row of P)  +  s mean H(row of P)
    +  ridge/2 |W|^2,

so that it explains the answers, don't-knows included, by classes of about equal size that most items are
sure of.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from threadpoolctl import ThreadpoolController

from tercet._fast import kernels
from tercet._validation import Floats, Ints

#: So many answers count as much as the two clustering terms: m0 above.
ANSWERS_PER_CLUSTERING = 25.0
#: How much sure items count, against classes of equal size.
SURENESS = 0.7
# The intercepts are all but free; they move as slowly as this to keep the optimum unique.
_RIDGE_OF_INTERCEPT = 1e-3
_LEAST_LOG = -30.0
# Of L-BFGS: the steps whose curvature is remembered, and the share of the value below which a gain is none.
_MEMORY, _TOLERANCE = 8, 1e-6
#: The least probability of an answer: where nobody errs, one that contradicts all others would have none.
LEAST = 1e-200


@dataclass(frozen=True)
class Evidence:
    """Answered questions about the rows of a table.

    Attributes
    ----------
    triplets : array of shape (m, 3)
    answers : array of shape (m,)
        1, -1, 0 for yes, no, don't-know.
    errors : array of shape (m,)
        The error rate of whoever gave each answer.
    weight : float
        How much an answer counts, 1/m0 above.
    """

    triplets: Ints
    answers: Ints
    errors: Floats
    weight: float = 1 / ANSWERS_PER_CLUSTERING

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, rows: NDArray[np.bool_]) -> Evidence:
        return Evidence(self.triplets[rows], self.answers[rows], self.errors[rows], self.weight)

    @cached_property
    def signs(self) -> tuple[Floats, Floats]:
        """How the probability of the given answer grows with p(yes) and with p(no), as columns."""
        yes = np.choose(self.answers + 1, [0.0, -1.0, 1.0])
        no = np.choose(self.answers + 1, [1.0, -1.0, 0.0])
        return yes[:, np.newaxis], no[:, np.newaxis]

    def likelihood(self, P: Floats) -> Floats:
        """Return the probability of each answer, errors included; by each model, if P is of several."""
        Pi, Pj, Pk = (P.take(items, axis=-2) for items in self.triplets.T)
        return self._likelihood(Pi, Pj, Pk)[0]

    def _likelihood(self, Pi: Floats, Pj: Floats, Pk: Floats) -> tuple[Floats, Floats, Floats]:
        same_j, same_k = Pi * Pj, Pi * Pk
        all_same = (same_j * Pk).sum(axis=-1)
        yes, no = same_j.sum(axis=-1) - all_same, same_k.sum(axis=-1) - all_same
        given = np.choose(self.answers + 1, [no, np.maximum(1 - yes - no, 0), yes])
        return np.maximum((1 - self.errors) * given + self.errors / 3, LEAST), same_j, same_k

    def loss(self, P: Floats) -> tuple[float, Floats]:
        """Return minus the log-likelihood and its gradient by P, times its weight."""
        Pi, Pj, Pk = P[self.triplets.T]
        likelihood, same_j, same_k = self._likelihood(Pi, Pj, Pk)
        slope = (-self.weight * (1 - self.errors) / likelihood)[:, np.newaxis]
        yes, no = (slope * sign for sign in self.signs)
        by_item = np.concatenate(
            [
                yes * Pj * (1 - Pk) + no * Pk * (1 - Pj),
                yes * Pi * (1 - Pk) - no * same_k,
                no * Pi * (1 - Pj) - yes * same_j,
            ]
        )
        m = 3 * len(self)  # adds up what belongs to the same row of the table
        gather = csr_array((np.ones(m), (self.triplets.T.ravel(), np.arange(m))), shape=(len(P), m))
        return -self.weight * float(np.log(likelihood).sum()), gather @ by_item


def loss_and_gradient(logits: Floats, evidence: Evidence) -> tuple[float, Floats]:
    """Return what is minimised but for the ridge, and its gradient by the logits."""
    compiled = kernels("tercet.latent._objective_kernel")
    if compiled is not None:
        found: tuple[float, Floats] = compiled.loss_and_gradient(logits, _facts(evidence))
        return found
    n_items = len(logits)
    P, log_P = softmax_and_log(logits)
    mean = P.mean(axis=0)
    log_mean = np.log(mean + 1e-12)
    loss = float(mean @ log_mean) - SURENESS * float((P * log_P).sum()) / n_items
    by_P = (log_mean + 1 - SURENESS * (log_P + 1)) / n_items
    if len(evidence):
        of_answers, by_answers = evidence.loss(P)
        loss += of_answers
        by_P = by_P + by_answers
    return loss, P * (by_P - (by_P * P).sum(axis=1, keepdims=True))


def _facts(evidence: Evidence) -> tuple[Ints, Ints, Floats, float, float, float, float]:
    """Return what the compiled loops know, in arrays of one form, since they are compiled for each form."""
    triplets, answers = np.ascontiguousarray(evidence.triplets), np.ascontiguousarray(evidence.answers)
    return (
        triplets,
        answers,
        np.ascontiguousarray(evidence.errors),
        evidence.weight,
        SURENESS,
        _LEAST_LOG,
        LEAST,
    )


def softmax_and_log(logits: Floats) -> tuple[Floats, Floats]:
    """Return the softmax over the last axis, and its logarithm, cut off where it no longer matters."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    exp = np.exp(shifted)
    total = exp.sum(axis=-1, keepdims=True)
    return exp / total, np.maximum(shifted - np.log(total), _LEAST_LOG)


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Keep numerical libraries to one thread: with matrices so small, threads mostly wait for each other."""
    return cast(AbstractContextManager[object], _libraries().limit(limits=1))


def minimise(
    design: Floats, evidence: Evidence, ridge: float, start: Floats, max_iter: int
) -> tuple[Floats, float]:
    """Return the weights of a local optimum near the start, and its value.

    Parameters
    ----------
    design : array of shape (n, D + 1)
        Coordinates of the items and, last, a column of ones.
    start : array of shape (D + 1, C)
    """
    penalty = np.full((design.shape[1], 1), ridge)
    penalty[-1] = _RIDGE_OF_INTERCEPT
    compiled = kernels("tercet.latent._objective_kernel")
    if compiled is not None:
        # As many steps lead as far as SciPy's, in a fifth to a seventh of the time with 24 to 89 items, and
        # in two thirds of it with 500, where the sums take most.
        found: tuple[Floats, float] = compiled.minimise(
            np.ascontiguousarray(design),
            _facts(evidence),
            penalty.ravel(),
            np.ascontiguousarray(start),
            max_iter,
            _MEMORY,
            _TOLERANCE,
        )
        return found

    def objective(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(start.shape)
        loss, by_logits = loss_and_gradient(design @ weights, evidence)
        shrunk = penalty * weights
        return loss + 0.5 * float((shrunk * weights).sum()), (design.T @ by_logits + shrunk).ravel()

    result = minimize(
        objective,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "maxcor": _MEMORY, "ftol": _TOLERANCE},
    )
    return result.x.reshape(start.shape), float(result.fun)
