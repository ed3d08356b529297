import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tercet import ClassOracle, Comparisons
from tercet.beliefs import LatentClass
from tercet.metrics import LatentClassMetric
from tercet.triplets import count_questions, draw_distinct, questions_from_numbers, triplets_from_labels


@pytest.fixture(scope="module")
def problem(wine):
    X, y = wine
    rng = np.random.default_rng(0)
    triplets = questions_from_numbers(draw_distinct(count_questions(len(X)), 80, rng), len(X))
    oracle = ClassOracle(y)
    return X, y, triplets, np.array([int(oracle(triplet)) for triplet in triplets])


@pytest.fixture(scope="module")
def metric(problem):
    X, _, triplets, answers = problem
    return LatentClassMetric(3, preprocessor=X, random_state=0).fit(triplets, answers)


def test_it_learns(metric, problem):
    X, y, *_ = problem
    unseen = triplets_from_labels(y, 2000, np.random.default_rng(5))
    assert metric.score(unseen) > 0.93
    found = metric.predict_proba(X).argmax(axis=1)
    assert np.mean((found[:, None] == found) == (y[:, None] == y)) > 0.9


def test_all_views_of_the_distance_agree(metric, problem):
    X, _, triplets, _ = problem
    pairs = triplets[:, :2]
    distances = metric.pair_distance(pairs)
    np.testing.assert_allclose(distances, metric.pair_distance(X[pairs]))
    np.testing.assert_allclose(distances, metric.distances(X)[tuple(pairs.T)], atol=1e-7)
    np.testing.assert_allclose(metric.pair_score(pairs), -distances)
    function = metric.get_metric()
    np.testing.assert_allclose([function(X[i], X[j]) for i, j in pairs], distances, atol=1e-9)
    np.testing.assert_allclose(
        [function(X[i], X[j], squared=True) for i, j in pairs], distances**2, atol=1e-9
    )
    to_k = metric.pair_distance(triplets[:, [0, 2]])
    np.testing.assert_allclose(metric.decision_function(triplets), to_k - distances)
    assert not metric.distances(X).diagonal().any()  # scikit-learn asks for exact zeros
    np.testing.assert_allclose(metric.distances(X[:3], X[3:5]), metric.distances(X)[:3, 3:5], atol=1e-7)
    np.testing.assert_array_equal(metric.predict(triplets), np.where(to_k > distances, 1, -1))


def test_the_embedding_serves_scikit_learn(metric, problem):
    X, y, *_ = problem
    Z = metric.transform(X)
    assert Z.shape == (len(X), 13 + 6 * 3)
    np.testing.assert_allclose(Z[:4], metric.transform(np.arange(4)))
    by_metric = (
        KNeighborsClassifier(1, metric=metric.get_metric()).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    )
    by_space = KNeighborsClassifier(1).fit(Z[::2], y[::2]).score(Z[1::2], y[1::2])
    assert by_metric > 0.93
    assert by_space > 0.9


def test_swapped_questions_teach_the_same(problem):
    X, _, triplets, answers = problem
    swapped = LatentClassMetric(3, preprocessor=X, random_state=0).fit(triplets[:, [0, 2, 1]], -answers)
    straight = LatentClassMetric(3, preprocessor=X, random_state=0).fit(triplets, answers)
    np.testing.assert_allclose(swapped.distances(X[:20]), straight.distances(X[:20]), atol=1e-4)


def test_points_in_place_of_indices(problem):
    X, _, triplets, answers = problem
    points = LatentClassMetric(3, random_state=0).fit(X[triplets], answers)
    function = LatentClassMetric(3, preprocessor=lambda rows: X[rows], random_state=0).fit(triplets, answers)
    for learned in (points, function):
        assert learned.score(X[triplets], answers) > 0.9
    with pytest.raises(ValueError, match="to use indices give preprocessor=X"):
        LatentClassMetric(3).fit(triplets, answers)


def test_without_answers_it_clusters(problem):
    X, *_ = problem
    metric = LatentClassMetric(3, preprocessor=X, random_state=0).fit(np.empty((0, 3), dtype=int), [])
    assert metric.predict_proba(X).shape == (len(X), 3)
    # Nothing is known of the classes yet, so that only the kernel counts.
    assert metric.distance_.weight == 0
    np.testing.assert_allclose(metric.distances(X[:1])[0, 0], 0, atol=1e-6)
    assert metric.distances(X).max() ** 2 <= 2


def test_what_was_given_and_is_no_more_was_no_choice(problem):
    X, _, triplets, answers = problem
    record = Comparisons(triplets, answers)
    for change in ({"n_classes": 8}, {"ridge": 2.4}):
        free = dict.fromkeys(change)
        metric = LatentClassMetric(**{"n_classes": 3} | change, preprocessor=X, random_state=0)
        metric.fit(triplets, answers).set_params(**free).fit(triplets, answers)
        fresh = clone(metric).fit(triplets, answers)
        assert (metric.n_classes_, metric.ridge_) == (fresh.n_classes_, fresh.ridge_)
        assert (metric.n_classes_, metric.ridge_) != (8, 2.4)
        np.testing.assert_array_equal(metric.transform(X), fresh.transform(X))
        beliefs = LatentClass(**{"n_classes": 3} | change, random_state=0).fit(X, record)
        beliefs.set_params(**free).fit(X, record)
        assert (beliefs.n_classes_, beliefs.ridge_) == (fresh.n_classes_, fresh.ridge_)


def test_items_that_change_in_place_are_no_items_that_were_seen(problem):
    X, _, triplets, answers = problem
    record = Comparisons(triplets, answers)
    points = X.copy()
    beliefs = LatentClass(3, random_state=0).fit(points, record[:40])
    before = beliefs.predict_proba()
    metric = LatentClassMetric(3, preprocessor=points, random_state=0).fit(triplets[:0])
    points[:, 0] *= 5
    np.testing.assert_array_equal(beliefs.predict_proba(), before)
    fresh = LatentClass(3, random_state=0).fit(points, record)
    np.testing.assert_array_equal(beliefs.fit(points, record).predict_proba(), fresh.predict_proba())
    again = clone(metric).fit(triplets, answers)
    np.testing.assert_array_equal(metric.fit(triplets, answers).transform(X), again.transform(X))


def test_an_item_is_no_distance_from_itself(metric, problem):
    X, *_ = problem
    assert not metric.pair_distance(np.column_stack([np.arange(len(X))] * 2)).any()
    assert metric.get_metric()(X[3], X[3]) == 0
    assert not metric.distances(X, X).diagonal().any()
    assert metric.pair_distance([(0, 1)]) > 0


def test_the_distance_as_a_function_takes_points_of_these_features_only(metric, problem):
    X, *_ = problem
    with pytest.raises(ValueError, match="the points have 1 features, but the metric was fitted on 13"):
        metric.get_metric()([1.0], X[0])
    with pytest.raises(ValueError, match="a point holds nan; fill in"):
        metric.get_metric()(X[0], np.full(13, np.nan))
    with pytest.raises(ValueError, match=r"single points, not an array of shape \(2, 13\); use pair_dist"):
        metric.get_metric()(X[:2], X[3:5])


def test_what_cannot_be_learned_from_is_named(problem):
    X, _, triplets, answers = problem
    with pytest.raises(ValueError, match="there are 0 items to learn classes of; give more triplets"):
        LatentClassMetric(3).fit(np.empty((0, 3, 4)))
    wild = X.copy()
    wild[5, 2] = -1.7e308
    with pytest.raises(ValueError, match=r"preprocessor holds -1.7e\+308 in row 5, column 2; drop or fill"):
        LatentClassMetric(3, preprocessor=wild).fit(triplets, answers)
    with pytest.raises(ValueError, match=r"a point holds a value of size 1.7e\+308 in column 2; rescale"):
        LatentClassMetric(3).fit(wild[triplets], answers)
    with pytest.raises(ValueError, match=r"triplet 1 is \(0, 2, 2\): an item cannot be compared with itself"):
        LatentClassMetric(3, preprocessor=X).fit([(0, 1, 2), (0, 2, 2)], ["yes", "dk"])
    with pytest.raises(ValueError, match=r"preprocessor holds 1 values that are NaN .* row 5, column 2"):
        LatentClassMetric(3, preprocessor=np.where(wild < -1e300, np.nan, wild)).fit(triplets, answers)
    with pytest.raises(ValueError, match=r"triplet 0 is \(0, 1, 9\): item indices must be 0 to 4"):
        LatentClass(3).fit(X[:5], Comparisons([(0, 1, 9)], ["yes"]))
    with pytest.raises(NotFittedError):
        LatentClass(3).predict_proba()
    with pytest.raises(NotFittedError):
        LatentClass(3).members(X)
    with pytest.raises(TypeError, match=r"give Comparisons, not list: Comparisons\(triplets, answers\)"):
        LatentClass(3).fit(X, [(0, 1, 2)])


def test_a_warm_start_is_for_more_of_the_same_answers(problem):
    X, _, triplets, answers = problem
    metric = LatentClassMetric(3, preprocessor=X, random_state=0)
    cold = [metric.fit(triplets, -np.asarray(answers)).transform(X), clone(metric).fit(triplets, answers)]
    other = metric.fit(triplets, answers)  # other answers: nothing of the last fit may stay
    moved = clone(metric).set_params(preprocessor=X[:, ::-1]).fit(triplets, answers).transform(X)
    metric.fit(triplets, answers).set_params(preprocessor=X[:, ::-1])  # other items: nothing either
    np.testing.assert_array_equal(metric.fit(triplets, answers).transform(X), moved)
    other = metric.set_params(preprocessor=X).fit(triplets, answers)
    np.testing.assert_array_equal(other.transform(X), cold[1].transform(X))
    assert not np.array_equal(other.transform(X), cold[0])
    never = LatentClassMetric(3, preprocessor=X, random_state=0, warm_start=False)
    first = never.fit(triplets, answers).transform(X)
    np.testing.assert_array_equal(never.fit(triplets, answers).transform(X), first)


def test_conventions_of_scikit_learn(metric, problem):
    X, _, triplets, answers = problem
    again = clone(metric)
    with pytest.raises(NotFittedError):
        again.transform(X)
    again.fit(triplets, answers)
    np.testing.assert_array_equal(again.transform(X), metric.transform(X))  # the same seed, the same result
    back = pickle.loads(pickle.dumps(metric))
    np.testing.assert_array_equal(back.transform(X), metric.transform(X))
    scores = cross_val_score(
        LatentClassMetric(3, preprocessor=X, random_state=0), triplets, answers, cv=3, error_score="raise"
    )
    assert scores.mean() > 0.8


def test_annotators_are_told_apart(problem):
    X, _, triplets, answers = problem
    names = np.where(np.arange(80) % 2, "ann", "ben")
    careless = np.where(names == "ben", np.roll(answers, 1), answers)
    metric = LatentClassMetric(3, preprocessor=X, random_state=0)
    metric.fit(triplets, careless, annotators=names)
    assert metric.errors_["ben"] > metric.errors_["ann"] + 0.1
    assert metric.error_of("ben") == metric.errors_["ben"]
    assert clone(metric).set_params(error=0.2).fit(triplets, answers).error_of("ben") == 0.2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_classes": 1}, "n_classes must be a whole number of at least 2, not 1"),
        ({"ridge": 0}, "ridge must be a number above 0, not 0"),
        ({"error": 1.5}, "error must be a number at least 0 and at most 0.99, not 1.5"),
    ],
)
def test_wrong_settings_are_named(problem, change, message):
    X, _, triplets, answers = problem
    with pytest.raises(ValueError, match=message):
        LatentClassMetric(preprocessor=X).set_params(**change).fit(triplets, answers)


def test_other_wrong_input_is_named(metric, problem):
    X, _, triplets, answers = problem
    with pytest.raises(ValueError, match="the points have 2 features, but the metric was fitted on 13"):
        metric.transform(X[:, :2])
    with pytest.raises(ValueError, match="leave sample_weight out"):
        clone(metric).fit(triplets, answers, np.ones(80))
    with pytest.raises(ValueError, match="80 triplets but 3 answers"):
        clone(metric).fit(triplets, answers[:3])
    with pytest.raises(ValueError, match="annotators must be one text an answer"):
        clone(metric).fit(triplets, answers, annotators=["ann"])


def test_beliefs_are_the_same_model(problem):
    X, _, triplets, answers = problem
    beliefs = LatentClass(3, random_state=0).fit(X, Comparisons(triplets, answers))
    metric = LatentClassMetric(3, preprocessor=X, random_state=0).fit(triplets, answers)
    np.testing.assert_allclose(beliefs.predict_proba(), metric.predict_proba(X))
    np.testing.assert_allclose(beliefs.predict_proba(X[:5]), metric.predict_proba(X[:5]))
    np.testing.assert_allclose(beliefs.members(X), metric.members(X))
    np.testing.assert_allclose(metric.members(X).mean(axis=0), metric.predict_proba(X))
    assert beliefs.error_of("new") == 0.05
    with pytest.raises(ValueError, match="the points have 2 features"):
        beliefs.predict_proba(X[:, :2])


def test_dask_gives_what_numpy_gives(metric, problem):
    array = pytest.importorskip("dask.array")
    X, *_ = problem
    chunks = array.from_array(X, chunks=(50, 13))
    np.testing.assert_allclose(metric.transform(chunks).compute(), metric.transform(X))
    np.testing.assert_allclose(metric.predict_proba(chunks).compute(), metric.predict_proba(X))


@pytest.mark.parametrize("kind", ["view", "array"])
def test_what_was_learned_is_not_changed_by_changing_the_items(problem, kind):
    X, _, triplets, answers = problem
    items = X.copy()
    given = items[:] if kind == "view" else items
    given.flags.writeable = kind == "array"
    metric = LatentClassMetric(3, preprocessor=given, random_state=0).fit(triplets, answers)
    beliefs = LatentClass(3, random_state=0).fit(given, Comparisons(triplets, answers))
    before = beliefs.predict_proba()
    items[:, 0] = items[::-1, 0].copy()
    np.testing.assert_array_equal(beliefs.predict_proba(), before)
    fresh = LatentClassMetric(3, preprocessor=items, random_state=0).fit(triplets, answers)
    np.testing.assert_array_equal(metric.fit(triplets, answers).distances(X), fresh.distances(X))
