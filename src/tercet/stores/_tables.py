"""The tables of the database. A change here needs a migration beside it; a test compares the two."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeDecorator

#: Beside the tables of others in one PostgreSQL database.
VERSION_TABLE = "tercet_version"


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Turn the time into UTC."""
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Say that the time is in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# Names for constraints, so that later migrations can name them.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

studies = Table(
    "tercet_studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("fingerprint", Text, nullable=False),
    Column("ids", Text, nullable=False),  # a JSON list
    Column("at", Moment, nullable=False),
)

settings = Table(
    "tercet_settings",
    metadata,
    Column("id", Integer, primary_key=True),  # the newest of a study holds
    Column("study_id", ForeignKey("tercet_studies.id"), nullable=False, index=True),
    Column("content", Text, nullable=False),  # a JSON object
    Column("at", Moment, nullable=False),
)

shown = Table(
    "tercet_shown",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study_id", ForeignKey("tercet_studies.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("head", Text, nullable=False),
    Column("j", Text, nullable=False),
    Column("k", Text, nullable=False),
    Column("left", String(1), nullable=False),
    Column("purpose", String(16), nullable=False),
    Column("rule", Text, nullable=False),
    Column("score", Float(53)),
    Column("p_yes", Float(53)),
    Column("p_no", Float(53)),
    Column("p_dk", Float(53)),
    Column("at", Moment, nullable=False),
    UniqueConstraint("study_id", "key"),
)

answers = Table(
    "tercet_answers",
    metadata,
    Column("study_id", ForeignKey("tercet_studies.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("shown_id", ForeignKey("tercet_shown.id"), nullable=False, unique=True),
    Column("reply", String(8), nullable=False),
    Column("response_ms", BigInteger),
    Column("at", Moment, nullable=False),
)

undos = Table(
    "tercet_undos",
    metadata,
    Column("study_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
    ForeignKeyConstraint(["study_id", "number"], ["tercet_answers.study_id", "tercet_answers.number"]),
)

Index("ix_tercet_shown_annotator", shown.c.study_id, shown.c.annotator)
