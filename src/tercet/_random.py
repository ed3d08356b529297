"""Random numbers by purpose and question number, all from one ``random_state``.

A stream depends only on the seed, a purpose and numbers such as the question's, never on what was drawn
before. So a run is the same on one core or many, after an undo, and after a restart.
"""

from __future__ import annotations

import zlib
from numbers import Integral

import numpy as np

RandomState = int | np.random.Generator | np.random.RandomState | None


class Seeds:
    """Named streams of one seed.

    >>> seeds = Seeds(0)
    >>> seeds.integer("pool") == Seeds(0).integer("pool") != seeds.integer("ties", 3)
    True
    """

    def __init__(self, random_state: RandomState = None) -> None:
        if random_state is None:
            self.entropy = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        elif isinstance(random_state, np.random.Generator):
            self.entropy = int(random_state.integers(2**63))
        elif isinstance(random_state, np.random.RandomState):
            self.entropy = int(random_state.randint(2**31 - 1))
        elif isinstance(random_state, Integral) and not isinstance(random_state, bool) and random_state >= 0:
            self.entropy = int(random_state)
        else:
            raise ValueError(
                f"random_state must be None, a whole number of at least 0, a numpy Generator or a "
                f"RandomState, not {random_state!r}"
            )

    def generator(self, purpose: str, *numbers: int) -> np.random.Generator:
        """Return a new generator for this purpose and these numbers."""
        key = (zlib.crc32(purpose.encode()), *numbers)
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))

    def integer(self, purpose: str, *numbers: int) -> int:
        """Return a seed that scikit-learn takes as ``random_state``."""
        return int(self.generator(purpose, *numbers).integers(2**31 - 1))
