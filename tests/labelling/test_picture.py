import numpy as np
import pytest
from sklearn.decomposition import PCA

from tercet.answers import Comparisons
from tercet.labelling.picture import Painter, feature_weights, flat, numbered_like, turned_like
from tercet.metrics import LatentClassMetric, SchultzJoachims

from .collections import collection


def test_the_picture_is_the_two_principal_components(rng):
    points = rng.normal(size=(50, 5)) * [5, 3, 1, 1, 1]
    places, explained = flat(points)
    pca = PCA(2).fit(points)
    expected = pca.transform(points)
    expected /= np.sqrt((expected**2).sum(axis=1).mean())
    assert np.allclose(np.abs(places), np.abs(expected))
    assert np.isclose(explained, pca.explained_variance_ratio_.sum())


def test_one_feature_is_a_line():
    places, explained = flat(np.arange(5.0)[:, np.newaxis])
    assert explained == 1.0
    assert (places[:, 1] == 0).all()
    assert (flat(np.ones((4, 3)))[0] == 0).all()


def test_a_turned_and_mirrored_picture_is_turned_back(rng):
    before = rng.normal(size=(40, 2))
    angle = 2.0
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    assert np.allclose(turned_like(before @ turn @ np.diag([1, -1]), before), before)


def test_clusters_keep_their_numbers(rng):
    before = rng.integers(0, 6, 300).astype(np.int16)
    after = rng.permutation(6).astype(np.int16)[before]
    assert (numbered_like(after, before, 6) == before).all()


def test_clusters_are_numbered_without_gaps_when_there_are_fewer_or_more(rng):
    before = rng.integers(0, 6, 300).astype(np.int16)
    fewer = np.array([2, 2, 0, 0, 1, 1], dtype=np.int16)[before]
    found = numbered_like(fewer, before, 3)
    assert set(found.tolist()) == {0, 1, 2}
    for number in range(3):
        assert len(set(fewer[found == number].tolist())) == 1
    assert (found[before == 0] == 0).all() or (found[before == 1] == 1).all()
    assert (found[before == 2] == 2).all()
    more = np.array([5, 4, 3, 2, 1, 0], dtype=np.int16)[before]
    # Each old number goes on with one of the two clusters that its own came apart into.
    assert set(numbered_like(more, found, 6)[(before == 2) | (before == 3)].tolist()) >= {2}
    assert set(numbered_like(more, found, 6).tolist()) == set(range(6))


def test_weights_are_shares_of_the_squared_distance(rng):
    X = rng.normal(size=(2000, 3)) * [1.0, 2.0, 5.0]
    metric = SchultzJoachims(preprocessor=X).fit([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    weights = feature_weights(metric, X.var(axis=0))
    differences = (X[:1000] - X[1000:]) * np.sqrt(metric.weights_)
    measured = (differences**2).mean(axis=0)
    assert np.allclose(weights, measured / measured.sum(), atol=0.03)
    assert np.isclose(weights.sum(), 1.0)


def test_weights_of_classes_are_those_of_the_features_that_tell_them_apart(rng):
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 6))
    X[:, 2] += 8 * (y == 0)
    X[:, 4] += 8 * (y == 1)
    metric = LatentClassMetric(3, preprocessor=X, random_state=0)
    metric.fit([(0, 3, 1), (1, 4, 2), (2, 5, 0), (6, 9, 8)])
    weights = feature_weights(metric, X.var(axis=0))
    assert weights.sum() == pytest.approx(1)
    assert set(np.argsort(-weights)[:2].tolist()) == {2, 4}
    assert weights[[2, 4]].sum() > 0.6


def test_views_that_follow_each_other_keep_their_place(rng):
    items, labels = collection(60)
    painter = Painter(items, np.random.default_rng(0))
    one, two, three = (np.flatnonzero(labels == number)[:3].tolist() for number in range(3))
    answers = Comparisons(
        [(one[0], one[1], two[0]), (two[1], three[0], two[2]), (three[1], three[2], one[2])], [1, -1, 1]
    )
    views = []
    for m in (0, 3):
        metric = LatentClassMetric(3, preprocessor=items.features, random_state=m)
        metric.fit(answers.triplets[:m], answers.answers[:m])
        views.append(painter.view(bytes([m]), m, metric))
        own = metric.predict_proba(items.features).argmax(axis=1)
        # The same clusters as the metric's, whatever their numbers.
        assert len(set(zip(views[-1].labels.tolist(), own.tolist(), strict=True))) == 3
    assert (views[0].labels == views[1].labels).all()
    moved = np.linalg.norm(views[0].places - views[1].places)
    mirrored = np.linalg.norm(views[0].places - views[1].places @ np.diag([-1, 1]))
    assert moved < mirrored
