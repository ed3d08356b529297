"""How the time of a step grows with items, features, classes and answers, beside the plain stack."""

from __future__ import annotations

from environments import PeerError, Worker, worker
from measure import Results, main
from stack import PARTS, Step

BASE = {"n": 1000, "d": 20, "n_classes": 5, "m": 100}
SIZES = {
    "n": (100, 200, 500, 1000, 2000, 5000, 10_000),
    "d": (5, 10, 20, 50, 100, 200, 500),
    "n_classes": (2, 3, 5, 8, 13, 20, 32),
    "m": (10, 30, 100, 300, 1000, 3000),
}
QUICK_BASE = {"n": 200, "d": 5, "n_classes": 3, "m": 20}
QUICK_SIZES = {"n": (100, 400), "d": (3, 12), "n_classes": (2, 8), "m": (10, 40)}
WORDS = {"n": "n, items", "d": "d, features", "n_classes": "C, classes", "m": "m, answers"}


def measure(results: Results) -> None:
    """Vary one size at a time and keep the others."""
    try:
        with worker("plain") as plain:
            results.versions.update(plain.versions)
            _measure(results, plain)
    except PeerError as error:
        results.failed("plain stack", str(error))
        results.comparisons.clear()
        results.curves.clear()
        _measure(results, None)


def _measure(results: Results, plain: Worker | None) -> None:
    base, sizes = (QUICK_BASE, QUICK_SIZES) if results.quick else (BASE, SIZES)
    for name, values in sizes.items():
        series: dict[str, dict[float, float]] = {}
        rest = ", ".join(f"{WORDS[key].split(',')[0]} = {base[key]:,}" for key in base if key != name)
        for value in values:
            times = Step(**base | {name: value}).beside(plain, 0.05 if results.quick else 0.8)
            for part in ("whole", *PARTS):
                series.setdefault(f"Tercet, {part}", {})[value] = times["Tercet"][part]
            if plain is not None:
                ours, theirs = times["Tercet"]["whole"], times["plain"]["whole"]
                series.setdefault("plain stack, whole", {})[value] = theirs
                size = f"{WORDS[name].split(',')[0]} = {value:,} ({rest})"
                results.compare("sum of the parts", size, "plain stack", ours, theirs)
        results.curve(f"growth-{WORDS[name][0]}", f"One step, {rest}", WORDS[name], series)


if __name__ == "__main__":
    main("growth", measure)
