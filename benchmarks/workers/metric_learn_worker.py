"""metric-learn's SCML and LSML on triplets of items."""

import warnings

import metric_learn
import numpy as np
from serve import serve

warnings.simplefilter("ignore")
state = {}


def load(path):
    with np.load(path) as data:
        state.update(data)


def fit(learner):
    X, triplets = state["X"], state["train"]
    if learner == "SCML":
        state["fitted"] = metric_learn.SCML(preprocessor=X, random_state=0).fit(triplets)
    else:
        # LSML compares two pairs: i and j are nearer to each other than i and k.
        pairs = triplets[:, [0, 1, 0, 2]]
        state["fitted"] = metric_learn.LSML(preprocessor=X, random_state=0).fit(pairs)


def accuracy():
    """Return the share of unseen triplets that the last metric gets right."""
    Z = state["fitted"].transform(state["X"])
    i, j, k = state["test"].T
    return float(np.mean(((Z[i] - Z[j]) ** 2).sum(axis=1) < ((Z[i] - Z[k]) ** 2).sum(axis=1)))


serve({"load": load, "fit": fit, "accuracy": accuracy}, ["metric-learn", "scikit-learn", "numpy"])
