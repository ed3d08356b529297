"""What every store promises: an answer that was recorded is on disk, and is there once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

Reply = Literal["yes", "no", "dk", "skip"]
Purpose = Literal["question", "practice", "catch"]


@dataclass(frozen=True)
class Study:
    """A collection under questions: its name, the items it is about, and its settings.

    `settings` is plain JSON: seed, number of classes, number of questions, the texts of the pages, and so on.
    """

    name: str
    fingerprint: str
    ids: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """A question as it was put to somebody.

    Attributes
    ----------
    key : str
        Names this showing, and makes a repeated answer to it recognisable.
    triplet : (head, j, k), as item ids
    left : "j" or "k"
        Which candidate was on the left.
    rule : str
        What chose the question, such as "Info()"; "practice" or "catch" for those.
    score : float, optional
        What the rule expected of it.
    probabilities : (yes, no, dk), optional
        What the model expected before it saw the answer.
    """

    key: str
    annotator: str
    triplet: tuple[str, str, str]
    left: Literal["j", "k"]
    purpose: Purpose
    rule: str
    score: float | None
    probabilities: tuple[float, float, float] | None
    at: datetime


@dataclass(frozen=True)
class Recorded:
    """An answer to a question that was shown. `number` counts a study's answers in the order they came."""

    number: int
    shown: Shown
    reply: Reply
    response_ms: int | None
    at: datetime
    undone: bool = False


class Store(Protocol):
    """Where studies, the questions shown and the answers live. Append-only; safe to call from several threads."""

    def open_study(self, study: Study) -> Study:
        """Begin this study, or return it as stored; a study of that name about other items is refused."""

    def save_settings(self, study: str, settings: Mapping[str, Any]) -> None:
        """Replace a study's settings, such as its texts."""

    def show(self, study: str, shown: Shown) -> None:
        """Note that this question is now before its annotator; a repeated key changes nothing."""

    def waiting(self, study: str) -> list[Shown]:
        """Return the questions before somebody, shown and not answered (again after an undo), oldest first."""

    def record(self, study: str, key: str, reply: Reply, response_ms: int | None) -> tuple[Recorded, bool]:
        """Put the answer on disk; return it and whether it is new. A repeated key returns the first answer."""

    def undo(self, study: str, annotator: str) -> Recorded | None:
        """Take back this annotator's last answer that stands; its question is before them again."""

    def answers(self, study: str, *, after: int = 0, undone: bool = False) -> list[Recorded]:
        """Return the answers with a number above ``after``, in order; taken-back ones only if asked for."""

    def close(self) -> None:
        """Let go of the database."""
