import math

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA

from tercet.latent import Basis
from tercet.latent._relevance import relevance


def slow_apart(a, b, turn):
    return sum((1 + ((u - v) / turn) ** 2) ** 0.5 - 1 for u, v in zip(a, b, strict=True))


def slow_kernel(A, B, basis):
    width = 1.4 * (basis.near * basis.far) ** 0.5
    return np.exp([[-slow_apart(a, b, basis.turn) / width for b in B] for a in A])


@pytest.fixture(scope="module")
def items():
    return np.random.default_rng(1).normal(size=(80, 3)) * [1.0, 10.0, 0.1] + 5


def measured(X):
    return Basis.measured(X, np.random.default_rng(0))


def test_features_without_heavy_tails_are_standardised_and_weighed(items):
    Z = (items - items.mean(axis=0)) / items.std(axis=0)
    counts = relevance(Z, np.random.default_rng(0))
    np.testing.assert_allclose(measured(items).standardised(items), Z * np.sqrt(counts), rtol=1e-6, atol=1e-9)


def test_heavy_tails_are_bent_before(items):
    far_out = items.copy()
    far_out[:3, 1] += 1000.0
    found = measured(far_out).standardised(far_out)
    column = far_out[:, 1]
    width = 3 * np.median(np.abs(column - np.median(column)))
    bent = np.array([math.asinh((x - np.median(column)) / width) for x in column])
    np.testing.assert_allclose(np.corrcoef(found[:, 1], bent)[0, 1], 1)
    # Unbent, these three would be 5 standard deviations out and all others within 0.2 of one place.
    assert np.ptp(found[3:, 1]) > 1
    np.testing.assert_allclose(np.corrcoef(found[:, 0], items[:, 0])[0, 1], 1)


def test_a_feature_that_is_mostly_one_value_is_bent_by_its_spread():
    X = np.zeros((60, 2))
    X[:, 0] = np.linspace(0, 1, 60)
    X[:5, 1] = [1.0, 2.0, 4.0, 8.0, 16.0]
    found = measured(X).standardised(X)[:, 1]
    width = 2 * X[:, 1].std()
    np.testing.assert_allclose(np.corrcoef(found, np.arcsinh(X[:, 1] / width))[0, 1], 1)


def test_neighbours_and_pairs_are_as_far_apart_as_is_typical(items):
    basis = measured(items)
    Z = basis.standardised(items)
    pairs = np.array([[slow_apart(a, b, basis.turn) for b in Z] for a in Z])
    assert basis.far == pytest.approx(np.median(pairs))
    assert basis.near == pytest.approx(np.median((pairs + np.diag(np.full(80, np.inf))).min(axis=1)))


def test_components_are_those_of_scikit_learn_for_known_and_new_items(items):
    basis = measured(items)
    Z, new = basis.standardised(items), np.random.default_rng(2).normal(size=(7, 3))
    theirs = KernelPCA(40, kernel="precomputed").fit(slow_kernel(Z, Z, basis))
    for points in (Z, new):
        found = basis.coordinates(points)
        np.testing.assert_array_equal(found[:, :3], points)
        wanted = theirs.transform(slow_kernel(points, Z, basis))
        # Up to the sign of each and one scale for all.
        scale = np.linalg.norm(basis.coordinates(Z)[:, 3]) / np.sqrt(theirs.eigenvalues_[0])
        np.testing.assert_allclose(np.abs(found[:, 3:]), scale * np.abs(wanted), atol=1e-6)


def test_components_weigh_as_much_as_the_features(items):
    basis = measured(items)
    coordinates = basis.coordinates(basis.standardised(items))
    assert coordinates.shape == (80, 43) == (80, basis.n_columns)
    plain, components = coordinates[:, :3], coordinates[:, 3:]
    assert (components**2).sum(axis=1).mean() == pytest.approx((plain**2).sum(axis=1).mean())
    np.testing.assert_allclose(coordinates[:, 3:].mean(axis=0), 0, atol=1e-9)


def test_of_many_items_some_are_landmarks():
    basis = measured(np.random.default_rng(0).normal(size=(1500, 4)))
    assert len(basis.landmarks) == 200
    assert basis.coordinates(np.zeros((2, 4))).shape == (2, 44)


@pytest.mark.parametrize("X", [np.zeros((4, 2)), np.ones((3, 1)), [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]])
def test_items_that_are_alike_have_finite_coordinates(X):
    X = np.asarray(X)
    basis = measured(X)
    assert basis.near > 0
    assert np.isfinite(basis.coordinates(basis.standardised(X))).all()
    assert np.isfinite(basis.coordinates(basis.standardised(X + 5))).all()
