"""Which library grows the forest."""

from __future__ import annotations

import warnings
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import RandomForestClassifier

from tercet._fast import kernels
from tercet._validation import Floats, check_option


class Forest(Protocol):
    """Trees that vote on a class."""

    def predict_proba(self, Z: Floats) -> ArrayLike:
        """Return the share of trees that vote for each class."""


def grow(
    points: Floats,
    labels: NDArray[np.int32],
    n_classes: int,
    n_trees: int,
    seed: int,
    engine: str,
    max_draws: int | None = None,
) -> tuple[Forest, Floats]:
    """Return a forest and the out-of-bag votes of its own items, zeros for an item that is in every bag.

    Each tree's bag is drawn with replacement, as many draws as there are items or at most ``max_draws``.
    """
    check_option("engine", engine, ("auto", "compiled", "sklearn"))
    compiled = kernels("tercet.beliefs._compiled") if engine != "sklearn" else None
    if engine == "compiled" and compiled is None:
        raise ImportError("engine='compiled' needs numba: pip install 'tercet[fast]', or use engine='auto'")
    if compiled is not None:
        fast = compiled.CompiledForest(points, labels, n_classes, n_trees, seed, max_draws)
        return fast, fast.votes.astype(np.float64)
    slow = _SklearnForest(points, n_classes, n_trees, seed, max_draws)
    with warnings.catch_warnings():
        # Items that are in every bag have no votes; the caller gives them some.
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores", UserWarning)
        slow.fit(points, labels)
    return slow, slow.spread(np.nan_to_num(slow.forest.oob_decision_function_))


class _SklearnForest:
    """scikit-learn's forest, with a column for every class, seen or not.

    It works in single precision, which would take values far from 0 (a date, say) for equal; so features are
    standardised first, which changes no tree.
    """

    def __init__(
        self, points: Floats, n_classes: int, n_trees: int, seed: int, max_draws: int | None
    ) -> None:
        self.n_classes = n_classes
        draws = max_draws if max_draws is not None and max_draws < len(points) else None
        self.forest = RandomForestClassifier(n_trees, oob_score=True, random_state=seed, max_samples=draws)
        self.centre, spread = points.mean(axis=0), points.std(axis=0)
        self.scale = np.where(spread > 0, spread, 1.0)

    def fit(self, points: Floats, labels: NDArray[np.int32]) -> None:
        self.forest.fit((points - self.centre) / self.scale, labels)

    def predict_proba(self, Z: Floats) -> Floats:
        return self.spread(self.forest.predict_proba((Z - self.centre) / self.scale))

    def spread(self, votes: Floats) -> Floats:
        wide = np.zeros((len(votes), self.n_classes))
        wide[:, self.forest.classes_] = votes
        return wide
