from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.latent import Answers, LearnedDistance, Settings, _apart, fit_latent
from tercet.latent._apart import apart, apart_by_row


def blobs(n=60, d=4, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n_classes, d))[y] * 2 + rng.normal(size=(n, d)), y


def answered(y, m, seed=0):
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(len(y), 3, replace=False) for _ in range(m)]
    triplets = np.array(drawn, dtype=np.int64).reshape(m, 3)
    i, j, k = y[triplets.T]
    answers = ((i == j).astype(int) - (i == k)).astype(np.int8)
    return Answers(triplets, answers, np.full(m, ""))


def learned_from(X, answers, n_classes=3):
    model = fit_latent(X, answers, Settings(n_classes, 0.4, None), np.random.default_rng(0))
    return LearnedDistance.learned(model)


@pytest.fixture(scope="module")
def learned():
    X, y = blobs()
    return learned_from(X, answered(y, 40)), X, y


def slow_apart(a, b, turn):
    return sum((1 + ((u - v) / turn) ** 2) ** 0.5 - 1 for u, v in zip(a, b, strict=True))


def slow_square(distance, x, y):
    """The formula of the module's head, item by item and model by model."""
    model, basis = distance.model, distance.model.basis
    z, v = ((np.arcsinh((row - basis.middle) / basis.width) - basis.mean) / basis.spread for row in (x, y))
    away = slow_apart(z, v, basis.turn) / basis.near
    gap = (basis.coordinates(z[np.newaxis]) - basis.coordinates(v[np.newaxis]))[0]
    along, same, own, other = 0.0, 0.0, 0.0, 0.0
    members = model.members(np.stack([x, y]))
    for W, spread, P in zip(model.weights, distance.spreads, members, strict=True):
        centred = W[:-1] - W[:-1].mean(axis=1, keepdims=True)
        along += ((gap @ centred / spread) ** 2).sum() / len(model.weights)
        same += P[0] @ P[1] / len(model.weights)
        own += P[0] @ P[0] / len(model.weights)
        other += P[1] @ P[1] / len(model.weights)
    power = -np.log(0.003) / np.log(1 + basis.far / basis.near / 1.4)
    trust = model.n_answers / (model.n_answers + 3 * model.n_classes)
    k = (1 + (away + trust * along) / 1.4) ** -power
    c = 5 * min(max(distance.unlike, 0.018), 0.18) * trust
    u, v = (1 - own) / 2, (1 - other) / 2
    return 2 * (1 - k) + c * ((own + other) / 2 - same + u + v - 2 * np.sqrt(u * v) * k)


def test_pairs_tables_and_formula_agree(learned):
    distance, X, _ = learned
    table = distance.between(X[:7], X[7:12])
    for i in range(7):
        for j in range(5):
            assert table[i, j] == pytest.approx(slow_square(distance, X[i], X[7 + j]), abs=1e-9)
    assert np.allclose(distance.of_pairs(X[:5], X[7:12]), np.diag(table[:5]), atol=1e-9)


def is_euclidean(squares):
    """Whether minus the centred squares has no negative eigenvalue."""
    centre = np.eye(len(squares)) - 1 / len(squares)
    return np.linalg.eigvalsh(-centre @ squares @ centre).min() > -1e-8


def test_it_is_a_metric(learned):
    distance, X, _ = learned
    D = np.sqrt(distance.between(X, X))
    assert np.allclose(np.diag(D), 0, atol=1e-6)
    assert np.allclose(D, D.T)
    assert (D[:, :, None] <= D[:, None, :] + D.T[None, :, :].swapaxes(1, 2) + 1e-9).all()
    assert is_euclidean(D**2)


@settings(max_examples=15)
@given(st.integers(0, 60), st.integers(2, 6), st.floats(0.01, 50))
def test_any_answers_classes_and_spreads_give_a_metric(m, n_classes, spread):
    X, y = blobs(25, seed=3)
    distance = learned_from(X, answered(y, m), n_classes)
    assert is_euclidean(replace(distance, spreads=distance.spreads * spread).between(X, X))


@pytest.mark.parametrize("turn", [1.0, 2.5])
@pytest.mark.parametrize("compiled", [True, False])
def test_how_far_apart_items_are_by_their_features(compiled, turn, monkeypatch):
    if compiled:
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(_apart, "kernels", lambda _: None)
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(7, 5)), rng.normal(size=(4, 5)) * 3
    B[0] = A[0]
    wanted = [[slow_apart(a, b, turn) for b in B] for a in A]
    assert np.allclose(apart(A, B, turn), wanted, rtol=1e-12, atol=1e-12)
    assert np.allclose(apart_by_row(A[:4], B, turn), np.diag(wanted), rtol=1e-12, atol=1e-12)
    assert apart(A, B, turn)[0, 0] == apart_by_row(A, A, turn)[0] == 0


def test_classes_count_more_with_every_answer_and_less_with_every_class():
    X, y = blobs()
    found = [learned_from(X, answered(y, m)).trust for m in (0, 9, 40)]
    assert found == pytest.approx([0.0, 0.5, 40 / 49])
    assert learned_from(X, answered(y, 9), n_classes=6).trust == pytest.approx(1 / 3)


def test_classes_count_as_far_as_neighbours_are_of_different_ones():
    X, y = blobs()
    distance = learned_from(X, answered(y, 40))
    model, basis = distance.model, distance.model.basis
    believed = model.probabilities(X).argmax(axis=1)
    Z = basis.standardised(X)
    gaps = np.array([[slow_apart(a, b, basis.turn) for b in Z] for a in Z])
    nearest = (gaps + np.diag(np.full(len(Z), np.inf))).argmin(axis=1)
    assert distance.unlike == np.mean(believed != believed[nearest])  # all 60 are landmarks
    weights = [replace(distance, unlike=share).weight for share in (0.0, 0.06, 0.12, 0.9)]
    assert weights == pytest.approx([0.09 * 40 / 49, 0.3 * 40 / 49, 0.6 * 40 / 49, 0.9 * 40 / 49])


def test_neighbours_of_landmarks_are_sought_among_all_items():
    X, y = blobs(400, seed=2)
    basis = learned_from(X, answered(y, 8)).model.basis
    Z = basis.standardised(X)
    assert len(basis.landmarks) == len(basis.beside) == 200
    for landmark, neighbour in zip(basis.landmarks[:20], basis.beside, strict=False):
        others = [slow_apart(landmark, z, basis.turn) for z in Z if not np.allclose(z, landmark)]
        assert slow_apart(landmark, neighbour, basis.turn) == pytest.approx(min(others))


def test_a_double_is_no_neighbour():
    X, y = blobs(30)
    basis = learned_from(np.repeat(X, 2, axis=0), answered(np.repeat(y, 2), 8)).model.basis
    for landmark, neighbour in zip(basis.landmarks, basis.beside, strict=True):
        gaps = np.array([slow_apart(landmark, z, basis.turn) for z in basis.landmarks])
        assert slow_apart(landmark, neighbour, basis.turn) == pytest.approx(gaps[gaps > 1e-6].min())


def test_an_outlier_keeps_the_order_of_its_neighbours():
    X, y = blobs()
    distance = learned_from(X, answered(y, 0))
    flat = replace(distance, spreads=np.full(6, 1e9))  # directions count for nothing
    outlier = X[:1] + 100.0
    basis = distance.model.basis
    Z, far = (basis.standardised(points) for points in (X, outlier))
    wanted = np.argsort(apart(far, Z, basis.turn)[0])
    assert (np.diff(flat.between(outlier, X)[0][wanted]) > 0).all()


def test_classes_put_far_items_in_order_and_leave_close_neighbours_alone():
    # Two clouds for each class: only the answers know that they belong together.
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0], [8, 0], [0, 8], [8, 8]])
    cloud = np.arange(120) % 4
    X, y = centres[cloud] + rng.normal(size=(120, 2)), np.array([0, 1, 1, 0])[cloud]
    distance = learned_from(X, answered(y, 120), n_classes=2)
    D = distance.between(X, X)
    np.fill_diagonal(D, np.inf)
    assert np.mean(cloud[D.argmin(axis=1)] == cloud) > 0.95
    diagonal, side = D[np.ix_(cloud == 0, cloud == 3)], D[np.ix_(cloud == 0, cloud == 1)]
    assert np.mean(diagonal) < np.mean(side)  # though the clouds are farther apart


def test_the_embedding_keeps_most_comparisons(learned):
    distance, X, _ = learned
    E = distance.embedded(X)
    rough = ((E[:, None] - E[None]) ** 2).sum(axis=2)
    rows, cols = np.triu_indices(len(X), 1)
    ranks = [np.argsort(np.argsort(table[rows, cols])) for table in (rough, distance.between(X, X))]
    assert np.corrcoef(*ranks)[0, 1] > 0.9


def test_rounding_is_no_spread():
    X = np.full((20, 3), 0.1)  # whose mean is not quite 0.1
    distance = learned_from(X, answered(np.arange(20) % 2, 24), n_classes=2)
    assert distance.between(X[:1], X[:1] + 1e-9)[0, 0] < 1e-3
