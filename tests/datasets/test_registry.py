import hashlib
from dataclasses import FrozenInstanceError

import pytest

from tercet.datasets import DATASETS, find

# Name, features, items and classes as the paper's table has them.
PAPER = [
    ("Breast", 9, 106, 4),
    ("Parkinson", 22, 195, 2),
    ("Segment", 19, 2310, 7),
    ("Soybean", 35, 47, 4),
    ("Wave", 40, 5000, 2),
    ("Wine", 13, 178, 3),
    ("Yeast", 8, 1484, 9),
    ("HJA Birdsong", 38, 4998, 13),
]


def test_the_order_is_the_papers():
    assert [dataset.name for dataset in DATASETS] == [name for name, *_ in PAPER]


@pytest.mark.parametrize(("name", "n_features", "n_items", "n_classes"), PAPER)
def test_facts_are_the_papers_or_the_difference_is_noted(name, n_features, n_items, n_classes):
    dataset = find(name)
    assert (dataset.n_features, dataset.n_items) == (n_features, n_items)
    if dataset.n_classes != n_classes:
        assert f"the paper's table says {n_classes} classes" in dataset.paper_note
        assert f"the public data has {dataset.n_classes}" in dataset.paper_note
    assert dataset.citation
    assert dataset.licence
    assert dataset.registry or dataset.origin


def test_breast_is_merged():
    breast = find("breast")
    assert dict(breast.classes)["fad+mas+gla"] == sum(count for _, count in breast.merged)
    assert "fad, mas and gla are merged" in breast.paper_note


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.key)
def test_checksums(dataset, shared_data):
    assert hashlib.sha256((shared_data / dataset.file).read_bytes()).hexdigest() == dataset.sha256


@pytest.mark.parametrize(
    "spelling", ["HJA Birdsong", "hja-birdsong", "HJA_BIRDSONG", " hja  birdsong ", "hjabirdsong"]
)
def test_forgiving_names(spelling):
    assert find(spelling).key == "hja-birdsong"


def test_every_key_finds_its_dataset():
    assert [find(dataset.key) for dataset in DATASETS] == list(DATASETS)
    assert len({dataset.key for dataset in DATASETS}) == 8


@pytest.mark.parametrize(
    ("wrong", "nearest"), [("Whine", "Wine"), ("waveform", "Wave"), ("parkinsons", "Parkinson")]
)
def test_unknown_name_gets_the_nearest_and_the_list(wrong, nearest):
    with pytest.raises(ValueError, match=f"unknown dataset '{wrong}'; did you mean '{nearest}'") as caught:
        find(wrong)
    assert all(dataset.name in str(caught.value) for dataset in DATASETS)


@pytest.mark.parametrize("wrong", ["xyzzy", "", None, 3])
def test_nothing_is_near(wrong):
    with pytest.raises(ValueError, match="unknown dataset") as caught:
        find(wrong)
    assert "did you mean" not in str(caught.value)


def test_frozen():
    with pytest.raises(FrozenInstanceError):
        find("wine").name = "Beer"
