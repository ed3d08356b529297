from importlib import import_module
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import ActiveLearner, ClassOracle, _propagation
from tercet._propagation import informed
from tercet.selection import ModelInfo

# Everything here holds with the compiled kernel and without.
pytestmark = pytest.mark.usefixtures("engine")


def random_beliefs(shape, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), shape[:-1])


def posterior(P, triplets, answers, errors):
    """What is to be believed about each item, by all combinations of classes of all items."""
    n_items, n_classes = P.shape
    total = np.zeros_like(P)
    for classes in product(range(n_classes), repeat=n_items):
        weight = np.prod([P[item, c] for item, c in enumerate(classes)])
        for (i, j, k), answer, error in zip(triplets, answers, errors, strict=True):
            a, b, c = classes[i], classes[j], classes[k]
            right = answer == int(a == b != c) - int(a == c != b)
            weight *= (1 - error) * right + error / 3
        for item, c in enumerate(classes):
            total[item, c] += weight
    return total / total.sum(axis=1, keepdims=True)


@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(-1, 1), st.integers(-1, 1))
def test_answers_that_share_one_item_are_heard_exactly(seed, n_classes, first, second):
    # Two questions that hang together by one item, so that nothing goes round in circles.
    triplets, answers = np.array([(0, 1, 2), (3, 2, 4)]), np.array([first, second])
    P = random_beliefs((1, 5, n_classes), seed)
    errors = np.array([0.05, 0.3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_propagation, "_ROUNDS", 60)
        found = informed(P, triplets, answers, errors)
    np.testing.assert_allclose(found[0], posterior(P[0], triplets, answers, errors), atol=1e-9)


@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(-1, 1), st.booleans()), min_size=1, max_size=6))
def test_the_same_question_to_several_people_is_heard_exactly(seed, told):
    # Also where the choices stood the other way round.
    triplets = np.array([(0, 2, 1) if swapped else (0, 1, 2) for _, swapped in told])
    answers = np.array([answer for answer, _ in told])
    errors = np.random.default_rng(seed).uniform(0.05, 0.6, len(told))
    P = random_beliefs((1, 3, 3), seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_propagation, "_ROUNDS", 60)
        found = informed(P, triplets, answers, errors)
    np.testing.assert_allclose(found[0], posterior(P[0], triplets, answers, errors), atol=1e-9)


def test_however_often_the_same_is_said_beliefs_stay_numbers():
    P = np.eye(2)[[[0, 0, 0]]]  # sure, and against every answer
    found = informed(P, np.tile([0, 1, 2], (200, 1)), np.ones(200, int), np.zeros(200))
    np.testing.assert_allclose(found.sum(axis=2), 1)


def test_four_rounds_come_near_what_many_would_say():
    P = random_beliefs((1, 5, 2), 3)
    triplets, answers = np.array([(0, 1, 2), (1, 2, 3), (3, 4, 0), (2, 0, 4)]), np.array([1, 0, -1, 1])
    errors = np.full(4, 0.1)
    exact = posterior(P[0], triplets, answers, errors)
    found = informed(P, triplets, answers, errors)[0]
    assert np.abs(found - exact).max() < 0.15  # the answers go round in circles here
    assert np.abs(found - exact).mean() < 0.5 * np.abs(P[0] - exact).mean()


@given(st.integers(3, 8), st.integers(2, 5), st.integers(0, 12), st.integers(0, 10**6))
def test_beliefs_stay_beliefs_and_items_that_nobody_asked_about_stay_as_they_were(n, n_classes, m, seed):
    rng = np.random.default_rng(seed)
    P = random_beliefs((3, n + 2, n_classes), seed)
    P[0, 0] = np.eye(n_classes)[0]  # a model that is sure
    triplets = np.array([rng.choice(n, 3, replace=False) for _ in range(m)]).reshape(-1, 3)
    found = informed(P, triplets, rng.integers(-1, 2, m), rng.uniform(0, 0.9, m))
    np.testing.assert_allclose(found.sum(axis=2), 1)
    assert found.min() >= 0
    np.testing.assert_allclose(found[:, n:], P[:, n:])


@given(st.integers(0, 10**6))
def test_swapping_the_choices_and_the_answer_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    P, triplets = random_beliefs((2, 6, 3), seed), np.array([rng.permutation(6)[:3] for _ in range(5)])
    answers, errors = rng.integers(-1, 2, 5), np.full(5, 0.1)
    swapped = informed(P, triplets[:, [0, 2, 1]], -answers, errors)
    np.testing.assert_allclose(informed(P, triplets, answers, errors), swapped)


def test_compiled_and_plain_loops_agree():
    pytest.importorskip("numba", reason="needs the extra 'fast'")
    compiled = import_module("tercet._propagation_kernel")
    rng = np.random.default_rng(0)
    log_P = np.log(random_beliefs((20, 4), 0))
    triplets = np.array([rng.choice(20, 3, replace=False) for _ in range(60)])
    facts = (log_P, triplets, rng.dirichlet(np.ones(3), 60), 4, 0.5)
    np.testing.assert_allclose(compiled.messages(*facts), _propagation._messages(*facts), atol=1e-10)


def test_what_the_answers_settled_is_not_asked_again():
    y = np.repeat([0, 1, 2], 10)
    # Noise for features: what is known of an item is known by its answers alone.
    noise = np.random.default_rng(0).normal(size=(30, 4))
    learner = ActiveLearner(noise, n_classes=3, random_state=0).run(ClassOracle(y), 40)
    models, fitted = learner._models, learner._models.fit(learner.comparisons, beliefs=True)
    heard = models.members_about(fitted, np.arange(30))
    by_features = fitted.beliefs.members(noise)
    asked = learner.comparisons.triplets
    worth = ModelInfo(0.0)
    assert worth.score(asked, heard, asked).mean() < 0.8 * worth.score(asked, by_features, asked).mean()
