"""The quadratic program against Clarabel, and against the optimality conditions themselves."""

import clarabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tercet.metrics._qp import solve_hinge
from tercet.triplets import triplets_from_labels


def objective(w, D, cost, prior):
    return 0.5 * np.sum((w - prior) ** 2) + cost @ np.maximum(1 - D @ w, 0)


def by_clarabel(D, cost, prior):
    """Solve with an independent interior-point solver and return the objective of its weights."""
    m, d = D.shape
    P = sparse.block_diag([sparse.eye(d), sparse.csc_matrix((m, m))], format="csc")
    A = sparse.bmat(
        [[-sparse.csc_matrix(D), -sparse.eye(m)], [-sparse.eye(d), None], [None, -sparse.eye(m)]],
        format="csc",
    )
    b = np.concatenate([-np.ones(m), np.zeros(d + m)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-10
    cones = [clarabel.NonnegativeConeT(2 * m + d)]
    solver = clarabel.DefaultSolver(P, np.concatenate([-prior, cost]), A, b, cones, settings)
    w = np.maximum(np.array(solver.solve().x)[:d], 0)
    return objective(w, D, cost, prior)


def dual_bound(a, D, cost, prior):
    """A lower bound on the optimum from any multipliers, by the textbook Lagrangian."""
    assert (a >= 0).all()
    assert (a <= cost * (1 + 1e-9)).all()
    w = np.maximum(prior + D.T @ a, 0)  # minimises the Lagrangian over w >= 0
    return 0.5 * np.sum((w - prior) ** 2) + a @ (1 - D @ w)


def assert_optimal(D, cost, prior, solution, rtol=1e-6):
    assert (solution.weights >= 0).all()
    reached = objective(solution.weights, D, cost, prior)
    assert solution.objective == pytest.approx(reached, rel=1e-9, abs=1e-12)
    bound = dual_bound(solution.multipliers, D, cost, prior)
    assert reached - bound <= rtol * reached + 1e-12


def differences(X, triplets):
    i, j, k = triplets.T
    return (X[i] - X[k]) ** 2 - (X[i] - X[j]) ** 2


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("toward", [0.0, 1.0])
@pytest.mark.parametrize(("m", "d"), [(1, 1), (3, 10), (40, 5), (60, 60), (200, 8), (30, 120)])
def test_against_clarabel(m, d, toward, C, rng):
    X = rng.normal(size=(50, d))
    D = differences(X, np.array([rng.choice(50, 3, replace=False) for _ in range(m)]))
    cost, prior = np.full(m, C), np.full(d, toward)
    solution = solve_hinge(D, cost, prior)
    assert_optimal(D, cost, prior, solution)
    assert solution.objective == pytest.approx(by_clarabel(D, cost, prior), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("m", [5, 100])
def test_against_clarabel_on_raw_wine(m, C, wine, rng):
    X, y = wine
    D = differences(X, triplets_from_labels(y, m, rng))
    cost, prior = np.full(m, C), np.ones(X.shape[1])
    solution = solve_hinge(D, cost, prior)
    assert_optimal(D, cost, prior, solution)
    assert solution.objective <= by_clarabel(D, cost, prior) * (1 + 1e-6)


@given(
    m=st.integers(1, 60),
    d=st.integers(1, 40),
    decades=st.floats(0, 5),
    log_C=st.floats(-4, 5),
    toward=st.sampled_from([0.0, 1.0]),
    repeated=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_badly_scaled_and_contradictory_problems_have_a_certificate(
    m, d, decades, log_C, toward, repeated, seed
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, d)) * 10.0 ** rng.uniform(-decades, decades, d)
    D = differences(X, np.array([rng.choice(20, 3, replace=False) for _ in range(m)]))
    if repeated:
        D = np.concatenate([D, D, -D])
    cost, prior = 10.0**log_C * rng.uniform(0.5, 2, len(D)), np.full(d, toward)
    assert_optimal(D, cost, prior, solve_hinge(D, cost, prior))


def test_tiny_problems_do_not_cycle():
    # A single triplet of this kind once sent the method round in circles of three.
    solution = solve_hinge(np.array([[0.016, 0.879]]), np.ones(1), np.ones(2))
    assert solution.objective == pytest.approx(0.105**2 / (2 * (0.016**2 + 0.879**2)), rel=1e-6)
    assert solution.n_iter < 20


@pytest.mark.parametrize(
    ("row", "C", "optimum"),
    [([327, -900, -735], 100, 0.58795), ([-4773, 2112, -3675], 10, 0.493), ([-5289, 2581, -5600], 1, 0.523)],
)
def test_integer_features_do_not_cycle(row, C, optimum):
    # Optima by bisection on the one multiplier.
    solution = solve_hinge(np.array([row], dtype=float), np.full(1, float(C)), np.ones(3))
    assert solution.objective == pytest.approx(optimum, abs=6e-4)
    assert solution.gap <= 1e-7


@pytest.mark.parametrize("seed", range(4))
def test_many_problems_with_integer_features(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        m, d = int(rng.choice([1, 1, 2, 3, 8])), int(rng.integers(2, 9))
        D = (rng.integers(-99, 100, (m, d)) ** 2 - rng.integers(-99, 100, (m, d)) ** 2).astype(float)
        cost, prior = np.full(m, 10.0 ** rng.integers(0, 5)), np.full(d, float(rng.random() < 0.8))
        solution = solve_hinge(D, cost, prior)
        assert_optimal(D, cost, prior, solution)
        assert solution.gap <= 1e-7


def test_margins_that_are_met_exactly():
    # Integer features: at the prior the margin is 1 but for rounding, and the optimum is 0 but for rounding.
    rows = [[5, 0, -4, 1, 1, 0, 1], [-3, 1, 0, 1, 1, 1, 0], [0, 0, -4, 1, 1, 2, 1], [16, 4, 0, 1, 1, 0, 9]]
    D = np.array(rows, dtype=float)
    solution = solve_hinge(D, np.full(4, 100.0), np.ones(7))
    np.testing.assert_allclose(solution.weights, 1.0, atol=1e-9)
    assert solution.gap <= 1e-7
    assert solution.n_iter < 50


@pytest.mark.parametrize("seed", range(8))
def test_many_small_problems(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        m, d = rng.integers(1, 4, size=2)
        D = (
            rng.random((m, d))
            if rng.random() < 0.5
            else differences(rng.random((9, d)), np.array([rng.choice(9, 3, False) for _ in range(m)]))
        )
        cost, prior = np.full(m, 10.0 ** rng.uniform(-2, 3)), np.full(d, float(rng.integers(2)))
        assert_optimal(D, cost, prior, solve_hinge(D, cost, prior))


@pytest.mark.parametrize("scale", [1e-30, 1e30, 1e80])
def test_enormous_features_are_solved_or_said_to_be_not(scale, wine, rng):
    X, y = wine
    D = differences(scale * X, triplets_from_labels(y, 30, rng))
    cost, prior = np.ones(30), np.ones(13)
    solution = solve_hinge(D, cost, prior)
    if solution.gap <= 1e-7:
        assert_optimal(D, cost, prior, solution)
    assert np.isfinite(solution.weights).all()
    assert scale > 1e30 or solution.gap <= 1e-7


def test_large_problems(rng):
    for m, d in ((10_000, 30), (100, 1000), (1500, 300)):
        X = rng.normal(size=(500, d)) * 10.0 ** rng.uniform(-2, 2, d)
        D = differences(X, np.array([rng.choice(500, 3, replace=False) for _ in range(m)]))
        cost, prior = np.ones(m), np.ones(d)
        assert_optimal(D, cost, prior, solve_hinge(D, cost, prior))


def test_a_start_changes_the_work_and_not_the_result(wine, rng):
    X, y = wine
    D = differences(X, triplets_from_labels(y, 40, rng))
    cost, prior = np.full(40, 100.0), np.ones(X.shape[1])
    before = solve_hinge(D[:39], cost[:39], prior)
    cold = solve_hinge(D, cost, prior)
    warm = solve_hinge(D, cost, prior, start=(before.weights, np.append(before.multipliers, 0.0)))
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)
    assert warm.n_iter < cold.n_iter
    assert solve_hinge(D, cost, prior, start=(cold.weights, cold.multipliers)).n_iter == 0


def test_rows_that_say_nothing():
    D = np.array([[0.0, 0.0], [2.0, -1.0], [3.0, 1.0]])
    cost, prior = np.array([5.0, 1.0, 0.0]), np.ones(2)  # equal candidates, a real one, one of no weight
    solution = solve_hinge(D, cost, prior)
    alone = solve_hinge(D[1:2], cost[1:2], prior)
    np.testing.assert_allclose(solution.weights, alone.weights)
    assert solution.objective == pytest.approx(alone.objective + 5.0)
    assert solution.multipliers[[0, 2]].tolist() == [5, 0]


def test_nothing_to_learn_gives_the_prior():
    prior = np.array([1.0, 2.0])
    for D in (np.empty((0, 2)), np.array([[0.0, 0.0]]), np.array([[9.0, 9.0]])):
        solution = solve_hinge(D, np.ones(len(D)), prior)
        assert solution.weights.tolist() == [1.0, 2.0]
        assert solution.n_iter == 0


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 10))
def test_more_expensive_slack_never_lowers_the_optimum(seed, C):
    rng = np.random.default_rng(seed)
    D, prior = rng.normal(size=(12, 4)), np.ones(4)
    values = [solve_hinge(D, np.full(12, price), prior).objective for price in (C, 2 * C)]
    assert values[0] <= values[1] * (1 + 1e-6)
