import numpy as np
import pytest

from tercet.latent import Answers, Settings, fit_latent
from tercet.latent._fit import MAX_CLUSTERED, fit_classes


def blobs(n, d=5, n_classes=3, seed=0, apart=3.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n_classes, d))[y] * apart + rng.normal(size=(n, d)), y


def answered(y, m, seed=0, errors=(0.0,), names=("",)):
    """Random questions, answered in turn by people who err at these rates."""
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(len(y), 3, replace=False) for _ in range(m)]
    triplets = np.array(drawn, dtype=np.int64).reshape(m, 3)
    i, j, k = y[triplets.T]
    answers = (i == j).astype(int) - (i == k)
    who = np.arange(m) % len(names)
    wrong = rng.random(m) < np.array(errors)[who]
    answers = np.where(wrong, (answers + 1 + rng.integers(1, 3, m)) % 3 - 1, answers)
    return Answers(triplets, answers.astype(np.int8), np.array(names)[who])


def fitted(X, answers, rng=0, warm=None, **settings):
    return fit_latent(X, answers, Settings(**settings), np.random.default_rng(rng), warm)


def agreement(model, X, y):
    """The share of pairs that are rightly put together or apart."""
    found = model.probabilities(X).argmax(axis=1)
    return np.mean((found[:, None] == found) == (y[:, None] == y))


def test_answers_turn_clusters_into_classes():
    # Clusters run along the first feature, classes along the second, which only the answers know.
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice([-3.0, 3.0], 200), rng.choice([-1.0, 1.0], 200)])
    X += 0.2 * rng.normal(size=X.shape)
    y = (X[:, 1] > 0).astype(int)
    before = fitted(X, answered(y, 0), n_classes=2)
    after = fitted(X, answered(y, 60), n_classes=2, warm=before)
    assert agreement(before, X, y) < 0.6
    assert agreement(after, X, y) > 0.95


def test_dont_knows_teach_too():
    X, y = blobs(150, n_classes=2, apart=0.6, seed=4)
    asked = answered(y, 150, seed=1)
    decided = asked[asked.answers != 0]
    with_all = fitted(X, asked, n_classes=2, ridge=0.4)
    without = fitted(X, decided, n_classes=2, ridge=0.4)
    assert with_all.likelihood(X, asked).mean() > without.likelihood(X, asked).mean()


def test_a_careless_annotator_is_found():
    X, y = blobs(120)
    names = ("ann", "ben", "cal", "dot", "eve")
    asked = answered(y, 300, errors=(0.02, 0.02, 0.5, 0.02, 0.02), names=names)
    model = None
    for m in (100, 200, 300):
        model = fitted(X, asked[np.arange(m)], n_classes=3, warm=model)
    assert max(model.errors, key=model.errors.get) == "cal"
    assert model.errors["cal"] > 0.25
    assert max(rate for name, rate in model.errors.items() if name != "cal") < 0.12
    assert model.error_of("somebody new") == pytest.approx(0.05)


def test_a_given_error_rate_is_kept():
    X, y = blobs(60)
    assert fitted(X, answered(y, 30), n_classes=3, error=0.2).errors == {}


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_answers_tell_the_number_of_classes(n_classes):
    X, y = blobs(200, d=6, n_classes=n_classes, apart=4.0, seed=1)
    model = None
    asked = answered(y, 128)
    for m in (16, 32, 64, 128):
        model = fitted(X, asked[np.arange(m)], warm=model)
    assert agreement(model, X, y) > 0.9
    assert abs(model.n_classes - n_classes) <= 1


def test_large_collections_are_clustered_by_a_sample_with_all_asked_items():
    X, y = blobs(3 * MAX_CLUSTERED)
    model = fitted(X, answered(y, 40), n_classes=3)
    assert agreement(model, X[:500], y[:500]) > 0.95


def test_warm_and_cold_fits_agree_on_clear_data():
    X, y = blobs(90)
    asked = answered(y, 64)
    cold = fitted(X, asked, n_classes=3, ridge=0.4)
    warm = fitted(
        X, asked, n_classes=3, ridge=0.4, warm=fitted(X, asked[np.arange(32)], n_classes=3, ridge=0.4)
    )
    same = cold.probabilities(X) @ cold.probabilities(X).T - warm.probabilities(X) @ warm.probabilities(X).T
    assert np.abs(same).max() < 0.05


def test_constant_features_tell_nothing():
    X, y = blobs(60)
    plain = fitted(X, answered(y, 20), n_classes=3)
    more = fitted(np.column_stack([X, np.full(60, 7.0)]), answered(y, 20), n_classes=3)
    assert np.isfinite(more.probabilities(np.column_stack([X, np.full(60, 7.0)]))).all()
    assert agreement(more, np.column_stack([X, np.full(60, 7.0)]), y) == pytest.approx(
        agreement(plain, X, y), abs=0.05
    )


def test_a_model_of_another_shape_is_no_start():
    X, y = blobs(60)
    other = fitted(X[:, :3], answered(y, 8), n_classes=3)
    assert fitted(X, answered(y, 8), n_classes=3, warm=other).weights.shape == (6, 3)


def test_both_engines_fit_the_same(engine):
    X, y = blobs(80)
    model = fit_classes(X, answered(y, 30), n_classes=3, ridge=0.4, error=None, rng=np.random.default_rng(0))
    assert agreement(model, X, y) > 0.97
