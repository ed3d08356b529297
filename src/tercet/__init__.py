"""Tercet learns a distance metric by asking which of two items a third is more like."""

from tercet.answers import Answer, Comparisons
from tercet.evaluation import knn_accuracy, triplet_accuracy
from tercet.learner import ActiveLearner
from tercet.oracles import ClassOracle
from tercet.queries import AlreadyToldError, PoolExhaustedError, Query, UnknownQueryError

__version__ = "0.1.0"

__all__ = [
    "ActiveLearner",
    "AlreadyToldError",
    "Answer",
    "ClassOracle",
    "Comparisons",
    "PoolExhaustedError",
    "Query",
    "UnknownQueryError",
    "__version__",
    "knn_accuracy",
    "triplet_accuracy",
]
