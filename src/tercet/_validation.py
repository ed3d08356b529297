"""The only place that checks input; every message names the offending value and the way out."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Larger values have squares that overflow.
_LARGEST = 1e150
LARGEST_FEATURE = 1e300  # the difference of two larger ones may overflow


def check_features(X: ArrayLike, *, name: str = "X", first_row: int = 0) -> Floats:
    """Return ``X`` as a finite float array of at least three rows and one column.

    Part of a table is called by its rows' numbers in the whole, and may be of any length.
    """
    features = np.ascontiguousarray(as_numbers(X, name))
    if features.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions (items, features), not shape {features.shape}; "
            f"reshape a single feature with {name}.reshape(-1, 1)"
        )
    n_items, n_features = features.shape
    if n_items < 3 and not first_row:
        raise ValueError(f"{name} has {n_items} items; a question needs at least 3")
    if n_features < 1:
        raise ValueError(f"{name} has no features; give each item at least one")
    _check_finite(features, name, first_row)
    return check_values(features, first_row, name, LARGEST_FEATURE)


def check_points(
    X: ArrayLike,
    n_features: int | None = None,
    *,
    name: str = "X",
    size: int | None = None,
    first_row: int = 0,
) -> Floats:
    """Return points as a finite float array, with as many features as were fitted.

    Its shape is (n, d), or (m, size, d) of tuples of points. Part of a table is called by its rows' numbers
    in the whole.
    """
    points = as_numbers(X, name)
    if size is None and points.ndim != 2:
        hint = "; give a single point as point.reshape(1, -1)" if points.ndim == 1 else ""
        raise ValueError(
            f"{name} must have two dimensions (points, features), not shape {points.shape}{hint}"
        )
    if size is not None and (points.ndim != 3 or points.shape[1] != size):
        raise ValueError(f"{name} must be points of shape (m, {size}, d), not {points.shape}")
    if n_features is not None:
        check_same_features(points.shape[-1], n_features)
    if points.shape[-1] < 1:
        raise ValueError(f"{name} has no features; give each item at least one")
    return _check_finite(points, name, first_row)


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """Return an array of floats, and refuse what would lose something on the way."""
    if hasattr(values, "toarray"):
        raise ValueError(f"{name} is a sparse matrix; give {name}.toarray()")
    if np.ma.is_masked(values):  # whose mask would be dropped
        raise ValueError(f"{name} is a masked array; fill in what is masked: {name}.filled(...)")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":  # whose imaginary part would be dropped
            raise ValueError("it holds complex numbers; give their real and imaginary parts as features")
        if array.dtype.kind in "mM":
            raise ValueError("it holds times; give them as numbers, such as days since the first")
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be a table of numbers, one row an item: {error}") from error


def _check_finite(values: Floats, name: str, first_row: int = 0) -> Floats:
    bad = ~np.isfinite(values)
    if bad.any():
        place = tuple(np.argwhere(bad)[0])
        between = f", point {place[1]}" if len(place) == 3 else ""
        raise ValueError(
            f"{name} holds {int(bad.sum())} values that are NaN or infinite, the first ({values[place]}) in "
            f"row {first_row + place[0]}{between}, column {place[-1]}; drop those items or fill them in"
        )
    return values


def check_triplets(triplets: ArrayLike, n_items: int | None = None) -> Ints:
    """Return ``triplets`` as an (m, 3) integer array of three different items a row."""
    array = np.asarray(triplets)
    if array.size == 0:
        return np.empty((0, 3), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"triplets must have shape (m, 3), one row (i, j, k), not {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"triplets must hold item indices (integers), not {array.dtype}")
    result = array.astype(np.int64)
    check_range(result, n_items)
    check_different(result)
    return result


def check_different(triplets: Ints) -> None:
    """Refuse questions that name an item twice."""
    i, j, k = triplets.T
    repeated = (i == j) | (i == k) | (j == k)
    if repeated.any():
        row = int(np.flatnonzero(repeated)[0])
        raise ValueError(
            f"triplet {row} is {_as_tuple(triplets[row])}: an item cannot be compared with itself; "
            "use three different items"
        )


def check_range(triplets: Ints, n_items: int | None) -> None:
    """Refuse item indices below 0, or at or above ``n_items`` where that is known."""
    if triplets.size == 0:
        return
    if triplets.min() < 0 or (n_items is not None and triplets.max() >= n_items):
        outside = (triplets < 0) | (triplets >= (np.inf if n_items is None else n_items))
        row = int(np.argwhere(outside)[0, 0])
        allowed = "0 or more" if n_items is None else f"0 to {n_items - 1}"
        raise ValueError(f"triplet {row} is {_as_tuple(triplets[row])}: item indices must be {allowed}")


def check_beliefs(beliefs: ArrayLike) -> Floats:
    """Return ``beliefs`` as an (n, C) array whose rows are probabilities."""
    array = np.asarray(beliefs, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] < 1:
        raise ValueError(f"beliefs must have shape (items, classes), not {array.shape}")
    return _check_rows(array)


def check_members(beliefs: ArrayLike) -> Floats:
    """Return the beliefs of several models as a (K, n, C) array whose rows are probabilities."""
    array = np.asarray(beliefs, dtype=np.float64)
    if array.ndim != 3 or array.shape[0] < 1 or array.shape[2] < 1:
        raise ValueError(
            f"beliefs of several models must have shape (models, items, classes), not {array.shape}"
        )
    return _check_rows(array)


def _check_rows(array: Floats) -> Floats:
    sums = array.sum(axis=-1)
    # Written so that NaN counts as wrong.
    wrong = ~((np.abs(sums - 1.0) <= 1e-6) & (array.min(axis=-1, initial=0.0) >= 0.0))
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        of_model = f" of model {place[0]}" if len(place) == 2 else ""
        raise ValueError(
            f"beliefs row {place[-1]}{of_model} is {array[place].tolist()} (sum {sums[place]:g}); "
            "each row must be non-negative and sum to 1"
        )
    return array


def check_n_classes(n_classes: Any, n_items: int) -> int:
    """Return ``n_classes`` as an int from 2 to ``n_items``."""
    count = check_count("n_classes", n_classes, minimum=2)
    if count > n_items:
        raise ValueError(f"n_classes is {count}, but there are only {n_items} items; use at most {n_items}")
    return count


def check_count(name: str, value: Any, *, minimum: int = 1) -> int:
    """Return ``value`` as an int of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < minimum:
        raise ValueError(f"{name} must be a whole number of at least {minimum}, not {value!r}")
    return int(value)


def check_number(name: str, value: Any, *, low: float, high: float = np.inf, open_low: bool = False) -> float:
    """Return ``value`` as a finite float in [low, high], or (low, high] with ``open_low``."""
    good = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not (low < value if open_low else low <= value) or value > high:
        edge = "above" if open_low else "at least"
        top = "" if high == np.inf else f" and at most {high:g}"
        raise ValueError(f"{name} must be a number {edge} {low:g}{top}, not {value!r}")
    return float(value)


def check_weights(weights: ArrayLike | None, n_rows: int) -> Floats:
    """Return one finite non-negative weight a row; ones where none are given."""
    if weights is None:
        return np.ones(n_rows)
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), one a triplet, not {array.shape}")
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight[{row}] is {array[row]}; weights must be finite and not negative")
    return array


def check_labels(y: ArrayLike, n_items: int | None = None) -> Ints:
    """Return ``y`` as class numbers 0, 1, ... in the order of the sorted labels."""
    labels = np.asarray(y)
    if labels.ndim != 1 or (n_items is not None and len(labels) != n_items):
        wanted = "one label an item" if n_items is None else f"{n_items} labels, one an item"
        raise ValueError(f"y must hold {wanted}, not an array of shape {labels.shape}")
    missing = labels != labels if labels.dtype.kind in "fc" else np.array([label is None for label in labels])
    if missing.any():
        raise ValueError(
            f"y[{int(np.flatnonzero(missing)[0])}] is missing; give every item a class, or drop it"
        )
    try:
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    except TypeError as error:
        raise ValueError(f"y mixes labels that cannot be compared ({error}); use one type for all") from None


def check_same_features(given: int, fitted: int) -> None:
    """Refuse points of another number of features than the metric was fitted on."""
    if given != fitted:
        raise ValueError(f"the points have {given} features, but the metric was fitted on {fitted}")


def check_items(items: ArrayLike, n_items: int) -> Ints:
    """Return row numbers below ``n_items`` as an array."""
    wanted = np.asarray(items)
    if wanted.size == 0:
        return np.empty(0, dtype=np.int64)
    if wanted.ndim != 1 or wanted.dtype.kind not in "iu":
        raise ValueError(f"items must be a list of row numbers, not {wanted.dtype} of shape {wanted.shape}")
    outside = (wanted < 0) | (wanted >= n_items)
    if outside.any():
        raise ValueError(f"there is no item {wanted[outside][0]}; items are 0 to {n_items - 1}")
    return wanted.astype(np.int64)


def check_values(points: Floats, start: int, name: str, largest: float = _LARGEST) -> Floats:
    """Refuse what is no number or has a square that overflows; the first row has number ``start``."""
    good = np.abs(points) <= largest
    if not good.all():
        row, column = np.argwhere(~good)[0]
        raise ValueError(
            f"{name} holds {points[row, column]} in row {start + row}, column {column}; drop or fill in such "
            f"items, or rescale: values must be numbers of at most {largest:g}"
        )
    return points


def unchanging(array: Floats) -> Floats:
    """Return the array where nobody can change it, else a copy: also of what only looks read-only."""
    root: Any = array
    while isinstance(root, np.ndarray) and not root.flags.writeable and root.base is not None:
        root = root.base
    return array if isinstance(root, np.ndarray) and not root.flags.writeable else array.copy()


def check_part(name: str, part: Any, *methods: str) -> None:
    """Refuse a part without these methods, and a class given in place of an object."""
    missing = [method for method in methods if not callable(getattr(part, method, None))]
    if missing or isinstance(part, type):
        hint = (
            f"write {part.__name__}()" if isinstance(part, type) else f"it has no {' and no '.join(missing)}"
        )
        raise TypeError(f"{name} must be an object with {' and '.join(methods)}, not {part!r}: {hint}")


def check_option(name: str, value: Any, options: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``options``."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, not {value!r}")
    return value


def _as_tuple(row: Ints) -> tuple[int, ...]:
    return tuple(int(item) for item in row)
