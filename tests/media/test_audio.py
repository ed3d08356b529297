import numpy as np
import pytest

from tercet.media import load_items
from tercet.media._audio import read_audio, to_wav

pytest.importorskip("librosa", reason="needs the extra 'audio'")
from tercet.media import _audio_features
from tercet.media._audio_features import NAMES, describe


def value(samples, rate=22_050):
    return dict(zip(NAMES, describe(np.asarray(samples, dtype=np.float32), rate).tolist(), strict=True))


def tone(hertz, seconds=1.0, rate=22_050):
    return 0.5 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * rate)) / rate)


def test_names():
    assert len(set(NAMES)) == len(NAMES) <= 100


def test_features_of_sounds_say_what_they_are_called(rng):
    low, high, noise = value(tone(440)), value(tone(3520)), value(0.1 * rng.standard_normal(22_050))
    assert high["loudest frequency, mean"] - low["loudest frequency, mean"] == pytest.approx(
        3, abs=0.15
    )  # octaves
    assert high["pitch, median"] - low["pitch, median"] == pytest.approx(3, abs=0.1)
    assert low["centroid, mean"] == pytest.approx(0.44, abs=0.1)  # kHz
    assert noise["flatness, mean"] > 0.2 > low["flatness, mean"]
    assert value(tone(440, 4.0))["duration"] == 2
    pulses = tone(1000, 3.0) * np.maximum(0, np.sin(2 * np.pi * 10 * np.arange(3 * 22_050) / 22_050))
    shares = {name: share for name, share in value(pulses).items() if name.startswith("rhythm")}
    assert max(shares, key=shares.get) == "rhythm of 6 to 14 a second"
    assert value(pulses)["onsets a second"] == pytest.approx(10, abs=2)


def test_the_rate_and_loudness_matter_little():
    at_44, at_22 = value(tone(440, rate=44_100), 44_100), value(tone(440))
    assert at_44["centroid, mean"] == pytest.approx(at_22["centroid, mean"], abs=0.1)
    quiet = value(tone(440) / 10)
    assert at_22["level, mean"] - quiet["level, mean"] == pytest.approx(20, abs=0.5)
    assert quiet["timbre 2, mean"] == pytest.approx(at_22["timbre 2, mean"], abs=1)


@pytest.mark.parametrize(
    "samples",
    [np.zeros(22_050), np.ones(22_050), np.zeros(1), np.ones(3), np.full(22_050, 1e-30), np.eye(1, 5000)[0]],
    ids=["silence", "constant", "one sample", "three samples", "nearly silence", "click"],
)
def test_dull_sounds_have_finite_features(samples):
    assert np.isfinite(list(value(samples).values())).all()


def test_a_folder_of_sounds(folder, make_sound, rng, monkeypatch):
    make_sound(folder / "a.wav", 300)
    make_sound(folder / "b.flac", 600, rate=48_000, channels=2)
    make_sound(folder / "c.ogg", 900)
    make_sound(folder / "d.aiff", 1200, rate=8_000)
    make_sound(folder / "e.mp3", 1500, format="MP3")
    strange = np.array([np.nan, np.inf, -np.inf, 1e30] * 2000)
    make_sound(folder / "f.wav", samples=strange, subtype="FLOAT")
    make_sound(folder / "no sound.wav", samples=np.zeros((0, 1)))
    (folder / "noise.wav").write_bytes(rng.bytes(5000))
    (folder / "wrong.mp3").write_bytes(b"this is no music")
    (folder / "wrong.m4a").write_bytes(b"nor is this")
    items = load_items(folder)
    assert items.ids == ["a.wav", "b.flac", "c.ogg", "d.aiff", "e.mp3", "f.wav"]
    assert np.isfinite(items.features).all()
    loudest = items.features[:5, NAMES.index("loudest frequency, mean")]
    assert (np.diff(loudest) > 0.1).all()
    reasons = dict(items.left_out)
    assert set(reasons) == {"no sound.wav", "noise.wav", "wrong.mp3", "wrong.m4a"}
    assert reasons["no sound.wav"] == "it holds no sound"


def test_sound_of_phones(folder, make_sound):
    av = pytest.importorskip("av", reason="needs the extra 'video'")
    with av.open(str(folder / "x.m4a"), "w") as out:
        stream = out.add_stream("aac", rate=22_050)
        samples = tone(440)[None].astype(np.float32)
        frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
        frame.rate = 22_050
        out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    samples, rate = read_audio(folder / "x.m4a", 60.0)
    assert rate == 22_050
    assert len(samples) == pytest.approx(22_050, abs=3000)
    assert value(samples)["pitch, median"] == pytest.approx(np.log2(440), abs=0.05)


def test_only_the_beginning_of_a_long_sound_is_read(folder, make_sound):
    path = make_sound(folder / "x.wav", seconds=3.0)
    samples, rate = read_audio(path, 0.5)
    assert len(samples) == rate // 2


def test_a_header_that_claims_too_much(folder, make_sound):
    path = make_sound(folder / "x.wav")
    data = bytearray(path.read_bytes())
    data[24:28] = (2_000_000_000).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(ValueError, match="it claims 2000000000 samples a second in 1 channels"):
        read_audio(path, 60.0)


def test_wav_round_trip(folder):
    (folder / "x.wav").write_bytes(to_wav(tone(440).astype(np.float32), 22_050))
    samples, rate = read_audio(folder / "x.wav", 60.0)
    np.testing.assert_allclose(samples, tone(440), atol=1e-4)
    assert rate == 22_050


def test_a_missing_extra_is_named(folder, make_sound, monkeypatch):
    import sys

    make_sound(folder / "a.wav")
    monkeypatch.setitem(sys.modules, "librosa", None)
    with pytest.raises(ImportError, match=r"audio files needs librosa .*pip install 'tercet\[audio\]'"):
        load_items(folder)


def test_limits_are_as_documented():
    assert (_audio_features.SECONDS, _audio_features.RATE) == (60.0, 22_050)
