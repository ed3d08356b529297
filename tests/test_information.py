from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import information
from tercet.information import answer_probabilities, information_about_models, information_gain

# Everything here holds with the compiled kernel and without.
pytestmark = pytest.mark.usefixtures("engine")


def slow_probabilities_and_gain(Pi, Pj, Pk):
    """The definition, summed over all C^3 combinations of classes."""
    joint = {"yes": [], "no": [], "dk": []}
    for a, b, c in product(range(len(Pi)), repeat=3):
        answer = "yes" if a == b != c else "no" if a == c != b else "dk"
        joint[answer].append(Pi[a] * Pj[b] * Pk[c])

    def entropy(weights):
        p = np.array(weights)
        p = p[p > 0] / np.sum(p)
        return -np.sum(p * np.log(p))

    chances = [sum(joint[name]) for name in ("yes", "no", "dk")]
    before = sum(entropy(P) for P in (Pi, Pj, Pk))
    after = sum(sum(joint[name]) * entropy(joint[name]) for name in ("yes", "no") if sum(joint[name]) > 0)
    return chances, (1 - chances[2]) * before - after


@st.composite
def beliefs(draw, max_items=6):
    n, C = draw(st.integers(3, max_items)), draw(st.integers(1, 5))
    kind = draw(st.sampled_from(["dirichlet", "one-hot", "uniform", "votes"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if kind == "one-hot":
        return np.eye(C)[rng.integers(C, size=n)]
    if kind == "uniform":
        return np.full((n, C), 1 / C)
    if kind == "votes":  # as a small forest gives: many zeros and many equal rows
        return rng.multinomial(3, np.full(C, 1 / C), size=n) / 3
    return rng.dirichlet(np.full(C, draw(st.sampled_from([0.05, 1.0, 20.0]))), size=n)


def every_triplet(n):
    return np.array([(i, j, k) for i, j, k in product(range(n), repeat=3) if len({i, j, k}) == 3])


@given(beliefs())
def test_equal_to_the_sum_over_all_classes(P):
    triplets = every_triplet(len(P))
    slow = [slow_probabilities_and_gain(P[i], P[j], P[k]) for i, j, k in triplets]
    np.testing.assert_allclose(
        answer_probabilities(P, triplets), [chances for chances, _ in slow], atol=1e-12
    )
    np.testing.assert_allclose(information_gain(P, triplets), [gain for _, gain in slow], atol=1e-12)


@given(beliefs())
def test_where_dont_know_tells_something_the_gain_is_what_is_known_afterwards(P):
    """The classes determine the answer, so H(classes) - H(classes | answer) is the entropy of the answer."""
    triplets = every_triplet(len(P))
    gains = information_gain(P, triplets, dont_know="informative")
    for (i, j, k), gain in zip(triplets, gains, strict=True):
        joint = np.einsum("a,b,c->abc", P[i], P[j], P[k])
        a, b, c = np.indices(joint.shape)
        yes, no = (a == b) & (b != c), (a == c) & (b != c)
        after = 0.0
        for answer in (yes, no, ~(yes | no)):
            p = joint[answer]
            after -= np.sum(p[p > 0] * np.log(p[p > 0] / p.sum()))
        before = -np.sum(joint[joint > 0] * np.log(joint[joint > 0]))
        np.testing.assert_allclose(gain, before - after, atol=1e-9)
    with pytest.raises(
        ValueError, match="dont_know must be one of 'uninformative', 'informative', not 'yes'"
    ):
        information_gain(P, triplets, dont_know="yes")


@given(beliefs())
def test_probabilities_sum_to_one(P):
    chances = answer_probabilities(P, every_triplet(len(P)))
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)


@given(beliefs())
def test_swapping_the_candidates_swaps_yes_and_no_and_keeps_the_score(P):
    triplets = every_triplet(len(P))
    swapped = triplets[:, [0, 2, 1]]
    np.testing.assert_allclose(
        answer_probabilities(P, triplets)[:, [1, 0, 2]], answer_probabilities(P, swapped), atol=1e-12
    )
    np.testing.assert_allclose(information_gain(P, triplets), information_gain(P, swapped), atol=1e-12)


@given(beliefs())
def test_no_more_is_learned_than_is_unknown(P):
    triplets = every_triplet(len(P))
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nansum(P * np.log(P), axis=1)
    assert (information_gain(P, triplets) <= entropy[triplets].sum(axis=1) + 1e-12).all()


@given(beliefs(), st.randoms(use_true_random=False))
def test_the_names_of_the_classes_do_not_matter(P, random):
    order = list(range(P.shape[1]))
    random.shuffle(order)
    triplets = every_triplet(len(P))
    np.testing.assert_allclose(
        information_gain(P, triplets), information_gain(P[:, order], triplets), atol=1e-12
    )
    np.testing.assert_allclose(
        answer_probabilities(P, triplets), answer_probabilities(P[:, order], triplets), atol=1e-12
    )


def test_chunks_change_nothing(monkeypatch, rng):
    P = rng.dirichlet(np.ones(4), size=20)
    triplets = every_triplet(20)
    gains, chances = information_gain(P, triplets), answer_probabilities(P, triplets)
    monkeypatch.setattr(information, "_CHUNK", 7)
    np.testing.assert_allclose(information_gain(P, triplets), gains, atol=1e-14)
    np.testing.assert_allclose(answer_probabilities(P, triplets), chances, atol=1e-14)


def test_no_triplets_give_no_scores():
    P = np.full((3, 2), 0.5)
    assert information_gain(P, []).shape == (0,)
    assert answer_probabilities(P, np.empty((0, 3), dtype=int)).shape == (0, 3)


@pytest.mark.parametrize(
    ("P", "triplets", "message"),
    [
        ([[0.5, 0.6], [1, 0], [1, 0]], [(0, 1, 2)], r"row 0 is \[0.5, 0.6\] \(sum 1.1\)"),
        ([[1, 0], [1.5, -0.5], [1, 0]], [(0, 1, 2)], "row 1"),
        ([[1, 0], [np.nan, 1], [1, 0]], [(0, 1, 2)], "row 1"),
        ([1, 0], [(0, 1, 2)], r"\(items, classes\)"),
        ([[1, 0]] * 3, [(0, 1, 3)], r"\(0, 1, 3\): item indices must be 0 to 2"),
        ([[1, 0]] * 3, [(0, 1)], r"shape \(m, 3\)"),
        ([[1, 0]] * 3, [(0.0, 1.0, 2.0)], "integers"),
        ([[1, 0]] * 3, [(0, 0, 1)], "three different items"),
    ],
)
@pytest.mark.parametrize("function", [answer_probabilities, information_gain])
def test_bad_input_is_named(function, P, triplets, message):
    with pytest.raises(ValueError, match=message):
        function(P, triplets)


@given(beliefs(), st.sampled_from([0.0, 0.05, 0.3, 1.0]))
def test_information_with_errors_is_what_a_heard_answer_tells_about_the_classes(P, error):
    triplets = every_triplet(len(P))[:20]
    gains = information_gain(P, triplets, dont_know="informative", error=error)
    for (i, j, k), gain in zip(triplets, gains, strict=True):
        joint = []  # of three classes and the answer as it is heard
        for a, b, c in product(range(P.shape[1]), repeat=3):
            says = 0 if a == b != c else 1 if a == c != b else 2
            heard = np.full(3, error / 3)
            heard[says] += 1 - error
            joint.append(P[i, a] * P[j, b] * P[k, c] * heard)
        joint = np.array(joint)
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        some = joint > 0
        assert gain == pytest.approx((joint[some] * np.log(joint[some] / apart[some])).sum(), abs=1e-12)


def test_errors_count_with_an_informative_dont_know_only():
    with pytest.raises(ValueError, match=r"error is .*, which counts with dont_know='informative' only"):
        information_gain(np.eye(3), [(0, 1, 2)], error=0.1)
    with pytest.raises(ValueError, match="error must be a number at least 0 and at most 1, not 2"):
        information_gain(np.eye(3), [(0, 1, 2)], dont_know="informative", error=2)


@given(st.integers(1, 4), st.integers(0, 10**6), st.sampled_from([0.0, 0.05, 0.4]))
def test_information_about_models_is_mutual_information(n_models, seed, error):
    """By its definition: of the answer and the model, and of the answer and the classes."""
    rng = np.random.default_rng(seed)
    members = rng.dirichlet(np.full(3, 0.5), size=(n_models, 3))
    joint = np.zeros((n_models, 3))  # of a model, each as likely, and the answer that is heard
    by_classes = {}
    for model, (Pi, Pj, Pk) in enumerate(members):
        for classes in product(range(3), repeat=3):
            chance = Pi[classes[0]] * Pj[classes[1]] * Pk[classes[2]] / n_models
            i, j, k = classes
            right = 0 if i == j != k else 1 if i == k != j else 2
            answers = chance * ((1 - error) * np.eye(3)[right] + error / 3)
            joint[model] += answers
            by_classes[classes] = by_classes.get(classes, 0.0) + answers

    def shared(table):
        table = np.array(table)
        apart = np.outer(table.sum(axis=1), table.sum(axis=0))
        known = table > 0
        return float((table[known] * np.log(table[known] / apart[known])).sum())

    for share, wanted in ((1.0, shared(joint)), (0.0, shared(list(by_classes.values())))):
        found = information_about_models(members, [(0, 1, 2)], error=error, share=share)
        assert found[0] == pytest.approx(wanted, abs=1e-9)
    half = information_about_models(members, [(0, 1, 2)], error=error)
    assert half[0] == pytest.approx((shared(joint) + shared(list(by_classes.values()))) / 2, abs=1e-9)


def test_probabilities_of_several_models_are_their_mean(rng):
    members = rng.dirichlet(np.ones(3), size=(4, 6))
    triplets = every_triplet(6)
    np.testing.assert_allclose(
        answer_probabilities(members, triplets),
        np.mean([answer_probabilities(P, triplets) for P in members], axis=0),
    )


@pytest.mark.parametrize("function", [answer_probabilities, information_about_models])
def test_wrong_beliefs_of_several_models_are_named(function, rng):
    members = rng.dirichlet(np.ones(3), size=(4, 6))
    members[2, 5] = np.nan
    with pytest.raises(ValueError, match=r"beliefs row 5 of model 2 is \[nan, nan, nan\]"):
        function(members, [(0, 1, 2)])
    with pytest.raises(ValueError, match="item indices must be 0 to 5"):
        function(members[:2], [(0, 1, 6)])


def test_information_about_models_wants_several_models():
    with pytest.raises(ValueError, match=r"must have shape \(models, items, classes\), not \(3, 3\)"):
        information_about_models(np.eye(3), [(0, 1, 2)])
