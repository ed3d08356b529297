"""What stores share: plain settings, and the question that comes back after an undo."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from tercet.stores._contract import Recorded, Shown, Study
from tercet.stores._errors import OtherItemsError, UnknownQuestionError, UnknownStudyError


def shown_again(shown: Shown) -> Shown:
    """Return the same question as a new showing."""
    return replace(shown, key=uuid4().hex, at=datetime.now(UTC))


def as_json(settings: Mapping[str, Any]) -> str:
    """Return settings as JSON, or say what in them is none."""
    try:
        return json.dumps(dict(settings), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"settings must be plain JSON ({error}); use text, numbers, lists and dicts"
        ) from None


def check_same_items(stored: Study, asked: Study) -> None:
    """Refuse to go on with a study that was begun with other items; their order may be another."""
    if stored.fingerprint != asked.fingerprint and set(stored.ids) != set(asked.ids):
        raise OtherItemsError(
            f"the study {asked.name!r} in this database is about {len(stored.ids)} items, and not about "
            f"these {len(asked.ids)}{_difference(stored, asked)}; give this one another name "
            "(--study), or another database (--db)"
        )


def in_order(answers: Iterable[Recorded], known: Mapping[str, Shown]) -> list[Recorded]:
    """Return answers from elsewhere by number, or refuse one whose key stands for another question."""
    coming = sorted(answers, key=lambda answer: answer.number)
    seen = dict(known)
    for answer in coming:
        here, there = seen.setdefault(answer.shown.key, answer.shown), answer.shown
        if (here.annotator, here.triplet) != (there.annotator, there.triplet):
            raise ValueError(
                f"answer {answer.number} has the key {here.key!r}, which stands for another question in this "
                f"study ({here.triplet} to {here.annotator!r}); import it into a study of its own"
            )
    return coming


def unknown_study(name: str, names: list[str]) -> UnknownStudyError:
    """Say which studies there are instead."""
    there = f"it has {', '.join(map(repr, names))}" if names else "it has none yet; begin one by tercet label"
    return UnknownStudyError(f"there is no study {name!r} in this database; {there}")


def unknown_question(study: str, key: str) -> UnknownQuestionError:
    """Say that nobody was asked this."""
    return UnknownQuestionError(
        f"no question with the key {key!r} was shown in the study {study!r}; reload the page for a new one"
    )


def _difference(stored: Study, asked: Study) -> str:
    here, there = set(stored.ids), set(asked.ids)
    for ids, where in ((there - here, "is new"), (here - there, "is missing")):
        if ids:
            return f" ({min(ids)!r} {where})"
    return ""
