"""Exports and imports: nothing is lost on the way, nothing is counted twice."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_questions import STUDY, question

from tercet import Answer, Comparisons
from tercet.stores import MemoryStore, OtherItemsError, Recorded, Shown, SqlStore, Study, UnknownStudyError
from tercet.stores._rows import COLUMNS, read_rows
from tercet.stores.transfer import FORMATS, Imported, export_answers, import_answers, read_comparisons

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
MOMENT = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))
SHARE = st.floats(0, 1)


def recorded(ids):
    item = st.sampled_from(ids)
    shown = st.builds(
        Shown,
        key=TEXT.filter(bool),
        annotator=TEXT,
        triplet=st.tuples(item, item, item),
        left=st.sampled_from("jk"),
        purpose=st.sampled_from(["question", "practice", "catch"]),
        rule=TEXT,
        score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
        probabilities=st.none() | st.tuples(SHARE, SHARE, SHARE),
        at=MOMENT,
    )
    return st.builds(
        Recorded,
        number=st.just(0),
        shown=shown,
        reply=st.sampled_from(["yes", "no", "dk", "skip"]),
        response_ms=st.none() | st.integers(0, 2**53 - 1),
        at=MOMENT,
        undone=st.booleans(),
    )


@st.composite
def filled_stores(draw):
    """A store with answers of any kind about items of any name."""
    ids = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    answers = draw(st.lists(recorded(ids), max_size=6, unique_by=lambda answer: answer.shown.key))
    store = MemoryStore()
    store.open_study(Study("any", "f", ids, {"seed": 1}))
    store.take("any", [replace(answer, number=place) for place, answer in enumerate(answers)])
    return store


@pytest.mark.parametrize("format", FORMATS)
@given(store=filled_stores())
def test_a_round_trip_loses_nothing(format, store, tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / f"answers.{format}"
    path.write_bytes(export_answers(store, "any", format))
    other = MemoryStore()
    if format == "csv":  # it does not carry the items
        other.open_study(store.study("any"))
    n_answers = len(store.answers("any", undone=True))
    assert import_answers(other, "any", path) == Imported(n_answers, n_answers)
    assert other.study("any") == store.study("any")
    assert other.answers("any", undone=True) == store.answers("any", undone=True)
    assert other.waiting("any") == []
    assert import_answers(other, "any", path) == Imported(n_answers, 0)
    assert import_answers(store, "any", path) == Imported(n_answers, 0)
    assert export_answers(other, "any", format) == path.read_bytes()


@pytest.fixture
def filled(store):
    for key in "abc":
        store.show("birds", question(key))
    store.record("birds", "a", "yes", 10)
    store.record("birds", "b", "dk", 20)
    store.undo("birds", "ada")
    return store


@pytest.mark.parametrize("format", FORMATS)
def test_from_any_store_into_a_database(filled, format, tmp_path):
    path = tmp_path / f"answers.{format}"
    path.write_bytes(export_answers(filled, "birds", format))
    other = SqlStore(f"sqlite:///{tmp_path / 'other.db'}")
    begin = replace(STUDY, name="copy") if format == "csv" else None
    assert import_answers(other, "copy", path, begin=begin) == Imported(2, 2)
    assert other.answers("copy", undone=True) == filled.answers("birds", undone=True)
    assert other.study("copy").ids == STUDY.ids
    other.close()


def test_a_spreadsheet_sees_no_formula():
    store = MemoryStore()
    store.open_study(Study("s", "f", ["=1+1", "'=x", "'tis"]))
    store.show("s", question("+k", "@ada", ("=1+1", "'=x", "'tis"), rule="-1"))
    store.record("s", "+k", "no", 1)
    (row,) = csv.DictReader(io.StringIO(export_answers(store, "s").decode()))
    assert row["head"] == "'=1+1"
    assert row["j"] == "''=x"
    assert row["k"] == "''tis"
    assert row["annotator"] == "'@ada"
    assert not any(value.startswith(("=", "+", "-", "@")) for value in row.values())


def test_all_fields_are_there(filled):
    (row, undone) = csv.DictReader(io.StringIO(export_answers(filled, "birds").decode()))
    assert list(row) == list(COLUMNS)
    assert row["shown_at"] == "2024-02-29T12:30:15.123456+00:00"
    assert (row["study"], row["number"], row["left"], row["answer"], row["undone"]) == (
        "birds",
        "1",
        "k",
        "yes",
        "false",
    )
    assert (row["response_ms"], row["score"], row["p_no"]) == ("10", repr(0.1 + 0.2), "0.5")
    assert undone["undone"] == "true"


class TestRefusals:
    def write(self, tmp_path, content, name="answers.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def changed(self, filled, tmp_path, column, value):
        rows = list(csv.DictReader(io.StringIO(export_answers(filled, "birds").decode())))
        rows[0][column] = value
        text = io.StringIO()
        writer = csv.DictWriter(text, list(COLUMNS))
        writer.writeheader()
        writer.writerows(rows)
        return self.write(tmp_path, text.getvalue())

    @pytest.mark.parametrize("store", ["memory"], indirect=True)
    @pytest.mark.parametrize(
        ("column", "value", "message"),
        [
            ("head", "owl", "line 2 of .*'owl' is none of the 4 items"),
            ("answer", "maybe", "line 2 of .*unknown answer 'maybe'"),
            ("number", "x", "number is 'x'; it must be a whole number"),
            ("number", "", "number is missing"),
            ("undone", "perhaps", "undone is 'perhaps'; it must be true or false"),
            ("shown_at", "2024-01-01", "shown_at is '2024-01-01'; it must be a time with its zone"),
            ("score", "high", "score is 'high'; it must be a number"),
            ("response_ms", "-5", "response time is -5"),
            ("left", "left", "unknown left"),
            ("key", "", "needs a key"),
        ],
    )
    def test_a_wrong_cell_is_named_and_nothing_imported(self, filled, tmp_path, column, value, message):
        path = self.changed(filled, tmp_path, column, value)
        other = MemoryStore()
        other.open_study(STUDY)
        with pytest.raises(ValueError, match=message):
            import_answers(other, "birds", path)
        assert other.answers("birds", undone=True) == []

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.txt", "x", "ends in '.txt'"),
            ("a.csv", "", "is empty"),
            ("a.csv", b"\xff\xfe\x00", "not UTF-8"),
            ("a.csv", 'a,b\n"1,2\n', "no CSV"),
            ("a.csv", "a,b\n1,2,3\n", "more cells"),
            ("a.csv", "head,j,k\na,b,c\n", "has no column number, annotator"),
            ("a.json", "{", "no JSON"),
            ("a.json", "[]", "holds no answers"),
            ("a.json", '{"format": "tercet-answers", "version": 2}', "version 2"),
            ("a.json", '{"format": "tercet-answers", "version": 1}', "damaged"),
            ("a.json", '{"format": "tercet-answers", "version": 1, "answers": []}', "damaged"),
            ("a.parquet", "PAR1", "cannot be read as Parquet"),
        ],
    )
    def test_other_files(self, tmp_path, name, content, message):
        store = MemoryStore()
        store.open_study(STUDY)
        with pytest.raises(ValueError, match=message):
            import_answers(store, "birds", self.write(tmp_path, content, name))

    def test_a_study_that_is_nowhere(self, tmp_path):
        store = MemoryStore()
        with pytest.raises(ValueError, match=r"no study 'birds'.*--items"):
            import_answers(store, "birds", self.write(tmp_path, ",".join(COLUMNS) + "\n"))
        with pytest.raises(UnknownStudyError):
            export_answers(store, "birds")
        assert store.studies() == []

    def test_a_study_about_other_items(self, tmp_path):
        store, other = MemoryStore(), MemoryStore()
        store.open_study(STUDY)
        other.open_study(Study("birds", "other", ["wren", "tit"]))
        path = self.write(tmp_path, export_answers(store, "birds", "json"), "a.json")
        with pytest.raises(OtherItemsError):
            import_answers(other, "birds", path)

    def test_a_format_that_is_none(self):
        with pytest.raises(ValueError, match="unknown format 'xlsx'"):
            export_answers(MemoryStore(), "birds", "xlsx")


class TestComparisons:
    def test_only_what_a_learner_may_learn_from(self, tmp_path):
        store = MemoryStore()
        store.open_study(STUDY)
        for key, purpose, reply in (
            ("a", "question", "yes"),
            ("b", "practice", "yes"),
            ("c", "catch", "yes"),
            ("d", "question", "skip"),
            ("e", "question", "dk"),
            ("f", "question", "no"),
            ("g", "question", "no"),
        ):
            store.show("birds", question(key, purpose=purpose))
            store.record("birds", key, reply, 1)
        store.undo("birds", "ada")
        for format in FORMATS:
            path = tmp_path / f"answers.{format}"
            path.write_bytes(export_answers(store, "birds", format))
            assert read_comparisons(path, ["jay", "wren", "tit", "crow"]) == Comparisons(
                [(1, 2, 0)] * 3, [Answer.YES, Answer.DONT_KNOW, Answer.NO], ["ada"] * 3
            )

    def test_plain_comparisons(self, tmp_path):
        plain = Comparisons([(0, 1, 2), (3, 1, 0)], ["yes", "dk"])
        plain.to_csv(tmp_path / "plain.csv", STUDY.ids)
        plain.to_json(tmp_path / "plain.json", STUDY.ids)
        assert read_comparisons(tmp_path / "plain.csv", STUDY.ids) == plain
        assert read_comparisons(tmp_path / "plain.json", STUDY.ids) == plain


def salmon(rows, **columns):
    """Write what Salmon's dashboard offers: numbers, HTML and file names of each item, and much else."""
    names = ["dogs/rex.png", "cat 1.jpg", "fish.gif", "<b>text</b>"]
    html = [f'<img width="300px" src="/static/targets/{name}" />' for name in names[:3]] + names[3:]
    text = io.StringIO()
    writer = None
    for place, (head, left, right, winner) in enumerate(rows):
        loser = right if winner == left else left
        row = {"head": head, "left": left, "right": right, "winner": winner, "sampler": "ARR", "score": 0.5}
        row |= {"puid": "rl7Sx", "response_time": 1.234, "network_latency": 0.02, "loser": loser}
        row |= {"time_received": 1600000000.25 + place}
        for role in ("left", "right", "head", "winner", "loser"):
            row[f"{role}_html"], row[f"{role}_filename"] = html[row[role]], names[row[role]]
        row |= {"datetime_received": f"2020-09-13T12:26:{40 + place}.250000", "num_responses": place + 1}
        row = {name: columns.get(name, value) for name, value in row.items() if columns.get(name) != "gone"}
        if writer is None:
            writer = csv.DictWriter(text, list(row))
            writer.writeheader()
        writer.writerow(row)
    return text.getvalue()


class TestSalmon:
    ROWS = [(0, 1, 2, 1), (2, 0, 1, 1), (3, 0, 1, 0)]
    IDS = ["fish", "rex.png", "a/cat 1.jpg", "<b>text</b>"]

    def store(self, ids=IDS):
        store = MemoryStore()
        store.open_study(Study("s", "f", ids))
        return store

    def path(self, tmp_path, content):
        (tmp_path / "responses.csv").write_text(content)
        return tmp_path / "responses.csv"

    def test_items_are_found_by_name(self, tmp_path):
        path = self.path(tmp_path, salmon(self.ROWS))
        store = self.store()
        assert import_answers(store, "s", path) == Imported(3, 3)
        assert import_answers(store, "s", path) == Imported(3, 0)
        first, second, third = store.answers("s")
        assert first.shown.triplet == ("rex.png", "a/cat 1.jpg", "fish")
        assert third.shown.triplet == ("<b>text</b>", "rex.png", "a/cat 1.jpg")
        assert [answer.reply for answer in (first, second, third)] == ["yes", "no", "yes"]
        assert (first.shown.annotator, first.shown.rule, first.shown.score) == ("rl7Sx", "ARR", 0.5)
        assert (first.shown.left, first.shown.purpose, first.response_ms) == ("j", "question", 1234)
        assert first.at == datetime(2020, 9, 13, 12, 26, 40, 250000, tzinfo=UTC)
        assert (first.at - first.shown.at).total_seconds() == 1.234
        assert read_comparisons(path, self.IDS).triplets.tolist() == [[1, 2, 0], [0, 1, 2], [3, 1, 2]]

    def test_items_are_found_by_position(self, tmp_path):
        path = self.path(tmp_path, salmon(self.ROWS))
        store = self.store(["p", "q", "r", "s"])
        with pytest.raises(ValueError, match=r"line 2 of .*head is 'dogs/rex.png'.*--by-position"):
            import_answers(store, "s", path)
        import_answers(store, "s", path, by_position=True)
        assert [answer.shown.triplet for answer in store.answers("s")] == [
            ("p", "q", "r"),
            ("r", "p", "q"),
            ("s", "p", "q"),
        ]
        with pytest.raises(ValueError, match="head is item 3, but the study has 3"):
            import_answers(self.store(["p", "q", "r"]), "s", path, by_position=True)

    def test_numbers_alone_are_ids(self, tmp_path):
        path = self.path(
            tmp_path, "head,left,right,winner,puid,time_received\n10,11,12,12,,5\n10.0,11.0,12.0,11.0,,6\n"
        )
        store = self.store(["10", "11", "12"])
        import_answers(store, "s", path)
        assert [answer.reply for answer in store.answers("s")] == ["no", "yes"]
        assert store.answers("s")[0].response_ms is None
        assert store.answers("s")[0].shown.rule == "Salmon"

    def test_a_name_that_two_items_share_is_refused(self, tmp_path):
        path = self.path(tmp_path, salmon(self.ROWS))
        with pytest.raises(ValueError, match="or several"):
            import_answers(self.store(["a/fish.gif", "b/fish.gif", *self.IDS[1:]]), "s", path)

    def test_the_time_may_be_written_out(self, tmp_path):
        path = self.path(tmp_path, salmon(self.ROWS[:1], time_received="gone", response_time=-1))
        store = self.store()
        import_answers(store, "s", path)
        (answer,) = store.answers("s")
        assert answer.at == answer.shown.at == datetime(2020, 9, 13, 12, 26, 40, 250000, tzinfo=UTC)
        assert answer.response_ms is None

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"winner": 2}, "the winner '2' is neither left nor right"),
            ({"head": "x"}, "head is 'x'; Salmon numbers its items"),
            ({"score": "x"}, "score is 'x'; it must be a number"),
            ({"time_received": "gone", "datetime_received": "gone"}, "says when the answer came"),
        ],
    )
    def test_wrong_cells_are_named(self, tmp_path, changes, message):
        path = self.path(tmp_path, salmon([(2, 0, 1, 1)], **changes))
        store = self.store()
        with pytest.raises(ValueError, match=f"line 2 of .*{message}"):
            import_answers(store, "s", path)
        assert store.answers("s") == []


def test_a_file_that_a_spreadsheet_saved(tmp_path):
    store = MemoryStore()
    store.open_study(STUDY)
    store.show("birds", question("a"))
    store.record("birds", "a", "yes", 1)
    content = export_answers(store, "birds").decode().replace('"', "").replace("false", "FALSE")
    path = tmp_path / "saved.csv"
    path.write_text("\ufeff" + content.replace("\n", "\r\n"), newline="")
    assert import_answers(store, "birds", path) == Imported(1, 0)
    assert len(read_rows(path).rows) == 1
    assert json.loads(export_answers(store, "birds", "json"))["study"]["ids"] == list(STUDY.ids)
