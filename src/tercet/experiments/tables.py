"""Results as plain text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tercet._validation import Floats
from tercet.experiments.protocol import Mark

MEASURES = {"one_nn": "1NN accuracy", "triplet_accuracy": "triplet accuracy"}


def judged(marks: Sequence[Mark], method: str, measure: str) -> tuple[list[int], Floats]:
    """Return the judged numbers of questions, and the (runs, numbers) array of this measure."""
    mine = [mark for mark in marks if mark.method == method and not np.isnan(getattr(mark, measure))]
    questions = sorted({mark.questions for mark in mine})
    runs = sorted({mark.run for mark in mine})
    values = {(mark.run, mark.questions): getattr(mark, measure) for mark in mine}
    return questions, np.array([[values[run, number] for number in questions] for run in runs])


def learning_table(marks: Sequence[Mark]) -> str:
    """Return mean 1NN and triplet accuracy by question, and the share of yes/no answers, as text."""
    methods = list(dict.fromkeys(mark.method for mark in marks))
    width = max(len(name) for name in methods)
    last = max(mark.questions for mark in marks)
    lines = []
    for measure, title in MEASURES.items():
        questions, _ = judged(marks, methods[0], measure)
        shown = slice(None, None, -(-len(questions) // 12))  # as many columns as fit on a screen
        lines.append(
            f"{title:<{width + 18}}" + "".join(f"{number:>7}" for number in questions[shown]) + "   yes/no"
        )
        for name in methods:
            means = judged(marks, name, measure)[1].mean(axis=0)[shown]
            shares = [mark.yes_no_share for mark in marks if mark.method == name and mark.questions == last]
            lines.append(
                f"  {name:<{width + 16}}"
                + "".join(f"{mean:7.3f}" for mean in means)
                + f"{np.mean(shares):9.3f}"
            )
        lines.append("")
    return "\n".join(lines[:-1])
