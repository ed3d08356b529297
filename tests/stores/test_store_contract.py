"""What every store promises, over memory, SQLite and a real PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from store_questions import STUDY, question

from tercet.stores import OtherItemsError, Study, UnknownQuestionError, UnknownStudyError


def ask(store, *keys, **changes):
    for key in keys:
        store.show("birds", question(key, **changes))


class TestStudies:
    def test_a_study_comes_back_as_it_was_begun(self, store):
        assert store.open_study(replace(STUDY, settings={"seed": 4})) == STUDY
        assert store.study("birds") == STUDY
        assert store.studies() == ["birds"]

    def test_one_database_holds_several(self, store):
        other = Study("fish", "other", ["cod"], {})
        assert store.open_study(other) == other
        ask(store, "a")
        store.record("birds", "a", "yes", 1)
        assert store.studies() == ["birds", "fish"]
        assert store.waiting("fish") == store.answers("fish") == []
        # A key belongs to its study.
        store.show("fish", question("a", triplet=("cod", "cod", "cod"), purpose="catch"))
        assert store.record("fish", "a", "no", 1)[0].number == 1

    def test_other_items_are_refused_and_named(self, store):
        with pytest.raises(OtherItemsError, match=r"'birds'.*about 4 items.*these 2.*'owl' is new.*--study"):
            store.open_study(Study("birds", "new", ["wren", "owl"]))
        with pytest.raises(OtherItemsError, match="'crow' is missing"):
            store.open_study(Study("birds", "new", ["wren", "tit", "jay"]))
        assert store.study("birds") == STUDY

    def test_the_same_items_in_another_order_are_the_same_study(self, store):
        assert store.open_study(Study("birds", "new", list(STUDY.ids)[::-1])) == STUDY

    def test_settings_are_replaced_whole(self, store):
        store.save_settings("birds", {"title": "Songs", "list": [1, None, "ä"]})
        store.save_settings("birds", {"title": "Calls"})
        assert store.study("birds").settings == {"title": "Calls"}
        store.study("birds").settings["title"] = "changed by the caller"
        assert store.open_study(STUDY).settings == {"title": "Calls"}

    @pytest.mark.parametrize("value", [float("nan"), object(), {1, 2}])
    def test_settings_that_are_no_json_are_refused(self, store, value):
        with pytest.raises(ValueError, match="plain JSON"):
            store.save_settings("birds", {"x": value})
        assert store.study("birds") == STUDY

    def test_unknown_studies_are_named(self, store):
        for call in (
            lambda: store.study("bats"),
            lambda: store.waiting("bats"),
            lambda: store.answers("bats"),
            lambda: store.show("bats", question("a")),
            lambda: store.record("bats", "a", "yes", 1),
            lambda: store.undo("bats", "ada"),
            lambda: store.save_settings("bats", {}),
            lambda: store.take("bats", []),
        ):
            with pytest.raises(UnknownStudyError, match=r"no study 'bats'.*it has 'birds'"):
                call()


class TestAnswers:
    def test_an_answer_comes_back_with_everything(self, store):
        plain = question("b", score=None, probabilities=None, purpose="catch", left="j")
        ask(store, "a")
        store.show("birds", plain)
        before = datetime.now(UTC)
        first, new = store.record("birds", "a", "dk", 1234)
        second, _ = store.record("birds", "b", "skip", None)
        assert new
        assert before <= first.at <= second.at <= datetime.now(UTC)
        assert (first.number, first.shown, first.reply, first.response_ms) == (1, question("a"), "dk", 1234)
        assert (second.number, second.shown, second.reply, second.response_ms) == (2, plain, "skip", None)
        assert store.answers("birds") == [first, second]
        assert store.answers("birds", after=1) == [second]
        assert store.answers("birds", after=2) == []

    def test_any_text_and_any_time_zone(self, store):
        shown = question(
            "ключ",
            annotator="<script>'; --",
            triplet=("a\nb", " ", "é😀"),
            at=datetime(2024, 7, 1, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=5, minutes=45))),
        )
        store.show("birds", shown)
        assert store.record("birds", "ключ", "yes", 0)[0].shown == shown
        assert store.answers("birds")[0].shown == shown

    def test_a_repeated_answer_is_recorded_once_and_the_first_holds(self, store):
        ask(store, "a")
        first, _ = store.record("birds", "a", "yes", 10)
        assert store.record("birds", "a", "no", 20) == (first, False)
        assert store.answers("birds") == [first]

    def test_an_answer_to_what_was_never_shown_is_refused(self, store):
        with pytest.raises(UnknownQuestionError, match=r"'b'.*reload"):
            store.record("birds", "b", "yes", 10)
        assert store.answers("birds") == []

    @pytest.mark.parametrize(("reply", "ms"), [("maybe", 1), ("yes", -1), ("yes", 1.5), ("yes", True)])
    def test_wrong_answers_are_refused(self, store, reply, ms):
        ask(store, "a")
        with pytest.raises(ValueError, match=r"unknown answer|response time"):
            store.record("birds", "a", reply, ms)
        assert store.waiting("birds") == [question("a")]

    def test_what_waits(self, store):
        ask(store, "b", "a")
        ask(store, "c", annotator="bob")
        store.show("birds", question("a", left="j"))  # again: nothing changes
        assert store.waiting("birds") == [question("b"), question("a"), question("c", annotator="bob")]
        store.record("birds", "a", "skip", 1)
        assert [shown.key for shown in store.waiting("birds")] == ["b", "c"]
        ask(store, "a")  # it was shown and answered, and stays so
        assert [shown.key for shown in store.waiting("birds")] == ["b", "c"]


class TestUndo:
    def test_the_last_answer_is_taken_back_and_kept(self, store):
        ask(store, "a", "b")
        first, _ = store.record("birds", "a", "yes", 1)
        second, _ = store.record("birds", "b", "no", 1)
        assert store.undo("birds", "ada") == replace(second, undone=True)
        assert store.answers("birds") == [first]
        assert store.answers("birds", undone=True) == [first, replace(second, undone=True)]
        assert store.undo("birds", "ada") == replace(first, undone=True)
        assert store.undo("birds", "ada") is None
        assert store.answers("birds") == []

    def test_the_question_comes_back_under_a_new_key_as_the_newest(self, store):
        ask(store, "a", "b")
        store.record("birds", "a", "yes", 1)
        store.undo("birds", "ada")
        before, again = store.waiting("birds")
        assert before.key == "b"
        assert again.key not in ("a", "b")
        assert replace(again, key="a", at=question("a").at) == question("a")
        # The old answer arrives once more, late: it is known, and does not count.
        repeated, new = store.record("birds", "a", "yes", 1)
        assert not new
        assert repeated.undone
        assert store.answers("birds") == []
        answer, new = store.record("birds", again.key, "no", 5)
        assert new
        assert answer.number == 2
        assert store.answers("birds") == [answer]

    def test_an_undone_answer_given_anew_can_be_undone_and_then_the_one_before(self, store):
        ask(store, "a", "b")
        store.record("birds", "a", "yes", 1)
        store.record("birds", "b", "yes", 1)
        store.undo("birds", "ada")
        again = store.waiting("birds")[-1]
        store.record("birds", again.key, "no", 1)
        assert store.undo("birds", "ada").shown.key == again.key
        assert store.undo("birds", "ada").shown.key == "a"
        assert store.answers("birds") == []
        assert [answer.number for answer in store.answers("birds", undone=True)] == [1, 2, 3]

    def test_nobody_undoes_what_others_said(self, store):
        ask(store, "a")
        ask(store, "b", annotator="bob")
        store.record("birds", "a", "yes", 1)
        store.record("birds", "b", "yes", 1)
        assert store.undo("birds", "eve") is None
        assert store.undo("birds", "ada").shown.key == "a"
        assert [answer.shown.annotator for answer in store.answers("birds")] == ["bob"]

    def test_a_repeated_undo_of_one_answer_does_nothing(self, store):
        ask(store, "a", "b")
        store.record("birds", "a", "yes", 1)
        store.record("birds", "b", "yes", 1)
        assert store.undo("birds", "ada", "b").shown.key == "b"
        assert store.undo("birds", "ada", "b") is None
        assert [answer.shown.key for answer in store.answers("birds")] == ["a"]
        assert len(store.waiting("birds")) == 1


class TestTaking:
    def test_answers_from_elsewhere_keep_all_but_their_numbers(self, store):
        ask(store, "mine")
        mine, _ = store.record("birds", "mine", "yes", 1)
        at = datetime(2020, 1, 1, tzinfo=UTC)
        theirs = [
            replace(mine, number=number, shown=question(key, "bob"), at=at, undone=undone)
            for number, key, undone in ((7, "y", True), (3, "x", False), (9, "z", False))
        ]
        assert store.take("birds", theirs) == 3
        taken = store.answers("birds", after=1, undone=True)
        assert [(a.number, a.shown.key, a.undone) for a in taken] == [
            (2, "x", False),
            (3, "y", True),
            (4, "z", False),
        ]
        assert all(answer.at == at for answer in taken)
        assert store.waiting("birds") == []
        assert store.take("birds", theirs) == 0
        assert store.answers("birds", after=1, undone=True) == taken

    def test_what_was_taken_back_elsewhere_is_taken_back_here(self, store):
        ask(store, "a")
        mine, _ = store.record("birds", "a", "yes", 1)
        assert store.take("birds", [replace(mine, undone=True)]) == 0
        assert store.answers("birds") == []
        assert store.take("birds", [mine]) == 0  # and an older copy does not bring it back
        assert store.answers("birds") == []
        assert store.waiting("birds") == []

    def test_an_answer_to_what_waits_here(self, store):
        ask(store, "a", "b")
        answer, _ = store.record("birds", "b", "yes", 1)
        assert store.take("birds", [replace(answer, number=1, shown=question("a"))]) == 1
        assert store.waiting("birds") == []

    def test_a_key_of_another_question_is_refused_and_nothing_taken(self, store):
        ask(store, "a", "b")
        mine, _ = store.record("birds", "a", "yes", 1)
        other = question("b", triplet=("crow", "tit", "jay"))
        new = replace(mine, shown=question("new"))
        with pytest.raises(ValueError, match="another question"):
            store.take("birds", [new, replace(mine, number=2, shown=other)])
        twice = [new, replace(new, number=2, shown=question("new", "bob"))]
        with pytest.raises(ValueError, match="another question"):
            store.take("birds", twice)
        assert store.answers("birds") == [mine]


def test_many_threads_at_once(store):
    """Eight threads record 40 questions, each of them twice, and somebody takes one back meanwhile."""
    keys = [f"key {number}" for number in range(40)]

    def answer(key):
        store.show("birds", question(key, annotator=key))
        results = [store.record("birds", key, "yes", 1) for _ in range(2)]
        if key.endswith("7"):
            store.undo("birds", key, key)
        return results

    with ThreadPoolExecutor(8) as pool:
        results = [result for pair in pool.map(answer, keys * 2) for result in pair]
    assert sum(new for _, new in results) == 40
    answers = store.answers("birds", undone=True)
    assert [answer.number for answer in answers] == list(range(1, 41))
    assert {answer.shown.key for answer in answers} == set(keys)
    assert sum(answer.undone for answer in answers) == 4
    assert len(store.waiting("birds")) == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": ""}, "needs a key"),
        ({"key": "a\0"}, "the key is .* no proper text"),
        ({"annotator": "\ud800"}, "the annotator is"),
        ({"triplet": ("a", "b")}, "three items"),
        ({"triplet": ("a", "b", "c\0")}, "an item's id"),
        ({"left": "left"}, "unknown left 'left'; it is one of j, k"),
        ({"purpose": "fun"}, "unknown purpose 'fun'"),
        ({"at": datetime(2024, 1, 1)}, "no time zone"),
        ({"probabilities": (0.5, 0.5)}, "three numbers"),
        ({"probabilities": (0.5, 0.5, float("nan"))}, "three numbers"),
    ],
)
def test_a_question_is_checked_when_it_is_made(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(question("a"), **changes)


def test_a_score_that_is_no_number_is_none():
    assert question("a", score=float("nan")).score is None
    assert question("a", score=float("inf")).score is None


@pytest.mark.parametrize(("name", "ids"), [(" ", ["a"]), ("a\0", ["a"]), ("a", ["\udcff.png"])])
def test_a_study_is_checked_when_it_is_made(name, ids):
    with pytest.raises(ValueError, match=r"needs a name|no proper text"):
        Study(name, "f", ids)
