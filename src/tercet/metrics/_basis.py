"""The linear map A in the full form of the metric, A W A': which directions get a weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from tercet._validation import Floats, check_option

Basis = ArrayLike | None
_NAMES = ("standard", "pca", "points")


def resolve_basis(basis: Basis, reference: Floats) -> Floats:
    """Return the basis as rows, an (r, d) array.

    None gives the features themselves; "standard" the features over their standard deviation; "pca" the
    principal axes; "points" every reference point, which is the kernel form with the linear kernel; and an
    array its own rows.
    """
    n_features = reference.shape[1]
    if basis is None:
        return np.eye(n_features)
    if isinstance(basis, str):
        check_option("basis", basis, _NAMES)
        if len(reference) < 2:
            return np.eye(n_features)  # nothing to estimate a spread from
        if basis == "points":
            return reference.copy()
        if basis == "standard":
            spread = reference.std(axis=0)
            # A constant feature has no scale; whatever weight it gets changes no distance.
            return np.diag(1 / np.where(spread > 1e-12 * np.abs(reference).max(axis=0), spread, 1.0))
        # By way of R, which is d x d: the left side of the points' own decomposition would be n x n.
        R = np.linalg.qr(reference - reference.mean(axis=0), mode="r")
        return np.asarray(np.linalg.svd(R, full_matrices=True)[2])
    rows = check_array(basis, dtype=np.float64)
    if rows.shape[1] != n_features:
        raise ValueError(
            f"basis has shape {rows.shape}; each of its rows is a direction and needs {n_features} numbers, "
            "one a feature"
        )
    return np.array(rows)
