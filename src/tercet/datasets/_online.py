"""Downloads from OpenML and UCI, brought to the form of the files, checked and kept."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tercet._files import cache_folder, write_whole
from tercet._validation import Floats, check_features
from tercet.datasets._registry import Dataset
from tercet.datasets._tables import Labels, Loaded, as_labels, read_npz


def fetch(dataset: Dataset) -> tuple[Any, Any]:
    """Return features and labels as the dataset's registry has them."""
    if dataset.openml is not None:
        return fetch_openml(dataset.openml)
    assert dataset.uci is not None  # nothing else is ever fetched
    return fetch_uci(dataset.uci)


def kept(dataset: Dataset) -> Loaded | None:
    """Return the copy that an earlier download left, if there is one."""
    path = kept_file(dataset)
    if not path.is_file():
        return None
    try:
        return conform(dataset, *read_npz(path), f"{dataset.registry}, kept in {path}")
    except ValueError as error:
        raise ValueError(f"{error}; delete {path} to download it again") from error


def keep(dataset: Dataset, loaded: Loaded) -> None:
    """Write a copy in one step, so that a reader at the same time or after a crash sees all or nothing."""
    path = kept_file(dataset)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = io.BytesIO()
        np.savez_compressed(stream, X=loaded.X, y=loaded.y)
        write_whole(path, stream.getvalue())
    except OSError as error:
        # The data is here; that it must be downloaded again is no reason to stop.
        warnings.warn(
            f"{loaded.name} was downloaded but could not be kept: {error}; name a folder that can be written "
            "to with TERCET_CACHE",
            stacklevel=3,
        )


def kept_file(dataset: Dataset) -> Path:
    """Return where downloads are kept: in ``TERCET_CACHE``, or else in the user's cache folder."""
    return cache_folder() / f"{dataset.registry.lower().replace(' ', '-')}-{dataset.key}.npz"


def fetch_openml(number: int) -> tuple[Any, Any]:
    """Return features and labels as OpenML has them."""
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        # When OpenML cannot be reached the caller says so, and says what to do.
        warnings.filterwarnings("ignore", message="A network error occurred")
        # This parser and plain arrays, since the others need pandas.
        return fetch_openml(  # type: ignore[no-any-return]
            data_id=number, return_X_y=True, as_frame=False, parser="liac-arff"
        )


def fetch_uci(number: int) -> tuple[Any, Any]:
    """Return features and labels as UCI has them."""
    try:
        ucimlrepo = import_module("ucimlrepo")
    except ImportError as error:
        raise ImportError(f"UCI's own package is needed ({error}): pip install ucimlrepo") from error
    data = ucimlrepo.fetch_ucirepo(id=number).data
    return data.features.to_numpy(), data.targets.to_numpy().ravel()


def conform(dataset: Dataset, X: Any, y: Any, source: str) -> Loaded:
    """Give the labels the names they have in the file, and refuse data that is not this dataset."""
    features = check_features(X, name=f"{dataset.name} from {source}")
    labels = _rename(dataset, as_labels(y, len(features), f"{dataset.name} from {source}"))
    counts = Counter(labels.tolist())
    if features.shape[1] != dataset.n_features or counts != dict(dataset.classes):
        raise ValueError(
            f"{source} is not the {dataset.name} of the paper: it has {_facts(features, counts)}, where "
            f"{dataset.n_items} items, {dataset.n_features} features and {dataset.n_classes} classes "
            f"({_listing(dict(dataset.classes))}) are expected; use {dataset.file} in a data folder instead"
        )
    return Loaded(features, labels, dataset.name, source)


def _rename(dataset: Dataset, labels: Labels) -> Labels:
    """Return the labels in the file's spelling, public classes that the paper merges as one."""
    sizes = Counter(labels.tolist())
    whole = "+".join(label for label, _ in dataset.merged)
    public = [(label, count, label) for label, count in dataset.classes if label != whole]
    public += [(label, count, whole) for label, count in dataset.merged]
    names = {label.casefold(): ours for label, _, ours in public} | {whole.casefold(): whole}
    if all(label.casefold() in names for label in sizes):
        to_ours = {label: names[label.casefold()] for label in sizes}
    else:
        # OpenML numbers the classes of some sets afresh. Where no two classes have the same size, the size
        # tells which is which.
        by_size = {count: ours for _, count, ours in public}
        if len(by_size) < len(public) or set(by_size) != set(sizes.values()):
            return labels
        to_ours = {label: by_size[count] for label, count in sizes.items()}
    return np.array([to_ours[label] for label in labels.tolist()], dtype=np.str_)


def _facts(features: Floats, counts: Counter[str]) -> str:
    return (
        f"{len(features)} items, {features.shape[1]} features and {len(counts)} classes ({_listing(counts)})"
    )


def _listing(counts: dict[str, int]) -> str:
    shown = [f"{label} {count}" for label, count in sorted(counts.items())]
    return ", ".join(shown[:15]) + (", ..." if len(shown) > 15 else "")
