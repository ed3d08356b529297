"""From an answer to the next question in the labelling app's engine, with and without its look-ahead."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from data import mixture
from measure import Results, main

from tercet import ActiveLearner
from tercet.items import Items
from tercet.labelling import Session
from tercet.stores import SqlStore

#: Items, features and classes of Wine, of Segment, and of a large collection.
SIZES = ((178, 13, 3), (2_310, 19, 7), (100_000, 32, 10))
#: How long a person looks at a question, in seconds.
LOOKS = 2.0


def measure(results: Results) -> None:
    """Answer a few questions at leisure, in haste, and by a learner that begins once it has the answer."""
    sys.setswitchinterval(0.001)  # as `tercet label` does
    sizes = ((60, 4, 2), (120, 4, 2)) if results.quick else SIZES
    turns = 3 if results.quick else 12
    rows = []
    for n, d, n_classes in sizes:
        X, labels = mixture(n, d, n_classes, np.random.default_rng(0))
        items = Items([str(i) for i in range(n)], X, [str(f) for f in range(d)], [None] * n)
        ahead, ready = _session(items, labels, n_classes, turns, results.quick, haste=False)
        haste, _ = _session(items, labels, n_classes, turns, results.quick, haste=True)
        without = _learner(X, labels, n_classes, turns)
        rows.append(
            [
                f"{n:,}",
                *(f"{1000 * np.median(times):.1f}" for times in (ahead, haste)),
                f"{1000 * np.median(without):,.0f}",
                f"{np.median(without) / np.median(ahead):,.0f}",
                f"{100 * np.mean(ready):.0f}%",
            ]
        )
        print("  ", rows[-1], flush=True)
    columns = [
        "items",
        "with look-ahead, ms",
        "in haste, ms",
        "without, ms",
        "ratio",
        "of the newest model",
    ]
    results.table("From an answer to the next question, median", columns, rows)


def _session(
    items: Items, labels: np.ndarray, n_classes: int, turns: int, quick: bool, *, haste: bool
) -> tuple[list[float], list[bool]]:
    """Return seconds from answer to question, and whether the model had learned the answer by then."""
    took, ready = [], []
    with tempfile.TemporaryDirectory() as folder:
        store = SqlStore(f"sqlite:///{Path(folder) / 'study.db'}")
        with Session(items, store, "study", n_classes=n_classes) as session:
            standing = session.question("Ann", patience=600)
            session.learned(600)
            for _ in range(turns):
                shown = standing.shown
                assert shown is not None
                choice = _choice(items, labels, shown)
                if not haste:
                    time.sleep(0.2 if quick else LOOKS)
                start = time.perf_counter()
                outcome = session.answer("Ann", shown.key, choice, 1000)
                took.append(time.perf_counter() - start)
                ready.append(session.learned(0.0))
                standing = outcome.standing
        store.close()
    return took, ready


def _choice(items: Items, labels: np.ndarray, shown: object) -> str:
    head, j, k = (labels[items.index[name]] for name in shown.triplet)  # type: ignore[attr-defined]
    if (head == j) == (head == k):
        return "dk"
    return "left" if (head == j) == (shown.left == "j") else "right"  # type: ignore[attr-defined]


def _learner(X: np.ndarray, labels: np.ndarray, n_classes: int, turns: int) -> list[float]:
    """Return the seconds of a learner that is told the answer and then asked."""
    took = []
    learner = ActiveLearner(X, n_classes, random_state=0)
    (query,) = learner.ask()
    for _ in range(turns):
        head, j, k = labels[list(query.triplet)]
        start = time.perf_counter()
        learner.tell(query, 0 if (head == j) == (head == k) else 1 if head == j else -1)
        (query,) = learner.ask()
        took.append(time.perf_counter() - start)
    return took


if __name__ == "__main__":
    main("label", measure)
