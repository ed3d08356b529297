"""From rows to means, intervals and paired tests: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
from scipy import stats

from tercet._validation import Floats
from tercet.experiments.rows import Row

MEASURES = ("one_nn", "triplet_accuracy", "yes_no_share")

#: How a method did against another: "untested" where there are fewer than two common runs.
Verdict = Literal["win", "tie", "loss", "untested"]

#: Differences that vary less than this are equal: one test item more is never so little.
_SAME = 1e-12


class Results(Sequence[Row]):
    """Rows, sorted into cells once so that every later look is quick.

    Every function here takes any sequence of rows; pass the same `Results` to many of them to save time.

    Parameters
    ----------
    rows : iterable of Row
        Two rows of the same run and mark must be equal.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)
        self._cells: dict[tuple[str, str, str], dict[int, dict[int, Row]]] = {}
        for row in self._rows:
            cell = self._cells.setdefault((row.dataset, row.method, row.by), {}).setdefault(row.count, {})
            known = cell.setdefault(row.run, row)
            if known is not row and repr(known) != repr(row):  # as text, since NaN is not equal to itself
                raise ValueError(
                    f"two results for the same run and mark: {known} and {row}; remove one of them"
                )

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Results:
        """Return the rows as `Results`, themselves if they are that already."""
        return rows if isinstance(rows, Results) else cls(rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def datasets(self) -> list[str]:
        """The datasets in order of their first row."""
        return list(dict.fromkeys(dataset for dataset, _, _ in self._cells))

    def has(self, dataset: str, method: str, by: str = "questions") -> bool:
        """Say whether this method has any row for this dataset."""
        return (dataset, method, by) in self._cells

    def counts(self, dataset: str, method: str, by: str = "questions") -> list[int]:
        """Return the marks of a method in rising order."""
        return sorted(self._cells.get((dataset, method, by), {}))

    def values(
        self, dataset: str, method: str, measure: str, count: int, by: str = "questions"
    ) -> dict[int, float]:
        """Return the measure of every run that has one (not NaN) at this mark."""
        if measure not in MEASURES:
            raise ValueError(f"unknown measure {measure!r}; use one of {', '.join(MEASURES)}")
        cell = self._cells.get((dataset, method, by), {}).get(count, {})
        values = {run: float(getattr(cell[run], measure)) for run in sorted(cell)}
        return {run: value for run, value in values.items() if not np.isnan(value)}


def pivot(
    rows: Sequence[Row], dataset: str, method: str, measure: str, by: str = "questions"
) -> tuple[list[int], list[int], Floats]:
    """Return one method's measure as an array of runs by marks.

    Rows where the measure is NaN count as missing. A run that misses a mark that another run has is left out,
    so that every mean along a curve is over the same runs.

    Returns
    -------
    counts, runs : list of int
        The marks and the complete runs, rising.
    values : array of shape (runs, counts)
    """
    results = Results.of(rows)
    columns = {
        c: results.values(dataset, method, measure, c, by) for c in results.counts(dataset, method, by)
    }
    columns = {count: column for count, column in columns.items() if column}
    complete = set.intersection(*(set(column) for column in columns.values())) if columns else set()
    runs = sorted(complete)
    values = np.array([[column[run] for column in columns.values()] for run in runs], dtype=np.float64)
    return list(columns), runs, values.reshape(len(runs), len(columns))


def mean_interval(values: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return means over the first axis, and half the width of their Student t interval.

    The half width is NaN for a single run, of which nobody knows how far the next one would be.

    Examples
    --------
    >>> mean, half = mean_interval(np.array([0.8, 0.9, 1.0]))
    >>> f"{mean:.3f} ± {half:.3f}"
    '0.900 ± 0.248'
    """
    array = np.asarray(values, dtype=np.float64)
    n_runs = len(array)
    if not n_runs:
        raise ValueError("no runs to take the mean of; give at least one")
    mean = array.mean(axis=0)
    if n_runs == 1:
        return mean, np.full_like(mean, np.nan)
    quantile = float(stats.t.ppf((1 + level) / 2, n_runs - 1))
    return mean, quantile * array.std(axis=0, ddof=1) / np.sqrt(n_runs)


@dataclass(frozen=True)
class Comparison:
    """A paired comparison of two methods over their common runs.

    Attributes
    ----------
    verdict : {"win", "tie", "loss", "untested"}
        From the first method's side.
    difference : float
        Mean of first minus second; NaN without a common run.
    p_value : float
        Of the paired t-test, two-sided; NaN where untested.
    n_runs : int
        How many runs both have.
    """

    verdict: Verdict
    difference: float
    p_value: float
    n_runs: int


def compare(mine: Mapping[int, float], other: Mapping[int, float], p: float = 0.05) -> Comparison:
    """Compare two methods' values by run with a paired t-test.

    Runs are paired by their number; those of one side only are left out. Where all differences are the same
    there is no variance to test against: none at all is a tie, and a constant advantage is a win.

    Examples
    --------
    >>> compare({0: 0.9, 1: 0.8}, {0: 0.7, 1: 0.6}).verdict
    'win'
    >>> compare({0: 0.9}, {0: 0.7}).verdict
    'untested'
    """
    common = sorted(mine.keys() & other.keys())
    ours, theirs = (np.array([side[run] for run in common], dtype=np.float64) for side in (mine, other))
    if len(common) < 2:
        return Comparison("untested", float(ours[0] - theirs[0]) if common else np.nan, np.nan, len(common))
    differences = ours - theirs
    difference = float(differences.mean())
    if np.ptp(differences) <= _SAME:
        p_value = 1.0 if abs(difference) <= _SAME else 0.0
    else:
        p_value = float(stats.ttest_rel(ours, theirs).pvalue)
    verdict: Verdict = "tie" if p_value >= p else "win" if difference > 0 else "loss"
    return Comparison(verdict, difference, p_value, len(common))


@dataclass(frozen=True)
class Tally:
    """How many tests were won, tied and lost.

    Examples
    --------
    >>> str(Tally(5, 3, 0) + Tally(6, 2, 0))
    '11/5/0'
    """

    wins: int = 0
    ties: int = 0
    losses: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.wins + other.wins, self.ties + other.ties, self.losses + other.losses)

    def __str__(self) -> str:
        return f"{self.wins}/{self.ties}/{self.losses}"

    @property
    def total(self) -> int:
        """The number of tests."""
        return self.wins + self.ties + self.losses


def win_tie_loss(
    rows: Sequence[Row],
    datasets: Iterable[str],
    marks: Iterable[int],
    against: str,
    measure: str = "one_nn",
    p: float = 0.05,
    *,
    method: str = "Info",
    by: str = "questions",
) -> tuple[dict[int, Tally], Tally]:
    """Count over the datasets how often a method is significantly better, no different or worse.

    Returns
    -------
    by_mark : dict
        A tally for every mark; where no test was possible it is 0/0/0.
    in_all : Tally
        Their sum.
    """
    results = Results.of(rows)
    names = list(datasets)
    by_mark = {}
    for mark in marks:
        verdicts = [
            compare(
                results.values(dataset, method, measure, mark, by),
                results.values(dataset, against, measure, mark, by),
                p,
            ).verdict
            for dataset in names
        ]
        by_mark[mark] = Tally(*(verdicts.count(verdict) for verdict in ("win", "tie", "loss")))
    return by_mark, sum(by_mark.values(), Tally())
