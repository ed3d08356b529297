"""A learner whose metric has beliefs of its own."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from tercet import ActiveLearner, ClassOracle, Comparisons
from tercet._propagation import informed
from tercet.beliefs import ClusterForest, LatentClass
from tercet.experiments.protocol import Trial
from tercet.information import information_about_models
from tercet.latent import _choices
from tercet.metrics import LatentClassMetric, SchultzJoachims
from tercet.pools import ExhaustivePool, SampledPool
from tercet.queries import PoolExhaustedError
from tercet.selection import Info, ModelInfo, Nonredundant, Random
from tercet.triplets import question_numbers

X, y = make_blobs(60, centers=3, n_features=4, cluster_std=3.0, random_state=0)
RULES = [
    ModelInfo(),
    Info(),
    Info("pool"),
    Info(dont_know="informative", error=0.1),
    Random(),
    Nonredundant(),
]


def make(random_state=0, **parts):
    return ActiveLearner(X, **parts, random_state=random_state)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_every_rule_asks_and_no_question_twice(rule):
    learner = make(n_classes=3, selector=rule).run(ClassOracle(y), 20)
    assert len(np.unique(question_numbers(learner.comparisons.triplets, 60))) == 20
    assert learner.beliefs_.shape == (60, 3)
    (query,) = learner.ask()
    assert sum(query.probabilities or (1,)) == pytest.approx(1)


def test_what_the_answers_chose_is_there_after_a_restart():
    rng = np.random.default_rng(0)
    angle, ring = rng.uniform(0, 2 * np.pi, 150), np.arange(150) % 2
    rings = (1 + 2 * ring[:, None]) * np.column_stack([np.cos(angle), np.sin(angle)])
    rings += 0.2 * rng.normal(size=rings.shape)
    whole = ActiveLearner(rings, 2, random_state=0).run(ClassOracle(ring), 70)
    metric = whole.metric_
    assert (metric.ridge_, metric.model_.shares) != (
        0.6,
        (0.0, 1.0, 3.0) * 2,
    )  # rings want more of the kernel
    again = ActiveLearner(rings, 2, random_state=0, comparisons=whole.comparisons)
    assert (again.metric_.ridge_, again.metric_.model_.shares) == (metric.ridge_, metric.model_.shares)
    np.testing.assert_array_equal(again.metric_.distances(rings), metric.distances(rings))
    assert again.ask() == whole.ask()


def test_beliefs_by_a_metric_that_moves_choose_no_more_often(monkeypatch):
    calls, choose = [], _choices._chosen_kinds
    monkeypatch.setattr(_choices, "_chosen_kinds", lambda *a: calls.append(len(a[1])) or choose(*a))
    learner = make(n_classes=3, metric=SchultzJoachims(), beliefs=LatentClass())
    learner.run(ClassOracle(y), 40)
    learner.ask()
    assert calls == [16, 32]
    assert learner._models.fit(learner.comparisons, beliefs=True).beliefs.ridge_ > 0


@pytest.mark.parametrize("n_answers", [0, 10, 30])
def test_many_classes_that_euclid_knows_well_are_left_to_it(n_answers):
    items, labels = load_digits(return_X_y=True)
    trial = Trial.draw(items[:600], labels[:600], run=0, seed=0)
    learner = ActiveLearner(trial.X_train, 10, random_state=0, comparisons=trial.first)
    ours = trial.judge(learner.run(ClassOracle(trial.y_train), n_answers).metric_)
    nothing = np.empty((0, 3), dtype=np.int64)
    euclid = trial.judge(SchultzJoachims(basis="standard", preprocessor=trial.X_train).fit(nothing))
    assert (np.subtract(ours, euclid) > -0.005).all()


def test_a_restart_and_an_undo_change_nothing():
    whole = make(n_classes=3).run(ClassOracle(y), 21)
    for m in (0, 7, 8, 16, 20):
        again = make(n_classes=3, comparisons=whole.comparisons[:m])
        (query,) = again.ask()
        assert query.triplet == tuple(whole.comparisons.triplets[m])
    (query,) = whole.ask()
    whole.tell(query, "dk")
    np.testing.assert_array_equal(whole.undo().triplet, query.triplet)
    again = make(n_classes=3, comparisons=whole.comparisons)
    np.testing.assert_array_equal(whole.metric_.transform(X), again.metric_.transform(X))


def test_a_batch_is_chosen_together():
    learner = make(n_classes=3).run(ClassOracle(y), 4)
    batch = learner.ask(10)
    assert len({query.id for query in batch}) == 10
    assert np.isfinite([query.score for query in batch]).all()
    assert len({item for query in batch for item in query.triplet}) == 30
    for query in batch:
        learner.tell(query, ClassOracle(y)(query.triplet))
    assert len(learner.comparisons) == 14


@pytest.mark.parametrize("pool", [None, SampledPool(50)])
def test_questions_that_wait_together_are_about_different_items(pool):
    parts = {"n_classes": 3, "pool": pool, "selector": None if pool is None else Info()}
    batch = make(**parts).run(ClassOracle(y), 9).ask(15)
    assert len({item for query in batch for item in query.triplet}) == 45
    learner = make(**parts).run(ClassOracle(y), 9)
    one_by_one = [learner.ask()[0] for _ in range(9)]
    assert len({item for query in one_by_one for item in query.triplet}) == 27


def heard_by(learner):
    """What the models believe once they heard the answers about the very items."""
    answers, metric = learner.comparisons, learner.metric_
    errors = np.array([metric.error_of(name) for name in answers.annotators])
    return informed(metric.members(X), answers.triplets, answers.answers.astype(np.int64), errors)


def test_the_error_rate_of_who_is_asked_counts():
    learner = make(n_classes=3)
    oracle, rng = ClassOracle(y), np.random.default_rng(0)
    for number in range(30):
        (query,) = learner.ask()
        if number % 2:
            learner.tell(query, oracle(query.triplet), "careful")
        else:
            learner.tell(query, int(rng.integers(-1, 2)), "careless")
    before, metric, worth = learner.comparisons, learner.metric_, []
    heard = heard_by(learner)
    for name in ("careful", "careless"):
        asked = learner.restore(before).ask(4, annotator=name)
        query = next(query for query in asked if not np.isnan(query.score))  # the others are at random
        gain = information_about_models(heard, [query.triplet], error=metric.error_of(name))
        assert query.score == pytest.approx(gain[0])
        worth.append(query.score)
    assert worth[1] < worth[0]


def test_the_error_rate_of_who_is_asked_counts_in_a_pool_too():
    parts = {"n_classes": 3, "pool": SampledPool(20), "metric": LatentClassMetric(error=None)}
    learner = make(**parts).run(ClassOracle(y), 6)
    (query,) = learner.ask(annotator="somebody new")
    gain = information_about_models(heard_by(learner), [query.triplet], error=0.05)
    assert query.score == pytest.approx(gain[0])


def test_one_question_in_four_to_somebody_named_is_at_random():
    asked = make(n_classes=3)
    batch = np.isnan([query.score for query in asked.ask(200, "ann")])
    assert 0.15 < batch[::2].mean() < 0.35  # also of people who take turns
    assert 0.15 < batch[1::2].mean() < 0.35
    assert not any(np.isnan(query.score) for query in asked.ask(8))
    again = make(n_classes=3).ask(5, "ann") + make(n_classes=3).ask(200, "ann")[5:]
    np.testing.assert_array_equal(np.isnan([query.score for query in again]), batch)


def test_classes_need_not_be_counted():
    learner = make().run(ClassOracle(y), 33)
    assert learner.metric_.n_classes_ >= 2
    assert learner.beliefs_.shape == (60, learner.metric_.n_classes_)


def test_annotators_are_known_and_judged():
    oracle = ClassOracle(y)
    learner = make(n_classes=3)
    rng = np.random.default_rng(0)
    for number in range(60):
        name = "careless" if number % 3 == 0 else "careful"
        (query,) = learner.ask(annotator=name)
        answer = rng.integers(-1, 2) if name == "careless" else oracle(query.triplet)
        learner.tell(query, int(answer), name)
    errors = learner.metric_.errors_
    assert errors["careless"] > 3 * errors["careful"]
    assert learner.comparisons.annotators.tolist()[:3] == ["careless", "careful", "careful"]


def test_what_an_annotator_answers_is_worth_by_their_errors():
    learner = make(n_classes=3).run(ClassOracle(y), 10)
    metric = learner.metric_
    members, nothing = metric.members(X), np.empty((0, 3), int)
    question = np.array([learner.ask()[0].triplet])
    careful, careless = (ModelInfo(error=e).score(question, members, nothing)[0] for e in (0.02, 0.6))
    assert careless < 0.5 * careful


def test_the_beliefs_alone_go_with_any_metric():
    learner = make(n_classes=3, metric=SchultzJoachims(basis="standard"), beliefs=LatentClass())
    learner.run(ClassOracle(y), 10)
    assert learner.beliefs_.shape == (60, 3)
    free = make(metric=SchultzJoachims(basis="standard"), beliefs=LatentClass(n_classes=4))
    assert free.beliefs_.shape == (60, 4)
    # The answers choose, where nobody says how many classes there are.
    unknown = make(metric=SchultzJoachims(basis="standard"), beliefs=LatentClass()).run(ClassOracle(y), 32)
    assert unknown.beliefs_.shape == (60, 3)


@pytest.mark.parametrize("annotator", [5, None, ["ann"]])
def test_who_is_asked_is_named_by_text(annotator):
    with pytest.raises(TypeError, match="annotator must be a name, as text, not"):
        make(n_classes=3).ask(annotator=annotator)


def test_comparing_models_needs_several():
    with pytest.raises(
        ValueError, match=r"ModelInfo\(.*compares several models of the classes; use it with metric="
    ):
        ActiveLearner(X, 3, beliefs=ClusterForest(), selector=ModelInfo())
    with pytest.raises(ValueError, match="compares several models"):
        make(n_classes=3, metric=SchultzJoachims(), selector=ModelInfo())


@pytest.mark.parametrize("max_items", [None, 40])
def test_models_share_the_items_they_learned_from(max_items):
    X, y = make_blobs(90, 4, centers=3, random_state=0)
    more = {} if max_items is None else {"max_items": max_items}
    learner = ActiveLearner(X, 3, random_state=0, **more)
    metrics = []
    for _ in range(4):
        learner.run(ClassOracle(y), 1)
        metrics.append(learner.metric_)
    assert len({metric._seen[0].__array_interface__["data"] for metric in metrics}) == 1
    assert len({id(metric) for metric in metrics}) == 4


@pytest.mark.parametrize("selector", [ModelInfo(max_items=40), Info(max_items=30), Random()], ids=repr)
def test_a_large_collection_is_seen_through_a_sample(selector, tmp_path):
    big, labels = make_blobs(400, centers=3, n_features=4, cluster_std=3.0, random_state=0)
    np.save(tmp_path / "features.npy", big)

    def questions(table):
        learner = ActiveLearner(
            table, 3, metric=LatentClassMetric(), selector=selector, max_items=90, random_state=0
        )
        return learner.run(ClassOracle(labels), 18)

    learner = questions(big)
    assert learner.beliefs_.shape == (400, 3)
    assert 0 < learner.metric_.distance_.weight < 0.3
    assert questions(tmp_path / "features.npy").comparisons == learner.comparisons


def test_dask_and_numpy_ask_the_same(cluster):
    import dask.array as array

    big, labels = make_blobs(200, centers=3, n_features=4, cluster_std=3.0, random_state=0)
    parts = {"metric": LatentClassMetric(), "selector": ModelInfo(), "random_state": 0}
    ours = ActiveLearner(big, 3, **parts).run(ClassOracle(labels), 9)
    theirs = ActiveLearner(array.from_array(big, chunks=(70, 4)), 3, **parts).run(ClassOracle(labels), 9)
    assert theirs.comparisons == ours.comparisons
    np.testing.assert_allclose(theirs.beliefs_.compute(), ours.beliefs_)


def test_a_pool_can_be_given():
    learner = make(n_classes=3, selector=Info(), pool=SampledPool(5)).run(ClassOracle(y), 20)
    assert len(np.unique(question_numbers(learner.comparisons.triplets, 60))) == 20


def test_no_answer_at_all_and_only_dont_knows():
    learner = make(n_classes=3)
    assert learner.metric_.transform(X).shape[0] == 60
    for _ in range(9):
        (query,) = learner.ask()
        learner.tell(query, "dk")
    assert np.isfinite(learner.metric_.distances(X)).all()
    assert learner.comparisons == Comparisons(learner.comparisons.triplets, np.zeros(9))


def test_a_refused_batch_leaves_the_pool_as_it_was():
    learner = ActiveLearner(X[:6], 2, pool=ExhaustivePool(), random_state=0)
    with pytest.raises(PoolExhaustedError, match=r"asked for 6\d questions, but the pool has 4\d left of 60"):
        learner.ask(80, annotator="ann")
    assert len(learner.ask(60, annotator="ann")) == 60
    assert len({query.id for query in learner.pending}) == 60
