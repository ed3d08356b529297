"""Items: what people compare, with their features and the media that show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

Kind = Literal["image", "audio", "video", "text"]


@dataclass(frozen=True)
class Media:
    """What shows one item: a file, or a text.

    Attributes
    ----------
    kind : "image", "audio", "video" or "text"
    path : Path, optional
        The file, relative to `Items.root`.
    text : str, optional
        The text itself, where it came from a table.
    """

    kind: Kind
    path: Path | None = None
    text: str | None = None


@dataclass(frozen=True)
class Items:
    """The collection: ids, features and media, in one order.

    Attributes
    ----------
    ids : sequence of str
        Different, not empty; answers are stored under them, so that the order of files may change.
    features : array of shape (n, d) or memory map
    feature_names : sequence of str
    media : sequence of Media or None
        None where an item has nothing to show but its id.
    root : Path, optional
        The folder that holds the media; nothing outside it is ever served.
    left_out : sequence of (name, reason)
        What could not be read.
    """

    ids: Sequence[str]
    features: Any
    feature_names: Sequence[str]
    media: Sequence[Media | None]
    root: Path | None = None
    left_out: Sequence[tuple[str, str]] = field(default=())

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each id."""
        return {name: place for place, name in enumerate(self.ids)}

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the ids, in their order: a study belongs to the items it was begun with."""
        return sha256("\n".join(self.ids).encode()).hexdigest()
