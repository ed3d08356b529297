"""Numbers that describe a picture: its colours, its texture, and the shapes in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tercet.media._errors import need
from tercet.media._images import read_image

if TYPE_CHECKING:
    from PIL.Image import Image

Row = NDArray[np.float32]

#: Counts up with every change of what is computed, so that nothing old is taken from a cache.
VERSION = 1
NEEDS = (("PIL", "images"), ("skimage", "images"))

_LONGEST = 128  # more pixels cost time and tell colours and texture no better
_SHAPE_SIDE = 48
_GRID = 3
_DIRECTIONS = 6
_GREYS = 16
_STEPS = (1, 4)
_PATTERNS = 10
# Eighths of the hue circle of CIELAB, from 0 degrees.
_HUES = ("red", "orange", "yellow", "green", "teal", "sky blue", "blue", "purple")
_COOCCURRENCE = ("contrast", "homogeneity", "energy", "correlation")

NAMES = (
    *(
        f"{axis}, {part}"
        for axis in ("lightness", "red-green", "yellow-blue")
        for part in ("mean", "spread", "skew")
    ),
    *(f"share of {hue}" for hue in _HUES),
    *(f"texture, pattern {number}" for number in range(_PATTERNS)),
    *(f"texture, {name} at {step} px" for name in _COOCCURRENCE for step in _STEPS),
    *(f"shape, moment {number}" for number in range(1, 8)),
    *(
        f"edges, {180 * direction // _DIRECTIONS} degrees, row {row}, column {column}"
        for row in range(1, _GRID + 1)
        for column in range(1, _GRID + 1)
        for direction in range(_DIRECTIONS)
    ),
)


def features(path: Path) -> Row:
    """Return the features of an image file, in the order of `NAMES`."""
    return describe(read_image(path, _LONGEST))


def describe(picture: Image) -> Row:
    """Return the features of a picture."""
    color = need("skimage.color", "images", "features of pictures")
    lab = color.rgb2lab(np.asarray(picture))
    grey = np.clip(np.rint(lab[..., 0] * 2.55), 0, 255).astype(np.uint8)
    row = np.concatenate([_moments(lab), _hues(lab), _texture(grey), _shape(picture, grey)])
    return row.astype(np.float32)


def _moments(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    values = lab.reshape(-1, 3)
    mean, spread = values.mean(axis=0), values.std(axis=0)
    # Where all pixels are alike, rounding would otherwise be taken for a skew.
    scale = np.where(spread > 1e-3, spread, np.inf)
    skew = (((values - mean) / scale) ** 3).mean(axis=0)
    return np.column_stack([mean, spread, skew]).ravel()


def _hues(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much of each hue there is, in units of chroma, so that greys count for nothing."""
    a, b = lab[..., 1].ravel(), lab[..., 2].ravel()
    turn = (np.arctan2(b, a) / (2 * np.pi)) % 1.0
    hue = np.minimum((turn * len(_HUES)).astype(np.int64), len(_HUES) - 1)
    return np.bincount(hue, weights=np.hypot(a, b), minlength=len(_HUES)) / a.size


def _texture(grey: NDArray[np.uint8]) -> NDArray[np.float64]:
    feature = need("skimage.feature", "images", "features of pictures")
    patterns = feature.local_binary_pattern(grey, P=_PATTERNS - 2, R=1, method="uniform").astype(np.int64)
    shares = np.bincount(patterns.ravel(), minlength=_PATTERNS) / grey.size
    angles = (0, np.pi / 4, np.pi / 2, 3 * np.pi / 4)
    together = feature.graycomatrix(
        grey // (256 // _GREYS), _STEPS, angles, _GREYS, symmetric=True, normed=True
    )
    found = [feature.graycoprops(together, name).mean(axis=1) for name in _COOCCURRENCE]
    return np.concatenate([shares, *found])


def _shape(picture: Image, grey: NDArray[np.uint8]) -> NDArray[np.float64]:
    measure = need("skimage.measure", "images", "features of pictures")
    feature = need("skimage.feature", "images", "features of pictures")
    # Deviations from the background, so that a dark thing on white and a light one on black are alike.
    background = np.median(np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]]))
    figure = np.abs(grey - background)
    hu = (
        measure.moments_hu(measure.moments_normalized(measure.moments_central(figure)))
        if figure.any()
        else np.zeros(7)
    )
    hu = np.nan_to_num(hu)
    logs = np.sign(hu) * np.log10(1 + np.abs(hu) * 1e6)
    small = np.asarray(picture.convert("L").resize((_SHAPE_SIDE, _SHAPE_SIDE)))
    cell = _SHAPE_SIDE // _GRID
    edges = feature.hog(small, _DIRECTIONS, (cell, cell), (_GRID, _GRID), block_norm="L2-Hys")
    return np.concatenate([logs, edges])
