"""Which files are images, sound, video and text, by the ends of their names, and what browsers show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from tercet.items import Kind


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    kind : "image", "audio", "video" or "text"
    content_type : str
        What the format is called in HTTP.
    in_browser : bool
        Whether browsers show or play it as it is.
    """

    kind: Kind
    content_type: str
    in_browser: bool = True


_MP3 = Format("audio", "audio/mpeg")
_JPEG = Format("image", "image/jpeg")
_TIFF = Format("image", "image/tiff", in_browser=False)
_AIFF = Format("audio", "audio/aiff", in_browser=False)
_TEXT = Format("text", "text/plain; charset=utf-8")

FORMATS = {
    ".png": Format("image", "image/png"),
    ".jpg": _JPEG,
    ".jpeg": _JPEG,
    ".gif": Format("image", "image/gif"),
    ".webp": Format("image", "image/webp"),
    ".bmp": Format("image", "image/bmp", in_browser=False),
    ".tif": _TIFF,
    ".tiff": _TIFF,
    ".ppm": Format("image", "image/x-portable-pixmap", in_browser=False),
    ".pgm": Format("image", "image/x-portable-graymap", in_browser=False),
    ".wav": Format("audio", "audio/wav"),
    ".flac": Format("audio", "audio/flac"),
    ".ogg": Format("audio", "audio/ogg"),
    ".opus": Format("audio", "audio/ogg"),
    ".mp3": _MP3,
    ".m4a": Format("audio", "audio/mp4"),
    ".aac": Format("audio", "audio/aac"),
    ".aif": _AIFF,
    ".aiff": _AIFF,
    ".au": Format("audio", "audio/basic", in_browser=False),
    ".caf": Format("audio", "audio/x-caf", in_browser=False),
    ".mp4": Format("video", "video/mp4"),
    ".m4v": Format("video", "video/mp4"),
    ".webm": Format("video", "video/webm"),
    ".mov": Format("video", "video/quicktime", in_browser=False),
    ".avi": Format("video", "video/x-msvideo", in_browser=False),
    ".mkv": Format("video", "video/x-matroska", in_browser=False),
    ".mpg": Format("video", "video/mpeg", in_browser=False),
    ".mpeg": Format("video", "video/mpeg", in_browser=False),
    ".txt": _TEXT,
    ".text": _TEXT,
    ".md": _TEXT,
    ".rst": _TEXT,
}


def format_of(name: str | PurePath) -> Format | None:
    """Return the format that a file's name tells, or None if Tercet reads no such files.

    >>> format_of("calls/owl.FLAC").kind
    'audio'
    """
    return FORMATS.get(PurePath(name).suffix.lower())
