"""Opening a database: which one, how durable, and what its errors mean."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from tercet.stores import migrations
from tercet.stores._errors import NewerDatabaseError, StoreError
from tercet.stores._tables import VERSION_TABLE

#: How long to wait for others who write to the same file.
BUSY_SECONDS = 30.0
_FORMS = "sqlite:///answers.db or postgresql+psycopg://user@host/database"
# One number for all of Tercet, so that two processes do not migrate one database at once.
_MIGRATION_LOCK = 7_465_726_365


class Database:
    """An engine on a database in its newest form, and what to call it in messages."""

    def __init__(self, url: str, *, create: bool) -> None:
        parsed = _parse(url)
        #: Without password and options.
        self.name = URL.create(
            parsed.drivername, parsed.username, None, parsed.host, parsed.port, parsed.database
        ).render_as_string()
        self._file = Path(parsed.database or "") if parsed.drivername == "sqlite" else None
        if self._file is not None and not create and not self._file.exists():
            raise StoreError(
                f"there is no database {self.name}; check --db, or begin a study by tercet label"
            )
        self.engine = _sqlite(parsed) if self._file is not None else _postgres(parsed)
        #: Transactions that take SQLite's lock at once, so that they never have to be begun anew.
        self.writer = self.engine.execution_options(tercet_begin="BEGIN IMMEDIATE")
        try:
            with self.explained():
                self._check_version()
                self._migrate()
        except BaseException:
            self.engine.dispose()
            raise
        self._identity = _identity(self._file)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a transaction that is on disk when the block is left without an error."""
        self._check_file()
        with self.explained(), self.writer.begin() as connection:
            yield connection
        self._check_file()  # it may have gone meanwhile

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection to read with."""
        with self.explained(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what the database says into what to do about it."""
        try:
            yield
        except DBAPIError as error:
            raise StoreError(self._explain(error)) from error
        except SQLAlchemyError as error:
            raise StoreError(f"{self.name} could not do it ({type(error).__name__})") from error

    def _explain(self, error: DBAPIError) -> str:
        said = " ".join(str(error.orig).split())
        if self._file is None:
            hint = "; is the server up, and are user and password right?"
            return (
                f"{self.name} could not do it ({said}){hint if isinstance(error, OperationalError) else ''}"
            )
        ways_out = {
            "not a database": "it is no SQLite file; name another by --db",
            "malformed": "the file is damaged; restore it from a copy, or try sqlite3's .recover",
            "readonly": "make the file and its folder writable, or copy it to where you may write",
            "read-only": "make the file and its folder writable, or copy it to where you may write",
            "unable to open": _wanted(self._file),
            "full": "free some space; nothing was recorded",
            "locked": f"another program has kept it locked for {BUSY_SECONDS:.0f} seconds; close that one",
            "disk I/O error": "check the disk and its free space; nothing was recorded",
        }
        for words, way_out in ways_out.items():
            if words in said:
                return f"{self.name}: {said}; {way_out}"
        return f"{self.name} could not do it ({said})"

    def _check_file(self) -> None:
        """Refuse to write into a file that nobody finds again: a deleted one can still be written to."""
        if _identity(self._file) != self._identity:
            raise StoreError(
                f"{self.name} was deleted, moved or replaced while in use, and nothing is saved any more; "
                "put the same file back, or download the answers from the results page, start Tercet again "
                "and take them back by tercet import"
            )

    def _check_version(self) -> None:
        """Refuse a database that is newer than this code, before anything in it is changed."""
        known = {script.revision for script in _scripts(_config()).walk_revisions()}
        with self.engine.connect() as connection:
            heads = MigrationContext.configure(
                connection, opts={"version_table": VERSION_TABLE}
            ).get_current_heads()
        for head in set(heads) - known:
            raise NewerDatabaseError(
                f"{self.name} was written by a newer Tercet (its form is {head}, the newest known here is "
                f"{max(known)}); upgrade with pip install --upgrade tercet. Nothing was changed"
            )

    def _migrate(self) -> None:
        if self._file is not None:
            _use_write_ahead_log(self.engine)
        with self.writer.begin() as connection:
            if self._file is None:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def is_there(url: str) -> bool:
    """Return whether a database is there; a server's is taken to be."""
    parsed = _parse(url)
    return parsed.drivername != "sqlite" or Path(parsed.database or "").exists()


def try_out(url: str) -> None:
    """Refuse a database that cannot be opened or made, and make none."""
    if is_there(url):
        Database(url, create=False).engine.dispose()
        return
    file = Path(_parse(url).database or "")
    try:
        TemporaryFile(dir=file.parent).close()
    except OSError as error:
        raise StoreError(f"cannot make the database {file} ({error.strerror}); {_wanted(file)}") from error


def _wanted(file: Path) -> str:
    return f"is {file.parent.absolute()} a folder that you may write to? Name another place by --db"


def _identity(file: Path | None) -> tuple[int, int] | None:
    """Return what tells a file from another of its name; None if there is none."""
    try:
        found = None if file is None else file.stat()
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # their messages may hold the password
        known = "it has no scheme" if "://" not in url else f"it begins with {url.split('://')[0]!r}"
        hint = f"; did you mean sqlite:///{url}?" if "://" not in url else ""
        raise ValueError(f"this is no database URL ({known}); write {_FORMS}{hint}") from None
    if parsed.drivername in ("postgres", "postgresql"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername == "sqlite+pysqlite":
        parsed = parsed.set(drivername="sqlite")
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise ValueError(f"Tercet has no store for {parsed.drivername}://; write {_FORMS}")
    if parsed.drivername == "sqlite" and (parsed.database or ":memory:") == ":memory:":
        raise ValueError(f"{url} keeps nothing; name a file, as in sqlite:///answers.db")
    if "@" in (parsed.host or ""):
        raise ValueError("an @ in a database's user or password must be written as %40")
    return parsed


def _sqlite(url: URL) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # or Python would begin transactions of its own, too late
        # FULL: a commit is on the disk, not only in the system's memory, when it returns.
        for pragma in ("foreign_keys=ON", "synchronous=FULL", "fullfsync=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        statement = connection.get_execution_options().get("tercet_begin", "BEGIN")
        if statement is not None:
            connection.exec_driver_sql(statement)

    return engine


def _use_write_ahead_log(engine: Engine) -> None:
    """Let readers and a writer work at once; SQLite does not wait for the lock that this needs."""
    end = time.monotonic() + BUSY_SECONDS
    with engine.execution_options(tercet_begin=None).connect() as connection:
        while True:
            try:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
                return
            except OperationalError as error:
                if "locked" not in str(error.orig) or time.monotonic() > end:
                    raise
            time.sleep(0.02)


def _postgres(url: URL) -> Engine:
    timeout = {} if "connect_timeout" in url.query else {"connect_timeout": 10}
    try:
        engine = create_engine(url, pool_pre_ping=True, connect_args=timeout)
    except ImportError as error:
        raise ImportError(f"PostgreSQL needs psycopg ({error}): pip install 'tercet[postgres]'") from error

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        # A server that is set to forget the last commits in a crash keeps these; a stricter one stays so.
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('synchronous_commit')")
            if cursor.fetchone()[0] == "off":
                cursor.execute("SET synchronous_commit TO on")
        connection.commit()

    return engine


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__path__[0])).replace("%", "%%"))
    return config


def _scripts(config: Config) -> ScriptDirectory:
    return ScriptDirectory.from_config(config)
