"""The labelling app as people use it: `tercet label`, over HTTP, with a results page open beside."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from data import mixture
from measure import Results, main

#: Items, features and classes, as in label.py.
SIZES = ((178, 13, 3), (2_310, 19, 7), (100_000, 32, 10))
#: How long a person looks at a question, in seconds, and how often the results page asks.
LOOKS, POLLS = 1.5, 1.0
LEISURE, HASTE = 30, 20


def measure(results: Results) -> None:
    """Start the app, answer at leisure and in haste, look at everything on the results page."""
    sizes = ((60, 4, 2), (120, 4, 2)) if results.quick else SIZES
    found = {}
    for n, d, n_classes in sizes:
        with tempfile.TemporaryDirectory() as folder:
            found[n] = _run(Path(folder), n, d, n_classes, results.quick)
        print(f"  n = {n:,}: {found[n]}", flush=True)
    rows = [[what, *(each[what] for each in found.values())] for what in next(iter(found.values()))]
    results.table(
        "The whole app over HTTP; seconds, unless it says otherwise",
        ["", *(f"{n:,} items" for n in found)],
        rows,
    )


def _run(folder: Path, n: int, d: int, n_classes: int, quick: bool) -> dict[str, str]:
    X, labels = mixture(n, d, n_classes, np.random.default_rng(0))
    np.savez(folder / "things.npz", id=np.array([str(place) for place in range(n)]), X=X)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tercet", "label", "things.npz", "--port", str(port)]
    command += ["--questions", "1000"]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=_environment())
    try:
        assert process.stdout is not None
        assert process.stdout.readline(), "the app did not start"
        return {"start": f"{time.perf_counter() - start:.1f}"} | _visit(port, process.pid, labels, quick)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def _environment() -> dict[str, str]:
    """Return the environment without the limit of one thread: the app sets its own."""
    return {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}


def _visit(port: int, pid: int, labels: np.ndarray, quick: bool) -> dict[str, str]:
    page = Visitor(port, labels)
    found = {"first question": _seconds(page.enter)}
    watcher = Watcher(port)
    watcher.start()
    leisure = [page.answer(0.1 if quick else LOOKS) for _ in range(3 if quick else LEISURE)]
    haste = [page.answer(0.0) for _ in range(3 if quick else HASTE)]
    found["answer to next question, median"] = f"{np.median(leisure):.3f}"
    found["answer to next question, longest"] = f"{max(leisure):.3f}"
    found["in haste, median"] = f"{np.median(haste):.3f}"
    found["in haste, longest"] = f"{max(haste):.3f}"
    time.sleep(0.5 if quick else 8.0)  # the model catches up
    lag = []
    for _ in range(2 if quick else 5):
        page.answer(0.0)
        lag.append(page.picture_lag())
    found["picture of a new answer, median"] = f"{np.median(lag):.2f}"
    found["picture of a new answer, longest"] = f"{max(lag):.2f}"
    watcher.stop()
    found["figures of the results page, median"] = f"{np.median(watcher.took):.3f}"
    found["figures of the results page, longest"] = f"{max(watcher.took):.3f}"
    for what, path in (
        ("nearest neighbours of an item", "/api/items/7/neighbours"),
        ("a page of a cluster", "/api/clusters/0"),
        ("download: answers", "/download/answers.csv"),
        ("download: metric", "/download/metric.json"),
        ("download: clusters", "/download/clusters.csv"),
        ("download: transformed features", "/download/features.csv"),
    ):
        found[what] = _seconds(lambda path=path: page.client.get(path).raise_for_status())
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        peak = re.search(r"VmHWM:\s+(\d+)", status.read_text())
        assert peak is not None
        found["peak memory, MB"] = f"{int(peak[1]) / 1e3:,.0f}"
    return found


def _seconds(call: Any) -> str:
    start = time.perf_counter()
    call()
    return f"{time.perf_counter() - start:.3f}"


class Visitor:
    """Somebody with a browser who knows the classes."""

    def __init__(self, port: int, labels: np.ndarray) -> None:
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120, follow_redirects=True)
        self.labels = labels
        self.question: dict[str, Any] = {}
        self.answered = 0

    def enter(self) -> None:
        """Go to the first question."""
        token = re.search(r'name="csrf-token" content="([0-9a-f]+)"', self.client.get("/").text)
        assert token is not None
        self.client.post("/start", data={"csrf": token[1], "name": "Ann"}).raise_for_status()
        self.client.headers["x-csrf-token"] = token[1]
        self.question = self.client.get("/api/question").raise_for_status().json()["question"]

    def answer(self, looks: float) -> float:
        """Look, answer, and return the seconds until the next question is here."""
        time.sleep(looks)
        head, left, right = (self.labels[self.question[name]["index"]] for name in ("head", "left", "right"))
        choice = "dk" if (head == left) == (head == right) else "left" if head == left else "right"
        given = {"key": self.question["key"], "choice": choice, "response_ms": int(1000 * looks)}
        start = time.perf_counter()
        outcome = self.client.post("/api/answers", json=given).raise_for_status().json()
        took = time.perf_counter() - start
        self.answered = outcome["standing"]["answered"]
        self.question = outcome["standing"]["question"]
        return took

    def picture_lag(self) -> float:
        """Return the seconds until the picture has learned every answer."""
        start = time.perf_counter()
        while True:
            picture = self.client.get("/api/results").json()["picture"]
            if picture is not None and picture["n_answers"] >= self.answered:
                return time.perf_counter() - start
            time.sleep(0.05)


class Watcher(threading.Thread):
    """A results page that is open: it asks every second what is new."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120)
        self.took: list[float] = []
        self._over = threading.Event()

    def run(self) -> None:
        """Ask until it is over."""
        seen, version = -1, ""
        while not self._over.wait(POLLS):
            start = time.perf_counter()
            news = self.client.get("/api/results", params={"seen": seen, "picture": version}).json()
            self.took.append(time.perf_counter() - start)
            seen = news["revision"]
            version = news["picture"]["version"] if news["picture"] else version

    def stop(self) -> None:
        """Close the page."""
        self._over.set()
        self.join()


if __name__ == "__main__":
    main("app", measure)
