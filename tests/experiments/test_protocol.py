"""The paper's protocol, and what is asked of the library on Wine."""

import csv

import numpy as np
import pytest
from joblib import Parallel, delayed

from tercet.answers import Answer
from tercet.experiments import METHODS, Trial, simulate
from tercet.experiments.figures import learning_curves
from tercet.experiments.tables import judged, learning_table
from tercet.metrics import SchultzJoachims
from tercet.oracles import ClassOracle
from tercet.triplets import triplets_from_labels


def test_a_trial_is_two_halves_and_two_first_answers(wine):
    X, y = wine
    trial = Trial.draw(X, y, run=0, seed=0)
    assert (len(trial.X_train), len(trial.X_test)) == (89, 89)
    both = np.concatenate([trial.X_train, trial.X_test])
    np.testing.assert_array_equal(both[np.lexsort(both.T)], X[np.lexsort(X.T)])
    assert len(trial.first) == 2
    oracle = ClassOracle(trial.y_train)
    assert [oracle(triplet) for triplet, _ in trial.first] == [Answer.YES, Answer.YES]
    assert trial.n_classes == 3
    np.testing.assert_array_equal(Trial.draw(X, y, 0, 0).X_train, trial.X_train)
    assert not np.array_equal(Trial.draw(X, y, 1, 0).X_train, trial.X_train)


def test_methods_start_from_the_same_place(wine):
    marks = list(simulate(*wine, runs=[0], n_queries=2, marks=(0,)))
    assert len(marks) == 3 * 3
    starts = {(mark.one_nn, mark.triplet_accuracy) for mark in marks if mark.questions == 0}
    assert len(starts) == 1
    assert all(np.isnan(mark.one_nn) == (mark.questions != 0) for mark in marks)


def one_run(run, wine):
    return list(simulate(*wine, runs=[run], n_queries=100, marks=(0, 10, 20, 40, 100), seed=0))


@pytest.fixture(scope="module")
def ten_runs(wine):
    """The paper's protocol on Wine, 10 runs of 100 questions."""
    runs = Parallel(n_jobs=2)(delayed(one_run)(run, wine) for run in range(10))
    return [mark for marks in runs for mark in marks]


def test_info_on_wine_by_the_papers_protocol(ten_runs):
    """Paper, 50 runs: Info 0.903, 0.946, 0.951 and Random 0.853, 0.878, 0.922 at 10, 20, 40 questions."""
    questions, info = judged(ten_runs, "Info", "one_nn")
    assert questions == [0, 10, 20, 40, 100]
    assert info.shape == (10, 5)
    info, random = (judged(ten_runs, name, "one_nn")[1].mean(axis=0) for name in ("Info", "Random"))
    assert (info[1:4] > random[1:4]).all()
    assert info[3] >= 0.93
    shares = {
        name: np.mean([m.yes_no_share for m in ten_runs if m.method == name and m.questions == 100])
        for name in METHODS
    }
    assert shares["Info"] >= 0.85  # paper: 0.925, 0.434, 0.449
    assert shares["Random"] < 0.5
    assert shares["Nonredundant"] < 0.5


def test_the_table_shows_every_method_and_mark(ten_runs):
    lines = learning_table(ten_runs).splitlines()
    assert lines[0].split() == ["1NN", "accuracy", "0", "10", "20", "40", "100", "yes/no"]
    for name in METHODS:
        mean = judged(ten_runs, name, "one_nn")[1].mean(axis=0)
        (row, _) = [line.split() for line in lines if line.split()[:1] == [name]]
        assert row[1:6] == [f"{value:.3f}" for value in mean]


def test_the_picture_has_both_measures_and_all_methods(ten_runs, tmp_path):
    figure = learning_curves(ten_runs, "Wine")
    assert [axes.get_ylabel() for axes in figure.axes] == ["1NN accuracy", "triplet accuracy"]
    for axes in figure.axes:
        assert [line.get_label() for line in axes.get_lines()] == list(METHODS)
    figure.savefig(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "name",
    ["breast_tissue", "parkinsons", "soybean_small", "wine", "yeast", "image_segmentation", "hja_birdsong"],
)
def test_the_quadratic_program_is_certified_on_the_papers_raw_features(shared_data, name):
    with (shared_data / f"{name}.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    labels = np.unique([row["class"] for row in rows], return_inverse=True)[1]
    X = np.array([[float(v) for c, v in row.items() if not c.startswith("class")] for row in rows])
    rng = np.random.default_rng(0)
    for m in (2, 20, 200):
        metric = SchultzJoachims(C=100, preprocessor=X).fit(triplets_from_labels(labels, m, rng))
        assert metric.gap_ <= 1e-7
