"""The latent-class learner beside the paper's Info and the earlier prototype, from the folders of their runs.

    tercet reproduce --data-dir DATA --runs 20 --methods latent,latent-info,latent-random --out latent
    tercet reproduce --data-dir DATA --methods info,euclid-standardised --out paper
    python studies/prototype.py PROTOTYPE.py --data-dir DATA --out prototype
    python studies/latent_tables.py latent paper prototype [--figures docs/beyond-the-paper]

Prints the tables of docs/beyond-the-paper.md, those of Info and the prototype where their folders are given,
and draws its curves. Runs of the same number have the same halves and first answers, so that differences are
paired.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel

from tercet.datasets import DATASETS
from tercet.experiments import figures, paper
from tercet.experiments.rows import Row, rows_from_csv

MARKS = (0, 10, 20, 40, 60, 80, 100)
EUCLID = "Euclid, standardised"


def read(folder: str) -> list[Row]:
    with Path(folder, "results.csv").open(newline="") as stream:
        return [row for row in rows_from_csv(stream) if row.by == "questions"]


def by_run(rows: list[Row]) -> dict[tuple[str, str, int], dict[int, tuple[float, float]]]:
    """Return {(dataset, method, number of questions): {run: (1NN, triplet accuracy)}}."""
    found: dict[tuple[str, str, int], dict[int, tuple[float, float]]] = {}
    for row in rows:
        place = found.setdefault((row.dataset, row.method, row.count), {})
        place[row.run] = row.one_nn, row.triplet_accuracy
    return found


def table(columns: list[str], rows: list[list[str]]) -> None:
    print(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--figures", type=Path, help="draw the curves into this folder")
    options = parser.parse_args()
    every_row = [row for folder in options.folders for row in read(folder)]
    results = by_run(every_row)
    names = [dataset.name for dataset in DATASETS if (dataset.name, "Latent", 100) in results]
    known = ("Latent", "Latent, Info", "Latent, Entropy", "Latent, Random")
    methods = [method for method in known if all((name, method, 100) in results for name in names)]

    # Where an evaluation was stopped early, the runs that all have.
    others = [method for method in ("Info", "Prototype") if (names[0], method, 100) in results]
    common = sorted(
        set.intersection(
            *(set(results[name, method, 100]) for name in names for method in (*methods, *others))
        )
    )

    def both(name: str, method: str, mark: int) -> np.ndarray:
        """Return one row a run: 1NN and triplet accuracy."""
        found = results[name, method, 0 if method == EUCLID else mark]
        return np.array([found[run] for run in common])

    rows = []
    for name in names:
        goal = paper.one_nn(name, "Info", 100)
        judged = sorted(mark for known, method, mark in results if (known, method) == (name, "Latent"))
        curve = {mark: both(name, "Latent", mark)[:, 0].mean() for mark in judged}
        first = next((mark for mark, value in curve.items() if value >= goal), None)
        cells = [both(name, "Latent", mark).mean(axis=0) for mark in MARKS]
        rows.append(
            [
                name,
                f"{goal:.3f}",
                "{:.3f}/{:.3f}".format(*both(name, EUCLID, 0).mean(axis=0)),
                *("{:.3f}/{:.3f}".format(*cell) for cell in cells),
                *("{:.3f}/{:.3f}".format(*both(name, other, 100).mean(axis=0)) for other in others),
                "never" if first is None else str(first),
            ]
        )
    print(f"{len(common)} runs, 1NN / triplet accuracy")
    table(
        [
            "",
            "paper's Info at 100",
            "Euclid, standardised",
            *map(str, MARKS),
            *(f"{other} at 100" for other in others),
            "reaches it at",
        ],
        rows,
    )

    compared = {"Info": ("our Info", (20, 100)), "Prototype": ("the prototype", (10, 20, 40, 100))}
    for other, (place, measure) in product(others, ((1, "Triplet accuracy"), (0, "1NN accuracy"))):
        called, marks = compared[other]
        rows = []
        for name in names:
            for mark in marks:
                ours, theirs = (both(name, method, mark)[:, place] for method in ("Latent", other))
                difference = ours.mean() - theirs.mean()
                p = ttest_rel(ours, theirs).pvalue if np.ptp(ours - theirs) else 1.0
                verdict = "tie" if p >= 0.05 else "win" if difference > 0 else "**loss**"
                rows.append(
                    [
                        name,
                        str(mark),
                        *(f"{x.mean():.3f}" for x in (ours, theirs)),
                        f"{difference:+.3f}",
                        f"{p:.1e}",
                        verdict,
                    ]
                )
        print(f"\n{measure}, latent against {called}, paired t-test")
        table(["", "questions", "latent", called, "difference", "p", ""], rows)

    print("\n1NN and triplet accuracy of latent less Euclid's, mean of runs")
    rows = []
    for name in names:
        gaps = [(both(name, "Latent", mark) - both(name, EUCLID, 0)).mean(axis=0) for mark in MARKS]
        rows.append(
            [
                name,
                *("{:+.3f}/{:+.3f}".format(*gap) for gap in gaps),
                f"{min(gap.min() for gap in gaps):+.3f}",
            ]
        )
    table(["", *map(str, MARKS), "least"], rows)

    for method in methods[1:]:  # the same learner, other questions
        print(f"\nTriplet accuracy of Latent less that of {method}, ± one standard error")
        gains = np.array(
            [
                [both(name, "Latent", mark)[:, 1] - both(name, method, mark)[:, 1] for mark in MARKS[1:]]
                for name in names
            ]
        )
        rows = [
            [name, *(f"{gain.mean():+.3f} ± {standard_error(gain):.3f}" for gain in by_mark)]
            for name, by_mark in zip(names, gains, strict=True)
        ]
        means = gains.mean(axis=0)  # of the sets, run by run
        rows.append(["mean", *(f"{gain.mean():+.3f} ± {standard_error(gain):.3f}" for gain in means)])
        table(["", *map(str, MARKS[1:])], rows)

    if options.figures:
        options.figures.mkdir(parents=True, exist_ok=True)
        drawn = [row for row in every_row if row.run in common]
        for measure in figures.LABELS:
            figure = figures.grid(drawn, measure, ["Latent", "Latent, Random", *others])
            (options.figures / f"{measure}.svg").write_text(figures.to_svg(figure))


def standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


if __name__ == "__main__":
    main()
