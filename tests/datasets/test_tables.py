import sys

import numpy as np
import pytest

from tercet.datasets import load_table

GOOD = "size,weight,class\n7,150,apple\n8,1.7e2,apple\n18,120,banana\n"


def write(folder, text, name="fruit.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\n\n"),
        GOOD.replace("apple", '" apple "').replace("weight", " weight "),
    ],
    ids=["plain", "byte-order mark", "Windows", "blank lines", "quotes and spaces"],
)
def test_csv(text, tmp_path):
    path = write(tmp_path, text)
    loaded = load_table(str(path))
    assert loaded.X.dtype == np.float64
    assert loaded.X.tolist() == [[7, 150], [8, 170], [18, 120]]
    assert loaded.y.tolist() == ["apple", "apple", "banana"]
    assert (loaded.name, loaded.source) == ("fruit", str(path))
    assert repr(loaded) == f"Loaded(fruit: 3 items, 2 features, 2 classes; {path})"


def test_the_target_may_be_any_column(tmp_path):
    loaded = load_table(write(tmp_path, "kind,size\n01,7\n01,8\nb,9\n", "x.CSV"), target="kind")
    assert loaded.X.tolist() == [[7], [8], [9]]
    assert loaded.y.tolist() == ["01", "01", "b"]  # as written


@pytest.mark.parametrize("word", ["", " ", "?", "NA", "NaN", "null", "n/a"])
def test_csv_missing_value(word, tmp_path):
    path = write(tmp_path, GOOD.replace("120", word).replace("150", word))
    with pytest.raises(ValueError, match=r"column 'weight' of .*fruit.csv has no value in line 2") as caught:
        load_table(path)
    assert f"it says {word!r}), the first of 2; fill such cells in" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            GOOD.replace("1.7e2", "heavy"),
            "column 'weight' .* holds 'heavy' in line 3, which is no finite number",
        ),
        (GOOD.replace("150", "inf"), "column 'weight' .* holds 'inf' in line 2"),
        (GOOD.replace("150", "1_5"), "column 'weight' .* holds '1_5' in line 2"),
        (
            GOOD.replace("banana", ""),
            r"column 'class' .* has no value in line 4 \(it says ''\), the first of 1",
        ),
        (GOOD.replace("class", "kind"), "has no column 'class' for the class; .* 'size', 'weight', 'kind'"),
        (GOOD.replace(",", ";"), "no column 'class' .*; are its columns separated by commas"),
        (",".join(f"f{i}" for i in range(40)), r"no column 'class' .*'f9', \.\.\.$"),
        ("", "is empty; its first line must name the columns"),
        ("\n\n", "is empty"),
        ("size,class\n", "names columns but has no items"),
        (GOOD.replace("weight", "size"), "has two columns 'size'; rename or remove one"),
        (GOOD.replace("size", ""), r"column 1 .* has no name; .*index=False"),
        (GOOD.replace("8,1.7e2", "8"), "line 3 .* has 2 cells, but the first line names 3 columns"),
        (GOOD.replace("8,1.7e2", "8,9,10"), "line 3 .* has 4 cells"),
        (GOOD.replace("8,", '"8,'), "is no CSV"),
        (b"size,class\n1,caf\xe9\n", "is not UTF-8 text"),
        ("size,class\n1,a\n2,b\n", "has 2 items; a question needs at least 3"),
        ("class\na\nb\nc\n", "has no features"),
    ],
)
def test_bad_csv(text, message, tmp_path):
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=message) as caught:
        load_table(path)
    assert str(path) in str(caught.value)


def test_other_extensions(tmp_path):
    with pytest.raises(ValueError, match=r"fruit.xlsx ends in '.xlsx'; save the table as .csv, .parquet or"):
        load_table(write(tmp_path, GOOD, "fruit.xlsx"))


@pytest.mark.parametrize("name", ["no.csv", "no.npz"])
def test_no_file(name, tmp_path):
    with pytest.raises(FileNotFoundError, match=name):
        load_table(tmp_path / name)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (["a", "b ", "c"], ["a", "b", "c"]),
        ([1, 2, 3], ["1", "2", "3"]),
        ([1.0, 2.0, 2.5], ["1", "2", "2.5"]),
        ([b"a", b"b", b"c"], ["a", "b", "c"]),
        ([True, False, True], ["True", "False", "True"]),
    ],
)
def test_npz(y, expected, tmp_path):
    X = np.arange(6).reshape(3, 2)
    np.savez(tmp_path / "fruit.npz", X=X, y=np.array(y))
    loaded = load_table(tmp_path / "fruit.npz")
    assert loaded.X.dtype == np.float64
    np.testing.assert_array_equal(loaded.X, X)
    assert loaded.y.tolist() == expected


X3 = np.zeros((3, 1))


class Bomb:
    """Goes off when it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("an NPZ file was unpickled",))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": X3}, r"has no array y \(it has X\); write it with y=y"),
        ({"y": [1, 2, 3]}, "has no array X"),
        ({"X": X3, "y": [1, 2]}, r"labels .* have shape \(2,\); give 3 labels"),
        ({"X": X3, "y": [[1], [2], [3]]}, r"have shape \(3, 1\)"),
        ({"X": X3, "y": [1, np.nan, 2]}, "the label of row 1 .* is missing"),
        (
            {"X": [[1], [np.nan], [2]], "y": [1, 2, 3]},
            r"X of .* NaN or infinite, the first \(nan\) in row 1, column 0",
        ),
        ({"X": [["a"], ["b"], ["c"]], "y": [1, 2, 3]}, "X of .* must be a table of numbers"),
        ({"X": np.float64(3), "y": [1, 2, 3]}, "X of .* must have two dimensions"),
        (
            {"X": X3, "y": np.array([Bomb()] * 3, dtype=object)},
            r"the array y .* cannot be read .*y.astype\(str\)",
        ),
    ],
)
def test_bad_npz(arrays, message, tmp_path):
    path = tmp_path / "fruit.npz"
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=message) as caught:
        load_table(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"not a zip"])
def test_no_npz(content, tmp_path):
    with pytest.raises(ValueError, match=r"fruit.npz is no NPZ file; write it with numpy.savez"):
        load_table(write(tmp_path, content, "fruit.npz"))


def test_a_damaged_npz(tmp_path):
    path = tmp_path / "fruit.npz"
    np.savez(path, X=np.full((300, 2), 7.0), y=np.arange(300))
    content = bytearray(path.read_bytes())
    content[1000] ^= 255
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"the array X .* cannot be read"):
        load_table(path)


def test_parquet_without_its_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"needs pyarrow: .*; pip install 'tercet\[experiments\]'"):
        load_table(tmp_path / "fruit.parquet")


class TestParquet:
    @pytest.fixture
    def save(self, tmp_path):
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")

        def save(columns, names=("size", "kind", "class")):
            path = tmp_path / "run=1" / "fruit.parquet"  # a folder that pyarrow likes to read as a column
            path.parent.mkdir()
            parquet.write_table(pa.Table.from_arrays([pa.array(c) for c in columns], names=list(names)), path)
            return path

        return save

    def test_it_loads_like_a_csv(self, save):
        loaded = load_table(save([[1, 2, 3], [0.5, 1.5, 2.5], ["a", "b", "a"]]))
        assert loaded.X.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
        assert loaded.y.tolist() == ["a", "b", "a"]

    def test_numbers_as_labels(self, save):
        assert load_table(save([[1, 2, 3], [4, 5, 6], [1, 2, 1]])).y.tolist() == ["1", "2", "1"]

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ([[1, None, 3], [1, 2, 3], [1, 2, 3]], r"column 'size' .* no value in row 1 \(it says None\)"),
            ([[1.0, 2.0, 3.0], [1, 2, 3], [1, None, 3]], "column 'class' .* no value in row 1"),
            ([[1.0, 2.0, float("nan")], [1, 2, 3], [1, 2, 3]], "column 'size' .* no value in row 2"),
            ([[1, 2, 3], ["x", "y", "z"], [1, 2, 3]], "column 'kind' .* holds 'x' in row 0"),
            ([[1, 2, 3], [[1], [2], [3]], [1, 2, 3]], r"column 'kind' .* holds \[1\] in row 0"),
            ([[], [], []], "has no items"),
        ],
    )
    def test_bad_cells(self, columns, message, save):
        with pytest.raises(ValueError, match=message):
            load_table(save(columns))

    def test_two_columns_of_one_name(self, save):
        with pytest.raises(ValueError, match="two columns 'size'"):
            load_table(save([[1, 2, 3]] * 3, names=("size", "size", "class")))

    @pytest.mark.parametrize("content", [b"", b"no Parquet at all"])
    def test_no_parquet(self, content, tmp_path):
        pytest.importorskip("pyarrow")
        with pytest.raises(ValueError, match=r"fruit.parquet cannot be read as Parquet"):
            load_table(write(tmp_path, content, "fruit.parquet"))
