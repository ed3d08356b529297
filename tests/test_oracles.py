from itertools import permutations

import numpy as np
import pytest

from tercet import Answer, ClassOracle


def test_the_papers_answers():
    y = ["a", "a", "b", "c", "a"]
    oracle = ClassOracle(y)
    for i, j, k in permutations(range(5), 3):
        expected = "dk"
        if y[i] == y[j] != y[k]:
            expected = "yes"
        if y[i] == y[k] != y[j]:
            expected = "no"
        assert oracle((i, j, k)) is Answer(expected)


def test_noise_has_the_given_rate_and_both_wrong_answers():
    y = np.arange(40) % 3
    true, noisy = ClassOracle(y), ClassOracle(y, noise=0.3, random_state=0)
    rng = np.random.default_rng(0)
    pairs = [(true(t), noisy(t)) for t in (tuple(rng.choice(40, 3, replace=False)) for _ in range(2000))]
    wrong = [given for truth, given in pairs if given != truth]
    assert abs(len(wrong) / 2000 - 0.3) < 0.05
    assert set(wrong) == set(Answer)


def test_a_noisy_person_is_of_one_mind():
    y = np.arange(12) % 3
    first, second = (ClassOracle(y, noise=0.5, random_state=3) for _ in range(2))
    triplets = list(permutations(range(12), 3))
    answers = {t: first(t) for t in triplets}
    assert {t: second(t) for t in reversed(triplets)} == answers
    assert all(answers[i, k, j] is answers[i, j, k].swapped for i, j, k in triplets)
    other = ClassOracle(y, noise=0.5, random_state=4)
    assert {t: other(t) for t in triplets} != answers


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ClassOracle([0, 1, 1], noise=1.5), "noise must be .* not 1.5"),
        (lambda: ClassOracle([[0, 1]]), "one label an item"),
        (lambda: ClassOracle([0, np.nan, np.nan]), r"y\[1\] is missing"),
        (lambda: ClassOracle(np.array(["a", None, "b"], dtype=object)), r"y\[1\] is missing"),
        (lambda: ClassOracle(np.array(["a", 1, "b"], dtype=object)), "cannot be compared"),
        (lambda: ClassOracle([0, 1, 1])((0, 1, 3)), "item indices must be 0 to 2"),
        (lambda: ClassOracle([0, 1, 1])((0, 1, 1)), "three different items"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
