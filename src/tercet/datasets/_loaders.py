"""Load one of the eight datasets from the first place that has it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from tercet.datasets import _online
from tercet.datasets._registry import DATASETS, Dataset, find
from tercet.datasets._tables import Loaded, read_csv

Folder = str | PathLike[str]


class DatasetNotFoundError(LookupError):
    """A dataset is in none of the places that were looked at; the message says how to get it."""


class ChecksumError(ValueError):
    """A file in the data folder is not the file it should be."""


@dataclass(frozen=True)
class Availability:
    """Whether a dataset can be loaded here without a network.

    Parameters
    ----------
    dataset : Dataset
        The dataset in question.
    source : str or None
        Where it would come from, or None if it cannot be loaded.
    problem : str
        Why it cannot be loaded; empty if it can.
    """

    dataset: Dataset
    source: str | None
    problem: str = ""


def load(name: str, data_dir: Folder | None = None, *, download: bool = True) -> Loaded:
    """Load one of the paper's datasets.

    It is looked for in the data folder, in what scikit-learn carries (Wine), in what was downloaded before,
    and then at OpenML, or at UCI for what OpenML does not have. A download has the same number of features
    and the same items in each class as the file, but perhaps in another order.

    Parameters
    ----------
    name : str
        One of `DATASETS`, in any spelling that `find` understands.
    data_dir : path, optional
        The data folder; without it, the one that the environment variable ``TERCET_DATA`` names. Files in it
        must have their known checksums.
    download : bool, default=True
        Whether to go online if no place here has it. Downloads are kept in the folder that ``TERCET_CACHE``
        names, or else in the user's cache folder.

    Returns
    -------
    Loaded
        Features ``X``, labels ``y``, ``name`` and ``source``.

    Raises
    ------
    DatasetNotFoundError
        If no place has it.
    ChecksumError
        If the file in the data folder is not the one that is expected.
    ValueError
        If there is no dataset of this name, or a registry has something else under its number.

    Examples
    --------
    >>> wine = load("Wine")
    >>> wine.X.shape, sorted(set(wine.y.tolist()))
    ((178, 13), ['1', '2', '3'])
    """
    dataset = find(name)
    folder = _data_folder(data_dir)
    here = _load_here(dataset, folder)
    if here is not None:
        return here
    if not download or not dataset.registry:
        raise DatasetNotFoundError(_how_to_get(dataset, folder))
    try:
        X, y = _online.fetch(dataset)
    except Exception as error:  # whatever goes wrong in there, the way out is the same
        reason = f" ({dataset.registry} did not work: {error})"
        raise DatasetNotFoundError(_how_to_get(dataset, folder, reason)) from error
    loaded = _online.conform(dataset, X, y, dataset.registry)
    _online.keep(dataset, loaded)
    return loaded


def available(data_dir: Folder | None = None) -> list[Availability]:
    """Try to load each of the eight datasets without a network, and say how it went.

    >>> [wine] = [found for found in available() if found.dataset.name == "Wine"]
    >>> wine.source is not None
    True
    """
    folder = _data_folder(data_dir)
    found = []
    for dataset in DATASETS:
        try:
            loaded = _load_here(dataset, folder)
        except (OSError, ValueError) as error:
            found.append(Availability(dataset, None, str(error)))
        else:
            if loaded is None:
                found.append(Availability(dataset, None, _how_to_get(dataset, folder)))
            else:
                found.append(Availability(dataset, loaded.source))
    return found


def describe(data_dir: Folder | None = None) -> str:
    """Return a table of the eight datasets and where each can be loaded from here, with notes below it.

    >>> print(describe())
    Name          Items  Features  Classes  Loads here from
    Breast          106         9        4  ...
    """
    lines = [f"{'Name':<12}  {'Items':>5}  {'Features':>8}  {'Classes':>7}  Loads here from"]
    notes: list[str] = []
    problems: list[str] = []
    for found in available(data_dir):
        dataset = found.dataset
        lines.append(
            f"{dataset.name:<12}  {dataset.n_items:>5}  {dataset.n_features:>8}  {dataset.n_classes:>7}  "
            f"{found.source or 'nowhere, see below'}"
        )
        notes += [f"{dataset.name}: {dataset.paper_note}"] if dataset.paper_note else []
        problems += [found.problem] if found.problem else []
    return "\n".join([*lines, "", *notes, *([""] if problems else []), *problems])


def _load_here(dataset: Dataset, folder: Path | None) -> Loaded | None:
    """Load from the first place that needs no network, or return None if none has it."""
    if folder is not None and (folder / dataset.file).is_file():
        return _from_file(dataset, folder / dataset.file)
    if dataset.name == "Wine":
        return _from_sklearn(dataset)
    return _online.kept(dataset) if dataset.registry else None


def _from_file(dataset: Dataset, path: Path) -> Loaded:
    with path.open("rb") as stream:
        checksum = hashlib.file_digest(stream, "sha256").hexdigest()
    if checksum != dataset.sha256:
        raise ChecksumError(
            f"{path} is not the {dataset.name} that is expected: its sha256 is {checksum}, not "
            f"{dataset.sha256}; get the file again or remove it, or load it as a table of your own with "
            "load_table"
        )
    return Loaded(*read_csv(path, "class", dataset.other_labels), dataset.name, str(path))


def _from_sklearn(dataset: Dataset) -> Loaded:
    from sklearn.datasets import load_wine

    X, y = load_wine(return_X_y=True)
    return Loaded(X, (y + 1).astype(np.str_), dataset.name, "scikit-learn")  # UCI counts from 1


def _data_folder(data_dir: Folder | None) -> Path | None:
    named = os.environ.get("TERCET_DATA") if data_dir is None else data_dir
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        origin = "TERCET_DATA" if data_dir is None else "the data folder"
        raise NotADirectoryError(
            f"{origin} is {str(folder)!r}, which is no folder; create it or name another"
        )
    return folder


def _how_to_get(dataset: Dataset, folder: Path | None, reason: str = "") -> str:
    put = (
        f"put {dataset.file} into a folder and name it with --data-dir (data_dir=) or TERCET_DATA"
        if folder is None
        else f"put {dataset.file} into {folder}"
    )
    if not dataset.registry:
        return f"{dataset.name} is not here, and no public registry has it: {put}; {dataset.origin}"
    needs = "" if dataset.openml is not None else " (with pip install ucimlrepo)"
    return f"{dataset.name} is not here{reason}: {put}, or go online to get it from {dataset.registry}{needs}"
