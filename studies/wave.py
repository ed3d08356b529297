"""Why Wave falls: where the learned weights go, and what two classes in place of three would start from.

python studies/wave.py --data-dir ../shared/data
"""

from __future__ import annotations

import argparse

import numpy as np

from tercet.datasets import load
from tercet.evaluation import knn_accuracy
from tercet.experiments.protocol import Trial
from tercet.learner import PAPER_C
from tercet.metrics import SchultzJoachims
from tercet.triplets import triplets_from_labels

N_SIGNAL = 21  # the other 19 features are noise


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", required=True)
    data = load("Wave", parser.parse_args().data_dir)
    trial = Trial.draw(data.X, data.y, run=0, seed=0)
    X, y, X_test, y_test = trial.X_train, trial.y_train, trial.X_test, trial.y_test
    print(f"plain Euclid, three classes: 1NN {knn_accuracy(X, y, X_test, y_test):.3f}")
    for c in range(3):
        merged = knn_accuracy(X, y == c, X_test, y_test == c)
        kept, kept_test = y != c, y_test != c
        left_out = knn_accuracy(X[kept], y[kept], X_test[kept_test], y_test[kept_test])
        print(f"class {c} against the others merged: {merged:.3f}; without class {c}: {left_out:.3f}")
    for size in (10, 45):
        shares = []
        for seed in range(5):
            triplets = triplets_from_labels(y, size, np.random.default_rng(seed))
            metric = SchultzJoachims(C=PAPER_C, preprocessor=X).fit(triplets)
            weights = np.diag(metric.get_mahalanobis_matrix())
            shares.append(weights[N_SIGNAL:].sum() / weights.sum())
        print(f"{size} yes/no triplets: noise features hold {np.mean(shares):.2f} of the weight")


if __name__ == "__main__":
    main()
