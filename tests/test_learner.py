import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV

from tercet import (
    ActiveLearner,
    AlreadyToldError,
    Answer,
    ClassOracle,
    Comparisons,
    PoolExhaustedError,
    Query,
    UnknownQueryError,
)
from tercet.beliefs import ClusterForest
from tercet.information import answer_probabilities, information_gain
from tercet.metrics import RosalesFung, SchultzJoachims
from tercet.pools import ExhaustivePool, SampledPool
from tercet.selection import Info, Nonredundant, Random
from tercet.triplets import count_questions, question_numbers

X, y = make_blobs(30, centers=3, n_features=4, cluster_std=3.0, random_state=0)
RULES = [
    Info(),
    Info("pool"),
    Info("exact", dont_know="informative"),
    Info(max_items=12),
    Random(),
    Nonredundant(),
]


def make(random_state=0, **parts):
    return ActiveLearner(
        X, **{"n_classes": 3, "beliefs": ClusterForest(n_trees=10), **parts}, random_state=random_state
    )


def snapshot(learner):
    """Everything a user can see."""
    return (
        list(learner.comparisons),
        [query.id for query in learner.pending],
        learner.metric_.components_.tolist(),
        learner.beliefs_.tolist(),
    )


def test_ask_gives_the_best_question_of_the_pool():
    learner = make(pool=ExhaustivePool())
    (query,) = learner.ask()
    every = ExhaustivePool().draw(len(X), np.random.default_rng(0))
    gains = information_gain(learner.beliefs_, every)
    assert query.score == pytest.approx(gains.max())
    assert query.score == pytest.approx(information_gain(learner.beliefs_, [query.triplet])[0])
    np.testing.assert_allclose(
        query.probabilities, answer_probabilities(learner.beliefs_, [query.triplet])[0]
    )
    assert sum(query.probabilities) == pytest.approx(1)
    assert learner.pending == (query,)


@pytest.mark.parametrize("form", [Answer.NO, "no", -1])
def test_tell_takes_every_form_of_answer(form):
    learner = make()
    (query,) = learner.ask()
    assert learner.tell(query, form) is None
    assert list(learner.comparisons) == [(query.triplet, Answer.NO)]
    assert learner.pending == ()


def test_tell_in_any_order_by_query_or_id():
    learner = make()
    first, second, third = learner.ask(3)
    learner.tell(third.id, "yes")
    learner.tell(first, "no")
    learner.tell(second.id, "dk")
    assert list(learner.comparisons) == [
        (third.triplet, Answer.YES),
        (first.triplet, Answer.NO),
        (second.triplet, Answer.DONT_KNOW),
    ]


@pytest.mark.parametrize("rule", [Info(), Random(), Nonredundant()], ids=repr)
def test_no_question_is_asked_twice_until_the_pool_is_empty(rule):
    small = X[:6]
    learner = ActiveLearner(
        small, 2, selector=rule, beliefs=ClusterForest(n_trees=5), pool=ExhaustivePool(), random_state=0
    )
    asked = []
    while len(asked) < count_questions(6):
        batch = learner.ask(min(7, count_questions(6) - len(asked)))
        for query in batch[::2]:
            learner.tell(query, "dk")
        asked += batch  # every other question stays pending
    numbers = question_numbers(np.array([query.triplet for query in asked]), 6)
    assert sorted(numbers.tolist()) == list(range(count_questions(6)))
    with pytest.raises(PoolExhaustedError, match="the pool has 0 left of 60; use a larger pool"):
        learner.ask()


def test_asking_for_more_than_is_left_changes_nothing():
    learner = make(pool=SampledPool(1))
    with pytest.raises(PoolExhaustedError, match="asked for 31 questions, but the pool has 30 left of 30"):
        learner.ask(31)
    assert learner.pending == ()
    assert len(learner.ask(30)) == 30


def test_a_batch_of_nonredundant_questions_avoids_its_own_items():
    learner = make(selector=Nonredundant(), pool=ExhaustivePool())
    items = [item for query in learner.ask(10) for item in query.triplet]
    assert len(set(items)) == 30
    assert [query.probabilities for query in learner.pending] == [None] * 10


def test_the_best_of_a_batch_comes_first():
    scores = [query.score for query in make().ask(8)]
    assert scores == sorted(scores, reverse=True)


def test_metric_and_beliefs_reflect_every_answer():
    learner = make()
    oracle = ClassOracle(y)
    for _ in range(4):
        (query,) = learner.ask()
        learner.tell(query, oracle(query.triplet))
        told = learner.comparisons
        expected = SchultzJoachims(basis="standard", preprocessor=X).fit(told.triplets, told.answers)
        np.testing.assert_allclose(learner.metric_.weights_, expected.weights_, rtol=1e-2, atol=1e-3)
        assert learner.beliefs_.shape == (30, 3)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_same_seed_same_run(rule):
    runs = [make(seed, selector=rule).run(ClassOracle(y), 6).comparisons for seed in (5, 5, 6)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("told", [0, 1, 5, 8, 11])
def test_a_restart_changes_nothing(rule, told):
    oracle = ClassOracle(y)
    unbroken = make(selector=rule).run(oracle, told)
    restarted = make(selector=rule, comparisons=unbroken.comparisons)
    assert snapshot(restarted) == snapshot(unbroken)
    assert restarted.ask() == unbroken.ask()
    again = make(selector=rule).restore(unbroken.comparisons)
    assert again.run(oracle, 3).comparisons == make(selector=rule).run(oracle, told + 3).comparisons


def test_looking_changes_nothing():
    oracle = ClassOracle(y)
    plain, watched = make(selector=Random()), make(selector=Random())
    for _ in range(6):
        plain.run(oracle, 1)
        watched.run(oracle, 1)
        assert watched.beliefs_.shape == (30, 3)
        assert watched.metric_.transform(X).shape == (30, 4)
    assert snapshot(plain) == snapshot(watched)


@pytest.mark.parametrize("told", [1, 2, 4, 7, 8])
def test_undo_takes_the_answer_back_from_the_models_too(told):
    oracle = ClassOracle(y)
    learner = make().run(oracle, told - 1)
    (query,) = learner.ask()
    before = snapshot(learner)
    learner.tell(query, oracle(query.triplet))
    after = snapshot(learner)
    assert before[2:] != after[2:]
    assert learner.undo() == query
    assert snapshot(learner) == before
    learner.tell(query, oracle(query.triplet))
    assert snapshot(learner) == after


def test_undo_down_to_nothing_and_no_further():
    learner = make().restore(Comparisons([(0, 1, 2), (3, 4, 5)], ["yes", "no"]))
    assert learner.undo().triplet == (3, 4, 5)
    assert learner.undo().triplet == (0, 1, 2)
    with pytest.raises(ValueError, match="no answer to undo"):
        learner.undo()


def test_what_was_restored_is_not_asked_again_even_with_the_candidates_exchanged():
    learner = make(pool=ExhaustivePool())
    (query,) = learner.ask()
    i, j, k = query.triplet
    restored = make(pool=ExhaustivePool(), comparisons=Comparisons([(i, k, j)], ["dk"]))
    numbers = question_numbers(np.array([q.triplet for q in restored.ask(50)]), len(X))
    assert question_numbers(np.array([query.triplet]), len(X))[0] not in numbers


def test_restored_answers_may_repeat_a_question():
    record = Comparisons([(0, 1, 2), (0, 1, 2), (0, 2, 1)], ["yes", "no", "dk"])
    learner = make(comparisons=record)
    assert learner.comparisons == record
    learner.ask()
    learner.undo()
    assert learner.comparisons == record[:2]


def test_from_paper_is_the_papers_configuration():
    learner = ActiveLearner.from_paper(X, n_classes=3, random_state=0)
    assert learner._models.metric.get_params()["basis"] is None
    assert learner._models.metric.get_params()["prior"] == "identity"
    assert learner._models.beliefs.get_params()["n_trees"] == 50
    assert learner._models.beliefs.get_params()["n_starts"] == 10
    assert repr(learner.selector) == "Info('pool', dont_know='uninformative', max_items=None)"
    assert repr(learner.pool) == "SampledPool(multiple=100, most=2000000)"
    assert len(learner.ask()) == 1


def test_from_paper_takes_the_same_keywords():
    record = Comparisons([(0, 1, 2)], ["yes"])
    learner = ActiveLearner.from_paper(
        X,
        metric=RosalesFung(),
        beliefs=ClusterForest(3, 7),
        selector=Random(),
        pool=ExhaustivePool(),
        random_state=1,
        comparisons=record,
    )
    assert isinstance(learner.metric_, RosalesFung)
    assert learner._models.beliefs.get_params()["n_trees"] == 7
    assert repr(learner.selector) == "Random()"
    assert repr(learner.pool) == "ExhaustivePool()"
    assert learner.comparisons == record
    with pytest.raises(TypeError, match="colour"):
        ActiveLearner.from_paper(X, 3, colour="red")


def test_the_users_parts_are_left_alone():
    metric, beliefs = SchultzJoachims(C=5), ClusterForest(3, 10)
    before = metric.get_params(), beliefs.get_params()
    ActiveLearner(X, metric=metric, beliefs=beliefs, random_state=0).run(ClassOracle(y), 3)
    assert (metric.get_params(), beliefs.get_params()) == before
    assert not hasattr(metric, "weights_")
    assert not hasattr(beliefs, "labels_")


def test_a_seed_of_the_users_own_in_a_part_is_kept():
    learner = make(beliefs=ClusterForest(3, 10, warm_start=False, random_state=7), metric=SchultzJoachims())
    expected = ClusterForest(3, 10, random_state=7).fit(X).predict_proba()
    np.testing.assert_array_equal(learner.beliefs_, expected)


@pytest.mark.filterwarnings("ignore:with gamma")
@pytest.mark.parametrize(
    "metric", [RosalesFung(), SchultzJoachims(basis="pca"), SchultzJoachims(preprocessor=X)], ids=repr
)
def test_any_metric_learner(metric):
    learner = make(metric=metric).run(ClassOracle(y), 6)
    assert learner.metric_.transform(X).shape[0] == 30


class Plain:
    """The least that a metric learner of somebody else's can be."""

    def fit(self, triplets):
        if len(triplets) < 2:
            raise ValueError("too few triplets")
        assert triplets.shape[1:] == (3, 4)
        near, far = ((triplets[:, 0] - triplets[:, other]) ** 2 for other in (1, 2))
        self.weights_ = (far - near).mean(axis=0) > 0
        return self

    def transform(self, X):
        return X * self.weights_


def test_a_learner_with_fit_and_transform_only():
    learner = make(metric=Plain(), selector=Random())
    assert isinstance(learner.metric_, SchultzJoachims)  # Euclid, while there are no answers
    learner.restore(Comparisons([(0, 1, 2)], ["no"]))
    with pytest.warns(UserWarning, match=r"Plain could not learn from 1 triplets \(too few triplets\)"):
        assert learner.metric_.transform(X).tolist() == X.tolist()
    learner.restore(Comparisons([(0, 1, 2), (3, 4, 5), (6, 7, 8)], ["no", "yes", "dk"]))
    assert isinstance(learner.metric_, Plain)
    assert learner.beliefs_.shape == (30, 3)


def test_run_with_a_progress_bar(capsys):
    learner = make(selector=Random()).run(ClassOracle(y), 5, progress=True)
    assert len(learner.comparisons) == 5
    assert "5/5" in capsys.readouterr().err


def test_run_returns_the_learner_and_keeps_answers_when_the_pool_ends():
    learner = make(selector=Random(), pool=SampledPool(1))
    with pytest.raises(PoolExhaustedError):
        learner.run(ClassOracle(y), 31)
    assert len(learner.comparisons) == 30


@pytest.mark.parametrize(
    ("features", "n_classes", "message"),
    [
        (
            [[0.0], [np.nan], [2.0]],
            2,
            r"1 values that are NaN or infinite, the first \(nan\) in row 1, column 0",
        ),
        ([[0.0], [np.inf], [2.0]], 2, r"\(inf\) in row 1"),
        ([[0.0], [1.0]], 2, "X has 2 items; a question needs at least 3"),
        ([0.0, 1.0, 2.0], 2, r"X.reshape\(-1, 1\)"),
        (np.empty((3, 0)), 2, "no features"),
        ([["a"], ["b"], ["c"]], 2, "table of numbers"),
        (csr_array(X), 2, r"X is a sparse matrix; give X.toarray\(\)"),
        (X * 1j, 2, "X must be a table .* it holds complex numbers; give their real and imaginary parts"),
        (np.ma.masked_greater(X, X.max() - 0.1), 2, "X is a masked array; fill in what is masked"),
        ([[10**400, 1], [2, 3], [4, 5]], 2, "X must be a table of numbers"),
        (X.astype("datetime64[s]"), 2, "X must be a table .* it holds times; give them as numbers"),
        (X * 1e305 / np.abs(X).max(), 2, "X holds .*e.30[45] in row"),
        (X, 1, "n_classes must be a whole number of at least 2, not 1"),
        (X, 31, "n_classes is 31, but there are only 30 items"),
        (X, 2.5, "n_classes must be a whole number of at least 2, not 2.5"),
        (X, None, "n_classes is missing"),
    ],
)
def test_bad_features_and_classes_are_named(features, n_classes, message):
    with pytest.raises(ValueError, match=message):
        ActiveLearner(features, n_classes, beliefs=ClusterForest())


def test_two_different_numbers_of_classes_are_named():
    with pytest.raises(ValueError, match="n_classes is 3, but the models were given 4"):
        ActiveLearner(X, 3, beliefs=ClusterForest(4))


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_a_wrong_number_of_questions_is_named(n):
    with pytest.raises(ValueError, match=f"n must be a whole number of at least 1, not {n!r}"):
        make().ask(n)


@pytest.mark.parametrize(
    ("mistake", "error", "message"),
    [
        (lambda a, told, open_: a.tell(open_, "perhaps"), ValueError, "unknown answer 'perhaps'"),
        (lambda a, told, open_: a.tell(open_, True), ValueError, "unknown answer True"),
        (lambda a, told, open_: a.tell(open_.id, 7), ValueError, "unknown answer 7"),
        (lambda a, told, open_: a.tell(told, "no"), AlreadyToldError, "has its answer already; undo"),
        (lambda a, told, open_: a.tell(told.id, "no"), AlreadyToldError, "has its answer already"),
        (lambda a, told, open_: a.tell("0-0-0", "no"), UnknownQueryError, "'0-0-0' was never asked"),
        (
            lambda a, told, open_: a.tell(Query("x", (0, 1, 2)), "no"),
            UnknownQueryError,
            "'x' was never asked",
        ),
        (lambda a, told, open_: a.restore(Comparisons([(0, 1, 30)], [1])), ValueError, "must be 0 to 29"),
        (lambda a, told, open_: a.restore(a.comparisons, ["0-1-2"]), TypeError, "pending takes queries"),
        (
            lambda a, told, open_: a.restore(a.comparisons, [Query("x", (0, 1, 2))]),
            TypeError,
            "pending takes",
        ),
        (lambda a, told, open_: a.restore([(0, 1, 2)]), TypeError, "give Comparisons, not list"),
        (lambda a, told, open_: a.run(ClassOracle(y), -1), ValueError, "n_queries must be"),
    ],
)
def test_a_mistake_is_named_and_leaves_the_learner_as_it_was(mistake, error, message):
    learner = make()
    told, open_ = learner.ask(2)
    learner.tell(told, "yes")
    before = snapshot(learner)
    with pytest.raises(error, match=message):
        mistake(learner, told, open_)
    assert snapshot(learner) == before
    learner.tell(open_, "no")


def test_pending_questions_survive_a_restart():
    learner = make()
    first, second = learner.ask(2)
    learner.tell(second, "yes")
    restarted = make().restore(learner.comparisons, pending=learner.pending)
    assert snapshot(restarted) == snapshot(learner)
    restarted.tell(first.id, "no")
    assert list(restarted.comparisons)[-1] == (first.triplet, Answer.NO)
    numbers = question_numbers(np.array([q.triplet for q in restarted.ask(40)]), len(X))
    assert not set(question_numbers(np.array([first.triplet, second.triplet]), len(X))) & set(numbers)


def test_a_stale_list_of_pending_questions_counts_nothing_twice():
    learner = make()
    (query,) = stale = learner.ask()
    learner.tell(query, "yes")
    restarted = make().restore(learner.comparisons, pending=stale)
    assert restarted.pending == ()
    assert make().restore(learner.comparisons.swapped(), pending=stale).pending == ()
    with pytest.raises(AlreadyToldError):
        restarted.tell(query, "yes")


@pytest.mark.parametrize("trouble", ["perhaps", KeyboardInterrupt()])
def test_a_question_that_went_unanswered_in_a_run_is_asked_again(trouble):
    def oracle(triplet):
        if isinstance(trouble, BaseException):
            raise trouble
        return trouble

    learner = make()
    before = snapshot(learner)
    with pytest.raises((ValueError, KeyboardInterrupt)):
        learner.run(oracle, 3)
    assert snapshot(learner) == before
    assert learner.ask() == make().ask()


def test_the_learner_keeps_its_own_features():
    A = X.copy()
    learner = ActiveLearner(A, 3, random_state=0)
    before = learner.ask()
    A *= 0
    assert ActiveLearner(X, 3, random_state=0).ask() == before
    with pytest.raises(ValueError, match="read-only"):
        learner.X[0, 0] = 1


def test_a_part_with_a_stream_of_its_own_does_not_remember():
    def run(look):
        learner = make(beliefs=ClusterForest(3, 10, random_state=np.random.RandomState(0)), selector=Random())
        for _ in range(3):
            learner.run(ClassOracle(y), 1)
            if look:
                assert learner.beliefs_.shape == (30, 3)
        return learner.beliefs_.tolist()

    assert run(look=True) == run(look=False)


class IgnoresAnswers(Plain):
    """scikit-learn's usual signature, by somebody who does not know what y means here."""

    def fit(self, triplets, y=None):
        self.seen_ = triplets
        return super().fit(triplets)


def test_learners_that_do_not_know_answers_get_the_nearer_item_second():
    learner = make(
        metric=IgnoresAnswers(),
        comparisons=Comparisons([(0, 1, 2), (6, 7, 8), (3, 4, 5)], ["no", "yes", "dk"]),
    )
    np.testing.assert_array_equal(learner.metric_.seen_, X[[(0, 2, 1), (6, 7, 8)]])


@pytest.mark.filterwarnings("ignore:GridSearchCV could not learn")
def test_a_grid_search_as_metric():
    search = GridSearchCV(SchultzJoachims(), {"C": [0.1, 1.0]}, cv=2)
    learner = make(metric=search, selector=Random()).run(ClassOracle(y), 12)
    assert learner.metric_.transform(X).shape == (30, 4)


class Broken:
    """A rule whose scores are no numbers."""

    def __init__(self, value):
        self.value = value

    def score(self, triplets, beliefs, asked):
        return np.full(len(triplets), self.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_are_named(value):
    learner = make(selector=Broken(value))
    with pytest.raises(ValueError, match=f"gave the score {value}; scores must be finite"):
        learner.ask(2)
    assert learner.pending == ()
    assert len(make(selector=Broken(0.0)).ask(2)) == 2


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"metric": "sj"},
            "metric must be an object with fit and transform, not 'sj': it has no fit and no transform",
        ),
        ({"metric": SchultzJoachims}, r"write SchultzJoachims\(\)"),
        ({"beliefs": 3}, "beliefs must be an object with fit and predict_proba, not 3"),
        ({"selector": "info"}, "selector must be an object with score, not 'info'"),
        ({"pool": 100}, "pool must be an object with draw, not 100"),
    ],
)
def test_wrong_parts_are_named(parts, message):
    with pytest.raises(TypeError, match=message):
        ActiveLearner(X, 3, **parts)


def test_tell_takes_no_triplet():
    with pytest.raises(TypeError, match=r"tell takes a query or its id, not \[0, 1, 2\]"):
        make().tell([0, 1, 2], "yes")


def test_what_a_learner_looks_like():
    learner = make(comparisons=Comparisons([(0, 1, 2)], ["dk"]))
    learner.ask(2)
    assert (
        repr(learner)
        == "ActiveLearner(30 items of 4 features, Comparisons(0 yes/no, 1 don't know), 2 pending)"
    )


@pytest.mark.parametrize("dont_know", ["uninformative", "informative"])
def test_the_exact_search_finds_what_the_pool_of_all_questions_has(dont_know):
    exact = make(selector=Info("exact", dont_know=dont_know))
    pooled = make(selector=Info(dont_know=dont_know), pool=ExhaustivePool())
    for learner in (exact, pooled):
        learner.restore(Comparisons([(0, 1, 2), (3, 4, 5)], ["yes", "dk"]))
    best, same = exact.ask(5), pooled.ask(5)
    np.testing.assert_allclose([q.score for q in best], [q.score for q in same])
    np.testing.assert_allclose(
        [q.probabilities for q in best],
        answer_probabilities(exact.beliefs_, [q.triplet for q in best]),
    )


def test_every_question_is_asked_once_and_then_there_is_none():
    few, classes = X[:5], ClassOracle(y[:5])
    learner = ActiveLearner(few, 2, beliefs=ClusterForest(n_trees=5), random_state=0)
    with pytest.raises(
        PoolExhaustedError, match="asked for 31 questions, but only 30 are left about 5 items"
    ):
        learner.ask(31)
    learner.ask(3)
    learner.run(classes, 27)
    asked = [*learner.comparisons.triplets.tolist(), *(query.triplet for query in learner.pending)]
    assert len(set(question_numbers(np.array(asked), 5))) == count_questions(5) == 30
    with pytest.raises(PoolExhaustedError, match="only 0 are left about 5 items; stop here"):
        learner.ask()


def test_a_search_among_few_items_takes_others_each_time():
    learner = make(selector=Info(max_items=6)).run(ClassOracle(y), 20)
    assert len(np.unique(learner.comparisons.triplets)) > 12


def test_a_given_pool_is_used():
    pool = SampledPool(multiple=1)
    learner = make(pool=pool)
    (query,) = learner.ask()
    candidates = pool.draw(len(X), learner._seeds.generator("pool"))
    assert list(query.triplet) in candidates.tolist()
    with pytest.raises(ValueError, match=r"Info\('exact', .*looks for itself, so pool=.* is of no use"):
        make(pool=pool, selector=Info("exact"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"search": "best"}, "search must be one of 'auto', 'exact', 'pool', not 'best'"),
        ({"dont_know": "maybe"}, "dont_know must be one of 'uninformative', 'informative', not 'maybe'"),
        ({"max_items": 2}, "max_items must be a whole number of at least 3, not 2"),
    ],
)
def test_wrong_settings_of_info_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        Info(**settings)


def test_too_few_items_to_learn_from_are_named():
    with pytest.raises(ValueError, match="max_items must be a whole number of at least 3, not 1"):
        make(max_items=1)


def test_a_search_among_too_few_items_takes_more():
    learner = ActiveLearner(
        X[:6], 2, selector=Info(max_items=3), beliefs=ClusterForest(n_trees=5), random_state=0
    )
    learner.run(ClassOracle(y[:6]), count_questions(6))
    assert len(np.unique(question_numbers(learner.comparisons.triplets, 6))) == count_questions(6)
    assert len(make(selector=Info(max_items=3)).ask(50)) == 50


def test_from_paper_with_an_exact_search():
    learner = ActiveLearner.from_paper(X, 3, selector=Info("exact"), random_state=0)
    assert learner.pool is None
    assert len(learner.ask()) == 1


def test_a_rule_that_says_it_searches_must_be_able_to():
    class Talker(Random):
        search = "exact"

    with pytest.raises(TypeError, match="selector must be an object with find"):
        make(selector=Talker())


@pytest.mark.parametrize(
    ("n_items", "few"), [(3, 3), (999, 999), (2500, 1000), (10_000, 2000), (15_625, 2500), (10**6, 2500)]
)
def test_how_many_items_info_looks_at(n_items, few):
    assert Info().looks_at(n_items) == few
    assert Info("exact").looks_at(n_items) == n_items
    assert Info(max_items=100).looks_at(n_items) == min(n_items, 100)
