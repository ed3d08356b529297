"""Tables of ids and named features, for however many items."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path

import numpy as np

from tercet._files import write_whole
from tercet._validation import Floats
from tercet.datasets._tables import (
    as_numbers,
    check_names,
    listed,
    read_arrays,
    read_chunks,
    refuse_missing,
    refuse_text,
)

_CHUNK = 10_000


class LackingFeaturesError(ValueError):
    """The table does not have the features that are needed."""


def read_named_columns(path: str | PathLike[str], names: Sequence[str]) -> tuple[list[str], Floats]:
    """Return the ids in a table and its features of these names, in this order.

    Parameters
    ----------
    path : path
        A ``.csv`` or ``.parquet`` file with a column ``id`` and one for each name; other columns may hold
        anything. Or an ``.npz`` file with the arrays id and X, and perhaps feature_names; without them the
        columns of X are taken to be in this order.
    names : sequence of str

    Returns
    -------
    ids : list of str
    X : array of shape (n, len(names))
    """
    path = Path(path)
    return _from_arrays(path, names) if path.suffix.lower() == ".npz" else _from_columns(path, names)


def write_table(path: str | PathLike[str], ids: Sequence[str], X: Floats, names: Sequence[str]) -> None:
    """Write ids and features as CSV, Parquet or NPZ, by the path's ending, whole or not at all."""
    path = Path(path)
    kind = path.suffix.lower()
    stream = io.BytesIO()
    if kind == ".csv":
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["id", *names])
        writer.writerows([name, *row] for name, row in zip(ids, X.tolist(), strict=True))
        text.flush()
    elif kind == ".parquet":
        try:
            pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError as error:
            raise ImportError(
                f"writing Parquet needs pyarrow ({error}): pip install 'tercet[experiments]', or write CSV"
            ) from error
        columns = {"id": list(ids), **dict(zip(names, X.T, strict=True))}
        parquet.write_table(pyarrow.table(columns), stream)
    elif kind == ".npz":
        np.savez(stream, id=np.array(ids, dtype=np.str_), X=X, feature_names=np.array(names, dtype=np.str_))
    else:
        raise ValueError(f"{path} ends in {kind!r}; save the table as .csv, .parquet or .npz")
    write_whole(path, stream.getvalue())


def _from_columns(path: Path, names: Sequence[str]) -> tuple[list[str], Floats]:
    ids: list[str] = []
    parts: list[Floats] = []
    for chunk in read_chunks(path, _CHUNK):
        check_names(chunk)
        place = {name: number for number, name in enumerate(chunk.names)}
        id_column = next((name for name in chunk.names if name.casefold() == "id"), None)
        if id_column is None:
            raise ValueError(f"{path} has no column 'id'; add one. It has {listed(chunk.names)}")
        _refuse_lacking(path, names, chunk.names)
        if not chunk.rows:
            break
        refuse_missing(chunk, id_column, chunk.cells[place[id_column]])
        ids += (str(cell).strip() for cell in chunk.cells[place[id_column]])
        columns = []
        for name in names:
            cells = chunk.cells[place[name]]
            columns.append(as_numbers(cells))
            wrong = np.flatnonzero(~np.isfinite(columns[-1]))
            if len(wrong):
                refuse_missing(chunk, name, cells)
                refuse_text(path, name, cells[wrong[0]], chunk.rows[wrong[0]])
        parts.append(np.column_stack(columns))
    if not ids:
        raise ValueError(f"{path} names columns but has no items; add one line an item")
    return ids, np.concatenate(parts)


def _from_arrays(path: Path, names: Sequence[str]) -> tuple[list[str], Floats]:
    found = read_arrays(path, ("id", "X"), ("feature_names",))
    ids = [str(name) for name in np.atleast_1d(found["id"]).tolist()]
    X = found["X"]
    if X.ndim != 2 or len(X) != len(ids) or X.dtype.kind not in "iuf" or not np.isfinite(X).all():
        raise ValueError(f"X of {path} must hold finite numbers, one row for each of the {len(ids)} ids")
    if "feature_names" in found:
        there = [str(name) for name in found["feature_names"].tolist()]
        _refuse_lacking(path, names, there)
        return ids, X[:, [there.index(name) for name in names]].astype(np.float64)
    if X.shape[1] != len(names):
        raise ValueError(f"X of {path} has {X.shape[1]} columns, but {len(names)} features are needed")
    return ids, X.astype(np.float64)


def _refuse_lacking(path: Path, names: Sequence[str], there: Sequence[str]) -> None:
    lacking = [name for name in names if name not in there]
    if lacking:
        raise LackingFeaturesError(
            f"{path} lacks {len(lacking)} of the {len(names)} features, the first {lacking[0]!r}; give it "
            f"the columns that the metric was learned with. It has {listed(there)}"
        )
