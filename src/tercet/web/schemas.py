"""What goes over the wire."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from tercet.labelling.results import Annotator, Foreseen, Prospect

Key = Annotated[str, Field(pattern="^[0-9a-f]{8,64}$", description="names a question that was shown")]


def _whole(value: object) -> object:
    """Return 5.0 as 5: JSON has no other way to tell them apart."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Milliseconds = Annotated[int, Field(ge=0, le=86_400_000), BeforeValidator(_whole)]


class Strict(BaseModel):
    """Nothing but what is named."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ItemOut(BaseModel):
    """An item as a page shows it."""

    index: int
    id: str
    kind: Literal["image", "audio", "video", "text"]
    text: str | None = None
    media: str | None = None
    thumbnail: str | None = None
    spectrogram: str | None = None


class QuestionOut(BaseModel):
    """A question: one item on top and two below."""

    key: str
    head: ItemOut
    left: ItemOut
    right: ItemOut


class PracticeOut(BaseModel):
    """Which practice question this is."""

    number: int
    of: int


class StandingOut(BaseModel):
    """Where an annotator is; no question means the end."""

    question: QuestionOut | None
    answered: int
    total: int
    practice: PracticeOut | None
    undoable: str | None


class AnswerIn(Strict):
    """An answer, by its side."""

    key: Key
    choice: Literal["left", "right", "dk", "skip"]
    response_ms: Milliseconds | None = None


class AnswerOut(BaseModel):
    """What became of it; ``new`` is false for one that was there already."""

    number: int
    new: bool
    right: bool | None
    standing: StandingOut


class UndoIn(Strict):
    """The answer to take back."""

    key: Key


class UndoOut(BaseModel):
    """Whether something was taken back, and the question that is there now."""

    undone: bool
    standing: StandingOut


class AheadOut(BaseModel):
    """Addresses that the next question may need."""

    preload: list[str]


class WeightOut(BaseModel):
    """A feature's share in the learned distance."""

    name: str
    share: float


class PictureOut(BaseModel):
    """The learned space, flat."""

    version: str
    n_answers: int
    items: list[int]
    x: list[float]
    y: list[float]
    clusters: list[int]
    sizes: list[int]
    explained: float
    weights: list[WeightOut]


class ResultsOut(BaseModel):
    """Everything the results page shows; parts that the page has already are null."""

    revision: int
    n_items: int
    answered: int
    decided: int
    dont_know: int
    skipped: int
    agreement: float | None
    median_ms: float | None
    planned: int
    expected: Prospect | None
    learning: bool
    problem: str | None
    curve: list[Foreseen] | None
    times: list[tuple[int, int]] | None
    annotators: list[Annotator]
    picture: PictureOut | None


class NeighbourOut(BaseModel):
    """An item nearby, and how far away."""

    item: ItemOut
    distance: float


class NeighboursOut(BaseModel):
    """An item and those nearest to it in the learned space."""

    item: ItemOut
    cluster: int
    neighbours: list[NeighbourOut]


class ClusterOut(BaseModel):
    """A page of a cluster's items."""

    cluster: int
    size: int
    items: list[ItemOut]


class Problem(BaseModel):
    """What went wrong, and what to do."""

    detail: str
