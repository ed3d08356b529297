import numpy as np
import pytest

from tercet.latent import _apart, _relevance
from tercet.latent._relevance import best_turn, foreseen_shares, relevance


def slow_shares(Z, n_neighbours, turn):
    """What the module's head says, feature by feature and item by item."""
    n_items, n_features = Z.shape
    shares = []
    for f in range(n_features):
        others = [g for g in range(n_features) if g != f]
        missed = 0.0
        for i in range(n_items):
            away = {
                j: sum((1 + ((Z[i, g] - Z[j, g]) / turn) ** 2) ** 0.5 - 1 for g in others)
                for j in range(n_items)
                if j != i
            }
            nearest = sorted(away, key=away.get)[:n_neighbours]
            missed += (Z[i, f] - np.mean([Z[j, f] for j in nearest])) ** 2 / n_items
        shares.append(1 - missed / Z[:, f].var() / (1 + 1 / n_neighbours))
    return shares


def in_noise(n_items=200, n_signal=4, n_noise=12, seed=0):
    """Features of three clouds, and others that have nothing to do with them."""
    rng = np.random.default_rng(seed)
    centres = 3 * rng.normal(size=(3, n_signal))
    X = np.column_stack(
        [
            centres[np.arange(n_items) % 3] + rng.normal(size=(n_items, n_signal)),
            rng.normal(size=(n_items, n_noise)),
        ]
    )
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("turn", [0.5, 1.0, 4.0])
def test_shares_are_those_of_the_formula(turn):
    Z = in_noise(36, 3, 2)
    np.testing.assert_allclose(foreseen_shares(Z, turn), slow_shares(Z, 6, turn), atol=1e-12)


def test_a_copy_is_foreseen_and_noise_is_not():
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    shares = foreseen_shares(np.column_stack([a, a, rng.normal(size=400)]), 1.0)
    assert (shares[:2] > 0.8).all()
    assert abs(shares[2]) < 0.1


def test_noise_counts_no_more_than_one_feature():
    counts = relevance(in_noise(), np.random.default_rng(0))
    assert (counts[:4] == 1).all()
    assert 0 < counts[4:].sum() < 1.5
    assert (counts[4:] > 0).all()


def test_a_single_feature_on_its_own_counts_like_the_others():
    np.testing.assert_allclose(relevance(in_noise(n_noise=1), np.random.default_rng(0)), 1)


def test_where_nothing_foresees_anything_all_count_alike():
    Z = np.random.default_rng(0).normal(size=(300, 6))
    assert relevance(Z, np.random.default_rng(0)).min() > 0.8


def test_constant_features_change_nothing():
    Z = in_noise()
    more = np.column_stack([np.zeros(len(Z)), Z, np.zeros((len(Z), 5))])
    wanted = relevance(Z, np.random.default_rng(0))
    np.testing.assert_array_equal(relevance(more, np.random.default_rng(0))[1:17], wanted)


def test_very_many_features_are_left_out_in_groups(monkeypatch):
    Z = in_noise(150, 30, 30)
    one_by_one = foreseen_shares(Z, 1.0)
    monkeypatch.setattr(_relevance, "_MOST_GROUPS", 12)
    in_groups = foreseen_shares(Z, 1.0)
    assert in_groups.shape == (60,)
    np.testing.assert_allclose(in_groups, one_by_one, atol=0.1)


def test_of_many_items_some_are_looked_at():
    Z = in_noise(3000)
    few = relevance(Z, np.random.default_rng(0))
    assert (few[:4] == 1).all()
    assert few[4:].max() < 0.4
    np.testing.assert_array_equal(few, relevance(Z, np.random.default_rng(0)))


@pytest.mark.parametrize("shape", [(1, 3), (2, 1), (3, 2), (5, 1)])
def test_hardly_any_items_or_features(shape):
    Z = np.random.default_rng(0).normal(size=shape)
    counts = relevance(Z, np.random.default_rng(0))
    assert counts.shape == shape[1:]
    assert ((counts > 0) & (counts <= 1)).all()
    assert best_turn(Z, counts, np.random.default_rng(0)) in _relevance._TURNS


def test_the_turn_is_chosen_by_the_features_that_count():
    # Of four features in step one has wild values now and then; the best turn hangs on how much each counts.
    rng = np.random.default_rng(0)
    Z = np.linspace(-1.5, 1.5, 300)[:, np.newaxis] + 0.1 * rng.normal(size=(300, 8))
    Z[:, 4:] += 6 * rng.normal(size=(300, 4)) * (rng.random((300, 4)) < 0.1)
    by_turn = {turn: slow_shares(Z[:60], 8, turn) for turn in _relevance._TURNS}
    for counts in (np.repeat([1.0, 0.0], 4), np.repeat([0.0, 1.0], 4), np.repeat([1.0, 0.2], 4)):
        wanted = max(by_turn, key=lambda turn, counts=counts: counts @ by_turn[turn])
        assert best_turn(Z[:60], counts, rng) == wanted


@pytest.mark.parametrize("kind", ["binary", "repeated"])
def test_the_order_of_items_decides_nothing(kind):
    rng = np.random.default_rng(0)
    if kind == "binary":
        y = np.arange(90) % 3
        Z = (rng.random((90, 7)) < rng.random((3, 7))[y]).astype(float)
    else:
        Z = np.repeat(in_noise(30), 3, axis=0)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    counts = relevance(Z, rng)
    assert counts.min() < 1
    for _ in range(5):
        shuffled = Z[rng.permutation(len(Z))]
        np.testing.assert_allclose(relevance(shuffled, rng), counts, atol=1e-9)
        assert best_turn(shuffled, counts, rng) == best_turn(Z, counts, rng)


def test_compiled_and_plain_distances_find_the_same_on_ties(monkeypatch):
    pytest.importorskip("numba", reason="needs the extra 'fast'")
    rng = np.random.default_rng(1)
    Z = rng.integers(0, 2, size=(80, 6)).astype(float)
    fast = foreseen_shares(Z, 1.0)
    monkeypatch.setattr(_apart, "kernels", lambda _: None)
    np.testing.assert_allclose(foreseen_shares(Z, 1.0), fast, atol=1e-9)
