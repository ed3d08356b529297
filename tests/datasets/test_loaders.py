import csv
import hashlib
import inspect
import shutil
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from tercet.datasets import (
    DATASETS,
    ChecksumError,
    DatasetNotFoundError,
    _online,
    available,
    describe,
    find,
    load,
)

ONLINE = [dataset for dataset in DATASETS if dataset.registry and dataset.name != "Wine"]


@pytest.fixture(autouse=True)
def nothing_of_this_machine(monkeypatch, tmp_path):
    """No data folder, an empty cache, and no way out to the network."""
    monkeypatch.delenv("TERCET_DATA", raising=False)
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit-learn"))
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens on the discard port
    monkeypatch.setenv("no_proxy", "")


@pytest.fixture
def fetched(monkeypatch):
    """Stand in for OpenML and UCI: put features and labels under a number, and see what is asked for."""
    shelf = SimpleNamespace(data={}, asked=[])

    def fetch(number):
        shelf.asked.append(number)
        return shelf.data[number]

    monkeypatch.setattr(_online, "fetch_openml", fetch)
    monkeypatch.setattr(_online, "fetch_uci", fetch)
    return shelf


def made_up(dataset, rename=lambda label: label):
    """Features and public labels of the right shape; the values do not matter."""
    merged = "+".join(label for label, _ in dataset.merged)
    sizes = [(label, count) for label, count in (*dataset.classes, *dataset.merged) if label != merged]
    labels = np.array([rename(label) for label, count in sizes for _ in range(count)], dtype=object)
    X = np.random.default_rng(0).normal(size=(dataset.n_items, dataset.n_features))
    return X, labels


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.key)
def test_files(dataset, shared_data):
    loaded = load(dataset.name, shared_data)
    assert loaded.name == dataset.name
    assert loaded.source == str(shared_data / dataset.file)
    with open(shared_data / dataset.file, newline="") as stream:
        rows = list(csv.DictReader(stream))
    labels = {"class", "class_original"}
    features = [name for name in rows[0] if name not in labels]
    assert loaded.X.shape == (dataset.n_items, dataset.n_features) == (len(rows), len(features))
    np.testing.assert_array_equal(loaded.X, [[float(row[name]) for name in features] for row in rows])
    assert loaded.y.tolist() == [row["class"] for row in rows]
    assert dict(zip(*np.unique(loaded.y, return_counts=True), strict=True)) == dict(dataset.classes)


def test_the_environment_names_the_folder_and_the_argument_wins(shared_data, monkeypatch, tmp_path):
    monkeypatch.setenv("TERCET_DATA", str(shared_data))
    assert load("Soybean").source == str(shared_data / "soybean_small.csv")
    with pytest.raises(DatasetNotFoundError, match="Soybean is not here"):
        load("Soybean", tmp_path, download=False)


def test_wine_of_scikit_learn_equals_the_file(shared_data, tmp_path):
    ours, file = load("wine", tmp_path), load("wine", shared_data)
    assert ours.source == "scikit-learn"
    np.testing.assert_array_equal(ours.X, file.X)
    np.testing.assert_array_equal(ours.y, file.y)


def test_no_such_folder(monkeypatch, tmp_path):
    with pytest.raises(NotADirectoryError, match=r"the data folder is .*nowhere', which is no folder"):
        load("Wine", tmp_path / "nowhere")
    monkeypatch.setenv("TERCET_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match=r"TERCET_DATA is .*nowhere'"):
        load("Wine")
    with pytest.raises(NotADirectoryError, match=r"TERCET_DATA is .*nowhere'"):
        available()


def test_a_changed_file_is_refused(tmp_path):
    path = tmp_path / "wine.csv"
    path.write_text("alcohol,class\n1,2\n")
    with pytest.raises(ChecksumError) as caught:
        load("Wine", tmp_path)
    message = str(caught.value)
    assert str(path) in message
    assert find("Wine").sha256 in message
    assert hashlib.sha256(path.read_bytes()).hexdigest() in message
    assert "load_table" in message


def test_unknown_name():
    with pytest.raises(ValueError, match="did you mean 'Yeast'"):
        load("yeats")


@pytest.mark.parametrize("dataset", ONLINE, ids=lambda dataset: dataset.key)
def test_missing_without_download_says_how_to_get_it(dataset, fetched):
    with pytest.raises(DatasetNotFoundError) as caught:
        load(dataset.name, download=False)
    message = str(caught.value)
    assert (
        f"put {dataset.file} into a folder and name it with --data-dir (data_dir=) or TERCET_DATA" in message
    )
    assert dataset.registry in message
    assert not fetched.asked


def test_birdsong_says_where_it_is_from(tmp_path):
    with pytest.raises(
        DatasetNotFoundError, match=r"no public registry has it: .*hja_birdsong.csv .*KDD 2012"
    ):
        load("HJA Birdsong")
    with pytest.raises(DatasetNotFoundError, match=f"put hja_birdsong.csv into {tmp_path}"):
        load("HJA Birdsong", tmp_path)


def test_offline():
    # The real fetch_openml, which finds no network.
    with pytest.raises(DatasetNotFoundError, match=r"OpenML 181 did not work: .*put yeast.csv into a folder"):
        load("Yeast")


def test_uci_without_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ucimlrepo", None)
    with pytest.raises(DatasetNotFoundError, match=r"UCI 91 did not work: .*pip install ucimlrepo"):
        load("Soybean")


@pytest.mark.parametrize("dataset", ONLINE, ids=lambda dataset: dataset.key)
def test_a_download_is_checked_and_kept(dataset, fetched):
    number = dataset.openml or dataset.uci
    X, labels = made_up(dataset, str.lower)
    fetched.data[number] = X, labels
    first = load(dataset.name)
    assert (first.name, first.source) == (dataset.name, dataset.registry)
    np.testing.assert_array_equal(first.X, X)
    assert dict(zip(*np.unique(first.y, return_counts=True), strict=True)) == dict(dataset.classes)
    merged = [label for label, _ in dataset.merged]
    expected = ["+".join(merged) if label in merged else label for label in made_up(dataset)[1]]
    assert first.y.tolist() == expected
    second = load(dataset.name, download=False)
    assert fetched.asked == [number]
    assert second.source == f"{dataset.registry}, kept in {_online.kept_file(dataset)}"
    np.testing.assert_array_equal(second.X, first.X)
    np.testing.assert_array_equal(second.y, first.y)
    assert [path.suffix for path in _online.kept_file(dataset).parent.iterdir()] == [".npz"]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("Breast", {"car": "1", "fad": "2", "mas": "3", "gla": "4", "con": "5", "adi": "6"}),
        ("Parkinson", {"0": 1.0, "1": 2.0}),  # the label 1 means healthy there, and ill in the file
        ("Wave", {"0": 1, "1": 2, "2": 3}),
    ],
)
def test_renumbered_classes_are_known_by_their_sizes(name, numbers, fetched):
    dataset = find(name)
    plain = made_up(dataset)
    fetched.data[dataset.openml] = made_up(dataset, numbers.get)
    renumbered = load(name).y
    _online.kept_file(dataset).unlink()
    fetched.data[dataset.openml] = plain
    np.testing.assert_array_equal(renumbered, load(name).y)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X, y: (X[:, 1:], y), "it has 1484 items, 7 features and 10 classes"),
        (lambda X, y: (X[1:], y[1:]), "it has 1483 items, 8 features"),
        (lambda X, y: (X, np.where(y == "ERL", "CYT", y)), r"8 features and 9 classes \(CYT 468"),
        (lambda X, y: (X, np.where(np.arange(len(y)) == 0, "NUC", y)), r"10 classes \(CYT 462, .*NUC 430"),
        (
            lambda X, y: (X, np.arange(len(y))),
            r"1484 classes .*, \.\.\.\), where 1484 items, 8 features and 10",
        ),
        (lambda X, y: (X, None), r"the labels of Yeast from OpenML 181 have shape \(\)"),
        (
            lambda X, y: (np.where(X[5, 2] == X, np.nan, X), y),
            r"Yeast from OpenML 181 holds .* row 5, column 2",
        ),
    ],
)
def test_a_download_that_is_something_else_is_refused(spoil, message, fetched):
    dataset = find("Yeast")
    X, y = made_up(dataset)
    fetched.data[181] = spoil(X, y.astype(str))
    with pytest.raises(ValueError, match=message):
        load("Yeast")
    assert not _online.kept_file(dataset).exists()


def test_equal_sizes_cannot_be_told_apart(fetched):
    dataset = find("Segment")
    names = {label: str(number) for number, (label, _) in enumerate(dataset.classes)}
    fetched.data[36] = made_up(dataset, names.get)
    with pytest.raises(
        ValueError, match=r"OpenML 36 is not the Segment of the paper: .*use image_segmentation.csv"
    ):
        load("Segment")


def test_a_damaged_copy_is_refused(fetched):
    path = _online.kept_file(find("Soybean"))
    path.parent.mkdir()
    path.write_bytes(b"half a fi")
    with pytest.raises(
        ValueError, match=r"is no NPZ file.*; delete .*uci-91-soybean.npz to download it again"
    ):
        load("Soybean")
    assert "delete" in next(found.problem for found in available() if found.dataset.name == "Soybean")


def test_a_cache_that_cannot_be_written_is_no_reason_to_stop(fetched, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    fetched.data[91] = made_up(find("Soybean"))
    with pytest.warns(UserWarning, match=r"Soybean was downloaded but could not be kept: .*TERCET_CACHE"):
        assert load("Soybean").X.shape == (47, 35)


def test_a_copy_that_fails_half_way_leaves_nothing_behind(fetched, monkeypatch):
    def full(stream, **arrays):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    fetched.data[91] = made_up(find("Soybean"))
    with pytest.warns(UserWarning, match="No space left on device"):
        load("Soybean")
    assert list(_online.kept_file(find("Soybean")).parent.iterdir()) == []


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "LOCALAPPDATA"])
def test_the_users_cache_folder(variable, monkeypatch, tmp_path):
    for name in ("TERCET_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert _online.kept_file(find("Wave")).parts[-3:] == (".cache", "tercet", "openml-60-wave.npz")
    monkeypatch.setenv(variable, str(tmp_path))
    assert _online.kept_file(find("Wave")) == tmp_path / "tercet" / "openml-60-wave.npz"


def test_openml_is_asked_for_plain_arrays(monkeypatch):
    import sklearn.datasets

    signature = inspect.signature(sklearn.datasets.fetch_openml)

    def fake(*args, **options):
        asked = signature.bind(*args, **options).arguments
        assert asked["data_id"] == 1465
        assert (asked["return_X_y"], asked["as_frame"], asked["parser"]) == (True, False, "liac-arff")
        return made_up(find("Breast"))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fake)
    assert load("Breast").X.shape == (106, 9)


def test_uci_frames_become_arrays(monkeypatch):
    X, y = made_up(find("Soybean"))
    frames = SimpleNamespace(
        features=SimpleNamespace(to_numpy=lambda: X.astype(object)),
        targets=SimpleNamespace(to_numpy=lambda: y[:, np.newaxis]),
    )
    package = ModuleType("ucimlrepo")
    package.fetch_ucirepo = lambda id: {91: SimpleNamespace(data=frames)}[id]
    monkeypatch.setitem(sys.modules, "ucimlrepo", package)
    loaded = load("Soybean")
    np.testing.assert_array_equal(loaded.X, X)
    assert loaded.y.tolist() == y.tolist()


def test_available_with_everything(shared_data):
    found = available(shared_data)
    assert [place.dataset for place in found] == list(DATASETS)
    assert all(place.source == str(shared_data / place.dataset.file) for place in found)
    assert not any(place.problem for place in found)


def test_available_tells_what_is_wrong(shared_data, tmp_path, fetched):
    shutil.copy(shared_data / "yeast.csv", tmp_path)
    (tmp_path / "parkinsons.csv").write_text("spoiled")
    sources = {place.dataset.name: place.source for place in available(tmp_path)}
    assert sources.pop("Wine") == "scikit-learn"
    assert sources.pop("Yeast") == str(tmp_path / "yeast.csv")
    assert set(sources.values()) == {None}
    problems = {place.dataset.name: place.problem for place in available(tmp_path)}
    assert "sha256" in problems["Parkinson"]
    assert "put hja_birdsong.csv into" in problems["HJA Birdsong"]
    assert not fetched.asked


def test_describe(shared_data, tmp_path):
    full = describe(shared_data)
    lines = full.splitlines()
    assert lines[0].split() == ["Name", "Items", "Features", "Classes", "Loads", "here", "from"]
    for dataset, line in zip(DATASETS, lines[1:9], strict=True):
        numbers = [str(dataset.n_items), str(dataset.n_features), str(dataset.n_classes)]
        assert line.startswith(dataset.name)
        assert line.removeprefix(dataset.name).split()[:3] == numbers
        assert line.endswith(dataset.file)
    assert "Wave: the paper's table says 2 classes" in "\n".join(lines[9:])
    assert "nowhere" not in full
    bare = describe(tmp_path)
    assert bare.count("nowhere, see below") == 7
    assert bare.count(" is not here") == 7
