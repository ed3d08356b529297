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
    np.testing.assert_array_equal(load_metric(again).transform(X), loaded.transform(X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": None}, "weights is missing"),
        (
            {"weights": [[[1.0, 2.0]]]},
            r"weights has the shape \(1, 1, 2\); .*it needs \(1, 54, 2\)",
        ),
        ({"mean": [0.0]}, r"mean has the shape \(1,\); with 13 features it needs \(13,\)"),
        ({"landmarks": [[0.0]]}, r"landmarks has the shape \(1, 1\)"),
        ({"spreads": [1.0]}, r"spreads has the shape \(1,\); .*it needs \(6,\)"),
        ({"weights": "abc"}, "weights must hold numbers"),
        ({"weights": [[[]] * 54] * 6, "spreads": [1.0] * 6}, "weights has the shape"),
        ({"n_answers": [1e300]}, "no metric that can be used"),
        ({"n_answers": [-1.0]}, "n_answers is -1.0; it must be at least 0"),
        ({"unlike": [-0.1]}, "unlike is -0.1; it must be at least 0"),
        ({"unlike": [1.5]}, "unlike is 1.5; it is a share, and 1 at most"),
        ({"near": [0.0]}, "near holds 0.0; it must be above 1e-100"),
        ({"near": [1e-320]}, "near holds 1e-320; it must be above 1e-100"),
        ({"n_answers": [2.5]}, "n_answers is 2.5; it is a whole number"),
        ({"n_answers": [1e300]}, "n_answers is 1e\\+300; it is a whole number, and 1,000,000,000 at most"),
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


def test_names_have_to_be_as_many_as_features(learned, tmp_path):
    with pytest.raises(ValueError, match="there are 1 feature names, but the metric has 13 features"):
        save_metric(learned[0], tmp_path / "metric.json", ["a"])


def test_an_unfitted_metric_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match="LatentClassMetric cannot be saved"):
        save_metric(LatentClassMetric(), tmp_path / "metric.json")


def test_items_that_hardly_differ_can_be_saved_too(tmp_path):
    items = np.zeros((30, 1))
    items[18:, 0] = 5 + 3e-8 * np.arange(12)
    metric = LatentClassMetric(2, preprocessor=items, random_state=0).fit([(0, 1, 20), (19, 2, 25)])
    save_metric(metric, tmp_path / "metric.npz")
    pairs = items[[[0, 20], [18, 29]]]
    loaded = load_metric(tmp_path / "metric.npz")
    np.testing.assert_array_equal(loaded.pair_distance(pairs), metric.pair_distance(pairs))
