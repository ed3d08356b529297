"""Pictures that were drawn before, as many as fit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

MOST_BYTES = 64 * 1024 * 1024


class Drawn:
    """Keeps what was drawn, and lets go of what nobody looked at for longest.

    >>> drawn = Drawn(most_bytes=5)
    >>> drawn.get("a", lambda: b"123"), drawn.get("a", lambda: b"never drawn again")
    (b'123', b'123')
    >>> drawn.get("b", lambda: b"456"), drawn.get("a", lambda: b"anew")
    (b'456', b'anew')
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, name: Hashable, draw: Callable[[], bytes]) -> bytes:
        """Return the picture of this name; ``draw`` it if it is not there."""
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        content = draw()
        with self._lock:
            if name not in self._kept:
                self._kept[name] = content
                self._size += len(content)
            while self._size > self._most:
                _, old = self._kept.popitem(last=False)
                self._size -= len(old)
        return content
