"""What a session tells an annotator: where they are, and what became of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from tercet.stores import Recorded, Reply, Shown

Choice = Literal["left", "right", "dk", "skip"]


class UnknownAnswerError(LookupError):
    """The key belongs to no question that was put to this annotator."""


@dataclass(frozen=True)
class Standing:
    """Where an annotator is.

    Attributes
    ----------
    shown : Shown or None
        The question before them; None at the end.
    answered, total : int
        Questions answered, of how many.
    practice : (number, of how many), or None
        Set while they practise.
    undoable : str or None
        The key of the answer that an undo would take back.
    """

    shown: Shown | None
    answered: int
    total: int
    practice: tuple[int, int] | None
    undoable: str | None


@dataclass(frozen=True)
class Outcome:
    """What became of an answer; ``right`` only for practice questions."""

    recorded: Recorded
    new: bool
    right: bool | None
    standing: Standing


def as_reply(choice: str, shown: Shown) -> Reply:
    """Return an answer given by its side as one about j and k."""
    if choice in ("dk", "skip"):
        return cast(Reply, choice)
    if choice not in ("left", "right"):
        raise ValueError(f"unknown choice {choice!r}; it is left, right, dk or skip")
    return "yes" if (choice == "left") == (shown.left == "j") else "no"
