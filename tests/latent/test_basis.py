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


def in_noise(n_items=90, seed=0):
    """Four features of three clouds, and eight that have nothing to do with them."""
    rng = np.random.default_rng(seed)
    centres = 3 * rng.normal(size=(3, 4))
    signal = centres[np.arange(n_items) % 3] + rng.normal(size=(n_items, 4))
    return np.column_stack([signal, rng.normal(size=(n_items, 8))]) * np.geomspace(0.01, 100, 12) + 7


def test_features_without_heavy_tails_are_standardised_and_weighed():
    X = in_noise()
    basis, Z = measured(X), (X - X.mean(axis=0)) / X.std(axis=0)
    counts = relevance(Z, np.random.default_rng(0))
    assert counts.min() < 0.2 < 0.9 < counts.max()
    np.testing.assert_allclose(basis.standardised(X), Z * np.sqrt(counts), rtol=1e-6, atol=1e-9)
    # With so few items all are landmarks, in the same space as new ones.
    np.testing.assert_allclose(basis.landmarks, basis.standardised(X), atol=1e-12)


def test_heavy_tails_are_bent_before(items):
    far_out = items.copy()
    far_out[:3, 1] += 1000.0
    found = measured(far_out).standardised(far_out)
    column = far_out[:, 1]
    width = 3 * np.median(np.abs(column - np.median(column)))
    bent = np.array([math.asinh((x - np.median(column)) / width) for x in column])
    counts = found[:, 0].var()  # what all three count, since nothing foresees anything
    wanted = (bent - bent.mean()) / bent.std() * (bent.std() * width / column.std() * counts) ** 0.5
    np.testing.assert_allclose(found[:, 1], wanted, rtol=0.1, atol=1e-9)
    assert np.corrcoef(found[:, 1], bent)[0, 1] == pytest.approx(1)
    # Unbent, all but these three would be much closer together.
    assert np.ptp(found[3:, 1]) > 2 * np.ptp(column[3:] / column.std())


def test_a_feature_that_is_mostly_one_value_is_bent_by_its_spread():
    X = np.zeros((60, 2))
    X[:, 0] = np.linspace(0, 1, 60)
    X[:5, 1] = [1.0, 2.0, 4.0, 8.0, 16.0]
    found = measured(X).standardised(X)[:, 1]
    width = 2 * X[:, 1].std()
    np.testing.assert_allclose(np.corrcoef(found, np.arcsinh(X[:, 1] / width))[0, 1], 1)


@pytest.mark.parametrize("value", [200.0, 1e6, 1e12, 1e30, -3.4e38])
def test_one_wild_value_does_not_wipe_out_the_others(items, value):
    wild = items.copy()
    wild[0, 0] = value
    basis = measured(wild)
    others = basis.standardised(wild)[1:, 0]
    another = basis.standardised(wild)[1:, 1]  # neither is foreseen by anything, so they count alike
    assert others.std() / another.std() == pytest.approx(1.0, abs=0.2)
    assert np.corrcoef(others, items[1:, 0])[0, 1] > 0.95


def test_a_long_tail_of_many_items_is_no_fault(items):
    skewed = items.copy()
    skewed[:, 0] = np.exp(6 * items[:, 0])
    found = measured(skewed).standardised(skewed)
    # It varies less than the others, not more: its bulk is nothing beside its tail.
    assert found[:, 0].std() < 0.5 * found[:, 1].std()
    # Nor are values of which every seventh item has one.
    skewed[:, 0] = np.where(np.arange(len(items)) % 7, items[:, 0], 1e6)
    found = measured(skewed).standardised(skewed)
    assert found[:, 0].std() < 1.01 * found[:, 1].std()


def test_what_is_rarely_there_is_no_fault(items):
    rng = np.random.default_rng(2)
    rare = items.copy()
    for quiet in (0.01, 1e-17):
        rare[:, 0] = quiet * rng.normal(size=len(items))
        rare[:5, 0] += rng.normal(3, 0.5, 5)
        found = measured(rare).standardised(rare)
        assert found[5:, 0].std() < 0.2 * found[:, 1].std()
    rare[:5, 0] = [-99, -999, -99, -99, -999]  # these are codes
    found = measured(rare).standardised(rare)
    assert found[5:, 0].std() == pytest.approx(found[:, 1].std(), rel=0.3)


def test_a_feature_with_faults_is_foreseen_as_without_them():
    X = in_noise()
    wild = X.copy()
    wild[7, :3] = 1e30
    without, found = (measured(points).standardised(points)[8:].std(axis=0) for points in (X, wild))
    np.testing.assert_allclose(found, without, rtol=0.35)
    assert (found[:4] > 1.5 * found[4:].max()).all()


@pytest.mark.parametrize("size", [1e-200, 1e-20, 1e200])
def test_features_of_any_size_mean_the_same(size):
    X = in_noise()
    here, there = (measured(points).standardised(points) for points in (X, X * size))
    np.testing.assert_allclose(there, here, rtol=1e-6, atol=1e-9)


def test_points_of_another_scale_are_far_and_not_beyond_numbers(items):
    basis = measured(items * 1e-200)
    Z = basis.standardised(np.array([items[0] * 1e-200, items[0] * 1e250, -items[0] * 1e250]))
    assert np.isfinite(basis.coordinates(Z)).all()
    assert (np.abs(Z[1:]) > 1e3 * np.abs(Z[0])).all()
    np.testing.assert_array_equal(np.sign(Z[1]), -np.sign(Z[2]))


def test_rounding_is_no_feature():
    X = in_noise()
    rounded = np.where(np.random.default_rng(0).random(len(X)) < 0.5, 0.1, np.nextafter(0.1, 1))
    more = np.column_stack([X, rounded, np.full(len(X), 5.0)])
    basis, plain = measured(more), measured(X)
    np.testing.assert_allclose(basis.standardised(more)[:, 12:], 0, atol=1e-9)
    assert (basis.near, basis.far) == pytest.approx((plain.near, plain.far))
    # Nor do constant features make the kernel's components count more.
    sizes = [
        (b.coordinates(b.standardised(points))[:, b.n_features :] ** 2).sum()
        for b, points in ((basis, more), (plain, X))
    ]
    assert sizes[0] == pytest.approx(sizes[1])


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
