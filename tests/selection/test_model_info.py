import numpy as np
import pytest

from tercet.information import information_about_models
from tercet.selection import ModelInfo
from tercet.triplets import count_questions, question_numbers

NOTHING = np.empty((0, 3), int)


@pytest.fixture
def members(rng):
    return rng.dirichlet(np.ones(3), size=(4, 12))


def test_contract(members):
    triplets = np.array([(0, 1, 2), (3, 4, 5), (5, 6, 7)])
    scores = ModelInfo().score(triplets, members, NOTHING)
    assert scores.shape == (3,)
    assert (scores >= 0).all()
    np.testing.assert_allclose(scores, ModelInfo().score(triplets[:, [0, 2, 1]], members, NOTHING))
    np.testing.assert_array_equal(
        ModelInfo(0.3, error=0.1).score(triplets, members, NOTHING),
        information_about_models(members, triplets, error=0.1, share=0.3),
    )


def test_the_best_of_all_questions_where_all_are_candidates(members, rng):
    rule = ModelInfo(n_candidates=10_000)
    found, scores = rule.find(members, NOTHING, 1, rng)
    from itertools import permutations

    everything = np.array([t for t in permutations(range(12), 3) if t[1] < t[2]])
    assert scores[0] == pytest.approx(rule.score(everything, members, NOTHING).max())
    assert rule.score(found, members, NOTHING)[0] == scores[0]


def test_no_question_twice_until_none_is_left(members, rng):
    asked = NOTHING
    for _ in range(count_questions(12) // 30):
        batch, _ = ModelInfo(n_candidates=5).find(members, asked, 30, rng)
        asked = np.concatenate([asked, batch])
    assert len(np.unique(question_numbers(asked, 12))) == len(asked) == count_questions(12)


def test_a_batch_shares_no_items(members, rng):
    batch, scores = ModelInfo().find(members, NOTHING, 4, rng)
    assert len(np.unique(batch)) == 12
    assert scores.shape == (4,)


def test_who_errs_is_worth_less_and_a_rate_of_ones_own_counts_first(members, rng):
    question = np.array([(0, 1, 2)])
    careful, careless = (ModelInfo().score(question, members, NOTHING, error=e)[0] for e in (0.0, 0.5))
    assert careless < careful
    assert ModelInfo(error=0.5).score(question, members, NOTHING, error=0.0)[0] == careless
    assert ModelInfo().needs_error
    assert not ModelInfo(error=0.5).needs_error


@pytest.mark.parametrize("beliefs", [None, np.ones((3, 2)) / 2])
def test_it_needs_models(beliefs):
    with pytest.raises(ValueError, match=r"give beliefs of shape \(models, items, classes\)"):
        ModelInfo().score(np.array([(0, 1, 2)]), beliefs, NOTHING)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"share": 2}, "share must be a number at least 0 and at most 1, not 2"),
        ({"error": 1.0}, "error must be"),
        ({"n_candidates": 0}, "n_candidates must be"),
        ({"max_items": 2}, "max_items must be"),
    ],
)
def test_wrong_settings_are_named(setting, message):
    with pytest.raises(ValueError, match=message):
        ModelInfo(**setting)
