"""The search for the n best scores in one compiled loop. Needs numba, in the extra ``fast``.

The method and its bounds are those of `tercet.selection._exact`, which also says how much faster this is.
What it does otherwise: the partners of a head are put into bins, as sorting them would be most of the work.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tercet._validation import Floats, Ints
from tercet.selection._bounds import ROUNDING

_BINS = 512
_Pairs = tuple[Ints, Ints, Ints, Floats, Floats, Floats]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def search(
    tables: tuple[Floats, Floats, Floats],
    informative: bool,
    error: float,
    F: tuple[Floats, float],
    groups: tuple[Ints, Ints, Ints],
    n: int,
    floor: float,
    tie: float,
) -> tuple[Floats, Floats]:
    """Return the n best scores and the best score with each head.

    The tables P, M and surprise have one column a group, F has its values and their distance, and groups
    their sizes, the codes of the triples with questions asked, and how many. Questions below the floor are
    passed over; where one score stands for several questions it is given once for all.
    """
    P, M, surprise = tables
    sizes, asked, asked_counts = groups
    values, step = F
    n_groups = P.shape[1]
    scores, counts = np.empty(n), np.empty(n, np.int64)
    best_of_head = np.full(n_groups, -np.inf)
    filled = 0
    known = low = high = np.inf
    row = np.empty(n_groups)
    for i in range(n_groups):
        if informative:
            if floor != known:
                known = floor
                low, high = _interval(floor, error)
            partners, start, stop, left, right, rest = _pairs_by_entropy(
                i, P, low, high, floor, error, sizes[i] == 1
            )
        else:
            low = floor
            partners, start, stop, left, right, rest = _pairs_by_gain(
                i, P, M, surprise, values, step, floor, sizes[i] == 1
            )
        for x in range(len(partners)):
            if start[x] >= stop[x]:
                continue
            others = slice(start[x], stop[x])
            if not _hits(row[others], rest[x], rest[others], left[:, x], right, start[x], low, high):
                continue
            for y in range(start[x], stop[x]):
                if row[y] < low or row[y] > high:
                    continue
                j, k = min(partners[x], partners[y]), max(partners[x], partners[y])
                score = _score(i, j, k, P, M, informative, error)
                if score < floor:
                    continue
                count = _count(i, j, k, sizes, asked, asked_counts)
                if count > 0:
                    best_of_head[i] = max(best_of_head[i], score)
                    filled, full = _insert(score, count, scores, counts, filled)
                    if full:
                        floor = max(floor, scores[filled - 1] - 2 * tie)
    return scores[:filled], best_of_head


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _hits(
    row: Floats, own: float, rest: Floats, left: Floats, right: Floats, start: int, low: float, high: float
) -> int:
    """Fill ``row`` with the bounds of one partner with others, and return how many reach the limit."""
    # Slices that begin at 0 and are contiguous by type: only then does the compiler take four at a time.
    stop = start + len(row)
    a, b, first, second = left[0], left[1], right[0, start:stop], right[1, start:stop]
    for y in range(len(row)):
        row[y] = own + rest[y] + a * first[y] + b * second[y]
    for c in range(2, len(left), 2):
        a, b, first, second = left[c], left[c + 1], right[c, start:stop], right[c + 1, start:stop]
        for y in range(len(row)):
            row[y] += a * first[y] + b * second[y]
    hits = 0
    for y in range(len(row)):
        hits += (row[y] >= low) & (row[y] <= high)
    return hits


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _pairs_by_gain(
    i: int, P: Floats, M: Floats, surprise: Floats, values: Floats, step: float, limit: float, alone: bool
) -> _Pairs:
    """Return the partners of head i in order, the range of others for each, and the parts of the bound."""
    classes = np.flatnonzero(P[:, i])
    g = _same(i, P, classes)
    slope, bound = np.empty(len(g)), np.empty(len(g))
    for j in range(len(g)):
        p0 = max(0.8 * g[j], 1e-9)
        slope[j] = math.log(p0) + 1.0
        bound[j] = p0
        for c in classes:
            if P[c, j] > 0.0:
                place = (surprise[c, i] + surprise[c, j] - slope[j] + 0.5) / step
                if place > 0.0:
                    index = min(int(place), len(values) - 2)
                    F = values[index] + (place - index) * (values[index + 1] - values[index])
                    bound[j] += P[c, i] * P[c, j] * F
    if alone:
        bound[i] = -np.inf
    partners = np.flatnonzero(bound >= limit - bound.max())
    order, begin, first, scale = _bins(-bound[partners])
    partners = partners[order]
    m, s = len(partners), len(classes)
    start, stop = np.zeros(m, np.int64), np.empty(m, np.int64)
    left, right, rest = np.empty((2 * s, m)), np.empty((2 * s, m)), np.empty(m)
    for x in range(m):
        j = partners[x]
        last = (bound[j] - limit - first) * scale  # the bin of minus the least bound that a partner needs
        stop[x] = min(begin[int(min(last, _BINS - 1.0)) + 1], x + 1) if last >= 0.0 else 0
        rest[x] = max(0.8 * g[j], 1e-9) - g[j] * slope[j]
        for place in range(s):
            c = classes[place]
            same, both = P[c, i] * P[c, j], M[c, i] * P[c, j] + P[c, i] * M[c, j]
            rest[x] += both
            left[place, x] = slope[j] * same - 2 * both
            left[s + place, x] = same
            right[place, x] = P[c, j]
            right[s + place, x] = slope[j] * P[c, j] - 2 * M[c, j]
    return partners, start, stop, left, right, rest


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _pairs_by_entropy(
    i: int, P: Floats, low: float, high: float, limit: float, error: float, alone: bool
) -> _Pairs:
    """Return the partners of head i in order, the range of others for each, and the parts of the bound."""
    classes = np.flatnonzero(P[:, i])
    g = _same(i, P, classes)
    most, least, good = np.empty(len(g)), np.empty(len(g)), np.zeros(len(g), np.bool_)
    top, bottom = -np.inf, np.inf
    for j in range(len(g)):
        smallest, largest = np.inf if len(classes) == len(P) else 0.0, 0.0
        for c in classes:
            same = P[c, i] * P[c, j]
            smallest, largest = min(smallest, same), max(largest, same)
        most[j], least[j] = g[j] - smallest, g[j] - largest
        good[j] = most[j] >= 1 - 2 * high and least[j] <= 1 - 2 * low and not (alone and i == j)
        if good[j]:
            top, bottom = max(top, most[j]), min(bottom, least[j])
    for j in range(len(g)):
        good[j] = good[j] and most[j] + top >= 2 * low and least[j] + bottom <= 2 * high
    partners = np.flatnonzero(good)
    order, begin, first, scale = _bins(g[partners])
    partners = partners[order]
    m, s = len(partners), len(classes)
    start, stop = np.empty(m, np.int64), np.arange(1, m + 1)
    left, right, rest = np.zeros((s + s % 2, m)), np.zeros((s + s % 2, m)), np.empty(m)
    heard = limit + _noise(error)
    window = math.sqrt(2 * (math.log(3.0) - heard)) / (1 - error) if heard > -1 else 2.0
    highest = np.empty(m)
    for x in range(m):
        j = partners[x]
        highest[x] = max(most[j], highest[x - 1]) if x else most[j]
        start[x] = begin[int(max(g[j] - window - first, 0.0) * scale)]
        rest[x] = g[j] / 2
        for place in range(s):
            left[place, x] = -P[classes[place], i] * P[classes[place], j]
            right[place, x] = P[classes[place], j]
    for x in range(m):
        needed = 2 * low - most[partners[x]]
        if start[x] < m and highest[start[x]] < needed:
            start[x] = np.searchsorted(highest, needed)
    return partners, start, stop, left, right, rest


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _same(i: int, P: Floats, classes: Ints) -> Floats:
    """Return the probability of being of one class with i."""
    g = np.zeros(P.shape[1])
    for c in classes:
        for j in range(len(g)):
            g[j] += P[c, i] * P[c, j]
    return g


@njit(cache=True, nogil=True)
def _bins(key: Floats) -> tuple[Ints, Ints, float, float]:
    """Return an order of the keys by bins, where each bin begins, the first bin's edge and bins a unit."""
    begin = np.zeros(_BINS + 1, np.int64)
    order, bins = np.empty(len(key), np.int64), np.empty(len(key), np.int64)
    if len(key) == 0:
        return order, begin, 0.0, 0.0
    first = key.min()
    scale = (_BINS - 1) / (key.max() - first) if key.max() > first else 0.0
    if not math.isfinite(scale):  # the keys differ by rounding only
        scale = 0.0
    for x in range(len(key)):
        bins[x] = min(int((key[x] - first) * scale), _BINS - 1)
        begin[bins[x] + 1] += 1
    for b in range(_BINS):
        begin[b + 1] += begin[b]
    free = begin.copy()
    for x in range(len(key)):
        order[free[bins[x]]] = x
        free[bins[x]] += 1
    return order, begin, first, scale


@njit(cache=True, nogil=True)
def _interval(limit: float, error: float) -> tuple[float, float]:
    """Return the least and the largest m for which answers of (m, m, 1 - 2m) reach the limit."""
    if limit <= 0.0:
        return -np.inf, np.inf
    low, high = 0.0, 0.5
    inside_low = inside_high = 1 / 3
    for _ in range(60):
        m = (low + inside_low) / 2
        if _heard(m, m, error) >= limit:
            inside_low = m
        else:
            low = m
        m = (high + inside_high) / 2
        if _heard(m, m, error) >= limit:
            inside_high = m
        else:
            high = m
    return low - ROUNDING, high + ROUNDING


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _score(i: int, j: int, k: int, P: Floats, M: Floats, informative: bool, error: float) -> float:
    with_j = with_k = all_three = pairs = shared = 0.0
    for c in range(len(P)):
        if P[c, i] > 0.0:
            PiPj, PiPk = P[c, i] * P[c, j], P[c, i] * P[c, k]
            with_j += PiPj
            with_k += PiPk
            all_three += PiPj * P[c, k]
            if not informative:
                pairs += M[c, i] * (P[c, j] + P[c, k]) + P[c, i] * (M[c, j] + M[c, k])
                shared += M[c, i] * P[c, j] * P[c, k] + M[c, j] * PiPk + M[c, k] * PiPj
    yes, no = max(with_j - all_three, 0.0), max(with_k - all_three, 0.0)
    if informative:
        return _heard(yes, no, error)
    return _entr(yes) + _entr(no) + pairs - 2 * shared


@njit(cache=True, nogil=True)
def _heard(yes: float, no: float, error: float) -> float:
    keep, chance = 1 - error, error / 3
    dont_know = max(1.0 - yes - no, 0.0)
    answers = _entr(keep * yes + chance) + _entr(keep * no + chance) + _entr(keep * dont_know + chance)
    return answers - _noise(error)


@njit(cache=True, nogil=True)
def _noise(error: float) -> float:
    return _entr(1 - 2 * error / 3) + 2 * _entr(error / 3)


@njit(cache=True, nogil=True)
def _entr(p: float) -> float:
    return -p * math.log(p) if p > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _count(i: int, j: int, k: int, sizes: Ints, asked: Ints, asked_counts: Ints) -> int:
    """Return how many questions of a triple of groups (j <= k) were not asked."""
    count = sizes[i] * (sizes[j] - (i == j)) * (sizes[k] - (i == k) - (j == k))
    if j == k:
        count //= 2
    code = (i * len(sizes) + j) * len(sizes) + k
    place = np.searchsorted(asked, code)
    if place < len(asked) and asked[place] == code:
        count -= asked_counts[place]
    return int(count)


@njit(cache=True, nogil=True)
def _insert(score: float, count: int, scores: Floats, counts: Ints, filled: int) -> tuple[int, bool]:
    """Insert a score, drop those beyond the n best, and return how many are kept and whether they are n."""
    n = len(scores)
    if filled == n and score <= scores[n - 1]:
        return filled, True
    x = min(filled, n - 1)
    while x > 0 and scores[x - 1] < score:
        scores[x], counts[x] = scores[x - 1], counts[x - 1]
        x -= 1
    scores[x], counts[x] = score, count
    total = 0
    for x in range(min(filled + 1, n)):
        total += counts[x]
        if total >= n:
            return x + 1, True
    return filled + 1, False
