"""A disk that is full: the answer is refused, not lost in silence, and all others stay."""

import os
import resource
import subprocess
from datetime import UTC, datetime

import pytest

from tercet.stores import Shown, SqlStore, StoreError, Study


def fill(store):
    """Record answers until the store refuses; return how many it took."""
    store.open_study(Study("birds", "f", ["wren", "tit", "jay"]))
    for place in range(100_000):
        at = datetime.now(UTC)
        shown = Shown(
            f"k{place}", "a" * 5000, ("wren", "tit", "jay"), "j", "question", "Info()", None, None, at
        )
        try:
            store.show("birds", shown)
            store.record("birds", f"k{place}", "yes", 1)
        except StoreError as error:
            return place, str(error)
    raise AssertionError("the disk never filled up")


def check(url, n_recorded):
    """What was acknowledged is there, and with new space it goes on."""
    store = SqlStore(url)
    assert [answer.shown.key for answer in store.answers("birds")] == [f"k{n}" for n in range(n_recorded)]
    at = datetime.now(UTC)
    store.show(
        "birds", Shown("new", "ada", ("wren", "tit", "jay"), "j", "question", "Info()", None, None, at)
    )
    assert store.record("birds", "new", "no", 1)[0].number == n_recorded + 1
    store.close()


def test_a_database_that_may_not_grow(tmp_path):
    url = f"sqlite:///{tmp_path / 'answers.db'}"
    store = SqlStore(url)
    with store._database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 60")
    n_recorded, message = fill(store)
    store.close()
    assert n_recorded > 5
    assert "database or disk is full; free some space; nothing was recorded" in message
    check(url, n_recorded)


def test_a_file_that_may_not_grow(tmp_path):
    url = f"sqlite:///{tmp_path / 'answers.db'}"
    store = SqlStore(url)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, limits[1]))
    try:
        n_recorded, message = fill(store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    store.close()
    assert n_recorded > 5
    assert "nothing was recorded" in message
    check(url, n_recorded)


def test_a_disk_that_is_full(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk; the tests above fill a file instead")
    try:
        url = f"sqlite:///{disk / 'answers.db'}"
        store = SqlStore(url)
        n_recorded, message = fill(store)
        store.close()
        assert n_recorded > 5
        assert "full" in message
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        check(url, n_recorded)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
