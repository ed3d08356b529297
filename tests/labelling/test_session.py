from collections import Counter
from itertools import pairwise
from queue import Queue
from threading import Event, Semaphore, Thread

import numpy as np
import pytest

from tercet import ActiveLearner, Query
from tercet.items import Items
from tercet.labelling import Session, StudySettings, UnknownAnswerError
from tercet.labelling._planner import BATCH, Planner
from tercet.stores import MemoryStore, SqlStore, StoreError

from .collections import N_CLASSES, choice_of, collection


@pytest.fixture
def store():
    return MemoryStore()


def begin(items, store, **changes):
    return Session(items, store, "study", n_classes=N_CLASSES, **changes)


def answer_all(session, items, labels, annotator="Ann", most=200):
    """Answer until the end; return every question that was shown, in order."""
    shown = []
    standing = session.question(annotator, patience=120)
    while standing.shown is not None and len(shown) < most:
        shown.append(standing.shown)
        choice = choice_of(items, labels, standing.shown)
        standing = session.answer(annotator, standing.shown.key, choice, 900).standing
    return shown


def asked(shown):
    head, *candidates = shown.triplet
    return head, frozenset(candidates)


def test_the_whole_way_for_two_people(store):
    items, labels = collection()
    with begin(items, store, n_questions=25) as session:
        shown = answer_all(session, items, labels, "Ann") + answer_all(session, items, labels, "Ben")
        assert session.question("Ann").shown is None
        assert session.question("Ann").answered == 25
        _, summary = session.summary()
    assert len(shown) == 50
    assert len(set(map(asked, shown))) == 50  # nobody is asked what anybody was asked
    assert Counter(question.left for question in shown).keys() == {"j", "k"}
    assert [a.shown for a in store.answers("study")] == shown
    assert (summary.answered, [person.name for person in summary.annotators]) == (50, ["Ann", "Ben"])


def test_the_next_question_is_that_of_the_model_that_learned_the_answer(store):
    items, labels = collection()
    with begin(items, store) as session:
        standing = session.question("Ann", patience=120)
        for _ in range(4):
            shown = standing.shown
            choice = choice_of(items, labels, shown)
            wait_for_look_ahead(session, "Ann", 3)
            standing = session.answer("Ann", shown.key, choice).standing
        comparisons = session._ledger.comparisons
        learner = ActiveLearner(items.features, N_CLASSES, random_state=0, comparisons=comparisons)
        best = {query.triplet: query for query in learner.ask(BATCH)}
        query = best[tuple(items.index[name] for name in standing.shown.triplet)]
    assert len(comparisons) == 4
    assert standing.shown.score == query.score
    assert standing.shown.probabilities == query.probabilities
    assert standing.shown.rule == repr(learner.selector)


def wait_for_look_ahead(session, annotator, n):
    """Wait until the model is ready for n of the three answers that may come."""
    with session._changed:
        shown = session._ledger.current(annotator)
        states = [session._after(shown, reply) for reply in ("yes", "no", "dk")]
        from tercet.labelling._ledger import digest

        names = [digest(state) for state in states]
        assert session._changed.wait_for(lambda: sum(name in session._plans for name in names) >= n, 120)


def test_the_media_of_what_may_come_are_known_ahead(store):
    items, labels = collection()
    with begin(items, store) as session:
        standing = session.question("Ann", patience=120)
        wait_for_look_ahead(session, "Ann", 3)
        ahead = session.ahead("Ann")
        choice = choice_of(items, labels, standing.shown)
        coming = session.answer("Ann", standing.shown.key, choice).standing.shown
    assert tuple(items.index[name] for name in coming.triplet) in ahead


def test_people_who_are_faster_than_the_model_do_not_wait(store, monkeypatch):
    items, labels = collection(60)
    gate, plan = Event(), Planner.plan
    plans = []

    def slow(self, comparisons, *more):
        if plans:
            gate.wait(120)
        plans.append(plan(self, comparisons, *more))
        return plans[-1]

    monkeypatch.setattr(Planner, "plan", slow)
    with begin(items, store) as session:
        shown = answer_all(session, items, labels, most=BATCH + 5)
        assert len(plans) == 1  # the model never got further
        best = [query.triplet for query in plans[0].queries]
        gate.set()
        assert session.learned()
    triplets = [tuple(items.index[name] for name in question.triplet) for question in shown]
    assert sorted(triplets[:BATCH]) == sorted(best)
    assert {question.rule for question in shown[BATCH:]} == {"any"}
    assert len(set(map(asked, shown))) == BATCH + 5


def test_a_model_that_is_always_late_is_used_and_shown_all_the_same(store, monkeypatch):
    items, labels = collection(60)
    plan, begun, gate = Planner.plan, Queue(), Semaphore(1)

    def late(self, comparisons, *more):
        begun.put(len(comparisons))
        gate.acquire(timeout=120)
        return plan(self, comparisons, *more)

    monkeypatch.setattr(Planner, "plan", late)
    with begin(items, store, look_ahead=False) as session:
        standing = session.question("Ann", patience=120)
        assert begun.get(timeout=120) == 0
        for turn in range(1, BATCH + 9):
            session.view()  # somebody watches
            session._painted = 0.0  # as if seconds had passed since the last picture
            choice = choice_of(items, labels, standing.shown)
            standing = session.answer("Ann", standing.shown.key, choice).standing
            if turn > 1:
                gate.release()  # the model before this answer is learned only now
            assert begun.get(timeout=120) == turn
        assert session._state() not in session._plans
        assert session._latest.n_answers == BATCH + 7
        assert session._view.n_answers >= BATCH
        gate.release()
    assert "any" not in {answer.shown.rule for answer in store.answers("study")}


def test_a_head_does_not_come_again_within_three_questions(store, monkeypatch):
    items, labels = collection(60)
    plan = Planner.plan

    def with_few_heads(self, comparisons, *more):
        made = plan(self, comparisons, *more)
        best = [Query("", (head, 50 + head, other), 1.0) for other in range(10, 30) for head in range(4)]
        return type(made)(made.name, made.n_answers, tuple(best), made.rule, made.metric)

    monkeypatch.setattr(Planner, "plan", with_few_heads)
    with begin(items, store) as session:
        heads = [question.triplet[0] for question in answer_all(session, items, labels, most=20)]
    assert all(head not in heads[place + 1 : place + 4] for place, head in enumerate(heads))


def test_an_undo_is_taken_back_by_the_model(store):
    items, labels = collection()
    with begin(items, store) as session:
        first, second = answer_all(session, items, labels, most=2)
        before = session._ledger.comparisons
        key = session.question("Ann").undoable
        taken, standing = session.undo("Ann", key)
        assert taken.shown == second
        assert standing.shown.triplet == second.triplet
        assert standing.shown.key != second.key
        assert session._ledger.comparisons == before[:1]
        # Sent again, it does nothing.
        assert session.undo("Ann", key)[0] is None
        assert session._ledger.comparisons == before[:1]
        # The late echo of the first answer does not count either.
        assert not session.answer("Ann", second.key, "dk").new
        session.answer("Ann", standing.shown.key, "dk")
        assert session._ledger.comparisons.answers.tolist() == [before.answers[0], 0]
        assert session.learned()
    assert [(a.reply, a.undone) for a in store.answers("study", undone=True)][1:] == [
        (taken.reply, True),
        ("dk", False),
    ]
    assert first.key in {a.shown.key for a in store.answers("study")}


def test_a_skip_is_recorded_and_nothing_is_learned_from_it(store):
    items, _ = collection()
    with begin(items, store, n_questions=3) as session:
        skipped = session.question("Ann", patience=120).shown
        standing = session.answer("Ann", skipped.key, "skip", 100).standing
        assert standing.answered == 0
        assert asked(standing.shown) != asked(skipped)
        assert len(session._ledger.comparisons) == 0
        others = [answer.shown for answer in store.answers("study")]
        while standing.shown is not None:
            others.append(standing.shown)
            standing = session.answer("Ann", standing.shown.key, "dk").standing
    assert [asked(shown) for shown in others].count(asked(skipped)) == 1
    assert [answer.reply for answer in store.answers("study")] == ["skip", "dk", "dk", "dk"]


def test_a_restart_goes_on_with_the_same_question(tmp_path):
    items, labels = collection()
    url = f"sqlite:///{tmp_path / 'study.db'}"

    def run(most):
        store = SqlStore(url)
        with begin(items, store, n_questions=8) as session:
            session.question("Ann", patience=120)
            assert session.learned()
            waiting = [session.question(name, patience=120).shown for name in ("Ann", "Ben")]
            comparisons = session._ledger.comparisons
            answer_all(session, items, labels, "Ann", most=most)
            last = session.question("Ann").shown
        store.close()
        return waiting, comparisons, last

    first, _, last = run(3)
    again, comparisons, _ = run(0)
    assert again == [last, first[1]]
    assert len(comparisons) == 3


def test_the_answers_choose_how_many_classes_there_are(tmp_path):
    items, labels = collection(60)
    url = f"sqlite:///{tmp_path / 'study.db'}"
    undone, numbers = [], []
    for most in (17, 23):  # a restart between
        store = SqlStore(url)
        with Session(items, store, "study") as session:
            answer_all(session, items, labels, most=most)
            assert session.learned()
            view = newest_view(session)
            numbers.append(view.n_clusters)
            comparisons = session._ledger.comparisons
            if not undone:
                undone.append(session.undo("Ann", session.question("Ann").undoable)[0])
        store.close()
    assert session.settings.n_classes is None
    assert len(comparisons) == 39
    learner = ActiveLearner(items.features, random_state=0, comparisons=comparisons)
    assert view.n_clusters == learner.metric_.n_classes_ == N_CLASSES
    assert (
        numbers[0]
        == ActiveLearner(
            items.features,
            random_state=0,
            comparisons=comparisons[:16].append(
                tuple(items.index[name] for name in undone[0].shown.triplet), undone[0].reply, "Ann"
            ),
        ).metric_.n_classes_
    )
    assert sorted(np.bincount(view.labels)) == [20, 20, 20]
    for cluster in range(N_CLASSES):
        assert len(set(labels[view.labels == cluster])) == 1
    np.testing.assert_array_equal(
        view.metric.transform(items.features), learner.metric_.transform(items.features)
    )


def newest_view(session):
    """Return the picture of all answers so far."""
    session.view()
    with session._changed:
        assert session._changed.wait_for(
            lambda: session._view is not None and session._view.name == session._state(), 120
        )
        return session._view


def test_items_may_come_in_another_order_after_a_restart(store):
    items, labels = collection()
    with begin(items, store) as session:
        answer_all(session, items, labels, most=5)
        waiting = session.question("Ann").shown
    turned = Items(items.ids[::-1], items.features[::-1], items.feature_names, items.media)
    with begin(turned, store) as session:
        assert session.question("Ann").shown == waiting
        answers = session._ledger.standing
        triplets = session._ledger.comparisons.triplets
    assert [tuple(turned.ids[place] for place in triplet) for triplet in triplets] == [
        answer.shown.triplet for answer in answers
    ]
    assert len(answers) == 5


def test_settings_stay_with_the_study(store):
    items, _ = collection()
    with begin(items, store, n_questions=7, seed=5) as session:
        session.save_texts(
            title="Birds", instructions="Listen.", consent="", question="Which?", closing="Bye"
        )
    with begin(items, store, practice=2) as session:
        settings = session.settings
    assert (settings.n_questions, settings.seed, settings.practice, settings.texts.title) == (
        7,
        5,
        2,
        "Birds",
    )
    with begin(items, store) as session:
        assert session.settings == settings
    with begin(items, store, settings=StudySettings(n_questions=9)) as session:
        assert session.settings == settings  # defaults are for a new study


def test_practice_and_catch_questions_are_recorded_and_not_learned_from(store):
    items, labels = collection()
    with begin(items, store, n_questions=24, practice=3, catch_every=3) as session:
        shown = answer_all(session, items, labels)
        _, summary = session.summary()
        learned = len(session._ledger.comparisons)
    kinds = Counter(question.purpose for question in shown)
    assert [question.purpose for question in shown[:3]] == ["practice"] * 3
    assert kinds["question"] == learned == 24
    assert 3 <= kinds["catch"] <= 20
    assert all(q.triplet[0] == q.triplet[1] for q in shown if q.purpose == "catch")
    purposes = [question.purpose for question in shown]
    assert ("catch", "catch") not in set(pairwise(purposes))
    (ann,) = summary.annotators
    assert (ann.practice_right, ann.practice) == (3, 3)  # the classes are far apart
    assert (ann.catch_right, ann.catch) == (kinds["catch"], kinds["catch"])


def test_practice_says_whether_it_was_right(store):
    items, labels = collection()
    with begin(items, store, practice=2) as session:
        shown = session.question("Ann", patience=120).shown
        right = choice_of(items, labels, shown)
        outcome = session.answer("Ann", shown.key, {"left": "right", "right": "left"}[right])
        assert outcome.right is False
        shown = outcome.standing.shown
        outcome = session.answer("Ann", shown.key, choice_of(items, labels, shown))
        assert outcome.right is True
        assert outcome.standing.practice is None


def test_the_same_answer_twice_counts_once_and_strangers_are_refused(store):
    items, _ = collection()
    with begin(items, store) as session:
        shown = session.question("Ann", patience=120).shown
        first = session.answer("Ann", shown.key, "left", 10)
        again = session.answer("Ann", shown.key, "right", 20)
        assert (first.new, again.new) == (True, False)
        assert again.recorded == first.recorded
        assert again.standing.shown == first.standing.shown
        with pytest.raises(UnknownAnswerError, match="reload"):
            session.answer("Ben", first.standing.shown.key, "left")
        with pytest.raises(UnknownAnswerError):
            session.answer("Ann", "0" * 32, "left")
        with pytest.raises(ValueError, match="sideways"):
            session.answer("Ann", first.standing.shown.key, "sideways")
    assert len(store.answers("study")) == 1


def test_an_answer_that_cannot_be_stored_changes_nothing(store, monkeypatch):
    items, _ = collection()
    with begin(items, store) as session:
        shown = session.question("Ann", patience=120).shown
        record = store.record

        def full(*arguments):
            raise StoreError("the disk is full")

        monkeypatch.setattr(store, "record", full)
        with pytest.raises(StoreError):
            session.answer("Ann", shown.key, "left")
        assert session.question("Ann").shown == shown
        monkeypatch.setattr(store, "record", record)
        assert session.answer("Ann", shown.key, "left").new


def test_what_was_stored_although_an_error_came_is_known_when_it_is_sent_again(store, monkeypatch):
    items, _ = collection()

    def stores_and_fails(method):
        def attempt(*arguments):
            method(*arguments)
            raise StoreError("the connection was lost")

        return attempt

    with begin(items, store) as session:
        first = session.question("Ann", patience=120).shown
        second = session.answer("Ann", first.key, "left").standing.shown
        with monkeypatch.context() as patch:
            patch.setattr(store, "record", stores_and_fails(store.record))
            with pytest.raises(StoreError):
                session.answer("Ann", second.key, "left")
        again = session.answer("Ann", second.key, "left")
        assert not again.new
        assert again.standing.answered == 2
        assert again.standing.shown.key != second.key
        with monkeypatch.context() as patch:
            patch.setattr(store, "undo", stores_and_fails(store.undo))
            with pytest.raises(StoreError):
                session.undo("Ann", second.key)
        taken, standing = session.undo("Ann", second.key)
        assert taken.shown == second
        assert standing.answered == 1
        assert standing.shown.triplet == second.triplet
        assert standing.undoable == first.key
    assert len(store.answers("study")) == 1


def test_people_go_on_when_the_model_fails(store, monkeypatch, caplog):
    items, labels = collection()
    monkeypatch.setattr(Planner, "plan", lambda *_: 1 / 0)
    with begin(items, store) as session:
        shown = answer_all(session, items, labels, most=3)
        assert session.view(patience=60) is None
        assert session.problem == "ZeroDivisionError: division by zero"
    assert {question.rule for question in shown} == {"any"}
    assert "could not learn" in caplog.text


def test_a_model_of_answers_that_never_came_is_no_problem(store, monkeypatch):
    items, _ = collection()
    plan = Planner.plan

    def fails(planner, comparisons, *more):
        if len(comparisons) == 1:
            raise ArithmeticError("no model")
        return plan(planner, comparisons, *more)

    monkeypatch.setattr(Planner, "plan", fails)
    with begin(items, store) as session:
        shown = session.question("Ann", patience=120).shown
        with session._changed:
            assert session._changed.wait_for(lambda: len(session._failed) == 3, 60)
        assert session.problem is None
        shown = session.answer("Ann", shown.key, "left").standing.shown
        assert session.problem == "ArithmeticError: no model"
        session.answer("Ann", shown.key, "left")
        assert session.learned()
        assert session.problem is None


def test_answers_of_several_threads_are_all_there_once(store):
    items, labels = collection()
    with begin(items, store, n_questions=12) as session:
        session.question("0", patience=120)
        threads = [Thread(target=answer_all, args=(session, items, labels, str(n))) for n in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert session.learned()
    answers = store.answers("study")
    assert [answer.number for answer in answers] == list(range(1, 61))
    assert len({asked(answer.shown) for answer in answers}) == 60


def test_four_items_have_twelve_questions(store):
    items, labels = collection(4)
    with Session(items, store, "study", n_classes=2) as session:
        shown = answer_all(session, items, labels)
        assert session.question("Ann").shown is None
    assert len({asked(question) for question in shown}) == len(shown) == 12


@pytest.mark.parametrize(("n", "n_classes", "words"), [(2, 2, "there are 2"), (5, 9, "9 classes")])
def test_too_few_items(store, n, n_classes, words):
    with pytest.raises(ValueError, match=words):
        Session(collection(n)[0], store, "study", n_classes=n_classes)


def test_many_items_are_seen_through_a_sample(store):
    items, labels = collection(12_000, 2)
    with begin(items, store) as session:
        answer_all(session, items, labels, most=2)
        view = session.view(patience=300)
        assert len(view.sample) == 1000
        assert view.labels.shape == (12_000,)
        assert set(np.unique(view.labels)) <= set(range(N_CLASSES))
