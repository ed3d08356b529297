"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from os import PathLike
from pathlib import Path


def cache_folder() -> Path:
    """Return the user's cache folder of Tercet: ``TERCET_CACHE``, or where the system keeps such things."""
    named = os.environ.get("TERCET_CACHE")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(base) / "tercet"


def write_whole(path: str | PathLike[str], content: str | bytes, *, sync: bool = True) -> None:
    """Write a file so that a crash or a full disk leaves what was there before, and never half of the new.

    Without ``sync`` that is so as long as the machine itself does not stop; many small files that can be made
    anew are written much faster.
    """
    target = Path(path)
    new = target.with_name(f".{target.name}.{os.getpid()}.new")
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with open(new, "wb") as stream:
            stream.write(data)
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        os.replace(new, target)
    except OSError as error:
        raise type(error)(
            f"cannot write {target} ({error.strerror or error}); name a folder that is there, has room and "
            "may be written to"
        ) from error
    finally:
        with suppress(OSError):  # what went wrong before says more
            new.unlink(missing_ok=True)
