import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tercet.media import load_items
from tercet.media._cache import FeatureCache
from tercet.media._image_features import NAMES

HUES = ("red", "orange", "yellow", "green", "teal", "sky blue", "blue", "purple")


@pytest.fixture
def images(folder, make_image):
    for seed, name in enumerate(["b.png", "a/z.jpg", "a/b/c.PNG", "ü ß.webp"]):
        make_image(folder / name, seed)
    return folder


def test_a_folder_of_images(images):
    told = []
    items = load_items(str(images), progress=lambda *call: told.append(call))
    assert items.ids == ["a/b/c.PNG", "a/z.jpg", "b.png", "ü ß.webp"]
    assert [media.path.as_posix() for media in items.media] == items.ids
    assert {media.kind for media in items.media} == {"image"}
    assert items.root == images
    assert items.features.shape == (4, len(NAMES))
    assert tuple(items.feature_names) == NAMES
    assert np.isfinite(items.features).all()
    assert len(np.unique(items.features, axis=0)) == 4
    assert items.left_out == []
    assert [call[:2] for call in told] == [(done, 4) for done in range(5)]
    assert "image" in told[0][2]


def test_what_is_no_item_is_left_out_with_the_reason(images, make_image, tmp_path):
    outside = make_image(tmp_path / "outside.png")
    good = (images / "b.png").read_bytes()
    bad = {
        "empty.png": b"",
        "truncated.png": good[: len(good) // 2],
        "text.png": b"not a picture at all",
        "page.jpg": b"<script>alert(1)</script>",
        "table.pdf": b"%PDF",
        "noending": b"x",
        "note.txt": b"hello",
    }
    for name, content in bad.items():
        (images / name).write_bytes(content)
    (images / ".hidden.png").write_bytes(b"x")
    (images / ".folder").mkdir()
    (images / ".folder" / "x.png").write_bytes(good)
    (images / "link.png").symlink_to(outside)
    (images / "broken.png").symlink_to(images / "nowhere.png")
    (images / "loop.png").symlink_to(images / "loop.png")
    (images / "up").symlink_to(tmp_path)
    (images / "inside.png").symlink_to(images / "b.png")
    os.mkfifo(images / "pipe.png")
    Path(os.fsdecode(os.fsencode(images) + b"/caf\xe9.png")).write_bytes(good)
    items = load_items(images)
    assert items.ids == ["a/b/c.PNG", "a/z.jpg", "b.png", "inside.png", "ü ß.webp"]
    reasons = dict(items.left_out)
    assert set(reasons) == {*bad, "link.png", "broken.png", "loop.png", "up", "pipe.png", "caf?.png"}
    assert reasons["empty.png"] == "it is empty"
    assert reasons["truncated.png"].startswith("it cannot be read: ")
    assert reasons["text.png"].startswith("it cannot be read: cannot identify")
    assert "ends in '.pdf'" in reasons["table.pdf"]
    assert "no ending" in reasons["noending"]
    assert reasons["note.txt"] == "it is text, and this study is about 8 image files"
    assert "out of the folder" in reasons["link.png"]
    assert "not followed" in reasons["up"]
    assert reasons["pipe.png"] == "it is no regular file"
    assert "UTF-8" in reasons["caf?.png"]


def test_an_enormous_picture_is_left_out_unread(images):
    Image.new("1", (20_000, 8_000)).save(images / "bomb.png")  # 20 kB of file, 160 million pixels
    with pytest.warns(Image.DecompressionBombWarning):
        items = load_items(images)
    [(name, reason)] = items.left_out
    assert name == "bomb.png"
    assert "20000 x 8000 pixels" in reason


@pytest.mark.parametrize("value", [0, 128, 255])
@pytest.mark.parametrize("mode", ["L", "RGB", "1", "I;16", "LA", "P"])
def test_one_colour_gives_finite_features(folder, mode, value):
    for size in [(1, 1), (2, 3), (300, 2)]:
        Image.new(
            mode, size, (value, 255) if mode == "LA" else (value,) * 3 if mode == "RGB" else value
        ).save(folder / f"{size[0]}.png")
    items = load_items(folder)
    assert len(items) == 3
    assert items.left_out == []
    assert np.isfinite(items.features).all()


def test_features_of_pictures_say_what_they_are_called(folder):
    for name in ("red", "yellow", "lime", "blue"):
        Image.new("RGB", (20, 20), name).save(folder / f"{'green' if name == 'lime' else name}.png")
    stripes = np.tile(np.repeat(np.array([0, 255], dtype=np.uint8), 4), (40, 5))
    Image.fromarray(stripes).save(folder / "stripes.png")
    items = load_items(folder)
    value = {
        name: dict(zip(items.ids, items.features[:, column], strict=True))
        for column, name in enumerate(items.feature_names)
    }
    assert value["red-green, mean"]["red.png"] > 50
    assert value["yellow-blue, mean"]["blue.png"] < -50
    for name in ("red", "yellow", "green", "blue"):
        shares = {hue: value[f"share of {hue}"][f"{name}.png"] for hue in HUES}
        assert max(shares, key=shares.get) == name
        assert sorted(shares.values())[-2] == 0
    assert value["lightness, spread"]["stripes.png"] > 30 > value["lightness, spread"]["red.png"]
    assert (
        value["texture, contrast at 4 px"]["stripes.png"] > value["texture, contrast at 1 px"]["stripes.png"]
    )
    assert value["edges, 0 degrees, row 2, column 2"]["stripes.png"] != pytest.approx(
        value["edges, 90 degrees, row 2, column 2"]["stripes.png"], abs=0.05
    )


def test_several_processes_give_the_same(images):
    one = load_items(images, features_cache=images.parent / "one", n_jobs=1)
    two = load_items(images, features_cache=images.parent / "two", n_jobs=2)
    np.testing.assert_array_equal(one.features, two.features)


def test_a_second_start_computes_only_what_changed(images, cache, monkeypatch, make_image):
    from tercet.media import _image_features

    first = load_items(images)
    read = []
    original = _image_features.features
    monkeypatch.setattr(_image_features, "features", lambda path: read.append(path.name) or original(path))
    again = load_items(images)
    assert read == []
    np.testing.assert_array_equal(again.features, first.features)
    make_image(images / "b.png", seed=9, size=(30, 30))
    make_image(images / "new.png", seed=10)
    changed = load_items(images)
    assert sorted(read) == ["b.png", "new.png"]
    assert not np.array_equal(changed.features[2], first.features[2])
    assert [path.name for path in images.iterdir() if path.name.startswith(".")] == []
    assert len(list((cache / "features").iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 no archive", "cut", "other"])
def test_a_damaged_cache_is_made_anew(images, damage):
    first = load_items(images, features_cache=images.parent / "kept")
    [file] = (images.parent / "kept").iterdir()
    if damage == "other":
        FeatureCache.save(  # another number of features, under the same name
            type("Fixed", (), {"file": file})(), ["b.png"], [(1, 1)], np.zeros((1, 3), dtype=np.float32)
        )
    else:
        file.write_bytes(file.read_bytes()[:-300] if damage == "cut" else damage)
    again = load_items(images, features_cache=images.parent / "kept")
    np.testing.assert_array_equal(again.features, first.features)


def test_an_interruption_keeps_what_was_computed(images):
    def stop(done, total, message):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_items(images, features_cache=images.parent / "kept", progress=stop)
    [file] = (images.parent / "kept").iterdir()
    with np.load(file) as kept:
        assert kept["rows"].shape == (3, len(NAMES))


def test_a_cache_that_cannot_be_written_is_no_reason_to_stop(images, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(UserWarning, match="could not be kept for the next start.*TERCET_CACHE"):
        items = load_items(images, features_cache=tmp_path / "file")
    assert len(items) == 4


def test_a_read_only_folder(images):
    before = sorted(images.rglob("*"))
    images.chmod(0o555)
    try:
        items = load_items(images)
    finally:
        images.chmod(0o755)
    assert len(items) == 4
    assert sorted(images.rglob("*")) == before


def test_too_few_items(folder, make_image):
    make_image(folder / "a.png")
    make_image(folder / "b.png")
    (folder / "c.png").write_bytes(b"nothing")
    with pytest.raises(
        ValueError, match=r"holds 2 items .* needs 3; c.png was left out: it cannot .*; add more"
    ):
        load_items(folder)


def test_no_items_at_all(folder):
    with pytest.raises(
        ValueError, match="holds no image, sound, video or text files; name a folder that does"
    ):
        load_items(folder)
    (folder / "x.pdf").write_bytes(b"x")
    with pytest.raises(ValueError, match=r"1 were left out, such as x.pdf \(its name ends in '.pdf'"):
        load_items(folder)


def test_no_such_source(folder):
    with pytest.raises(FileNotFoundError, match=r"no folder or table .*nowhere"):
        load_items(folder / "nowhere")
    (folder / "x.xlsx").write_bytes(b"x")
    with pytest.raises(ValueError, match=r"ends in '.xlsx'; .*\.csv, \.parquet, \.npz"):
        load_items(folder / "x.xlsx")
    with pytest.raises(ValueError, match="n_jobs must be a whole number of at least 1, not 0"):
        load_items(folder, n_jobs=0)


def test_a_missing_extra_is_named(images, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "skimage", None)
    with pytest.raises(ImportError, match=r"image files needs skimage .*pip install 'tercet\[images\]'"):
        load_items(images)
