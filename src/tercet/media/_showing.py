"""What pages show of an item: a small picture, a spectrogram, its text, its file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tercet._validation import check_count
from tercet.items import Items, Media
from tercet.media._audio import read_audio, to_wav
from tercet.media._audio_features import RATE, resampled
from tercet.media._errors import UnreadableError, need, reason_of
from tercet.media._formats import format_of
from tercet.media._images import read_image, to_png
from tercet.media._texts import read_text
from tercet.media._video import read_frames, to_webm

if TYPE_CHECKING:
    from PIL.Image import Image

#: What a page shows of a text at most, in letters.
MOST_LETTERS = 20_000
_SPECTROGRAM_SIZE = (640, 200)
_SPECTROGRAM_SECONDS = 60.0
_CONVERTED_SECONDS = 600.0
_CONVERTED_SIDE = 4096
_RANGE = 65.0  # decibels from the darkest to the brightest
# From night through violet and orange to cream; lightness grows evenly, so that it also reads in grey.
_COLOURS = (
    (6, 6, 20),
    (28, 18, 68),
    (74, 22, 104),
    (126, 36, 110),
    (180, 54, 92),
    (226, 88, 62),
    (248, 146, 52),
    (252, 206, 110),
    (254, 252, 222),
)


def thumbnail(items: Items, index: int, size: int) -> bytes:
    """Return a small picture of an item as PNG: upright, with sides of at most ``size`` pixels.

    A video shows its middle, and sound its spectrogram. A text has none: `text_of` is what to show.
    """
    check_count("size", size)
    media = _media(items, index)
    if media.kind == "text":
        raise ValueError(f"{items.ids[index]!r} is text, which has no picture; show text_of(items, index)")
    if media.kind == "audio":
        pil = need("PIL.Image", "images", "drawing sounds")
        return to_png(_drawn(items, index).resize((size, size), pil.Resampling.LANCZOS))
    path, _ = media_file(items, index)
    with _decoding(items, index):
        return to_png(read_image(path, size) if media.kind == "image" else read_frames(path, 1, size)[0])


def spectrogram(items: Items, index: int) -> bytes:
    """Return a picture of a sound as PNG: time to the right, pitch upwards, louder is brighter.

    Its pitch is on the mel scale, as ears have it, up to 11 kHz. It shows the first minute of a longer sound.
    """
    if _media(items, index).kind != "audio":
        raise ValueError(f"{items.ids[index]!r} is no sound, so it has no spectrogram")
    pil = need("PIL.Image", "images", "drawing sounds")
    return to_png(_drawn(items, index).resize(_SPECTROGRAM_SIZE, pil.Resampling.BICUBIC))


def _drawn(items: Items, index: int) -> Image:
    """Return a sound's spectrogram with a pixel for each of its numbers."""
    path, _ = media_file(items, index)
    librosa = need("librosa", "audio", "drawing sounds")
    pil = need("PIL.Image", "images", "drawing sounds")
    with _decoding(items, index):
        sound = resampled(librosa, *read_audio(path, _SPECTROGRAM_SECONDS))
    hop = max(64, len(sound) // _SPECTROGRAM_SIZE[0])
    # A window that is longer than a step, so that nothing between two columns is missed.
    window = int(min(2 ** np.ceil(np.log2(max(1024, 2 * hop))), 8192))
    power = librosa.feature.melspectrogram(y=sound, sr=RATE, n_fft=window, hop_length=hop, n_mels=96)
    level = librosa.power_to_db(power, ref=np.max, top_db=_RANGE)
    # Silence is dark, not as bright as its loudest.
    shade = np.zeros_like(level) if power.max() < 1e-9 else 1 + level / _RANGE
    picture: Image = pil.fromarray(_colour(shade[::-1]))
    return picture


def text_of(items: Items, index: int, most_letters: int = MOST_LETTERS) -> str:
    """Return an item's text, or the beginning of a long one, as it was written: escape it in pages."""
    media = _media(items, index)
    if media.kind != "text":
        raise ValueError(f"{items.ids[index]!r} is no text but {media.kind}")
    if media.text is not None:
        text = media.text
    else:
        path, _ = media_file(items, index)
        with _decoding(items, index):
            text = read_text(path, 4 * most_letters)
    return text if len(text) <= most_letters else text[:most_letters] + " ..."


def media_file(items: Items, index: int) -> tuple[Path, str]:
    """Return an item's file and its content type; nothing outside of `Items.root` ever."""
    media = _media(items, index)
    if media.path is None or items.root is None:
        raise ValueError(f"{items.ids[index]!r} has no file")
    root = items.root.resolve()
    path = (root / media.path).resolve()
    form = format_of(media.path)
    # Checked each time, since a file may have become a link after it was loaded.
    if not path.is_relative_to(root) or form is None:
        raise PermissionError(f"the file of {items.ids[index]!r} is not in the folder of the items")
    if not path.is_file():
        raise FileNotFoundError(f"the file of {items.ids[index]!r} is gone; put it back to {path}")
    return path, form.content_type


def as_playable(items: Items, index: int) -> tuple[Path | bytes, str]:
    """Return what a browser can show or play of an item, and its content type.

    That is the item's file, or, where browsers do not know its format, the bytes of a converted one:
    pictures as PNG, sound as WAV with one channel (its first ten minutes), video as WebM without sound (its
    first minute).
    """
    path, content_type = media_file(items, index)
    form = format_of(_media(items, index).path or "")  # by its own name, also where that is a link
    if form is None or form.in_browser:
        return path, content_type
    with _decoding(items, index):
        if form.kind == "image":
            return to_png(read_image(path, _CONVERTED_SIDE)), "image/png"
        if form.kind == "audio":
            return to_wav(*read_audio(path, _CONVERTED_SECONDS)), "audio/wav"
        return to_webm(path), "video/webm"


@contextmanager
def _decoding(items: Items, index: int) -> Iterator[None]:
    """Say of which item it is that a file cannot be read, in one way for all that decoders raise."""
    try:
        yield
    except ImportError:
        raise
    except Exception as error:
        raise UnreadableError(f"{items.ids[index]!r} cannot be shown: {reason_of(error)}") from error


def _media(items: Items, index: int) -> Media:
    if not 0 <= index < len(items):
        raise IndexError(f"there is no item {index}; items are 0 to {len(items) - 1}")
    media = items.media[index]
    if media is None:
        raise ValueError(f"{items.ids[index]!r} has nothing to show but its id")
    return media


def _colour(shade: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the colour of each value from 0 to 1."""
    stops = np.linspace(0, 1, len(_COLOURS))
    channels = [np.interp(shade, stops, channel) for channel in np.array(_COLOURS, dtype=float).T]
    return np.stack(channels, axis=-1).round().astype(np.uint8)
