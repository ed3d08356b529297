"""Questions as a learner puts them, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tercet._validation import Floats, Ints


class PoolExhaustedError(RuntimeError):
    """There are fewer questions left in the pool than were asked for."""


class UnknownQueryError(LookupError):
    """The query was never asked by this learner."""


class AlreadyToldError(ValueError):
    """The query has its answer already."""


@dataclass(frozen=True)
class Query:
    """A question to put to somebody, whether item i is more like j or more like k.

    Attributes
    ----------
    id : str
        Names the question; `ActiveLearner.tell` takes it in place of the query.
    triplet : tuple (i, j, k)
    score : float
        What the selection rule expects of the question; for Info, nats of information.
    probabilities : tuple (yes, no, dk) or None
        The probability of each answer; None for rules that do not look at beliefs.
    """

    id: str
    triplet: tuple[int, int, int]
    score: float = float("nan")
    probabilities: tuple[float, float, float] | None = None


def queries(triplets: Ints, scores: Floats, chances: Floats | None) -> list[Query]:
    """Return these questions as queries."""
    probabilities: list[Any] = [None] * len(triplets) if chances is None else [*map(tuple, chances.tolist())]
    rows = zip(triplets.tolist(), scores.tolist(), probabilities, strict=True)
    return [Query(query_id(triplet), tuple(triplet), score, chance) for triplet, score, chance in rows]


def query_id(triplet: tuple[int, int, int]) -> str:
    """Return the name of a question: its items, never a number that another question might get.

    >>> query_id((17, 3, 42))
    '17-3-42'
    """
    return "{}-{}-{}".format(*triplet)


def checked_queries(name: str, given: Iterable[Query]) -> list[Query]:
    """Return queries, if they are such as a learner asks."""
    found = list(given)
    for query in found:
        if not isinstance(query, Query) or query.id != query_id(query.triplet):
            raise TypeError(f"{name} takes queries as ask() returned them, not {query!r}")
    return found
