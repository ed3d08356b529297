"""What every store promises: an answer that was recorded is on disk, and is there once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, get_args

Reply = Literal["yes", "no", "dk", "skip"]
Purpose = Literal["question", "practice", "catch"]


@dataclass(frozen=True)
class Study:
    """A collection under questions: its name, the items it is about, and its settings.

    `settings` is plain JSON: seed, number of classes, number of questions, the texts of the pages, and so on.
    They travel with an export, so nothing secret belongs there.
    """

    name: str
    fingerprint: str
    ids: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a study needs a name")
        check_text("the study's name", self.name)
        object.__setattr__(self, "ids", tuple(self.ids))
        for item in self.ids:
            check_text("an item's id", item)


@dataclass(frozen=True)
class Shown:
    """A question as it was put to somebody.

    Attributes
    ----------
    key : str
        Names this showing in its study, and makes a repeated answer to it recognisable.
    triplet : (head, j, k), as item ids
    left : "j" or "k"
        Which candidate was on the left.
    rule : str
        What chose the question, such as "Info()"; "practice" or "catch" for those.
    score : float, optional
        What the rule expected of it; a NaN becomes None.
    probabilities : (yes, no, dk), optional
        What the model expected before it saw the answer.
    at : datetime, with its time zone
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

    def __post_init__(self) -> None:
        if not self.key:
            raise ValueError("a question that is shown needs a key; use uuid4().hex")
        for name, text in (("key", self.key), ("annotator", self.annotator), ("rule", self.rule)):
            check_text(f"the {name}", text)
        object.__setattr__(self, "triplet", tuple(self.triplet))
        if len(self.triplet) != 3:
            raise ValueError(f"a question is about three items, not {self.triplet!r}")
        for item in self.triplet:
            check_text("an item's id", item)
        check_word("left", self.left, ("j", "k"))
        check_word("purpose", self.purpose, get_args(Purpose))
        check_moment("shown", self.at)
        if self.score is not None:
            object.__setattr__(self, "score", float(self.score) if math.isfinite(self.score) else None)
        if self.probabilities is not None:
            chances = tuple(map(float, self.probabilities))
            if len(chances) != 3 or not all(0 <= chance <= 1 for chance in chances):
                raise ValueError(f"probabilities are three numbers from 0 to 1, not {chances}")
            object.__setattr__(self, "probabilities", chances)


@dataclass(frozen=True)
class Recorded:
    """An answer to a question that was shown. `number` counts a study's answers in the order they came."""

    number: int
    shown: Shown
    reply: Reply
    response_ms: int | None
    at: datetime
    undone: bool = False

    def __post_init__(self) -> None:
        check_reply(self.reply, self.response_ms)
        check_moment("answered", self.at)


class Store(Protocol):
    """Where studies, the questions shown and the answers live.

    Append-only; safe to call from several threads. Every method that takes a study's name raises
    `UnknownStudyError` where there is none, and `StoreError` where the database could not do it; then nothing
    was recorded.
    """

    def open_study(self, study: Study) -> Study:
        """Begin this study, or return it as stored; a study of that name about other items is refused."""

    def study(self, name: str) -> Study:
        """Return the study of that name, with its newest settings."""

    def studies(self) -> list[str]:
        """Return the names of all studies, oldest first."""

    def save_settings(self, study: str, settings: Mapping[str, Any]) -> None:
        """Replace a study's settings, such as its texts."""

    def show(self, study: str, shown: Shown) -> None:
        """Note that this question is now before its annotator; a repeated key changes nothing."""

    def waiting(self, study: str) -> list[Shown]:
        """Return the questions that were shown and have no answer, oldest first.

        An annotator may have several: after an undo the question that was before them waits behind the one
        that they get back. The newest of theirs is the one on their screen.
        """

    def record(self, study: str, key: str, reply: Reply, response_ms: int | None) -> tuple[Recorded, bool]:
        """Put the answer on disk; return it and whether it is new. A repeated key returns the first answer.

        Raises
        ------
        UnknownQuestionError
            If no question was shown under that key.
        """

    def undo(self, study: str, annotator: str, key: str | None = None) -> Recorded | None:
        """Take back this annotator's last answer that stands, and put its question before them again.

        It is shown under a new key (a new `Shown`, the newest that is `waiting`), so that an old answer that
        arrives late again is still recognised as repeated. With ``key``, only the answer to that showing is
        taken back, and only if it is the last that stands: a repeated undo then does nothing.

        Returns
        -------
        Recorded or None
            The answer that was taken back; None if there was none.
        """

    def answers(self, study: str, *, after: int = 0, undone: bool = False) -> list[Recorded]:
        """Return the answers with a number above ``after``, in order; taken-back ones only if asked for."""

    def take(self, study: str, answers: Iterable[Recorded]) -> int:
        """Add answers from elsewhere, all or none, and return how many are new.

        They keep their keys and times and are numbered anew in their order, after those that are there. An
        answer whose key is there already is passed over, except that it is taken back if it was taken back
        elsewhere.
        """

    def close(self) -> None:
        """Let go of the database."""


def check_reply(reply: object, response_ms: object) -> None:
    """Refuse what is no answer, or no time that one took."""
    check_word("answer", reply, get_args(Reply))
    if response_ms is None:
        return
    if not isinstance(response_ms, int) or isinstance(response_ms, bool) or not 0 <= response_ms < 2**53:
        raise ValueError(f"the response time is {response_ms!r}; give whole milliseconds, 0 or more, or None")


def check_text(name: str, text: object) -> None:
    """Refuse what some database could not keep as it is."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be text, not {text!r}")
    try:
        text.encode()
        is_proper = "\0" not in text
    except UnicodeEncodeError:  # half of a character, as file names in other encodings have
        is_proper = False
    if not is_proper:
        raise ValueError(f"{name} is {text!r}, which is no proper text; rename it without such characters")


def check_word(name: str, word: object, allowed: Sequence[str]) -> None:
    """Refuse a word that is not among those allowed."""
    if word not in allowed:
        raise ValueError(f"unknown {name} {word!r}; it is one of {', '.join(allowed)}")


def check_moment(name: str, at: datetime) -> None:
    """Refuse a time of which nobody knows where on earth it was."""
    if at.tzinfo is None:
        raise ValueError(f"the time it was {name}, {at}, has no time zone; use datetime.now(UTC)")
