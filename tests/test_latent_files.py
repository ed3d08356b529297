"""A latent-class metric in a file."""

import json

import numpy as np
import pytest

from tercet import ClassOracle
from tercet.metric_files import load_metric, save_metric
from tercet.metrics import LatentClassMetric


@pytest.fixture(scope="module")
def learned(wine):
    X, y = wine
    rng = np.random.default_rng(0)
    triplets = np.array([rng.choice(len(X), 3, replace=False) for _ in range(40)])
    answers = [int(ClassOracle(y)(triplet)) for triplet in triplets]
    return LatentClassMetric(3, preprocessor=X, random_state=0).fit(triplets, answers), X


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_what_is_loaded_is_what_was_learned(learned, tmp_path, suffix):
    metric, X = learned
    path = tmp_path / f"metric.{suffix}"
    names = [f"column {place}" for place in range(13)]
    save_metric(metric, path, names)
    loaded = load_metric(path)
    np.testing.assert_array_equal(loaded.transform(X), metric.transform(X))
    pairs = X[:20].reshape(10, 2, 13)
    np.testing.assert_array_equal(loaded.pair_distance(pairs), metric.pair_distance(pairs))
    assert list(loaded.feature_names) == names
    again = tmp_path / f"again.{suffix}"
    save_metric(loaded, again)
    np.testing.assert_array_equal(load_metric(again).transform(X), metric.transform(X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": None}, "weights is missing"),
        ({"weights": [[1.0, 2.0]]}, "weights has 1 rows; it needs 14"),
        ({"mean": [0.0]}, "mean has 1 numbers; it needs one for each of the 13 features"),
        ({"trust": [-1.0]}, "trust is .*it must be one number of at least 0"),
        ({"near": [0.0]}, "must be above 0"),
        ({"spread": [float("nan")] * 13}, "NaN or infinite"),
    ],
)
def test_damaged_files_are_refused(learned, tmp_path, change, message):
    path = tmp_path / "metric.json"
    save_metric(learned[0], path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match=message):
        load_metric(path)


def test_points_of_other_features_are_refused(learned, tmp_path):
    save_metric(learned[0], tmp_path / "metric.json")
    with pytest.raises(ValueError, match="the points have 2 features, but the metric was fitted on 13"):
        load_metric(tmp_path / "metric.json").transform([[1.0, 2.0]])


def test_the_linear_part_measures_near_items(learned):
    metric, X = learned
    distance = metric.distance_
    step = 1e-3 * np.random.default_rng(0).normal(size=X.shape)
    near = distance.of_pairs(X, X + step)
    x = ((step @ distance.linear_part.T) ** 2).sum(axis=1)
    P, Q = distance.model.probabilities(X), distance.model.probabilities(X + step)
    own, other = (1 - (P**2).sum(axis=1)) / 2, (1 - (Q**2).sum(axis=1)) / 2
    k = (1 + x / 1.4) ** -distance.scale.power
    classes = ((P - Q) ** 2).sum(axis=1) / 2 + own + other - 2 * np.sqrt(own * other) * k
    np.testing.assert_allclose(near, 2 * (1 - k) + distance.weight * classes, rtol=1e-3)


def test_an_unfitted_metric_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match="LatentClassMetric cannot be saved"):
        save_metric(LatentClassMetric(), tmp_path / "metric.json")
