"""Ten new starts of k-means against three, both with a warm one, for `ClusterForest` with the default metric.

    python studies/kmeans_starts.py --data-dir ../shared/data [--jobs 2] [--runs 12]

Four of the paper's sets by its protocol, 60 questions, seed 7: the only evidence behind the default of three,
and too few runs to see differences below about 0.01.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np
from joblib import Parallel, delayed

from tercet import ActiveLearner
from tercet.beliefs import ClusterForest
from tercet.datasets import load
from tercet.experiments import protocol

SEED = 7
MARKS = (20, 40, 60)


def one_run(name, X, y, n_starts, run):
    protocol.METHODS = {"this": partial(ActiveLearner, beliefs=ClusterForest(n_starts=n_starts))}
    trial = protocol.Trial.draw(X, y, run, SEED)
    rows = protocol.run_method(name, "this", trial, run, n_queries=MARKS[-1], marks=MARKS)
    return [row.one_nn for row in rows] + [row.triplet_accuracy for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", type=int, default=12)
    options = parser.parse_args()
    columns = [f"{measure} at {mark}" for measure in ("1NN", "triplets") for mark in MARKS]
    print(f"| dataset | starts | {' | '.join(columns)} |\n|{' --- |' * (2 + len(columns))}")
    for name in ("Breast", "Parkinson", "Soybean", "Wine"):
        data = load(name, options.data_dir)
        for n_starts in (10, 3):
            runs = Parallel(n_jobs=options.jobs)(
                delayed(one_run)(name, data.X, data.y, n_starts, run) for run in range(options.runs)
            )
            means = " | ".join(f"{value:.3f}" for value in np.mean(runs, axis=0))
            print(f"| {name} | {n_starts} | {means} |", flush=True)


if __name__ == "__main__":
    main()
