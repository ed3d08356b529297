"""Tables of items: ids, features, and columns that name files or hold texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet._validation import check_features
from tercet.datasets._tables import (
    Columns,
    as_numbers,
    check_names,
    is_missing,
    listed,
    read_arrays,
    read_chunks,
    refuse_missing,
    refuse_text,
)
from tercet.media._finding import LeftOut

TABLES = (".csv", ".parquet", ".npz")
FILE_COLUMNS = ("path", "file", "filename", "media", "image", "audio", "sound", "video")
#: A question is about three.
FEWEST = 3
_CHUNK = 10_000


@dataclass(frozen=True)
class ItemTable:
    """A table as read.

    Attributes
    ----------
    ids : list of str
    features : array of shape (n, d)
        d is 0 where no column holds numbers.
    feature_names : list of str
    files, texts : list of str, optional
        What the column of files or of texts holds; "" where it is empty.
    left_out : list of (name, reason)
        Columns that are not used.
    """

    ids: list[str]
    features: NDArray[np.float64]
    feature_names: list[str]
    files: list[str] | None
    texts: list[str] | None
    left_out: LeftOut


def read_item_table(path: Path) -> ItemTable:
    """Read a CSV, Parquet or NPZ file of items, and refuse ids that are missing or there twice."""
    table = _from_arrays(path) if path.suffix.lower() == ".npz" else _from_columns(path)
    first: dict[str, int] = {}
    for place, name in enumerate(table.ids, start=1):
        if not name:
            raise ValueError(f"item {place} of {path} has no id; give every item its own")
        if name in first:
            raise ValueError(
                f"the id {name!r} is there twice in {path}, for item {first[name]} and item {place}; give "
                "every item its own, or remove one"
            )
        first[name] = place
    return table


def _from_columns(path: Path) -> ItemTable:
    ids: list[str] = []
    files: list[str] = []
    texts: list[str] = []
    features: dict[str, _Numbers] = {}
    roles: dict[str, str] = {}
    for chunk in read_chunks(path, _CHUNK):
        if not roles:
            roles = _roles(chunk)
            features = {name: _Numbers(name) for name in chunk.names if roles[name] == "feature"}
        for name, cells in zip(chunk.names, chunk.cells, strict=False):  # no cells where there are no rows
            if roles[name] == "id":
                ids += map(_as_text, cells)
            elif roles[name] == "file":
                files += map(_as_text, cells)
            elif roles[name] == "text":
                texts += ("" if cell is None else str(cell) for cell in cells)
            else:
                features[name].add(chunk, cells)
    used = [column for column in features.values() if column.is_used(path)]
    left_out = [
        (f"column {column.name}", "it holds no numbers, so it is no feature")
        for column in features.values()
        if ids and column not in used
    ]
    has_files, has_texts = "file" in roles.values(), "text" in roles.values()
    if has_files and has_texts:
        left_out.append(("column text", "the files are shown"))
    if not used and not has_files and not has_texts and ids:
        raise ValueError(
            f"{path} has no column of numbers, and none of files ({', '.join(FILE_COLUMNS)}) or texts (text) "
            f"that features could come from; it has {listed(list(roles))}"
        )
    X = np.column_stack([column.values() for column in used]) if used else np.empty((len(ids), 0))
    return ItemTable(
        ids,
        check_features(X, name=str(path)) if used and len(ids) >= FEWEST else X,
        [column.name for column in used],
        files if has_files else None,
        texts if has_texts and not has_files else None,
        left_out,
    )


def _roles(table: Columns) -> dict[str, str]:
    """Return what each column is for: id, file, text or feature."""
    check_names(table)
    roles: dict[str, str] = {}
    for name in table.names:
        plain = name.casefold()
        role = "file" if plain in FILE_COLUMNS else plain if plain in ("id", "text") else "feature"
        if role != "feature" and role in roles.values():
            other = next(known for known in roles if roles[known] == role)
            raise ValueError(
                f"{table.path} has two columns for the same, {other!r} and {name!r}; keep one, or rename one"
            )
        roles[name] = role
    if "id" not in roles.values():
        raise ValueError(
            f"{table.path} has no column 'id'; answers are kept by it, so name the column that tells the "
            f"items apart 'id', or add one. It has {listed(table.names)}"
        )
    return roles


class _Numbers:
    """A column that may be a feature, filled some rows at a time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[NDArray[np.float64]] = []
        self.n_numbers = 0
        self.wrong: tuple[Columns, Sequence[Any], int] | None = None

    def add(self, table: Columns, cells: Sequence[Any]) -> None:
        numbers = as_numbers(cells)
        bad = np.flatnonzero(~np.isfinite(numbers)).tolist()
        self.n_numbers += len(cells) - len(bad)
        if len(bad) and self.wrong is None:
            # A column is often all text, so nothing is refused before all of it is read.
            said = [place for place in bad if not is_missing(cells[place])]
            self.wrong = (table, cells, said[0] if said else bad[0])
        self.parts.append(numbers)

    def is_used(self, path: Path) -> bool:
        """Whether the column is a feature; one with both numbers and other things is refused."""
        if self.wrong is None:
            return bool(self.parts)
        if not self.n_numbers:
            return False
        table, cells, place = self.wrong
        if not is_missing(cells[place]):
            refuse_text(path, self.name, cells[place], table.rows[place])
        refuse_missing(table, self.name, cells)
        raise AssertionError("a column with no wrong cell was refused")

    def values(self) -> NDArray[np.float64]:
        return np.concatenate(self.parts)


def _from_arrays(path: Path) -> ItemTable:
    found = read_arrays(path, ("id",), ("X", "feature_names", *FILE_COLUMNS, "text"))
    columns = [name for name in FILE_COLUMNS if name in found]
    if len(columns) > 1:
        raise ValueError(f"{path} has {columns[0]} and {columns[1]}, which both name files; keep one")
    n_items = len(np.atleast_1d(found["id"]))
    for name, array in found.items():
        wanted = 2 if name == "X" else 1
        if array.ndim != wanted or (name != "feature_names" and len(array) != n_items):
            shape = f"({n_items}, features)" if name == "X" else f"({n_items},)"
            raise ValueError(f"the array {name} of {path} has shape {array.shape}; it must be {shape}")
    if "X" in found:
        X = check_features(found["X"], name=f"X of {path}")
        given = found.get("feature_names", np.arange(1, X.shape[1] + 1))
        names = [_as_text(name) if "feature_names" in found else f"feature {name}" for name in given.tolist()]
        if len(names) != X.shape[1] or len(set(names)) != len(names):
            raise ValueError(
                f"feature_names of {path} has {len(set(names))} different names, but X {X.shape[1]} columns"
            )
    elif not columns and "text" not in found:
        raise ValueError(
            f"{path} has no array X of features, and none of files ({', '.join(FILE_COLUMNS)}) or texts "
            "(text) that they could be computed from; add one"
        )
    else:
        X, names = np.empty((n_items, 0)), []
    left_out = [("array text", "the files are shown")] if columns and "text" in found else []
    return ItemTable(
        [_as_text(name) for name in found["id"].tolist()],
        X,
        names,
        [_as_text(name) for name in found[columns[0]].tolist()] if columns else None,
        [str(text) for text in found["text"].tolist()] if "text" in found and not columns else None,
        left_out,
    )


def _as_text(cell: Any) -> str:
    """Return an id or a file's name as text, whole numbers without a decimal point; "" for none."""
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "replace")
    elif isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()
