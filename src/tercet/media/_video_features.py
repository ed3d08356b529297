"""Numbers that describe a video: what its frames look like on average, and how much moves."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tercet.media import _image_features
from tercet.media._video import read_frames

#: Counts up with every change of what is computed, so that nothing old is taken from a cache.
VERSION = _image_features.VERSION * 100 + 1
NEEDS = (("av", "video"), *_image_features.NEEDS)
NAMES = (*_image_features.NAMES, "change from frame to frame, mean", "change from frame to frame, spread")

_FRAMES = 12
_LONGEST = 128
_MOTION_SIDE = 32


def features(path: Path) -> NDArray[np.float32]:
    """Return the features of a video file, in the order of `NAMES`."""
    frames = read_frames(path, _FRAMES, _LONGEST)
    looks = np.mean([_image_features.describe(frame) for frame in frames], axis=0)
    small = [
        np.asarray(frame.convert("L").resize((_MOTION_SIDE, _MOTION_SIDE)), dtype=float) for frame in frames
    ]
    changes = [np.abs(after - before).mean() for before, after in pairwise(small)] or [0.0]
    return np.concatenate([looks, [np.mean(changes), np.std(changes)]]).astype(np.float32)
