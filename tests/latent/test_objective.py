import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize

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


def problem(n, d, n_classes, m, error, scale, seed):
    """Blobs, random answers and a start with weights of this size."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_classes, d))[rng.integers(n_classes, size=n)] * 2 + rng.normal(size=(n, d))
    design = np.column_stack([X, np.ones(n)])
    return design, evidence(n, m, seed, error), 0.4 / n_classes, rng.normal(size=(d + 1, n_classes)) * scale


def by_scipy(design, facts, ridge, start):
    """The value at a start, and at the optimum that SciPy's L-BFGS-B finds from it, to the last digit."""
    penalty = np.array([ridge] * (len(start) - 1) + [1e-3])[:, None]

    def objective(flat):
        W = flat.reshape(start.shape)
        loss, by_logits = loss_and_gradient(design @ W, facts)
        return loss + 0.5 * (penalty * W * W).sum(), (design.T @ by_logits + penalty * W).ravel()

    options = {"maxiter": 2000, "ftol": 1e-12, "gtol": 1e-7}
    found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return objective(start.ravel())[0], found.fun


SHAPES = [  # items, features, classes, answers, error rate, size of the first weights
    (30, 4, 3, 0, 0.05, 0.1),
    (30, 4, 3, 1, 0.05, 0.1),
    (24, 35, 4, 60, 0.0, 0.1),  # contradictions that nobody made
    (60, 9, 2, 100, 0.05, 0.1),
    (90, 13, 3, 40, 0.3, 1.0),
    (100, 20, 7, 100, 0.05, 0.1),
    (200, 10, 13, 100, 0.05, 0.3),
    (40, 5, 5, 40, 0.05, 300.0),  # logits in the thousands
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_another_solver_finds_nothing_better_near_the_optimum(shape, seed):
    design, facts, ridge, start = problem(*shape, seed)
    weights, value = minimise(design, facts, ridge, start, 2000)
    assert np.isfinite(weights).all()
    at_start, _ = by_scipy(design, facts, ridge, start)
    at_end, optimum = by_scipy(design, facts, ridge, weights)
    assert value == pytest.approx(at_end, abs=1e-9)
    assert value <= at_start + 1e-9
    assert value < optimum + 2e-3


def test_optima_are_as_good_as_those_of_another_solver():
    # From the same start two solvers may end in different optima, but neither in worse ones on the whole.
    cases = [problem(*shape, seed) for shape in SHAPES[:-1] for seed in range(6)]
    gaps = [minimise(*case, 2000)[1] - by_scipy(*case)[1] for case in cases]
    assert np.median(gaps) < 1e-4
    assert np.mean(gaps) < 0.01


@pytest.mark.parametrize("max_iter", [0, 1, 2, 8])
def test_more_steps_are_never_worse(max_iter):
    case = problem(60, 6, 4, 50, 0.05, 1.0, 0)
    before, after = (minimise(*case, steps)[1] for steps in (max_iter, max_iter + 1))
    assert after <= before


@pytest.mark.parametrize("error", [0.0, 0.05])  # without errors, contradictions have slopes of 1e198
@pytest.mark.parametrize("scale", [300.0, 1e5, 1e154, 1e160])  # the last two have squares that overflow
def test_a_start_out_of_all_bounds_is_survived(scale, error):
    case = problem(40, 5, 5, 40, error, scale, 0)
    with np.errstate(all="ignore"):
        assert np.isfinite(minimise(*case, 8)[0]).all()


def test_the_same_start_gives_the_same_bits():
    case = problem(50, 6, 4, 50, 0.05, 1.0, 0)
    np.testing.assert_array_equal(minimise(*case, 30)[0], minimise(*case, 30)[0])


def test_arrays_of_any_layout_will_do():
    design, facts, ridge, start = problem(50, 6, 4, 50, 0.05, 1.0, 0)
    other = Evidence(np.asfortranarray(facts.triplets), facts.answers, facts.errors)
    found = minimise(np.asfortranarray(design), other, ridge, np.asfortranarray(start), 8)[0]
    np.testing.assert_allclose(found, minimise(design, facts, ridge, start, 8)[0], atol=1e-6)
