"""Answers in an SQL database: SQLite or PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, func, insert, select

from tercet.stores import _tables as tables
from tercet.stores._contract import Recorded, Reply, Shown, Study, check_reply
from tercet.stores._database import Database, is_there, try_out
from tercet.stores._shared import (
    as_json,
    check_same_items,
    in_order,
    shown_again,
    unknown_question,
    unknown_study,
)

_SHOWN = tables.shown.c
_ANSWERS = tables.answers.c
_UNDOS = tables.undos.c
_IS_UNDO = and_(_UNDOS.study_id == _ANSWERS.study_id, _UNDOS.number == _ANSWERS.number)
_RECORDED = (
    select(
        tables.shown,
        _ANSWERS.number,
        _ANSWERS.reply,
        _ANSWERS.response_ms,
        _ANSWERS.at.label("answered_at"),
        _UNDOS.number.label("undone"),
    )
    .join(tables.answers, _ANSWERS.shown_id == _SHOWN.id)
    .outerjoin(tables.undos, _IS_UNDO)
)


class SqlStore:
    """Keeps everything in a database, which is brought to its newest form when it is opened.

    An answer that `record` returned is on disk: the process may be killed, or the power fail, right after.
    Any number of threads and processes may use one database at once.

    Parameters
    ----------
    url : str
        ``sqlite:///answers.db`` (relative) or ``sqlite:////folder/answers.db``, or
        ``postgresql+psycopg://user:password@host/database``.
    create : bool
        Make the SQLite file if it is not there.

    Raises
    ------
    StoreError
        If the database cannot be reached, read or written, or was written by a newer Tercet
        (`NewerDatabaseError`).
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self._database = Database(url, create=create)

    @staticmethod
    def is_there(url: str) -> bool:
        """Return whether opening this database would find one and not make it; a server's is taken to be.

        >>> SqlStore.is_there("sqlite:////nowhere/answers.db")
        False
        """
        return is_there(url)

    @staticmethod
    def try_out(url: str) -> None:
        """Refuse a database that cannot be opened or made, before any work is done for it; make none."""
        try_out(url)

    def __repr__(self) -> str:
        return f"SqlStore({self._database.name!r})"

    def open_study(self, study: Study) -> Study:
        """Begin this study, or return it as stored; a study of that name about other items is refused."""
        settings = as_json(study.settings)
        with self._database.writing() as connection:
            if connection.dialect.name == "postgresql":
                # So that two who begin one study at once do not both find that it is missing.
                connection.exec_driver_sql(f"LOCK TABLE {tables.studies.name} IN SHARE ROW EXCLUSIVE MODE")
            if study.name not in _names(connection):
                now = datetime.now(UTC)
                row = {
                    "name": study.name,
                    "fingerprint": study.fingerprint,
                    "ids": json.dumps(study.ids),
                    "at": now,
                }
                begun = connection.execute(insert(tables.studies).values(row))
                (study_id,) = begun.inserted_primary_key or (None,)
                connection.execute(
                    insert(tables.settings).values(study_id=study_id, content=settings, at=now)
                )
            stored = _study(connection, study.name)
            check_same_items(stored, study)
        return stored

    def study(self, name: str) -> Study:
        """Return the study of that name, with its newest settings."""
        with self._database.reading() as connection:
            return _study(connection, name)

    def studies(self) -> list[str]:
        """Return the names of all studies, oldest first."""
        with self._database.reading() as connection:
            return _names(connection)

    def save_settings(self, study: str, settings: Mapping[str, Any]) -> None:
        """Replace a study's settings, such as its texts; what they were before is kept too."""
        content = as_json(settings)
        with self._writing(study) as (connection, study_id):
            connection.execute(
                insert(tables.settings).values(study_id=study_id, content=content, at=datetime.now(UTC))
            )

    def show(self, study: str, shown: Shown) -> None:
        """Note that this question is now before its annotator; a repeated key changes nothing."""
        with self._writing(study) as (connection, study_id):
            if _find(connection, study_id, shown.key) is None:
                _show(connection, study_id, shown)

    def waiting(self, study: str) -> list[Shown]:
        """Return the questions that were shown and have no answer, oldest first."""
        query = select(tables.shown).outerjoin(tables.answers, _ANSWERS.shown_id == _SHOWN.id)
        with self._database.reading() as connection:
            study_id = _id(connection, study)
            open_ones = query.where(_SHOWN.study_id == study_id, _ANSWERS.number.is_(None))
            return [_shown(row) for row in connection.execute(open_ones.order_by(_SHOWN.id))]

    def record(self, study: str, key: str, reply: Reply, response_ms: int | None) -> tuple[Recorded, bool]:
        """Put the answer on disk; return it and whether it is new. A repeated key gives the first answer."""
        check_reply(reply, response_ms)
        with self._writing(study) as (connection, study_id):
            row = _find(connection, study_id, key)
            if row is None:
                raise unknown_question(study, key)
            first = connection.execute(_RECORDED.where(_SHOWN.id == row.id)).one_or_none()
            if first is not None:
                return _recorded(first), False
            answer = Recorded(
                _last_number(connection, study_id) + 1, _shown(row), reply, response_ms, datetime.now(UTC)
            )
            _answer(connection, study_id, row.id, answer)
        return answer, True

    def undo(self, study: str, annotator: str, key: str | None = None) -> Recorded | None:
        """Take back this annotator's last answer that stands; show its question again, under a new key."""
        standing = _RECORDED.where(_SHOWN.annotator == annotator, _UNDOS.number.is_(None))
        with self._writing(study) as (connection, study_id):
            theirs = standing.where(_SHOWN.study_id == study_id).order_by(_ANSWERS.number.desc()).limit(1)
            row = connection.execute(theirs).one_or_none()
            if row is None or key not in (None, row.key):
                return None
            last = _recorded(row)
            _take_back(connection, study_id, last.number)
            _show(connection, study_id, shown_again(last.shown))
        return replace(last, undone=True)

    def answers(self, study: str, *, after: int = 0, undone: bool = False) -> list[Recorded]:
        """Return the answers with a number above ``after``, in order; taken-back ones only if asked for."""
        with self._database.reading() as connection:
            study_id = _id(connection, study)
            wanted = _RECORDED.where(_ANSWERS.study_id == study_id, _ANSWERS.number > after)
            if not undone:
                wanted = wanted.where(_UNDOS.number.is_(None))
            return [_recorded(row) for row in connection.execute(wanted.order_by(_ANSWERS.number))]

    def take(self, study: str, answers: Iterable[Recorded]) -> int:
        """Add answers from elsewhere, all or none, and return how many are new."""
        with self._writing(study) as (connection, study_id):
            rows = connection.execute(select(tables.shown).where(_SHOWN.study_id == study_id)).all()
            known = {row.key: _shown(row) for row in rows}
            ids = {row.key: row.id for row in rows}
            recorded = connection.execute(_RECORDED.where(_ANSWERS.study_id == study_id))
            there = {row.key: _recorded(row) for row in recorded}
            before = number = _last_number(connection, study_id)
            for answer in in_order(answers, known):
                key = answer.shown.key
                if key not in ids:
                    ids[key] = _show(connection, study_id, answer.shown)
                if key not in there:
                    number += 1
                    there[key] = replace(answer, number=number, undone=False)
                    _answer(connection, study_id, ids[key], there[key])
                if answer.undone and not there[key].undone:
                    _take_back(connection, study_id, there[key].number)
                    there[key] = replace(there[key], undone=True)
        return number - before

    def close(self) -> None:
        """Let go of the database."""
        self._database.engine.dispose()

    @contextmanager
    def _writing(self, study: str) -> Iterator[tuple[Connection, int]]:
        """Give a transaction in which nobody else writes to this study, so that numbers follow each other."""
        with self._database.writing() as connection:
            yield connection, _id(connection, study, lock=True)


def _names(connection: Connection) -> list[str]:
    return list(connection.scalars(select(tables.studies.c.name).order_by(tables.studies.c.id)))


def _id(connection: Connection, name: str, *, lock: bool = False) -> int:
    query = select(tables.studies.c.id).where(tables.studies.c.name == name)
    found: int | None = connection.scalar(query.with_for_update() if lock else query)
    if found is None:
        raise unknown_study(name, _names(connection))
    return found


def _study(connection: Connection, name: str) -> Study:
    study_id = _id(connection, name)
    columns = tables.settings.c
    row = connection.execute(select(tables.studies).where(tables.studies.c.id == study_id)).one()
    newest = select(columns.content).where(columns.study_id == study_id).order_by(columns.id.desc()).limit(1)
    content = connection.scalars(newest).one()
    return Study(row.name, row.fingerprint, json.loads(row.ids), json.loads(content))


def _find(connection: Connection, study_id: int, key: str) -> Row[Any] | None:
    query = select(tables.shown).where(_SHOWN.study_id == study_id, _SHOWN.key == key)
    return connection.execute(query).one_or_none()


def _last_number(connection: Connection, study_id: int) -> int:
    return connection.scalar(select(func.max(_ANSWERS.number)).where(_ANSWERS.study_id == study_id)) or 0


def _show(connection: Connection, study_id: int, shown: Shown) -> int:
    head, j, k = shown.triplet
    p_yes, p_no, p_dk = shown.probabilities or (None, None, None)
    row = {
        "study_id": study_id,
        "key": shown.key,
        "annotator": shown.annotator,
        "head": head,
        "j": j,
        "k": k,
        "left": shown.left,
        "purpose": shown.purpose,
        "rule": shown.rule,
        "score": shown.score,
        "p_yes": p_yes,
        "p_no": p_no,
        "p_dk": p_dk,
        "at": shown.at,
    }
    made = connection.execute(insert(tables.shown).values(row))
    (shown_id,) = made.inserted_primary_key or (0,)
    return int(shown_id)


def _answer(connection: Connection, study_id: int, shown_id: int, answer: Recorded) -> None:
    row = {
        "study_id": study_id,
        "number": answer.number,
        "shown_id": shown_id,
        "reply": answer.reply,
        "response_ms": answer.response_ms,
        "at": answer.at,
    }
    connection.execute(insert(tables.answers).values(row))


def _take_back(connection: Connection, study_id: int, number: int) -> None:
    connection.execute(insert(tables.undos).values(study_id=study_id, number=number, at=datetime.now(UTC)))


def _shown(row: Row[Any]) -> Shown:
    chances = None if row.p_yes is None else (row.p_yes, row.p_no, row.p_dk)
    return Shown(
        row.key,
        row.annotator,
        (row.head, row.j, row.k),
        row.left,
        row.purpose,
        row.rule,
        row.score,
        chances,
        row.at,
    )


def _recorded(row: Row[Any]) -> Recorded:
    return Recorded(
        row.number, _shown(row), row.reply, row.response_ms, row.answered_at, undone=row.undone is not None
    )
