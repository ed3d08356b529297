"""One row of results, and rows as tidy files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import TextIO


@dataclass(frozen=True)
class Row:
    """What one run of one method had reached at one mark.

    Attributes
    ----------
    dataset, method : str
    run : int
    by : {"questions", "yes_no"}
        What the mark counts: questions asked, or yes/no answers learned from (the first two included).
    count : int
        So many of them.
    one_nn, triplet_accuracy : float
        Accuracies on the test half.
    yes_no_share : float
        The share of questions so far that were answered yes or no; NaN before the first.
    """

    dataset: str
    method: str
    run: int
    by: str
    count: int
    one_nn: float
    triplet_accuracy: float
    yes_no_share: float


_COLUMNS = [field.name for field in fields(Row)]


def rows_to_csv(rows: Iterable[Row]) -> str:
    """Return rows as CSV, numbers to the last digit."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(astuple(row) for row in rows)
    return text.getvalue()


def rows_from_csv(stream: TextIO) -> list[Row]:
    """Read what `rows_to_csv` wrote."""
    reader = csv.DictReader(stream)
    if reader.fieldnames != _COLUMNS:
        raise ValueError(f"expected the columns {', '.join(_COLUMNS)}, not {reader.fieldnames}")
    return [
        Row(
            dataset=row["dataset"],
            method=row["method"],
            run=int(row["run"]),
            by=row["by"],
            count=int(row["count"]),
            one_nn=float(row["one_nn"]),
            triplet_accuracy=float(row["triplet_accuracy"]),
            yes_no_share=float(row["yes_no_share"]),
        )
        for row in reader
    ]
