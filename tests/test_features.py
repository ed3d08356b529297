"""Features in memory, in files and on a Dask cluster: the same rows, and the same questions."""

import os

import numpy as np
import pytest

from tercet import ActiveLearner, ClassOracle, Comparisons
from tercet import _features as features_module
from tercet._features import ArrayFeatures, DaskFeatures, Lookup, open_features
from tercet.beliefs import ClusterForest
from tercet.datasets import gaussian_classes
from tercet.metrics import LatentClassMetric, SchultzJoachims
from tercet.selection import Info, Nonredundant, Random

da = pytest.importorskip("dask.array", reason="needs the extra 'cluster'")


@pytest.fixture(scope="module")
def table():
    loaded, _ = gaussian_classes(400, n_classes=3, n_features=5, random_state=0)
    return loaded.X, loaded.y


@pytest.fixture
def small_chunks(monkeypatch):
    """Let tables of a few hundred rows be read in parts too."""
    monkeypatch.setattr(features_module, "CHUNK", 64)


def as_memmap(X, folder, dtype=np.float64):
    np.save(folder / "X.npy", X.astype(dtype))
    return np.load(folder / "X.npy", mmap_mode="r")


def test_an_array_is_copied_and_cannot_be_changed(table):
    X = table[0].copy()
    features = open_features(X)
    X[0, 0] = 1e9
    assert features.rows(np.array([0]))[0, 0] == table[0][0, 0]
    with pytest.raises(ValueError, match="read-only"):
        features.table[0, 0] = 1.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_a_memory_map_stays_where_it_is(table, tmp_path, small_chunks, dtype):
    X = (100 * table[0]).astype(dtype)
    features = open_features(as_memmap(X, tmp_path, dtype))
    assert isinstance(features.table, np.memmap)
    items = np.array([399, 0, 63, 64, 65])
    np.testing.assert_array_equal(features.rows(items), X[items].astype(np.float64))
    doubled = features.apply(
        lambda rows, start: np.column_stack([rows[:, 0] * 2, np.arange(len(rows)) + start]), 2
    )
    np.testing.assert_array_equal(doubled[:, 0], X[:, 0] * 2.0)
    np.testing.assert_array_equal(doubled[:, 1], np.arange(400))


def test_a_bad_value_deep_in_a_memory_map_is_named(table, tmp_path, small_chunks):
    X = table[0].copy()
    X[333, 2] = np.nan
    with pytest.raises(ValueError, match=r"\(nan\) in row 333, column 2"):
        open_features(as_memmap(X, tmp_path))


def test_files_are_opened_by_name(table, tmp_path, small_chunks):
    as_memmap(table[0], tmp_path)
    np.testing.assert_array_equal(open_features(tmp_path / "X.npy").table, table[0])
    np.testing.assert_array_equal(open_features(str(tmp_path / "X.npy")).table, table[0])
    with pytest.raises(ValueError, match=r"X\.txt is neither \.npy nor \.parquet"):
        open_features(tmp_path / "X.txt")


def test_a_parquet_file_is_read_in_batches_and_only_once(table, tmp_path, small_chunks):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {f"f{number}": column for number, column in enumerate(table[0].T)}
    parquet.write_table(pa.table(columns), tmp_path / "X.parquet", row_group_size=90)
    features = open_features(tmp_path / "X.parquet")
    np.testing.assert_array_equal(features.table, table[0])
    written = (tmp_path / "X.features.npy").stat().st_mtime_ns
    open_features(tmp_path / "X.parquet")
    assert (tmp_path / "X.features.npy").stat().st_mtime_ns == written
    assert sorted(path.name for path in tmp_path.iterdir()) == ["X.features.npy", "X.parquet"]
    # Another file, even one that is older than the copy, is read anew.
    half = {name: column[:200] for name, column in columns.items()}
    parquet.write_table(pa.table(half), tmp_path / "X.parquet")
    os.utime(tmp_path / "X.parquet", ns=(written - 10**9, written - 10**9))
    assert open_features(tmp_path / "X.parquet").shape == (200, 5)


def test_what_is_no_feature_in_a_parquet_file(tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pd = pytest.importorskip("pandas")
    words = {"name": ["a", "b", "c"], "f": [1.0, 2.0, 3.0], "when": pa.array([1, 2, 3], pa.timestamp("s"))}
    parquet.write_table(pa.table(words), tmp_path / "words.parquet")
    with pytest.raises(ValueError, match=r"columns that are no numbers \(name, when\)"):
        open_features(tmp_path / "words.parquet")
    assert not list(tmp_path.glob("*.part"))
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [True, False, True, False, True]})
    frame[frame.a != 2].to_parquet(tmp_path / "frame.parquet")  # pandas keeps the row labels as a column
    np.testing.assert_array_equal(
        open_features(tmp_path / "frame.parquet").table, [[1, 1], [3, 1], [4, 0], [5, 1]]
    )
    (tmp_path / "many.parquet").mkdir()
    with pytest.raises(ValueError, match=r"many\.parquet is a folder of files; read it by Dask"):
        open_features(tmp_path / "many.parquet")


def test_a_parquet_file_whose_folder_cannot_be_written_to(tmp_path, monkeypatch):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"f": [1.0, 2.0, 3.0]}), tmp_path / "X.parquet")

    def refuse(*args, **kwargs):
        raise PermissionError("read-only")

    monkeypatch.setattr(
        np.lib.format, "open_memmap", refuse
    )  # root may write anywhere, so no real folder does
    with pytest.raises(
        OSError, match=r"cannot write X\.features\.npy beside X\.parquet.*save the features as"
    ):
        open_features(tmp_path / "X.parquet")


def test_dask_rows_are_fetched_once(table):
    X = da.from_array(table[0], chunks=(70, 2))
    features = open_features(X)
    assert isinstance(features, DaskFeatures)
    np.testing.assert_array_equal(features.rows(np.array([5, 1, 5])), table[0][[5, 1, 5]])
    features.table = None  # what is known needs no cluster
    np.testing.assert_array_equal(features.rows(np.array([1, 5])), table[0][[1, 5]])


def test_bad_dask_arrays_are_named(table):
    with pytest.raises(ValueError, match=r"two dimensions \(items, features\), not shape \(4,\)"):
        open_features(da.zeros(4))
    X = da.from_array(table[0], chunks=(70, 5))
    with pytest.raises(ValueError, match=r"call X\.compute_chunk_sizes\(\) first"):
        open_features(X[X[:, 0] > 0])
    with pytest.raises(ValueError, match=r"X has shape \(0, 5\); give at least one item"):
        open_features(X[:0])
    with pytest.raises(ValueError, match="X has 2 items; a question needs at least 3"):
        open_features(X[:2])
    with pytest.raises(TypeError, match="give a Dask array, not a Dask Delayed"):
        open_features(X.to_delayed()[0, 0])
    bad = table[0].copy()
    bad[7, 1] = np.inf
    with pytest.raises(ValueError, match="NaN or infinite in row 7"):
        ActiveLearner(da.from_array(bad, chunks=70), 3)


def test_a_lookup_refuses_items_that_do_not_exist(table):
    lookup = Lookup(ArrayFeatures(table[0]), table[0][:10])
    with pytest.raises(ValueError, match="index 400 is not one of the 400 items"):
        lookup([0, 400])


def questions(X, y, **parts):
    learner = ActiveLearner(X, 3, random_state=0, **{"beliefs": ClusterForest(), **parts})
    learner.run(ClassOracle(y), 6)
    return learner


@pytest.mark.parametrize("max_items", [10_000, 90], ids=["all items", "a sample"])
@pytest.mark.parametrize("selector", [Info(), Info(max_items=50), Random(), Nonredundant()], ids=repr)
def test_the_same_questions_wherever_the_features_are(table, tmp_path, small_chunks, max_items, selector):
    X, y = table
    parts = {"max_items": max_items, "selector": selector}
    expected = questions(X, y, **parts)
    mapped = questions(as_memmap(X, tmp_path), y, **parts)
    assert mapped.comparisons == expected.comparisons
    np.testing.assert_array_equal(mapped.beliefs_, expected.beliefs_)
    np.testing.assert_array_equal(mapped.metric_.components_, expected.metric_.components_)


def test_a_sample_sees_every_item_that_was_asked_about(table):
    seen = []

    class Recording(ClusterForest):
        def fit(self, Z, comparisons=None):
            seen.append((len(Z), comparisons))
            return super().fit(Z, comparisons)

    X, y = table
    learner = questions(X, y, max_items=90, beliefs=Recording(n_classes=None))
    sample = learner._models.sample
    assert len(sample) == 90
    for size, comparisons in seen:
        asked = learner.comparisons[: len(comparisons)]
        outside = np.setdiff1d(asked.triplets, sample)
        assert size == 90 + len(outside)
        assert comparisons.triplets.max(initial=0) < size
        np.testing.assert_array_equal(comparisons.answers, asked.answers)
    assert seen[-1][0] > 90


def test_beliefs_about_all_items_keep_the_fitted_ones(table):
    X, y = table
    learner = questions(X, y, max_items=90)
    beliefs = learner.beliefs_
    assert beliefs.shape == (400, 3)
    np.testing.assert_allclose(beliefs.sum(axis=1), 1.0)
    fitted = learner._models.fit(learner.comparisons, beliefs=True)
    np.testing.assert_array_equal(beliefs[fitted.items], fitted.beliefs.predict_proba())
    others = np.setdiff1d(np.arange(400), fitted.items)
    Z = learner.metric_.transform(X[others])
    np.testing.assert_array_equal(beliefs[others], fitted.beliefs.predict_proba(Z))
    some = np.array([399, 3, 3, 200])
    np.testing.assert_array_equal(learner._models.beliefs_about(fitted, some), beliefs[some])


def test_a_sampled_learner_restarts_where_it_was(table):
    X, y = table
    whole = questions(X, y, max_items=90)
    half = ActiveLearner(
        X, 3, beliefs=ClusterForest(), random_state=0, max_items=90, comparisons=whole.comparisons[:3]
    )
    half.run(ClassOracle(y), 3)
    assert half.comparisons == whole.comparisons


@pytest.mark.parametrize("max_items", [10_000, 90], ids=["all items", "a sample"])
def test_a_dask_cluster_gives_what_numpy_gives(table, cluster, max_items):
    X, y = table
    spread = da.from_array(X, chunks=(70, 5))
    parts = {"max_items": max_items, "selector": Info(max_items=90), "beliefs": ClusterForest()}
    # A Dask learner looks for questions among the items it holds in memory; with all of them, the same.
    learner = ActiveLearner(spread, 3, random_state=0, **parts).run(ClassOracle(y), 6)
    if max_items > len(X):
        assert learner.comparisons == questions(X, y, **parts).comparisons
    same = ActiveLearner(X, 3, random_state=0, comparisons=learner.comparisons, **parts)
    Z = learner.metric_.transform(spread)
    assert isinstance(Z, da.Array)
    np.testing.assert_array_equal(Z.compute(), same.metric_.transform(X))
    assert isinstance(learner.beliefs_, da.Array)
    np.testing.assert_array_equal(learner.beliefs_.compute(), same.beliefs_)


def test_transform_of_a_dask_array_checks_the_features(table):
    metric = SchultzJoachims(preprocessor=table[0]).fit(Comparisons().triplets)
    with pytest.raises(ValueError, match="the points have 2 features, but the metric was fitted on 5"):
        metric.transform(da.zeros((10, 2)))
    wrong = np.array(table[0])
    wrong[220, 3] = np.nan
    for learned in (metric, LatentClassMetric(3, preprocessor=table[0]).fit([(0, 1, 2)])):
        with pytest.raises(ValueError, match=r"X holds 1 values that are NaN .* row 220, column 3"):
            learned.transform(da.from_array(wrong, chunks=(70, 5))).compute()


def test_chunks_that_a_selection_left_empty(table):
    X, y = table
    kept = (np.arange(400) < 70) | (np.arange(400) >= 210)
    some = da.from_array(X, chunks=(70, 5))[da.from_array(kept, chunks=70)].compute_chunk_sizes()
    assert 0 in some.chunks[0]
    parts = {"beliefs": ClusterForest(), "random_state": 0, "max_items": 90}
    learner = ActiveLearner(some, 3, **parts).run(ClassOracle(y[kept]), 2)
    same = ActiveLearner(X[kept], 3, **parts, comparisons=learner.comparisons)
    np.testing.assert_array_equal(learner.beliefs_.compute(), same.beliefs_)
    np.testing.assert_array_equal(learner.metric_.transform(some).compute(), same.metric_.transform(X[kept]))


def test_an_exact_search_of_a_large_dask_array_is_refused(table):
    X = da.from_array(table[0], chunks=(70, 5))
    with pytest.raises(ValueError, match="of the Dask array's 400 only 90 are in memory; raise max_items"):
        ActiveLearner(X, 3, selector=Info("exact"), max_items=90)
    assert ActiveLearner(X, 3, selector=Info("exact"), random_state=0).ask()


def test_a_belief_model_for_fitted_items_only_is_named_where_it_does_not_do(table):
    class FittedOnly(ClusterForest):
        def predict_proba(self):
            return super().predict_proba()

    X, y = table
    questions(X, y, beliefs=FittedOnly())
    with pytest.raises(ValueError, match="takes no new points, which 400 items need with max_items=90"):
        questions(X, y, beliefs=FittedOnly(), max_items=90)
