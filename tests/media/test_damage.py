"""Whatever bytes a file holds, loading goes on without it."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.media import load_items
from tercet.media._extracting import _features_or_reason

DAMAGE = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=12)


def damaged(data, flips, keep):
    data = bytearray(data[: max(1, int(len(data) * keep))])
    for place, value in flips:
        data[int(place * len(data))] = value
    return bytes(data)


@pytest.fixture(scope="module")
def originals(tmp_path_factory, make_image, make_sound, make_video):
    root = tmp_path_factory.mktemp("originals")
    for name in ("x.png", "x.jpg", "x.gif", "x.webp", "x.tif", "x.bmp"):
        make_image(root / name)
    for name in ("x.wav", "x.flac", "x.ogg", "x.aiff"):
        make_sound(root / name, seconds=0.1)
    make_video(root / "x.mp4", n_frames=4)
    make_video(root / "x.avi", n_frames=4)
    return {path.name: path.read_bytes() for path in root.iterdir()}


@pytest.mark.parametrize(
    ("kind", "names", "examples"),
    [
        ("image", ["x.png", "x.jpg", "x.gif", "x.webp", "x.tif", "x.bmp"], 60),
        ("audio", ["x.wav", "x.flac", "x.ogg", "x.aiff"], 40),
        ("video", ["x.mp4", "x.avi"], 20),
    ],
)
def test_damaged_files(originals, tmp_path, kind, names, examples):
    @settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow])
    @given(name=st.sampled_from(names), flips=DAMAGE, keep=st.floats(0, 1))
    def check(name, flips, keep):
        path = tmp_path / name
        path.write_bytes(damaged(originals[name], flips, keep))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # decoders warn of damage, and then go on
            result = _features_or_reason(kind, path)
        if isinstance(result, str):
            assert 0 < len(result) <= 300
            assert "\n" not in result
            assert str(tmp_path) not in result
        else:
            assert np.isfinite(result).all()

    check()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents=st.lists(st.binary(min_size=1, max_size=40), min_size=2, max_size=5))
def test_texts_of_any_bytes(tmp_path_factory, contents):
    folder = tmp_path_factory.mktemp("texts")
    for number, content in enumerate([*contents, b"some words", b"more words", b"few words"]):
        (folder / f"{number}.txt").write_bytes(content)
    items = load_items(folder)
    assert len(items) + len(items.left_out) == len(contents) + 3
    assert np.isfinite(items.features).all()


@pytest.mark.parametrize(("kind", "name"), [("audio", "x.wav"), ("video", "x.mp4"), ("image", "x.png")])
def test_reasons_name_no_folder(tmp_path, kind, name):
    (tmp_path / name).write_bytes(b"RIFF....WAVE and nothing else")
    reason = _features_or_reason(kind, tmp_path / name)
    assert reason.startswith("it cannot be read: ")
    assert str(tmp_path) not in reason
    assert "Errno" not in reason
