import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.information import information_gain
from tercet.selection import Info, Nonredundant, Random, choose, choose_together
from tercet.triplets import question_numbers

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


def slowly_together(triplets, scores, n, waiting):
    """The best that shares no item with any before it; where there is none, items may come again."""
    left, taken, chosen = set(range(len(scores))), set(waiting), []
    while len(chosen) < n:
        free = [q for q in left if not taken & set(triplets[q])]
        if not free:
            taken = set()
            continue
        best = max(free, key=lambda q: scores[q])
        chosen.append(best)
        taken |= set(triplets[best])
        left.remove(best)
    return chosen


@given(st.integers(4, 12), st.integers(1, 12), st.lists(st.integers(0, 11), max_size=4), st.integers(0, 99))
def test_a_batch_shares_no_items_as_far_as_that_goes(n_items, n, waiting, seed):
    rng = np.random.default_rng(seed)
    triplets = np.array([rng.choice(n_items, 3, replace=False) for _ in range(25)])
    scores = rng.random(25)
    found = choose_together(triplets, scores, n, rng, waiting)
    assert found.tolist() == slowly_together(triplets.tolist(), scores, n, waiting)


def test_of_a_batch_by_info_the_first_is_the_best_of_all_and_the_others_are_about_other_items(rng):
    beliefs = rng.dirichlet(np.ones(3), size=40)
    asked = np.array([(0, 1, 2)])
    rule = Info("exact")
    questions, scores = rule.find(beliefs, asked, 10, np.random.default_rng(0))
    (best,), _ = rule.find(beliefs, asked, 1, np.random.default_rng(0))
    assert question_numbers(questions[:1], 40) == question_numbers(best[None], 40)
    assert len(np.unique(questions)) == 30
    np.testing.assert_allclose(scores, information_gain(beliefs, questions))
    assert scores.min() > np.median(information_gain(beliefs, rng.permuted(questions, axis=0)))


def test_a_large_batch_about_few_items_has_every_question_once(rng):
    questions, _ = Info().find(rng.dirichlet(np.ones(2), size=5), np.array([(0, 1, 2)]), 29, rng)
    numbers = question_numbers(questions, 5)
    assert len(np.unique(numbers)) == 29
    assert question_numbers(np.array([(0, 1, 2)]), 5) not in numbers


def test_whose_errors_count(rng):
    beliefs, nothing = rng.dirichlet(np.ones(3), size=9), np.empty((0, 3), int)
    for rule, wanted in [
        (Info(dont_know="informative"), 0.3),  # of whoever is asked
        (Info(dont_know="informative", error=0.1), 0.1),
    ]:
        assert rule.needs_error == (wanted == 0.3)
        questions, scores = rule.find(beliefs, nothing, 3, rng, error=0.3)
        gains = information_gain(beliefs, questions, dont_know="informative", error=wanted)
        np.testing.assert_allclose(scores, gains)
    assert not Info().needs_error
