"""Made-up items for the benchmarks: Gaussian clusters that overlap a little."""

from __future__ import annotations

import numpy as np

from tercet.beliefs import ClusterForest

#: The learner's own default: its belief model sees a sample of so many items.
MAX_ITEMS = 10_000


def centres(d: int, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    """Return the cluster centres, about four standard deviations apart in any number of dimensions."""
    return rng.normal(size=(n_classes, d)) * 4 / np.sqrt(2 * d)


def mixture(n: int, d: int, n_classes: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return items and their classes."""
    labels = rng.integers(n_classes, size=n)
    return centres(d, n_classes, rng)[labels] + rng.normal(size=(n, d)), labels


def forest_beliefs(n: int, d: int, n_classes: int, seed: int) -> np.ndarray:
    """Return beliefs as a learner has them at first: by a forest, out of bag for the items that it saw."""
    X, _ = mixture(n, d, n_classes, np.random.default_rng(seed))
    model = ClusterForest(n_classes, n_starts=1, random_state=seed).fit(X[:MAX_ITEMS])
    others = X[MAX_ITEMS:]
    return np.concatenate([model.predict_proba(), *([model.predict_proba(others)] if len(others) else [])])
