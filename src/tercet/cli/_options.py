"""What options on the command line may be."""

from __future__ import annotations

import argparse

DEFAULT_DATABASE = "sqlite:///tercet.db"


def names(text: str) -> list[str]:
    """Return names with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


def number(text: str) -> int:
    """Return a whole number of at least 0."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def count(text: str) -> int:
    """Return a whole number of at least 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)
