import numpy as np
import pytest

from tercet.media import load_items


def write(folder, text, name="items.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_features_from_a_table(folder):
    path = write(folder, "size, ID ,weight\n7,apple,150\n8, 01 ,1e2\n18,NA,120\n")
    items = load_items(path)
    assert items.ids == ["apple", "01", "NA"]
    assert items.feature_names == ["size", "weight"]
    assert items.features.tolist() == [[7, 150], [8, 100], [18, 120]]
    assert list(items.media) == [None, None, None]


def test_columns_of_text_are_no_features(folder):
    items = load_items(write(folder, "id,size,species\na,1,owl\nb,2,?\nc,3,wren\n"))
    assert items.feature_names == ["size"]
    assert list(items.left_out) == [("column species", "it holds no numbers, so it is no feature")]


def test_parquet_with_several_row_groups(folder):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"id": [3, 1, 2, 9], "x": [1.5, 2, 3, 4], "text": ["a b", "b c", "c d", "d"]})
    parquet.write_table(table, folder / "items.parquet", row_group_size=2)
    items = load_items(folder / "items.parquet")
    assert items.ids == ["3", "1", "2", "9"]
    assert items.features.tolist() == [[1.5], [2], [3], [4]]
    assert [media.text for media in items.media] == ["a b", "b c", "c d", "d"]


def test_a_table_larger_than_a_chunk(folder):
    n_items = 25_001
    rows = "".join(f"i{number},{number}\n" for number in range(n_items))
    items = load_items(write(folder, "id,x\n" + rows))
    assert len(items) == n_items
    np.testing.assert_array_equal(items.features[:, 0], np.arange(n_items))
    rows = rows.replace("i24000,24000", "i24000,many")
    with pytest.raises(
        ValueError, match=r"column 'x' of .* holds 'many' in line 24002, which is no finite number"
    ):
        load_items(write(folder, "id,x\n" + rows))


@pytest.mark.parametrize("named", [True, False])
def test_npz(folder, named):
    names = {"feature_names": ["size", "weight"]} if named else {}
    np.savez(
        folder / "items.npz", id=["a", "b", "c"], X=[[1, 2], [3, 4], [5, 6]], text=["x", "y", "z"], **names
    )
    items = load_items(folder / "items.npz")
    assert items.ids == ["a", "b", "c"]
    assert items.features.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert items.feature_names == (["size", "weight"] if named else ["feature 1", "feature 2"])
    assert [media.text for media in items.media] == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones((3, 1))}, "has no array id"),
        ({"id": ["a", "b", "c"]}, "has no array X of features, and none of files"),
        ({"id": ["a", "b", "c"], "X": np.ones(3)}, r"array X .* shape \(3,\); it must be \(3, features\)"),
        ({"id": ["a", "b"], "X": np.ones((3, 1))}, r"array X .* shape \(3, 1\); it must be \(2, features\)"),
        (
            {"id": ["a", "b", "c"], "X": [[1.0], [np.nan], [2.0]]},
            "NaN or infinite, the first .* in row 1, column 0",
        ),
        (
            {"id": ["a", "b", "c"], "X": np.ones((3, 2)), "feature_names": ["x"]},
            "1 different names, but X 2 col",
        ),
        (
            {"id": ["a", "b", "c"], "path": ["x"] * 3, "image": ["x"] * 3},
            "path and image, which both name files",
        ),
    ],
)
def test_bad_npz(folder, arrays, message):
    np.savez(folder / "items.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        load_items(folder / "items.npz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,x\na,1\nb,2\nc,3\n", r"no column 'id'; .* It has 'name', 'x'"),
        ("id;x\na;1\n", "no column 'id'; .* are its columns separated by commas?"),
        (
            "id,x\na,1\nb,2\na,3\n",
            "the id 'a' is there twice in .*, for item 1 and item 3; give every item its own",
        ),
        ("id,x\na,1\n ,2\nc,3\n", "item 2 of .* has no id; give every item its own"),
        ("id,x\na,1\nb,2\n", "holds 2 items .* needs 3; add more"),
        ("id,x\n", "holds 0 items .* needs 3; add more"),
        (
            "id,species\na,owl\nb,owl\nc,wren\n",
            r"no column of numbers, and none of files .* it has 'id', 'species'",
        ),
        ("id\na\nb\nc\n", "no column of numbers"),
        ("id,x\na,1\nb,big\nc,3\n", r"column 'x' of .* holds 'big' in line 3, which is no finite number"),
        ("id,x\na,1\nb,inf\nc,3\n", r"holds 'inf' in line 3"),
        ("id,x\na,1\nb,\nc,3\n", r"column 'x' of .* has no value in line 3 \(it says ''\)"),
        ("id,x,x\na,1,2\n", "has two columns 'x'"),
        ("id,x,path,image\na,1,2,3\n", "two columns for the same, 'path' and 'image'; keep one"),
        ("id,x\na,1\nb\n", "line 3 of .* has 1 cells"),
        ("", "is empty; its first line must name the columns"),
    ],
)
def test_bad_tables(folder, text, message):
    with pytest.raises(ValueError, match=message):
        load_items(write(folder, text))


def test_texts_in_a_table(folder):
    rows = (
        'a,"<script>alert(1)</script> ship, sea"\nb,sea and ship\nc,bread and dough\nd,  \ne,dough and sea\n'
    )
    items = load_items(write(folder, "id,text\n" + rows))
    assert items.ids == ["a", "b", "c", "e"]
    assert items.media[0].text == "<script>alert(1)</script> ship, sea"
    assert {media.kind for media in items.media} == {"text"}
    assert items.features.shape == (4, len(items.feature_names))
    assert list(items.left_out) == [("d", "it holds no text")]


def test_a_long_text_in_a_table(folder):
    long = "ship and sea " * 20_000
    items = load_items(write(folder, f"id,text\na,{long}\nb,sea and ship\nc,bread and sea\n"))
    assert items.media[0].text == long


@pytest.mark.parametrize("with_features", [True, False])
def test_files_in_a_table(folder, make_image, make_sound, with_features):
    for seed in range(4):
        make_image(folder / "media" / f"{seed}.png", seed)
    make_image(folder.parent / "outside.png")
    (folder / "media" / "empty.png").touch()
    make_sound(folder / "tone.wav")
    files = {
        **{f"good {number}": f"media/{number}.png" for number in range(3)},
        "whole path": str(folder / "media" / "3.png"),
        "up": "../outside.png",
        "root": "/etc/passwd.png",
        "missing": "media/none.png",
        "empty": "media/empty.png",
        "strange": "media/x.exe",
        "none": "",
        "sound": "tone.wav",
    }
    head = "id,Path,x\n" if with_features else "id,Path,note\n"
    rows = "".join(
        f"{name},{file},{number if with_features else 'n'}\n"
        for number, (name, file) in enumerate(files.items())
    )
    items = load_items(write(folder, head + rows))
    good = ["good 0", "good 1", "good 2", "whole path"]
    reasons = dict(items.left_out)
    assert items.ids == ([*good, "sound"] if with_features else good)
    assert items.media[3].path.as_posix() == "media/3.png"
    assert items.root == folder
    assert "../outside.png is left out: it leads out of the folder" in reasons["up"]
    assert "is not in" in reasons["root"]
    assert (
        reasons["missing"]
        == "its file media/none.png is left out: it cannot be read: No such file or directory"
    )
    assert reasons["empty"] == "its file media/empty.png is left out: it is empty"
    assert "ends in none of .png" in reasons["strange"]
    assert reasons["none"] == "it names no file"
    if with_features:
        assert items.features.tolist() == [[0], [1], [2], [3], [10]]
        assert items.media[4].kind == "audio"
    else:
        assert reasons["sound"] == "its file is audio, and this study is about image files"
        assert "lightness, mean" in items.feature_names


def test_a_file_in_a_table_that_cannot_be_read(folder, make_image):
    for seed in range(3):
        make_image(folder / f"{seed}.png", seed)
    (folder / "bad.png").write_bytes(b"nothing")
    items = load_items(write(folder, "id,image\na,0.png\nb,bad.png\nc,1.png\nd,2.png\ne,2.png\nf,bad.png\n"))
    assert items.ids == ["a", "c", "d", "e"]
    assert [name for name, _ in items.left_out] == ["b", "f"]
    for _, reason in items.left_out:
        assert reason.startswith("its file bad.png is left out: it cannot be read")


def test_all_files_of_a_table_missing(folder):
    with pytest.raises(ValueError, match=r"holds 0 items .*; a was left out: its file x.png is left out"):
        load_items(write(folder, "id,file\na,x.png\nb,y.png\nc,z.png\n"))
