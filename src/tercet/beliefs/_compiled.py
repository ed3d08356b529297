"""A random forest in one compiled function. Needs numba, in the extra ``fast``.

scikit-learn spends about 2 ms a tree on checking input, most of its work below a thousand items; above, this
kernel gains by sorting each feature once for all trees: a node then sorts its items by setting one bit for
each and reading the bits in order. `make bench` has the ratios. The forest is the same kind: bootstrap
samples, the best Gini split of a random sqrt(d) features, thresholds halfway between values, trees grown
until leaves are pure.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tercet._validation import Floats, Ints

_SEED_BITS = 0xFFFFFFFF
_FEW = 16  # below this, insertion sort is faster
# Which bit of a word is set: this number times the bit has another value in its top six bits for each.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT = np.zeros(64, dtype=np.int32)
for _bit in range(64):
    _BIT[((int(_DE_BRUIJN) << _bit) & (2**64 - 1)) >> 58] = _bit


class CompiledForest:
    """Trees grown on bootstrap samples, with the votes of those that did not train on an item."""

    def __init__(
        self,
        points: Floats,
        labels: NDArray[Any],
        n_classes: int,
        n_trees: int,
        seed: int,
        max_draws: int | None = None,
    ) -> None:
        n, d = points.shape
        draws = n if max_draws is None else min(n, max_draws)
        self.n_classes = n_classes
        rng = np.random.default_rng(seed)
        bags = np.stack([np.bincount(rng.integers(n, size=draws), minlength=n) for _ in range(n_trees)])
        seeds = rng.integers(1, _SEED_BITS, size=n_trees)
        columns = np.ascontiguousarray(points.T)
        order = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
        few = max(1, int(np.sqrt(d)))
        self.votes, self._features, self._cuts, self._below = _grow(
            columns, order, labels.astype(np.int32), n_classes, bags.astype(np.int32), seeds, few
        )

    def predict_proba(self, points: Floats) -> Floats:
        """Return the share of all trees that vote for each class, for new points."""
        columns = np.ascontiguousarray(points.T)
        votes = _count_votes(columns, self.n_classes, self._features, self._cuts, self._below)
        return np.asarray(votes / len(self._features))


@njit(cache=True, nogil=True)
def _count_votes(
    columns: Floats, n_classes: int, features: NDArray[np.int32], cuts: Floats, below: NDArray[np.int32]
) -> NDArray[np.int64]:
    votes = np.zeros((columns.shape[1], n_classes), np.int64)
    for tree in range(len(features)):
        for item in range(columns.shape[1]):
            votes[item, _leaf(columns, item, features[tree], cuts[tree], below[tree])] += 1
    return votes


@njit(cache=True, nogil=True)
def _leaf(
    columns: Floats, item: int, features: NDArray[np.int32], cuts: Floats, below: NDArray[np.int32]
) -> int:
    """Follow an item down a tree; return the class of its leaf."""
    node = 0
    while features[node] >= 0:
        node = below[node] + (1 if columns[features[node], item] > cuts[node] else 0)
    return int(below[node])


@njit(cache=True, nogil=True)
def _grow(
    columns: Floats,
    order: NDArray[np.int32],
    labels: NDArray[np.int32],
    n_classes: int,
    bags: NDArray[np.int32],
    seeds: Ints,
    max_features: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats, NDArray[np.int32]]:
    """Grow all trees; return votes, and by tree and node the feature (-1 in a leaf), cut and first child.

    ``order`` lists the items by each feature's value, ``bags`` says how often each item is in each tree's
    sample. A leaf keeps its class where others keep their first child.
    """
    d, n = columns.shape
    n_trees = len(bags)
    place_of, rank_at = np.empty((d, n), np.int32), np.zeros((d, n), np.int32)
    for feature in range(d):
        column, by_value = columns[feature], order[feature]
        for place in range(n):
            place_of[feature, by_value[place]] = place
            if place > 0:  # equal values share a rank
                rank_at[feature, place] = rank_at[feature, place - 1] + (
                    1 if column[by_value[place]] > column[by_value[place - 1]] else 0
                )
    votes = np.zeros((n, n_classes), np.int64)
    features = np.full((n_trees, 2 * n), -1, np.int32)
    cuts = np.zeros((n_trees, 2 * n))
    below = np.zeros((n_trees, 2 * n), np.int32)
    untried_first = np.arange(d)
    items = np.empty(n, np.int32)
    places = np.empty(n, np.int32)
    bits = np.zeros(n // 64 + 1, np.uint64)
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
            for at in range(low, high):
                total[labels[items[at]]] += bag[items[at]]
            weight, squares, largest = 0, 0, 0
            for c in range(n_classes):
                weight += total[c]
                squares += total[c] * total[c]
                if total[c] > total[largest]:
                    largest = c
            best, best_feature, best_place, next_place = 0.0, -1, 0, 0
            untried = 0 if total[largest] == weight else d
            # As scikit-learn does: constant features count, but go on until one is found that is not.
            while untried > 0 and (d - untried < max_features or best_feature < 0):
                state ^= (state << 13) & 0xFFFFFFFF
                state ^= state >> 17
                state ^= (state << 5) & 0xFFFFFFFF
                pick = (state * untried) >> 32
                untried -= 1
                feature = untried_first[pick]
                untried_first[pick] = untried_first[untried]
                untried_first[untried] = feature
                by_value, rank = order[feature], rank_at[feature]
                _sort(items[low:high], place_of[feature], places, bits)
                last = places[0]
                if rank[last] == rank[places[high - low - 1]]:
                    continue
                left[:] = 0
                # Gini is best where sum of squares / weight, left plus right, is largest.
                weight_left, squares_left, squares_right = 0, 0, squares
                for at in range(high - low):
                    place = places[at]
                    if rank[place] != rank[last]:
                        gain = squares_left / weight_left + squares_right / (weight - weight_left)
                        if gain > best:
                            best, best_feature = gain, feature
                            best_place, next_place = last, place
                    last = place
                    item = by_value[place]
                    c, count = labels[item], bag[item]
                    squares_left += count * (2 * left[c] + count)
                    squares_right += count * (count - 2 * (total[c] - left[c]))
                    left[c] += count
                    weight_left += count
            if best_feature < 0:
                below[tree, node] = largest
                continue
            places_here = place_of[best_feature]
            first, last_place = low, high - 1
            while first <= last_place:
                if places_here[items[first]] <= best_place:
                    first += 1
                else:
                    items[first], items[last_place] = items[last_place], items[first]
                    last_place -= 1
            features[tree, node] = best_feature
            lower = columns[best_feature, order[best_feature, best_place]]
            upper = columns[best_feature, order[best_feature, next_place]]
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


@njit(cache=True, nogil=True)
def _sort(
    items: NDArray[np.int32],
    place_of: NDArray[np.int32],
    places: NDArray[np.int32],
    bits: NDArray[np.uint64],
) -> None:
    """Write the places of these items to ``places``, in order. ``bits`` is all zero before and after."""
    if len(items) <= _FEW:
        for at in range(len(items)):
            place = place_of[items[at]]
            hole = at
            while hole > 0 and places[hole - 1] > place:
                places[hole] = places[hole - 1]
                hole -= 1
            places[hole] = place
        return
    lowest, highest = len(bits), 0
    for item in items:
        word = place_of[item] >> 6
        bits[word] |= np.uint64(1) << np.uint64(place_of[item] & 63)
        lowest, highest = min(lowest, word), max(highest, word)
    at = 0
    for word in range(lowest, highest + 1):
        left = bits[word]
        while left:
            lone = left & (~left + np.uint64(1))  # the lowest bit that is set
            left ^= lone
            places[at] = (word << 6) + _BIT[(lone * _DE_BRUIJN) >> np.uint64(58)]
            at += 1
        bits[word] = 0
