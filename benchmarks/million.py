"""A million items in a memory-mapped file: seconds a question, and memory, beside ten thousand items."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from data import MAX_ITEMS, centres
from measure import ONE_THREAD, Results, main

D, CLASSES = 50, 10
CHUNK = 100_000
#: The default, and the paper's parts: clusters and a forest.
LEARNERS = ("latent classes", "clusters and forest")


def measure(results: Results) -> None:
    """Ask a few questions about more and more items, each time in a process of its own."""
    sizes = (500, 2_000) if results.quick else (10_000, 100_000, 1_000_000)
    found: dict[tuple[int, str], dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            path = Path(folder) / f"{n}.npy"
            _write(path, n)
            options = ("2", "1000") if results.quick else ("6", str(MAX_ITEMS))
            for learner in LEARNERS:
                command = [sys.executable, __file__, "--child", str(path), *options, learner]
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True, env=os.environ | ONE_THREAD
                )
                each = found[n, learner] = json.loads(done.stdout)
                each["file"] = path.stat().st_size / 1e6
                print(f"  n = {n:,}, {learner}: {each}", flush=True)
            path.unlink()
    rows = [
        [
            n,
            learner,
            *(f"{each[key]:.2f}" for key in ("open", "first", "question", "question_cpu")),
            f"{each['question_cpu'] / found[sizes[0], learner]['question_cpu']:.2f}",
            *(f"{each[key]:,.0f}" for key in ("file", "peak", "own", "imports")),
        ]
        for (n, learner), each in found.items()
    ]
    columns = [
        "n",
        "learner",
        "open, s",
        "first question, s",
        "a later question, s",
        "of it processor, s",
        f"over n = {sizes[0]:,}",
        "file, MB",
        "peak resident, MB",
        "not of the file, MB",
        "imports alone, MB",
    ]
    results.table(f"Items in a memory-mapped NPY file, d = {D}, C = {CLASSES}", columns, rows)
    series = {name: {n: found[n, name]["question_cpu"] for n in sizes} for name in LEARNERS}
    results.curve("million-n", f"One question, d = {D}, C = {CLASSES}", "n, items", series)


def _write(path: Path, n: int) -> None:
    """Write clusters to a file, some rows at a time, so that this process stays small."""
    rng = np.random.default_rng(0)
    middle = centres(D, CLASSES, rng)
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(n, D))
    for start in range(0, n, CHUNK):
        size = min(CHUNK, n - start)
        table[start : start + size] = middle[_classes(start, size)] + rng.normal(size=(size, D))
    table.flush()


def _classes(start: int, size: int) -> np.ndarray:
    """Return the classes of some items, which nobody has to store: they take turns."""
    return (start + np.arange(size)) % CLASSES


def child(path: str, n_questions: int, max_items: int, learner_name: str) -> None:
    """Ask about the items in a file; print times and memory as JSON."""
    from tercet import ActiveLearner
    from tercet.beliefs import ClusterForest

    found = {"imports": _peak()}
    start = time.perf_counter()
    beliefs = ClusterForest() if learner_name == LEARNERS[1] else None
    learner = ActiveLearner(path, CLASSES, beliefs=beliefs, max_items=max_items, random_state=0)
    found["open"] = time.perf_counter() - start
    start = time.perf_counter()
    (query,) = learner.ask()
    found["first"] = time.perf_counter() - start
    wall, cpu = [], []
    for _ in range(n_questions):
        i, j, k = (item % CLASSES for item in query.triplet)
        answer = int(i == j) - int(i == k)
        start, busy = time.perf_counter(), time.process_time()
        learner.tell(query, answer)
        (query,) = learner.ask()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - busy)
    found |= {"question": float(np.median(wall)), "question_cpu": float(np.median(cpu))}
    found |= {"peak": _peak(), "own": _own()}
    print(json.dumps(found))


def _peak() -> float:
    """Return the most memory resident so far, in MB; pages of the file count, as the system may drop them."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _own() -> float:
    """Return the memory in MB that is now held for anything but files; not known but on Linux."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return float("nan")
    return next(
        (int(line.split()[1]) / 1e3 for line in status.splitlines() if "RssAnon" in line), float("nan")
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        main("million", measure)
