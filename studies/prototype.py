"""The prototype that `LatentClassMetric` grew out of, in the very trials of `tercet reproduce`.

    python studies/prototype.py PROTOTYPE.py --data-dir ../shared/data --runs 20 --jobs 2 --out prototype

Writes a results.csv that `studies/latent_tables.py` reads beside the other folders: runs of the same number
have the same halves and first answers, so that differences are paired. The prototype is a file that is no
part of this project; it stays as it is. With `--random` questions at random are asked beside its own, so that
it shows what its own are worth; with `--outside` on the 52 sets of development_sets.py in place of the eight.
"""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

import numpy as np
from development_sets import all_sets
from joblib import Parallel, delayed

from tercet import ClassOracle
from tercet.datasets import DATASETS, find, load
from tercet.experiments.protocol import Trial
from tercet.experiments.rows import Row, rows_to_csv
from tercet.pools import SampledPool

MARKS = (0, 10, 20, 40, 60, 80, 100)
SEED = 0  # of `tercet reproduce`
EIGHT = tuple(dataset.name for dataset in DATASETS)
OWN, AT_RANDOM = "Prototype", "Prototype, Random"


class Judged:
    """The prototype's squared distance, as `Trial.judge` asks for it."""

    def __init__(self, learner, mean, spread):
        self.learner, self.mean, self.spread = learner, mean, spread

    def distances(self, X, Y=None):
        """Return the distance of every row of X from every row of Y, or of X."""
        (F, G), (V, Q) = (
            self.learner.embed((rows - self.mean) / self.spread) for rows in (X, X if Y is None else Y)
        )
        x = np.maximum((F**2).sum(1)[:, None] + (V**2).sum(1) - 2 * F @ V.T, 0)
        return self.learner.distance(x, G @ Q.T)


def one(path, method, name, X, y, run):
    found = importlib.util.spec_from_file_location("prototype", path)
    prototype = importlib.util.module_from_spec(found)
    found.loader.exec_module(prototype)
    trial = Trial.draw(X, y, run, SEED)
    mean, spread = trial.X_train.mean(axis=0), trial.X_train.std(axis=0)
    spread = np.where(spread > 1e-9, spread, np.inf)  # it leaves constant features out
    rng = np.random.default_rng(trial.seed)
    learner = prototype.Learner((trial.X_train - mean) / spread, trial.n_classes, rng)
    pool = SampledPool(multiple=100).draw(len(trial.X_train), rng)
    used = np.zeros(len(pool), dtype=bool)
    oracle = ClassOracle(trial.y_train)
    for triplet, answer in trial.first:
        learner.tell(np.array(triplet), int(answer))
    rows, decided = [], 0
    for questions in range(MARKS[-1] + 1):
        learner.fit()
        if questions in MARKS:
            accuracies = trial.judge(Judged(learner, mean, spread))
            share = decided / questions if questions else float("nan")
            rows.append(Row(name, method, run, "questions", questions, *accuracies, share))
        if questions < MARKS[-1]:
            place = learner.ask(pool, used) if method == OWN else rng.choice(np.flatnonzero(~used))
            used[place] = True
            answer = int(oracle(tuple(pool[place].tolist())))
            decided += answer != 0
            learner.tell(pool[place], answer)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prototype")
    parser.add_argument("--data-dir")
    parser.add_argument(
        "--datasets", help="of the paper's eight, with commas between", default=",".join(EIGHT)
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--outside", action="store_true")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    if options.outside:
        data = all_sets()
    else:
        chosen = [find(name).name for name in options.datasets.split(",")]
        data = {name: (found.X, found.y) for name in chosen for found in [load(name, options.data_dir)]}
    rows, gains = [], []
    for name, (X, y) in data.items():
        accuracies = []
        for method in (OWN, AT_RANDOM) if options.random else (OWN,):
            tasks = (delayed(one)(options.prototype, method, name, X, y, run) for run in range(options.runs))
            done = Parallel(n_jobs=options.jobs)(tasks)
            rows += [row for found in done for row in found]
            accuracies.append(
                np.mean([[(row.one_nn, row.triplet_accuracy) for row in found] for found in done], axis=0)
            )
        print("{}: {:.3f}/{:.3f} at {} questions".format(name, *accuracies[0][-1], MARKS[-1]), flush=True)
        gains.append(accuracies[0] - accuracies[-1])
    if options.random:
        gain, doubt = np.mean(gains, axis=0), np.std(gains, axis=0, ddof=1) / len(gains) ** 0.5
        print("1NN and triplet accuracy by its own questions over random ones, ± one standard error of sets:")
        for mark, (a, b), (c, d) in zip(MARKS, gain, doubt, strict=True):
            print(f"{mark:3d}: {a:+.4f} ± {c:.4f}, {b:+.4f} ± {d:.4f}")
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.csv").write_text(rows_to_csv(rows))


if __name__ == "__main__":
    main()
