import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad

from tercet.latent._objective import (
    ANSWERS_PER_CLUSTERING,
    SURENESS,
    Evidence,
    loss_and_gradient,
    minimise,
    softmax_and_log,
)
from tercet.triplets import draw_distinct, questions_from_numbers

# Everything here holds with the compiled kernel and without.
pytestmark = pytest.mark.usefixtures("engine")


def evidence(n, m, seed, error=0.05):
    rng = np.random.default_rng(seed)
    triplets = questions_from_numbers(draw_distinct(n * (n - 1) * (n - 2) // 2, m, rng), n)
    return Evidence(triplets, rng.integers(-1, 2, m), np.full(m, error))


def slow_probability(P, triplet, answer):
    """The probability of an answer by all combinations of three classes."""
    i, j, k = triplet
    total = 0.0
    for a, b, c in product(range(P.shape[1]), repeat=3):
        says = int(a == b != c) - int(a == c != b)
        total += P[i, a] * P[j, b] * P[k, c] * (says == answer)
    return total


def slow_loss(logits, facts):
    P = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    def entropy(p):
        return -sum(x * math.log(x) for x in p if x > 0)

    loss = -entropy(P.mean(axis=0)) + SURENESS * np.mean([entropy(row) for row in P])
    for triplet, answer, error in zip(facts.triplets, facts.answers, facts.errors, strict=True):
        p = (1 - error) * slow_probability(P, triplet, answer) + error / 3
        loss -= math.log(p) / ANSWERS_PER_CLUSTERING
    return loss


@given(st.integers(3, 7), st.integers(2, 4), st.integers(0, 6), st.integers(0, 10**6))
def test_loss_equals_its_definition(n, n_classes, m, seed):
    facts = evidence(n, min(m, n * (n - 1) * (n - 2) // 2), seed)
    logits = np.random.default_rng(seed).normal(size=(n, n_classes)) * 3
    assert loss_and_gradient(logits, facts)[0] == pytest.approx(slow_loss(logits, facts), abs=1e-9)


@pytest.mark.parametrize("error", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("m", [0, 1, 30])
def test_gradient_against_finite_differences(error, m):
    n, n_classes = 9, 4
    facts = evidence(n, m, 0, error)
    start = np.random.default_rng(1).normal(size=n * n_classes)

    def value(flat):
        return loss_and_gradient(flat.reshape(n, n_classes), facts)[0]

    def gradient(flat):
        return loss_and_gradient(flat.reshape(n, n_classes), facts)[1].ravel()

    assert check_grad(value, gradient, start) < 1e-6


@given(st.lists(st.floats(-800, 800), min_size=2, max_size=5))
def test_softmax_of_any_logits_is_finite(row):
    P, log_P = softmax_and_log(np.array([row]))
    assert P.sum() == pytest.approx(1)
    assert np.isfinite(log_P).all()


def test_minimise_reaches_a_stationary_point():
    rng = np.random.default_rng(0)
    design = np.column_stack([rng.normal(size=(40, 3)), np.ones(40)])
    facts = evidence(40, 60, 0)
    weights, value = minimise(design, facts, 0.1, rng.normal(size=(4, 3)) * 0.1, 500)

    def objective(flat):
        W = flat.reshape(4, 3)
        penalty = np.array([0.1, 0.1, 0.1, 1e-3])[:, None]
        return slow_loss(design @ W, facts) + 0.5 * (penalty * W * W).sum()

    assert value == pytest.approx(objective(weights.ravel()), abs=1e-8)
    # No step of a hundredth in any direction improves it by more than the tolerance.
    for direction in np.eye(12):
        for step in (-0.01, 0.01):
            assert objective(weights.ravel() + step * direction) > value - 1e-4
