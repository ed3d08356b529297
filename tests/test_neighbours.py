import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from tercet import _exact_neighbours as exact_module
from tercet import neighbours as module
from tercet.metrics import SchultzJoachims
from tercet.neighbours import Neighbours

try:
    import_faiss = module._faiss()
except ImportError:
    import_faiss = None
needs_faiss = pytest.mark.skipif(import_faiss is None, reason="needs faiss: pip install 'tercet[neighbours]'")
BOTH = ["exact", pytest.param("approximate", marks=needs_faiss)]


def clustered(n_items, n_features, rng, n_clusters=50, spread=0.3):
    centres = rng.normal(size=(n_clusters, n_features))
    return centres[rng.integers(n_clusters, size=n_items)] + spread * rng.normal(size=(n_items, n_features))


def by_definition(items, points, k):
    distances = np.array([[np.sqrt(((p - x) ** 2).sum()) for x in items] for p in points])
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


def recall(found, true):
    return np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found, true, strict=True)])


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("n_features", [1, 3, 8, 9, 20])
@pytest.mark.parametrize("n_queries", [1, 7, 8, 40])
def test_the_nearest_by_definition(method, n_features, n_queries, rng):
    # With one cell, or all of them looked into, the approximate method errs only by rounding.
    X, points = rng.normal(size=(150, n_features)), rng.normal(size=(n_queries, n_features))
    model = Neighbours(method=method, n_neighbours=149, random_state=0).fit(X)
    distances, items = model.query(points, 5)
    true_distances, true_items = by_definition(X, points, 5)
    np.testing.assert_array_equal(items, true_items)
    np.testing.assert_allclose(distances, true_distances, rtol=1e-14)
    assert distances.dtype == np.float64
    assert items.dtype == np.int64


@pytest.mark.parametrize("block", [7, 64])
@pytest.mark.parametrize("n_features", [2, 12])
def test_blocks_and_parts_change_nothing(block, n_features, rng, monkeypatch):
    X = rng.normal(size=(200, n_features))
    metric = StandardScaler().fit(X)
    whole = Neighbours(metric, method="exact").fit(X).of_items()
    monkeypatch.setattr(exact_module, "BLOCK", block)
    monkeypatch.setattr(exact_module, "NUMBERS", 20 * 18 * n_features)
    for there, here in zip(whole, Neighbours(metric, method="exact").fit(X).of_items(), strict=True):
        np.testing.assert_array_equal(there, here)


@pytest.mark.parametrize("method", BOTH)
def test_the_metric_maps_into_the_learned_space(method, wine, rng):
    X = wine[0]
    triplets = np.array([rng.choice(len(X), 3, replace=False) for _ in range(60)])
    metric = SchultzJoachims(preprocessor=X).fit(triplets)
    distances, items = Neighbours(metric, method=method, random_state=0).fit(X).of_items()
    Z = metric.transform(X)
    direct = cdist(Z, Z)
    np.fill_diagonal(direct, np.inf)
    np.testing.assert_allclose(distances, np.take_along_axis(direct, items, axis=1), rtol=1e-9)
    assert np.mean(distances <= np.sort(direct, axis=1)[:, 9:10] * (1 + 1e-9)) >= 0.95
    again = Neighbours(method=method, random_state=0).fit(Z).of_items()
    np.testing.assert_allclose(distances, again[0], rtol=1e-9)


@pytest.mark.parametrize("n_features", [1, 10])
@pytest.mark.parametrize("method", BOTH)
def test_an_item_is_left_out_among_its_duplicates(method, n_features):
    X = np.repeat([[0.0], [1.0], [5.0]], [30, 2, 1], axis=0) * np.ones(n_features)
    distances, items = Neighbours(method=method, n_neighbours=4, random_state=0).fit(X).of_items()
    assert not (items == np.arange(33)[:, None]).any()
    assert all(len(set(row)) == 4 for row in items)
    assert (distances[:30] == 0).all()
    assert (items[:30] < 30).all()
    root = np.sqrt(n_features)
    np.testing.assert_allclose(distances[30], [0, root, root, root])
    assert items[30, 0] == 31
    np.testing.assert_allclose(distances[32], [4 * root, 4 * root, 5 * root, 5 * root])


@pytest.mark.parametrize("n_features", [3, 10])
@pytest.mark.parametrize("method", BOTH)
def test_identical_items(method, n_features):
    model = Neighbours(method=method, n_neighbours=3).fit(np.ones((20, n_features)))
    distances, items = model.of_items()
    assert (distances == 0).all()
    assert not (items == np.arange(20)[:, None]).any()
    np.testing.assert_allclose(model.query(np.zeros((9, n_features)))[0], np.sqrt(n_features))


@given(st.data())
def test_any_small_table(data):
    n_items, n_features = data.draw(st.integers(2, 30)), data.draw(st.sampled_from([1, 2, 9]))
    seed, k = data.draw(st.integers(0, 999)), data.draw(st.integers(1, n_items - 1))
    methods = ["exact", "auto"] if import_faiss is None else ["exact", "auto", "approximate"]
    X = np.random.default_rng(seed).integers(0, 4, size=(n_items, n_features))  # many ties and duplicates
    model = Neighbours(method=data.draw(st.sampled_from(methods)), n_neighbours=k, random_state=seed).fit(X)
    direct = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(direct, np.inf)
    distances, items = model.of_items()
    assert all(len(set(row)) == k for row in items)
    np.testing.assert_allclose(distances, np.take_along_axis(direct, items, axis=1))
    if model.method_ == "exact":
        np.testing.assert_allclose(distances, np.sort(direct, axis=1)[:, :k])


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_exact_where_the_product_form_loses_all_digits(offset, rng):
    # Clusters of width 1e-6 at distance 1e6: squares of 1e12 leave nothing of differences of 1e-12.
    centres = rng.integers(-8, 8, size=(6, 12)) * 2.0**17
    X = centres[np.arange(120) % 6] + rng.integers(0, 2**8, size=(120, 12)) * 2.0**-20 + offset
    distances, items = Neighbours(method="exact", n_neighbours=3).fit(X).of_items()
    direct = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(direct, np.inf)
    np.testing.assert_allclose(distances, np.sort(direct, axis=1)[:, :3], rtol=1e-12)
    assert (items % 6 == (np.arange(120) % 6)[:, None]).all()


@needs_faiss
def test_single_precision_is_not_used_where_it_cannot_work(rng):
    X = np.repeat(rng.normal(size=(4, 10)), 100, axis=0) * 1e6 + rng.normal(size=(400, 10)) * 1e-4
    model = Neighbours(method="approximate", random_state=0).fit(X)
    assert (model.method_, model.recall_) == ("exact", 1.0)
    np.testing.assert_array_equal(model.of_items()[1], Neighbours(method="exact").fit(X).of_items()[1])


@pytest.fixture(scope="module")
def many():
    return clustered(20_000, 13, np.random.default_rng(0))


@needs_faiss
@pytest.mark.skipif(sys.platform == "darwin", reason="auto does not use faiss on macOS")
def test_recall_on_20_000_clustered_items(many):
    model = Neighbours(random_state=0).fit(many)
    assert model.method_ == "approximate"
    some = np.arange(0, 20_000, 10)
    distances, items = model.of_items(some)
    true_distances, true_items = Neighbours(method="exact").fit(many).of_items(some)
    measured = recall(items, true_items)
    assert measured >= 0.95
    assert abs(measured - model.recall_) < 0.03
    assert (distances >= true_distances).all()


@needs_faiss
def test_more_neighbours_than_fitted_for_are_found_as_well(rng):
    ball = rng.normal(size=(4000, 10))
    model, exact = (
        Neighbours(method=way, n_neighbours=1, random_state=0) for way in ("approximate", "exact")
    )
    before = model.fit(ball).of_items()[1]
    assert recall(model.of_items(k=100)[1][:500], exact.fit(ball).of_items(range(500), 100)[1]) >= 0.95
    np.testing.assert_array_equal(model.of_items()[1], before)


@needs_faiss
def test_a_seed_gives_the_same_answers_also_after_pickling(many):
    items = many[:5000]
    first, second = (Neighbours(method="approximate", random_state=3).fit(items) for _ in range(2))
    assert first._index.nlist > first._cells_for(10)[0]
    for model in (second, pickle.loads(pickle.dumps(first)), clone(first).fit(items)):
        for here, there in zip(first.of_items(), model.of_items(), strict=True):
            np.testing.assert_array_equal(here, there)


@needs_faiss
@pytest.mark.skipif(sys.platform == "darwin", reason="auto does not use faiss on macOS")
def test_auto_is_exact_where_too_many_cells_would_be_looked_into(rng, monkeypatch):
    monkeypatch.setattr(module, "_APPROXIMATE_FROM", 2000)
    ball = rng.normal(size=(2000, 40))
    assert Neighbours(random_state=0).fit(ball).method_ == "exact"
    assert Neighbours(random_state=0).fit(clustered(2000, 40, rng)).method_ == "approximate"
    assert Neighbours(random_state=0).fit(clustered(1999, 40, rng)).method_ == "exact"
    assert Neighbours(random_state=0).fit(clustered(2000, 8, rng)).method_ == "exact"
    assert Neighbours(method="approximate", random_state=0).fit(ball).method_ == "approximate"


@needs_faiss
def test_points_and_numbers_that_cells_cannot_serve(rng, monkeypatch):
    X = clustered(3000, 10, rng)
    model, exact = (Neighbours(method=method, random_state=0).fit(X) for method in ("approximate", "exact"))
    far = np.vstack([rng.normal(size=(9, 10)) * 1e6, np.full((1, 10), 1e100)])
    np.testing.assert_array_equal(model.query(far)[1][:9], exact.query(far)[1][:9])
    np.testing.assert_array_equal(np.sort(model.query(X[:2], 3000)[1]), np.tile(np.arange(3000), (2, 1)))
    monkeypatch.setattr(exact_module, "NUMBERS", 100_000)  # no room to measure the recall of so many
    np.testing.assert_array_equal(model.query(X[:9], 700)[1], exact.query(X[:9], 700)[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
@pytest.mark.parametrize("method", BOTH)
def test_a_memory_mapped_table_is_not_copied(method, dtype, tmp_path, rng):
    table = (100 * clustered(500, 10, rng)).astype(dtype)
    np.save(tmp_path / "X.npy", table)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = Neighbours(method=method, random_state=0).fit(mapped)
    assert np.shares_memory(model._items, mapped)
    whole = Neighbours(method=method, random_state=0).fit(table.astype(np.float64))
    for here, there in zip(model.query(mapped[:20]), whole.query(table[:20]), strict=True):
        np.testing.assert_array_equal(here, there)


def test_dimensions_in_which_all_items_agree_still_count(rng):
    X = np.hstack([rng.normal(size=(50, 2)), np.full((50, 12), 3.0)])
    model = Neighbours(n_neighbours=4).fit(X)
    assert model._tree is not None
    points = rng.normal(size=(6, 14))
    for here, there in zip(model.query(points), by_definition(X, points, 4), strict=True):
        np.testing.assert_allclose(here, there)


def test_fewer_items_than_neighbours():
    model = Neighbours().fit([[0.0], [1.0], [3.0]])
    assert model.query([[0.0]])[1].tolist() == [[0, 1, 2]]
    assert model.of_items()[1].tolist() == [[1, 2], [0, 2], [1, 0]]
    assert model.of_items([2, 2])[1].tolist() == [[1, 0], [1, 0]]
    assert [array.shape for array in model.of_items([])] == [(0, 2), (0, 2)]
    assert [array.shape for array in model.query(np.empty((0, 1)))] == [(0, 3), (0, 3)]
    for method in ("exact", "approximate") if import_faiss else ("exact",):
        alone = Neighbours(method=method).fit([[1.0, 2.0]])
        assert [array.shape for array in alone.of_items()] == [(1, 0), (1, 0)]
        assert alone.query([[1.0, 3.0]]) == (np.array([[1.0]]), np.array([[0]]))


class Shapeless:
    def transform(self, X):
        return np.ones(3)


class Exploding:
    def transform(self, X):
        return X * 1e200


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({"method": "fast"}, [[0.0], [1.0]], "'approximate', not 'fast'"),
        ({"n_neighbours": 0}, [[0.0], [1.0]], "at least 1, not 0"),
        ({"random_state": -1, "method": "approximate"}, [[0.0], [1.0]], "random_state must be"),
        ({}, [1.0, 2.0], "Expected 2D array"),
        ({}, np.empty((0, 2)), "0 sample"),
        ({}, [["a"], ["b"]], "numeric values"),
        ({}, [[0.0, 1.0], [2.0, np.nan]], "X holds nan in row 1, column 1"),
        ({}, [[0.0, 1.0], [-np.inf, 1.0]], "X holds -inf in row 1, column 0"),
        ({}, [[1e200], [0.0]], "at most 1e.150"),
        ({"metric": Shapeless()}, [[0.0], [1.0]], r"made shape \(3,\) of 2 items"),
        ({"metric": Exploding()}, [[0.0], [1.0]], "learned space holds 1e.200 in row 1"),
    ],
)
def test_what_cannot_be_fitted_is_named(settings, X, message):
    if settings.get("method") == "approximate":
        pytest.importorskip("faiss", reason="needs faiss: pip install 'tercet[neighbours]'")
    model = Neighbours().fit([[0.0], [1.0]]).set_params(**settings)
    with pytest.raises(ValueError, match=message):
        model.fit(X)
    with pytest.raises(NotFittedError):
        model.of_items()


def test_a_metric_must_be_able_to_transform():
    with pytest.raises(TypeError, match=r"write SchultzJoachims\(\)"):
        Neighbours(SchultzJoachims).fit([[0.0], [1.0]])
    with pytest.raises(NotFittedError):
        Neighbours(SchultzJoachims()).fit([[0.0], [1.0]])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda model: model.query([[1.0, 2.0]], 6), "k is 6, but there are only 5 items"),
        (lambda model: model.of_items(k=5), "k is 5, but there are only 4 items"),
        (lambda model: model.of_items(k=0), "k must be a whole number of at least 1, not 0"),
        (lambda model: model.of_items(k=1.5), "k must be a whole number of at least 1, not 1.5"),
        (lambda model: model.query([[1.0]]), "X has 1 features, but the items have 2"),
        (lambda model: model.query([1.0, 2.0]), "Expected 2D array"),
        (lambda model: model.query([[1.0, 2.0], [np.inf, 0.0]]), "X holds inf in row 1, column 0"),
        (lambda model: model.of_items([0, 5]), "there is no item 5; items are 0 to 4"),
        (lambda model: model.of_items([-1]), "there is no item -1"),
        (lambda model: model.of_items([0.5]), "row numbers, not float64"),
        (lambda model: model.of_items([[0], [1]]), r"of shape \(2, 1\)"),
    ],
)
@pytest.mark.parametrize("method", BOTH)
def test_what_cannot_be_asked_is_named(method, ask, message, rng):
    model = Neighbours(method=method).fit(rng.normal(size=(5, 2)))
    with pytest.raises(ValueError, match=message):
        ask(model)


def test_without_fit():
    for ask in (Neighbours().of_items, lambda: Neighbours().query([[0.0]])):
        with pytest.raises(NotFittedError):
            ask()


def test_without_faiss(many, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)  # makes the import fail, as if it were not installed
    with pytest.raises(ImportError, match=r"pip install 'tercet\[neighbours\]'"):
        Neighbours(method="approximate").fit([[0.0], [1.0]])
    assert Neighbours().fit(many).method_ == "exact"


def test_auto_leaves_faiss_alone_on_macos(many, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert Neighbours().fit(many).method_ == "exact"


@pytest.fixture(scope="module")
def dask_array():
    return pytest.importorskip("dask.array", reason="needs the extra 'cluster'")


def test_a_dask_cluster_finds_what_numpy_finds(dask_array, cluster, rng):
    X = rng.normal(size=(300, 9))
    X[250] = X[3]  # a duplicate in another chunk
    metric = SchultzJoachims(preprocessor=X).fit([[0, 1, 2], [3, 4, 5]])
    here = Neighbours(metric, n_neighbours=4, method="exact").fit(X)
    there = Neighbours(metric, n_neighbours=4).fit(dask_array.from_array(X, chunks=(70, 4)))
    new = rng.normal(size=(7, 9))
    for expected, found in (
        (here.of_items(), there.of_items()),
        (here.query(new), there.query(new)),
        (here.query(new), there.query(dask_array.from_array(new, chunks=(3, 9)))),
        (here.query(new), here.query(dask_array.from_array(new, chunks=(3, 9)))),
    ):
        assert all(isinstance(array, dask_array.Array) for array in found)
        np.testing.assert_allclose(found[0].compute(), expected[0], rtol=1e-12)
        np.testing.assert_array_equal(found[1].compute(), expected[1])
    distances, indices = there.of_items([250, 3, 17], k=2)
    np.testing.assert_allclose(distances, here.of_items([250, 3, 17], k=2)[0], rtol=1e-12)
    np.testing.assert_array_equal(indices, here.of_items([250, 3, 17], k=2)[1])


def test_chunks_with_fewer_items_than_neighbours(dask_array, rng):
    X = rng.normal(size=(10, 2))
    distances, _ = Neighbours(n_neighbours=6).fit(dask_array.from_array(X, chunks=(3, 2))).of_items()
    np.testing.assert_allclose(distances.compute(), Neighbours(n_neighbours=6).fit(X).of_items()[0])


def test_queries_of_other_features_are_named_for_dask_too(dask_array):
    there = Neighbours().fit(dask_array.zeros((10, 3)))
    with pytest.raises(ValueError, match=r"X has shape \(2, 4\), but the items have 3 features"):
        there.query(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="k is 10, but there are only 9 items to find"):
        there.of_items(k=10)


def test_threads_that_share_one_worker_do_not_disturb_each_other(dask_array, rng):
    X = rng.normal(size=(400, 5))
    _, indices = Neighbours(n_neighbours=5).fit(dask_array.from_array(X, chunks=(25, 5))).of_items()
    expected = Neighbours(n_neighbours=5, method="exact").fit(X).of_items()
    np.testing.assert_array_equal(indices.compute(scheduler="threads", num_workers=8), expected[1])


def test_empty_chunks_and_plain_lists(dask_array, rng):
    X = rng.normal(size=(40, 3))
    X[10:20, 0] = -9.0
    everything = dask_array.from_array(X, chunks=(10, 3))
    some = everything[everything[:, 0] > -8].compute_chunk_sizes()
    assert 0 in some.chunks[0]
    here = Neighbours(n_neighbours=2, method="exact").fit(X[X[:, 0] > -8])
    there = Neighbours(n_neighbours=2).fit(some)
    np.testing.assert_array_equal(there.of_items()[1].compute(), here.of_items()[1])
    np.testing.assert_array_equal(here.query(some)[1].compute(), here.query(X[X[:, 0] > -8])[1])
    np.testing.assert_array_equal(
        there.query([[0.0, 0.0, 0.0]])[1].compute(), here.query([[0.0, 0.0, 0.0]])[1]
    )
    assert there.of_items([])[1].shape == here.of_items([])[1].shape == (0, 2)


@needs_faiss
def test_dask_arrays_are_searched_exactly(dask_array):
    with pytest.raises(ValueError, match="a Dask array is searched exactly; use method='auto'"):
        Neighbours(method="approximate").fit(dask_array.zeros((10, 3)))
