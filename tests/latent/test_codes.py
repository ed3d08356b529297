import numpy as np
import pytest

from tercet.latent._codes import ANYTHING, reaches, without_codes


def normal(n_items=60, seed=0):
    return np.random.default_rng(seed).normal(5.0, 2.0, size=(n_items, 1))


def with_values(X, *values):
    X = X.copy()
    X[: len(values), 0] = values
    return X


@pytest.mark.parametrize(
    "values",
    [(-9999,), (-9999,) * 20, (9999, -9999), (1e300,), (-999, -999, 99999)],
    ids=["one", "many", "two numbers", "huge", "of different size"],
)
def test_what_is_far_from_all_others_is_a_code(values):
    X = with_values(normal(), *values)
    filled, (reach,) = without_codes(X)
    others = X[len(values) :]
    np.testing.assert_array_equal(filled[len(values) :], others)
    np.testing.assert_array_equal(filled[: len(values)], np.median(others))
    assert np.abs(others - 5).max() < reach < np.abs(np.array(values) - 5).min()
    assert X[0, 0] == values[0]  # the caller's stay as they were


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_a_code_is_found_where_most_items_have_one_value(share):
    ones = (np.random.default_rng(0).random((90, 1)) < share).astype(float)
    assert reaches(ones)[0] == ANYTHING
    assert 1 < reaches(with_values(ones, -9999.0))[0] < 9999


@pytest.mark.parametrize(
    "X",
    [
        np.exp(3 * np.random.default_rng(1).normal(size=(3000, 4))),  # values of all sizes
        np.random.default_rng(1).standard_cauchy((3000, 4)),
        np.concatenate([normal(60), normal(6, 1) * 1e4]),  # a small class far away
        with_values(normal(), 400.0),  # as far out as a hundred spreads
        np.repeat([[0.0], [1e9]], [50, 3], axis=0),
        np.zeros((5, 1)),
        np.full((5, 1), 1e300),
        np.arange(2.0)[:, np.newaxis],
    ],
    ids=["lognormal", "Cauchy", "a small class", "an outlier", "two values", "zeros", "huge", "two items"],
)
def test_measurements_are_no_codes(X):
    filled, reach = without_codes(X)
    assert (reach == ANYTHING).all()
    assert filled is X


def test_of_many_items_some_tell_what_is_far():
    X = normal(50_000)
    X[123, 0] = -9999.0
    (reach,) = reaches(X)
    assert np.abs(np.delete(X, 123) - np.median(X)).max() < reach < 10_000


@pytest.mark.parametrize("size", [1e-200, 1e-20, 1e200])
def test_codes_of_any_size(size):
    X = with_values(normal(), 9999.0)
    assert reaches(X * size) / size == pytest.approx(reaches(X))
