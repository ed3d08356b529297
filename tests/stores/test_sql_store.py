"""What only databases can get wrong: their form, files and servers, and several processes at once."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text
from store_questions import STUDY, question

from tercet import stores
from tercet.stores import NewerDatabaseError, SqlStore, StoreError
from tercet.stores import _tables as tables
from tercet.stores._database import Database


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    return request.getfixturevalue(request.param)


def file_of(url):
    return Path(url.removeprefix("sqlite:///"))


def test_everything_is_there_after_closing_and_opening(url):
    store = SqlStore(url)
    store.open_study(STUDY)
    store.show("birds", question("a"))
    store.show("birds", question("b"))
    answer, _ = store.record("birds", "a", "yes", 7)
    store.save_settings("birds", {"title": "new"})
    store.close()
    again = SqlStore(url)
    assert again.study("birds").settings == {"title": "new"}
    assert again.answers("birds") == [answer]
    assert again.waiting("birds") == [question("b")]
    again.close()


def test_the_migrations_make_the_tables_that_the_code_expects(url):
    SqlStore(url).close()
    engine = create_engine(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "version_table": tables.VERSION_TABLE,
                "compare_type": True,
            },
        )
        assert compare_metadata(context, tables.metadata) == []
    engine.dispose()


def test_a_database_of_a_newer_version_is_refused_and_left_alone(url):
    SqlStore(url).close()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {tables.VERSION_TABLE} SET version_num = '9999'"))
    engine.dispose()
    before = file_of(url).read_bytes() if url.startswith("sqlite") else None
    with pytest.raises(NewerDatabaseError, match=r"newer Tercet \(its form is 9999.*0001\).*upgrade"):
        SqlStore(url)
    if before is not None:
        assert file_of(url).read_bytes() == before


def test_nothing_is_ever_deleted(url):
    store = SqlStore(url)
    store.open_study(STUDY)
    store.show("birds", question("a"))
    store.record("birds", "a", "yes", 7)
    store.undo("birds", "ada")
    store.save_settings("birds", {})
    store.close()
    engine = create_engine(url)
    with engine.connect() as connection:
        counts = [
            connection.scalar(text(f"SELECT count(*) FROM {table}"))
            for table in ("tercet_settings", "tercet_shown", "tercet_answers", "tercet_undos")
        ]
    engine.dispose()
    assert counts == [2, 2, 1, 1]


WORKER = """
import json, os, sys, time
from pathlib import Path
from store_questions import STUDY, question
from tercet.stores import SqlStore
url, name, folder = sys.argv[1:]
Path(folder, name).touch()
parent = os.getppid()
while not Path(folder, "go").exists():
    time.sleep(0.005)
    assert os.getppid() == parent, "the test has gone"
store = SqlStore(url)  # both migrate an empty database at once
store.open_study(STUDY)
done = []
for place in range(25):
    for key in (f"common {place}", f"{name} {place}"):
        store.show("birds", question(key))
        answer, new = store.record("birds", key, "yes", 1)
        done.append([answer.number, key, new])
print(json.dumps(done))
"""


def test_two_processes_at_once(url, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, url, name, str(tmp_path)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    while not all((tmp_path / name).exists() for name in ("one", "two")):
        assert all(process.poll() is None for process in processes)
        time.sleep(0.05)
    (tmp_path / "go").touch()
    results = [json.loads(process.communicate()[0]) for process in processes]
    for done in results:  # each sees its own in order
        numbers = [number for number, _, new in done if new]
        assert numbers == sorted(numbers)
    together = [entry for done in results for entry in done]
    new = [(number, key) for number, key, is_new in together if is_new]
    assert len(new) == len({key for _, key in new}) == 75
    assert sorted(number for number, _ in new) == list(range(1, 76))
    # Who came second with a common key got the first one's answer.
    first = {key: number for number, key in new}
    assert all(first[key] == number for number, key, _ in together)
    store = SqlStore(url)
    assert [(a.number, a.shown.key) for a in store.answers("birds")] == sorted(new)
    store.close()


def test_sqlite_writes_through_to_the_disk(sqlite):
    database = Database(sqlite, create=True)
    with database.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000
    database.engine.dispose()


def test_postgresql_waits_for_the_disk_even_where_the_server_would_not(postgres):
    engine = create_engine(postgres, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("ALTER DATABASE postgres SET synchronous_commit = off"))
    engine.dispose()
    try:
        database = Database(postgres, create=True)
        with database.engine.connect() as connection:
            assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
        database.engine.dispose()
    finally:
        with engine.connect() as connection:
            connection.execute(text("ALTER DATABASE postgres RESET synchronous_commit"))
        engine.dispose()


class TestFiles:
    def test_a_file_that_is_no_database(self, tmp_path):
        path = tmp_path / "notes.txt"
        path.write_text("these are my notes, and they are long enough to be read as a header\n" * 20)
        before = path.read_bytes()
        with pytest.raises(StoreError, match=r"notes.txt: file is not a database.*--db"):
            SqlStore(f"sqlite:///{path}")
        assert path.read_bytes() == before

    def test_another_programs_database_keeps_its_tables(self, sqlite):
        with sqlite3.connect(file_of(sqlite)) as connection:
            connection.execute("CREATE TABLE studies (a)")
            connection.execute("INSERT INTO studies VALUES (1)")
        connection.close()
        store = SqlStore(sqlite)
        assert store.studies() == []
        store.close()
        connection = sqlite3.connect(file_of(sqlite))
        assert connection.execute("SELECT a FROM studies").fetchall() == [(1,)]
        connection.close()

    def test_a_damaged_file(self, sqlite):
        store = SqlStore(sqlite)
        store.open_study(STUDY)
        store.close()
        content = bytearray(file_of(sqlite).read_bytes())
        content[100:4096] = os.urandom(3996)  # the list of tables
        file_of(sqlite).write_bytes(content)
        with pytest.raises(StoreError, match=r"malformed.*damaged"):
            SqlStore(sqlite)

    def test_a_folder_that_is_not_there(self, tmp_path):
        with pytest.raises(StoreError, match=r"unable to open.*is .*nowhere a folder"):
            SqlStore(f"sqlite:///{tmp_path / 'nowhere' / 'answers.db'}")

    def test_a_folder_in_place_of_the_file(self, tmp_path):
        with pytest.raises(StoreError, match="unable to open"):
            SqlStore(f"sqlite:///{tmp_path}")

    def test_only_what_is_there_where_that_is_asked(self, sqlite):
        with pytest.raises(StoreError, match=r"no database sqlite:.*--db"):
            SqlStore(sqlite, create=False)
        assert not file_of(sqlite).exists()

    def test_a_read_only_folder(self, sqlite, as_nobody):
        folder = file_of(sqlite).parent
        folder.chmod(0o555)
        with as_nobody(), pytest.raises(StoreError, match="folder that you may write to"):
            SqlStore(sqlite)
        folder.chmod(0o755)

    def test_a_read_only_file(self, sqlite, as_nobody):
        store = SqlStore(sqlite)
        store.open_study(STUDY)
        store.close()
        file_of(sqlite).chmod(0o444)
        file_of(sqlite).parent.chmod(0o777)
        with as_nobody():
            store = SqlStore(sqlite)
            assert store.study("birds") == STUDY  # it can be exported
            with pytest.raises(StoreError, match=r"readonly database.*writable"):
                store.save_settings("birds", {})
            store.close()

    @pytest.mark.skipif(os.name != "posix", reason="elsewhere a file in use cannot be deleted")
    def test_a_file_that_was_deleted_or_moved_takes_no_answer(self, sqlite, tmp_path):
        store, file = SqlStore(sqlite), file_of(sqlite)
        store.open_study(STUDY)
        for key in "ab":
            store.show("birds", question(key))
        store.record("birds", "a", "yes", 7)
        moved = file.rename(tmp_path / "moved.db")
        with pytest.raises(StoreError, match=r"deleted, moved or replaced .*put the same file back"):
            store.record("birds", "b", "yes", 7)
        assert not file.exists()
        assert len(store.answers("birds")) == 1  # they can still be downloaded
        moved.rename(file)
        assert store.record("birds", "b", "no", 7)[1]
        file.unlink()
        file.touch()
        with pytest.raises(StoreError, match="replaced"):
            store.save_settings("birds", {})
        store.close()

    @pytest.mark.skipif(os.name != "posix", reason="elsewhere a file in use cannot be deleted")
    def test_a_file_that_goes_while_an_answer_is_written(self, sqlite):
        store = SqlStore(sqlite)
        store.open_study(STUDY)
        with pytest.raises(StoreError, match="nothing is saved any more"), store._database.writing():
            file_of(sqlite).unlink()
        store.close()

    def test_a_file_that_somebody_keeps_locked(self, sqlite, monkeypatch):
        store = SqlStore(sqlite)
        store.open_study(STUDY)
        store.close()
        monkeypatch.setattr("tercet.stores._database.BUSY_SECONDS", 0.05)
        other = sqlite3.connect(file_of(sqlite), isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"locked.*close that one"):
            SqlStore(sqlite).save_settings("birds", {})
        other.close()


@pytest.fixture
def as_nobody(tmp_path):
    """Give up root's rights for a while; others have none to give up."""
    if os.geteuid() != 0:
        return nullcontext
    SqlStore(f"sqlite:///{tmp_path / 'first.db'}").close()  # so that all modules are loaded
    parents = [folder for folder in tmp_path.parents if Path(tempfile.gettempdir()) in folder.parents]

    @contextmanager
    def nobody():
        modes = {folder: folder.stat().st_mode for folder in parents}
        for folder in parents:
            folder.chmod(modes[folder] | 0o011)
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)
            for folder, mode in modes.items():
                folder.chmod(mode)

    return nobody


class TestUrls:
    @pytest.mark.parametrize(
        ("url", "message"),
        [
            ("answers.db", r"no scheme.*did you mean sqlite:///answers.db"),
            ("mysql://ada:secret@host/db", "no store for mysql://; write sqlite:///"),
            ("postgresql+asyncpg://ada:secret@host/db", "no store for postgresql"),
            ("postgresql://ada:sec@ret@host/db", "must be written as %40"),
            ("postgresql://ada:secret@host:port/db", "no database URL .*begins with 'postgresql'"),
            ("sqlite://", "keeps nothing"),
            ("sqlite:///:memory:", "keeps nothing"),
        ],
    )
    def test_wrong_ones_are_refused_without_their_passwords(self, url, message):
        with pytest.raises(ValueError, match=message) as caught:
            SqlStore(url)
        assert "sec" not in str(caught.value).replace("seconds", "")

    def test_a_server_that_is_not_there(self):
        pytest.importorskip("psycopg")
        with pytest.raises(
            StoreError, match=r"postgresql\+psycopg://ada@127.0.0.1:1/db.*server up"
        ) as caught:
            SqlStore("postgresql://ada:secret@127.0.0.1:1/db?options=-csecret%3D1")
        assert "secret" not in str(caught.value)

    def test_the_password_is_not_in_the_repr(self, postgres):
        store = SqlStore(postgres.replace("postgres:@", "postgres:secret@"))
        assert "secret" not in repr(store)
        assert repr(store).startswith("SqlStore('postgresql+psycopg://postgres@")
        store.close()

    def test_a_missing_driver_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(ImportError, match=r"pip install 'tercet\[postgres\]'"):
            SqlStore("postgresql://host/db")

    def test_missing_sqlalchemy_names_the_extra(self, monkeypatch):
        for name in [name for name in sys.modules if name.startswith("tercet.stores.sql")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "sqlalchemy", None)
        with pytest.raises(ImportError, match=r"pip install 'tercet\[sql\]'"):
            _ = stores.SqlStore

    def test_other_names_are_not_invented(self):
        with pytest.raises(AttributeError, match="Sequel"):
            _ = stores.Sequel


def test_a_server_that_goes_away_is_an_error_and_comes_back(postgres):
    store = SqlStore(postgres)
    store.open_study(STUDY)
    store.show("birds", question("a"))
    engine = create_engine(postgres, isolation_level="AUTOCOMMIT")
    with store._database.writing() as connection:
        mine = connection.scalar(text("SELECT pg_backend_pid()"))
        with engine.connect() as other:
            other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": mine})
        with pytest.raises(StoreError, match="could not do it"), store._database.explained():
            connection.execute(text("SELECT 1"))
        connection.rollback()
    engine.dispose()
    assert store.record("birds", "a", "yes", 1)[1]
    store.close()
