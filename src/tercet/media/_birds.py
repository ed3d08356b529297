"""Synthetic calls of five species of birds, told apart by how they sing, not by pitch or loudness."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Wave = NDArray[np.float64]

RATE = 22_050
SECONDS = 2.0
CALLS = 24


def whistle(rng: np.random.Generator, pitch: float, tempo: float) -> Wave:
    """Sing two long, nearly level notes, the second one lower."""
    drop = rng.uniform(0.72, 0.84)
    first = _note(_glide(pitch, pitch * rng.uniform(0.98, 1.02), 0.42 / tempo), overtones=0.05)
    second = _note(_glide(pitch * drop, pitch * drop * rng.uniform(0.95, 1.0), 0.5 / tempo), overtones=0.05)
    return np.concatenate([first, _rest(0.08 / tempo), second])


def trill(rng: np.random.Generator, pitch: float, tempo: float) -> Wave:
    """Sing many short, equal, falling notes, close to each other."""
    parts: list[Wave] = []
    for _ in range(rng.integers(14, 20)):
        parts += [_note(_glide(pitch * 1.15, pitch * 0.9, 0.035 / tempo), overtones=0.1), _rest(0.02 / tempo)]
    return np.concatenate(parts)


def chirps(rng: np.random.Generator, pitch: float, tempo: float) -> Wave:
    """Rise by an octave, quickly and a few times, with pauses between."""
    parts: list[Wave] = []
    for _ in range(rng.integers(4, 6)):
        rise = _glide(pitch * 0.7, pitch * 1.4 * rng.uniform(0.95, 1.05), 0.09 / tempo)
        parts += [_note(rise, overtones=0.1), _rest(0.16 / tempo)]
    return np.concatenate(parts)


def buzz(rng: np.random.Generator, pitch: float, tempo: float) -> Wave:
    """Sing two harsh notes: a tone with many overtones, and noise, both in quick pulses."""
    parts: list[Wave] = []
    for _ in range(2):
        length = 0.34 / tempo
        time = np.arange(int(length * RATE)) / RATE
        pulses = 0.5 + 0.5 * np.sin(2 * np.pi * rng.uniform(70, 90) * time)
        tone = _note(_glide(pitch, pitch * 0.94, length), overtones=0.7)
        parts += [tone * pulses + 0.25 * _fade(rng.standard_normal(len(time)) * pulses), _rest(0.1 / tempo)]
    return np.concatenate(parts)


def warble(rng: np.random.Generator, pitch: float, tempo: float) -> Wave:
    """Sing one long note whose pitch goes up and down."""
    time = np.arange(int(1.1 / tempo * RATE)) / RATE
    swing = np.sin(2 * np.pi * rng.uniform(6.5, 8.5) * tempo * time + rng.uniform(0, 2 * np.pi))
    return _note(pitch * 2 ** (0.35 * swing), overtones=0.15)


SPECIES: dict[str, Callable[[np.random.Generator, float, float], Wave]] = {
    "whistler": whistle,
    "triller": trill,
    "chirper": chirps,
    "buzzer": buzz,
    "warbler": warble,
}


def call(species: str, rng: np.random.Generator) -> Wave:
    """Return one call of a species, somewhere in two seconds of a noisy recording."""
    pitch = 3000.0 * 2 ** rng.uniform(-0.45, 0.45)
    song = SPECIES[species](rng, pitch, rng.uniform(0.85, 1.25))
    n_samples = int(SECONDS * RATE)
    song = song[:n_samples] * rng.uniform(0.35, 0.9) / np.abs(song).max()
    start = rng.integers(0, n_samples - len(song) + 1)
    recording = _wind(rng, n_samples) * rng.uniform(0.002, 0.02)
    recording[start : start + len(song)] += song
    return recording / max(1.0, float(np.abs(recording).max()))


def _glide(start: float, end: float, seconds: float) -> Wave:
    return np.geomspace(start, end, max(2, int(seconds * RATE)))


def _note(pitch: Wave, overtones: float) -> Wave:
    """Return a tone that follows a pitch, with overtones of falling strength below half the sampling rate."""
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    tone = np.sin(phase)
    for number in (2, 3, 4):
        tone += np.where(number * pitch < RATE / 2, overtones ** (number - 1) * np.sin(number * phase), 0.0)
    return _fade(tone)


def _fade(tone: Wave) -> Wave:
    """Return a tone that begins and ends softly, without a click."""
    edge = max(1, min(len(tone) // 4, int(0.02 * RATE)))
    ramp = np.sin(np.linspace(0, np.pi / 2, edge)) ** 2
    tone = tone.copy()
    tone[:edge] *= ramp
    tone[-edge:] *= ramp[::-1]
    return tone


def _rest(seconds: float) -> Wave:
    return np.zeros(int(seconds * RATE))


def _wind(rng: np.random.Generator, n_samples: int) -> Wave:
    """Return noise that is stronger in the depth, as outdoors."""
    spectrum = np.fft.rfft(rng.standard_normal(n_samples))
    noise = np.fft.irfft(spectrum / np.sqrt(1 + np.fft.rfftfreq(n_samples, 1 / RATE) / 200), n_samples)
    wind: Wave = noise / noise.std()
    return wind
