"""The features of the items, wherever they are: in memory, in a memory-mapped file, or on a Dask cluster.

Only this module knows which. The rest asks for some rows, which then are in memory, or has a function applied
to all rows, a chunk at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tercet._dask import is_dask, map_rows, whole_rows
from tercet._validation import Floats, Ints, check_features

#: How the names of numeric types begin in Arrow.
_NUMBERS = ("int", "uint", "halffloat", "float", "double", "bool", "decimal", "null")
#: Rows worked on at a time, so that memory stays flat.
CHUNK = 65_536


class Features(Protocol):
    """A table of numbers, one row an item."""

    table: Any
    shape: tuple[int, int]
    #: Whether any row can be had at any time, or only those that were fetched at the start.
    random_access: bool

    def rows(self, items: Ints) -> Floats:
        """Return the rows of these items, in memory."""

    def apply(self, function: Callable[[Floats, int], Floats], n_columns: int) -> Any:
        """Return ``function(rows, number of the first row)`` for all rows."""


def open_features(X: ArrayLike | PathLike[str] | str) -> Features:
    """Return a table of features by what it is: an array, a memory map, a Dask array or a file's name."""
    if isinstance(X, (str, PathLike)):
        X = _open_file(Path(X))
    return DaskFeatures(X) if is_dask(X) else ArrayFeatures(X)


class ArrayFeatures:
    """An array. One in memory is copied, so that nobody can change it; a memory map stays where it is."""

    random_access = True

    def __init__(self, X: Any) -> None:
        if isinstance(X, np.memmap) and X.ndim == 2 and X.dtype.kind in "fiu" and len(X) > CHUNK:
            for start in range(0, len(X), CHUNK):
                check_features(X[start : start + CHUNK], first_row=start)
            self.table: Any = X
        else:
            self.table = check_features(X).copy()
            self.table.flags.writeable = False
        self.shape: tuple[int, int] = self.table.shape

    def rows(self, items: Ints) -> Floats:
        """Return the rows of these items."""
        return np.asarray(self.table[items], dtype=np.float64)

    def apply(self, function: Callable[[Floats, int], Floats], n_columns: int) -> Floats:
        """Return ``function(rows, number of the first row)`` for all rows."""
        result = np.empty((len(self.table), n_columns))
        for start in range(0, len(self.table), CHUNK):
            rows = np.asarray(self.table[start : start + CHUNK], dtype=np.float64)
            result[start : start + CHUNK] = function(rows, start)
        return result


class DaskFeatures:
    """A Dask array. Rows that were fetched once are kept, since fetching reads whole chunks."""

    random_access = False

    def __init__(self, X: Any) -> None:
        self.table = whole_rows(X)
        self.shape: tuple[int, int] = self.table.shape
        if self.shape[0] < 3:
            raise ValueError(f"X has {self.shape[0]} items; a question needs at least 3")
        self._known = np.empty(0, dtype=np.int64)
        self._fetched = np.empty((0, self.shape[1]))

    def rows(self, items: Ints) -> Floats:
        """Return the rows of these items; those not seen before are computed on the cluster."""
        missing = np.setdiff1d(items, self._known)
        if len(missing):
            fetched = np.asarray(self.table[missing].compute(), dtype=np.float64)
            _check_finite(fetched, missing)
            known = np.concatenate([self._known, missing])
            order = np.argsort(known)
            self._known = known[order]
            self._fetched = np.concatenate([self._fetched, fetched])[order]
        return np.asarray(self._fetched[np.searchsorted(self._known, items)])

    def apply(self, function: Callable[[Floats, int], Floats], n_columns: int) -> Any:
        """Return ``function(rows, number of the first row)`` for all rows, as a Dask array."""
        return map_rows(function, self.table, n_columns)


class Lookup:
    """Finds points by item number, for metric learners: a callable preprocessor with a ``reference``.

    ``reference`` is a sample of all points, from which spreads and principal axes are estimated.
    """

    def __init__(self, features: Features, reference: Floats) -> None:
        self._features = features
        self.reference = reference
        self.reference.flags.writeable = False  # metrics hold it, and what is learned may not change

    def __call__(self, items: ArrayLike) -> Floats:
        """Return the points of these items."""
        wanted = np.asarray(items)
        n_items = self._features.shape[0]
        outside = (wanted < 0) | (wanted >= n_items)
        if outside.any():
            raise ValueError(f"index {wanted[outside][0]} is not one of the {n_items} items")
        return self._features.rows(wanted)


def _check_finite(rows: Floats, items: Ints) -> None:
    bad = ~np.isfinite(rows).all(axis=1)
    if bad.any():
        raise ValueError(
            f"X holds a value that is NaN or infinite in row {items[bad][0]}; drop such items or fill them in"
        )


def _open_file(path: Path) -> Any:
    """Memory-map an NPY file, or a Parquet file by way of an NPY file beside it."""
    if path.suffix == ".parquet":
        path = _npy_of_parquet(path)
    if path.suffix != ".npy":
        raise ValueError(f"{path.name} is neither .npy nor .parquet; load it and give the array")
    return np.load(path, mmap_mode="r")


def _npy_of_parquet(path: Path) -> Path:
    """Return an NPY file with the columns of a Parquet file, which cannot be read row by row itself.

    It is written next to it, a batch at a time, bears its time, and is used again while both are the same.
    """
    if path.is_dir():
        raise ValueError(f"{path.name} is a folder of files; read it by Dask and give the Dask array")
    copy = path.with_suffix(".features.npy")
    written = path.stat().st_mtime_ns
    if copy.exists() and copy.stat().st_mtime_ns == written:
        return copy
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install 'tercet[experiments]'") from error
    file = parquet.ParquetFile(path)
    # What pandas adds to keep its row labels is no feature.
    fields = [field for field in file.schema_arrow if not field.name.startswith("__index_level_")]
    words = [field.name for field in fields if not str(field.type).startswith(_NUMBERS)]
    if words:
        raise ValueError(
            f"{path.name} has columns that are no numbers ({', '.join(words)}); keep only the features in it"
        )
    names = [field.name for field in fields]
    part = copy.with_suffix(f".{os.getpid()}.part")
    try:
        table = np.lib.format.open_memmap(
            part, mode="w+", dtype=np.float64, shape=(file.metadata.num_rows, len(names))
        )
        start = 0
        for batch in file.iter_batches(batch_size=CHUNK, columns=names):
            for number, name in enumerate(names):
                column = batch.column(name).to_numpy(zero_copy_only=False)
                table[start : start + len(batch), number] = column.astype(np.float64)
            start += len(batch)
        table.flush()
        del table
        os.utime(part, ns=(written, written))
        part.replace(copy)
    except OSError as error:
        raise OSError(
            f"cannot write {copy.name} beside {path.name}, as reading single rows needs ({error}); move the "
            "file to a folder that can be written to, or save the features as .npy"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return copy
