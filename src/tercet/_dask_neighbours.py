"""Nearest neighbours among the rows of a Dask array, as a graph for the user's cluster.

Every chunk of queries meets every chunk of items, and the nearest of all chunks are put together. No task
holds more than two chunks.
"""

from __future__ import annotations

import copy
from importlib import import_module
from typing import Any

import numpy as np

from tercet._dask import is_dask, whole_rows
from tercet._exact_neighbours import best
from tercet._validation import Floats, Ints


def nearest(neighbours: Any, queries: Any, items: Any, k: int, *, same: bool) -> tuple[Any, Any]:
    """Return distances and numbers of the k nearest items as Dask arrays.

    Parameters
    ----------
    neighbours : Neighbours
        Not fitted; it searches within one chunk.
    queries, items : Dask arrays
    same : bool
        Whether queries and items are the same rows, so that an item is not its own neighbour.
    """
    array, delayed = _dask()
    search, combine = delayed(_in_chunk, pure=True), delayed(_combine, pure=True)
    blocks = items.to_delayed().ravel()
    wanted = k + same
    found = []
    for start, rows in zip(_starts(queries), queries.to_delayed().ravel(), strict=True):
        parts = [
            search(neighbours, rows, block, first, wanted)
            for first, block in zip(_starts(items), blocks, strict=True)
        ]
        found.append(combine(parts, k, start if same else None))
    distances, indices = (
        array.concatenate(
            [
                array.from_delayed(pair[which], shape=(size, k), dtype=dtype)
                for pair, size in zip(found, queries.chunks[0], strict=True)
            ]
        )
        for which, dtype in enumerate((np.float64, np.int64))
    )
    return distances, indices


def as_chunks(X: Any, items: Any) -> Any:
    """Return queries as a Dask array of whole rows; an array in memory is one chunk."""
    array, _ = _dask()
    return whole_rows(X) if is_dask(X) else array.from_array(np.asarray(X), chunks=(-1, items.shape[1]))


def _dask() -> tuple[Any, Any]:
    return import_module("dask.array"), import_module("dask").delayed


def _starts(X: Any) -> Ints:
    return np.concatenate([[0], np.cumsum(X.chunks[0])[:-1]]).astype(np.int64)


def _in_chunk(neighbours: Any, rows: Floats, chunk: Floats, first: int, k: int) -> tuple[Floats, Ints]:
    # A copy of its own: several threads of one worker are given the same object.
    distances, indices = copy.copy(neighbours).fit(chunk).query(rows, min(k, len(chunk)))
    return distances, indices + first


def _combine(parts: list[tuple[Floats, Ints]], k: int, own: int | None) -> tuple[Floats, Ints]:
    """Return the k nearest of all chunks; with ``own``, the number of the first query, without itself."""
    distances, indices = (np.hstack(arrays) for arrays in zip(*parts, strict=True))
    if own is not None:
        distances[indices == own + np.arange(len(indices))[:, np.newaxis]] = np.inf
    return best(distances, indices, k)
