"""Bounds on the score of a question by its head: what `_exact` leaves out without looking."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import entr, xlogy

from tercet._validation import Floats, Ints
from tercet.information import heard, noise_of

# One score computed in two ways differs by less than this.
ROUNDING = 1e-13
# Steps in which F of `Gain` is tabulated, from -1/2 on.
STEP = 1 / 64


class Head(NamedTuple):
    """The pairs of partners of one head that may reach the limit.

    Partner x may do so with those y <= x from start to stop, and only where left_x . right_y is from low to
    high.
    """

    partners: Ints
    start: Ints
    stop: Ints
    left: Floats
    right: Floats
    low: float
    high: float
    score: Callable[[Ints, Ints], Floats]


class Scale(ABC):
    """A kind of score with its bounds; tables have one row a class and one column a group."""

    informative: bool
    error = 0.0

    def __init__(self, P: Floats) -> None:
        entropy = entr(P).sum(axis=1, keepdims=True)
        self.P = np.ascontiguousarray(P.T)
        self.M = np.ascontiguousarray((xlogy(P, P) + P * entropy).T)
        self.surprise = np.ascontiguousarray((np.log(P, where=P > 0, out=np.zeros_like(P)) + entropy).T)

    @abstractmethod
    def head(self, i: int, limit: float, alone: bool) -> Head:
        """Return what may reach the limit with head i, which is ``alone`` if its group has no other item."""


class Gain(Scale):
    """Information where a don't-know gives none.

    The yes half of the score, sum_c (M_i P_j + P_i M_j)(1 - P_k) - P_i P_j M_k - f(p(yes)) in the terms of
    `information_gain`, has two bounds. As -f lies under its tangent at any p0, the half is at most a product
    of what depends on j and what depends on k. And as H_k is at least the binary entropy of any r = P_k(c),
    over all k it is at most p0 + sum_c P_i P_j F(log P_i + H_i + log P_j + H_j - 1 - log p0), where F(b) is
    the maximum of (1 - r)(b + r log((1 - r) / r)). The no half is the same with j and k exchanged.
    """

    informative = False

    def head(self, i: int, limit: float, alone: bool) -> Head:
        """Return what may reach the limit with head i."""
        classes = np.flatnonzero(self.P[:, i])
        Pi, Mi, surprise_i = (table[classes, i, np.newaxis] for table in (self.P, self.M, self.surprise))
        P = self.P[classes]
        same = Pi * P
        g = same.sum(axis=0)
        p0 = np.maximum(0.8 * g, 1e-9)  # the best is sum_c P_i P_j F', where F' is 0 or from 0.78 to 1
        slope = np.log(p0) + 1.0
        bound = p0 + (same * _F(self.surprise[classes] + surprise_i - slope)).sum(axis=0)
        if alone:
            bound[i] = -np.inf
        partners = np.flatnonzero(bound >= limit - bound.max())
        partners = partners[np.argsort(-bound[partners], kind="stable")]
        bound, g, p0, slope = bound[partners], g[partners], p0[partners], slope[partners]
        enough = np.searchsorted(-bound, bound - limit, side="right")
        P, same, M = P[:, partners], same[:, partners], self.M[np.ix_(classes, partners)]
        both = Mi * P + Pi * M
        e = both.sum(axis=0)
        rest, one = (e + p0 - g * slope)[np.newaxis], np.ones((1, len(partners)))

        def score(x: Ints, y: Ints) -> Floats:
            t = (same[:, x] * P[:, y]).sum(axis=0)
            v = (both[:, x] * P[:, y] + same[:, x] * M[:, y]).sum(axis=0)
            yes, no = np.maximum(g[x] - t, 0), np.maximum(g[y] - t, 0)
            return np.asarray(e[x] + e[y] - 2 * v + entr(yes) + entr(no))

        return Head(
            partners=partners,
            start=np.zeros_like(partners),
            stop=np.minimum(enough, np.arange(1, len(partners) + 1)),
            left=np.concatenate([slope * same - 2 * both, same, rest, one]),
            right=np.concatenate([P, slope * P - 2 * M, one, rest]),
            low=limit,
            high=np.inf,
            score=score,
        )


class Entropy(Scale):
    """Information where a don't-know tells too: the entropy of the answer.

    With m = (p(yes) + p(no)) / 2 it is at most that of (m, m, 1 - 2m), which reaches the limit for m in an
    interval around 1/3. Here m = (g_ij + g_ik) / 2 - t, and t lies between the extremes of P_i P_j, as it is
    their mean weighted by P_k. Also, by Pinsker's inequality, it is at most log 3 - (p(yes) - p(no))^2 / 2,
    where the difference is g_ij - g_ik. So partners are sorted by g, and m is computed for near ones only.

    Errors mix each answer with chance, (1 - e) p + e/3, which keeps both bounds but for the factor 1 - e.
    """

    informative = True

    def __init__(self, P: Floats, error: float = 0.0) -> None:
        super().__init__(P)
        self.error = error

    def head(self, i: int, limit: float, alone: bool) -> Head:
        """Return what may reach the limit with head i."""
        low, high = _interval(limit, self.error)
        classes = np.flatnonzero(self.P[:, i])
        P = self.P[classes]
        same = P[:, i, np.newaxis] * P
        g = same.sum(axis=0)
        most = g - (same.min(axis=0) if len(classes) == len(self.P) else 0.0)
        least = g - same.max(axis=0)
        # By symmetry p(yes) and p(no) have the same bounds as the probability of don't-know, 1 - 2m.
        good = (most >= 1 - 2 * high) & (least <= 1 - 2 * low)
        good[i] &= not alone
        good &= most >= 2 * low - most.max(where=good, initial=0.0)
        good &= least <= 2 * high - least.min(where=good, initial=1.0)
        partners = np.flatnonzero(good)
        partners = partners[np.argsort(g[partners], kind="stable")]
        P, same, g, most = P[:, partners], same[:, partners], g[partners], most[partners]
        window = math.sqrt(2 * (math.log(3) - max(limit + noise_of(self.error), -1.0))) / (1 - self.error)
        near, enough = g - window, 2 * low - most
        rest, one = g[np.newaxis] / 2, np.ones((1, len(partners)))

        def score(x: Ints, y: Ints) -> Floats:
            t = (same[:, x] * P[:, y]).sum(axis=0)
            yes, no = np.maximum(g[x] - t, 0), np.maximum(g[y] - t, 0)
            return heard(np.stack([yes, no, np.maximum(1 - yes - no, 0)], axis=-1), self.error)

        return Head(
            partners=partners,
            start=np.maximum(np.searchsorted(g, near), np.searchsorted(np.maximum.accumulate(most), enough)),
            stop=np.arange(1, len(partners) + 1),
            left=np.concatenate([-same, rest, one]),
            right=np.concatenate([P, one, rest]),
            low=low,
            high=high,
            score=score,
        )


@lru_cache(maxsize=1)
def _interval(limit: float, error: float) -> tuple[float, float]:
    """Return the least and the largest m for which answers of (m, m, 1 - 2m) reach the limit."""
    if limit <= 0:
        return -np.inf, np.inf
    noise = noise_of(error)

    def solve(inside: float, outside: float) -> float:
        for _ in range(60):
            m = (inside + outside) / 2
            p, q = (1 - error) * m + error / 3, (1 - error) * (1 - 2 * m) + error / 3
            if 2 * entr(p) + entr(q) - noise >= limit:
                inside = m
            else:
                outside = m
        return outside

    return solve(1 / 3, 0.0) - ROUNDING, solve(1 / 3, 0.5) + ROUNDING


def _table_of_F() -> Floats:
    # The derivative in r vanishes at b = (1 - 2r) log((1 - r) / r) - 1 for r < 1/2; r = 1 gives 0. As F is
    # convex, straight lines between its values lie above it.
    r = np.exp(-np.linspace(np.log(4), 70, 20_000))
    odds = np.log1p(-r) - np.log(r)
    b, F = (1 - 2 * r) * odds - 1, (1 - r) * ((1 - r) * odds - 1)
    return np.asarray(np.interp(np.arange(-0.5, 64, STEP), b, np.maximum(F, 0)))


F_VALUES = _table_of_F()


def _F(b: Floats) -> Floats:
    place = np.clip((b + 0.5) / STEP, 0, len(F_VALUES) - 2)
    index = place.astype(np.int64)
    below = F_VALUES[index]
    return np.asarray(below + (place - index) * (F_VALUES[index + 1] - below))
