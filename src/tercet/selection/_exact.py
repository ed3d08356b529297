"""The best of all questions there are, found without scoring them all.

Items of equal beliefs are one group, and the search runs over triples of groups (head, {j, k}). For one head,
every other group gets a bound on what it can give with any partner. Only pairs whose bounds together reach
the best score so far are looked at, by a matrix product that bounds the whole question more closely; only
what passes this too is scored.

There are three steps. The first finds the n-th best score, the second counts the questions that reach it,
head by head, and the third draws among them. Nothing is kept in between but one count a head, so that memory
stays flat where billions of questions are equally good.

On the votes of a forest about 2,500 items the search takes about a tenth of a second where numba (the extra
``fast``) compiles its first step, and five to eight times as long in numpy alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from tercet._fast import kernels
from tercet._validation import (
    Floats,
    Ints,
    check_beliefs,
    check_count,
    check_number,
    check_option,
    check_triplets,
)
from tercet.information import DONT_KNOW, information_gain
from tercet.selection._bounds import F_VALUES, ROUNDING, STEP, Entropy, Gain, Scale
from tercet.selection._choose import TIE, choose
from tercet.triplets import count_questions, draw_distinct, question_numbers, questions_from_numbers

# Less than any score: the limit while nothing is known.
_LOWEST = -1e9
# Pairs are bounded so many rows at a time, and scored when so many wait: both stay in the processor's cache.
_ROWS, _WAITING = 64, 16_384
# The first guess at the best score: so many questions at random, then those next to the best few of them.
_SAMPLE, _FEW, _ROUNDS = 5_000, 4, 2


def best_questions(
    beliefs: ArrayLike,
    n: int,
    rng: np.random.Generator,
    *,
    asked: ArrayLike = (),
    dont_know: str = "uninformative",
    error: float = 0.0,
) -> tuple[Ints, Floats]:
    """Return the ``n`` best of all questions that were not asked, and their scores, best first.

    Questions that tie are equally likely, and so is the order of j and k. Work and memory grow with the
    number of different rows of ``beliefs``, not of items.

    Parameters
    ----------
    beliefs : array-like of shape (n_items, C)
        Rows that sum to 1 only roughly are scaled first.
    n : int
    rng : Generator
    asked : array-like of shape (q, 3)
        Questions not to return, with j and k in either order.
    dont_know : {"uninformative", "informative"}
    error : float in [0, 0.99]
        As in `information_gain`, which gives the scores.

    Returns
    -------
    questions : array of shape (n, 3)
    scores : array of shape (n,)

    Examples
    --------
    >>> beliefs = np.array([[1, 0], [0.5, 0.5], [0, 1], [1, 0]])
    >>> questions, scores = best_questions(beliefs, 1, np.random.default_rng(0))
    >>> scores.round(3)
    array([0.693])
    """
    P = check_beliefs(beliefs)
    sums = P.sum(axis=1, keepdims=True)
    if (np.abs(sums - 1.0) > ROUNDING).any():  # the bounds hold for probabilities only
        P = P / sums
    n = check_count("n", n)
    check_option("dont_know", dont_know, DONT_KNOW)
    error = check_number("error", error, low=0.0, high=0.99)
    groups = _Groups(P, check_triplets(asked, len(P)))
    left = count_questions(len(P)) - len(groups.asked)
    if n > left:
        raise ValueError(
            f"{n} questions are wanted, but only {left} of the {count_questions(len(P))} about "
            f"{len(P)} items were not asked yet; ask for fewer, or add items"
        )
    scale = Entropy(groups.P, error) if dont_know == "informative" else Gain(groups.P)
    guess = _first_guess(P, groups, n, rng, partial(information_gain, dont_know=dont_know, error=error))
    level, best_of_head = _search(scale, groups, n, guess)
    questions = _draw(scale, groups, n, rng, level, best_of_head)
    swap = rng.random(n) < 0.5
    questions[swap] = questions[swap][:, [0, 2, 1]]
    return questions, information_gain(P, questions, dont_know=dont_know, error=error)


class _Groups:
    """Items of equal beliefs, and how many questions a triple of groups stands for."""

    def __init__(self, P: Floats, asked: Ints) -> None:
        # Adding 0 turns -0 into 0, which is equal but has other bits.
        self.P, of_item = np.unique(P + 0.0, axis=0, return_inverse=True)
        self.of_item = of_item.reshape(-1)
        self.sizes = np.bincount(self.of_item)
        self.items = np.argsort(self.of_item, kind="stable")
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.n_items = len(P)
        self.asked = np.unique(question_numbers(asked, len(P)))
        triples = self.of_item[questions_from_numbers(self.asked, len(P))]
        triples[:, 1:].sort(axis=1)
        self.asked_codes, self.asked_counts = np.unique(self._codes(triples), return_counts=True)

    def count(self, triples: Ints) -> Ints:
        """Return how many questions each triple of groups (i, j <= k) has that were not asked."""
        i, j, k = triples.T
        a, b, c = self.sizes[triples].T
        others = a * (b - (i == j)) * (c - (i == k) - (j == k))
        return np.asarray(np.where(j == k, others // 2, others) - self.count_asked(triples))

    def count_asked(self, triples: Ints) -> Ints:
        """Return how many questions of each triple of groups were asked."""
        if len(self.asked_codes) == 0:
            return np.zeros(len(triples), dtype=np.int64)
        codes = self._codes(triples)
        place = np.searchsorted(self.asked_codes, codes).clip(max=len(self.asked_codes) - 1)
        return np.where(self.asked_codes[place] == codes, self.asked_counts[place], 0)

    def draw(self, triple: Ints, size: int, rng: np.random.Generator) -> Ints:
        """Draw ``size`` different questions of a triple of groups that were not asked, all equally likely."""
        a, b, c = self.sizes[triple].tolist()
        if a * b * c <= 1024 + 8 * (size + int(self.count_asked(triple[np.newaxis])[0])):
            return self._questions(triple, rng.permutation(a * b * c))[:size]
        # Most combinations of three members are questions to ask, so that a few more than needed will do.
        drawn = np.empty(0, dtype=np.int64)
        while True:
            drawn = np.append(drawn, rng.integers(a * b * c, size=16 + 4 * size))
            drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
            questions = self._questions(triple, drawn)
            if len(questions) >= size:
                return questions[:size]

    def _questions(self, triple: Ints, combinations: Ints) -> Ints:
        """Return those combinations of members that are questions, were not asked and are named only once."""
        _, j, k = triple.tolist()
        rest, z = np.divmod(combinations, self.sizes[k])
        x, y = np.divmod(rest, self.sizes[j])
        questions = self.items[self.starts[triple] + np.column_stack([x, y, z])]
        good = (questions[:, 0] != questions[:, 1]) & (questions[:, 0] != questions[:, 2])
        if j == k:
            good &= y < z
        questions = questions[good]
        new = ~np.isin(question_numbers(questions, self.n_items), self.asked)
        return np.asarray(questions[new])

    def _codes(self, triples: Ints) -> Ints:
        return np.asarray((triples[:, 0] * len(self.P) + triples[:, 1]) * len(self.P) + triples[:, 2])


class _Top:
    """The n best scores so far, with the number of questions of each."""

    def __init__(self, n: int, floor: float) -> None:
        self.n, self.floor = n, floor
        self.scores, self.counts = np.empty(0), np.empty(0, dtype=np.int64)

    def add(self, scores: Floats, counts: Ints) -> None:
        """Take in scores, and raise the floor to where a question can still tie with the n-th best."""
        good = (counts > 0) & (scores >= self.floor)
        scores, counts = np.append(self.scores, scores[good]), np.append(self.counts, counts[good])
        order = np.argsort(-scores, kind="stable")
        total = np.cumsum(counts[order])
        kept = order[: np.searchsorted(total, self.n) + 1]
        self.scores, self.counts = scores[kept], counts[kept]
        if len(total) and total[-1] >= self.n:
            self.floor = max(self.floor, float(self.scores[-1]) - 2 * TIE)


def _search(scale: Scale, groups: _Groups, n: int, guess: float) -> tuple[float, Floats]:
    """Return the best score of the tie that the n-th question belongs to, and the best with each head."""
    floor = guess - 2 * TIE
    compiled = kernels("tercet.selection._exact_kernel")
    if compiled is not None:
        scores, best_of_head = compiled.search(
            (scale.P, scale.M, scale.surprise),
            scale.informative,
            scale.error,
            (F_VALUES, STEP),
            (groups.sizes, groups.asked_codes, groups.asked_counts),
            n,
            floor,
            TIE,
        )
    else:
        top = _Top(n, floor)
        best_of_head = np.full(len(groups.P), -np.inf)
        for i in range(len(groups.P)):
            for triples, found in _blocks(scale, groups, i, top.floor):
                counts = groups.count(triples)
                best_of_head[i] = max(best_of_head[i], found.max(where=counts > 0, initial=-np.inf))
                top.add(found, counts)
        scores = top.scores
    level = scores[0]
    for score in scores:
        if score < level - TIE:
            level = score
    return float(level), best_of_head


def _blocks(scale: Scale, groups: _Groups, i: int, limit: float) -> Iterator[tuple[Ints, Floats]]:
    """Yield the triples of groups (i, j <= k) with head i that reach the limit, and their scores."""
    head = scale.head(i, limit, bool(groups.sizes[i] == 1))
    waiting: list[Ints] = []
    for first in range(0, len(head.partners), _ROWS):
        rows = slice(first, first + _ROWS)
        start, stop = int(head.start[rows].min()), int(head.stop[rows].max())
        if start < stop:
            bounds = head.left[:, rows].T @ head.right[:, start:stop]
            x, y = np.divmod(np.flatnonzero((bounds >= head.low) & (bounds <= head.high)), stop - start)
            pairs = np.stack([x + first, y + start])
            waiting.append(pairs[:, pairs[1] <= pairs[0]])
        at_end = first + _ROWS >= len(head.partners)
        if waiting and (at_end or sum(pairs.shape[1] for pairs in waiting) > _WAITING):
            x, y = np.concatenate(waiting, axis=1)
            waiting = []
            scores = head.score(x, y)
            good = scores >= limit
            if good.any():
                j, k = head.partners[x[good]], head.partners[y[good]]
                yield np.column_stack([np.full(len(j), i), np.minimum(j, k), np.maximum(j, k)]), scores[good]


def _first_guess(
    P: Floats, groups: _Groups, n: int, rng: np.random.Generator, score: Callable[[Floats, Ints], Floats]
) -> float:
    """Return a score that n questions reach: the n-th best of a sample, improved one item at a time."""
    # Three items can stand for any group; without this the sample would be about the largest groups.
    items = groups.items[np.arange(len(P)) - np.repeat(groups.starts, groups.sizes) < 3]
    drawn = draw_distinct(count_questions(len(items)), max(_SAMPLE, 2 * n), rng)
    sample = question_numbers(items[questions_from_numbers(drawn, len(items))], len(P))
    known, scores = np.empty(0, dtype=np.int64), np.empty(0)
    for _ in range(1 + _ROUNDS):
        sample = np.setdiff1d(sample, np.append(groups.asked, known))
        known = np.append(known, sample)
        gains = score(P, questions_from_numbers(sample, len(P)))
        scores = np.append(scores, gains)
        best = questions_from_numbers(known[np.argsort(-scores)[:_FEW]], len(P))
        near = np.repeat(np.concatenate([best] * 3), len(items), axis=0)
        slot = np.repeat(np.arange(3), len(best) * len(items))
        near[np.arange(len(near)), slot] = np.tile(items, 3 * len(best))
        i, j, k = near.T
        sample = question_numbers(near[(i != j) & (i != k) & (j != k)], len(P))
    return float(np.partition(scores, -n)[-n]) if len(scores) >= n else _LOWEST


def _draw(
    scale: Scale, groups: _Groups, n: int, rng: np.random.Generator, level: float, best_of_head: Floats
) -> Ints:
    """Draw the questions: all above the level, and as many as are wanting of those that tie at it."""
    limit = level - TIE - ROUNDING
    heads = np.flatnonzero(best_of_head >= limit)
    tied = np.zeros(len(heads), dtype=np.int64)
    above, above_scores = np.empty((0, 3), dtype=np.int64), np.empty(0)
    for place, head in enumerate(heads.tolist()):
        for triples, scores in _blocks(scale, groups, head, limit):
            counts = groups.count(triples)
            high = scores > level + ROUNDING
            tied[place] += counts[~high].sum()
            for triple, score, count in zip(triples[high], scores[high], counts[high].tolist(), strict=True):
                above = np.concatenate([above, groups.draw(triple, count, rng)])
                above_scores = np.append(above_scores, np.full(count, score))
    if len(above):
        above = above[choose(above_scores, len(above), rng)]
    # Number the questions that tie, draw numbers, and go through the heads they belong to once more.
    numbers = np.sort(draw_distinct(int(tied.sum()), n - len(above), rng))
    ends = np.cumsum(tied)
    drawn = []
    for place in np.unique(np.searchsorted(ends, numbers, side="right")).tolist():
        begin = ends[place] - tied[place]
        for triples, scores in _blocks(scale, groups, int(heads[place]), limit):
            until = begin + np.cumsum(np.where(scores > level + ROUNDING, 0, groups.count(triples)))
            mine = numbers[(numbers >= begin) & (numbers < until[-1])]
            hits, sizes = np.unique(np.searchsorted(until, mine, side="right"), return_counts=True)
            drawn += [
                groups.draw(triples[hit], size, rng) for hit, size in zip(hits, sizes.tolist(), strict=True)
            ]
            begin = until[-1]
    return np.concatenate([above, rng.permutation(np.concatenate(drawn))])
