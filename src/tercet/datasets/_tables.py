"""Tables of features and labels from CSV, Parquet and NPZ files."""

from __future__ import annotations

import csv
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tercet._validation import Floats, check_features

Labels = NDArray[np.str_]

# What spreadsheets, R, pandas and UCI write for a value that is not known.
_LONGEST_CELL = 16_000_000
_MISSING = {"", "?", "na", "n/a", "nan", "null", "none"}


@dataclass(frozen=True, eq=False, repr=False)
class Loaded:
    """Items with their features and classes.

    Parameters
    ----------
    X : array of shape (n_items, n_features)
        The features as published, unscaled.
    y : array of shape (n_items,)
        The class of each item, as text.
    name : str
        What to call it in tables and figures.
    source : str
        Where it came from.
    """

    X: Floats
    y: Labels
    name: str
    source: str

    def __repr__(self) -> str:
        n_items, n_features = self.X.shape
        n_classes = len(np.unique(self.y))
        return (
            f"Loaded({self.name}: {n_items} items, {n_features} features, {n_classes} classes; {self.source})"
        )


@dataclass(frozen=True)
class Columns:
    """A table, or some rows of it: cells column by column, and what each row is called in messages."""

    path: Path
    names: list[str]
    cells: Sequence[Sequence[Any]]
    rows: list[str]


def load_table(path: str | PathLike[str], target: str = "class") -> Loaded:
    r"""Load a table of your own, so that it can be used like the paper's datasets.

    Parameters
    ----------
    path : path
        A ``.csv`` file (commas, UTF-8, a first line with column names), a ``.parquet`` file (needs
        ``pip install 'tercet[experiments]'``), or an ``.npz`` file with the arrays X and y.
    target : str, default="class"
        The column that holds the class; all other columns are features. An NPZ file has no columns.

    Returns
    -------
    Loaded
        With the file's name as its name.

    Raises
    ------
    ValueError
        If a value is missing, a feature is no number, or the file is no such table.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "fruit.csv"
    ...     _ = path.write_text("size,weight,kind\n7,150,apple\n8,170,apple\n18,120,banana\n")
    ...     fruit = load_table(path, target="kind")
    >>> fruit.X[2], fruit.y.tolist()
    (array([ 18., 120.]), ['apple', 'apple', 'banana'])
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind == ".npz":
        X, y = read_npz(path)
    elif kind == ".csv":
        X, y = read_csv(path, target)
    elif kind == ".parquet":
        X, y = _split(_parquet_columns(path), target)
    else:
        raise ValueError(f"{path} ends in {kind!r}; save the table as .csv, .parquet or .npz")
    return Loaded(X, y, path.stem, str(path))


def read_csv(path: Path, target: str, other_labels: Sequence[str] = ()) -> tuple[Floats, Labels]:
    """Return the features and labels in a CSV file, without the columns ``other_labels``."""
    return _split(_csv_columns(path), target, other_labels)


def read_npz(path: Path) -> tuple[Floats, Labels]:
    """Return the arrays X and y in an NPZ file."""
    found = read_arrays(path, ("X", "y"))
    return check_features(found["X"], name=f"X of {path}"), as_labels(found["y"], len(found["X"]), path)


def read_arrays(path: Path, names: Sequence[str], optional: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Return these arrays of an NPZ file, and the optional ones that it has; nothing is ever unpickled."""
    with path.open("rb") as stream:
        if not zipfile.is_zipfile(stream):
            example = ", ".join(f"{name}={name}" for name in names)
            raise ValueError(f"{path} is no NPZ file; write it with numpy.savez(path, {example})")
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as arrays:
            found = {}
            for name in (*names, *optional):
                if name not in arrays.files:
                    if name in optional:
                        continue
                    has = ", ".join(arrays.files) or "none"
                    raise ValueError(
                        f"{path} has no array {name} (it has {has}); write it with {name}={name}"
                    )
                try:
                    found[name] = arrays[name]
                except (ValueError, EOFError, zipfile.BadZipFile) as error:
                    raise ValueError(
                        f"the array {name} of {path} cannot be read ({error}); save numbers or text, not "
                        f"Python objects, for example {name}.astype(str)"
                    ) from error
    return found


def as_labels(values: Any, n_items: int, place: object) -> Labels:
    """Return labels as text, whole numbers without a decimal point."""
    labels = np.asarray(values)
    if labels.shape != (n_items,):
        raise ValueError(
            f"the labels of {place} have shape {labels.shape}; give {n_items} labels, one an item"
        )
    text = []
    for row, value in enumerate(labels.tolist()):
        if is_missing(value):
            raise ValueError(f"the label of row {row} of {place} is missing; fill it in or drop the item")
        if isinstance(value, bytes):
            value = value.decode()
        elif isinstance(value, float) and value.is_integer():
            value = int(value)
        text.append(str(value).strip())
    return np.array(text, dtype=np.str_)


def read_chunks(path: Path, size: int) -> Iterator[Columns]:
    """Read a CSV or Parquet file so many rows at a time; at least once, for the names of its columns."""
    kind = path.suffix.lower()
    if kind == ".csv":
        yield from _csv_chunks(path, size)
    elif kind == ".parquet":
        yield from _parquet_chunks(path, size)
    else:
        raise ValueError(f"{path} ends in {kind!r}; save the table as .csv, .parquet or .npz")


def _csv_columns(path: Path) -> Columns:
    return next(_csv_chunks(path, sys.maxsize))


def _csv_chunks(path: Path, size: int) -> Iterator[Columns]:
    names: list[str] = []
    rows: list[list[str]] = []
    lines: list[str] = []
    is_first = True
    for line, row in _csv_rows(path):
        if not names:
            names = [name.strip() for name in row]
            continue
        rows.append(row)
        lines.append(f"line {line}")
        if len(rows) == size:
            yield Columns(path, names, list(zip(*rows, strict=True)), lines)
            rows, lines, is_first = [], [], False
    if not names:
        raise ValueError(f"{path} is empty; its first line must name the columns, and each other be an item")
    if rows or is_first:
        yield Columns(path, names, list(zip(*rows, strict=True)), lines)


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    n_columns = 0
    try:
        # utf-8-sig also reads files that a spreadsheet saved with a byte-order mark.
        with path.open(encoding="utf-8-sig", newline="") as stream:
            # Strict, since a quote that is never closed would otherwise swallow the rest of the file.
            # The library's own limit is 128 KB, and a cell may hold a whole book.
            csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
            reader = csv.reader(stream, strict=True)
            for row in reader:
                if not row:
                    continue
                if n_columns and len(row) != n_columns:
                    raise ValueError(
                        f"line {reader.line_num} of {path} has {len(row)} cells, but the first line names "
                        f"{n_columns} columns; fill in or remove what is missing or too many there"
                    )
                n_columns = len(row)
                yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text ({error}); save it as CSV in UTF-8") from error
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num} of {path} is no CSV ({error}); correct it there") from error


def _parquet_columns(path: Path) -> Columns:
    chunks = list(_parquet_chunks(path, sys.maxsize))  # one a row group
    cells = [
        [cell for part in parts for cell in part] for parts in zip(*(c.cells for c in chunks), strict=True)
    ]
    return Columns(path, chunks[0].names, cells, [row for chunk in chunks for row in chunk.rows])


def _parquet_chunks(path: Path, size: int) -> Iterator[Columns]:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError(
            f"{path} is a Parquet file, which needs pyarrow: {error}; pip install 'tercet[experiments]', or "
            "save the table as CSV"
        ) from error
    with path.open("rb") as stream:
        try:
            file = parquet.ParquetFile(stream)
            names = file.schema_arrow.names
            if not file.metadata.num_rows:
                yield Columns(path, names, [[] for _ in names], [])
            start = 0
            for batch in file.iter_batches(batch_size=min(size, max(1, file.metadata.num_rows))):
                rows = [f"row {row}" for row in range(start, start + batch.num_rows)]
                yield Columns(path, names, [column.to_pylist() for column in batch.columns], rows)
                start += batch.num_rows
        except ValueError as error:
            raise ValueError(f"{path} cannot be read as Parquet ({error}); write it again") from error


def _split(table: Columns, target: str, other_labels: Sequence[str] = ()) -> tuple[Floats, Labels]:
    """Part the table into features and labels, and refuse what is no number."""
    _check_target(table, target)
    if not table.rows:
        raise ValueError(f"{table.path} names columns but has no items; add one line an item")
    features = []
    labels: list[Any] = []
    for name, cells in zip(table.names, table.cells, strict=True):
        if name == target:
            refuse_missing(table, name, cells)
            labels = list(cells)
        elif name not in other_labels:
            features.append(_numbers(table, name, cells))
    X = np.column_stack(features) if features else np.empty((len(table.rows), 0))
    # Strings of a CSV stay as they were written; numbers of a Parquet file become text.
    y = as_labels(np.array(labels, dtype=object), len(table.rows), table.path)
    return check_features(X, name=str(table.path)), y


def check_names(table: Columns) -> None:
    """Refuse columns without a name and names that are there twice."""
    if "" in table.names:
        raise ValueError(
            f"column {table.names.index('') + 1} of {table.path} has no name; name it, or remove it if it is "
            "an index (pandas: to_csv(path, index=False))"
        )
    twice = [name for name in table.names if table.names.count(name) > 1]
    if twice:
        raise ValueError(f"{table.path} has two columns {twice[0]!r}; rename or remove one")


def listed(names: Sequence[str]) -> str:
    """Return names of columns for a message, with a hint where commas may be missing."""
    hint = "; are its columns separated by commas?" if len(names) == 1 else ""
    return ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "") + hint


def _check_target(table: Columns, target: str) -> None:
    check_names(table)
    if target not in table.names:
        raise ValueError(
            f"{table.path} has no column {target!r} for the class; name one of its columns as the target: "
            f"{listed(table.names)}"
        )


def refuse_missing(table: Columns, name: str, cells: Sequence[Any]) -> None:
    """Refuse a column with cells that have no value."""
    missing = [row for row, cell in enumerate(cells) if is_missing(cell)]
    if missing:
        raise ValueError(
            f"column {name!r} of {table.path} has no value in {table.rows[missing[0]]} (it says "
            f"{cells[missing[0]]!r}), the first of {len(missing)}; fill such cells in or drop the items"
        )


def _numbers(table: Columns, name: str, cells: Sequence[Any]) -> Floats:
    numbers = as_numbers(cells)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        refuse_missing(table, name, cells)
        refuse_text(table.path, name, cells[wrong[0]], table.rows[wrong[0]])
    return numbers


def as_numbers(cells: Sequence[Any]) -> Floats:
    """Return cells as numbers, and NaN for what is none."""
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            # Python reads 1_0 as ten; in a table that is a name.
            numbers[row] = np.nan if isinstance(cell, str) and "_" in cell else float(cell)
        except (TypeError, ValueError):
            numbers[row] = np.nan
    return numbers


def refuse_text(path: Path, name: str, cell: Any, row: str) -> NoReturn:
    """Refuse a cell that is no number, in a column of features."""
    raise ValueError(
        f"column {name!r} of {path} holds {cell!r} in {row}, which is no finite number; features must be "
        "numbers, so recode the column or remove it"
    )


def is_missing(cell: Any) -> bool:
    """Whether a cell says that its value is not known."""
    if isinstance(cell, str):
        return cell.strip().casefold() in _MISSING
    return cell is None or cell != cell  # only NaN differs from itself
