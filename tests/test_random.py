import numpy as np
import pytest

from tercet._random import Seeds


def test_streams_depend_on_seed_purpose_and_numbers_only():
    seeds = Seeds(1)
    first = seeds.generator("pool", 3).random(4)
    seeds.generator("something else").random(1000)
    assert np.array_equal(seeds.generator("pool", 3).random(4), first)
    for other in (Seeds(2).generator("pool", 3), seeds.generator("ties", 3), seeds.generator("pool", 4)):
        assert not np.array_equal(other.random(4), first)


def test_every_kind_of_random_state_is_taken():
    assert Seeds(np.int64(5)).entropy == 5
    assert Seeds(np.random.default_rng(0)).entropy == Seeds(np.random.default_rng(0)).entropy
    assert Seeds(np.random.RandomState(0)).entropy == Seeds(np.random.RandomState(0)).entropy
    assert Seeds(None).entropy != Seeds(None).entropy


@pytest.mark.parametrize("wrong", [-1, "zero", 1.5, True])
def test_a_wrong_random_state_is_named(wrong):
    with pytest.raises(ValueError, match=f"random_state must be .*{wrong!r}"):
        Seeds(wrong)
