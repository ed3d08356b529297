"""Why a file cannot be used, and what is missing to read it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

_LONGEST_REASON = 300


class UnreadableError(ValueError):
    """A file that cannot be used; the message is the reason, without the file's name."""


def reason_of(error: Exception, path: Path | None = None) -> str:
    """Return in one line why a file cannot be used; not in which folder it is, as others may read this."""
    if isinstance(error, UnreadableError):
        return str(error)
    short = getattr(error, "strerror", None)  # of OSError, and of PyAV's errors
    told = " ".join(str(short or error).split()) or type(error).__name__
    if path is not None:
        told = told.replace(str(path), path.name)
    reason = f"it cannot be read: {told}"
    return reason if len(reason) <= _LONGEST_REASON else reason[: _LONGEST_REASON - 3] + "..."


def need(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module of an extra, or say which extra is missing and what for."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module.partition('.')[0]} ({error}); pip install 'tercet[{extra}]'"
        ) from error
