"""The real server, killed in the middle of 1,000 answers and on a full disk."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

import httpx
import numpy as np
import pytest

from tercet.stores import SqlStore

N = 1000


@pytest.fixture
def table(tmp_path):
    """Sixty items of two features."""
    rng = np.random.default_rng(0)
    rows = [f"item{place},{x:.4f},{y:.4f}" for place, (x, y) in enumerate(rng.normal(size=(60, 2)))]
    path = tmp_path / "things.csv"
    path.write_text("\n".join(["id,x,y", *rows]) + "\n")
    return path


class Server:
    """``tercet label`` in a process of its own."""

    def __init__(self, table, database):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "tercet",
            "label",
            str(table),
            "--classes",
            "2",
            "--questions",
            "100000",
        ]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [*command, "--db", f"sqlite:///{database}", "--port", str(self.port)], env=environment
        )
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", timeout=60, follow_redirects=True
        )
        for _ in range(6000):  # a busy machine takes its time
            try:
                self.client.get("/")
                break
            except httpx.TransportError:
                assert self.process.poll() is None, "the server did not start"
                time.sleep(0.1)
        token = re.search(r'csrf-token" content="(\w+)"', self.client.get("/").text)[1]
        self.client.headers["x-csrf-token"] = token
        self.client.post("/start", data={"csrf": token, "name": "Ann"})

    def question(self):
        return self.client.get("/api/question").json()["question"]["key"]

    def answer(self, key):
        return self.client.post("/api/answers", json={"key": key, "choice": "left", "response_ms": 1})

    def end(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(60)
        self.client.close()


def test_a_killed_server_has_every_acknowledged_answer_once(table, tmp_path):
    database = tmp_path / "study.db"
    acknowledged, key = [], None
    for life in range(2):
        server = Server(table, database)
        # The browser sends the last answer again if it never heard of it.
        key = key or server.question()
        while len(acknowledged) < (N // 2, N)[life]:
            sent = server.answer(key)
            assert sent.status_code == 200
            acknowledged.append((sent.json()["number"], key))
            key = sent.json()["standing"]["question"]["key"]
        if life == 0:  # in the middle of an answer
            with suppress(httpx.TransportError):
                server.client.post(
                    "/api/answers", json={"key": key, "choice": "left", "response_ms": 1}, timeout=0.001
                )
        server.end()
    store = SqlStore(f"sqlite:///{database}")
    answers = store.answers("things")
    assert [(answer.number, answer.shown.key) for answer in answers] == acknowledged
    assert len({answer.shown.key for answer in answers}) == len(answers) == N
    assert len({frozenset(a.shown.triplet[1:]) | {("head", a.shown.triplet[0])} for a in answers}) == N
    store.close()


@pytest.mark.skipif(
    "CI" not in os.environ and not (hasattr(os, "geteuid") and os.geteuid() == 0),
    reason="needs root, to mount",
)
def test_a_full_disk_is_said_and_the_answer_can_be_sent_again(table, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)], check=True)
    server = None
    try:
        server = Server(table, small / "study.db")
        key = server.question()
        first = server.answer(key)
        assert first.status_code == 200
        key = first.json()["standing"]["question"]["key"]
        filler = small / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        answers = [server.answer(key)]
        while answers[-1].status_code == 200 and len(answers) < 500:
            key = answers[-1].json()["standing"]["question"]["key"]
            answers.append(server.answer(key))
        assert answers[-1].status_code == 507
        assert "full" in answers[-1].json()["detail"]
        filler.unlink()
        again = server.answer(key)
        assert again.status_code == 200
        number = again.json()["number"]
        server.end()
        store = SqlStore(f"sqlite:///{small / 'study.db'}")
        keys = [answer.shown.key for answer in store.answers("things")]
        store.close()
        assert len(keys) == len(set(keys)) == number
        assert keys[-1] == key
    finally:
        if server is not None and server.process.poll() is None:
            server.end()
        subprocess.run(["umount", str(small)], check=True)
