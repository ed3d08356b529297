import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from tercet.beliefs import ClusterForest
from tercet.information import information_gain
from tercet.selection import _exact
from tercet.selection._exact import best_questions
from tercet.triplets import count_questions, question_numbers, questions_from_numbers

# Everything here holds with the compiled kernel and without.
pytestmark = pytest.mark.usefixtures("engine")


TREATMENTS = [
    {"dont_know": "uninformative"},
    {"dont_know": "informative"},
    {"dont_know": "informative", "error": 0.2},
]
KINDS = ["votes", "mixed", "dirichlet", "near uniform", "uniform", "one-hot", "equal"]


def some_beliefs(kind, n, C, rng):
    """Beliefs of many kinds; "votes" are like those of a forest: many zeros and many equal rows."""
    if kind == "votes":
        votes = rng.multinomial(18, rng.dirichlet(np.full(C, 0.1), size=n))
        return votes / votes.sum(axis=1, keepdims=True)
    if kind == "mixed":
        certain = np.eye(C)[rng.integers(C, size=n)]
        return np.where(rng.random((n, 1)) < 0.5, certain, rng.dirichlet(np.full(C, 0.3), size=n))
    if kind == "one-hot":
        return np.eye(C)[rng.integers(C, size=n)]
    if kind == "uniform":
        return np.full((n, C), 1 / C)
    if kind == "equal":
        return np.tile(rng.dirichlet(np.ones(C)), (n, 1))
    return rng.dirichlet(np.full(C, 20.0 if kind == "near uniform" else 0.5), size=n)


def every_question(n):
    return questions_from_numbers(np.arange(count_questions(n)), n)


def assert_best(P, n, asked, how, every_score=None):
    """The n best of all questions but those asked: different ones, with the scores that brute force finds."""
    if every_score is None:
        every_score = information_gain(P, every_question(len(P)), **how)
    left = np.delete(np.arange(len(every_score)), question_numbers(asked, len(P)))
    slow = np.sort(every_score[left])[::-1][:n]
    questions, scores = best_questions(P, n, np.random.default_rng(0), asked=asked[:, [0, 2, 1]], **how)
    assert questions.shape == (n, 3)
    assert ((questions >= 0) & (questions < len(P))).all()
    assert all(len(set(question)) == 3 for question in questions.tolist())
    numbers = question_numbers(questions, len(P))
    assert len(set(numbers.tolist())) == n
    assert np.isin(numbers, left).all()
    np.testing.assert_allclose(scores, slow, rtol=0, atol=3e-12)
    np.testing.assert_array_equal(scores, information_gain(P, questions, **how))
    return questions


@pytest.mark.parametrize("how", TREATMENTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_items", "C"), [(3, 2), (10, 1), (30, 5), (80, 13)])
def test_equal_to_scoring_every_question(n_items, C, kind, how, rng):
    P = some_beliefs(kind, n_items, C, rng)
    scores = information_gain(P, every_question(n_items), **how)
    nothing = np.empty((0, 3), dtype=np.int64)
    best = assert_best(P, 1, nothing, how, scores)
    assert_best(P, min(25, len(scores) - 1), best, how, scores)


@given(st.data())
def test_the_best_of_what_is_left(data):
    kind, how = data.draw(st.sampled_from(KINDS)), data.draw(st.sampled_from(TREATMENTS))
    n_items, C = data.draw(st.integers(3, 12)), data.draw(st.integers(1, 5))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    asked = every_question(n_items)[rng.permutation(count_questions(n_items))]
    asked = asked[: data.draw(st.integers(0, len(asked) - 1))]
    n = data.draw(st.integers(1, count_questions(n_items) - len(asked)))
    assert_best(some_beliefs(kind, n_items, C, rng), n, asked, how)


@pytest.mark.parametrize("how", TREATMENTS)
def test_the_first_guess_changes_nothing(how, monkeypatch, rng):
    P = some_beliefs("votes", 40, 4, rng)
    for sample, few, rounds in ((0, 1, 0), (3, 1, 1), (50, 2, 3)):
        monkeypatch.setattr(_exact, "_SAMPLE", sample)
        monkeypatch.setattr(_exact, "_FEW", few)
        monkeypatch.setattr(_exact, "_ROUNDS", rounds)
        for n in (1, 7):
            assert_best(P, n, np.array([[0, 1, 2]]), how)


@pytest.mark.parametrize("how", TREATMENTS)
def test_small_blocks_change_nothing(how, monkeypatch, rng):
    P = some_beliefs("votes", 30, 3, rng)
    expected = best_questions(P, 9, np.random.default_rng(3), **how)
    monkeypatch.setattr(_exact, "_ROWS", 4)
    monkeypatch.setattr(_exact, "_WAITING", 2)
    found = best_questions(P, 9, np.random.default_rng(4), **how)
    np.testing.assert_allclose(found[1], expected[1], rtol=0, atol=3e-12)


@pytest.mark.parametrize("kind", ["votes", "dirichlet", "equal", "one-hot"])
@pytest.mark.parametrize("how", TREATMENTS)
def test_asked_again_and_again_every_question_comes_once(kind, how, rng):
    P = some_beliefs(kind, 5, 3, rng)
    asked, scores = np.empty((0, 3), dtype=np.int64), []
    for _ in range(count_questions(5)):
        question, score = best_questions(P, 1, rng, asked=asked, **how)
        asked = np.concatenate([asked, question])
        scores.append(score[0])
    assert sorted(question_numbers(asked, 5)) == list(range(count_questions(5)))
    assert (np.diff(scores) <= 2e-12).all()
    with pytest.raises(ValueError, match="1 questions are wanted, but only 0 of the 30 about 5 items"):
        best_questions(P, 1, rng, asked=asked, **how)


def assert_uniform(P, n, asked, tied, draws, how=TREATMENTS[0]):
    """All questions with the numbers ``tied`` come equally often, each with j and k in either order."""
    rng = np.random.default_rng(0)
    drawn = [best_questions(P, n, rng, asked=asked, **how)[0] for _ in range(draws)]
    questions = np.concatenate(drawn)
    numbers = question_numbers(questions, len(P))
    assert np.isin(numbers, tied).all()
    counts = np.bincount(numbers, minlength=count_questions(len(P)))[tied]
    assert chisquare(counts).pvalue > 0.001
    assert abs((questions[:, 1] < questions[:, 2]).mean() - 0.5) < 3 / np.sqrt(len(questions))
    # Of several questions, none comes first more often than another.
    firsts = question_numbers(np.array([batch[0] for batch in drawn]), len(P))
    assert chisquare(np.bincount(firsts, minlength=count_questions(len(P)))[tied]).pvalue > 0.001


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("how", TREATMENTS)
def test_ties_are_broken_evenly_among_equal_items(n, how):
    P = np.full((5, 2), 0.5)
    asked = np.array([[0, 1, 2], [3, 4, 1]])
    tied = np.setdiff1d(np.arange(count_questions(5)), question_numbers(asked, 5))
    assert_uniform(P, n, asked, tied, 150, how)


def test_ties_are_broken_evenly_among_groups_of_different_sizes():
    P = np.eye(3)[[0, 0, 0, 1, 1, 2]]  # every score is 0
    asked = np.array([[0, 1, 3]])
    tied = np.setdiff1d(np.arange(count_questions(6)), question_numbers(asked, 6))
    assert_uniform(P, 1, asked, tied, 300)


def test_a_tie_at_the_end_of_a_batch_is_broken_evenly():
    # One item in doubt among certain ones: few best questions, and many that tie as second best.
    P = np.array([[0.5, 0.5, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    scores = information_gain(P, every_question(5))
    best, second = np.unique(scores.round(9))[::-1][:2]
    above = np.flatnonzero(scores > best - 1e-9)
    tied = np.flatnonzero(np.abs(scores - second) < 1e-9)
    rng, n = np.random.default_rng(0), len(above) + 2
    batches = [question_numbers(best_questions(P, n, rng)[0], 5) for _ in range(120)]
    assert all(set(batch[:-2]) == set(above) for batch in batches)
    counts = np.bincount(np.concatenate([batch[-2:] for batch in batches]), minlength=count_questions(5))
    assert counts.sum() == counts[tied].sum()
    assert chisquare(counts[tied]).pvalue > 0.001
    assert chisquare(np.bincount([batch[0] for batch in batches], minlength=30)[above]).pvalue > 0.001


@pytest.mark.parametrize(
    "P", [np.full((2500, 4), 0.25), np.eye(4)[np.arange(2500) % 4]], ids=["equal", "one-hot"]
)
def test_billions_of_ties_are_never_listed(P, rng):
    questions, scores = best_questions(P, 50, rng, asked=np.array([[0, 1, 2]]))
    assert len(set(question_numbers(questions, 2500).tolist())) == 50
    np.testing.assert_allclose(scores, scores[0])


@pytest.mark.parametrize("how", TREATMENTS)
def test_the_same_seed_gives_the_same_questions_with_and_without_numba(how, rng):
    P = some_beliefs("votes", 60, 5, rng)
    first, again = (best_questions(P, 8, np.random.default_rng(5), **how) for _ in range(2))
    np.testing.assert_array_equal(first[0], again[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_exact, "kernels", lambda module: None)
        plain = best_questions(P, 8, np.random.default_rng(5), **how)
    np.testing.assert_array_equal(first[0], plain[0])


def test_rows_that_sum_to_one_only_roughly_are_scaled(rng):
    P = some_beliefs("dirichlet", 12, 3, rng)
    questions, scores = best_questions(P * (1 + 5e-7), 3, np.random.default_rng(0))
    expected = best_questions(P, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(questions, expected[0])
    np.testing.assert_allclose(scores, expected[1])


def test_the_input_stays_as_it_is(rng):
    P, asked = some_beliefs("votes", 10, 3, rng), np.array([[2, 1, 0]])
    before = P.copy()
    best_questions(P, 2, rng, asked=asked)
    np.testing.assert_array_equal(P, before)
    assert asked.tolist() == [[2, 1, 0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": 13}, "13 questions are wanted, but only 12 of the 12 about 4 items were not asked yet"),
        ({"n": 11, "asked": [(0, 1, 2), (0, 2, 1), (1, 0, 2)]}, "only 10 of the 12 about 4 items"),
        ({"n": 0}, "n must be a whole number of at least 1, not 0"),
        ({"dont_know": "maybe"}, "dont_know must be one of 'uninformative', 'informative', not 'maybe'"),
        ({"asked": [(0, 1, 4)]}, r"\(0, 1, 4\): item indices must be 0 to 3"),
        ({"beliefs": [[0.5, 0.6]] * 4}, "row 0"),
        ({"beliefs": [[0.5, 0.5]] * 2}, "only 0 of the 0 about 2 items"),
    ],
)
def test_bad_input_is_named(changes, message, rng):
    arguments = {"beliefs": [[0.5, 0.5]] * 4, "n": 1, "rng": rng} | changes
    with pytest.raises(ValueError, match=message):
        best_questions(**arguments)


@pytest.mark.parametrize("how", TREATMENTS)
def test_equal_to_scoring_every_question_on_the_votes_of_a_real_forest(wine, how):
    P = ClusterForest(3, random_state=0).fit(wine[0][:80]).predict_proba()
    assert_best(P, 5, np.array([[0, 1, 2], [79, 3, 40]]), how)
