import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from tercet import ActiveLearner, ClassOracle
from tercet.datasets import waveform
from tercet.information import answer_probabilities
from tercet.metrics import LatentClassMetric
from tercet.stopping import Outlook, correction, outlook, own_accuracy, sizes
from tercet.triplets import count_questions, questions_from_numbers


def test_a_power_law_is_carried_on():
    m = sizes(128)
    law = [1 - 0.8 * count**-0.5 for count in m]
    found = outlook(m, law)
    assert found.accuracy == law[-1]
    assert found.gain == pytest.approx(0.5 * 0.8 * 128**-1.5, rel=1e-6)
    # 1 - 0.8 m^-1/2 = 0.96 at m = 400
    assert found.questions_left(0.96) == pytest.approx(400 - 128, abs=1)


def test_what_cannot_be_said_is_not_said():
    assert np.isnan(outlook([4], [0.6]).gain)
    assert outlook([4], [0.6]).questions_left(0.9) is None
    assert outlook([8, 16, 32], [0.8, 0.7, 0.6]).gain == 0
    assert outlook([8, 16, 32], [0.8, 0.7, 0.6]).questions_left(0.9) is None
    assert Outlook(10, 0.5, 1e-9).questions_left(0.99) is None
    assert Outlook(10, 0.5, 0.1).questions_left(1.0) is None
    assert Outlook(10, 0.5, 0.01).questions_left(0.95) is None  # 10,000 times as many
    with pytest.raises(ValueError, match="target must be a number at least 0 and at most 1, not 2"):
        Outlook(10, 0.5, 0.1).questions_left(2)


def test_it_is_enough_at_the_target_or_where_progress_ends():
    assert Outlook(50, 0.95, 0.01).is_enough(0.95, 1e-4)
    assert not Outlook(50, 0.94, 0.01).is_enough(0.95, 1e-4)
    assert Outlook(50, 0.7, 5e-5).is_enough(0.95, 1e-4)
    assert not outlook([8, 9], [0.8, 0.7]).is_enough(0.95, 1e-4)  # falls: it was too sure
    assert not outlook([4], [0.6]).is_enough(0.95, 1e-4)  # too early to say
    for wrong in (95, float("nan"), "0.9", None):
        with pytest.raises(ValueError, match="target must be a number at least 0 and at most 1"):
            Outlook(50, 0.94, 0.01).is_enough(wrong, 1e-4)
    with pytest.raises(ValueError, match="min_gain must be a number at least 0, not None"):
        Outlook(50, 0.94, 0.01).is_enough(0.95, None)


def test_nobody_stops_while_the_models_find_out_that_they_were_too_sure():
    waves = waveform(300, random_state=0)
    found = []
    for seed in range(3):
        learner = ActiveLearner(waves.X, 3, random_state=seed).run(ClassOracle(waves.y), 9)
        found.append((learner.outlook().gain, learner.should_stop()))
    assert any(gain == 0 for gain, _ in found)  # the estimate has fallen since the eighth answer
    assert not any(stop for _, stop in found)


def test_own_accuracy_is_the_mean_chance_of_the_likeliest_answer():
    P = np.random.default_rng(0).dirichlet(np.ones(3), size=7)
    questions = questions_from_numbers(np.arange(count_questions(7)), 7)
    wanted = answer_probabilities(P, questions).max(axis=1).mean()
    assert own_accuracy(P, np.random.default_rng(0)) == pytest.approx(wanted)


def test_the_correction_is_at_the_maximum_of_its_posterior():
    rng = np.random.default_rng(0)
    foretold = rng.dirichlet([3.0, 1, 1], size=60)
    answers = rng.choice([1, -1, 0], size=60, p=[0.3, 0.3, 0.4])
    surest = foretold.max(axis=1)
    right = foretold.argmax(axis=1) == np.array([{1: 0, -1: 1, 0: 2}[answer] for answer in answers])

    def cost(shift):
        p = 1 / (1 + (1 - surest) / surest * np.exp(-shift))
        return -np.log(np.where(right, p, 1 - p)).sum() + shift**2 / (2 * 0.7**2)

    found = correction(foretold, answers)
    assert found == pytest.approx(minimize_scalar(cost).x, abs=1e-5)
    assert abs(found) > 0.1
    # The expected share of right answers follows.
    P = rng.dirichlet(np.ones(3), size=7)
    questions = questions_from_numbers(np.arange(count_questions(7)), 7)
    likeliest = answer_probabilities(P, questions).max(axis=1)
    wanted = np.mean(1 / (1 + (1 - likeliest) / likeliest * np.exp(-found)))
    assert own_accuracy(P, np.random.default_rng(0), found) == pytest.approx(wanted)


def test_nothing_foretold_and_sure_to_the_last_digit():
    assert correction(np.empty((0, 3)), np.empty(0, int)) == 0
    sure = np.tile([0.0, 0.0, 1.0], (5, 1))
    assert -6 < correction(sure, np.ones(5, int)) < -1
    assert 0 <= correction(sure, np.zeros(5, int)) < 1e-3


def test_what_was_expected_counts_also_after_a_restart():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(3, 4))[y] + rng.normal(size=(60, 4))
    learner, told = ActiveLearner(X, 3, random_state=0), []
    for _ in range(20):
        (query,) = learner.ask()
        told.append(query)
        learner.tell(query, ClassOracle(y)(query.triplet))
    again = ActiveLearner(X, 3, random_state=0)
    assert again.restore(learner.comparisons, told=told).outlook() == learner.outlook()
    forgot = again.restore(learner.comparisons).outlook()
    assert forgot.accuracy != pytest.approx(learner.outlook().accuracy, abs=1e-3)
    with pytest.raises(TypeError, match="told takes queries as ask"):
        again.restore(learner.comparisons, told=["0-1-2"])


def test_a_learner_says_when_to_stop():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(3, 4))[y] * 4 + rng.normal(size=(60, 4))
    learner = ActiveLearner(X, 3, metric=LatentClassMetric(), random_state=0)
    assert not learner.should_stop(target=0.999)
    before = learner.outlook()
    learner.run(ClassOracle(y), 40)
    after = learner.outlook()
    assert after.accuracy > before.accuracy
    assert after.questions_left(0.5) == 0
    assert learner.should_stop(target=after.accuracy - 0.01)
    assert not learner.should_stop(target=(1 + after.accuracy) / 2, min_gain=0.0)
    assert learner.should_stop(target=0.9999, min_gain=1.0)
    # Looking changes nothing.
    again = ActiveLearner(X, 3, metric=LatentClassMetric(), random_state=0, comparisons=learner.comparisons)
    assert again.ask() == learner.ask()


def test_any_beliefs_give_an_outlook():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    learner = ActiveLearner.from_paper(rng.normal(size=(30, 2)) + 4 * y[:, None], 2, random_state=0)
    assert 0.4 < learner.run(ClassOracle(y), 9).outlook().accuracy <= 1
