import numpy as np
import pytest

from tercet.media import load_items, text_of
from tercet.media._texts import read_text

TEXTS = {
    "sea/1.txt": "The ship sails over the sea to the harbour.",
    "sea/2.txt": "A sea captain and his ship in the harbour.",
    "sea/3.txt": "Harbour, ship, captain, sea.",
    "bread/1.md": "Knead the dough, let the bread rise and bake it.",
    "bread/2.md": "Fresh bread from the oven: dough, yeast, salt.",
    "bread/3.md": "Bake the dough in the oven until the bread is brown.",
}


def write(folder, texts):
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_folder_of_texts(folder):
    write(folder, TEXTS)
    items = load_items(folder)
    assert items.ids == sorted(TEXTS)
    assert np.isfinite(items.features).all()
    assert items.feature_names[-1] == "length"
    assert items.feature_names[0].startswith("topic 1: ")
    assert len(set(items.feature_names)) == items.features.shape[1]
    # What is about the same is near: each text's nearest neighbour comes from its own folder.
    Z = items.features[:, :-1]
    distances = np.linalg.norm(Z[:, None] - Z[None], axis=2) + 9 * np.eye(6)
    assert (distances.argmin(axis=1) // 3).tolist() == [0, 0, 0, 1, 1, 1]
    assert text_of(items, 0) == TEXTS["bread/1.md"]


@pytest.mark.parametrize(
    "texts",
    [
        ["你好世界今天天气很好", "今天天气不好", "世界很大我想去看看"],
        ["a", "b", "c"],
        ["same", "same", "same"],
        ["!!!", "???", "..."],
        ["1", "word", "ein längerer Text mit Wörtern"],
    ],
)
def test_any_texts_have_features(folder, texts):
    write(folder, {f"{number}.txt": text for number, text in enumerate(texts)})
    items = load_items(folder)
    assert len(items) == 3
    assert np.isfinite(items.features).all()
    assert (len(np.unique(items.features, axis=0)) == 3) == (len(set(texts)) == 3)


def test_texts_that_repeat_each_other_have_no_topics_of_rounding(folder):
    lines = ("ships on the sea", "bread from the oven", "rain and wind today")
    write(folder, {f"{number}.txt": lines[number % 3] for number in range(30)})
    items = load_items(folder)
    assert len(items.feature_names) == items.features.shape[1] == 4  # three topics and the length
    assert (items.features.std(axis=0) > 1e-3).all()
    again = load_items(folder, like=items)
    assert again.feature_names == items.feature_names
    np.testing.assert_allclose(again.features, items.features, atol=1e-6)


def test_bad_texts_are_left_out(folder):
    write(folder, {**TEXTS, "blank.txt": " \n\t ", "binary.txt": b"\x7fELF\0\0\1", "empty.txt": b""})
    items = load_items(folder)
    assert items.ids == sorted(TEXTS)
    reasons = dict(items.left_out)
    assert reasons["blank.txt"] == "it holds no text"
    assert "zero bytes" in reasons["binary.txt"]
    assert reasons["empty.txt"] == "it is empty"


def test_too_few_texts(folder):
    write(folder, {"a.txt": "some words", "b.txt": " "})
    with pytest.raises(ValueError, match=r"holds 1 items .*b.txt was left out: it holds no text"):
        load_items(folder)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüße".encode(), "Grüße"),
        ("\ufeffGrüße".encode(), "Grüße"),
        ("Grüße".encode("utf-16"), "Grüße"),
        ("Grüße, “so”".encode("cp1252"), "Grüße, “so”"),
    ],
)
def test_encodings(tmp_path, data, text):
    (tmp_path / "x.txt").write_bytes(data)
    assert read_text(tmp_path / "x.txt") == text


def test_a_cut_within_a_letter_is_no_wrong_encoding(tmp_path):
    (tmp_path / "x.txt").write_bytes("ü".encode() * 10)
    assert read_text(tmp_path / "x.txt", most_bytes=7) == "üüü"
