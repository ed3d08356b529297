"""Peers in virtual environments of their own, each with a worker process that takes orders.

A peer that cannot be installed or started raises `PeerError` with the last line of what went wrong.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from measure import HERE, ONE_THREAD

FOLDER = HERE / ".environments"


def _same(*names: str) -> list[str]:
    """Return requirements for the very versions that Tercet runs with here."""
    return [f"{name}=={version(name)}" for name in names]


#: What each peer needs. metric-learn 0.7.0 breaks on scikit-learn 1.8 and newer.
REQUIREMENTS = {
    "metric-learn": ["metric-learn==0.7.0", "scikit-learn==1.7.2"],
    "scikit-activeml": ["scikit-activeml==1.0.1"],
    "salmon": ["salmon-triplets==1.0.3"],
    "plain": ["cvxpy==1.9.3", "clarabel==0.11.1", *_same("numpy", "scipy", "scikit-learn")],
}
WORKERS = {
    "metric-learn": "metric_learn_worker.py",
    "scikit-activeml": "activeml_worker.py",
    "salmon": "salmon_worker.py",
    "plain": "plain_worker.py",
}


class PeerError(RuntimeError):
    """A peer could not be installed, or could not do what it was told."""


def install(name: str) -> Path:
    """Return the Python of a peer's environment, which is made if it is missing or has changed."""
    folder = FOLDER / name
    python, ready = folder / "bin" / "python", folder / "ready"
    wanted = "\n".join(REQUIREMENTS[name])
    if ready.exists() and ready.read_text() == wanted:
        return python
    print(f"  setting up {name} ({', '.join(REQUIREMENTS[name])})", flush=True)
    _run([sys.executable, "-m", "venv", "--clear", str(folder)])
    options = ["--quiet", "--no-compile", "--disable-pip-version-check", "--prefer-binary"]
    _run([str(python), "-m", "pip", "install", *options, *REQUIREMENTS[name]])
    ready.write_text(wanted)
    return python


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerError(_last_line(done.stderr or done.stdout))


def _last_line(text: str) -> str:
    """Return the last line of a message that says something, without addresses of this machine."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()] or lines or ["it said nothing"]
    line = re.sub(r"\w+://\S+", "(address)", errors[-1])
    return re.sub(r"(?<![\w.])/[\w.+-]+(?:/[\w.+-]+)+", "(path)", line)


class Worker:
    """A process in a peer's environment that does one thing at a time and says how long it took."""

    def __init__(self, name: str) -> None:
        python = install(name)
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - lives as long as the process
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            [str(python), str(HERE / "workers" / WORKERS[name])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | ONE_THREAD,
            cwd=self._folder.name,
        )
        self.versions: dict[str, str] = self._receive()["result"]

    def load(self, **arrays: Any) -> None:
        """Give the worker its data."""
        path = Path(self._folder.name) / "data.npz"
        np.savez(path, **arrays)
        self.do("load", path=str(path))

    def do(self, what: str, **options: Any) -> dict[str, Any]:
        """Have the worker do something; return its answer, with "cpu" seconds and a "result"."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": what, "options": options}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise PeerError(self._last_words()) from None
        return self._receive()

    def timed(self, what: str, **options: Any) -> Callable[[], float]:
        """Return a function that has the worker do something and returns its processor seconds."""
        return lambda: float(self.do(what, **options)["cpu"])

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerError(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise PeerError(_last_line(answer["error"]))
        return answer

    def _last_words(self) -> str:
        self._errors.seek(0)
        return _last_line(self._errors.read())

    def close(self) -> None:
        """Let the process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()
        self._folder.cleanup()


@contextmanager
def worker(name: str) -> Iterator[Worker]:
    """Start a peer's worker and end it afterwards."""
    started = Worker(name)
    try:
        yield started
    finally:
        started.close()
