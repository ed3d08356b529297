import numpy as np
import pytest

from tercet.latent import _relevance
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


def test_single_wild_values_are_better_foreseen_by_lengths_than_by_squares():
    # Three features in step, in which now and then a single value is far off.
    rng = np.random.default_rng(0)
    step = np.linspace(-1.5, 1.5, 300)[:, np.newaxis] + 0.1 * rng.normal(size=(300, 8))
    wild = step + 6 * rng.normal(size=step.shape) * (rng.random(step.shape) < 0.08)
    alike = np.ones(8)
    assert best_turn(wild, alike, rng) < 4.0
    shares = {turn: foreseen_shares(wild, turn).mean() for turn in _relevance._TURNS}
    assert max(shares, key=shares.get) == best_turn(wild, alike, rng)
