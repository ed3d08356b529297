"""Numbers that describe a sound: its timbre, its spectrum, its pitch, and how it moves in time.

librosa computes them. Importing it takes seconds, since it brings numba, so it waits for the first sound.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.media._audio import Samples, read_audio
from tercet.media._errors import need

Floats = NDArray[np.float64]

#: Counts up with every change of what is computed, so that nothing old is taken from a cache.
VERSION = 1
NEEDS = (("soundfile", "audio"), ("librosa", "audio"))
#: Longer files are judged by their beginning.
SECONDS = 60.0
RATE = 22_050

_WINDOW = 1024
_HOP = 256  # 86 frames a second, which shows trills of up to 43 notes a second
_MELS = 64
_BANDS = 16
_CEPSTRUM = 13
_RANGE = 80.0  # decibels below the loudest that are looked at
_ACTIVE = 40.0  # decibels below the loudest frame at which a frame still counts as sound
_RHYTHMS = ((0.5, 2.0), (2.0, 6.0), (6.0, 14.0), (14.0, 43.0))
_SHAPES = ("centroid", "bandwidth", "rolloff", "flatness", "zero crossings")

NAMES = (
    *(
        f"timbre {number}, {part}"
        for part in ("mean", "spread", "movement")
        for number in range(1, _CEPSTRUM + 1)
    ),
    *(f"mel band {number}, {part}" for part in ("mean", "spread") for number in range(1, _BANDS + 1)),
    *(f"{shape}, {part}" for part in ("mean", "spread") for shape in _SHAPES),
    *(f"loudest frequency, {part}" for part in ("mean", "spread", "movement")),
    *(f"pitch, {part}" for part in ("median", "spread")),
    *(f"rhythm of {low:g} to {high:g} a second" for low, high in _RHYTHMS),
    "onsets a second",
    "level, mean",
    "level, spread",
    "share of time with sound",
    "duration",
)


def features(path: Path) -> NDArray[np.float32]:
    """Return the features of a sound file, in the order of `NAMES`."""
    return describe(*read_audio(path, SECONDS))


def describe(samples: Samples, rate: int) -> NDArray[np.float32]:
    """Return the features of a sound."""
    librosa = need("librosa", "audio", "features of sounds")
    sound = resampled(librosa, samples, rate)
    magnitude = np.abs(librosa.stft(sound, n_fft=_WINDOW, hop_length=_HOP))
    power = librosa.feature.melspectrogram(S=magnitude**2, sr=RATE, n_mels=_MELS)
    mel = librosa.power_to_db(power, ref=np.max, top_db=_RANGE)
    level = librosa.power_to_db(power.sum(axis=0), ref=1.0, top_db=None)
    active = level >= level.max() - _ACTIVE
    row = np.concatenate(
        [
            _timbre(librosa, mel, active),
            _spectrum(librosa, sound, magnitude, mel, active),
            _pitch(librosa, sound, magnitude, active),
            _rhythm(librosa, mel, level),
            [level[active].mean(), level[active].std(), active.mean(), np.log2(len(samples) / rate)],
        ]
    )
    return row.astype(np.float32)


def resampled(librosa: Any, samples: Samples, rate: int) -> Samples:
    """Return the sound at `RATE` samples a second, and with silence behind it if it is very short."""
    sound: Samples = samples if rate == RATE else librosa.resample(samples, orig_sr=rate, target_sr=RATE)
    return np.pad(sound, (0, max(0, 4 * _WINDOW - len(sound))))


def _timbre(librosa: Any, mel: Floats, active: NDArray[np.bool_]) -> Floats:
    cepstrum = librosa.feature.mfcc(S=mel, n_mfcc=_CEPSTRUM)
    heard = cepstrum[:, active]
    return np.concatenate([heard.mean(axis=1), heard.std(axis=1), _movement(cepstrum, active)])


def _spectrum(
    librosa: Any, sound: Samples, magnitude: Floats, mel: Floats, active: NDArray[np.bool_]
) -> Floats:
    bands = mel.reshape(_BANDS, _MELS // _BANDS, -1).mean(axis=1)[:, active]
    shapes = np.concatenate(
        [
            librosa.feature.spectral_centroid(S=magnitude, sr=RATE) / 1000,
            librosa.feature.spectral_bandwidth(S=magnitude, sr=RATE) / 1000,
            librosa.feature.spectral_rolloff(S=magnitude, sr=RATE) / 1000,
            librosa.feature.spectral_flatness(S=magnitude),
            librosa.feature.zero_crossing_rate(sound, frame_length=_WINDOW, hop_length=_HOP),
        ]
    )[:, active]
    return np.concatenate([bands.mean(axis=1), bands.std(axis=1), shapes.mean(axis=1), shapes.std(axis=1)])


def _pitch(librosa: Any, sound: Samples, magnitude: Floats, active: NDArray[np.bool_]) -> Floats:
    # In octaves, as ears hear; the lowest bin is a constant offset of the sound.
    loudest = np.log2(1 + magnitude[1:].argmax(axis=0))
    pitch = np.log2(librosa.yin(sound, fmin=80, fmax=RATE * 0.4, sr=RATE, hop_length=_HOP))[: len(active)][
        active
    ]
    spread = np.percentile(pitch, 75) - np.percentile(pitch, 25)
    moves = _movement(loudest[None], active)
    return np.array([loudest[active].mean(), loudest[active].std(), moves[0], np.median(pitch), spread])


def _rhythm(librosa: Any, mel: Floats, level: Floats) -> Floats:
    """Return how much of the ups and downs of loudness is at each rate, and how often something begins."""
    loudness = np.maximum(level, level.max() - _ACTIVE)
    waves = np.abs(np.fft.rfft(loudness - loudness.mean())) ** 2
    rates = np.fft.rfftfreq(len(loudness), _HOP / RATE)
    total = waves.sum()
    shares = [
        waves[(rates >= low) & (rates < high)].sum() / total if total > 0 else 0.0 for low, high in _RHYTHMS
    ]
    # Where a sound ends, faint traces all over the spectrum would be taken for another beginning.
    rises = librosa.onset.onset_strength(S=np.maximum(mel, -_ACTIVE), sr=RATE)
    onsets = librosa.onset.onset_detect(onset_envelope=rises, sr=RATE, hop_length=_HOP)
    return np.array([*shares, len(onsets) * RATE / (_HOP * len(level))])


def _movement(values: Floats, active: NDArray[np.bool_]) -> Floats:
    """Return the mean step from a frame with sound to the next one with sound."""
    both = active[1:] & active[:-1]
    steps = np.abs(np.diff(values, axis=1))[:, both]
    return steps.mean(axis=1) if both.any() else np.zeros(len(values))
