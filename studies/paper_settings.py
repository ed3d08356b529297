"""Which settings come nearest to the paper: what it does not say is tried, on other halves than its tables.

    python studies/paper_settings.py --data-dir ../shared/data [--jobs 2] [--runs 10] [--datasets wine,yeast]
        [--rule random] [--seed 1]

Prints a Markdown table: for each variation the mean absolute difference to the paper's 1NN accuracy, its sign
kept in the next column, the accuracy after 100 questions and the share of yes/no answers. Unless told
otherwise the seed is not the one of `tercet reproduce`, so that no half is judged twice.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from tercet import ActiveLearner
from tercet.beliefs import ClusterForest
from tercet.datasets import DATASETS, find, load
from tercet.experiments import paper, protocol
from tercet.metrics import SchultzJoachims
from tercet.selection import Info, Random

SMALL = ("Breast", "Parkinson", "Soybean", "Wine")
ALL = tuple(dataset.name for dataset in DATASETS)


def metric(C=1000.0, prior="identity", basis=None):
    return {"metric": SchultzJoachims(C=C, prior=prior, basis=basis, warm_start=True)}


def beliefs(**settings):
    return {"beliefs": ClusterForest(**settings)}


#: What is varied, with which selection rule, on which datasets. The first of each rule is what we use.
VARIATIONS = [
    ("as we run it", Random, {}, ALL),
    *((f"C = {C:g}", Random, metric(C), ALL) for C in (0.1, 1, 10, 100, 1e5)),
    *((f"towards zero, C = {C:g}", Random, metric(C, "zero"), ALL) for C in (1e-4, 0.01, 1, 100, 1e4)),
    *((f"standardised, C = {C:g}", Random, metric(C, basis="standard"), ALL) for C in (1, 100, 1e5)),
    ("as we run it", Info, {}, SMALL),
    ("k-means, 1 start", Info, beliefs(n_starts=1, warm_start=False), SMALL),
    ("k-means, 10 starts, none warm", Info, beliefs(warm_start=False), SMALL),
    ("k-means, 30 starts", Info, beliefs(n_starts=30), SMALL),
    ("forest of 10 trees", Info, beliefs(n_trees=10), SMALL),
    ("forest of 200 trees", Info, beliefs(n_trees=200), SMALL),
    ("scikit-learn's forest", Info, beliefs(engine="sklearn"), SMALL),
    ("C = 1", Info, metric(1), SMALL),
    ("C = 1e+05", Info, metric(1e5), SMALL),
    ("standardised", Info, metric(basis="standard"), SMALL),
]


def breast_of_six(data_dir):
    """Breast with the six classes it was published with."""
    table = pd.read_csv(Path(data_dir) / "breast_tissue.csv")
    return table.drop(columns=["class", "class_original"]).to_numpy(float), table["class_original"].to_numpy()


def yeast_of_nine(data_dir):
    """Yeast without its five items of class ERL."""
    loaded = load("Yeast", data_dir)
    kept = loaded.y != "ERL"
    return loaded.X[kept], loaded.y[kept]


def one_run(dataset, X, y, rule, parts, run, seed):
    protocol.METHODS = {"this": partial(ActiveLearner.from_paper, selector=rule(), **parts)}
    trial = protocol.Trial.draw(X, y, run, seed)
    marks = set(paper.QUESTION_MARKS)
    rows = protocol.run_method(dataset, "this", trial, run, n_queries=100, marks=marks)
    return [row.one_nn for row in rows], rows[-1].yes_no_share


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--datasets", default=",".join(ALL))
    parser.add_argument("--rule", choices=("random", "info"), help="vary only what this rule runs with")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wanted = {find(name).name for name in options.datasets.split(",")}
    data = {name: (loaded.X, loaded.y) for name in wanted for loaded in [load(name, options.data_dir)]}
    work = [
        (label, rule, parts, name, *data[name])
        for label, rule, parts, names in VARIATIONS
        for name in names
        if name in wanted and options.rule in (None, rule.__name__.lower())
    ]
    for name, label, other in (
        ("Breast", "six classes", breast_of_six),
        ("Yeast", "nine classes", yeast_of_nine),
    ):
        if name in wanted:
            rules = [rule for rule in (Random, Info) if options.rule in (None, rule.__name__.lower())]
            work += [(label, rule, {}, name, *other(options.data_dir)) for rule in rules]
    columns = ["rule", "setting", "dataset", "difference", "bias", "at 100 (paper)", "yes/no (paper)"]
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    with Parallel(n_jobs=options.jobs) as parallel:
        for label, rule, parts, name, X, y in work:
            runs = parallel(
                delayed(one_run)(name, X, y, rule, parts, run, options.seed) for run in range(options.runs)
            )
            ours = np.mean([accuracies for accuracies, _ in runs], axis=0)
            share = np.mean([share for _, share in runs])
            theirs = np.array([paper.one_nn(name, rule.__name__, mark) for mark in paper.QUESTION_MARKS])
            off = ours - theirs
            print(
                f"| {rule.__name__} | {label} | {name} | {np.abs(off).mean():.3f} | {off.mean():+.3f} | "
                f"{ours[-1]:.3f} ({theirs[-1]:.3f}) | {share:.3f} "
                f"({paper.yes_no_share(name, rule.__name__):.3f}) |",
                flush=True,
            )


if __name__ == "__main__":
    main()
