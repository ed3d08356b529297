"""Nearest neighbours of items in the learned space, exact or by faiss (the extra ``neighbours``)."""

from __future__ import annotations

import copy
import importlib
import sys
import warnings
from bisect import bisect_left
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted
from threadpoolctl import threadpool_limits

from tercet import _exact_neighbours as exact
from tercet._dask import is_dask, map_rows, whole_rows
from tercet._dask_neighbours import as_chunks, nearest
from tercet._exact_neighbours import SPARE, ExactSearch, best, results
from tercet._random import RandomState, Seeds
from tercet._validation import (
    Floats,
    Ints,
    check_count,
    check_items,
    check_option,
    check_part,
)

# Where the ways cross: seconds of one core for 10 neighbours of each of n items (estimated from a sample),
# fit included. They are in 50 clusters / in one ball; in brackets what "auto" does not do: too many cells.
#                      tree       brute force   faiss
#   d = 8,  n = 1e5    4.0 / 19   42            3.2 / 6.0
#   d = 13, n = 1e3    0.01       0.01          0.04 / 0.05
#           n = 1e4    0.27       0.48          0.18 / 0.44
#           n = 2e4       / 7.6   1.7           0.40 / 1.4
#           n = 1e5    19 / 334   45            4.8 / 16
#   d = 50, n = 2e4               2.8           0.68 / (5.2)
#           n = 1e6               6,300         390
# To fit and ask for one item, faiss never pays: for d = 50, n = 1e6 that takes 11 s, by brute force 0.4 s.
_TREE_DIMENSIONS = 8
_APPROXIMATE_FROM = 20_000
# The share of its neighbours that a sample of items must find by faiss; it errs by 0.01, so 0.95 is safe.
_RECALL = 0.98
_SAMPLE = 200
# Looking into more than this share of the cells takes longer than brute force.
_SHARE = 0.25
# Items that the centre of a cell is learned from.
_TRAINING = 64


class Neighbours(ExactSearch, BaseEstimator):
    """Nearest neighbours of items under a learned metric.

    Parameters
    ----------
    metric : fitted metric or None
        Anything with ``transform``, which maps features into the learned space. None: they are there already.
    n_neighbours : int
        How many neighbours to return where ``k`` is not given (fewer, if there are not so many items).
    method : {"auto", "exact", "approximate"}
        "exact" is a k-d tree up to 8 dimensions and brute force beyond. "approximate" sorts the items into
        cells by faiss (``pip install 'tercet[neighbours]'``), looks into the nearest cells only, and finds at
        least 95% of the neighbours of points like the items: how many cells that takes is measured. "auto" is
        exact, except from 20,000 items in more than 8 dimensions where faiss is there (not on macOS) and less
        work. To fit and then ask for a few items only, "exact" is always faster.
    random_state : int, Generator, RandomState or None
        Decides the cells. The exact method does not use it.

    Attributes
    ----------
    method_ : str
        "exact" or "approximate": what is used. Where even faiss's look into every cell does not find the
        neighbours (clusters too tight for its single precision), that is "exact" whatever ``method`` says.
    recall_ : float
        The share of ``n_neighbours`` neighbours that the search finds, as measured on a sample of items.

    Notes
    -----
    Distances are Euclidean in the learned space and computed in double precision from the differences, by
    either method; equally distant items come in the order of their numbers. An array without a metric is not
    copied (it may be memory-mapped): do not change it afterwards.

    Examples
    --------
    >>> neighbours = Neighbours(n_neighbours=2).fit([[0.0], [1.0], [3.0], [7.0]])
    >>> neighbours.query([[2.5]])
    (array([[0.5, 1.5]]), array([[2, 1]]))
    >>> neighbours.of_items([0, 3])
    (array([[1., 3.], [4., 6.]]), array([[1, 2], [2, 1]]))
    """

    def __init__(
        self,
        metric: Any = None,
        *,
        n_neighbours: int = 10,
        method: str = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.metric = metric
        self.n_neighbours = n_neighbours
        self.method = method
        self.random_state = random_state

    def fit(self, X: ArrayLike) -> Self:
        """Take in the items, an array-like of shape (n, d).

        One that is memory-mapped is read in blocks. A Dask array is searched on its cluster, exactly:
        ``query``, and ``of_items`` of all items, then return Dask arrays.
        """
        self.__dict__.pop("method_", None)  # where fitting anew fails, nothing is fitted
        self._chunks: Any = None
        method = check_option("method", self.method, ("auto", "exact", "approximate"))
        check_count("n_neighbours", self.n_neighbours)
        if self.metric is not None:
            check_part("metric", self.metric, "transform")
        faiss = _faiss() if method == "approximate" else None
        if is_dask(X):
            if method == "approximate":
                raise ValueError("a Dask array is searched exactly; use method='auto'")
            self._chunks = whole_rows(X)
            self.n_items_, self.n_features_in_ = self._chunks.shape
            self.method_, self.recall_ = "exact", 1.0
            return self
        table = check_array(X, dtype="numeric", ensure_all_finite=False)  # values are checked in blocks
        self.n_items_, self.n_features_in_ = table.shape
        self._take_in(table)
        self._tree: Any = None
        self._index: Any = None
        self.recall_ = 1.0
        fits_tree = 1 <= np.count_nonzero(self._varying) <= _TREE_DIMENSIONS
        if method == "auto" and not fits_tree and self.n_items_ >= _APPROXIMATE_FROM:
            faiss = _faiss(needed=False)
        if faiss is not None and self.n_items_ > 1:
            self._build_index(faiss, must_pay=method == "auto")
        if self._index is None and fits_tree:
            self._tree = cKDTree(np.ascontiguousarray(self._items[:, self._varying], dtype=np.float64))
        self.method_ = "exact" if self._index is None else "approximate"
        return self

    def query(self, X: ArrayLike, k: int | None = None) -> tuple[Floats, Ints]:
        """Return the fitted items nearest to new ones.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Features of the new items.
        k : int, optional
            How many neighbours; ``n_neighbours`` if not given.

        Returns
        -------
        distances, indices : arrays of shape (m, k)
            Ascending distances, and rows of the ``X`` given to ``fit``.
        """
        check_is_fitted(self, "method_")
        if self._chunks is not None or is_dask(X):
            return self._query_on_cluster(X, k)
        table = check_array(X, dtype="numeric", ensure_all_finite=False, ensure_min_samples=0)
        if table.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {table.shape[1]} features, but the items have {self.n_features_in_}")
        k = self._check_k(k, self.n_items_)
        distances, indices = results(len(table), k)
        for part in self._parts(len(table), k):
            points = self._into_space(table[part], part.start)
            distances[part], indices[part] = self._nearest(points, k)
        return distances, indices

    def of_items(self, items: ArrayLike | None = None, k: int | None = None) -> tuple[Floats, Ints]:
        """Return the nearest others of fitted items; an item is not its own neighbour, a duplicate of it is.

        Parameters
        ----------
        items : array-like of shape (m,), optional
            Rows of the ``X`` given to ``fit``; all of them if not given.
        k : int, optional
            How many neighbours; ``n_neighbours`` if not given.

        Returns
        -------
        distances, indices : arrays of shape (m, k)
            As those of ``query``.
        """
        check_is_fitted(self, "method_")
        if self._chunks is not None:
            if items is not None:
                wanted = check_items(items, self.n_items_)
                k = self._check_k(k, self.n_items_ - 1)
                far, found = (
                    np.asarray(a) for a in self._query_on_cluster(self._chunks[wanted].compute(), k + 1)
                )
                return _without_themselves(far, found, wanted)
            return self._of_all_on_cluster(k)
        wanted = np.arange(self.n_items_) if items is None else check_items(items, self.n_items_)
        k = self._check_k(k, self.n_items_ - 1)
        distances, indices = results(len(wanted), k)
        for part in self._parts(len(wanted), k):
            own = wanted[part]
            far, found = self._nearest(self._rows(own), k + 1)
            distances[part], indices[part] = _without_themselves(far, found, own)
        return distances, indices

    def _query_on_cluster(self, X: Any, k: int | None) -> tuple[Any, Any]:
        X = X if is_dask(X) else np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has shape {np.shape(X)}, but the items have {self.n_features_in_} features")
        k = self._check_k(k, self.n_items_)
        if self._chunks is None:  # the items are in memory: every chunk of queries meets them all
            both = map_rows(lambda rows, _: np.hstack(self.query(rows, k)), X, 2 * k)
            return both[:, :k], both[:, k:].astype(np.int64)
        return nearest(self._for_chunks(), as_chunks(X, self._chunks), self._chunks, k, same=False)

    def _of_all_on_cluster(self, k: int | None) -> tuple[Any, Any]:
        k = self._check_k(k, self.n_items_ - 1)
        return nearest(self._for_chunks(), self._chunks, self._chunks, k, same=True)

    def _for_chunks(self) -> Neighbours:
        """Return an exact search under a metric that does not carry the features with it."""
        metric = self.metric
        if hasattr(metric, "preprocessor"):
            metric = copy.copy(metric)
            metric.preprocessor = None
        return Neighbours(metric, method="exact")

    def _check_k(self, k: int | None, available: int) -> int:
        if k is None:
            return min(self.n_neighbours, available)
        if check_count("k", k) > available:
            raise ValueError(
                f"k is {k}, but there are only {available} items to find; use at most {available}"
            )
        return int(k)

    def _nearest(self, points: Floats, k: int) -> tuple[Floats, Ints]:
        """Return distances and numbers of the k nearest items, ascending."""
        candidates = (self._exact if self._index is None else self._approximate)(points, k)
        squares = self._squares(points, candidates)
        near, items = best(squares, candidates, k)
        return np.sqrt(near), items

    def _build_index(self, faiss: Any, must_pay: bool) -> None:
        """Sort the items into cells, and keep that if a sample of them is found again (with less work)."""
        seeds, n_items = Seeds(self.random_state), self.n_items_
        n_cells = int(n_items**0.5)
        rows = seeds.generator("neighbours: cells").permutation(n_items)[: _TRAINING * n_cells]
        self._index = faiss.index_factory(self._items.shape[1], f"IVF{n_cells},Flat")
        self._index.cp.min_points_per_centroid = 1  # it would print a warning where items are few
        with threadpool_limits(1):  # sums of several threads may differ from run to run
            self._index.train(self._to_single(self._rows(np.sort(rows))))
            for _, block in self._blocks():
                self._index.add(self._to_single(block))
        draw = seeds.generator("neighbours: sample")
        self._sample = draw.choice(n_items, min(_SAMPLE, n_items), replace=False)
        self._tuned: dict[int, tuple[int, float]] = {}
        cells, recall = self._cells_for(self.n_neighbours)
        if cells <= n_cells * (_SHARE if must_pay else 1):
            self.recall_ = recall
        else:
            self._index = None

    def _cells_for(self, k: int) -> tuple[int, float]:
        """Return the least number of cells that gives the recall for k neighbours, and that recall.

        If none does, or k is too large to measure it, it is one more than there are. Any k up to
        ``n_neighbours`` (and the item itself) needs the same; larger ones share the next power of two.
        """
        k = self.n_neighbours if k <= self.n_neighbours + 1 else 1 << (k - 1).bit_length()
        k = min(k, self.n_items_ - 1)
        if k not in self._tuned:
            width = min(k + 1 + SPARE, self.n_items_)
            fit_into_memory = exact.NUMBERS // (width * self._items.shape[1])
            if fit_into_memory < min(_SAMPLE // 4, self.n_items_):
                return self._index.nlist + 1, 0.0
            points = self._rows(self._sample[:fit_into_memory])
            kth = self._squares(points, self._exact(points, k + 1)).max(axis=1, keepdims=True)

            def recall(cells: int) -> float:
                found = self._look_up(points, width, cells)
                # By distance, as an equally near item is as good; and without the item itself.
                near = (found >= 0) & (self._squares(points, found) <= kth)
                return float((near.sum(axis=1).clip(1, k + 1) - 1).mean() / k)

            cells = 1 + bisect_left(range(1, self._index.nlist + 1), _RECALL, key=recall)
            self._tuned[k] = cells, recall(cells)
        return self._tuned[k]

    def _approximate(self, points: Floats, k: int) -> Ints:
        """Return the k nearest items of each point, nearly all of them true ones, and some more."""
        cells, _ = self._cells_for(k)
        if cells > self._index.nlist:
            return self._exact(points, k)
        width = min(k + SPARE, self.n_items_)
        found = self._look_up(points, width, cells)
        short = (found < 0).any(axis=1)
        if short.any():
            found[short] = self._exact(points[short], width)
        return found

    def _look_up(self, points: Floats, width: int, cells: int) -> Ints:
        """Return what is in the nearest cells; -1 where that is too little, or the point too far away."""
        scaled = self._to_single(points)
        # Single precision cannot tell the items apart from so far, and overflows still farther out.
        inside = (np.abs(scaled) <= 1000).all(axis=1)
        found = np.full((len(points), width), -1, dtype=np.int64)
        if inside.any():
            parameters = _faiss().SearchParametersIVF(nprobe=cells)
            found[inside] = self._index.search(scaled[inside], width, params=parameters)[1]
        return found

    def _to_single(self, points: Floats) -> NDArray[np.float32]:
        with np.errstate(over="ignore"):
            return np.asarray((points - self._centre) / self._scale, dtype=np.float32)


def _without_themselves(distances: Floats, indices: Ints, items: Ints) -> tuple[Floats, Ints]:
    """Return the neighbours of items without the items, of which one more was asked for."""
    drop = indices == items[:, np.newaxis]
    # With more than k duplicates the item itself may not be among those found.
    drop[~drop.any(axis=1), -1] = True
    shape = (len(items), distances.shape[1] - 1)
    return distances[~drop].reshape(shape), indices[~drop].reshape(shape)


def _faiss(needed: bool = True) -> Any:
    # Its wheels for macOS bring an OpenMP of their own, which may crash beside scikit-learn's
    # (github.com/faiss-wheels/faiss-wheels/issues/73): there it is used only where it is asked for.
    if not needed and sys.platform == "darwin":
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of its wrapper, on Python 3.12 and later
            return importlib.import_module("faiss")
    except ImportError as error:
        if not needed:
            return None
        raise ImportError(
            f"method='approximate' needs faiss: pip install 'tercet[neighbours]', or use 'exact' ({error})"
        ) from error
