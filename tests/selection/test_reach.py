import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.information import answer_probabilities, information_gain
from tercet.selection import Reach
from tercet.triplets import count_questions, question_numbers, questions_from_numbers

# Everything here holds with the compiled kernel and without.
pytestmark = pytest.mark.usefixtures("engine")

NOTHING = np.empty((0, 3), dtype=np.int64)


def models(seed=0, K=6, n=8, C=3, sharp=1.0):
    return np.random.default_rng(seed).dirichlet(np.full(C, sharp), size=(K, n))


def everything(n):
    return questions_from_numbers(np.arange(count_questions(n)), n)


def slow(members, question, targets, error):
    """Half the mean of squared correlations: the information two answers share, to second order."""

    def heard(triplets):
        p = np.array([answer_probabilities(P, triplets) for P in members])
        return (1 - error) * p + error / 3

    a, b = heard([question])[:, 0], heard(targets)
    total = 0.0
    for t in range(len(targets)):
        for x in range(3):
            for y in range(3):
                joint = np.mean(a[:, x] * b[:, t, y])
                apart = a[:, x].mean() * b[:, t, y].mean()
                total += (joint - apart) ** 2 / apart
    return total / len(targets) / 2


@given(st.integers(0, 10**6), st.sampled_from([0.02, 0.05, 0.3]))
def test_score_equals_its_definition(seed, error):
    members = models(seed)
    questions = everything(8)
    rng = np.random.default_rng(seed)
    targets, some = rng.permutation(questions)[:9], rng.permutation(questions)[:4]
    found = Reach().score(some, members, NOTHING, targets, error)
    assert found == pytest.approx([slow(members, q, targets, error) for q in some], rel=1e-6)


def test_it_is_near_the_mutual_information_of_two_answers():
    members = models(sharp=3.0)
    q, t = everything(8)[[3]], everything(8)[[100]]
    p = np.array([0.9 * answer_probabilities(P, q)[0] + 0.1 / 3 for P in members])
    r = np.array([0.9 * answer_probabilities(P, t)[0] + 0.1 / 3 for P in members])
    joint = np.einsum("kx,ky->xy", p, r) / len(members)
    exact = (joint * np.log(joint / np.outer(joint.sum(1), joint.sum(0)))).sum()
    assert Reach().score(q, members, NOTHING, t, 0.1)[0] == pytest.approx(exact, rel=0.3)


def test_models_that_agree_have_nothing_to_ask():
    members = np.repeat(models(K=1), 5, axis=0)
    assert Reach().score(everything(8), members, NOTHING) == pytest.approx(0, abs=1e-12)


def test_swapping_j_and_k_and_the_numbers_of_classes_change_nothing():
    members, questions = models(), everything(8)
    scores = Reach().score(questions, members, NOTHING, questions)
    assert Reach().score(questions[:, [0, 2, 1]], members, NOTHING, questions) == pytest.approx(scores)
    assert Reach().score(questions, members[:, :, [2, 0, 1]], NOTHING, questions) == pytest.approx(scores)


def test_the_best_question_is_found_and_asked_ones_are_not():
    members, questions = models(), everything(8)
    rule = Reach(n_candidates=10**6, n_targets=10**6)
    scores = rule.score(questions, members, NOTHING, questions)
    order = np.argsort(-scores)
    ((best,), found) = rule.find(members, NOTHING, 1, np.random.default_rng(0))
    assert question_numbers(best[None], 8)[0] == order[0]
    assert found[0] == pytest.approx(scores[order[0]])
    ((second,), _) = rule.find(members, best[None], 1, np.random.default_rng(0))
    assert question_numbers(second[None], 8)[0] == order[1]


def test_a_batch_does_not_ask_the_same_twice():
    # Items 0 to 3 and their doubles 4 to 7: the best question comes in many copies.
    half = models(K=8, n=4, seed=3)
    members = np.concatenate([half, half], axis=1)
    batch, scores = Reach(n_candidates=10**6).find(members, NOTHING, 4, np.random.default_rng(0))
    assert len(np.unique(question_numbers(batch, 8))) == 4
    single = Reach().score(batch, members, NOTHING)
    assert scores[1] < 0.9 * single[1]  # what the first will tell no longer counts
    kinds = {(int(question[0] % 4), *sorted(question[1:] % 4)) for question in batch}
    assert len(kinds) >= 3


def test_wrong_beliefs_are_named():
    with pytest.raises(ValueError, match="give beliefs of shape"):
        Reach().score(everything(8), models()[0], NOTHING)
    with pytest.raises(ValueError, match="n_candidates must be a whole number of at least 1, not 0"):
        Reach(n_candidates=0)


def test_only_the_most_informative_questions_are_compared():
    members = models(K=4, n=40, seed=1)
    every = questions_from_numbers(np.arange(count_questions(40)), 40)
    gains = information_gain(members[0], every)
    best = np.sort(gains)[-300:]
    questions, _ = Reach(n_candidates=50).find(members, NOTHING, 5, np.random.default_rng(0))
    assert (information_gain(members[0], questions) >= best[0]).all()
