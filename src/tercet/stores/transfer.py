"""Answers out of a store and back: exports, imports, and what a metric is learned from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from tercet.answers import Comparisons, as_answers
from tercet.stores._contract import Recorded, Store, Study
from tercet.stores._rows import (
    COLUMNS,
    AnswerFile,
    as_recorded,
    read_rows,
    to_csv,
    to_json,
    to_parquet,
)
from tercet.stores._salmon import from_salmon, is_salmon

Format = Literal["csv", "json", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "json", "parquet")


@dataclass(frozen=True)
class Imported:
    """How many answers a file held, and how many of them are new."""

    answers: int
    new: int


def export_answers(store: Store, study: str, format: Format = "csv") -> bytes:
    """Return every answer of a study, also those taken back, as a file's content.

    Parameters
    ----------
    store : store
    study : str
    format : "csv", "json" or "parquet"
        JSON and Parquet also carry the study's items and settings, so that they can be imported into an
        empty database. In CSV, text that a spreadsheet would take for a formula has an apostrophe before it,
        which the import takes away again.

    Examples
    --------
    >>> from tercet.stores import MemoryStore, Study
    >>> store = MemoryStore()
    >>> _ = store.open_study(Study("birds", "abc", ["wren", "tit", "jay"]))
    >>> export_answers(store, "birds")[:36]
    b'"study","number","annotator","head",'
    """
    writers = {"csv": to_csv, "json": to_json, "parquet": to_parquet}
    if format not in writers:
        raise ValueError(f"unknown format {format!r}; use csv, json or parquet")
    return writers[format](store.study(study), store.answers(study, undone=True))


def study_in(path: str | PathLike[str]) -> str | None:
    """Return the name of the study that a file is of, where the file says so."""
    file = read_rows(Path(path))
    if file.study is not None:
        return file.study.name
    names = {row.get("study") for _, row in file.rows}
    name = names.pop() if len(names) == 1 else None
    return str(name) if name else None


def import_answers(
    store: Store,
    study: str,
    path: str | PathLike[str],
    *,
    begin: Study | None = None,
    by_position: bool = False,
) -> Imported:
    """Add the answers in a file to a study, all or none; what is there already is not counted again.

    Parameters
    ----------
    store : store
    study : str
        Begun if it is not there, with the items of ``begin``, or of the file where it carries them.
    path : path
        An export (CSV, JSON, Parquet), or the CSV of responses of Salmon.
    begin : Study, optional
        The items to begin the study with.
    by_position : bool
        Salmon's item numbers count this study's items in their order; else items are found by name.

    Raises
    ------
    ValueError
        If the file is none of these, or is about items that the study does not have. Nothing is added then.
    """
    file = read_rows(Path(path))
    wanted = begin or (None if file.study is None else replace(file.study, name=study))
    if study in store.studies():
        items = store.study(study)
    elif wanted is None:
        raise ValueError(
            f"there is no study {study!r} to add to, and {path} does not say which items it is about; name "
            "them (--items FOLDER_OR_TABLE), or export as JSON or Parquet, which do"
        )
    else:
        items = wanted
    answers = _answers(file, items.ids, by_position)
    if wanted is not None:
        store.open_study(wanted)
    return Imported(len(answers), store.take(study, answers))


def read_comparisons(
    path: str | PathLike[str], ids: Sequence[str], *, by_position: bool = False
) -> Comparisons:
    """Return what a learner may learn from: the yes, no and dk answers to questions, as they stand.

    Parameters
    ----------
    path : path
        An export, Salmon's CSV, or what `Comparisons.to_csv` or `to_json` wrote.
    ids : sequence of str
        All items; the comparisons are about their places.
    by_position : bool
        As for `import_answers`.
    """
    path = Path(path)
    if path.suffix.lower() == ".json" and _is_plain_json(path):
        return Comparisons.from_json(path, ids)
    file = read_rows(path)
    if {"i", "j", "k", "answer"} <= set(file.columns) and "head" not in file.columns:
        return Comparisons.from_csv(path, ids)
    place = {item: number for number, item in enumerate(ids)}
    told = [
        answer
        for answer in _answers(file, ids, by_position)
        if not answer.undone and answer.shown.purpose == "question" and answer.reply != "skip"
    ]
    return Comparisons(
        np.array([[place[item] for item in answer.shown.triplet] for answer in told], dtype=np.int64),
        as_answers([answer.reply for answer in told]),
        np.array([answer.shown.annotator for answer in told], dtype=np.str_),
    )


def _answers(file: AnswerFile, ids: Sequence[str], by_position: bool) -> list[Recorded]:
    if is_salmon(file.columns) and "answer" not in file.columns:
        return from_salmon(file, ids, by_position)
    missing = [name for name in COLUMNS if name not in file.columns and name != "study"]
    if missing:
        raise ValueError(
            f"{file.path} has no column {', '.join(missing)}; it must be an export of Tercet, or Salmon's "
            "responses with head, left, right and winner"
        )
    known = set(ids)
    answers = []
    for place, row in file.rows:
        try:
            answer = as_recorded(row)
            strange = [item for item in answer.shown.triplet if item not in known]
            if strange:
                raise ValueError(f"{strange[0]!r} is none of the {len(known)} items")
        except ValueError as error:
            raise ValueError(f"{place}: {error}; correct or remove that answer") from None
        answers.append(answer)
    return sorted(answers, key=lambda answer: answer.number)


def _is_plain_json(path: Path) -> bool:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        return False  # read_rows says what is wrong
    return isinstance(content, dict) and content.get("format") == "tercet-comparisons"
