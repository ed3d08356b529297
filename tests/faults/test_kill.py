"""A process is killed in the middle of 1,000 answers: what it acknowledged is there, and there once."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.stores import SqlStore

RECORDER = Path(__file__).parent / "recorder.py"
N = 1000


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'answers.db'}"
    return request.getfixturevalue("postgres")


def test_every_acknowledged_answer_is_there_once(url):
    command = [sys.executable, str(RECORDER), url, str(N)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        acknowledged = [process.stdout.readline().split() for _ in range(N // 3)]
        process.send_signal(signal.SIGKILL)
        # What it printed before it died was acknowledged too; a line cut short was not.
        rest = process.stdout.read()
        acknowledged += [line.split() for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    assert process.returncode == -signal.SIGKILL
    assert len(acknowledged) < N

    store = SqlStore(url)
    answers = store.answers("birds")
    assert [(str(a.number), a.shown.key) for a in answers[: len(acknowledged)]] == [
        (number, key) for number, key, _ in acknowledged
    ]
    assert len(answers) <= len(acknowledged) + 1  # one may be on disk and not yet acknowledged
    assert len(answers) + len(store.waiting("birds")) <= len(answers) + 1

    # The person's browser sends everything again; only what is new counts.
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    assert sum(line.endswith("True") for line in done) == N - len(answers)
    assert [(a.number, a.shown.key) for a in store.answers("birds")] == [
        (place + 1, f"k{place}") for place in range(N)
    ]
    store.close()
