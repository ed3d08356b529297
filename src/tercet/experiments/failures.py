"""What is kept of a run that failed, so that the report can name it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Failure:
    """One run of one method that gave no results.

    Attributes
    ----------
    dataset, method : str
    run, seed : int
        Enough to run it again.
    error : str
        What went wrong, in one line or a whole traceback.
    """

    dataset: str
    method: str
    run: int
    seed: int
    error: str
