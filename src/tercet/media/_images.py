"""Reading pictures with Pillow."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tercet.media._errors import UnreadableError, need

if TYPE_CHECKING:
    from PIL.Image import Image

#: What is decoded at most. A few bytes can claim to be a picture that fills all memory.
MOST_PIXELS = 150_000_000
#: What Pillow may try: its other readers are rarely used, and some start other programs.
PILLOW_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "PPM")


def read_image(path: Path, longest: int) -> Image:
    """Return a picture as RGB, turned upright, with sides of at most so many pixels."""
    with path.open("rb") as stream:
        return decode_image(stream, longest)


def decode_image(stream: BinaryIO | io.BytesIO, longest: int) -> Image:
    """Return the first picture in this file as RGB, upright, on white where it is transparent."""
    pil = need("PIL.Image", "images", "reading pictures")
    ops = need("PIL.ImageOps", "images", "reading pictures")
    with pil.open(stream, formats=PILLOW_FORMATS) as picture:
        width, height = picture.size
        if width * height > MOST_PIXELS:
            raise UnreadableError(
                f"it is {width} x {height} pixels, and at most {MOST_PIXELS // 10**6} million are read; "
                "make it smaller"
            )
        picture.draft("RGB", (longest, longest))  # JPEG files can be decoded at a fraction of their size
        picture.load()
        upright = ops.exif_transpose(picture)
        upright = _as_rgb(upright)
    upright.thumbnail((longest, longest), pil.Resampling.LANCZOS)
    rgb: Image = upright
    return rgb


def to_png(picture: Image) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    stream = io.BytesIO()
    # The usual level 6 takes ten times as long, most of the time that a spectrogram takes.
    picture.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def _as_rgb(picture: Image) -> Image:
    from PIL import Image

    if picture.mode in ("I", "F", "I;16", "I;16B", "I;16L"):
        return _stretched(picture)
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    return picture.convert("RGB")


def _stretched(picture: Image) -> Image:
    """Return a picture of 16 or more bits a pixel, as cameras in science make them, from black to white."""
    import numpy as np
    from PIL import Image

    values = np.nan_to_num(np.asarray(picture, dtype=np.float64))
    low, high = float(values.min()), float(values.max())
    scaled = (values - low) * (255.0 / (high - low)) if high > low else np.zeros_like(values)
    return Image.fromarray(scaled.astype(np.uint8)).convert("RGB")
