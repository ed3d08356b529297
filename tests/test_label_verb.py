"""What `tercet label` says to bad input: a message with the way out, and an exit status that is not 0."""

import socket
import sqlite3
from contextlib import closing

import pytest

pytest.importorskip("uvicorn", reason="needs the extra 'label'")

from labelling.collections import collection
from tercet.cli import main
from tercet.labelling import Session
from tercet.media import load_items
from tercet.stores import SqlStore, Study
from tercet.stores._tables import VERSION_TABLE


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "fruit.csv"
    path.write_text("id,size\napple,7\npear,8\nbanana,18\n")
    return path


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return str(probe.getsockname()[1])


@pytest.fixture
def refused(capsys, tmp_path, monkeypatch, port):
    """Run the verb, which must not get as far as serving; return what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TERCET_PASSWORD", raising=False)

    def run(*arguments):
        assert main(["label", "--port", port, *map(str, arguments)]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        return said.err

    return run


def test_nothing_or_two_things_to_label(refused, table):
    assert "name a folder or table" in refused()
    assert "not both" in refused(table, "--example", "digits")


def test_a_busy_port(refused, table):
    with socket.create_server(("127.0.0.1", 0)) as other:
        busy = other.getsockname()[1]
        said = refused(table, "--port", busy)
    assert f"port {busy} on 127.0.0.1 is in use" in said
    assert f"--port {busy + 1}" in said
    assert "up to 65535" in refused(table, "--port", 70000)


def test_a_host_that_is_none(refused, table, tmp_path):
    password = tmp_path / "password.txt"
    password.write_text("correct horse\n")
    said = refused(table, "--host", "no.such.host.invalid", "--password-file", password)
    assert "is no address of this machine" in said
    said = refused(table, "--host", "192.0.2.1", "--password-file", password)  # kept for documents
    assert "cannot serve on 192.0.2.1" in said
    assert "try another --host" in said


def test_others_need_a_password(refused, table, tmp_path, monkeypatch):
    assert "needs a password" in refused(table, "--host", "0.0.0.0")
    (tmp_path / "empty").write_text("")
    said = refused(table, "--password-file", tmp_path / "missing")
    assert "missing (No such file or directory); check --password-file" in said
    (tmp_path / "picture").write_bytes(b"\xff\xd8")
    assert "it is no text" in refused(table, "--password-file", tmp_path / "picture")
    assert "is empty" in refused(table, "--host", "0.0.0.0", "--password-file", tmp_path / "empty")
    monkeypatch.setenv("TERCET_PASSWORD", "short")
    assert "at least 8" in refused(table)


def test_tables_that_cannot_be_used(refused, tmp_path, table):
    for content, words in (
        ("name,size\na,1\nb,2\nc,3\n", "id"),
        ("id,size\na,1\na,2\nb,3\n", "'a'"),
        ("id,size\na,1\nb,2\n", "needs 3"),
    ):
        table.write_text(content)
        assert words in refused(table)
    assert "there is no folder or table" in refused(tmp_path / "missing")


def test_what_cannot_be_begun_leaves_nothing_behind(refused, tmp_path, table):
    assert "4 classes are more than the 3 items" in refused(table, "--classes", "4")
    assert "catch_every is 1" in refused(table, "--catch", "1")
    assert [path.name for path in tmp_path.iterdir()] == [table.name]
    store = SqlStore(f"sqlite:///{tmp_path / 'tercet.db'}")
    with pytest.raises(ValueError, match="4 classes"):
        Session(load_items(table), store, "fruit", n_classes=4)
    assert store.studies() == []
    store.close()


def test_what_is_in_the_way_is_said_before_features_are_computed(refused, tmp_path, table, monkeypatch):
    def load_items(*_, **__):
        raise AssertionError("this may take an hour")

    monkeypatch.setattr("tercet.media.load_items", load_items)
    assert "catch_every is 1" in refused(table, "--catch", "1")
    assert "no database URL" in refused(table, "--db", "answers.db")
    assert "nowhere a folder that you may write to?" in refused(table, "--db", "sqlite:///nowhere/answers.db")
    (tmp_path / "tercet.db").write_text("something else, and longer than the header of a database" * 20)
    assert "is no SQLite file" in refused(table)


def test_a_newer_database_is_left_alone(refused, tmp_path, table):
    SqlStore(f"sqlite:///{tmp_path / 'tercet.db'}").close()
    with closing(sqlite3.connect(tmp_path / "tercet.db")) as database:
        database.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
        database.commit()
    assert "written by a newer Tercet" in refused(table)
    assert "pip install --upgrade tercet" in refused(table)


def test_a_database_that_cannot_be_written(refused, table, tmp_path):
    assert "a folder that you may write to" in refused(
        table, "--db", f"sqlite:///{tmp_path}/missing/tercet.db"
    )


def test_a_study_of_other_items_is_left_alone(refused, table, tmp_path):
    items, _ = collection(5)
    url = f"sqlite:///{tmp_path / 'tercet.db'}"
    store = SqlStore(url)
    store.open_study(Study("fruit", items.fingerprint, items.ids))
    store.close()
    assert "--study" in refused(table)
    store = SqlStore(url)
    assert list(store.study("fruit").ids) == list(items.ids)
    store.close()
