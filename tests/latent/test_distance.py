import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.latent import Answers, LearnedDistance, Scale, Settings, _apart, fit_latent
from tercet.latent._apart import apart, apart_by_row
from tercet.latent._distance import duels


def blobs(n=60, d=4, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n_classes, d))[y] * 2 + rng.normal(size=(n, d)), y


def answered(y, m, seed=0):
    rng = np.random.default_rng(seed)
    triplets = np.array([rng.choice(len(y), 3, replace=False) for _ in range(m)]).reshape(m, 3)
    i, j, k = y[triplets.T]
    answers = ((i == j).astype(int) - (i == k)).astype(np.int8)
    return Answers(triplets.astype(np.int64), answers, np.full(m, ""))


@pytest.fixture(scope="module")
def learned():
    X, y = blobs()
    answers = answered(y, 40)
    model = fit_latent(X, answers, Settings(3), np.random.default_rng(0))
    return LearnedDistance.learned(model, X, answers, np.random.default_rng(0)), X, y


def slow_square(distance, x, y):
    """The formula of the module's head, item by item."""
    model = distance.model
    z, v = ((row - model.mean) / model.spread for row in (x, y))
    away = sum((1 + (2 * (a - b)) ** 2) ** 0.5 - 1 for a, b in zip(z, v, strict=True)) / distance.scale.near
    W = model.weights[:-1] - model.weights[:-1].mean(axis=1, keepdims=True)
    along = distance.trust * (((z - v) @ W / distance.spread) ** 2).sum()
    k = (1 + (away + along) / 1.4) ** -distance.scale.power
    P, Q = (distance.model.probabilities(row[np.newaxis])[0] for row in (x, y))
    u, v = (1 - P @ P) / 2, (1 - Q @ Q) / 2
    return 2 * (1 - k) + distance.weight * (((P - Q) ** 2).sum() / 2 + u + v - 2 * np.sqrt(u * v) * k)


def test_pairs_tables_and_formula_agree(learned):
    distance, X, _ = learned
    table = distance.between(X[:7], X[7:12])
    for i in range(7):
        for j in range(5):
            assert table[i, j] == pytest.approx(slow_square(distance, X[i], X[7 + j]), abs=1e-12)
    assert np.allclose(distance.of_pairs(X[:5], X[7:12]), np.diag(table[:5]), atol=1e-12)


def test_it_is_a_metric(learned):
    distance, X, _ = learned
    D = np.sqrt(distance.between(X, X))
    assert np.allclose(np.diag(D), 0, atol=1e-6)
    assert np.allclose(D, D.T)
    assert (D[:, :, None] <= D[:, None, :] + D.T[None, :, :].swapaxes(1, 2) + 1e-9).all()
    # Euclidean in the strict sense: minus the centred squares has no negative eigenvalue.
    centre = np.eye(len(X)) - 1 / len(X)
    assert np.linalg.eigvalsh(-centre @ D**2 @ centre).min() > -1e-9


def slow_apart(a, b):
    return sum((1 + ((u - v) / 0.5) ** 2) ** 0.5 - 1 for u, v in zip(a, b, strict=True))


@pytest.mark.parametrize("compiled", [True, False])
def test_how_far_apart_items_are_by_their_features(compiled, monkeypatch):
    if compiled:
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(_apart, "kernels", lambda _: None)
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(7, 5)), rng.normal(size=(4, 5)) * 3
    B[0] = A[0]
    wanted = [[slow_apart(a, b) for b in B] for a in A]
    assert np.allclose(apart(A, B), wanted, rtol=1e-12, atol=1e-12)
    assert np.allclose(apart_by_row(A[:4], B), np.diag(wanted), rtol=1e-12, atol=1e-12)
    assert apart(A, B)[0, 0] == apart_by_row(A, A)[0] == 0


def test_the_scale_is_that_of_typical_neighbours_and_pairs():
    Z = np.random.default_rng(1).normal(size=(80, 3))
    all_pairs = np.array([[slow_apart(a, b) for b in Z] for a in Z])
    scale = Scale.measured(Z, np.random.default_rng(0))
    assert scale.near == pytest.approx(np.median((all_pairs + np.diag(np.full(80, np.inf))).min(axis=1)))
    assert (1 + np.median(all_pairs) / scale.near / 1.4) ** -scale.power == pytest.approx(0.01)


def test_doubles_alone_have_a_scale():
    assert Scale.measured(np.zeros((4, 2)), np.random.default_rng(0)).near == 1.0


@given(st.floats(0, 1), st.floats(0.01, 50), st.floats(0.3, 9))
def test_any_trust_and_scale_give_a_metric(trust, near, power):
    X, y = blobs(25, seed=3)
    model = fit_latent(X, answered(y, 10), Settings(3), np.random.default_rng(0))
    D = LearnedDistance(model, Scale(near, power), 1.0, trust).between(X, X)
    centre = np.eye(len(X)) - 1 / len(X)
    assert np.linalg.eigvalsh(-centre @ D @ centre).min() > -1e-8


def test_classes_of_no_trust_leave_the_order_of_the_features(learned):
    distance, X, _ = learned
    plain = LearnedDistance(distance.model, distance.scale, distance.spread, 0.0)
    Z = distance.model.standardised(X)
    ours = plain.between(X, X)
    for row, other in zip(ours, apart(Z, Z), strict=True):
        assert (np.diff(row[np.argsort(other)]) > -1e-12).all()


def test_an_outlier_keeps_the_order_of_its_neighbours(learned):
    distance, X, _ = learned
    plain = LearnedDistance(distance.model, distance.scale, distance.spread, 0.0)
    outlier = X[:1] + 100.0
    Z, far = distance.model.standardised(X), distance.model.standardised(outlier)
    wanted = np.argsort(apart(far, Z)[0])
    assert (np.diff(plain.between(outlier, X)[0][wanted]) > 0).all()


def slow_duels(Z, answers):
    won = lost = 0
    for (i, j, k), answer in zip(answers.triplets, answers.answers, strict=True):
        far = ((Z - Z[i]) ** 2).sum(axis=1)
        nearest = min((value, item) for item, value in enumerate(far) if item != i)[1]
        if answer and nearest in (j, k):
            if (answer == 1) == (nearest == j):
                lost += 1
            else:
                won += 1
    return won, lost


def test_duels_are_counted_by_the_questions_alone():
    X, y = blobs(30, seed=5)
    asked = answered(y, 3000, seed=1)
    assert duels(X, asked) == slow_duels(X, asked)
    assert sum(duels(X, asked)) > 50
    assert duels(X, asked[:0]) == (0, 0)


def test_doubles_are_no_neighbours():
    X = np.array([[0.0], [0.0], [1.0], [5.0], [6.0]])
    asked = Answers(np.array([[0, 2, 3], [0, 3, 2]]), np.array([1, 1], dtype=np.int8), np.full(2, ""))
    assert duels(X, asked) == (1, 1)


def test_a_duel_sets_the_two_neighbours_against_each_other(learned):
    distance, X, _ = learned
    full = LearnedDistance(distance.model, distance.scale, distance.spread, 1.0)
    by_classes, Z = full.between(X, X), distance.model.standardised(X)
    first = set()
    for seed in range(10):
        questions = distance.duel(X, np.random.default_rng(seed)).tolist()
        assert questions
        for i, j, k in questions:
            plain = min((((Z[i] - Z[o]) ** 2).sum(), o) for o in range(len(X)) if o != i)[1]
            rival = min((by_classes[i, o], o) for o in range(len(X)) if o != i)[1]
            assert {j, k} == {plain, rival}
            first.add(j == plain)
    assert first == {True, False}  # in either order, so that no habit of the answerer decides


def test_trust_follows_the_duels():
    X, y = blobs(40, seed=2)
    model = fit_latent(X, answered(y, 20), Settings(3), np.random.default_rng(0))
    Z = model.standardised(X)
    rng = np.random.default_rng(0)

    def trust(features_win):
        far = ((Z[:, None] - Z[None]) ** 2).sum(axis=2) + np.diag(np.full(40, np.inf))
        heads, nearest = np.arange(15), far.argmin(axis=1)[:15]
        others = np.array(
            [
                next(o for o in rng.permutation(40) if o not in (i, j))
                for i, j in zip(heads, nearest, strict=True)
            ]
        )
        answers = np.full(15, 1 if features_win else -1, dtype=np.int8)
        asked = Answers(np.column_stack([heads, nearest, others]), answers, np.full(15, ""))
        return LearnedDistance.learned(model, X, asked, rng).trust

    assert trust(features_win=True) == 0.05
    assert trust(features_win=False) == 1.0


def test_the_embedding_keeps_most_comparisons(learned):
    distance, X, _ = learned
    E = distance.embedded(X)
    rough = ((E[:, None] - E[None]) ** 2).sum(axis=2)
    exact = distance.between(X, X)
    rows, cols = np.triu_indices(len(X), 1)
    assert (
        np.corrcoef(np.argsort(np.argsort(rough[rows, cols])), np.argsort(np.argsort(exact[rows, cols])))[
            0, 1
        ]
        > 0.9
    )
