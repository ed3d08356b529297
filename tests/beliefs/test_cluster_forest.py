import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from tercet import _fast
from tercet._fast import kernels
from tercet.beliefs import ClusterForest
from tercet.beliefs.cluster_forest import _centres, _fill_in


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, centers=4, cluster_std=1.5, random_state=0)[0]


def assert_probabilities(beliefs, n, C):
    assert beliefs.shape == (n, C)
    assert (beliefs >= 0).all()
    np.testing.assert_allclose(beliefs.sum(axis=1), 1.0)


def test_votes_are_those_of_the_trees_that_did_not_train_on_the_item(blobs):
    model = ClusterForest(4, n_trees=30, engine="sklearn", random_state=0).fit(blobs)
    beliefs = model.predict_proba()
    assert_probabilities(beliefs, 120, 4)
    # Count the votes again, tree by tree, from the bags that scikit-learn reports.
    votes = np.zeros((120, 4))
    forest = model.forest_.forest
    for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(120), bag)
        standard = (blobs[out] - blobs.mean(axis=0)) / blobs.std(axis=0)
        votes[out, tree.predict(standard).astype(int)] += 1
    np.testing.assert_allclose(beliefs, votes / votes.sum(axis=1, keepdims=True), atol=1e-12)


def test_clusters_are_as_good_as_k_means_alone(blobs):
    model = ClusterForest(4, random_state=0).fit(blobs)
    alone = KMeans(4, n_init=10, random_state=1).fit(blobs)
    assert model.inertia_ <= alone.inertia_ * 1.001


def test_new_points(blobs):
    model = ClusterForest(4, random_state=0).fit(blobs)
    assert_probabilities(model.predict_proba(blobs[:7] + 0.01), 7, 4)
    centre = blobs[model.labels_ == 2].mean(axis=0)
    assert model.predict_proba([centre])[0].argmax() == 2


def test_warm_start_keeps_the_last_clusters_when_they_are_no_worse(blobs):
    # One poor cold start against the good clusters of ten.
    good = ClusterForest(4, random_state=0).fit(blobs)
    for seed in range(30):
        cold = ClusterForest(4, n_starts=1, warm_start=False, random_state=seed).fit(blobs)
        if cold.inertia_ > good.inertia_ * 1.01:
            break
    else:
        pytest.fail("no poor start among 30")
    good.set_params(n_starts=1, random_state=seed)
    labels = good.labels_
    good.fit(blobs)
    np.testing.assert_array_equal(good.labels_, labels)


def test_warm_start_gives_way_to_better_clusters(blobs):
    model = ClusterForest(4, random_state=0).fit(blobs)
    best = model.inertia_
    model.labels_ = np.zeros(120, dtype=np.int32)  # everything in one cluster, three empty
    model.labels_[:3] = 1
    assert model.fit(blobs).inertia_ <= best * (1 + 1e-9)


def test_warm_start_ignores_other_items(blobs):
    model = ClusterForest(4, random_state=0).fit(blobs)
    np.testing.assert_array_equal(
        model.fit(blobs[:50]).predict_proba(),
        ClusterForest(4, random_state=0).fit(blobs[:50]).predict_proba(),
    )


def test_a_cluster_that_emptied_starts_anew_at_an_outlier():
    points = np.array([[0.0], [1.0], [10.0]])
    centres = _centres(points, np.array([0, 0, 0], dtype=np.int32), 2)
    assert centres.tolist() == [[11 / 3], [10.0]]


@pytest.mark.parametrize("distinct", [1, 2])
def test_fewer_distinct_points_than_classes(distinct):
    Z = np.repeat(np.arange(distinct, dtype=float)[:, None], 10, axis=0)
    beliefs = ClusterForest(4, random_state=0).fit(Z).predict_proba()
    assert_probabilities(beliefs, 10 * distinct, 4)
    assert np.count_nonzero(beliefs.sum(axis=0)) == distinct


def test_an_item_in_every_bag_gets_the_mean_vote_of_its_cluster():
    votes = np.array([[8, 2], [0.6, 0.4], [0.0, 0.0], [0.0, 0.0]])
    labels = np.array([0, 0, 0, 1], dtype=np.int32)
    beliefs = _fill_in(votes, labels)
    np.testing.assert_allclose(beliefs, [[0.8, 0.2], [0.6, 0.4], [0.7, 0.3], [0.0, 1.0]])


@pytest.mark.parametrize("n_trees", [1, 2, 3])
def test_few_trees_leave_items_in_every_bag(blobs, n_trees):
    assert_probabilities(ClusterForest(4, n_trees, random_state=0).fit(blobs).predict_proba(), 120, 4)


def test_same_seed_same_beliefs(blobs):
    one, same, other = (ClusterForest(4, random_state=seed).fit(blobs).predict_proba() for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_the_returned_beliefs_are_the_callers_own(blobs):
    model = ClusterForest(4, random_state=0).fit(blobs)
    model.predict_proba()[:] = 0
    assert_probabilities(model.predict_proba(), 120, 4)


def test_before_fit():
    with pytest.raises(NotFittedError):
        ClusterForest(3).predict_proba()
    assert clone(ClusterForest(3, 7)).get_params()["n_trees"] == 7


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_classes": None}, "n_classes must be a whole number of at least 2, not None"),
        ({"n_classes": 1}, "n_classes must be a whole number of at least 2, not 1"),
        ({"n_classes": 500}, "n_classes is 500, but there are only 120 items"),
        ({"n_trees": 0}, "n_trees must be"),
        ({"n_starts": 1.5}, "n_starts must be"),
        ({"max_draws": 0}, "max_draws must be a whole number of at least 1, not 0"),
        ({"engine": "steam"}, "engine must be one of 'auto', 'compiled', 'sklearn', not 'steam'"),
    ],
)
def test_bad_parameters_are_named(blobs, parameters, message):
    with pytest.raises(ValueError, match=message):
        ClusterForest(**{"n_classes": 4, **parameters}).fit(blobs)


def test_new_points_must_be_of_the_same_space(blobs):
    with pytest.raises(ValueError, match=r"Z must have shape \(m, 2\), as fitted, not \(3, 5\)"):
        ClusterForest(4, random_state=0).fit(blobs).predict_proba(np.zeros((3, 5)))


@pytest.fixture
def forget_numba():
    """Let the forest look for numba anew, before and after."""
    kernels.cache_clear()
    yield
    kernels.cache_clear()


def test_without_numba_scikit_learn_is_used(blobs, monkeypatch, forget_numba):
    expected = ClusterForest(4, engine="sklearn", random_state=0).fit(blobs).predict_proba()
    monkeypatch.setattr(_fast.importlib.util, "find_spec", lambda name: None)
    np.testing.assert_array_equal(ClusterForest(4, random_state=0).fit(blobs).predict_proba(), expected)
    with pytest.raises(ImportError, match=r"pip install 'tercet\[fast\]'"):
        ClusterForest(4, engine="compiled").fit(blobs)


def test_a_numba_that_does_not_work_is_said_and_done_without(blobs, monkeypatch, forget_numba):
    def refuse(name):
        raise ImportError("Numba needs another NumPy")

    monkeypatch.setattr(_fast.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(_fast.importlib, "import_module", refuse)
    with pytest.warns(UserWarning, match="does not work .Numba needs another NumPy.; going on without it"):
        beliefs = ClusterForest(4, random_state=0).fit(blobs).predict_proba()
    assert_probabilities(beliefs, 120, 4)


@pytest.mark.parametrize("engine", ["sklearn", "auto"])
@pytest.mark.parametrize(("factor", "offset"), [(1.0, 1e9), (1e60, 0.0)])
def test_neither_offset_nor_scale_matters(blobs, engine, factor, offset):
    plain, moved = (
        ClusterForest(4, engine=engine, random_state=0).fit(Z).predict_proba()
        for Z in (blobs, factor * blobs + offset)
    )
    assert np.abs(np.sort(plain.max(axis=1)) - np.sort(moved.max(axis=1))).mean() < 0.05


@pytest.mark.parametrize("engine", ["auto", "sklearn"])
def test_a_tree_sees_at_most_so_many_draws(blobs, engine):
    few = ClusterForest(4, max_draws=10, n_trees=200, engine=engine, random_state=0).fit(blobs)
    assert_probabilities(few.predict_proba(), 120, 4)
    # Nearly everybody is out of the bag, so votes come in steps of nearly one in 200.
    assert len(np.unique(few.predict_proba())) > 100
    whole, same = (
        ClusterForest(4, max_draws=draws, engine=engine, random_state=0).fit(blobs).predict_proba()
        for draws in (120, 4000)
    )
    np.testing.assert_array_equal(whole, same)
