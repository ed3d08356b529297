"""Figures of a study: how the answers went, and how well the model foresaw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from statistics import median

from tercet.labelling._ledger import is_learned_from
from tercet.stopping import Outlook
from tercet.stores import Recorded

#: Answers that a running mean is taken over.
WINDOW = 20
#: An answer faster than this was hardly looked at.
HASTY_MS = 400
#: Shares of random questions answered right that one may want to reach, one after the other.
TARGETS = (0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Foreseen:
    """One answer, and what the model said before it learned from it.

    `agreed` says whether it was the likeliest of the three: yes, no, don't-know.
    """

    number: int
    probability: float
    agreed: bool
    running: float


@dataclass(frozen=True)
class Annotator:
    """How one person answered: what an attention report needs."""

    name: str
    answered: int
    dont_know: int
    skipped: int
    practice_right: int
    practice: int
    catch_right: int
    catch: int
    median_ms: float | None
    hasty: int
    left_share: float | None


@dataclass(frozen=True)
class Summary:
    """All figures at once."""

    answered: int
    decided: int
    dont_know: int
    skipped: int
    curve: tuple[Foreseen, ...]
    agreement: float | None
    response_ms: tuple[tuple[int, int], ...]
    median_ms: float | None
    annotators: tuple[Annotator, ...]


@dataclass(frozen=True)
class Prospect:
    """What to expect of further questions, by the model's own estimate.

    Attributes
    ----------
    n_answers : int
    accuracy : float
        The share of random questions that the model expects to answer right now.
    gain : float
        What the next answer is expected to add to it.
    target : float
        The next share worth reaching.
    left : int or None
        About how many more answers that takes; None if nobody can say.
    """

    n_answers: int
    accuracy: float
    gain: float
    target: float
    left: int | None


def prospect(outlook: Outlook | None) -> Prospect | None:
    """Return what to expect of further questions; None while there are too few answers to say.

    >>> prospect(Outlook(100, accuracy=0.85, gain=0.0005))
    Prospect(n_answers=100, accuracy=0.85, gain=0.0005, target=0.9, left=238)
    >>> prospect(Outlook(4, accuracy=0.85, gain=float("nan"))) is None
    True
    """
    if outlook is None or isnan(outlook.gain):
        return None
    target = next((share for share in TARGETS if share > outlook.accuracy), TARGETS[-1])
    return Prospect(outlook.n_answers, outlook.accuracy, outlook.gain, target, outlook.questions_left(target))


def summarise(answers: Sequence[Recorded]) -> Summary:
    """Return the figures of the answers that stand, in order."""
    learned = [answer for answer in answers if is_learned_from(answer)]
    times = [(answer.number, answer.response_ms) for answer in learned if answer.response_ms is not None]
    curve = foreseen(learned)
    unsure = sum(answer.reply == "dk" for answer in learned)
    people: dict[str, list[Recorded]] = {}
    for answer in answers:
        people.setdefault(answer.shown.annotator, []).append(answer)
    return Summary(
        answered=len(learned),
        decided=len(learned) - unsure,
        dont_know=unsure,
        skipped=sum(answer.reply == "skip" for answer in answers),
        curve=curve,
        agreement=sum(point.agreed for point in curve) / len(curve) if curve else None,
        response_ms=tuple(times),
        median_ms=median(time for _, time in times) if times else None,
        annotators=tuple(_annotator(name, mine) for name, mine in people.items()),
    )


def foreseen(learned: Sequence[Recorded]) -> tuple[Foreseen, ...]:
    """Return the honest learning curve: each answer against what the model said before it."""
    curve: list[Foreseen] = []
    for answer in learned:
        chances = answer.shown.probabilities
        if chances is None:
            continue
        yes, no, unsure = chances
        probability = {"yes": yes, "no": no, "dk": unsure}[answer.reply]
        agreed = probability == max(chances)
        recent = [point.probability for point in curve[-(WINDOW - 1) :]] + [probability]
        curve.append(Foreseen(answer.number, probability, agreed, sum(recent) / len(recent)))
    return tuple(curve)


def was_right(answer: Recorded) -> bool:
    """Return whether a practice or catch question got its answer: their first candidate is the nearer one."""
    return answer.reply == "yes"


def _annotator(name: str, mine: Sequence[Recorded]) -> Annotator:
    learned = [answer for answer in mine if is_learned_from(answer)]
    practice = [answer for answer in mine if answer.shown.purpose == "practice"]
    catch = [answer for answer in mine if answer.shown.purpose == "catch"]
    times = [answer.response_ms for answer in learned if answer.response_ms is not None]
    sides = [
        (answer.reply == "yes") == (answer.shown.left == "j")
        for answer in learned
        if answer.reply in ("yes", "no")
    ]
    return Annotator(
        name=name,
        answered=len(learned),
        dont_know=sum(answer.reply == "dk" for answer in learned),
        skipped=sum(answer.reply == "skip" for answer in mine),
        practice_right=sum(map(was_right, practice)),
        practice=len(practice),
        catch_right=sum(map(was_right, catch)),
        catch=len(catch),
        median_ms=median(times) if times else None,
        hasty=sum(time < HASTY_MS for time in times),
        left_share=sum(sides) / len(sides) if sides else None,
    )
