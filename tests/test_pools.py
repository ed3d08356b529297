import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.pools import ExhaustivePool, SampledPool, pool_guarantee, pool_size
from tercet.triplets import count_questions, question_numbers


@given(st.integers(3, 60), st.integers(1, 30))
def test_a_sampled_pool_has_different_questions(n, multiple):
    triplets = SampledPool(multiple).draw(n, np.random.default_rng(0))
    assert len(triplets) == min(multiple * n, count_questions(n))
    assert len(set(question_numbers(triplets, n).tolist())) == len(triplets)
    assert (triplets >= 0).all()
    assert (triplets < n).all()
    assert all(len(set(row)) == 3 for row in triplets.tolist())


def test_an_exhaustive_pool_has_them_all():
    triplets = ExhaustivePool().draw(9, np.random.default_rng(0))
    assert sorted(question_numbers(triplets, 9).tolist()) == list(range(count_questions(9)))


@pytest.mark.parametrize("pool", [SampledPool(), ExhaustivePool()], ids=repr)
def test_the_candidates_stand_in_random_order(pool):
    triplets = pool.draw(60, np.random.default_rng(0))
    share = np.mean(triplets[:, 1] < triplets[:, 2])
    assert abs(share - 0.5) < 5 / np.sqrt(len(triplets))


def test_every_item_is_as_likely_in_every_place():
    n = 30
    counts = np.zeros((3, n))
    for seed in range(20):
        triplets = SampledPool(20).draw(n, np.random.default_rng(seed))
        for place in range(3):
            counts[place] += np.bincount(triplets[:, place], minlength=n)
    expected = 20 * 20
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


def test_an_exhaustive_pool_that_cannot_fit_says_so():
    with pytest.raises(ValueError, match=r"1000 items have 498,501,000 questions.*use SampledPool"):
        ExhaustivePool().draw(1000, np.random.default_rng(0))


def test_wrong_multiple_is_named():
    with pytest.raises(ValueError, match=r"multiple must be .* not 0"):
        SampledPool(0)


def test_the_papers_guarantee():
    assert pool_guarantee(100 * 100, 0.001) > 0.9999
    assert pool_guarantee(0, 0.5) == 0
    assert pool_guarantee(1, 1.0) == 1
    assert pool_guarantee(3, 0.5) == pytest.approx(0.875)


@given(st.floats(0.0, 0.999999), st.floats(1e-6, 1.0))
def test_the_guarantee_both_ways(probability, epsilon):
    size = pool_size(probability, epsilon)
    assert pool_guarantee(size, epsilon) >= probability
    assert size == 0 or pool_guarantee(size - 1, epsilon) < probability


@pytest.mark.parametrize(("probability", "epsilon"), [(0.99, 1e-25), (1 - 1e-15, 1e-8)])
def test_extreme_guarantees_end(probability, epsilon):
    assert pool_guarantee(pool_size(probability, epsilon), epsilon) == pytest.approx(probability)


def test_the_guarantee_holds_in_a_simulation():
    n, epsilon = 12, 0.05
    total = count_questions(n)
    hits = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        numbers = question_numbers(SampledPool(2).draw(n, rng), n)
        hits += bool((numbers < epsilon * total).any())
    # Drawn without repetition, so the true share is a little above the bound.
    assert hits / 400 > pool_guarantee(2 * n, epsilon) - 0.03


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pool_guarantee(-1, 0.5), "size must be"),
        (lambda: pool_guarantee(1, 1.5), "epsilon must be .* not 1.5"),
        (lambda: pool_size(0.5, 0.0), "epsilon must be a number above 0"),
        (lambda: pool_size(1.0, 0.5), "use ExhaustivePool"),
        (lambda: pool_size(float("nan"), 0.5), "probability must be"),
    ],
)
def test_impossible_guarantees_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
