"""Features that were computed before, kept in a file for each collection."""

from __future__ import annotations

import hashlib
import io
import os
import warnings
import zipfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tercet._files import cache_folder, write_whole

#: Size and time of last change in nanoseconds: a file with other ones is read again.
Stamp = tuple[int, int]


def stamp_of(path: Path) -> Stamp:
    """Return what changes when a file does."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


class FeatureCache:
    """The features of one collection's files, by name.

    Parameters
    ----------
    folder : path, optional
        Where to keep it; by default in the user's cache folder.
    root : Path
        The collection's folder.
    extractor : str
        What computes the features, with its version.
    """

    def __init__(self, folder: str | PathLike[str] | None, root: Path, extractor: str) -> None:
        place = cache_folder() / "features" if folder is None else Path(folder).expanduser()
        digest = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:24]
        self.file = place / f"{digest}-{extractor}.npz"

    def load(self, n_features: int) -> tuple[dict[str, tuple[Stamp, int]], NDArray[np.float32]]:
        """Return the stamp and row of each name, and the rows; none without a file, or with a damaged one."""
        empty = np.empty((0, n_features), dtype=np.float32)
        try:
            # Opened here, since numpy leaves a damaged file open.
            with self.file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
                names = arrays["names"].tobytes().decode().split("\0")
                stamps, rows = arrays["stamps"], arrays["rows"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return {}, empty
        if rows.shape != (len(names), n_features) or stamps.shape != (len(names), 2):
            return {}, empty
        return {
            name: ((size, time), row)
            for row, (name, (size, time)) in enumerate(zip(names, stamps.tolist(), strict=True))
        }, rows

    def save(self, names: Sequence[str], stamps: Sequence[Stamp], rows: NDArray[np.float32]) -> None:
        """Keep these features in place of what was kept before."""
        stream = io.BytesIO()
        blob = np.frombuffer("\0".join(names).encode(), dtype=np.uint8)
        np.savez(stream, names=blob, stamps=np.array(stamps, dtype=np.int64), rows=rows)
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.file, stream.getvalue())
        except OSError as error:
            # The features are here; that they must be computed again next time is no reason to stop.
            warnings.warn(
                f"the features could not be kept for the next start: {error}; name a folder that can be "
                "written to with TERCET_CACHE",
                stacklevel=2,
            )
