import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.information import information_gain
from tercet.selection import Info, Nonredundant, Random, choose

RULES = [Info(), Info(dont_know="informative"), Random(), Nonredundant()]


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_contract(rule, rng):
    beliefs = rng.dirichlet(np.ones(3), size=8)
    triplets = np.array([(0, 1, 2), (3, 4, 5), (5, 6, 7)])
    for asked in (np.empty((0, 3), int), np.array([(0, 1, 3)])):
        before = (triplets.copy(), beliefs.copy(), asked.copy())
        scores = rule.score(triplets, beliefs if rule.needs_beliefs else None, asked)
        assert scores.shape == (3,)
        assert np.isfinite(scores).all()
        swapped = rule.score(triplets[:, [0, 2, 1]], beliefs, asked)
        np.testing.assert_allclose(scores, swapped)
        for array, copy in zip((triplets, beliefs, asked), before, strict=True):
            np.testing.assert_array_equal(array, copy)


def test_info_is_the_information_gain(rng):
    beliefs = rng.dirichlet(np.ones(3), size=8)
    triplets = np.array([(0, 1, 2), (3, 4, 5)])
    np.testing.assert_array_equal(
        Info().score(triplets, beliefs, triplets), information_gain(beliefs, triplets)
    )


def test_info_needs_beliefs():
    with pytest.raises(ValueError, match="scores questions by beliefs, and got none"):
        Info().score(np.array([(0, 1, 2)]), None, np.empty((0, 3), int))


def test_nonredundant_counts_items_seen_before():
    asked = np.array([(0, 1, 2), (0, 3, 4)])
    triplets = np.array([(0, 1, 2), (0, 4, 9), (5, 6, 0), (5, 6, 7)])
    assert Nonredundant().score(triplets, None, asked).tolist() == [-3, -2, -1, 0]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.data())
def test_the_largest_are_chosen_best_first(values, data):
    scores = np.array(values, dtype=float)
    n = data.draw(st.integers(1, len(values)))
    chosen = choose(scores, n, np.random.default_rng(0))
    assert len(set(chosen.tolist())) == n
    assert scores[chosen].tolist() == sorted(values, reverse=True)[:n]


@pytest.mark.parametrize("n", [1, 2])
def test_ties_are_broken_evenly_rounding_included(n):
    scores = np.array([0.1, 0.7, 0.7 + 1e-16, 0.7 - 1e-16, 0.2])
    counts = np.zeros(5)
    rng = np.random.default_rng(0)
    for _ in range(3000):
        counts[choose(scores, n, rng)] += 1
    assert counts[[0, 4]].tolist() == [0, 0]
    assert (np.abs(counts[1:4] - 1000 * n) < 150).all()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_scores_must_be_finite(wrong):
    with pytest.raises(ValueError, match=f"gave the score {wrong}"):
        choose(np.array([0.0, wrong]), 1, np.random.default_rng(0))
