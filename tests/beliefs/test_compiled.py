"""The compiled forest against scikit-learn's, and against itself without the compiler."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier

pytest.importorskip("numba", reason="needs the extra 'fast'")

from tercet.beliefs import _compiled
from tercet.beliefs._compiled import CompiledForest


def shares(votes):
    return votes / votes.sum(axis=1, keepdims=True)


def problems(wine):
    rng = np.random.default_rng(0)
    blobs = make_blobs(150, centers=4, n_features=6, cluster_std=3.0, random_state=0)[0]
    yield "raw Wine", wine[0]
    yield "overlapping blobs", blobs
    yield (
        "few values, constant and repeated columns",
        np.hstack([blobs.round(-1), np.ones((150, 3)), blobs[:, :1]]),
    )
    yield "one feature", rng.normal(size=(80, 1))


def test_the_same_beliefs_as_scikit_learn_up_to_chance(wine):
    for name, X in problems(wine):
        y = KMeans(3, n_init=3, random_state=0).fit(X).labels_
        reference, chance = (
            RandomForestClassifier(400, oob_score=True, random_state=seed).fit(X, y).oob_decision_function_
            for seed in (0, 1)
        )
        ours = shares(CompiledForest(X, y, 3, 400, seed=0).votes)
        # Two forests of scikit-learn differ by so much; ours may not differ by noticeably more.
        allowed = 1.3 * np.abs(reference - chance).mean() + 0.002
        assert np.abs(ours - reference).mean() <= allowed, name


def test_the_same_votes_with_and_without_the_compiler(wine, monkeypatch):
    for _, X in problems(wine):
        X = X[::3]
        y = KMeans(3, n_init=3, random_state=0).fit(X).labels_
        compiled = CompiledForest(X, y, 3, 4, seed=5)
        predicted = compiled.predict_proba(X + 0.01)
        with monkeypatch.context() as patch:
            for name in ("_grow", "_leaf", "_count_votes"):
                patch.setattr(_compiled, name, getattr(_compiled, name).py_func)
            plain = CompiledForest(X, y, 3, 4, seed=5)
            np.testing.assert_array_equal(plain.votes, compiled.votes)
            np.testing.assert_array_equal(plain.predict_proba(X + 0.01), predicted)


def test_trees_fit_what_they_were_grown_on(wine):
    X, y = wine
    forest = CompiledForest(X, y, 3, 50, seed=0)
    assert (forest.predict_proba(X).argmax(axis=1) == y).all()
    np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1.0)
    votes = forest.votes.sum(axis=1)
    assert abs(votes.mean() / 50 - np.exp(-1)) < 0.02  # an item is out of bag with probability 1/e


def test_one_class_and_equal_points():
    X = np.ones((10, 2))
    votes = CompiledForest(X, np.zeros(10, int), 3, 20, seed=0).votes
    assert votes[:, 1:].sum() == 0
    mixed = CompiledForest(X, np.arange(10) % 2, 2, 20, seed=0)  # no split can tell them apart
    assert mixed.predict_proba(X).shape == (10, 2)


def test_same_seed_same_forest(wine):
    X, y = wine
    one, same, other = (CompiledForest(X, y, 3, 10, seed).votes for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(("low", "high"), [(np.nextafter(1.0, 0.0), 1.0), (1e308, 1.5e308)])
def test_values_next_to_each_other_and_enormous_ones_are_told_apart(low, high):
    X = np.repeat([[low], [high]], 5, axis=0)
    y = np.repeat([0, 1], 5)
    assert (CompiledForest(X, y, 2, 30, seed=0).predict_proba(X).argmax(axis=1) == y).all()
