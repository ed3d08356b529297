"""The learners of metric-learn inside Tercet; its newest release breaks on scikit-learn 1.8."""

import os
import warnings

import numpy as np
import pytest

from tercet import ActiveLearner, ClassOracle, triplet_accuracy
from tercet.metrics import SchultzJoachims
from tercet.selection import Random
from tercet.triplets import triplets_from_labels

if "TERCET_NEEDS_METRIC_LEARN" in os.environ:
    import metric_learn
else:
    metric_learn = pytest.importorskip("metric_learn", reason="runs in 'make oldest'")

pytestmark = pytest.mark.filterwarnings("ignore")


def test_scml_asks_and_learns(wine):
    X, y = wine
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    learner = ActiveLearner(X, 3, metric=metric_learn.SCML(n_basis=40), selector=Random(), random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.run(ClassOracle(y), 5)
        assert isinstance(learner.metric_, SchultzJoachims)
    assert any("SCML could not learn from" in str(warning.message) for warning in caught)
    learner.run(ClassOracle(y), 95)
    assert isinstance(learner.metric_, metric_learn.SCML)
    assert triplet_accuracy(learner.metric_.transform(X), y) > triplet_accuracy(X, y)
    again = ActiveLearner(
        X,
        3,
        metric=metric_learn.SCML(n_basis=40),
        selector=Random(),
        random_state=0,
        comparisons=learner.comparisons,
    )
    np.testing.assert_array_equal(again.metric_.components_, learner.metric_.components_)


def test_scml_and_ours_agree_on_every_call(wine):
    X, y = wine
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    triplets = triplets_from_labels(y, 100, np.random.default_rng(0))
    theirs = metric_learn.SCML(preprocessor=X, n_basis=40, random_state=0).fit(triplets)
    ours = SchultzJoachims(preprocessor=X, random_state=0).fit(triplets)
    ours.components_ = theirs.components_
    pairs = triplets[:, :2]
    for call, argument in [
        ("predict", triplets),
        ("decision_function", triplets),
        ("score", triplets),
        ("transform", X),
        ("pair_distance", pairs),
        ("pair_score", pairs),
    ]:
        np.testing.assert_allclose(
            getattr(ours, call)(argument), getattr(theirs, call)(argument), err_msg=call
        )
    np.testing.assert_allclose(ours.get_mahalanobis_matrix(), theirs.get_mahalanobis_matrix())
    assert ours.get_metric()(X[0], X[1]) == pytest.approx(theirs.get_metric()(X[0], X[1]))
