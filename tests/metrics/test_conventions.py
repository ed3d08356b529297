"""The contract of metric-learn that every learner keeps."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tercet.metrics import RosalesFung, SchultzJoachims
from tercet.triplets import triplets_from_labels

LEARNERS = [
    SchultzJoachims(),
    SchultzJoachims(C=100, prior="zero"),
    SchultzJoachims(basis="standard"),
    SchultzJoachims(basis="pca"),
    RosalesFung(),
    RosalesFung(gamma=0.01, basis="standard"),
]


@pytest.fixture(params=LEARNERS, ids=repr)
def learner(request):
    return clone(request.param)


@pytest.fixture(scope="module")
def problem(wine):
    X, y = wine
    return X, triplets_from_labels(y, 60, np.random.default_rng(1))


def test_indices_and_points_are_the_same(learner, problem):
    X, triplets = problem
    by_index = clone(learner).set_params(preprocessor=X).fit(triplets)
    if getattr(learner, "basis", None) is None:  # other bases are estimated from all points, or from these
        by_point = clone(learner).fit(X[triplets])
        np.testing.assert_allclose(by_point.components_, by_index.components_, rtol=1e-6, atol=1e-12)
    function = clone(learner).set_params(preprocessor=lambda rows: X[rows])
    if getattr(learner, "basis", None) is None:
        np.testing.assert_allclose(function.fit(triplets).components_, by_index.components_)
    np.testing.assert_allclose(by_index.transform(X[:5]), by_index.transform(np.arange(5)))
    np.testing.assert_allclose(
        by_index.pair_distance(triplets[:, :2]), by_index.pair_distance(X[triplets[:, :2]])
    )
    np.testing.assert_allclose(by_index.decision_function(triplets), by_index.decision_function(X[triplets]))


def test_everything_follows_components(learner, problem):
    X, triplets = problem
    learner.set_params(preprocessor=X).fit(triplets)
    for components in (learner.components_, np.ones((2, X.shape[1]))):
        learner.components_ = components
        pairs = X[triplets[:, :2]]
        expected = np.sqrt((((pairs[:, 0] - pairs[:, 1]) @ components.T) ** 2).sum(axis=1))
        np.testing.assert_allclose(learner.pair_distance(pairs), expected)
        np.testing.assert_allclose(learner.pair_score(pairs), -expected)
        np.testing.assert_allclose(learner.get_mahalanobis_matrix(), components.T @ components)
        np.testing.assert_allclose(learner.transform(X), X @ components.T)
        metric = learner.get_metric()
        assert metric(X[0], X[1]) == pytest.approx(np.linalg.norm(components @ (X[0] - X[1])))
        assert metric(X[0], X[1], squared=True) == pytest.approx(metric(X[0], X[1]) ** 2)
        with pytest.raises(ValueError, match=r"have 1 features, but the metric was fitted on \d"):
            metric(X[0], [1.0])
        decision = learner.pair_distance(X[triplets[:, [0, 2]]]) - learner.pair_distance(pairs)
        np.testing.assert_allclose(learner.decision_function(triplets), decision)
        np.testing.assert_array_equal(learner.predict(triplets), np.where(decision > 0, 1, -1))


def test_get_metric_keeps_its_own_copy(problem):
    X, triplets = problem
    learner = SchultzJoachims(preprocessor=X).fit(triplets)
    metric = learner.get_metric()
    before = metric(X[0], X[1])
    learner.components_ *= 2
    assert metric(X[0], X[1]) == before
    KNeighborsClassifier(1, metric=metric).fit(X[:10], np.arange(10)).predict(X[:10])


def test_answers_no_and_dont_know(learner, problem):
    X, triplets = problem
    learner.set_params(preprocessor=X)
    plain = clone(learner).fit(triplets)
    answers = np.where(np.arange(60) % 2, 1, -1)
    turned = np.where(answers[:, None] == 1, triplets, triplets[:, [0, 2, 1]])
    rng = np.random.default_rng(3)
    noise = np.array([rng.choice(len(X), 3, replace=False) for _ in range(20)])
    mixed = clone(learner).fit(np.concatenate([turned, noise]), np.concatenate([answers, np.zeros(20, int)]))
    np.testing.assert_allclose(mixed.components_, plain.components_, rtol=1e-6, atol=1e-12)
    words = [{1: "yes", -1: "no"}[answer] for answer in answers]
    np.testing.assert_allclose(clone(learner).fit(turned, words).components_, plain.components_)
    assert plain.score(turned, answers) == plain.score(triplets)
    assert plain.score(np.concatenate([turned, noise]), [*words, *["dk"] * 20]) == plain.score(triplets)


def test_predictions_are_never_zero(learner, problem):
    X, triplets = problem
    X = X.copy()
    X[2] = X[1]  # equally far from everything
    prediction = learner.set_params(preprocessor=X).fit(triplets).predict([(0, 1, 2), *triplets])
    assert set(prediction.tolist()) <= {1, -1}
    assert prediction[0] == -1


def test_learning_helps(learner, problem, wine):
    X, triplets = problem
    if isinstance(learner, RosalesFung):
        learner.set_params(basis="standard")  # its one price for all entries favours the largest raw features
    test = triplets_from_labels(wine[1], 5000, np.random.default_rng(9))
    euclid = SchultzJoachims(preprocessor=X).fit(np.empty((0, 3), int)).score(test)
    assert learner.set_params(preprocessor=X).fit(triplets).score(test) > euclid


def test_weights_count_like_repetitions(learner, problem):
    X, triplets = problem
    learner.set_params(preprocessor=X)
    weights = np.arange(60) % 3
    weighted = clone(learner).fit(triplets, sample_weight=weights)
    repeated = clone(learner).fit(np.repeat(triplets, weights, axis=0))
    np.testing.assert_allclose(
        weighted.get_mahalanobis_matrix(), repeated.get_mahalanobis_matrix(), rtol=1e-3, atol=1e-6
    )
    assert weighted.score(triplets, sample_weight=weights) == pytest.approx(
        weighted.score(np.repeat(triplets, weights, axis=0))
    )


def test_cross_validation_and_grid_search_over_triplets(learner, problem):
    X, triplets = problem
    answers = np.where(np.arange(60) % 3, 1, -1)
    answers[::10] = 0
    turned = np.where(answers[:, None] >= 0, triplets, triplets[:, [0, 2, 1]])
    learner.set_params(preprocessor=X)
    assert cross_val_score(learner, triplets, cv=3).mean() > 0.6
    assert cross_val_score(learner, turned, answers, cv=3).mean() > 0.6
    assert cross_val_score(clone(learner).set_params(preprocessor=None), X[triplets], cv=3).mean() > 0.6
    name, grid = ("C", [0.01, 1.0]) if isinstance(learner, SchultzJoachims) else ("gamma", [0.1, 0.5])
    search = GridSearchCV(learner, {name: grid}, cv=3).fit(turned, answers)
    assert search.best_params_[name] in grid
    assert search.best_score_ > 0.6


def test_code_written_for_scml_runs_with_the_name_swapped():
    # The calls of metric-learn's users guide for SCML, with other numbers.
    for SCML in (SchultzJoachims, RosalesFung):
        triplets = [
            [[1.0, 7.0], [1.2, 1.0], [6.0, 9.0]],
            [[1.5, 4.5], [3.0, 4.8], [5.5, 5.7]],
            [[3.1, 7.3], [3.5, 5.4], [7.0, 7.9]],
            [[1.9, 5.5], [6.1, 5.7], [8.0, 5.9]],
        ]
        scml = SCML(random_state=42)
        assert scml.fit(triplets) is scml
        assert scml.score(triplets) >= 0.5
        assert scml.predict([[[1.0, 2.0], [1.1, 2.5], [9.0, 3.0]]]).tolist() == [1]
        assert scml.pair_distance([[[1.0, 2.0], [1.0, 2.0]]]).tolist() == [0]
        assert scml.get_mahalanobis_matrix().shape == (2, 2)


@given(st.integers(0, 2**32 - 1))
def test_distances_obey_the_triangle_inequality(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    triplets = np.array([rng.choice(12, 3, replace=False) for _ in range(6)])
    for learner in (SchultzJoachims(preprocessor=X), RosalesFung(preprocessor=X)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # some draws leave nothing to learn
            distance = learner.fit(triplets).get_metric()
        a, b, c = X[:3]
        assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-9
        assert distance(a, b) == pytest.approx(distance(b, a))
        assert distance(a, a) == 0


@pytest.mark.parametrize("shape", [(0, 3), (0,)])
def test_no_triplets_at_all(learner, problem, shape):
    X, _ = problem
    learner.set_params(preprocessor=X).fit(np.empty(shape, int))
    if learner.get_params().get("prior") == "zero":
        assert not learner.components_.any()
    else:
        np.testing.assert_allclose(learner.components_, learner.basis_)
    if isinstance(learner, SchultzJoachims) and learner.basis is None:
        points = clone(learner).set_params(preprocessor=None).fit(np.empty((0, 3, 4)))
        assert points.components_.shape == (4, 4)


def test_only_dont_knows(learner, problem):
    X, triplets = problem
    nothing = clone(learner).set_params(preprocessor=X).fit(np.empty((0, 3), int))
    fitted = learner.set_params(preprocessor=X).fit(triplets, np.zeros(60))
    np.testing.assert_allclose(fitted.components_, nothing.components_)
    with pytest.raises(ValueError, match="no yes or no answer"):
        fitted.score(triplets, np.zeros(60))


def test_constant_features_and_equal_points(learner):
    X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [0.0, 5.0]])
    learner.set_params(preprocessor=X).fit([(0, 1, 2), (1, 0, 3), (0, 3, 1)])
    assert np.isfinite(learner.transform(X)).all()


def test_data_frames_and_other_precisions(learner, problem):
    pandas = pytest.importorskip("pandas", reason="an optional way to hold features")
    X, triplets = problem
    frame = pandas.DataFrame(X, columns=[f"f{i}" for i in range(13)])
    expected = clone(learner).set_params(preprocessor=X).fit(triplets)
    fitted = clone(learner).set_params(preprocessor=frame).fit(pandas.DataFrame(triplets))
    np.testing.assert_allclose(fitted.transform(frame), expected.transform(X))
    single = clone(learner).set_params(preprocessor=X.astype(np.float32)).fit(triplets.astype(np.int32))
    np.testing.assert_allclose(single.components_, expected.components_, rtol=1e-2, atol=1e-3)


def test_copies_are_alike(learner, problem):
    X, triplets = problem
    fitted = learner.set_params(preprocessor=X).fit(triplets)
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.transform(X), fitted.transform(X))


def test_not_fitted(learner):
    for call in ("transform", "predict", "pair_distance"):
        with pytest.raises(NotFittedError):
            getattr(learner, call)(np.zeros((1, 3, 2)))
    for call in ("get_metric", "get_mahalanobis_matrix"):
        with pytest.raises(NotFittedError):
            getattr(learner, call)()


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda a, X: a.fit([(0, 1, 2)]), "to use indices give preprocessor=X"),
        (lambda a, X: a.fit(np.zeros((2, 4, 3))), r"shape \(m, 3, d\), not \(2, 4, 3\)"),
        (lambda a, X: a.set_params(preprocessor=X).fit([(0, 1)]), "expected 3 indices a row"),
        (lambda a, X: a.set_params(preprocessor=X).fit([(0, 1, 999)]), "index 999 is not a row"),
        (lambda a, X: a.set_params(preprocessor=X).fit([(0, 1, -1)]), "index -1 is not a row"),
        (lambda a, X: a.set_params(preprocessor=X).fit([(0, 1, 1)]), "cannot be compared with itself"),
        (lambda a, X: a.set_params(preprocessor=X).fit([("a", "b", "c")]), "items are row numbers"),
        (lambda a, X: a.set_params(preprocessor=lambda r: X[:1]).fit([(0, 1, 2)]), "1 points for 3 indices"),
        (lambda a, X: a.set_params(preprocessor=X).fit([(0, 1, 2)], ["perhaps"]), "unknown answer"),
        (lambda a, X: a.set_params(preprocessor=X).fit([(0, 1, 2)], [1, 1]), "1 triplets but 2 answers"),
        (
            lambda a, X: a.set_params(preprocessor=X).fit([(0, 1, 2)], sample_weight=[-1]),
            r"sample_weight\[0\] is -1",
        ),
        (lambda a, X: a.set_params(preprocessor=X).fit([(0, 1, 2)], sample_weight=[1, 2]), r"shape \(1,\)"),
        (lambda a, X: a.fit(np.full((1, 3, 2), np.nan)), "NaN"),
        (
            lambda a, X: a.set_params(basis="fourier").fit(np.zeros((1, 3, 2))),
            "basis must be one of 'standard'",
        ),
        (lambda a, X: a.set_params(basis=np.eye(5)).fit(np.zeros((1, 3, 2))), r"basis has shape \(5, 5\)"),
        (lambda a, X: a.fit(np.ones((1, 3, 2))).pair_distance(np.ones((1, 2, 5))), "5 features, but .* on 2"),
    ],
)
@pytest.mark.parametrize("cls", [SchultzJoachims, RosalesFung])
def test_bad_input_is_named(cls, fit, message, wine):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(ValueError, match=message):
            fit(cls(), wine[0])
