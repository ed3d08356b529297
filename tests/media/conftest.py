"""Real files, made on the fly."""

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs the extra 'images'")
pytest.importorskip("skimage", reason="needs the extra 'images'")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """A cache folder of this test's own, since nothing may be left in the user's."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("TERCET_CACHE", str(folder))
    return folder


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "items"
    path.mkdir()
    return path


@pytest.fixture(scope="session")
def make_image():
    from PIL import Image

    def make(path, seed=0, size=(24, 16), **options):
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path, **options)
        return path

    return make


@pytest.fixture(scope="session")
def make_sound():
    soundfile = pytest.importorskip("soundfile", reason="needs the extra 'audio'")

    def make(path, hertz=440.0, seconds=0.3, rate=22_050, channels=1, samples=None, **options):
        if samples is None:
            time = np.arange(int(seconds * rate)) / rate
            samples = np.repeat(0.5 * np.sin(2 * np.pi * hertz * time)[:, None], channels, axis=1)
        soundfile.write(path, samples, rate, **options)
        return path

    return make


@pytest.fixture(scope="session")
def make_video():
    av = pytest.importorskip("av", reason="needs the extra 'video'")

    def make(path, colour=(200, 30, 30), n_frames=20, moving=False, codec="mpeg4"):
        with av.open(str(path), "w") as out:
            stream = out.add_stream(codec, rate=10)
            stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
            for number in range(n_frames):
                pixels = np.full((48, 64, 3), colour, dtype=np.uint8)
                if moving:
                    pixels[:, 3 * number : 3 * number + 8] = 255
                out.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
            out.mux(stream.encode(None))
        return path

    return make
