"""Results as pictures. Needs matplotlib, in the extra ``experiments``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from tercet.experiments.protocol import Mark
from tercet.experiments.tables import MEASURES, judged

_STYLES = {"Info": ("C0", "-", "o"), "Random": ("C1", "--", "s"), "Nonredundant": ("C2", ":", "^")}


def learning_curves(marks: Sequence[Mark], title: str) -> Figure:
    """Draw the mean of both measures against the number of questions, with 95% intervals of the mean."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    figure.suptitle(title)
    for axes, (measure, label) in zip(figure.subplots(1, 2), MEASURES.items(), strict=True):
        for number, method in enumerate(dict.fromkeys(mark.method for mark in marks)):
            colour, line, marker = _STYLES.get(method, (f"C{3 + number}", "-.", "d"))
            questions, values = judged(marks, method, measure)
            mean = values.mean(axis=0)
            axes.plot(
                questions, mean, color=colour, linestyle=line, marker=marker, markersize=4, label=method
            )
            if len(values) > 1:
                half = 1.96 * values.std(axis=0, ddof=1) / np.sqrt(len(values))
                axes.fill_between(questions, mean - half, mean + half, color=colour, alpha=0.15, linewidth=0)
        axes.set(xlabel="questions asked", ylabel=label)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].legend(loc="lower right", frameon=False)
    return figure
