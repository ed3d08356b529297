from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tercet import ActiveLearner
from tercet.labelling import Session, StudySettings, summarise
from tercet.labelling._ledger import Ledger
from tercet.labelling.results import TARGETS, prospect
from tercet.labelling.settings import Texts
from tercet.stopping import Outlook
from tercet.stores import MemoryStore, Recorded, Shown

from .collections import N_CLASSES, choice_of, collection

AT = datetime(2026, 1, 1, tzinfo=UTC)


def answer(number, reply, *, chances=(0.6, 0.3, 0.1), purpose="question", left="j", ms=1000, who="Ann"):
    shown = Shown(f"k{number}", who, ("a", "b", "c"), left, purpose, "Info()", 1.0, chances, AT)
    return Recorded(number, shown, reply, ms, AT)


def test_figures_of_a_few_answers():
    summary = summarise(
        [
            answer(1, "yes"),
            answer(2, "no", left="k", ms=300),
            answer(3, "dk", ms=None),
            answer(4, "skip"),
            answer(5, "yes", purpose="catch"),
            answer(6, "no", purpose="practice"),
            answer(7, "no", who="Ben", left="j", chances=None),
        ]
    )
    assert (summary.answered, summary.decided, summary.dont_know, summary.skipped) == (4, 3, 1, 1)
    assert [point.probability for point in summary.curve] == [0.6, 0.3, 0.1]
    assert [point.agreed for point in summary.curve] == [True, False, False]
    assert summary.curve[-1].running == pytest.approx(1 / 3)
    assert summary.agreement == pytest.approx(1 / 3)  # the don't-know counts: it was not foreseen
    sure = summarise([answer(1, "dk", chances=(0.1, 0.2, 0.7)), answer(2, "no", chances=(0.1, 0.2, 0.7))])
    assert sure.agreement == 0.5
    assert summary.response_ms == ((1, 1000), (2, 300), (7, 1000))
    assert summary.median_ms == 1000
    ann, ben = summary.annotators
    assert (ann.answered, ann.dont_know, ann.skipped, ann.hasty) == (3, 1, 1, 1)
    assert (ann.catch_right, ann.catch, ann.practice_right, ann.practice) == (1, 1, 0, 1)
    assert ann.left_share == 1.0  # yes with j on the left, and no with k on the left
    assert ben.left_share == 0.0


def test_the_running_mean_looks_at_twenty_answers():
    summary = summarise([answer(n, "yes" if n > 20 else "no") for n in range(1, 41)])
    assert summary.curve[19].running == pytest.approx(0.3)
    assert summary.curve[39].running == pytest.approx(0.6)


def test_nothing_yet():
    summary = summarise([])
    assert (summary.answered, summary.agreement, summary.median_ms, summary.annotators) == (0, None, None, ())


def test_settings_come_back_and_strange_ones_are_refused():
    settings = StudySettings(seed=3, n_classes=4, texts=Texts(title="Birds"))
    assert StudySettings.from_mapping({**settings.to_mapping(), "later": 1}) == settings
    for wrong in ({"catch_every": 1}, {"n_questions": 0}, {"n_classes": 1}, {"seed": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            StudySettings(**wrong)
    with pytest.raises(ValueError, match="at most"):
        Texts(closing="x" * 20_001)
    with pytest.raises(ValueError, match="plain text"):
        Texts(title="a\0b")


def test_the_next_target_is_above_what_was_reached():
    for accuracy, target in ((0.3, 0.8), (0.8, 0.9), (0.94, 0.95), (0.96, 0.99)):
        found = prospect(Outlook(64, accuracy, 0.001))
        assert (found.accuracy, found.target) == (accuracy, target)
        assert found.left == Outlook(64, accuracy, 0.001).questions_left(target)
    assert prospect(Outlook(64, 0.995, 0.0)).left == 0
    assert prospect(Outlook(64, 0.9, 0.0)).left is None  # no progress, nobody can say
    assert prospect(Outlook(6, 0.9, float("nan"))) is None
    assert prospect(None) is None
    assert sorted(TARGETS) == list(TARGETS)


def test_a_session_expects_what_the_learner_does():
    items, labels = collection()
    with Session(items, MemoryStore(), "study", n_classes=N_CLASSES) as session:
        standing = session.question("Ann", patience=120)
        for count in range(12):
            assert (session.prospect() is None) or count >= 9  # too early to say
            choice = choice_of(items, labels, standing.shown)
            standing = session.answer("Ann", standing.shown.key, choice).standing
        assert session.learned()
        found = session.prospect()
        comparisons, told = session._ledger.comparisons, session._ledger.told()
    learner = ActiveLearner(items.features, N_CLASSES, random_state=0)
    assert found == prospect(learner.restore(comparisons, told=told).outlook())
    assert found != prospect(learner.restore(comparisons).outlook())  # nobody knows what was expected
    assert found.n_answers == 12


def test_practice_about_a_question_that_somebody_answered_hides_nothing():
    items, _ = collection()
    shown = replace(answer(1, "yes").shown, triplet=tuple(items.ids[:3]))
    practice = replace(shown, key="k2", annotator="Ben", purpose="practice", probabilities=None)
    ledger = Ledger(items, [replace(answer(1, "yes"), shown=shown)], [practice])
    assert [query.probabilities for query in ledger.told()] == [(0.6, 0.3, 0.1)]
