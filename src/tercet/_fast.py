"""Compiled kernels, which are used by themselves where numba (the extra ``fast``) works."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from functools import cache
from types import ModuleType


@cache
def kernels(module: str) -> ModuleType | None:
    """Return a module that needs numba, or None where numba is missing or does not work."""
    if importlib.util.find_spec("numba") is None:
        return None
    try:
        return importlib.import_module(module)
    except (ImportError, RuntimeError) as error:  # made for another numpy, or no folder to cache in
        warnings.warn(
            f"numba is installed but does not work ({error}); going on without it, more slowly", stacklevel=2
        )
        return None
