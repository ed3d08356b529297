"""Answers that were collected with Salmon (its CSV of responses)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from tercet.stores._contract import Recorded, Reply, Shown
from tercet.stores._rows import AnswerFile, Row

_ROLES = ("head", "left", "right")
# Salmon writes each item's number and, by version, its file's name, its HTML, or what it called the object.
_NAMES = ("filename", "src", "html", "object")
_SOURCE = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s>]+)""")


def is_salmon(columns: Sequence[str]) -> bool:
    """Whether these are the columns of Salmon's responses."""
    return {*_ROLES, "winner"} <= set(columns)


def from_salmon(file: AnswerFile, ids: Sequence[str], by_position: bool) -> list[Recorded]:
    """Return Salmon's responses as answers about these items, in the order of the file."""
    has_names = any(f"head_{kind}" in file.columns for kind in _NAMES)
    index = _index(ids)

    def find(row: Row, role: str) -> str:
        return _by_position(row, role, ids) if by_position else _by_name(row, role, index, has_names)

    answers = []
    for number, (place, row) in enumerate(file.rows, start=1):
        try:
            answers.append(_answer(number, row, find))
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
    return answers


def _answer(number: int, row: Row, find: Callable[[Row, str], str]) -> Recorded:
    places = {role: _whole(row, role) for role in (*_ROLES, "winner")}
    if places["winner"] not in (places["left"], places["right"]):
        raise ValueError(f"the winner {row['winner']!r} is neither left nor right")
    reply: Reply = "yes" if places["winner"] == places["left"] else "no"
    at = _moment(row)
    seconds = _real(row, "response_time")
    took = None if seconds is None or seconds < 0 else seconds  # Salmon writes -1 where it does not know
    annotator = str(row.get("puid") or "")
    content = [*places.values(), annotator, at.isoformat()]
    shown = Shown(
        # The same response has the same key, however often it is exported and imported.
        f"salmon-{sha256(repr(content).encode()).hexdigest()[:24]}",
        annotator,
        (find(row, "head"), find(row, "left"), find(row, "right")),
        "j",
        "question",
        str(row.get("sampler") or row.get("alg_ident") or "Salmon"),
        _real(row, "score"),
        None,
        at if took is None else at - timedelta(seconds=took),
    )
    return Recorded(number, shown, reply, None if took is None else round(1000 * took), at)


def _moment(row: Row) -> datetime:
    seconds = _real(row, "time_received")
    if seconds is not None:
        return datetime.fromtimestamp(seconds, UTC)
    text = str(row.get("datetime_received") or "")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"neither time_received (seconds) nor datetime_received (now {text!r}) says when the answer came"
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _by_position(row: Row, role: str, ids: Sequence[str]) -> str:
    place = _whole(row, role)
    if not 0 <= place < len(ids):
        raise ValueError(f"{role} is item {place}, but the study has {len(ids)}, from 0 to {len(ids) - 1}")
    return ids[place]


def _by_name(row: Row, role: str, index: dict[str, str | None], has_names: bool) -> str:
    names = list(_names_of(row, role)) if has_names else [str(_whole(row, role))]
    for name in names:
        found = index.get(name)
        if found is not None:
            return found
    called = names[0] if names else row[role]
    raise ValueError(
        f"{role} is {called!r}, which names no item of this study, or several; give the items the same "
        "names, or pass --by-position if Salmon had the same items in the same order"
    )


def _names_of(row: Row, role: str) -> Iterable[str]:
    for kind in _NAMES:
        text = row.get(f"{role}_{kind}")
        if not text:
            continue
        source = _SOURCE.search(text)
        name = source.group(1) if source else text
        name = name.removeprefix("/static/targets/")
        path = PurePosixPath(name)
        yield from (text, name, path.name, path.stem)


def _index(ids: Sequence[str]) -> dict[str, str | None]:
    """Return what each id may be called: itself, and its file's name with and without the ending."""
    index: dict[str, str | None] = {}
    for item in ids:
        path = PurePosixPath(item)
        for name in {path.name, path.stem} - {item}:
            index[name] = None if name in index else item
    return {**index, **{item: item for item in ids}}


def _whole(row: Row, name: str) -> int:
    value: Any = row.get(name)
    try:
        number = float(value)  # pandas writes 3.0 for 3 where another row had none
        if number != int(number):
            raise ValueError
        return int(number)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {value!r}; Salmon numbers its items from 0") from None


def _real(row: Row, name: str) -> float | None:
    value: Any = row.get(name)
    if value in (None, ""):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}; it must be a number") from None
