import numpy as np
import pytest
from sklearn.decomposition import KernelPCA

from tercet.latent import Basis


def slow_apart(a, b):
    return sum((1 + (u - v) ** 2) ** 0.5 - 1 for u, v in zip(a, b, strict=True))


def slow_kernel(A, B, basis):
    width = 1.4 * (basis.near * basis.far) ** 0.5
    return np.exp([[-slow_apart(a, b) / width for b in B] for a in A])


@pytest.fixture(scope="module")
def items():
    return np.random.default_rng(1).normal(size=(80, 3)) * [1.0, 10.0, 0.1] + 5


def measured(X):
    return Basis.measured(X, np.random.default_rng(0))


def test_neighbours_and_pairs_are_as_far_apart_as_is_typical(items):
    basis = measured(items)
    Z = (items - items.mean(axis=0)) / items.std(axis=0)
    np.testing.assert_allclose(basis.standardised(items), Z)
    pairs = np.array([[slow_apart(a, b) for b in Z] for a in Z])
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
    assert (coordinates[:, 3:] ** 2).sum(axis=1).mean() == pytest.approx(3.0)
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
