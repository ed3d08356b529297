"""Colours that people can read: contrast of at least 4.5 (WCAG AA), in the light and the dark scheme."""

import re
from pathlib import Path

import pytest

import tercet.web

CSS = (Path(tercet.web.__file__).parent / "static" / "tercet.css").read_text()
PAIRS = [
    ("ink", "ground"),
    ("ink", "sheet"),
    ("soft", "ground"),
    ("soft", "sheet"),
    ("accent", "sheet"),
    ("accent", "accent-soft"),
    ("accent-ink", "accent"),
    ("bad", "bad-soft"),
    ("bad", "sheet"),
    ("bad", "frame"),
    ("good", "good-soft"),
    ("ink", "accent-soft"),
]


def colours(scheme):
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[:2]
    both = light + (dark if scheme == "dark" else "")
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", both))


def lightness(colour):
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_contrast(scheme, text, ground):
    found = colours(scheme)
    high, low = sorted((lightness(found[text]), lightness(found[ground])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5
