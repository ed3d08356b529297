"""What a session remembers of its study: answers that stand, questions before people, what was ever asked."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from tercet.answers import Comparisons, as_answer
from tercet.items import Items
from tercet.queries import Query, query_id
from tercet.stores import Recorded, Shown

Triplet = tuple[int, int, int]
Question = tuple[int, int, int]


def as_question(triplet: Triplet) -> Question:
    """Return the question a triplet asks, whichever candidate comes first."""
    head, j, k = triplet
    return (head, j, k) if j < k else (head, k, j)


def digest(comparisons: Comparisons) -> bytes:
    """Return what names these answers, in their order."""
    content = blake2b(np.ascontiguousarray(comparisons.triplets).tobytes(), digest_size=16)
    content.update(np.ascontiguousarray(comparisons.answers).tobytes())
    return content.digest()


def is_learned_from(answer: Recorded) -> bool:
    """Return whether the model hears of an answer: skips, practice and catch questions are only recorded."""
    return answer.shown.purpose == "question" and answer.reply != "skip"


class Ledger:
    """The answers that stand in the order of their numbers, and the questions before each annotator."""

    def __init__(self, items: Items, answers: Iterable[Recorded], waiting: Iterable[Shown]) -> None:
        self._index = items.index
        self.revision = 0
        self.answers: dict[str, Recorded] = {}
        self._waiting: dict[str, dict[str, Shown]] = {}
        self._asked: dict[Question, None] = {}
        self._by_annotator: dict[str, list[Recorded]] = {}
        self._learned: list[Recorded] = []
        self._comparisons: Comparisons | None = None
        for answer in answers:
            self.record(answer)
        for shown in waiting:
            self.show(shown)

    def triplet(self, shown: Shown) -> Triplet:
        """Return the places of a question's items."""
        head, j, k = (self._index[name] for name in shown.triplet)
        return head, j, k

    @property
    def comparisons(self) -> Comparisons:
        """What the model learns from."""
        if self._comparisons is None:
            triplets = np.array([self.triplet(r.shown) for r in self._learned], dtype=np.int64).reshape(-1, 3)
            answers = np.array([as_answer(r.reply) for r in self._learned], dtype=np.int8)
            who = np.array([r.shown.annotator for r in self._learned], dtype=np.str_)
            self._comparisons = Comparisons(triplets, answers, who)
        return self._comparisons

    @property
    def standing(self) -> list[Recorded]:
        """All answers that stand, in the order of their numbers."""
        return list(self.answers.values())

    def of(self, annotator: str) -> list[Recorded]:
        """Return an annotator's answers that stand, in order."""
        return self._by_annotator.get(annotator, [])

    def current(self, annotator: str) -> Shown | None:
        """Return the question on an annotator's screen: the newest that waits for them."""
        stack = self._waiting.get(annotator)
        return next(reversed(stack.values())) if stack else None

    def waiting_for(self, annotator: str) -> list[Shown]:
        """Return all questions that wait for an annotator, oldest first."""
        return list(self._waiting.get(annotator, {}).values())

    def find(self, key: str) -> Shown | None:
        """Return the question that was shown under a key, if it waits or its answer stands."""
        if key in self.answers:
            return self.answers[key].shown
        return next((stack[key] for stack in self._waiting.values() if key in stack), None)

    def was_asked(self, triplet: Triplet) -> bool:
        """Return whether this question was ever shown, to anybody."""
        return as_question(triplet) in self._asked

    def reserved(self, without: Shown | None = None) -> list[Triplet]:
        """Return the questions that were shown and that the model has no answer to: it may not ask them."""
        told = {as_question(self.triplet(answer.shown)) for answer in self._learned}
        if without is not None:
            told.add(as_question(self.triplet(without)))
        return [question for question in self._asked if question not in told]

    def told(self) -> list[Query]:
        """Return the model's questions as they were put, answered or not, with what it expected."""
        shown = [answer.shown for answer in self._learned]
        shown += [one for stack in self._waiting.values() for one in stack.values()]
        # Practice may be about a question that the model put to somebody else; it expected nothing there.
        places = [(self.triplet(one), one.probabilities) for one in shown if one.purpose == "question"]
        return [Query(query_id(triplet), triplet, probabilities=chances) for triplet, chances in places]

    def show(self, shown: Shown) -> None:
        """Note a question that is now before its annotator."""
        self._waiting.setdefault(shown.annotator, {})[shown.key] = shown
        self._note(shown)
        self.revision += 1

    def record(self, answer: Recorded) -> None:
        """Note an answer."""
        key, annotator = answer.shown.key, answer.shown.annotator
        if key in self.answers:
            return
        self._waiting.get(annotator, {}).pop(key, None)
        self._note(answer.shown)
        self.answers[key] = answer
        self._by_annotator.setdefault(annotator, []).append(answer)
        if is_learned_from(answer):
            self._learned.append(answer)
            self._comparisons = None
        self.revision += 1

    def take_back(self, answer: Recorded) -> None:
        """Note that an answer no longer stands."""
        key = answer.shown.key
        if self.answers.pop(key, None) is None:
            return
        mine = self._by_annotator[answer.shown.annotator]
        mine[:] = [other for other in mine if other.shown.key != key]
        self._learned = [other for other in self._learned if other.shown.key != key]
        self._comparisons = None
        self.revision += 1

    def _note(self, shown: Shown) -> None:
        if shown.purpose != "catch":  # its head is a candidate, which no question of the model's has
            self._asked[as_question(self.triplet(shown))] = None
