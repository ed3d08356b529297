"""scikit-activeml: uncertainty sampling; a question is a row of features, and yes or no its class."""

import warnings

import numpy as np
from serve import serve
from skactiveml.classifier import SklearnClassifier
from skactiveml.pool import UncertaintySampling
from sklearn.linear_model import LogisticRegression

warnings.simplefilter("ignore")
state = {}


def load(path):
    with np.load(path) as data:
        state.update(data)
    state["asked"] = features(state["answered"])
    state["candidates"] = features(state["questions"])
    state["classifier"] = SklearnClassifier(LogisticRegression(), classes=[0, 1], random_state=0)
    state["sampler"] = UncertaintySampling(method="entropy", random_state=0)
    update()


def features(triplets):
    """How much farther k is from i than j is, in each feature."""
    X = state["X"]
    i, j, k = triplets.T
    return np.abs(X[i] - X[k]) - np.abs(X[i] - X[j])


def update():
    """Learn from all answers so far, which is what one more answer takes."""
    state["classifier"].fit(state["asked"], state["y"])


def score():
    """Score every candidate; their features are there already, as they are the same each time."""
    chosen, _ = state["sampler"].query(
        state["asked"],
        state["y"],
        state["classifier"],
        fit_clf=False,
        candidates=state["candidates"],
        return_utilities=True,
    )
    return int(chosen[0])


serve({"load": load, "update": update, "score": score}, ["scikit-activeml", "scikit-learn", "numpy"])
