"""What a study is run with: seed, classes, number of questions, and the texts of its pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from tercet._validation import check_count

#: So much text a page takes; more is refused.
LONGEST_TEXT = 20_000


@dataclass(frozen=True)
class Texts:
    """The texts of the pages, as plain text: an empty line begins a new paragraph."""

    title: str = "Which one is more alike?"
    instructions: str = (
        "You will see three things at a time: one on top and two below it. Say which of the two below is "
        "more like the one on top.\n\n"
        "Go by your first impression; there is no wrong answer. If you cannot tell, say that you don't know: "
        "that is an answer too. If something is broken or should not be there, skip it."
    )
    consent: str = ""
    question: str = "Which one is more like this?"
    closing: str = "Thank you! Your answers are saved. You may close this page."

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            if not isinstance(text, str) or "\0" in text:
                raise ValueError(f"the text {name!r} must be plain text, not {text!r}")
            if len(text) > LONGEST_TEXT:
                raise ValueError(
                    f"the text {name!r} has {len(text)} characters; at most {LONGEST_TEXT} are kept"
                )


@dataclass(frozen=True)
class StudySettings:
    """How a study asks.

    Attributes
    ----------
    seed : int
    n_classes : int, optional
        How many hidden classes to expect; None lets the answers choose.
    n_questions : int
        How many questions each annotator answers. Skips, practice and catch questions do not count.
    practice : int
        So many questions with an easy answer come first.
    catch_every : int
        About one in so many questions shows the head as one of its candidates; 0 for none.
    texts : Texts

    Examples
    --------
    >>> StudySettings.from_mapping({"seed": 3, "texts": {"title": "Birds"}}).texts.title
    'Birds'
    """

    seed: int = 0
    n_classes: int | None = None
    n_questions: int = 100
    practice: int = 0
    catch_every: int = 0
    texts: Texts = field(default_factory=Texts)

    def __post_init__(self) -> None:
        check_count("seed", self.seed, minimum=0)
        check_count("n_questions", self.n_questions)
        check_count("practice", self.practice, minimum=0)
        check_count("catch_every", self.catch_every, minimum=0)
        if self.catch_every == 1:
            raise ValueError("catch_every is 1, which leaves no real question; use 2 or more, or 0 for none")
        if self.n_classes is not None:
            check_count("n_classes", self.n_classes, minimum=2)

    def check_items(self, n_items: int) -> None:
        """Refuse a collection that is too small for these settings."""
        if n_items < 3:
            raise ValueError(f"a question is about three items, and there are {n_items}; add more")
        if self.n_classes is not None and self.n_classes > n_items:
            raise ValueError(f"{self.n_classes} classes are more than the {n_items} items; ask for fewer")

    @classmethod
    def from_mapping(cls, stored: Mapping[str, Any]) -> Self:
        """Return stored settings; what they leave out stays at its default, what is unknown is dropped."""
        own = {entry.name for entry in fields(cls)} - {"texts"}
        known = {entry.name for entry in fields(Texts)}
        texts = {name: text for name, text in dict(stored.get("texts", {})).items() if name in known}
        return cls(**{name: stored[name] for name in own if name in stored}, texts=Texts(**texts))

    def to_mapping(self) -> dict[str, Any]:
        """Return the settings as plain JSON."""
        return asdict(self)

    def changed(self, **values: Any) -> Self:
        """Return a copy with those values that are not None."""
        return replace(self, **{name: value for name, value in values.items() if value is not None})
