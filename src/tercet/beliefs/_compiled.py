"""A random forest in one compiled function. Needs numba, in the extra ``fast``.

scikit-learn spends about 2 ms a tree on checking input, most of its work below a thousand items; above, this
kernel gains by sorting ranks in place of values, and by counting where a node has many items for few ranks.
`make bench` has the ratios. The forest is the same kind: bootstrap samples, the best Gini split of a random
sqrt(d) features, thresholds halfway between values, trees grown until leaves are pure.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tercet._validation import Floats, Ints

_SEED_BITS = 0xFFFFFFFF


class CompiledForest:
    """Trees grown on bootstrap samples, with the votes of those that did not train on an item."""

    def __init__(self, points: Floats, labels: NDArray[Any], n_classes: int, n_trees: int, seed: int) -> None:
        n, d = points.shape
        self.n_classes = n_classes
        rng = np.random.default_rng(seed)
        bags = np.stack([np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(n_trees)])
        seeds = rng.integers(1, _SEED_BITS, size=n_trees)
        columns = np.ascontiguousarray(points.T)
        values, ranks = np.zeros((d, n)), np.empty((d, n), dtype=np.int32)
        for feature, column in enumerate(columns):
            distinct, ranks[feature] = np.unique(column, return_inverse=True)
            values[feature, : len(distinct)] = distinct
        few = max(1, int(np.sqrt(d)))
        self.votes, self._features, self._cuts, self._below = _grow(
            columns, ranks, values, labels.astype(np.int64), n_classes, bags.astype(np.int64), seeds, few
        )

    def predict_proba(self, points: Floats) -> Floats:
        """Return the share of all trees that vote for each class, for new points."""
        columns = np.ascontiguousarray(points.T)
        votes = _count_votes(columns, self.n_classes, self._features, self._cuts, self._below)
        return np.asarray(votes / len(self._features))


@njit(cache=True)
def _count_votes(
    columns: Floats, n_classes: int, features: NDArray[np.int32], cuts: Floats, below: NDArray[np.int32]
) -> NDArray[np.int64]:
    votes = np.zeros((columns.shape[1], n_classes), np.int64)
    for tree in range(len(features)):
        for item in range(columns.shape[1]):
            votes[item, _leaf(columns, item, features[tree], cuts[tree], below[tree])] += 1
    return votes


@njit(cache=True)
def _leaf(
    columns: Floats, item: int, features: NDArray[np.int32], cuts: Floats, below: NDArray[np.int32]
) -> int:
    """Follow an item down a tree; return the class of its leaf."""
    node = 0
    while features[node] >= 0:
        node = below[node] + (1 if columns[features[node], item] > cuts[node] else 0)
    return int(below[node])


@njit(cache=True)
def _grow(
    columns: Floats,
    ranks: NDArray[np.int32],
    values: Floats,
    labels: Ints,
    n_classes: int,
    bags: Ints,
    seeds: Ints,
    max_features: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats, NDArray[np.int32]]:
    """Grow all trees; return votes, and by tree and node the feature (-1 in a leaf), cut and first child.

    ``ranks`` numbers the distinct values of each feature in order, ``values`` holds them, ``bags`` says how
    often each item is in each tree's sample. A leaf keeps its class where others keep their first child.
    """
    d, n = ranks.shape
    n_trees = len(bags)
    votes = np.zeros((n, n_classes), np.int64)
    features = np.full((n_trees, 2 * n), -1, np.int32)
    cuts = np.zeros((n_trees, 2 * n))
    below = np.zeros((n_trees, 2 * n), np.int32)
    order = np.arange(d)
    items = np.empty(n, np.int64)
    counts = np.empty(8 * n + n_classes, np.int64)
    keys = np.empty(n, np.int64)
    left, total = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    stack = np.empty((2 * n, 3), np.int64)
    for tree in range(n_trees):
        bag, state = bags[tree], seeds[tree]
        in_bag = 0
        for item in range(n):
            if bag[item] > 0:
                items[in_bag] = item
                in_bag += 1
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, in_bag
        depth, n_nodes = 1, 1
        while depth > 0:
            depth -= 1
            node, low, high = stack[depth]
            total[:] = 0
            for place in range(low, high):
                total[labels[items[place]]] += bag[items[place]]
            weight, squares, largest = 0, 0, 0
            for c in range(n_classes):
                weight += total[c]
                squares += total[c] * total[c]
                if total[c] > total[largest]:
                    largest = c
            best, best_feature, best_rank, next_rank = 0.0, -1, 0, 0
            untried = 0 if total[largest] == weight else d
            # As scikit-learn does: constant features count, but go on until one is found that is not.
            while untried > 0 and (d - untried < max_features or best_feature < 0):
                state ^= (state << 13) & 0xFFFFFFFF
                state ^= state >> 17
                state ^= (state << 5) & 0xFFFFFFFF
                pick = (state * untried) >> 32
                untried -= 1
                feature = order[pick]
                order[pick] = order[untried]
                order[untried] = feature
                rank = ranks[feature]
                lowest = rank[items[low]]
                highest = lowest
                for place in range(low + 1, high):
                    lowest = min(lowest, rank[items[place]])
                    highest = max(highest, rank[items[place]])
                if lowest == highest:
                    continue
                left[:] = 0
                # Gini is best where sum of squares / weight, left plus right, is largest.
                weight_left, squares_left, squares_right = 0, 0, squares
                span, size = highest - lowest + 1, high - low
                if span * n_classes <= 8 * size:
                    # Few ranks: count the classes of each.
                    counts[: span * n_classes] = 0
                    for place in range(low, high):
                        item = items[place]
                        counts[(rank[item] - lowest) * n_classes + labels[item]] += bag[item]
                    last = lowest
                    for step in range(span):
                        fresh = True
                        for c in range(n_classes):
                            count = counts[step * n_classes + c]
                            if count == 0:
                                continue
                            if fresh:
                                fresh = False
                                if weight_left > 0:
                                    gain = squares_left / weight_left + squares_right / (weight - weight_left)
                                    if gain > best:
                                        best, best_feature = gain, feature
                                        best_rank, next_rank = last, lowest + step
                                last = lowest + step
                            squares_left += count * (2 * left[c] + count)
                            squares_right += count * (count - 2 * (total[c] - left[c]))
                            left[c] += count
                            weight_left += count
                else:
                    # Many ranks: sort the items by rank.
                    for place in range(size):
                        item = items[low + place]
                        key = rank[item] * n + item
                        if size <= 24:
                            hole = place
                            while hole > 0 and keys[hole - 1] > key:
                                keys[hole] = keys[hole - 1]
                                hole -= 1
                            keys[hole] = key
                        else:
                            keys[place] = key
                    if size > 24:
                        keys[:size].sort()
                    last = keys[0] // n
                    for place in range(size):
                        this = keys[place] // n
                        item = keys[place] - this * n
                        if this != last:
                            gain = squares_left / weight_left + squares_right / (weight - weight_left)
                            if gain > best:
                                best, best_feature = gain, feature
                                best_rank, next_rank = last, this
                            last = this
                        c, count = labels[item], bag[item]
                        squares_left += count * (2 * left[c] + count)
                        squares_right += count * (count - 2 * (total[c] - left[c]))
                        left[c] += count
                        weight_left += count
            if best_feature < 0:
                below[tree, node] = largest
                continue
            rank = ranks[best_feature]
            first, last_place = low, high - 1
            while first <= last_place:
                if rank[items[first]] <= best_rank:
                    first += 1
                else:
                    items[first], items[last_place] = items[last_place], items[first]
                    last_place -= 1
            features[tree, node] = best_feature
            lower, upper = values[best_feature, best_rank], values[best_feature, next_rank]
            cut = lower / 2 + upper / 2  # in this order, the sum does not overflow
            cuts[tree, node] = cut if cut < upper else lower
            below[tree, node] = n_nodes
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = n_nodes, low, first
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = n_nodes + 1, first, high
            depth += 2
            n_nodes += 2
        for item in range(n):
            if bag[item] == 0:
                votes[item, _leaf(columns, item, features[tree], cuts[tree], below[tree])] += 1
    return votes, features, cuts, below
