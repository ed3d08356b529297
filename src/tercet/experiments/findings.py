"""What the numbers of one dataset say, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tercet.experiments import paper
from tercet.experiments.rows import Row
from tercet.experiments.statistics import Results, compare, win_tie_loss

_METHOD = "Info"
_PLAIN = {"Euclid": "raw", "Euclid, standardised": "standardised"}
_HELPED = {
    "win": "Learning helped: this is significantly better than {}.",
    "tie": "Learning did not help against {}: no significant difference.",
    "loss": "Learning did not help against {}, which is significantly better.",
    "untested": "There are too few common runs to test it against {}.",
}


def finding(rows: Sequence[Row], dataset: str) -> str:
    """Return whether Info beat Random, how near it is to the paper, and whether learning helped at all."""
    results = Results.of(rows)
    counts = [c for c in results.counts(dataset, _METHOD) if results.values(dataset, _METHOD, "one_nn", c)]
    if not counts:
        return "There are no results of Info for this dataset."
    final = results.values(dataset, _METHOD, "one_nn", counts[-1])
    parts = [
        _against_random(results, dataset),
        _against_paper(dataset, counts[-1], float(np.mean(list(final.values())))),
        _against_euclid(results, dataset, final),
    ]
    return " ".join(part for part in parts if part)


def _against_random(results: Results, dataset: str) -> str:
    if not results.has(dataset, "Random"):
        return "Random was not run."
    _, tally = win_tie_loss(results, [dataset], paper.TESTED_MARKS, "Random")
    if not tally.total:
        return "There are too few common runs to test Info against Random."
    marks = f"{tally.total} mark{'s' * (tally.total > 1)}"
    if tally.wins and tally.losses:
        return f"Info against Random is mixed: better at {tally.wins} of {marks}, worse at {tally.losses}."
    if tally.wins:
        beat = "beat Random" if 2 * tally.wins > tally.total else "beat Random only here and there"
        return f"Info {beat}: significantly better at {tally.wins} of {marks}, worse at none."
    if tally.losses:
        return f"Info did not beat Random: significantly worse at {tally.losses} of {marks}, better at none."
    return f"Info did not beat Random: no significant difference at any of {marks}."


def _against_paper(dataset: str, count: int, ours: float) -> str:
    reached = f"After {count} question{'s' * (count != 1)} Info's 1NN accuracy is {ours:.3f}"
    theirs = paper.one_nn(dataset, _METHOD, count)
    if theirs is None:
        return f"{reached}; the paper has no number for this."
    difference = round(ours - theirs, 3)
    if not difference:
        return f"{reached}, as in the paper."
    return (
        f"{reached}, {abs(difference):.3f} {'above' if difference > 0 else 'below'} the paper's {theirs:.3f}."
    )


def _against_euclid(results: Results, dataset: str, final: Mapping[int, float]) -> str:
    sides: dict[str, list[str]] = {}
    for method, features in _PLAIN.items():
        values = results.values(dataset, method, "one_nn", 0)
        if values:
            mean = float(np.mean(list(values.values())))
            side = f"plain Euclid on {features} features ({mean:.3f})"
            sides.setdefault(compare(final, values).verdict, []).append(side)
    return " ".join(
        _HELPED[verdict].format(" and ".join(sides[verdict])) for verdict in _HELPED if verdict in sides
    )
