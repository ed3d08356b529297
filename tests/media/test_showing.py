import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tercet.items import Items, Media
from tercet.media import UnreadableError, as_playable, media_file, spectrogram, text_of, thumbnail


def items_of(root, *names, kind="image"):
    names = [Path(name).as_posix() for name in names]
    return Items(names, np.zeros((len(names), 1)), ["x"], [Media(kind, Path(name)) for name in names], root)


def opened(data):
    return Image.open(io.BytesIO(data))


def test_thumbnails_are_small_and_keep_their_shape(folder, make_image):
    make_image(folder / "wide.jpg", size=(400, 100))
    make_image(folder / "tiny.png", size=(8, 8))
    items = items_of(folder, "wide.jpg", "tiny.png")
    picture = opened(thumbnail(items, 0, 100))
    assert (picture.format, picture.size) == ("PNG", (100, 25))
    assert opened(thumbnail(items, 1, 100)).size == (8, 8)


def test_thumbnails_are_upright(folder):
    picture = Image.new("RGB", (40, 20), "white")
    picture.paste("red", (0, 0, 20, 20))  # the left half
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees clockwise
    picture.save(folder / "x.png", exif=exif)
    upright = opened(thumbnail(items_of(folder, "x.png"), 0, 100))
    assert upright.size == (20, 40)
    assert upright.getpixel((10, 5)) == (255, 0, 0)
    assert upright.getpixel((10, 35)) == (255, 255, 255)


def test_transparent_and_deep_pictures(folder):
    Image.new("RGBA", (4, 4), (255, 0, 0, 0)).save(folder / "clear.png")
    Image.fromarray(np.array([[0, 30_000], [60_000, 60_000]], dtype=np.uint16)).save(folder / "deep.png")
    items = items_of(folder, "clear.png", "deep.png")
    assert opened(thumbnail(items, 0, 10)).getpixel((0, 0)) == (255, 255, 255)
    deep = opened(thumbnail(items, 1, 10)).convert("L")
    assert [deep.getpixel(place) for place in [(0, 0), (1, 0), (0, 1)]] == [0, 127, 255]


def test_spectrograms_show_pitch_upwards_and_time_to_the_right(folder, make_sound):
    pytest.importorskip("librosa", reason="needs the extra 'audio'")
    time = np.arange(22_050) / 22_050
    rising = 0.5 * np.sin(2 * np.pi * (500 * time + 1500 * time**2))
    make_sound(folder / "x.wav", samples=rising)
    make_sound(folder / "silence.wav", samples=np.zeros(100))
    items = items_of(folder, "x.wav", "silence.wav", kind="audio")
    picture = opened(spectrogram(items, 0))
    assert picture.format == "PNG"
    rows = np.asarray(picture.convert("L")).argmax(axis=0)
    width = picture.width
    assert rows[width // 8] > rows[width // 2] > rows[7 * width // 8]
    assert np.asarray(opened(spectrogram(items, 1))).max() < 30
    assert opened(thumbnail(items, 0, 64)).size == (64, 64)


def test_what_browsers_know_stays_as_it_is(folder, make_image, make_sound):
    make_image(folder / "a.jpg")
    make_sound(folder / "b.wav")
    assert as_playable(items_of(folder, "a.jpg"), 0) == (folder / "a.jpg", "image/jpeg")
    assert as_playable(items_of(folder, "b.wav", kind="audio"), 0) == (folder / "b.wav", "audio/wav")


@pytest.mark.parametrize("name", ["x.bmp", "x.tiff", "x.ppm"])
def test_other_pictures_become_png(folder, make_image, name):
    make_image(folder / name)
    data, content_type = as_playable(items_of(folder, name), 0)
    assert content_type == "image/png"
    np.testing.assert_array_equal(np.asarray(opened(data)), np.asarray(Image.open(folder / name)))


@pytest.mark.parametrize("name", ["x.aiff", "x.au", "x.caf"])
def test_other_sounds_become_wav(folder, make_sound, name):
    import soundfile

    make_sound(folder / name, channels=2)
    data, content_type = as_playable(items_of(folder, name, kind="audio"), 0)
    assert content_type == "audio/wav"
    samples, rate = soundfile.read(io.BytesIO(data))
    assert (samples.shape, rate) == ((int(0.3 * 22_050),), 22_050)
    np.testing.assert_allclose(samples, soundfile.read(folder / name)[0][:, 0], atol=1e-3)


def test_other_videos_become_webm(folder, make_video):
    import av

    make_video(folder / "x.avi", n_frames=12)
    items = items_of(folder, "x.avi", kind="video")
    data, content_type = as_playable(items, 0)
    assert content_type == "video/webm"
    with av.open(io.BytesIO(data)) as container:
        frames = list(container.decode(video=0))
    assert len(frames) == 12
    red, _, blue = frames[5].to_ndarray(format="rgb24")[20, 20]
    assert red > 150 > 100 > blue
    assert opened(thumbnail(items, 0, 32)).size == (32, 24)


def test_nothing_outside_of_the_folder_is_served(folder, make_image, tmp_path):
    secret = make_image(tmp_path / "secret.png")
    make_image(folder / "x.png")
    items = items_of(folder, "../secret.png", "x.png", str(secret))
    for index in (0, 2):
        with pytest.raises(PermissionError, match="not in the folder"):
            media_file(items, index)
    assert media_file(items, 1) == (folder / "x.png", "image/png")
    (folder / "x.png").unlink()
    with pytest.raises(FileNotFoundError, match=r"the file of 'x.png' is gone; put it back"):
        as_playable(items, 1)
    (folder / "x.png").symlink_to(secret)  # after it was loaded
    with pytest.raises(PermissionError, match="not in the folder"):
        thumbnail(items, 1, 10)


def test_texts(folder):
    (folder / "x.txt").write_text("<b>Grüße</b> " + "ü" * 50_000, encoding="utf-8")
    items = items_of(folder, "x.txt", kind="text")
    assert text_of(items, 0, 15) == "<b>Grüße</b> üü ..."
    assert len(text_of(items, 0)) == 20_004
    items = replace(items, media=[Media("text", text="short")])
    assert text_of(items, 0) == "short"


def test_what_cannot_be_shown(folder, make_image):
    make_image(folder / "x.png")
    items = replace(
        items_of(folder, "x.png", "t", "n"),
        media=[Media("image", Path("x.png")), Media("text", text="t"), None],
    )
    with pytest.raises(ValueError, match=r"'x.png' is no text but image"):
        text_of(items, 0)
    with pytest.raises(ValueError, match=r"'x.png' is no sound"):
        spectrogram(items, 0)
    with pytest.raises(ValueError, match="'t' is text, which has no picture"):
        thumbnail(items, 1, 10)
    with pytest.raises(ValueError, match="'t' has no file"):
        media_file(items, 1)
    with pytest.raises(ValueError, match="'n' has nothing to show but its id"):
        thumbnail(items, 2, 10)
    with pytest.raises(IndexError, match="there is no item 3; items are 0 to 2"):
        media_file(items, 3)
    with pytest.raises(IndexError, match="no item -1"):
        media_file(items, -1)
    with pytest.raises(ValueError, match="size must be a whole number of at least 1, not 0"):
        thumbnail(items, 0, 0)


@pytest.mark.parametrize("name", ["x.png", "x.wav", "x.mp4", "x.bmp", "x.aiff", "x.avi", "x.txt"])
def test_a_file_that_was_damaged_since(folder, name):
    pytest.importorskip("librosa", reason="needs the extra 'audio'")
    pytest.importorskip("av", reason="needs the extra 'video'")
    (folder / name).write_bytes(b"\0 broken")
    kind = {".png": "image", ".bmp": "image", ".wav": "audio", ".aiff": "audio", ".txt": "text"}
    items = items_of(folder, name, kind=kind.get(name[1:], "video"))
    calls = [lambda: text_of(items, 0)] if name == "x.txt" else [lambda: thumbnail(items, 0, 10)]
    calls += [lambda: as_playable(items, 0)] if name in ("x.bmp", "x.aiff", "x.avi") else []
    for call in calls:
        with pytest.raises(UnreadableError, match=f"'{name}' cannot be shown: it "):
            call()
