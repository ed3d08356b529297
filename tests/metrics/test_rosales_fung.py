import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from tercet.metrics import RosalesFung, rosales_fung
from tercet.triplets import triplets_from_labels


def optimum_in_the_papers_form(near, far, price):
    """The program as published: all d x d entries, |A_ab| <= T_ab, and A_aa >= sum of T_ab over b."""
    m, d = near.shape
    pairs = [(a, b) for a in range(d) for b in range(a, d)]
    column = {pair: number for number, pair in enumerate(pairs)}
    p = len(pairs)  # variables: A by pairs, T by pairs, slack by triplets
    rows, bounds = [], []
    for u, v in zip(far, near, strict=True):
        row = np.zeros(2 * p + m)
        for (a, b), number in column.items():
            row[number] = -(1 if a == b else 2) * (u[a] * u[b] - v[a] * v[b])
        row[2 * p + len(rows)] = -1
        rows.append(row)
        bounds.append(-1.0)
    for number in range(p):
        for sign in (1, -1):
            row = np.zeros(2 * p + m)
            row[number], row[p + number] = sign, -1
            rows.append(row)
            bounds.append(0.0)
    for a in range(d):
        row = np.zeros(2 * p + m)
        row[column[a, a]] = -1
        for b in range(d):
            if b != a:
                row[p + column[min(a, b), max(a, b)]] += 1
        rows.append(row)
        bounds.append(0.0)
    norm = [price * (1 if a == b else 2) for a, b in pairs]
    cost = np.concatenate([np.zeros(p), norm, np.full(m, 1 / m)])
    limits = [(None, None)] * p + [(0, None)] * (p + m)
    return linprog(cost, A_ub=np.array(rows), b_ub=bounds, bounds=limits, method="highs").fun


@given(st.integers(2, 12), st.integers(1, 5), st.sampled_from([0.02, 0.1, 0.5]), st.integers(0, 2**32 - 1))
def test_equal_to_the_program_as_published(m, d, gamma, seed):
    rng = np.random.default_rng(seed)
    near, far = rng.normal(size=(m, d)), 1.5 * rng.normal(size=(m, d))
    metric = RosalesFung(gamma)
    near, far = (side / np.sqrt(np.mean([near**2, far**2])) for side in (near, far))
    metric._solve(near, far, np.full(m, 1 / m), gamma)
    # The price at which nothing is learned, by its definition: just above it the published program gives 1.
    M = (far.T @ far - near.T @ near) / m
    ceiling = max(
        [M[a, a] for a in range(d)]
        + [(M[a, a] + M[b, b] + s * 2 * M[a, b]) / 4 for a in range(d) for b in range(a) for s in (1, -1)]
    )
    if ceiling <= 1e-9:
        assert metric.objective_ == pytest.approx(1.0)
        return
    assert optimum_in_the_papers_form(near, far, ceiling * 1.0001) == pytest.approx(1.0)
    assert optimum_in_the_papers_form(near, far, ceiling * 0.99) < 1.0
    assert metric.objective_ == pytest.approx(
        optimum_in_the_papers_form(near, far, gamma * ceiling), rel=1e-5
    )


@pytest.fixture(scope="module")
def fitted(wine):
    X, y = wine
    triplets = triplets_from_labels(y, 100, np.random.default_rng(1))
    return RosalesFung(gamma=0.05, basis="standard", preprocessor=X).fit(triplets)


def test_the_matrix_is_positive_semidefinite_with_a_dominant_diagonal(fitted):
    A = (fitted.atoms_.T * fitted.weights_) @ fitted.atoms_
    diagonal = np.diag(A)
    assert (diagonal >= np.abs(A).sum(axis=1) - diagonal - 1e-9).all()
    assert np.linalg.eigvalsh(fitted.get_mahalanobis_matrix()).min() > -1e-12


def test_the_matrix_is_sparse_and_sparser_for_a_larger_gamma(wine):
    X, y = wine
    triplets = triplets_from_labels(y, 100, np.random.default_rng(1))
    sizes = [
        np.count_nonzero(
            RosalesFung(g, basis="standard", preprocessor=X).fit(triplets).get_mahalanobis_matrix()
        )
        for g in (0.01, 0.2, 0.9)
    ]
    assert sizes[0] > sizes[1] > sizes[2] > 0
    assert sizes[0] < X.shape[1] ** 2


def test_the_scale_of_the_features_does_not_matter(wine):
    X, y = wine
    triplets = triplets_from_labels(y, 50, np.random.default_rng(1))
    one = RosalesFung(preprocessor=X).fit(triplets)
    for scale in (1e-6, 1e6):
        other = RosalesFung(preprocessor=scale * X).fit(triplets)
        assert other.objective_ == pytest.approx(one.objective_, rel=1e-6)
        np.testing.assert_array_equal(other.predict(triplets), one.predict(triplets))


def test_many_features(rng):
    X = rng.normal(size=(80, 300))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    metric = RosalesFung(preprocessor=X).fit(triplets_from_labels(y, 200, rng))
    assert metric.objective_ < 1
    assert metric.score(triplets_from_labels(y, 200, rng)) > 0.5


def test_nothing_to_learn_keeps_euclid_and_says_so():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]])  # the far item is nearer in every direction
    with pytest.warns(UserWarning, match="no direction pays for itself in these 1 triplets"):
        metric = RosalesFung(preprocessor=X).fit([(0, 1, 2)])
    np.testing.assert_array_equal(metric.components_, np.eye(2))


def test_equal_points_keep_euclid():
    with pytest.warns(UserWarning, match="keeping the plain Euclidean"):
        metric = RosalesFung().fit(np.ones((4, 3, 2)))
    np.testing.assert_array_equal(metric.components_, np.eye(2))


@pytest.mark.parametrize("gamma", [0, -1, 1.5, "a lot"])
def test_a_wrong_gamma_is_named(gamma):
    with pytest.raises(ValueError, match=f"gamma must be a number above 0 and at most 1, not {gamma!r}"):
        RosalesFung(gamma).fit(np.zeros((1, 3, 2)))


def test_a_program_that_highs_cannot_solve_is_an_error(monkeypatch, wine):
    real = rosales_fung.linprog

    def out_of_time(*args, **kwargs):
        return real(*args, **kwargs, options={"maxiter": 0, "presolve": False})

    monkeypatch.setattr(rosales_fung, "linprog", out_of_time)
    X, y = wine
    with pytest.raises(RuntimeError, match="HiGHS could not solve the program"):
        RosalesFung(preprocessor=X).fit(triplets_from_labels(y, 50, np.random.default_rng(0)))


def test_running_out_of_rounds_is_said(monkeypatch, wine):
    X, y = wine
    monkeypatch.setattr(rosales_fung, "_MAX_ROUNDS", 1)
    monkeypatch.setattr(rosales_fung, "_MAX_NEW", 2)
    with pytest.warns(ConvergenceWarning, match="still improving after 1 rounds"):
        RosalesFung(0.01, basis="standard", preprocessor=X).fit(
            triplets_from_labels(y, 50, np.random.default_rng(0))
        )
