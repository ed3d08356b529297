"""Learning curves. Needs matplotlib, in the extra ``experiments``."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tercet.experiments import paper
from tercet.experiments.reproduction_tables import EXACT, REFERENCES, SAMPLED, datasets_with
from tercet.experiments.rows import Row
from tercet.experiments.statistics import Results, mean_interval, pivot

LABELS = {"one_nn": "1NN accuracy", "triplet_accuracy": "triplet accuracy"}
#: The colours of text and axes, and of the ground. The report replaces them by its own, light or dark.
INK, GROUND = "#24292f", "#ffffff"
_GREY = "#808080"
# Okabe and Ito chose these colours for the colour-blind; lines and markers also tell them apart in grey.
_STYLES = {
    "Info": ("#0072b2", "-", "o"),
    "Random": ("#d55e00", "--", "s"),
    "Nonredundant": ("#009e73", ":", "^"),
    EXACT: ("#cc79a7", "-.", "D"),
    "Latent": (INK, "-", "v"),
    "Latent, Info": ("#56b4e9", "-", "P"),
    "Latent, Entropy": ("#cc79a7", "-.", "D"),
    "Latent, Random": ("#e69f00", "--", "X"),
}
_REFERENCE_LINES = dict(zip(REFERENCES, ((0, (5, 3)), (0, (1, 2))), strict=True))
_STYLE: dict[Any, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": "medium",
    "legend.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def curves(rows: Sequence[Row], dataset: str, measure: str, methods: Sequence[str] = paper.METHODS) -> Figure:
    """Draw the mean of a measure against the number of questions, with 95% intervals of the mean."""
    return _panels(rows, [(dataset, measure)], methods)


def both_measures(rows: Sequence[Row], dataset: str, methods: Sequence[str] = paper.METHODS) -> Figure:
    """Draw 1NN and triplet accuracy of one dataset side by side."""
    return _panels(rows, [(dataset, measure) for measure in LABELS], methods)


def grid(rows: Sequence[Row], measure: str, methods: Sequence[str] = paper.METHODS) -> Figure:
    """Draw the curves of all datasets that have any of these methods, side by side."""
    return _panels(rows, [(dataset, measure) for dataset in datasets_with(rows, methods)], methods)


def exact_against_sampled(rows: Sequence[Row], measure: str) -> Figure:
    """Draw Info over all questions and Info over a sample of them, for the datasets that have both."""
    results = Results.of(rows)
    datasets = [name for name in datasets_with(results, [EXACT]) if results.has(name, SAMPLED)]
    # The exact rule is slow and may have had fewer runs: only those that both have are alike.
    both = {
        name: _run_numbers(results, name, EXACT) & _run_numbers(results, name, SAMPLED) for name in datasets
    }
    shared = [
        row for row in results if row.method not in (EXACT, SAMPLED) or row.run in both.get(row.dataset, ())
    ]
    return _panels(shared, [(dataset, measure) for dataset in datasets], [EXACT, SAMPLED])


def to_svg(figure: Figure) -> str:
    """Return a figure as SVG, the same text for the same figure, with its words as words."""
    stream = io.StringIO()
    # Without a salt the names inside would be random; without a date two runs give the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tercet"}):
        figure.savefig(stream, format="svg", metadata={"Date": None}, facecolor=GROUND)
    return stream.getvalue()


def to_png(figure: Figure) -> bytes:
    """Return a figure as PNG on white, sharp enough to print."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=150, facecolor=GROUND, metadata={"Software": None})
    return stream.getvalue()


def _run_numbers(results: Results, dataset: str, method: str) -> set[int]:
    return {row.run for row in results if (row.dataset, row.method) == (dataset, method)}


def _panels(rows: Sequence[Row], wanted: Sequence[tuple[str, str]], methods: Sequence[str]) -> Figure:
    """Draw a panel for each dataset and measure."""
    for _, measure in wanted:
        if measure not in LABELS:
            raise ValueError(f"unknown measure {measure!r}; use one of {', '.join(LABELS)}")
    results = Results.of(rows)
    n_columns = max(1, min(4, len(wanted)))
    n_rows = max(1, -(-len(wanted) // n_columns))
    with matplotlib.rc_context(_STYLE):
        size = (5.2 * n_columns, 4.2) if n_columns < 3 else (3.1 * n_columns, 2.6 * n_rows + 0.5)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(n_rows, n_columns, squeeze=False)
        for place, (axes, (dataset, measure)) in enumerate(zip(panels.flat, wanted, strict=False)):
            _draw(axes, results, dataset, measure, methods)
            if place % n_columns == 0 or measure != wanted[place - 1][1]:
                axes.set_ylabel(LABELS[measure])
        for axes in panels.flat[len(wanted) :]:
            axes.remove()
        handles: dict[str, Artist] = {}
        for axes in figure.axes:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
        if handles:
            figure.legend(
                handles.values(),
                handles.keys(),
                loc="outside lower center",
                ncols=min(len(handles), 3 if n_columns < 3 else 6),
                frameon=False,
            )
    return figure


def _draw(axes: Axes, results: Results, dataset: str, measure: str, methods: Sequence[str]) -> None:
    for number, method in enumerate(methods):
        counts, runs, values = pivot(results, dataset, method, measure)
        if not runs:
            continue
        base = method.removesuffix(", R&F")  # another learner, the same way of asking: the same style
        colour, line, marker = _STYLES.get(base, (f"C{3 + number}", "-.", "d"))
        mean, half = mean_interval(values)
        axes.plot(
            counts,
            mean,
            color=colour,
            linestyle=line,
            marker=marker,
            markersize=3.5,
            linewidth=1.5,
            label=method,
        )
        if len(runs) > 1:
            axes.fill_between(counts, mean - half, mean + half, color=colour, alpha=0.18, linewidth=0)
    for reference, dashes in _REFERENCE_LINES.items():
        plain = list(results.values(dataset, reference, measure, 0).values())
        if plain:
            axes.axhline(float(np.mean(plain)), color=_GREY, linestyle=dashes, linewidth=1.4, label=reference)
    axes.set(title=dataset, xlabel="questions asked")
    low, high = axes.get_ylim()
    axes.set_ylim(
        max(low, 0.0), min(high, 1.005)
    )  # an interval of few runs may reach beyond what an accuracy can be
    axes.grid(color=_GREY, alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
