"""A labelling session: who sees which question, answers, undo, and a model that is ahead of the people."""

from __future__ import annotations

import math
from collections import OrderedDict
from datetime import UTC, datetime
from threading import Condition, RLock
from time import monotonic
from typing import Any, Literal, cast
from uuid import uuid4

from tercet._random import Seeds
from tercet.answers import Comparisons
from tercet.items import Items
from tercet.labelling._ledger import Ledger, Triplet, digest, is_learned_from
from tercet.labelling._outcome import Choice, Outcome, Standing, UnknownAnswerError, as_reply
from tercet.labelling._planner import Plan, Planner
from tercet.labelling._special import (
    catch_triplet,
    is_catch,
    left_candidate,
    practice_triplets,
    random_triplet,
)
from tercet.labelling._worker import Job, Worker
from tercet.labelling.picture import Painter, View
from tercet.labelling.results import Prospect, Summary, prospect, summarise, was_right
from tercet.labelling.settings import StudySettings
from tercet.queries import Query
from tercet.stores import Recorded, Shown, Store, Study
from tercet.stores.transfer import export_answers

#: Plans that are kept: those of a few undos and of a few people's possible answers.
_KEPT_PLANS = 48
#: A head does not come again within so many questions of an annotator, where that can be avoided.
_RECENT_HEADS = 3
#: The model looks ahead for people who did something in the last so many seconds.
_ACTIVE_SECONDS = 600.0
#: Who watches the results sees a new picture at least every so many seconds, also while answers pour in.
_PATIENCE_OF_WATCHERS = 1.5


class Session:
    """Puts questions about items to people, stores their answers and learns from them.

    Parameters
    ----------
    items : Items
    store : Store
    study : str
        The study's name; one that is in the store goes on with its own settings.
    settings : StudySettings, optional
        For a new study.
    look_ahead : bool
        Learn from each possible answer while the person looks at the question.
    **changes
        Settings that replace those stored, such as ``n_questions=50``; None changes nothing.

    Notes
    -----
    All methods may be called from any thread. One thread of the session's own owns the learner. `answer`
    returns once the answer is on disk. One session a study: another process's answers are seen after a
    restart.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from tercet.items import Items
    >>> from tercet.stores import MemoryStore
    >>> X = load_wine().data
    >>> wine = Items([str(i) for i in range(178)], X, [str(f) for f in range(13)], [None] * 178)
    >>> with Session(wine, MemoryStore(), "wine", n_classes=3) as session:
    ...     shown = session.question("Ann").shown
    ...     session.answer("Ann", shown.key, "left", 900).standing.answered
    1
    """

    def __init__(
        self,
        items: Items,
        store: Store,
        study: str,
        settings: StudySettings | None = None,
        *,
        look_ahead: bool = True,
        **changes: Any,
    ) -> None:
        fresh = (settings or StudySettings()).changed(**changes)
        fresh.check_items(len(items))  # before it is stored
        stored = store.open_study(Study(study, items.fingerprint, items.ids, fresh.to_mapping()))
        self.settings = StudySettings.from_mapping(stored.settings).changed(**changes)
        self.settings.check_items(len(items))
        self.items, self.study = items, study
        self._store = store
        self._seeds = Seeds(self.settings.seed)
        self._planner = Planner(items, self.settings.n_classes, self.settings.seed)
        self._painter = Painter(items, self._seeds.generator("picture"))
        self._practice = practice_triplets(items, self.settings.practice, self._seeds)
        if self.settings.to_mapping() != dict(stored.settings):
            store.save_settings(study, self.settings.to_mapping())
        self._ledger = Ledger(items, store.answers(study), store.waiting(study))
        self._changed = Condition(RLock())
        self._plans: OrderedDict[bytes, Plan] = OrderedDict()
        self._latest: Plan | None = None
        self._failed: dict[bytes, str] = {}  # why the model could not learn from answers of this name
        self._active: dict[str, float] = {}
        self._watched = -_ACTIVE_SECONDS
        self._painted = 0.0
        self._look_ahead = look_ahead
        self._view: View | None = None
        self._summary: tuple[int, Summary] | None = None
        self._worker = Worker(self._changed, self._next_job, self._note_failure)
        self._worker.start()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop learning. The store stays open: it is its owner's to close."""
        self._worker.stop()

    @property
    def problem(self) -> str | None:
        """Why the model could not learn from the newest answers, if it could not."""
        with self._changed:
            return self._failed.get(self._state())

    def question(self, annotator: str, patience: float = 5.0) -> Standing:
        """Return the question before this annotator, a new one if there is none.

        Only where no model was ever learned, right after the start, this waits for the first, and no longer
        than ``patience`` seconds: then any question will do.
        """
        with self._changed:
            if self._ledger.current(annotator) is None and not self._is_done(annotator):
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._latest is not None or self._failed, patience)
            return self._standing(annotator)

    def answer(self, annotator: str, key: str, choice: Choice, response_ms: int | None = None) -> Outcome:
        """Put an answer on disk and return the next question. The same key again changes nothing.

        Raises
        ------
        UnknownAnswerError
            If no question of that key was put to this annotator.
        StoreError
            If the answer could not be stored; it may be given again.
        """
        with self._changed:
            shown = self._ledger.find(key)
            if shown is None:  # perhaps it was taken back; then the store knows it
                shown = next((a.shown for a in self._all_answers() if a.shown.key == key), None)
            if shown is None or shown.annotator != annotator:
                raise UnknownAnswerError(f"no question {key!r} was put to {annotator!r}; reload the page")
            recorded, new = self._store.record(self.study, key, as_reply(choice, shown), response_ms)
            if not recorded.undone:  # also where it is not new: an error may have come after it was stored
                self._ledger.record(recorded)
            standing = self._standing(annotator)
            self._changed.notify_all()
        right = was_right(recorded) if shown.purpose == "practice" else None
        return Outcome(recorded, new, right, standing)

    def undo(self, annotator: str, key: str) -> tuple[Recorded | None, Standing]:
        """Take back an annotator's last answer if its key is this; its question is before them again."""
        with self._changed:
            taken = self._store.undo(self.study, annotator, key)
            if taken is None and key in self._ledger.answers:  # stored before, and then an error came
                taken = next((a for a in self._all_answers() if a.shown.key == key and a.undone), None)
            if taken is not None:
                self._ledger.take_back(taken)
                for shown in self._store.waiting(self.study):
                    if shown.annotator == annotator and self._ledger.find(shown.key) is None:
                        self._ledger.show(shown)
            standing = self._standing(annotator)
            self._changed.notify_all()
            return taken, standing

    def ahead(self, annotator: str) -> list[Triplet]:
        """Return the questions that may come next for this annotator, as far as the model has them."""
        with self._changed:
            shown = self._ledger.current(annotator)
            if shown is None:
                return []
            states = [self._ledger.comparisons]
            if shown.purpose == "question":
                states += [self._after(shown, reply) for reply in ("yes", "no", "dk")]
            plans = [self._plans.get(digest(state)) for state in states]
            chosen = [self._best(annotator, plan) for plan in plans if plan is not None]
            return list(dict.fromkeys(query.triplet for query in chosen if query is not None))

    def summary(self) -> tuple[int, Summary]:
        """Return the figures of the answers so far, after a number that grows with every change."""
        with self._changed:
            revision = self._ledger.revision
            if self._summary is None or self._summary[0] != revision:
                self._summary = revision, summarise(self._ledger.standing)
            return self._summary

    def prospect(self) -> Prospect | None:
        """Return what the newest model expects of further questions; None while it is too early to say."""
        with self._changed:
            return prospect(None if self._latest is None else self._latest.outlook)

    def view(self, patience: float = 0.0, *, newest: bool = False) -> View | None:
        """Return the newest view of what was learned, and have a newer one made if there are new answers.

        Waits for the first, or for that of the ``newest`` answers, and no longer than ``patience`` seconds.
        """
        with self._changed:
            self._watched = monotonic()
            self._changed.notify_all()
            wanted = self._state()

            def is_there() -> bool:
                if self._view is None or not newest:
                    return self._view is not None
                return self._view.name in (wanted, self._state())

            if patience:
                self._changed.wait_for(lambda: is_there() or wanted in self._failed, patience)
            return self._view

    def learned(self, patience: float = 60.0) -> bool:
        """Wait until the model has learned from every answer; return whether it has."""
        with self._changed:
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._state() in self._plans, patience)

    def save_texts(self, **texts: str) -> None:
        """Store new texts of the pages."""
        changed = self.settings.changed(texts=type(self.settings.texts)(**texts))
        self._store.save_settings(self.study, changed.to_mapping())
        self.settings = changed

    def export(self, format: Literal["csv", "json", "parquet"]) -> bytes:
        """Return every answer as a file's content."""
        return export_answers(self._store, self.study, format)

    # What follows is called with the lock held.

    def _all_answers(self) -> list[Recorded]:
        return self._store.answers(self.study, undone=True)

    def _standing(self, annotator: str) -> Standing:
        self._active[annotator] = monotonic()
        mine = self._ledger.of(annotator)
        answered = sum(map(is_learned_from, mine))
        shown = self._ledger.current(annotator)
        if shown is None and not self._is_done(annotator):
            shown = self._new_question(annotator)
        practised = sum(answer.shown.purpose == "practice" for answer in mine)
        practising = shown is not None and shown.purpose == "practice"
        return Standing(
            shown,
            answered,
            self.settings.n_questions,
            (practised + 1, len(self._practice)) if practising else None,
            mine[-1].shown.key if mine else None,
        )

    def _is_done(self, annotator: str) -> bool:
        return sum(map(is_learned_from, self._ledger.of(annotator))) >= self.settings.n_questions

    def _new_question(self, annotator: str) -> Shown | None:
        mine = self._ledger.of(annotator)
        practised = sum(answer.shown.purpose == "practice" for answer in mine)
        number = len(mine) + len(self._ledger.waiting_for(annotator))
        if practised < len(self._practice):
            return self._show(annotator, number, self._practice[practised], "practice")
        last = mine[-1].shown.purpose if mine else "practice"
        if last == "question" and is_catch(annotator, number, self.settings.catch_every, self._seeds):
            triplet = catch_triplet(len(self.items), annotator, number, self._seeds)
            return self._show(annotator, number, triplet, "catch")
        plan = self._plans.get(self._state()) or self._latest
        query = None if plan is None else self._best(annotator, plan)
        if plan is not None and query is not None:
            return self._show(annotator, number, query.triplet, "question", plan.rule, query)
        for attempt in range(1000):
            triplet = random_triplet(len(self.items), annotator, number * 1000 + attempt, self._seeds)
            if not self._ledger.was_asked(triplet):
                return self._show(annotator, number, triplet, "question", "any")
        return None  # everything was asked

    def _show(
        self,
        annotator: str,
        number: int,
        triplet: Triplet,
        purpose: Literal["question", "practice", "catch"],
        rule: str | None = None,
        query: Query | None = None,
    ) -> Shown:
        head, j, k = (self.items.ids[place] for place in triplet)
        shown = Shown(
            key=uuid4().hex,
            annotator=annotator,
            triplet=(head, j, k),
            left=cast(Literal["j", "k"], left_candidate(annotator, number, self._seeds)),
            purpose=purpose,
            rule=rule or purpose,
            score=None if query is None or math.isnan(query.score) else query.score,
            probabilities=None if query is None else query.probabilities,
            at=datetime.now(UTC),
        )
        self._store.show(self.study, shown)
        self._ledger.show(shown)
        self._changed.notify_all()  # there is something to look ahead for
        return shown

    def _best(self, annotator: str, plan: Plan) -> Query | None:
        """Return the plan's best question that was not asked, about a head not just seen where possible."""
        mine = [answer.shown for answer in self._ledger.of(annotator)[-_RECENT_HEADS:]]
        mine += self._ledger.waiting_for(annotator)
        recent = {self.items.index[shown.triplet[0]] for shown in mine[-_RECENT_HEADS:]}
        left = [query for query in plan.queries if not self._ledger.was_asked(query.triplet)]
        return next((query for query in left if query.triplet[0] not in recent), left[0] if left else None)

    def _state(self) -> bytes:
        return digest(self._ledger.comparisons)

    def _after(self, shown: Shown, reply: str) -> Comparisons:
        return self._ledger.comparisons.append(self._ledger.triplet(shown), reply, shown.annotator)

    def _next_job(self) -> Job | None:
        """Return the most urgent thing to compute: this model, its picture, then the models to come."""
        comparisons = self._ledger.comparisons
        name = digest(comparisons)
        if name in self._failed:
            return None
        plan = self._plans.get(name)
        if plan is not None:
            self._latest = plan
        now, newest = monotonic(), self._latest
        is_watched = now - self._watched < _ACTIVE_SECONDS
        is_new = newest is not None and (self._view is None or self._view.name != newest.name)
        # The newest model is painted once there is nothing else to learn, or after a while all the same.
        is_time = plan is not None or now - self._painted > _PATIENCE_OF_WATCHERS
        if newest is not None and is_watched and is_new and is_time:
            self._painted = now
            return Job(newest.name, lambda: self._paint(newest))
        if plan is None:
            return self._planning(comparisons, self._ledger.reserved())
        if not self._look_ahead or self._planner.counts_classes(len(comparisons) + 1):
            return None
        for annotator in sorted(self._active, key=self._active.__getitem__, reverse=True):
            shown = self._ledger.current(annotator)
            if (
                shown is None
                or shown.purpose != "question"
                or now - self._active[annotator] > _ACTIVE_SECONDS
            ):
                continue
            chances = dict(zip(("yes", "no", "dk"), shown.probabilities or (0.4, 0.4, 0.2), strict=True))
            for reply in sorted(chances, key=chances.__getitem__, reverse=True):
                after = self._after(shown, reply)
                if digest(after) not in self._plans and digest(after) not in self._failed:
                    return self._planning(after, self._ledger.reserved(without=shown))
        return None

    def _is_of_the_past(self, plan: Plan) -> bool:
        """Return whether a plan is of these answers or the first of them, and newer than the latest such."""
        answers, latest = self._ledger.comparisons, self._latest
        if plan.n_answers > len(answers) or digest(answers[: plan.n_answers]) != plan.name:
            return False
        return (
            latest is None
            or latest.n_answers <= plan.n_answers
            or digest(answers[: latest.n_answers]) != latest.name
        )

    def _note_failure(self, job: Job, error: Exception) -> None:
        self._failed[job.name] = f"{type(error).__name__}: {error}"
        self._changed.notify_all()

    def _planning(self, comparisons: Comparisons, reserved: list[Triplet]) -> Job:
        told = self._ledger.told()

        def work() -> None:  # in the worker's thread, without the lock
            plan = self._planner.plan(comparisons, reserved, told)
            with self._changed:
                self._plans[plan.name] = plan
                while len(self._plans) > _KEPT_PLANS:
                    self._plans.popitem(last=False)
                # People may be faster: a model of some of their answers is better than an older one.
                if self._is_of_the_past(plan):
                    self._latest = plan
                self._changed.notify_all()

        return Job(digest(comparisons), work)

    def _paint(self, plan: Plan) -> None:  # in the worker's thread, without the lock
        view = self._painter.view(plan.name, plan.n_answers, plan.metric)
        with self._changed:
            self._view = view
            self._changed.notify_all()
