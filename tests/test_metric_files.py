import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tercet import ClassOracle
from tercet.metric_files import LinearMetric, load_metric, save_metric
from tercet.metrics import RosalesFung, SchultzJoachims, SchultzJoachimsSupervised
from tercet.triplets import triplets_from_labels

NAMES = ["size", "weight"]
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(params=["json", "npz"])
def path(request, tmp_path):
    return tmp_path / f"metric.{request.param}"


@pytest.mark.parametrize(
    "learner",
    [SchultzJoachims(basis="standard"), SchultzJoachims(), SchultzJoachims(basis="pca"), RosalesFung()],
    ids=str,
)
def test_what_was_learned_comes_back_to_the_last_digit(learner, path, wine, rng):
    X, y = wine
    triplets = triplets_from_labels(y, 60, rng)
    oracle = ClassOracle(y)
    learner.set_params(preprocessor=X)
    learner.fit(triplets, [oracle(triplet) for triplet in triplets.tolist()])
    names = [f"feature, {place}" for place in range(X.shape[1])]
    save_metric(learner, path, names)
    loaded = load_metric(path)
    assert loaded.feature_names == tuple(names)
    assert loaded.transform(X).tobytes() == learner.transform(X).tobytes()
    pairs = X[rng.integers(len(X), size=(50, 2))]
    assert loaded.pair_distance(pairs).tobytes() == learner.pair_distance(pairs).tobytes()


def test_a_supervised_metric_can_be_saved_too(path, wine):
    X, y = wine
    learner = SchultzJoachimsSupervised(n_triplets=50, random_state=0).fit(X, y)
    save_metric(learner, path)
    loaded = load_metric(path)
    assert loaded.feature_names[:2] == ("feature 1", "feature 2")
    np.testing.assert_array_equal(loaded.transform(X), learner.transform(X))


@pytest.mark.parametrize("ending", ["json", "npz"])
@given(
    components=arrays(np.float64, (3, 2), elements=FINITE),
    mean=st.none() | arrays(np.float64, 2, elements=FINITE),
    scale=st.none() | arrays(np.float64, 2, elements=st.floats(1e-3, 1e3)),
    names=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=2, max_size=2, unique=True
    ),
)
def test_any_numbers_and_names(ending, components, mean, scale, names, tmp_path_factory):
    path = tmp_path_factory.mktemp("metric") / f"metric.{ending}"
    save_metric(LinearMetric(components, names, mean, scale), path)
    loaded = load_metric(path)
    assert loaded.feature_names == tuple(names)
    for name, value in (("components", components), ("mean", mean), ("scale", scale)):
        assert (
            np.array_equal(getattr(loaded, name), value)
            if value is not None
            else getattr(loaded, name) is None
        )


def test_mean_and_scale():
    metric = LinearMetric([[1.0, 0.0], [0.0, 2.0]], NAMES, [1.0, 1.0], [2.0, 4.0])
    np.testing.assert_array_equal(metric.transform([[3.0, 5.0]]), [[1.0, 2.0]])
    np.testing.assert_array_equal(metric.pair_distance([[[3.0, 5.0], [1.0, 1.0]]]), [np.sqrt(5)])


GOOD = {
    "format": "tercet-metric",
    "version": 1,
    "kind": "linear",
    "tercet": "0.1.0",
    "feature_names": NAMES,
    "components": [[1, 2]],
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "tercet-metric"),
        ({"version": 2}, r"version 2.*upgrade"),
        ({"kind": "forest"}, r"kind 'forest'.*knows linear"),
        ({"components": None}, "components is missing"),
        ({"components": [[1, 2, 3]]}, r"shape \(1, 3\).*2 features"),
        ({"components": []}, "components"),
        ({"components": [[1, "x"]]}, "components must hold numbers"),
        ({"components": [[1, float("nan")]]}, "NaN or infinite"),
        ({"components": [1, 2]}, "components must have 2 dimensions"),
        ({"mean": [1]}, "mean has 1 numbers"),
        ({"scale": [1, 0]}, "scale is 0 for the feature 'weight'"),
        ({"feature_names": ["a", "a"]}, "two features are called 'a'"),
        ({"feature_names": ["a", 1]}, "a feature is called 1"),
        ({"feature_names": "ab"}, "feature_names are 'ab', and no list"),
        ({"components": [[1, 10**400]]}, "components must hold numbers"),
    ],
)
def test_wrong_files_are_refused(changes, message, tmp_path):
    path = tmp_path / "metric.json"
    path.write_text(json.dumps(GOOD))
    assert load_metric(path).transform([[1.0, 1.0]]) == [[3.0]]
    path.write_text(json.dumps({**GOOD, **changes}))
    with pytest.raises(ValueError, match=rf"metric.json is no metric that can be used: .*{message}"):
        load_metric(path)


@pytest.mark.parametrize("content", [b"", b"\x80\x04", b"[]", b"{", b"PK\x03\x04"])
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "metric.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="no metric that can be used"):
        load_metric(path)


def test_nothing_is_unpickled(tmp_path):
    header = np.array(json.dumps({name: value for name, value in GOOD.items() if name != "components"}))
    np.savez(tmp_path / "evil.npz", header=header, components=np.array([[object()]], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        load_metric(tmp_path / "evil.npz")
    np.savez(tmp_path / "other.npz", X=np.eye(2))
    with pytest.raises(ValueError, match="something else"):
        load_metric(tmp_path / "other.npz")


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match=r"SchultzJoachims cannot be saved.*fit it first"):
        save_metric(SchultzJoachims(), tmp_path / "metric.json")
    metric = LinearMetric(np.eye(2), NAMES)
    with pytest.raises(ValueError, match=r"ends in '.pkl'; save a metric as .json or .npz"):
        save_metric(metric, tmp_path / "metric.pkl")
    with pytest.raises(ValueError, match="have 3 features, but the metric was fitted on 2"):
        metric.transform([[1.0, 2.0, 3.0]])
    assert list(tmp_path.iterdir()) == []


def test_names_may_come_from_a_table_and_change_later(tmp_path):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    metric = SchultzJoachims(preprocessor=X).fit([[0, 1, 2]], [1])
    save_metric(metric, tmp_path / "a.json", np.array(["size", "weight"]))
    loaded = load_metric(tmp_path / "a.json")
    assert loaded.feature_names == ("size", "weight")
    save_metric(loaded, tmp_path / "b.npz", ["length", "mass"])
    again = load_metric(tmp_path / "b.npz")
    assert again.feature_names == ("length", "mass")
    np.testing.assert_array_equal(again.transform(X), metric.transform(X))
    with pytest.raises(ValueError, match="of the 0 features"):
        save_metric(metric, tmp_path / "c.json", [])


def test_points_are_checked_as_the_learner_checks_them(tmp_path):
    metric = LinearMetric(np.eye(2), ["size", "weight"])
    for wrong in (np.zeros((4, 3, 2)), np.zeros((4, 1, 2)), np.zeros((4, 2))):
        with pytest.raises(ValueError, match=r"pairs must be points of shape \(m, 2, d\), not \(4, "):
            metric.pair_distance(wrong)
    with pytest.raises(ValueError, match="the points have 3 features, but the metric was fitted on 2"):
        metric.pair_distance(np.zeros((4, 2, 3)))
    with pytest.raises(ValueError, match=r"1 values that are NaN .*\(nan\) in row 1, column 0; drop those"):
        metric.transform([[0.0, 1.0], [np.nan, 2.0]])
