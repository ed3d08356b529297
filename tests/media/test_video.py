import numpy as np
import pytest

from tercet.media import load_items
from tercet.media._video import read_frames

pytest.importorskip("av", reason="needs the extra 'video'")


def test_a_folder_of_videos(folder, make_video):
    make_video(folder / "blue.mp4", (30, 30, 200))
    make_video(folder / "moving.mp4", (30, 30, 200), moving=True)
    make_video(folder / "red.avi", (200, 30, 30))
    whole = make_video(folder / "whole.mkv", (30, 200, 30)).read_bytes()
    (folder / "cut.mp4").write_bytes((folder / "blue.mp4").read_bytes()[:200])
    (folder / "text.mp4").write_bytes(b"no video")
    (folder / "cut.mkv").write_bytes(whole[: len(whole) * 2 // 3])
    items = load_items(folder)
    assert set(items.ids) - {"cut.mkv"} == {"blue.mp4", "moving.mp4", "red.avi", "whole.mkv"}
    assert {name for name, _ in items.left_out} - {"cut.mkv"} == {"cut.mp4", "text.mp4"}
    assert np.isfinite(items.features).all()
    value = {
        name: dict(zip(items.ids, items.features[:, column].tolist(), strict=True))
        for column, name in enumerate(items.feature_names)
    }
    assert value["yellow-blue, mean"]["blue.mp4"] < -20
    assert value["red-green, mean"]["red.avi"] > 20
    change = value["change from frame to frame, mean"]
    assert change["moving.mp4"] > 3 > change["blue.mp4"]


def test_frames_are_spread_over_the_time(folder, make_video):
    frames = read_frames(make_video(folder / "x.mp4", (0, 0, 0), moving=True), 4, 32)
    assert [frame.size for frame in frames] == [(32, 24)] * 4
    places = [int(np.asarray(frame.convert("L")).sum(axis=0).argmax()) for frame in frames]
    assert places == sorted(places)
    assert places[-1] - places[0] > 15


def test_a_sound_named_as_a_video(folder, make_sound):
    path = make_sound(folder / "x.wav").rename(folder / "x.mp4")
    with pytest.raises(ValueError, match="it holds no pictures"):
        read_frames(path, 1, 32)
