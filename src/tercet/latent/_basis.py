"""What the classes are a function of: the features, and how near an item is to some others.

Features are standardised, after heavy tails were bent; those that are noise by all that can be seen without
answers count for less (see `relevance`).

Classes that are linear in the features cannot bend. So each item also has coordinates by a Gaussian kernel of
`apart` at landmarks, which are items: the leading principal components of that kernel, by the method of
Nystroem. Together they weigh as much as all features; a member of the ensemble may weigh them otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tercet._validation import LARGEST_FEATURE, Floats
from tercet.latent._apart import apart
from tercet.latent._relevance import best_turn, relevance

# Chosen on sets outside the paper's eight (docs/beyond-the-paper.md).
_LANDMARKS = 200
_COMPONENTS = 40
_WIDTH = 1.4  # of the Gaussian, between what is near and what is far
_MOST = 1000  # items to measure typical distances with
_BENDS = 3.0  # times the median distance from the median
_HEAVY = 6.0  # the kurtosis from which on tails are heavy: that of Laplace's distribution; 3 is Gauss's
_STRAIGHT = 1e6  # standard deviations: nothing bends before
_LEAST_KEPT = 0.1  # of a standardised feature, whatever its tail
_GAP = 3.0  # of bent values: one item is 20 times as far out as the next
_FEW = 0.1  # of the items may be beyond such a gap,
_CODES = 2  # and have so many different values there
_NO_TAIL = 2.0  # of bent values: the others are not farther out than that, about 7 standard deviations
_GAUSS = 1.4826  # standard deviations of a Gaussian are this many median distances from its median
_FARTHEST = 1e150  # widths: points of another scale than the items may be farther than numbers go
_CONSTANT = 1e-12  # of the largest value: a spread below this is rounding
_SAME = 1e-9  # of a typical distance: an item and its double are no neighbours


@dataclass(frozen=True, eq=False)
class Basis:
    """Coordinates of items: standardised features, and principal components of a kernel.

    Attributes
    ----------
    middle, width : arrays of shape (d,)
        Of the bulk of each feature, beyond which it is bent by arcsinh((x - middle) / width) if its tails are
        heavy, so that few items far out do not decide what is near and far for all others.
    mean, spread : arrays of shape (d,)
        Of the bent features; the spread is larger where a feature is to count for less (see `relevance`).
    turn : float
        Where squares of differences turn into lengths.
    near, far : float
        How far apart a typical nearest neighbour is, and a typical pair of items.
    landmarks : array of shape (L, d)
        Standardised features of some items.
    beside : array of shape (L, d)
        Those of the nearest neighbour of each landmark, which may be none itself; none of them in a metric
        that was saved, which learns nothing more.
    projection : array of shape (L, r)
        Takes the kernel at the landmarks to its components.
    centre : array of shape (r,)
        What these are for the mean of the landmarks.
    """

    middle: Floats
    width: Floats
    mean: Floats
    spread: Floats
    turn: float
    near: float
    far: float
    landmarks: Floats
    beside: Floats
    projection: Floats
    centre: Floats

    @classmethod
    def measured(cls, X: Floats, rng: np.random.Generator) -> Basis:
        """Return the basis of these items, of which some are looked at."""
        largest = np.abs(X).max(axis=0, initial=0.0)
        if (largest > LARGEST_FEATURE).any():
            raise ValueError(
                f"a point holds a value of size {largest.max():g} in column {largest.argmax()}; rescale the "
                f"features: values must be {LARGEST_FEATURE:g} at most"
            )
        middle, width, straight = _bulk(X)
        bent = np.arcsinh((X - middle) / width)
        mean, spread = bent.mean(axis=0), bent.std(axis=0)
        # What varies does so by 1 / _STRAIGHT or more. A constant feature tells nothing, and stays at 0.
        spread[spread < 0.1 / _STRAIGHT] = 1.0
        # Where a few values are no tail but codes or faults, the others count as if these were not there.
        faulty, bulk = _with_faults(bent)
        mean[faulty], spread[faulty] = 0.0, bulk[faulty]  # 0 is the median
        some = (bent if len(X) <= _MOST else bent[rng.choice(len(X), _MOST, replace=False)]) - mean
        some /= spread
        counts = relevance(np.where(faulty, np.clip(some, -_NO_TAIL / bulk, _NO_TAIL / bulk), some), rng)
        # Standardised, the bulk of a bent feature would differ by as much as its tail did before; left as it
        # was, by next to nothing. Halfway between does best.
        halfway = np.maximum(np.sqrt(np.minimum(spread * straight, 1.0)), _LEAST_KEPT)
        halfway[faulty] = 1.0
        scale = np.sqrt(counts) * halfway
        some *= scale
        spread = spread / scale
        turn = best_turn(some, counts, rng)
        between = apart(some, some, turn)
        far = float(np.median(between))
        np.fill_diagonal(between, np.inf)
        nearest = between.min(axis=1)
        nearest = nearest[np.isfinite(nearest) & (nearest > _SAME * far)]
        near = float(np.median(nearest)) if len(nearest) else 1.0
        chosen = slice(None) if len(some) <= _LANDMARKS else rng.choice(len(some), _LANDMARKS, replace=False)
        landmarks = some[chosen]
        to_others = between[chosen]
        to_others[to_others <= _SAME * far] = np.inf
        beside = some[to_others.argmin(axis=1)]
        kernel = np.exp(-apart(landmarks, landmarks, turn) / _width(near, far))
        average = kernel.mean(axis=0)
        values, axes = np.linalg.eigh(kernel - average - average[:, np.newaxis] + average.mean())
        kept = np.flatnonzero(values > 1e-6 * max(values[-1], 1e-6))[::-1][:_COMPONENTS]
        # As large as all features together.
        size = np.sqrt(some.var(axis=0).sum() * len(landmarks) / max(values[kept].sum(), 1e-12))
        # In the order of rows, as a file has it, so that a saved metric computes the same sums.
        projection = np.ascontiguousarray(size * axes[:, kept] / np.sqrt(values[kept]))
        centre = average @ projection
        return cls(middle, width, mean, spread, turn, near, far, landmarks, beside, projection, centre)

    @property
    def n_features(self) -> int:
        """How many of the coordinates are features; the others are components."""
        return len(self.mean)

    @property
    def n_columns(self) -> int:
        """How many coordinates there are."""
        return self.n_features + len(self.centre)

    @cached_property
    def of_landmarks(self) -> Floats:
        """The coordinates of the landmarks."""
        return self.coordinates(self.landmarks)

    @cached_property
    def of_beside(self) -> Floats:
        """The coordinates of the nearest neighbours of the landmarks."""
        return self.coordinates(self.beside)

    def standardised(self, X: Floats) -> Floats:
        """Return features of mean 0 and spread 1, or less where they are to count for less."""
        with np.errstate(over="ignore"):
            widths = np.clip((X - self.middle) / self.width, -_FARTHEST, _FARTHEST)
        return np.asarray((np.arcsinh(widths) - self.mean) / self.spread)

    def coordinates(self, Z: Floats) -> Floats:
        """Return all coordinates of items with these standardised features, an array of shape (n, d + r)."""
        kernel = np.exp(-apart(Z, self.landmarks, self.turn) / _width(self.near, self.far))
        return np.hstack([Z, kernel @ self.projection - self.centre])


def _bulk(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the median of each feature, where it begins to bend, and that in standard deviations."""
    size = np.abs(X).max(axis=0, initial=0.0)
    size[size == 0] = 1.0
    U = X / size  # squares of very large or small numbers are none
    spread = U.std(axis=0)
    middle = np.median(U, axis=0)
    spread[spread <= _CONSTANT] = 1.0
    tails = np.square(np.square((U - U.mean(axis=0)) / spread)).mean(axis=0)
    width = _BENDS * np.median(np.abs(U - middle), axis=0)
    # Where most items have the same value, the median tells no width.
    width = np.where(width > _CONSTANT * np.abs(middle), width, _BENDS / 1.5 * spread)
    width = np.where(tails > _HEAVY, width, _STRAIGHT * spread)
    return middle * size, width * size, width / spread


def _with_faults(bent: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Return which features hold a code or two far beyond all other values, and how wide their bulk is."""
    outwards = np.sort(np.abs(bent), axis=0)
    bulk = _GAUSS * np.median(outwards, axis=0)
    outermost = outwards[math.ceil((1 - _FEW) * (len(bent) - 1)) :]
    steps = np.diff(outermost, axis=0)
    # Left as it is: a bulk with a tail of its own, and one of items with the same value, which has no width.
    gaps = (steps > _GAP) & (outermost[:-1] < _NO_TAIL) & (bulk > 0.1)
    # What differs from item to item beyond the gap is no code, but a feature that is rarely there.
    more = np.cumsum((steps > 0)[::-1], axis=0)[::-1]  # different values from each step on
    return (gaps & (more <= _CODES)).any(axis=0), np.where(bulk > 0.1, bulk, 1.0)


def _width(near: float, far: float) -> float:
    """Return where the kernel has fallen to 1/e: wide enough to join neighbours, too narrow for all pairs."""
    return _WIDTH * float(np.sqrt(near * max(far, near)))
