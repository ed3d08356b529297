"""Growth curves: log-log, the slope in the legend, readable in grey."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot as plt

# A marker and a kind of line each, dark to light, so that no colour is needed.
STYLES = (
    ("#000000", "-", "o"),
    ("#000000", "--", "s"),
    ("#555555", "-.", "^"),
    ("#555555", ":", "D"),
    ("#888888", "-", "v"),
    ("#888888", "--", "x"),
)


def draw(curve: Mapping[str, Any], path: Path) -> None:
    """Draw curves of seconds against a size as SVG; the same numbers give the same file."""
    # Letters are drawn as outlines, so that no font is needed from anywhere.
    with matplotlib.rc_context({"svg.fonttype": "path", "svg.hashsalt": "tercet", "font.size": 9}):
        figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
        # The whole is drawn first and heavier than its parts.
        lines = sorted(curve["series"], key=lambda line: "whole" not in line["name"])
        for line, (colour, kind, marker) in zip(lines, STYLES, strict=False):
            width = 2.0 if "whole" in line["name"] else 1.0
            label = f"{line['name']}: slope {line['slope']:.2f}"
            axes.loglog(line["x"], line["y"], kind, color=colour, marker=marker, ms=4, lw=width, label=label)
        sizes = sorted({size for line in lines for size in line["x"]})
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set(xlabel=curve["x_label"], ylabel="processor seconds", title=curve["title"])
        axes.grid(True, color="#dddddd", lw=0.5)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
