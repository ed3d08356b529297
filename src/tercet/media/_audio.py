"""Reading sound with soundfile, and with PyAV what that cannot read."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tercet.media._errors import UnreadableError, need

Samples = NDArray[np.float32]

#: Formats of phones, which libsndfile does not read.
_BY_AV = {".m4a", ".aac"}
_BLOCK = 65_536
_RATES = (1_000, 768_000)
_MOST_CHANNELS = 64


def read_audio(path: Path, seconds: float) -> tuple[Samples, int]:
    """Return the first so many seconds as one channel with values from -1 to 1, and the sampling rate."""
    blocks, rate = _av_blocks(path) if path.suffix.lower() in _BY_AV else _soundfile_blocks(path)
    wanted = int(seconds * rate)
    parts: list[Samples] = []
    count = 0
    for block in blocks:
        parts.append(block)
        count += len(block)
        if count >= wanted:
            break
    if not count:
        raise UnreadableError("it holds no sound")
    samples = np.nan_to_num(np.concatenate(parts)[:wanted], nan=0.0, posinf=1.0, neginf=-1.0)
    peak = float(np.abs(samples).max())
    return (samples / np.float32(peak) if peak > 1 else samples).astype(np.float32), rate


def to_wav(samples: Samples, rate: int) -> bytes:
    """Return sound as the bytes of a WAV file."""
    soundfile = need("soundfile", "audio", "writing sound")
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate, format="WAV", subtype="PCM_16")
    return stream.getvalue()


def _soundfile_blocks(path: Path) -> tuple[Iterator[Samples], int]:
    soundfile = need("soundfile", "audio", "reading sound")
    sound = soundfile.SoundFile(path)
    try:
        _check(sound.samplerate, sound.channels)
    except UnreadableError:
        sound.close()
        raise

    def blocks() -> Iterator[Samples]:
        with sound:
            while len(block := sound.read(_BLOCK, dtype="float32", always_2d=True)):
                yield _mono(block)

    return blocks(), sound.samplerate


def _av_blocks(path: Path) -> tuple[Iterator[Samples], int]:
    try:
        av = need("av", "video", f"reading sound in {path.suffix} files")
    except ImportError as error:
        raise UnreadableError(str(error)) from error
    with av.open(str(path)) as container:
        if not container.streams.audio:
            raise UnreadableError("it holds no sound")
        rate = container.streams.audio[0].rate
        _check(rate, container.streams.audio[0].channels)

    def blocks() -> Iterator[Samples]:
        with av.open(str(path)) as container:
            plain = av.AudioResampler(format="fltp", layout="mono", rate=rate)
            for frame in container.decode(audio=0):
                for part in plain.resample(frame):
                    yield part.to_ndarray()[0]

    return blocks(), rate


def _check(rate: int, channels: int) -> None:
    low, high = _RATES
    if not low <= rate <= high or not 1 <= channels <= _MOST_CHANNELS:
        raise UnreadableError(
            f"it claims {rate} samples a second in {channels} channels, and {low} to {high} in at most "
            f"{_MOST_CHANNELS} are read; is it damaged?"
        )


def _mono(block: Samples) -> Samples:
    with np.errstate(invalid="ignore", over="ignore"):  # samples may be infinite or no numbers at all
        mean: Samples = block.mean(axis=1)
    return mean
