"""Answers in memory, for tests and for studies that may be lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import RLock
from typing import Any

from tercet.stores._contract import Recorded, Reply, Shown, Study, check_reply
from tercet.stores._shared import (
    as_json,
    check_same_items,
    in_order,
    shown_again,
    unknown_question,
    unknown_study,
)


@dataclass
class _Kept:
    study: Study
    shown: dict[str, Shown] = field(default_factory=dict)
    #: The place in `answers` of the answer to each key.
    answered: dict[str, int] = field(default_factory=dict)
    answers: list[Recorded] = field(default_factory=list)

    def add(self, answer: Recorded) -> Recorded:
        self.answered[answer.shown.key] = len(self.answers)
        self.answers.append(replace(answer, number=len(self.answers) + 1))
        return self.answers[-1]


class MemoryStore:
    """Keeps everything in memory; it is gone with the process.

    >>> from tercet.stores import MemoryStore, Study
    >>> store = MemoryStore()
    >>> store.open_study(Study("birds", "abc", ["wren", "tit", "jay"])).ids
    ('wren', 'tit', 'jay')
    >>> store.answers("birds")
    []
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._studies: dict[str, _Kept] = {}

    def open_study(self, study: Study) -> Study:
        """Begin this study, or return it as stored; a study of that name about other items is refused."""
        settings = json.loads(as_json(study.settings))
        with self._lock:
            kept = self._studies.setdefault(study.name, _Kept(replace(study, settings=settings)))
            check_same_items(kept.study, study)
            return _copied(kept.study)

    def study(self, name: str) -> Study:
        """Return the study of that name, with its newest settings."""
        with self._lock:
            return _copied(self._kept(name).study)

    def studies(self) -> list[str]:
        """Return the names of all studies, oldest first."""
        with self._lock:
            return list(self._studies)

    def save_settings(self, study: str, settings: Mapping[str, Any]) -> None:
        """Replace a study's settings, such as its texts."""
        plain = json.loads(as_json(settings))
        with self._lock:
            kept = self._kept(study)
            kept.study = replace(kept.study, settings=plain)

    def show(self, study: str, shown: Shown) -> None:
        """Note that this question is now before its annotator; a repeated key changes nothing."""
        with self._lock:
            self._kept(study).shown.setdefault(shown.key, shown)

    def waiting(self, study: str) -> list[Shown]:
        """Return the questions that were shown and have no answer, oldest first."""
        with self._lock:
            kept = self._kept(study)
            return [shown for key, shown in kept.shown.items() if key not in kept.answered]

    def record(self, study: str, key: str, reply: Reply, response_ms: int | None) -> tuple[Recorded, bool]:
        """Keep the answer; return it and whether it is new. A repeated key returns the first answer."""
        check_reply(reply, response_ms)
        with self._lock:
            kept = self._kept(study)
            if key not in kept.shown:
                raise unknown_question(study, key)
            if key in kept.answered:
                return kept.answers[kept.answered[key]], False
            return kept.add(Recorded(0, kept.shown[key], reply, response_ms, datetime.now(UTC))), True

    def undo(self, study: str, annotator: str, key: str | None = None) -> Recorded | None:
        """Take back this annotator's last answer that stands; show its question again, under a new key."""
        with self._lock:
            kept = self._kept(study)
            for place in reversed(range(len(kept.answers))):
                answer = kept.answers[place]
                if answer.undone or answer.shown.annotator != annotator:
                    continue
                if key is not None and answer.shown.key != key:
                    return None
                kept.answers[place] = replace(answer, undone=True)
                again = shown_again(answer.shown)
                kept.shown[again.key] = again
                return kept.answers[place]
            return None

    def answers(self, study: str, *, after: int = 0, undone: bool = False) -> list[Recorded]:
        """Return the answers with a number above ``after``, in order; taken-back ones only if asked for."""
        with self._lock:
            later = self._kept(study).answers[max(after, 0) :]
            return [answer for answer in later if undone or not answer.undone]

    def take(self, study: str, answers: Iterable[Recorded]) -> int:
        """Add answers from elsewhere, all or none, and return how many are new."""
        with self._lock:
            kept = self._kept(study)
            coming = in_order(answers, kept.shown)
            before = len(kept.answers)
            for answer in coming:
                place = kept.answered.get(answer.shown.key)
                if place is None:
                    shown = kept.shown.setdefault(answer.shown.key, answer.shown)
                    kept.add(replace(answer, shown=shown))
                elif answer.undone:
                    kept.answers[place] = replace(kept.answers[place], undone=True)
            return len(kept.answers) - before

    def close(self) -> None:
        """Do nothing: what is in memory stays until the store goes."""

    def _kept(self, name: str) -> _Kept:
        if name not in self._studies:
            raise unknown_study(name, list(self._studies))
        return self._studies[name]


def _copied(study: Study) -> Study:
    return replace(study, settings=json.loads(as_json(study.settings)))
