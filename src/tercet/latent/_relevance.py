"""What is known about the features before anybody has answered anything: how well they foresee each other.

A feature that has to do with what the items are has to do with other features too, and neighbours by those
are alike in it. One that is noise is foreseen by nothing, and only hides who is near whom. So each feature is
foretold by the nearest neighbours of an item by all other features. What share of its variance they explain
says how much it counts: like any other from 0.3 on. Below that it is noise, all of it at 0, and all noise
together counts no more than a single feature.

The same says where squares of differences are best turned into lengths (see `apart`): where neighbours
foresee most.
"""

from __future__ import annotations

import numpy as np

from tercet._validation import Floats
from tercet.latent._apart import apart

# Chosen on sets outside the paper's eight (docs/beyond-the-paper.md).
_ENOUGH = 0.3  # the share foreseen from which on a feature counts like any other
_FIRST_TURN = 1.0  # in standard deviations, while features are weighed
_TURNS = (0.5, 1.0, 2.0, 4.0)
_MOST_ITEMS, _MOST_TO_TURN = 400, 300
_MOST_NEIGHBOURS = 10
_CONSTANT = 1e-9  # spread of a standardised feature: less is rounding
_ROUNDING = 1e-9  # of how far apart two items are
# Features are left out in at most so many groups, each on its own where there are no more.
_MOST_GROUPS = 100


def relevance(Z: Floats, rng: np.random.Generator) -> Floats:
    """Return how much each of these standardised features is to count, at most 1, in squared differences."""
    some = _some(Z, _MOST_ITEMS, rng)
    varies = some.std(axis=0) > _CONSTANT
    told = np.clip(foreseen_shares(some[:, varies], _FIRST_TURN) / _ENOUGH, 0.0, 1.0)
    noise = told.max(initial=0.0) - told  # where nothing foresees anything, nothing is known
    counts = np.ones(Z.shape[1])
    # A single one does no harm, and may be all that tells two classes apart.
    counts[varies] -= noise * (1 - 1 / max(float(noise.sum()), 1.0))
    return counts


def best_turn(Z: Floats, counts: Floats, rng: np.random.Generator) -> float:
    """Return the turn at which neighbours foresee most of these features, which are to count so much."""
    some = _some(Z, _MOST_TO_TURN, rng)
    return max(_TURNS, key=lambda turn: float(counts @ foreseen_shares(some, turn)))


def foreseen_shares(Z: Floats, turn: float) -> Floats:
    """Return the share of each feature's variance that neighbours by all other features explain.

    About 0, above or below, for a feature that has nothing to do with the others.
    """
    n_items, n_features = Z.shape
    n_neighbours = min(_MOST_NEIGHBOURS, round(n_items**0.5), n_items - 1)
    shares = np.zeros(n_features)
    if n_neighbours < 1:
        return shares
    whole = apart(Z, Z, turn)
    np.fill_diagonal(whole, np.inf)  # nobody is their own neighbour
    n_groups = min(n_features, _MOST_GROUPS)
    for first in range(n_groups):
        group = np.ascontiguousarray(Z[:, first::n_groups])
        others = whole - apart(group, group, turn)
        farthest = np.partition(others, n_neighbours - 1, axis=1)[:, n_neighbours - 1, np.newaxis]
        # All that are as near as the last of them: the order of items and rounding decide nothing.
        near = (others <= farthest + _ROUNDING * (1 + np.abs(farthest))).astype(np.float64)
        count = near.sum(axis=1, keepdims=True)
        # The mean of k items that have nothing to do with one misses it by 1 + 1/k of the variance.
        missed = (np.square(group - near @ group / count) / (1 + 1 / count)).mean(axis=0)
        shares[first::n_groups] = 1 - missed / np.maximum(group.var(axis=0), _CONSTANT**2)
    return shares


def _some(Z: Floats, most: int, rng: np.random.Generator) -> Floats:
    return Z if len(Z) <= most else Z[rng.choice(len(Z), most, replace=False)]
