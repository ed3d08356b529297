"""Frames of videos, by PyAV."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.media._errors import UnreadableError, need
from tercet.media._images import MOST_PIXELS

if TYPE_CHECKING:
    from PIL.Image import Image

#: Longer videos are judged by their beginning.
SECONDS = 300.0
#: What is converted for browsers that cannot play a format.
CONVERTED_SECONDS = 60.0
_CONVERTED_SIDE = 640
# Where a file does not tell how long it is, every so many-th frame is taken.
_STRIDE = 25


def read_frames(path: Path, count: int, longest: int) -> list[Image]:
    """Return so many frames, evenly spaced in time, with sides of at most so many pixels."""
    av = need("av", "video", "reading videos")
    frames: list[Image] = []
    with av.open(str(path)) as container:
        stream = _video_stream(container)
        try:
            for frame in _spaced(av, container, stream, count):
                frames.append(frame.to_image(**_within(frame.width, frame.height, longest)))
        except av.error.FFmpegError:
            if not frames:  # the beginning of a damaged video is worth more than nothing
                raise
    if not frames:
        raise UnreadableError("it holds no pictures")
    return frames


def to_webm(path: Path) -> bytes:
    """Return the pictures of a video, without sound, in a format that browsers play."""
    av = need("av", "video", "converting videos")
    result = io.BytesIO()
    with av.open(str(path)) as container, av.open(result, "w", format="webm") as out:
        stream = _video_stream(container)
        rate = int(min(60, max(1, round(float(stream.average_rate or 25)))))
        target = None
        for number, frame in enumerate(container.decode(stream)):
            if number >= CONVERTED_SECONDS * rate:
                break
            size = _within(frame.width, frame.height, _CONVERTED_SIDE)
            if target is None:
                target = out.add_stream(
                    "libvpx", rate=rate, options={"deadline": "realtime", "cpu-used": "8"}
                )
                target.width, target.height, target.pix_fmt = size["width"], size["height"], "yuv420p"
            plain = frame.reformat(width=target.width, height=target.height, format="yuv420p")
            plain.pts = None
            out.mux(target.encode(plain))
        if target is None:
            raise UnreadableError("it holds no pictures")
        out.mux(target.encode(None))
    return result.getvalue()


def _video_stream(container: Any) -> Any:
    if not container.streams.video:
        raise UnreadableError("it holds no pictures")
    stream = container.streams.video[0]
    if stream.width * stream.height > MOST_PIXELS:
        raise UnreadableError(f"it claims {stream.width} x {stream.height} pixels; is it damaged?")
    return stream


def _spaced(av: Any, container: Any, stream: Any, count: int) -> Iterator[Any]:
    seconds = float(container.duration / av.time_base) if container.duration else 0.0
    if not 0 < seconds < 10**6:
        for number, frame in enumerate(container.decode(stream)):
            if number % _STRIDE == 0:
                yield frame
            if number >= _STRIDE * count:
                return
        return
    start = float((stream.start_time or 0) * stream.time_base)
    for number in range(count):
        wanted = start + (number + 0.5) / count * min(seconds, SECONDS)
        container.seek(int(wanted / stream.time_base), stream=stream)
        last = None
        for frame in container.decode(stream):
            last = frame
            if frame.time is None or frame.time >= wanted:
                break
        if last is not None:
            yield last


def _within(width: int, height: int, longest: int) -> dict[str, int]:
    scale = min(1.0, longest / max(width, height, 1))
    # Even numbers, since video formats keep colours at half the size.
    return {"width": max(2, round(width * scale / 2) * 2), "height": max(2, round(height * scale / 2) * 2)}
