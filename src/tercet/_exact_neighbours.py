"""The nearest of points in memory, exactly: by a tree, by differences or by matrix products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from tercet._validation import Floats, Ints, check_values

# Queries from which a matrix product beats differences one by one.
_MANY_QUERIES = 8
# Items handled at a time, and numbers in one temporary array (64 MB): both keep memory flat for large n.
BLOCK = 65_536
NUMBERS = 1 << 23
# Candidates beyond k that a fast search returns, so that its rounding does not push out a true neighbour.
SPARE = 6


class ExactSearch:
    """Items in the learned space, and the nearest of them to any point."""

    metric: Any
    n_items_: int
    _tree: Any

    def _take_in(self, table: NDArray[Any]) -> None:
        """Keep the items in the learned space, and where they lie."""
        self._items = table
        low, high, total = np.inf, -np.inf, 0.0
        for start in range(0, len(table), BLOCK):
            points = self._into_space(table[start : start + BLOCK], start)
            if self.metric is not None:
                if start == 0:
                    self._items = np.empty((len(table), points.shape[1]))
                self._items[start : start + len(points)] = points
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
            total = total + points.sum(axis=0)
        self._varying = np.asarray(high > low)
        self._centre = np.clip(total / len(table), low, high)
        reach = np.maximum(high - self._centre, self._centre - low)
        self._scale = float(reach.max()) or 1.0
        self._radius = float(np.linalg.norm(reach))

    def _into_space(self, rows: NDArray[Any], start: int) -> Floats:
        """Return these rows of a table, the first of which has number ``start``, in the learned space."""
        points = np.asarray(rows, dtype=np.float64)
        if self.metric is None:
            return check_values(points, start, "X")
        points = np.asarray(self.metric.transform(check_values(points, start, "X")), dtype=np.float64)
        if points.ndim != 2 or len(points) != len(rows):
            raise ValueError(f"metric.transform made shape {points.shape} of {len(rows)} items; one row each")
        return check_values(points, start, "the learned space")

    def _rows(self, items: Ints) -> Floats:
        return np.asarray(self._items[items], dtype=np.float64)

    def _blocks(self) -> Iterator[tuple[int, Floats]]:
        for start in range(0, self.n_items_, BLOCK):
            yield start, np.asarray(self._items[start : start + BLOCK], dtype=np.float64)

    def _parts(self, n_rows: int, k: int) -> Iterator[slice]:
        """Cut rows into parts whose candidates' coordinates fit into memory."""
        size = max(1, min(BLOCK, NUMBERS // ((k + 1 + SPARE) * self._items.shape[1])))
        return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))

    def _squares(self, points: Floats, candidates: Ints) -> Floats:
        difference = self._rows(candidates)
        difference -= points[:, None, :]
        return np.asarray(np.einsum("mkr,mkr->mk", difference, difference))

    def _exact(self, points: Floats, k: int) -> Ints:
        """Return the k nearest items of each point, in no order."""
        if self._tree is not None:
            # A dimension in which all items agree adds the same to all distances.
            found = self._tree.query(points[:, self._varying], k)[1]
            return np.asarray(found, dtype=np.int64).reshape(len(points), k)
        if len(points) < _MANY_QUERIES:
            return self._by_differences(points, k)
        return self._by_products(points, k)

    def _by_differences(self, points: Floats, k: int) -> Ints:
        def search(block: Floats) -> tuple[Floats, Ints]:
            distances = cdist(part, block)
            return best(distances, np.broadcast_to(np.arange(len(block)), distances.shape), k)

        nearest = np.empty((len(points), k), dtype=np.int64)
        for start in range(0, len(points), NUMBERS // BLOCK):
            part = points[start : start + NUMBERS // BLOCK]
            nearest[start : start + len(part)] = self._over_blocks(len(part), k, search)[1]
        return nearest

    def _by_products(self, points: Floats, k: int) -> Ints:
        """Take |x|^2 - 2 x'y + |y|^2 for the squared distance, and prove that it did no harm.

        It is several times faster than differences, but its rounding errors are relative to |x| and |y|. So
        the items are centred, spare candidates taken, and the result held against a bound on the error;
        points that fail (in tight clusters far from each other) are searched again by differences.
        """
        width = min(k + SPARE, self.n_items_)

        def search(block: Floats) -> tuple[Floats, Ints]:
            centred = NearestNeighbors(algorithm="brute").fit(block - self._centre)
            distances, indices = centred.kneighbors(points - self._centre, min(width, len(block)))
            return distances, indices

        rough, candidates = self._over_blocks(len(points), width, search)
        squares, nearest = best(self._squares(points, candidates), candidates, k)
        kth = squares.max(axis=1)
        size = np.linalg.norm(points - self._centre, axis=1) + self._radius
        error = 4 * (points.shape[1] + 8) * np.finfo(np.float64).eps * size**2
        left_out = rough.max(axis=1) ** 2 - error  # no item left out is nearer than this
        # The second allows for ties, which no bound on an error can tell apart: they agree to ten digits.
        doubtful = ~((kth <= left_out) | (error <= 1e-10 * kth) | (kth == 0))
        if width < self.n_items_ and doubtful.any():
            nearest[doubtful] = self._by_differences(points[doubtful], k)
        return nearest

    def _over_blocks(self, n_points: int, k: int, search: Callable[..., Any]) -> tuple[Floats, Ints]:
        """Search block by block, and keep the k best of all blocks."""
        nearest, chosen = results(n_points, 0)
        for start, block in self._blocks():
            distances, indices = search(block)
            nearest, chosen = best(np.hstack([nearest, distances]), np.hstack([chosen, indices + start]), k)
        return nearest, chosen


def best(distances: Floats, indices: Ints, k: int) -> tuple[Floats, Ints]:
    """Return the k smallest distances of each row with their indices, of equal ones those of lower index."""
    order = np.lexsort((indices, distances), axis=-1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1)


def results(n_rows: int, k: int) -> tuple[Floats, Ints]:
    """Return empty arrays for distances and indices."""
    return np.empty((n_rows, k)), np.empty((n_rows, k), dtype=np.int64)
