import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from tercet.metrics import SchultzJoachims
from tercet.triplets import triplets_from_labels


@pytest.fixture(scope="module")
def problem(wine):
    X, y = wine
    return X, triplets_from_labels(y, 30, np.random.default_rng(1))


def test_the_objective_is_the_one_documented(problem):
    X, triplets = problem
    metric = SchultzJoachims(C=3.0, preprocessor=X).fit(triplets)
    i, j, k = triplets.T
    margins = ((X[i] - X[k]) ** 2 - (X[i] - X[j]) ** 2) @ metric.weights_
    expected = 0.5 * np.sum((metric.weights_ - 1) ** 2) + 3.0 * np.sum(np.maximum(1 - margins, 0))
    assert metric.objective_ == pytest.approx(expected)
    np.testing.assert_allclose(metric.get_mahalanobis_matrix(), np.diag(metric.weights_), atol=1e-12)
    assert metric.gap_ <= metric.tol


def test_the_standard_basis_is_standardised_features(problem):
    X, triplets = problem
    Z = StandardScaler().fit_transform(X)
    standard = SchultzJoachims(basis="standard", preprocessor=X).fit(triplets)
    scaled = SchultzJoachims(preprocessor=Z).fit(triplets)
    np.testing.assert_allclose(standard.weights_, scaled.weights_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(
        standard.pair_distance(triplets[:, :2]), scaled.pair_distance(triplets[:, :2]), rtol=1e-5
    )


def test_the_pca_basis_starts_from_euclid(problem):
    X, _ = problem
    metric = SchultzJoachims(basis="pca", preprocessor=X).fit(np.empty((0, 3), int))
    np.testing.assert_allclose(metric.get_mahalanobis_matrix(), np.eye(13), atol=1e-10)
    assert SchultzJoachims(basis="pca").fit(np.empty((0, 3, 4))).basis_.shape == (4, 4)


def test_the_pca_basis_is_that_of_scikit_learn(problem):
    X, _ = problem
    for reference in (X, X[:8]):
        metric = SchultzJoachims(basis="pca", preprocessor=reference).fit(np.empty((0, 3), int))
        axes = PCA().fit(reference).components_
        rank = min(len(reference) - 1, 13)
        np.testing.assert_allclose(np.abs(np.sum(metric.basis_[:rank] * axes[:rank], axis=1)), 1.0, rtol=1e-6)


def test_no_points_to_take_a_basis_from():
    for basis in ("pca", "points", "standard"):
        assert SchultzJoachims(basis=basis).fit(np.empty((0, 3, 4))).basis_.tolist() == np.eye(4).tolist()


def test_a_matrix_as_basis_gives_the_full_form(problem, rng):
    X, triplets = problem
    A = rng.normal(size=(5, 13)) / X.std(axis=0)
    metric = SchultzJoachims(basis=A, preprocessor=X).fit(triplets)
    np.testing.assert_allclose(metric.get_mahalanobis_matrix(), A.T @ np.diag(metric.weights_) @ A)
    projected = SchultzJoachims(preprocessor=X @ A.T).fit(triplets)
    np.testing.assert_allclose(metric.weights_, projected.weights_, rtol=1e-5, atol=1e-8)


def test_the_points_as_basis_give_the_kernel_form(problem):
    X, triplets = problem
    Z = StandardScaler().fit_transform(X)
    kernel = SchultzJoachims(preprocessor=Z @ Z.T).fit(triplets)  # features are the kernel with every point
    for basis in (Z, "points"):
        metric = SchultzJoachims(basis=basis, preprocessor=Z).fit(triplets)
        assert metric.weights_.shape == (len(Z),)
        assert metric.objective_ == pytest.approx(kernel.objective_, rel=1e-6)
        np.testing.assert_allclose(metric.weights_, kernel.weights_, rtol=1e-4, atol=1e-5)


def test_warm_start(problem):
    X, triplets = problem
    metric = SchultzJoachims(C=100, preprocessor=X, warm_start=True).fit(triplets[:29])
    metric.fit(triplets)
    cold = SchultzJoachims(C=100, preprocessor=X).fit(triplets)
    assert metric.n_iter_ < cold.n_iter_
    assert metric.objective_ == pytest.approx(cold.objective_, rel=1e-6)
    assert metric.fit(triplets).n_iter_ == 1
    assert metric.fit(triplets[:3]).objective_ == pytest.approx(
        SchultzJoachims(C=100, preprocessor=X).fit(triplets[:3]).objective_, rel=1e-6, abs=1e-12
    )


def test_contradictory_triplets_cancel():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    metric = SchultzJoachims(C=10, preprocessor=X).fit([(0, 1, 2)] * 3 + [(0, 2, 1)] * 3)
    # Together the two cost the same wherever the squared distances differ by at most the margin of 1,
    # so the weights move from Euclid (a difference of 3) just that far.
    distance = metric.get_metric()
    assert distance(X[0], X[2], squared=True) - distance(X[0], X[1], squared=True) == pytest.approx(
        1.0, rel=1e-3
    )


def test_c_of_zero_is_the_prior(problem):
    X, triplets = problem
    assert SchultzJoachims(C=0, preprocessor=X).fit(triplets).weights_.tolist() == [1.0] * 13


def test_stopping_early_is_said(problem):
    X, triplets = problem
    with pytest.warns(ConvergenceWarning, match="stopped after 4 steps .* raise max_iter"):
        SchultzJoachims(C=100, max_iter=2, preprocessor=X).fit(triplets)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": -1}, "C must be a number at least 0, not -1"),
        ({"C": "1"}, "C must be"),
        ({"prior": "ones"}, "prior must be one of 'identity', 'zero', not 'ones'"),
        ({"tol": 0}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be"),
    ],
)
def test_bad_parameters_are_named(parameters, message, problem):
    X, triplets = problem
    with pytest.raises(ValueError, match=message):
        SchultzJoachims(preprocessor=X, **parameters).fit(triplets)
