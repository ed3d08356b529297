"""Dask arrays of rows, without importing Dask unless somebody has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tercet._validation import Floats


def is_dask(X: Any) -> bool:
    """Say whether this is a Dask array."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def whole_rows(X: Any) -> Any:
    """Return a Dask array of two dimensions and known size, in chunks of whole rows, none empty."""
    if type(X).__name__ != "Array":
        raise TypeError(f"give a Dask array, not a Dask {type(X).__name__}; use .to_dask_array(lengths=True)")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (items, features), not shape {X.shape}")
    if np.isnan(X.shape[0]):
        raise ValueError("X is a Dask array of unknown length; call X.compute_chunk_sizes() first")
    if not X.shape[0] or not X.shape[1]:
        raise ValueError(f"X has shape {X.shape}; give at least one item and one feature")
    rows = tuple(size for size in X.chunks[0] if size)  # a selection may have left chunks empty
    return X.rechunk((rows, (X.shape[1],))) if (rows, (X.shape[1],)) != X.chunks else X


def map_rows(
    function: Callable[[Floats, int], Any], X: Any, n_columns: int, dtype: DTypeLike = np.float64
) -> Any:
    """Return ``function(rows, number of the first row)`` over every chunk, as a Dask array."""
    X = whole_rows(X)

    def on_chunk(rows: Floats, block_info: Any = None) -> Any:
        # Dask tries a function on nothing at all, to learn what it returns.
        start = block_info[0]["array-location"][0][0] if block_info else 0
        return function(rows, start)

    return X.map_blocks(
        on_chunk, dtype=dtype, chunks=(X.chunks[0], (n_columns,)), meta=np.empty((0, 0), dtype=dtype)
    )
