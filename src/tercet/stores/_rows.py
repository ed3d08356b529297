"""Answers as rows of a table: CSV, JSON and Parquet, there and back without loss."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from tercet.stores._contract import Recorded, Shown, Study

#: Every field of an answer, and what it holds.
COLUMNS = {
    "study": "text",
    "number": "whole",
    "annotator": "text",
    "head": "text",
    "j": "text",
    "k": "text",
    "left": "text",
    "answer": "text",
    "undone": "flag",
    "purpose": "text",
    "response_ms": "whole",
    "rule": "text",
    "score": "real",
    "p_yes": "real",
    "p_no": "real",
    "p_dk": "real",
    "shown_at": "time",
    "answered_at": "time",
    "key": "text",
}
_MAY_BE_EMPTY = ("response_ms", "score", "p_yes", "p_no", "p_dk")
_FORMAT = "tercet-answers"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A spreadsheet would take text that begins so for a formula, and a shared file could do harm.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class AnswerFile:
    """What a file with answers holds: rows with what to call each, and its study where it says."""

    path: Path
    columns: Sequence[str]
    rows: Sequence[tuple[str, Row]]
    study: Study | None = None


def as_row(study: str, answer: Recorded) -> dict[str, Any]:
    """Return an answer with all its fields."""
    shown = answer.shown
    p_yes, p_no, p_dk = shown.probabilities or (None, None, None)
    values = (
        study,
        answer.number,
        shown.annotator,
        *shown.triplet,
        shown.left,
        answer.reply,
        answer.undone,
        shown.purpose,
        answer.response_ms,
        shown.rule,
        shown.score,
        p_yes,
        p_no,
        p_dk,
        shown.at.astimezone(UTC),
        answer.at.astimezone(UTC),
        shown.key,
    )
    return dict(zip(COLUMNS, values, strict=True))


def as_recorded(row: Row) -> Recorded:
    """Return the answer in a row of text (CSV) or of values; a wrong one raises ValueError."""
    value = {name: _value(name, row.get(name)) for name in COLUMNS if name != "study"}
    chances = (value["p_yes"], value["p_no"], value["p_dk"])
    shown = Shown(
        value["key"],
        value["annotator"],
        (value["head"], value["j"], value["k"]),
        value["left"],
        value["purpose"],
        value["rule"],
        value["score"],
        None if None in chances else chances,
        value["shown_at"],
    )
    return Recorded(
        value["number"], shown, value["answer"], value["response_ms"], value["answered_at"], value["undone"]
    )


def to_csv(study: Study, answers: Sequence[Recorded]) -> bytes:
    """Return the answers as CSV, without the study's items and settings."""
    text = io.StringIO()
    # Text is always quoted, so that line breaks of any kind come back as they were.
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(COLUMNS)
    for answer in answers:
        writer.writerow([_cell(value) for value in as_row(study.name, answer).values()])
    return text.getvalue().encode()


def to_json(study: Study, answers: Sequence[Recorded]) -> bytes:
    """Return the study and its answers as JSON."""
    rows = [{name: _plain(value) for name, value in as_row(study.name, answer).items()} for answer in answers]
    content = {"format": _FORMAT, "version": 1, "study": _study_content(study), "answers": rows}
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def to_parquet(study: Study, answers: Sequence[Recorded]) -> bytes:
    """Return the answers as Parquet, with the study in the file's metadata."""
    pyarrow, parquet = _pyarrow("writing Parquet")
    types = {
        "text": pyarrow.string(),
        "whole": pyarrow.int64(),
        "real": pyarrow.float64(),
        "flag": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
    }
    schema = pyarrow.schema(
        [(name, types[kind]) for name, kind in COLUMNS.items()],
        metadata={_FORMAT: json.dumps(_study_content(study))},
    )
    rows = [as_row(study.name, answer) for answer in answers]
    stream = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), stream)
    return stream.getvalue()


def read_rows(path: Path) -> AnswerFile:
    """Read a CSV, JSON or Parquet file with answers."""
    readers = {".csv": _read_csv, ".json": _read_json, ".parquet": _read_parquet}
    kind = path.suffix.lower()
    if kind not in readers:
        raise ValueError(f"{path} ends in {kind!r}; answers come as .csv, .json or .parquet")
    return readers[kind](path)


def _read_csv(path: Path) -> AnswerFile:
    try:
        # utf-8-sig also reads files that a spreadsheet saved with a byte-order mark.
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            rows = []
            for row in reader:
                if None in row:
                    raise ValueError(f"line {reader.line_num} of {path} has more cells than the first line")
                rows.append((f"line {reader.line_num} of {path}", _unguarded(row)))
            columns = list(reader.fieldnames or ())
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text ({error}); save it as CSV in UTF-8") from error
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num} of {path} is no CSV ({error}); correct it there") from error
    if not columns:
        raise ValueError(f"{path} is empty; its first line must name the columns")
    return AnswerFile(path, columns, rows)


def _read_json(path: Path) -> AnswerFile:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is no JSON ({error}); export it again") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError(f'{path} holds no answers: it has no "format": "{_FORMAT}"; use tercet export')
    if content.get("version") != 1:
        raise ValueError(f"{path} has version {content.get('version')!r}; this Tercet reads version 1")
    rows = content.get("answers")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f'{path} is damaged: "answers" must be a list of objects')
    places = [(f"answer {place} of {path}", row) for place, row in enumerate(rows, start=1)]
    return AnswerFile(path, list(COLUMNS), places, _study_of(path, content.get("study")))


def _read_parquet(path: Path) -> AnswerFile:
    pyarrow, parquet = _pyarrow(f"reading {path}")
    with path.open("rb") as stream:
        try:
            table = parquet.read_table(stream)
        except ValueError as error:
            raise ValueError(f"{path} cannot be read as Parquet ({error}); export it again") from error
    cells = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pyarrow.types.is_timestamp(column.type):
            # By way of whole numbers, which need no time zone's rules.
            moments = column.cast(pyarrow.timestamp("us", tz="UTC")).cast(pyarrow.int64()).to_pylist()
            cells[name] = [None if us is None else _EPOCH + timedelta(microseconds=us) for us in moments]
        else:
            cells[name] = column.to_pylist()
    names = list(cells)
    values = zip(*cells.values(), strict=True)
    rows = [
        (f"row {place} of {path}", dict(zip(names, row, strict=True))) for place, row in enumerate(values)
    ]
    noted = (table.schema.metadata or {}).get(_FORMAT.encode())
    return AnswerFile(path, names, rows, None if noted is None else _study_of(path, json.loads(noted)))


def _study_content(study: Study) -> dict[str, Any]:
    content = {"name": study.name, "fingerprint": study.fingerprint, "ids": list(study.ids)}
    return {**content, "settings": dict(study.settings)}


def _study_of(path: Path, content: Any) -> Study:
    try:
        return Study(content["name"], content["fingerprint"], content["ids"], content["settings"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged: its study has no proper {error}; export it again") from error


def _value(name: str, value: Any) -> Any:
    if value is None or (value == "" and COLUMNS[name] != "text"):
        if name in _MAY_BE_EMPTY:
            return None
        raise ValueError(f"{name} is missing")
    try:
        return _READ[COLUMNS[name]](value)
    except (TypeError, ValueError, KeyError):
        raise ValueError(f"{name} is {value!r}; it must be {_SHAPES[COLUMNS[name]]}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise TypeError
    return int(value)


def _flag(value: Any) -> bool:
    return {True: True, False: False, "true": True, "false": False}[
        value.strip().lower() if isinstance(value, str) else value
    ]


def _time(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError
    return moment.astimezone(UTC)


_READ: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "whole": _whole,
    "real": float,
    "flag": _flag,
    "time": _time,
}
_SHAPES = {
    "text": "text",
    "whole": "a whole number",
    "real": "a number",
    "flag": "true or false",
    "time": "a time with its zone, as 2024-02-29T12:30:15+00:00",
}


def _plain(value: Any) -> Any:
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return guarded(value)
    # None as a bare empty cell: the writer would put quotes around empty text only.
    return _plain(value)


def guarded(text: str) -> str:
    """Return text that no spreadsheet takes for a formula; the import takes the apostrophe away again.

    >>> guarded("=1+1"), guarded("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if _looks_guarded(f"'{text}") else text


def _unguarded(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value[1:] if value is not None and _looks_guarded(value) else value
        for name, value in row.items()
    }


def _looks_guarded(text: str) -> bool:
    """Whether this is an apostrophe before what needs one; that includes text that looks so by nature."""
    return text.startswith("'") and text[1:].startswith((*_FORMULA, "'"))


def _pyarrow(purpose: str) -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs pyarrow ({error}): pip install 'tercet[experiments]', or use CSV or JSON"
        ) from error
