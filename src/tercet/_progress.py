"""A progress bar around a loop, where somebody wants one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast


def with_progress(steps: Iterable[int], unit: str) -> Iterable[int]:
    """Return the same steps, shown as they are taken."""
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("a progress bar needs tqdm: pip install 'tercet[experiments]'") from error
    return cast(Iterable[int], tqdm(steps, unit=unit))
