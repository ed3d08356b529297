import copy
import io
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import Answer, Comparisons


@st.composite
def records(draw, max_items=9):
    triplets = draw(
        st.lists(st.lists(st.integers(0, max_items - 1), min_size=3, max_size=3, unique=True), max_size=8)
    )
    answers = draw(st.lists(st.sampled_from([1, -1, 0]), min_size=len(triplets), max_size=len(triplets)))
    return Comparisons(triplets, answers)


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("yes", 1),
        ("No", -1),
        (" dk ", 0),
        ("don't know", 0),
        (1, 1),
        (-1, -1),
        (0, 0),
        (Answer.NO, -1),
        (1.0, 1),
    ],
)
def test_answers_are_read_in_every_form(given_, expected):
    assert Answer(given_) == expected


@pytest.mark.parametrize("wrong", ["maybe", 2, None, "", 0.5])
def test_unknown_answers_are_named(wrong):
    with pytest.raises(ValueError, match=r"unknown answer .*use Answer\.YES"):
        Comparisons().append((0, 1, 2), wrong)


@pytest.mark.parametrize("wrong", [True, False])
def test_booleans_are_refused_since_false_would_read_as_dont_know(wrong):
    with pytest.raises(ValueError, match="say 'yes', 'no' or 'dk'"):
        Comparisons().append((0, 1, 2), wrong)
    with pytest.raises(ValueError, match="unknown answer"):
        Comparisons([(0, 1, 2)], [wrong])


def test_numeric_arrays_are_checked_value_by_value():
    with pytest.raises(ValueError, match="unknown answer 3"):
        Comparisons([(0, 1, 2), (0, 1, 3)], np.array([1, 3]))
    with pytest.raises(ValueError, match=r"shape \(m,\)"):
        Comparisons([(0, 1, 2)], [[1]])


@pytest.mark.parametrize(
    ("triplets", "message"),
    [
        ([(0, 1, 1)], r"triplet 0 is \(0, 1, 1\).*three different"),
        ([(0, 1, 2), (3, 4, 3)], r"triplet 1 is \(3, 4, 3\)"),
        ([(0, -1, 2)], r"triplet 0 is \(0, -1, 2\).*0 or more"),
        ([(0, 1)], r"shape \(m, 3\)"),
        ([(0.5, 1, 2)], "integers"),
    ],
)
def test_bad_triplets_are_named(triplets, message):
    with pytest.raises(ValueError, match=message):
        Comparisons(triplets, ["yes"] * len(triplets))


def test_forms_may_be_mixed_and_booleans_do_not_slip_through():
    assert Comparisons([(0, 1, 2)] * 4, [Answer.YES, "no", 0, "1"]).answers.tolist() == [1, -1, 0, 1]
    with pytest.raises(ValueError, match="unknown answer False"):
        Comparisons([(0, 1, 2)] * 2, [False, 1])


def test_copies_cannot_be_changed_either():
    record = Comparisons([(0, 1, 2)], [1])
    for twin in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert twin == record
        assert not twin.triplets.flags.writeable
        assert not twin.answers.flags.writeable


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_failed_save_leaves_the_old_file(form, tmp_path):
    path = tmp_path / "answers"
    record = Comparisons([(0, 1, 2)], ["yes"])
    getattr(record, f"to_{form}")(path, ids=["a", "b", "c"])
    before = path.read_bytes()
    for ids in (["a", "b"], ["a", "b", "\ud800"]):  # too few, and one that no file can hold
        if form == "json" and len(ids) == 3:
            continue  # JSON escapes it
        with pytest.raises(ValueError, match=r"0 to 1|surrogates"):
            getattr(record, f"to_{form}")(path, ids=ids)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["answers"]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="1 triplets but 2 answers"):
        Comparisons([(0, 1, 2)], [1, 1])


def test_a_record_cannot_be_changed():
    source = np.array([[0, 1, 2]])
    record = Comparisons(source, [1])
    source[0, 0] = 7
    assert record.triplets[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        record.triplets[0, 0] = 7
    with pytest.raises(AttributeError):
        record.answers = [0]
    with pytest.raises(TypeError, match="unhashable"):
        hash(record)


def test_append_leaves_the_first_record_alone():
    record = Comparisons([(0, 1, 2)], ["yes"])
    longer = record.append((3, 4, 5), Answer.DONT_KNOW)
    assert (len(record), len(longer)) == (1, 2)
    assert list(longer) == [((0, 1, 2), Answer.YES), ((3, 4, 5), Answer.DONT_KNOW)]
    assert longer[:1] == record
    assert longer != record
    assert record != "something else"


def test_one_row_by_number_is_refused_with_the_way_out():
    with pytest.raises(TypeError, match="slices and masks"):
        Comparisons([(0, 1, 2)], [1])[0]


def test_ordered_puts_the_closer_item_second_and_drops_dont_knows():
    record = Comparisons([(0, 1, 2), (3, 4, 5), (6, 7, 8)], ["no", "dk", "yes"])
    assert record.ordered().tolist() == [[0, 2, 1], [6, 7, 8]]
    assert len(record.decided) == 2
    assert record.yes_no_share == pytest.approx(2 / 3)
    assert np.isnan(Comparisons().yes_no_share)
    assert Comparisons().ordered().shape == (0, 3)


@given(records())
def test_swapping_twice_changes_nothing_and_keeps_the_meaning(record):
    swapped = record.swapped()
    assert swapped.swapped() == record
    assert np.array_equal(swapped.ordered(), record.ordered())
    assert [answer.swapped for _, answer in record] == [answer for _, answer in swapped]


@given(records(), records())
def test_extend_is_concatenation(first, second):
    assert list(first.extend(second)) == list(first) + list(second)


IDS = ["wren 1", 'quo"te', "comma, inside", "línea", "new\nline\rback", 5, "=1+1", "x", ""]


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("ids", [None, IDS])
@given(record=records())
def test_round_trip_through_text(form, ids, record):
    stream = io.StringIO(newline="")
    getattr(record, f"to_{form}")(stream, ids=ids)
    stream.seek(0)
    assert getattr(Comparisons, f"from_{form}")(stream, ids=ids) == record


@pytest.mark.parametrize("form", ["csv", "json"])
def test_round_trip_through_a_file(form, tmp_path):
    record = Comparisons([(0, 1, 2), (3, 2, 1)], ["no", "dk"])
    path = tmp_path / f"answers.{form}"
    getattr(record, f"to_{form}")(path, ids=IDS)
    assert getattr(Comparisons, f"from_{form}")(str(path), ids=IDS) == record
    assert "wren 1" in path.read_text(encoding="utf-8")


def test_numbers_and_spaces_in_a_csv_are_read():
    text = io.StringIO("i,j,k,answer\n0, 1, 2, -1\n")
    assert Comparisons.from_csv(text) == Comparisons([(0, 1, 2)], ["no"])


def test_a_spreadsheets_csv_is_read(tmp_path):
    path = tmp_path / "excel.csv"
    path.write_bytes("﻿when,answer,i,j,k\r\nnow,YES,0,1,2\r\n".encode())
    assert Comparisons.from_csv(path) == Comparisons([(0, 1, 2)], ["yes"])


@pytest.mark.parametrize(
    ("text", "ids", "message"),
    [
        ("i,j,answer\n0,1,yes\n", None, "no column k"),
        ("", None, "no column i, j, k, answer"),
        ("i,j,k,answer\n0,1,2,yes\n0,1,3,perhaps\n", None, "line 3: unknown answer 'perhaps'"),
        ("i,j,k,answer\na,b,c,yes\n", None, "line 2: 'a' is no item index; pass ids="),
        ("i,j,k,answer\na,b,z,yes\n", ["a", "b", "c"], "line 2: unknown item id 'z'"),
        ("i,j,k,answer\n0,1,1,yes\n", None, r"line 2: \(0, 1, 1\) repeats an item"),
        (f"i,j,k,answer\n0,1,{2**70},yes\n", None, "line 2: '1180591620717411303424' is no item index"),
        ("i,j,k,answer\n0,1\n", None, "line 2: None is no item index"),
        ("i,j,k,answer\n0,1,2,yes\n", ["a", "a", "b"], "'a' stands for two items"),
    ],
)
def test_bad_csv_is_named_by_line(text, ids, message):
    with pytest.raises(ValueError, match=message):
        Comparisons.from_csv(io.StringIO(text), ids=ids)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "no record of comparisons"),
        ({"format": "tercet-comparisons", "version": 9}, "version 9"),
        ({"format": "tercet-comparisons", "version": 1}, "must be a list"),
        (
            {
                "format": "tercet-comparisons",
                "version": 1,
                "comparisons": [{"i": 0, "j": 1, "k": True, "answer": 1}],
            },
            "comparison 0: True is no item index",
        ),
    ],
)
def test_bad_json_is_named(content, message):
    with pytest.raises(ValueError, match=message):
        Comparisons.from_json(io.StringIO(json.dumps(content)))


def test_ids_must_cover_the_items():
    with pytest.raises(ValueError, match=r"item indices must be 0 to 1"):
        Comparisons([(0, 1, 2)], [1]).to_csv(io.StringIO(), ids=["a", "b"])


def test_annotators_go_with_their_answers(tmp_path):
    record = Comparisons([(0, 1, 2)], ["yes"]).append((3, 4, 5), "dk", "ann").append((6, 7, 8), "no", "ben")
    assert record.annotators.tolist() == ["", "ann", "ben"]
    assert record[1:].annotators.tolist() == ["ann", "ben"]
    assert record.decided.annotators.tolist() == ["", "ben"]
    assert record.swapped().annotators.tolist() == ["", "ann", "ben"]
    assert record != Comparisons(record.triplets, record.answers)
    record.to_csv(tmp_path / "a.csv")
    record.to_json(tmp_path / "a.json")
    assert Comparisons.from_csv(tmp_path / "a.csv") == record
    assert Comparisons.from_json(tmp_path / "a.json") == record
    assert pickle.loads(pickle.dumps(record)) == record
    with pytest.raises(ValueError, match="annotators must be one text an answer, 1, not"):
        Comparisons([(0, 1, 2)], ["yes"], ["ann", "ben"])
    with pytest.raises(
        ValueError, match=r"annotators must be one text an answer, 1, not \[7\] .*str\(name\)"
    ):
        Comparisons([(0, 1, 2)], ["yes"], [7])


def test_a_record_without_annotators_is_written_as_before(tmp_path):
    Comparisons([(0, 1, 2)], ["yes"]).to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == '"i","j","k","answer"'
