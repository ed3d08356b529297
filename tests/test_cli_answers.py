"""The verbs about answers, as a user types them."""

import csv
import io
import json
from datetime import UTC, datetime

import numpy as np
import pytest
from sklearn.datasets import load_wine

from tercet import ActiveLearner, ClassOracle, Comparisons
from tercet.cli import main
from tercet.media import load_items
from tercet.metric_files import save_metric
from tercet.stores import Shown, SqlStore, Study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table of wines and a database with twenty answers about them."""
    monkeypatch.chdir(tmp_path)
    X, y = load_wine(return_X_y=True)
    with open("wine.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", *(f"x{place}" for place in range(X.shape[1]))])
        writer.writerows([f"wine {place}", *row] for place, row in enumerate(X.tolist()))
    items = load_items("wine.csv")
    store = SqlStore("sqlite:///tercet.db")
    store.open_study(Study("wine", items.fingerprint, items.ids, {"seed": 0}))
    rng, oracle = np.random.default_rng(0), ClassOracle(y)
    for place in range(20):
        triplet = tuple(rng.choice(len(X), 3, replace=False).tolist())
        names = tuple(f"wine {item}" for item in triplet)
        at = datetime.now(UTC)
        store.show("wine", Shown(f"k{place}", "ada", names, "j", "question", "Info()", 0.5, None, at))
        store.record("wine", f"k{place}", oracle(triplet).word, 900)
    store.close()
    return tmp_path


def test_a_file_that_cannot_be_written_is_named(folder, capsys):
    assert main(["export", "--out", "nowhere/answers.csv"]) == 1
    said = capsys.readouterr().err
    assert "cannot write nowhere/answers.csv (No such file or directory); name a folder that is there" in said


def test_export_learn_and_apply(folder, capsys):
    assert main(["export", "--out", "answers.csv"]) == 0
    assert main(["learn", "answers.csv", "wine.csv", "--out", "metric.json", "--classes", "3"]) == 0
    assert "Metric of 20 answers about 178 items: metric.json" in capsys.readouterr().out
    items = load_items("wine.csv")
    store = SqlStore("sqlite:///tercet.db")
    told = [
        (tuple(items.index[item] for item in answer.shown.triplet), answer.reply, answer.shown.annotator)
        for answer in store.answers("wine")
    ]
    store.close()
    record = Comparisons(*map(list, zip(*told, strict=True)))
    learner = ActiveLearner(items.features, 3, random_state=0, comparisons=record)
    expected = learner.metric_.transform(items.features)
    for ending in ("csv", "parquet", "npz"):
        assert main(["apply", "metric.json", "wine.csv", "--out", f"new.{ending}"]) == 0
        new = load_items(f"new.{ending}")
        assert list(new.ids) == list(items.ids)
        assert list(new.feature_names) == [f"z{place}" for place in range(1, 13 + 6 * 3 + 1)]
        np.testing.assert_array_equal(new.features, expected)


def test_a_single_new_item_with_other_columns_in_another_order(folder):
    main(["export", "--out", "answers.json"])
    main(["learn", "answers.json", "wine.csv", "--out", "metric.npz", "--classes", "3"])
    X = load_wine().data
    with open("one.csv", "w") as stream:
        stream.write("note,ID," + ",".join(f"x{place}" for place in reversed(range(13))) + "\n")
        stream.write("good,new," + ",".join(map(repr, X[5, ::-1].tolist())) + "\n")
    assert main(["apply", "metric.npz", "one.csv", "--out", "one.npz"]) == 0
    main(["apply", "metric.npz", "wine.csv", "--out", "all.npz"])
    with np.load("one.npz") as one, np.load("all.npz") as everything:
        assert one["id"].tolist() == ["new"]
        np.testing.assert_allclose(one["X"][0], everything["X"][5], rtol=1e-14)


def learned_from(source):
    """Write a metric of a collection's own features."""
    items = load_items(source)
    answers = [(0, 1, len(items) - 1), (1, 0, len(items) - 1), (2, 1, len(items) - 1)]
    learner = ActiveLearner(items.features, 2, random_state=0, comparisons=Comparisons(answers, ["yes"] * 3))
    save_metric(learner.metric_, "metric.json", items.feature_names)
    return items, learner.metric_.transform(items.features)


def applied(source, *more):
    assert main(["apply", "metric.json", source, *more, "--out", "new.npz"]) == 0
    with np.load("new.npz") as new:
        return new["id"].tolist(), new["X"]


def test_a_metric_of_pictures_applies_to_a_few_new_ones(folder, capsys):
    image = pytest.importorskip("PIL.Image", reason="needs the extra 'images'")
    pytest.importorskip("skimage", reason="needs the extra 'images'")
    (folder / "new").mkdir()
    (folder / "old").mkdir()
    rng = np.random.default_rng(0)
    for place in range(6):
        pixels = rng.integers(0, 255, (16, 16, 3)).astype(np.uint8)
        image.fromarray(pixels).save(folder / "old" / f"{place}.png")
    image.fromarray(pixels).save(folder / "new" / "again.png")
    (folder / "pictures.csv").write_text("id,path\nanew,new/again.png\n")
    _, expected = learned_from("old")
    for source, name in (("new", "again.png"), ("pictures.csv", "anew")):
        ids, Z = applied(source)
        assert ids == [name]
        np.testing.assert_allclose(Z[0], expected[5], rtol=1e-12)


def test_a_metric_of_texts_applies_to_new_ones_by_the_topics_of_the_old(folder, capsys):
    words = ["The ship at sea", "a ship in the harbour", "harbour and sea", "bread and dough", "dough, oven"]
    for place, text in enumerate([*words, "oven and bread"]):
        (folder / "old").mkdir(exist_ok=True)
        (folder / "old" / f"{place}.txt").write_text(text)
    (folder / "new.csv").write_text("id,text\nx,harbour and sea\n")
    (folder / "new").mkdir()
    (folder / "new" / "x.txt").write_text("harbour and sea")
    items, expected = learned_from("old")
    for source, name in (("new.csv", "x"), ("new", "x.txt")):
        assert main(["apply", "metric.json", source, "--out", "z.csv"]) == 1
        assert "by --like" in capsys.readouterr().err
        ids, Z = applied(source, "--like", "old")
        assert ids == [name]
        np.testing.assert_allclose(Z[0], expected[2], rtol=1e-4, atol=1e-5)
    assert applied("old")[0] == list(items.ids)
    (folder / "other.csv").write_text("id,text\na,red and blue\nb,blue and green\nc,green and red\n")
    assert main(["apply", "metric.json", "new", "--like", "other.csv", "--out", "z.csv"]) == 1
    assert "not learned with the texts of other.csv" in capsys.readouterr().err
    assert main(["apply", "metric.json", "new", "--like", "wine.csv", "--out", "z.csv"]) == 1
    assert "only texts can be like other texts" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_export_and_import(folder, ending, capsys):
    assert main(["export", "--study", "wine", "--out", f"answers.{ending}"]) == 0
    items = ["--items", "wine.csv"] if ending == "csv" else []
    take = ["import", f"answers.{ending}", "--db", "sqlite:///new.db", "--study", "copy"]
    assert main([*take, *items]) == 0
    assert "Answers read: 20, new in copy: 20" in capsys.readouterr().out
    assert main(take) == 0
    assert "Answers read: 20, new in copy: 0" in capsys.readouterr().out
    main(["export", "--db", "sqlite:///new.db", "--out", f"back.{ending}"])
    there, back = (load_rows(folder / name) for name in (f"answers.{ending}", f"back.{ending}"))
    assert [{**row, "study": ""} for row in there] == [{**row, "study": ""} for row in back]


def load_rows(path):
    from tercet.stores._rows import read_rows

    return [row for _, row in read_rows(path).rows]


def test_export_to_standard_output(folder, capfdbinary):
    assert main(["export", "--format", "json"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["study"]["name"] == "wine"
    assert main(["export"]) == 0
    assert len(list(csv.DictReader(io.StringIO(capfdbinary.readouterr().out.decode())))) == 20


def test_salmon(folder, capsys):
    (folder / "salmon.csv").write_text("head,left,right,winner,puid,time_received\n0,1,2,2,p,5\n")
    assert main(["import", "salmon.csv"]) == 1
    assert "--by-position" in capsys.readouterr().err
    assert main(["import", "salmon.csv", "--by-position"]) == 0
    assert "Answers read: 1, new in wine: 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", "--db", "sqlite:///none.db"], "there is no database sqlite:///none.db; check --db"),
        (["export", "--study", "bats"], "no study 'bats' in this database; it has 'wine'"),
        (["export", "--db", "mysql://u:secret@h/d"], "no store for mysql"),
        (["export", "--db", "wine.csv"], "did you mean sqlite:///wine.csv"),
        (["export", "--db", "sqlite:///wine.csv"], "file is not a database"),
        (["export", "--out", "nowhere/answers.csv"], "nowhere"),
        (["import", "none.csv"], "there is no file none.csv"),
        (["import", "wine.csv"], "has no column number"),
        (["import", "wine.csv", "--db", "sqlite:///other.db"], "no study 'wine' to add to"),
        (["import", "bad.csv", "--db", "sqlite:///other.db", "--items", "wine.csv"], "wine 999"),
        (["import", "bad.json", "--db", "sqlite:///other.db"], "bad.json"),
        (["learn", "none.csv", "wine.csv", "--out", "m.json"], "none.csv"),
        (["learn", "wine.csv", "none.csv", "--out", "m.json"], "no folder or table"),
        (["learn", "wine.csv", "wine.csv", "--out", "m.pkl"], "save a metric as .json or .npz"),
        (["learn", "empty.csv", "wine.csv", "--out", "m.json"], "no yes or no answer"),
        (["apply", "wine.csv", "wine.csv", "--out", "z.csv"], "neither JSON nor NPZ"),
        (
            ["apply", "good.json", "wine.csv", "--out", "z.csv"],
            "lacks 1 of the 2 features, the first 'colour'",
        ),
        (["apply", "good.json", "text.csv", "--out", "z.csv"], "'red' in line 3"),
        (["apply", "good.json", "no-id.csv", "--out", "z.csv"], "no column 'id'"),
        (["apply", "good.json", "none.csv", "--out", "z.csv"], "none.csv"),
        (["apply", "good.json", "fine.csv", "--out", "z.xlsx"], "save the table as .csv, .parquet or .npz"),
        (["apply", "good.json", "few.npz", "--out", "z.csv"], "X of few.npz has 3 columns"),
    ],
)
def test_bad_input_is_named_and_nothing_is_lost(folder, arguments, message, capsys):
    (folder / "empty.csv").write_text("i,j,k,answer\nwine 1,wine 2,wine 3,dk\n")
    good = {"format": "tercet-metric", "version": 1, "kind": "linear", "tercet": "0.1.0"}
    good |= {"feature_names": ["x1", "colour"], "components": [[1, 0]]}
    (folder / "good.json").write_text(json.dumps(good))
    (folder / "text.csv").write_text("id,x1,colour\na,1,2\nb,1,red\n")
    (folder / "fine.csv").write_text("id,x1,colour\na,1,2\n")
    (folder / "no-id.csv").write_text("x1,colour\n1,2\n")
    np.savez(folder / "few.npz", id=np.array(["a"]), X=np.ones((1, 3)))
    main(["export", "--out", "bad.csv"])
    exported = (folder / "bad.csv").read_text()
    (folder / "bad.csv").write_text(exported + exported.splitlines()[-1].replace("wine 1", "wine 999"))
    (folder / "bad.json").write_text('{"format": "tercet-answers"')
    before = {path: path.read_bytes() for path in folder.iterdir() if path.suffix != ".db"}
    capsys.readouterr()
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("tercet: ")
    assert message in error
    assert "secret" not in error
    for path, content in before.items():
        assert path.read_bytes() == content
    assert {path for path in folder.iterdir() if not path.name.startswith("tercet.db")} == set(before)
    store = SqlStore("sqlite:///tercet.db")
    assert len(store.answers("wine")) == 20
    store.close()


def test_several_studies_must_be_told_apart(folder, capsys):
    store = SqlStore("sqlite:///tercet.db")
    store.open_study(Study("birds", "f", ["a"]))
    store.close()
    assert main(["export"]) == 1
    assert "the studies wine, birds; say which by --study" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ending", "more"), [("csv", ["--items", "wine.csv"]), ("json", []), ("parquet", [])]
)
def test_an_import_into_a_new_database_keeps_the_name_of_the_study(folder, capsys, ending, more):
    main(["export", "--out", f"copy.{ending}"])
    assert main(["import", f"copy.{ending}", "--db", "sqlite:///new.db", *more]) == 0
    assert "new in wine: 20" in capsys.readouterr().out
