"""Results as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from tercet.experiments.rows import Row
from tercet.experiments.statistics import Results, pivot

_MEASURES = {"one_nn": "1NN accuracy", "triplet_accuracy": "triplet accuracy"}


def learning_table(rows: Sequence[Row], dataset: str) -> str:
    """Return mean 1NN and triplet accuracy by question, and the share of yes/no answers, as text.

    Methods that ask nothing have a number at 0 only.
    """
    results = Results.of(rows)
    methods = list(dict.fromkeys(row.method for row in rows))
    width = max(len(name) for name in methods) + 4
    questions = sorted({row.count for row in rows if row.by == "questions"})
    shown = questions[:: -(-len(questions) // 12)]  # as many columns as fit on a screen
    lines = []
    for measure, title in _MEASURES.items():
        lines.append(f"{title:<{width}}" + "".join(f"{number:>7}" for number in shown) + "   yes/no")
        for name in methods:
            counts, _, values = pivot(results, dataset, name, measure)
            means = dict(zip(counts, values.mean(axis=0), strict=True))
            cells = [f"{means[number]:7.3f}" if number in means else 7 * " " for number in shown]
            shares = pivot(results, dataset, name, "yes_no_share")[2]
            share = f"{shares[:, -1].mean():9.3f}" if shares.size else ""
            lines.append(f"  {name:<{width - 2}}{''.join(cells)}{share}".rstrip())
        lines.append("")
    return "\n".join(lines[:-1])
