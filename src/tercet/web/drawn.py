"""Pictures and converted media that were made before, as many as fit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

MOST_BYTES = 64 * 1024 * 1024
#: Content and its type.
Drawing = tuple[bytes, str]


class Drawn:
    """Keeps what was drawn, and lets go of what nobody looked at for longest.

    >>> drawn = Drawn(most_bytes=5)
    >>> drawn.get("a", lambda: (b"123", "png")), drawn.get("a", lambda: (b"never drawn again", "png"))
    ((b'123', 'png'), (b'123', 'png'))
    >>> drawn.get("b", lambda: (b"456", "png")), drawn.find("a")
    ((b'456', 'png'), None)
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._kept: OrderedDict[Hashable, Drawing] = OrderedDict()
        self._lock = Lock()

    def get(self, name: Hashable, draw: Callable[[], Drawing]) -> Drawing:
        """Return the drawing of this name; ``draw`` it if it is not there."""
        found = self.find(name)
        if found is None:
            found = draw()
            self.keep(name, found)
        return found

    def find(self, name: Hashable) -> Drawing | None:
        """Return the drawing of this name, if it is there."""
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
            return self._kept.get(name)

    def keep(self, name: Hashable, drawing: Drawing) -> None:
        """Keep a drawing, in place of older ones if there is no room."""
        with self._lock:
            if name not in self._kept:
                self._kept[name] = drawing
                self._size += len(drawing[0])
            while self._size > self._most:
                _, (old, _) = self._kept.popitem(last=False)
                self._size -= len(old)
