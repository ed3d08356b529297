"""What all benchmarks share: timing side by side, tables, and a JSON file of what was found."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

HERE = Path(__file__).parent
RESULTS = HERE / "results"
#: Read by numerical libraries when they are loaded: everything runs on one thread.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def cpu(call: Callable[[], object]) -> Callable[[], float]:
    """Return a function that runs ``call`` and returns the processor seconds that it took."""

    def timed() -> float:
        start = time.process_time()
        call()
        return time.process_time() - start

    return timed


def alternately(
    sides: Mapping[str, Callable[[], float]],
    seconds: float = 1.0,
    summary: Callable[[list[float]], Any] = min,
) -> dict[str, float]:
    """Time several ways of doing the same in turn, and return the least seconds of each.

    Each side is a function that returns the processor seconds it took. They take turns, so that whatever
    else the machine does hurts all alike, and the least is what it disturbed least; where the work itself
    differs from turn to turn, ``summary`` should be the median. The first turn (compilers, caches) does not
    count. Two turns at least are timed, then as many as fit into ``seconds``.
    """
    for side in sides.values():
        side()
    took: dict[str, list[float]] = {name: [] for name in sides}
    start, turns = time.perf_counter(), 0
    while turns < 2 or (time.perf_counter() - start < seconds and turns < 200):
        for name, side in sides.items():
            took[name].append(side())
        turns += 1
    return {name: float(summary(times)) for name, times in took.items()}


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the power with which y grows in x, over the upper half of x, where fixed costs count least."""
    log_x, log_y = np.log(x), np.log(y)
    upper = log_x >= (log_x[0] + log_x[-1]) / 2 - 1e-9
    if np.count_nonzero(upper) < 2:
        upper[-2:] = True
    return float(np.polyfit(log_x[upper], log_y[upper], 1)[0])


class Results:
    """What one benchmark found: comparisons with peers, tables, curves, and peers that could not be run."""

    def __init__(self, name: str, quick: bool) -> None:
        self.name, self.quick = name, quick
        self.comparisons: list[dict[str, Any]] = []
        self.accuracies: list[dict[str, Any]] = []
        self.tables: list[dict[str, Any]] = []
        self.curves: list[dict[str, Any]] = []
        self.failures: list[dict[str, str]] = []
        self.versions: dict[str, str] = {}

    def compare(self, what: str, size: str, peer: str, ours: float, theirs: float, note: str = "") -> None:
        """Record seconds of both sides; their ratio says how many times as long the peer takes."""
        row = {"what": what, "size": size, "peer": peer, "ours": ours, "theirs": theirs, "note": note}
        self.comparisons.append(row | {"ratio": theirs / ours})
        print(f"  {what}, {size}: {peer} / Tercet = {number(theirs / ours)}", flush=True)

    def accuracy(self, size: str, ours: float, peers: Mapping[str, float]) -> None:
        """Record how often each side is right, so that the page can say where a peer is more often."""
        self.accuracies += [
            {"size": size, "peer": peer, "ours": ours, "theirs": peers[peer]} for peer in peers
        ]

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Record a table; its cells are words or numbers."""
        cells = [[cell if isinstance(cell, str) else number(cell) for cell in row] for row in rows]
        self.tables.append({"title": title, "columns": list(columns), "rows": cells})

    def curve(self, name: str, title: str, x_label: str, series: Mapping[str, Mapping[float, float]]) -> None:
        """Record curves of seconds against a size, as {name: {size: seconds}}."""
        lines = [
            {"name": key, "x": list(points), "y": list(points.values()), "slope": slope(*_axes(points))}
            for key, points in series.items()
            if len(points) > 1
        ]
        self.curves.append({"name": name, "title": title, "x_label": x_label, "series": lines})

    def failed(self, peer: str, error: str) -> None:
        """Record that a peer could not be installed or run, and why."""
        self.failures.append({"peer": peer, "error": error})
        print(f"  {peer} could not be measured: {error}", flush=True)

    def markdown(self) -> str:
        """Return everything as Markdown tables."""
        parts = []
        if self.comparisons:
            parts.append(comparison_table(self.comparisons))
        parts += [f"{table['title']}\n\n{markdown(table['columns'], table['rows'])}" for table in self.tables]
        for curve in self.curves:
            rows = [[line["name"], f"{line['slope']:.2f}"] for line in curve["series"]]
            parts.append(
                f"{curve['title']}: growth\n\n" + markdown(["", f"slope in {curve['x_label']}"], rows)
            )
        parts += [f"{each['peer']} could not be measured: {each['error']}" for each in self.failures]
        return "\n\n".join(parts)

    def save(self) -> None:
        """Write the JSON file; a quick run has its own folder, so that it replaces nothing."""
        folder = RESULTS / "quick" if self.quick else RESULTS
        folder.mkdir(parents=True, exist_ok=True)
        names = ("tercet", "numpy", "scipy", "scikit-learn", "numba")
        here = {"python": platform.python_version()} | {name: version(name) for name in names}
        found = {"name": self.name, "cores": os.cpu_count(), "versions": here | self.versions}
        if hasattr(os, "getloadavg"):  # over the last five minutes, this run included
            found["load"] = round(os.getloadavg()[1], 1)
        for part in ("comparisons", "accuracies", "tables", "curves", "failures"):
            found[part] = getattr(self, part)
        (folder / f"{self.name}.json").write_text(json.dumps(found, indent=1) + "\n")


def main(name: str, measure: Callable[[Results], None]) -> None:
    """Run one benchmark on one thread, print its tables and write its JSON file."""
    parser = argparse.ArgumentParser(description=measure.__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    results = Results(name, parser.parse_args().quick)
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        measure(results)
    results.save()
    print(f"\n{results.markdown()}\n", flush=True)


def comparison_table(comparisons: Sequence[Mapping[str, Any]]) -> str:
    """Return comparisons as a table, with the ratio in bold where the peer is faster."""
    rows = []
    for row in comparisons:
        ratio = number(row["ratio"])
        times = [seconds(row[side]) for side in ("ours", "theirs")]
        shown = f"**{ratio}**" if row["ratio"] < 1 else ratio
        rows.append([row["what"], row["size"], row["peer"], *times, shown, row["note"]])
    return markdown(["", "size", "peer", "Tercet", "peer's time", "peer / Tercet", ""], rows)


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: Any) -> str:
    """Return a number with about two digits that matter."""
    if isinstance(value, (int, np.integer)):
        return f"{value:,}"
    if not np.isfinite(value):
        return str(value)
    if abs(value) >= 10 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.2g}"


def seconds(value: float) -> str:
    """Return a time in a unit that suits it."""
    if value >= 1:
        return f"{value:.1f} s"
    return f"{value * 1e3:.2g} ms" if value < 0.1 else f"{value * 1e3:.0f} ms"


def _axes(points: Mapping[float, float]) -> tuple[list[float], list[float]]:
    return list(points), list(points.values())
