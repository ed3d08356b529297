import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from tercet.datasets import gaussian_classes, load, waveform


def test_waveform_has_the_moments_of_the_public_file(shared_data):
    public = load("wave", shared_data)
    ours = waveform(20_000, random_state=0)
    assert ours.X.shape[1] == public.X.shape[1]
    for label in "012":
        theirs, mine = public.X[public.y == label], ours.X[ours.y == label]
        n, m = len(theirs), len(mine)
        error = np.sqrt(theirs.var(axis=0) / n + mine.var(axis=0) / m)
        assert (np.abs(theirs.mean(axis=0) - mine.mean(axis=0)) < 4.5 * error).all()
        # The sampling error of a variance, from the fourth moment.
        spread = [(((x - x.mean(axis=0)) ** 2).var(axis=0) / len(x), x.var(axis=0)) for x in (theirs, mine)]
        error = np.sqrt(spread[0][0] + spread[1][0])
        assert (np.abs(spread[0][1] - spread[1][1]) < 4.5 * error).all()


def test_waveform_tops():
    loaded = waveform(30_000, random_state=1)
    # Halfway between two waves, at each point: by hand from the definition.
    tops = {"0": (7, 15), "1": (7, 11), "2": (15, 11)}
    for label, (a, b) in tops.items():
        expected = [(max(6 - abs(i - a), 0) + max(6 - abs(i - b), 0)) / 2 for i in range(1, 22)]
        mean = loaded.X[loaded.y == label].mean(axis=0)
        np.testing.assert_allclose(mean[:21], expected, atol=0.1)
        np.testing.assert_allclose(mean[21:], 0, atol=0.06)


def test_waveform_classes_are_equally_likely():
    counts = np.unique(waveform(30_000, random_state=2).y, return_counts=True)[1]
    assert (np.abs(counts - 10_000) < 4.5 * np.sqrt(30_000 * 2 / 9)).all()


def test_waveform_mixes_one_share_an_item():
    # One share for all points of an item: the two tops move against each other.
    loaded = waveform(20_000, random_state=3, noise_features=0)
    X = loaded.X[loaded.y == "0"]
    assert X.shape[1] == 21
    # The covariance of 6u and 6(1 - u) is -36/12, plus that of what overlaps, which is nothing at 7 and 15.
    assert np.cov(X[:, 6], X[:, 14])[0, 1] == pytest.approx(-3, abs=0.2)


@pytest.mark.parametrize(
    "make", [lambda seed: waveform(50, seed), lambda seed: gaussian_classes(50, random_state=seed)[0]]
)
def test_a_seed_gives_the_same_items(make):
    np.testing.assert_array_equal(make(5).X, make(5).X)
    np.testing.assert_array_equal(make(5).y, make(5).y)
    assert not np.array_equal(make(5).X, make(6).X)


@pytest.mark.parametrize("call", [{"n": 2}, {"n": 2.5}, {"n": 10, "noise_features": -1}])
def test_waveform_refuses(call):
    with pytest.raises(ValueError, match="must be a whole number of at least"):
        waveform(**call)


def test_gaussian_classes_are_what_they_are_said_to_be():
    loaded, weights = gaussian_classes(30_000, 4, 6, 3, separation=5.0, random_state=0)
    assert weights.tolist() == [1, 1, 1, 0, 0, 0]
    labels, counts = np.unique(loaded.y, return_counts=True)
    assert labels.tolist() == ["0", "1", "2", "3"]
    assert np.ptp(counts) <= 1
    centres = np.array([loaded.X[loaded.y == label].mean(axis=0) for label in labels])
    gaps = [np.linalg.norm(centres[a, :3] - centres[b, :3]) for a in range(4) for b in range(a)]
    assert min(gaps) == pytest.approx(5.0, abs=0.1)
    np.testing.assert_allclose(centres[:, 3:], 0, atol=0.2)
    for label in labels:
        covariance = np.cov(loaded.X[loaded.y == label][:, :3].T)
        np.testing.assert_allclose(covariance, np.eye(3), atol=0.08)
    variances = loaded.X.var(axis=0)
    np.testing.assert_allclose(variances[3:], variances[:3].mean(), rtol=0.05)


def test_the_true_weights_are_better_than_none():
    loaded, weights = gaussian_classes(400, 3, 30, 2, random_state=0)
    train, test = slice(0, 200), slice(200, None)

    def accuracy(X):
        return KNeighborsClassifier(1).fit(X[train], loaded.y[train]).score(X[test], loaded.y[test])

    assert accuracy(loaded.X * weights) > 0.98
    assert accuracy(loaded.X) < 0.8


def test_without_separation_there_is_nothing_to_learn():
    loaded, _ = gaussian_classes(6000, 2, 2, 2, separation=0, random_state=0)
    means = [loaded.X[loaded.y == label].mean(axis=0) for label in "01"]
    np.testing.assert_allclose(means, 0, atol=0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"n": 2}, "n must be"),
        ({"n": 10, "n_classes": 11}, "n_classes is 11, but there are only 10 items"),
        ({"n": 10, "n_features": 2, "n_informative": 3}, "n_informative is 3, but there are only 2 features"),
        ({"n": 10, "n_informative": 0}, "n_informative must be"),
        ({"n": 10, "separation": -1}, "separation must be"),
        ({"n": 10, "random_state": -1}, "random_state must be"),
    ],
)
def test_gaussian_classes_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        gaussian_classes(**call)
