"""Where the latent-class learner may do badly: strong Euclid, codes, many tiny classes, a very large one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from latent_trials import MARKS, SEED, ask, euclid, header, latent, row

from tercet.datasets import load
from tercet.experiments.protocol import Trial
from tercet.selection import ModelInfo, Random


def strong(options, data):
    marks = [str(mark) for mark in MARKS]
    header("dataset", "Euclid", *(f"less Euclid at {m}" for m in marks), "least")

    def one(X, y, run):
        trial = Trial.draw(X, y, run, SEED)
        return ask(trial, latent, run)[0], euclid(trial)

    for name, (X, y) in data.items():
        runs = Parallel(n_jobs=options.jobs)(delayed(one)(X, y, run) for run in range(options.runs))
        plain = np.mean([b for _, b in runs], axis=0)
        less = np.mean([a for a, _ in runs], axis=0) - plain
        cells = [f"{a:.3f}/{b:.3f}" for a, b in [plain]] + [f"{a:+.3f}/{b:+.3f}" for a, b in less]
        print(f"| {name} | {' | '.join(cells)} | {less.min():+.3f} |", flush=True)


def codes(options, data):
    """Print what a few values do that are far beyond all others: codes for missing ones, and faults."""
    everywhere, first_item, first_feature = np.s_[:, :], np.s_[:1, :], np.s_[:, :1]
    spoiled = {  # which share of which part, and by what; None is 100 standard deviations
        "as they are": (everywhere, 0.0, 0.0),
        "-9999 in all features of one item": (first_item, 1.0, -9999.0),
        "-9999 in 2% of all cells": (everywhere, 0.02, -9999.0),
        "-9999 in 5% of the first feature": (first_feature, 0.05, -9999.0),
        "1e30 in one cell": (np.s_[:1, :1], 1.0, 1e30),
        "100 standard deviations in one cell": (np.s_[:1, :1], 1.0, None),
    }

    def one(X, y, run, part, share, value):
        trial = Trial.draw(X, y, run, SEED)
        spoiled = trial.X_train.copy()
        hit = np.random.default_rng(run).random(spoiled[part].shape) < share
        spoiled[part][hit] = X[:, 0].mean() + 100 * X[:, 0].std() if value is None else value
        return ask(replace(trial, X_train=spoiled), latent, run)[0][:, 1]

    wine = load("Wine", options.data_dir)
    for name, draw in (
        ("Wine", lambda run: (wine.X, wine.y)),
        ("2 features of 3 classes, 4 of noise", clouds),
    ):
        header(f"{name}, triplet accuracy", *map(str, MARKS))
        for label, how in spoiled.items():
            tasks = (delayed(one)(*draw(run), run, *how) for run in range(options.runs))
            row(label, np.mean(Parallel(n_jobs=options.jobs)(tasks), axis=0))


def clouds(run):
    """Return three round classes in two features, beside four of noise."""
    rng = np.random.default_rng(run)
    y = np.repeat(np.arange(3), 60)
    centres = 5 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
    return np.hstack([centres[y], np.zeros((180, 4))]) + rng.normal(size=(180, 6)), y


def limits(options, data):
    """Print what is known to do badly, so that each sentence about it has its figures."""
    header("30 classes of 4 items", "triplet accuracy at 100", "classes found")

    def tiny(run, known):
        rng = np.random.default_rng(run)
        y = np.repeat(np.arange(30), 8)  # half of them are asked about
        X = rng.normal(size=(30, 5))[y] * 3 + rng.normal(size=(len(y), 5))
        accuracies, learner = ask(Trial.draw(X, y, run, SEED), latent, run, classes=known)
        return accuracies[-1, 1], learner.metric_.n_classes_

    for known in ("true", None):
        runs = Parallel(n_jobs=options.jobs)(delayed(tiny)(run, known) for run in range(options.runs))
        row("number known" if known else "number unknown", np.mean(runs, axis=0), "{:.3g}")

    header(
        "HJA Birdsong, 100 questions",
        "mean over triplets",
        "mean over classes",
        "of the largest class",
        "its share of the triplets",
    )
    birds = load("HJA Birdsong", options.data_dir)

    def by_class(run, selector):
        trial = Trial.draw(birds.X, birds.y, run, SEED)
        metric = ask(trial, partial(latent, selector=selector), run)[1].metric_
        apart = metric.distances(trial.X_test)
        i, j, k = trial.test_triplets.T
        right = apart[i, j] < apart[i, k]
        labels = trial.y_test[i]
        largest = np.bincount(labels).argmax()
        each = [right[labels == label].mean() for label in np.unique(labels)]
        return right.mean(), np.mean(each), right[labels == largest].mean(), np.mean(labels == largest)

    for label, selector in (("ModelInfo", ModelInfo()), ("Random", Random())):
        runs = Parallel(n_jobs=options.jobs)(delayed(by_class)(run, selector) for run in range(options.runs))
        row(label, np.mean(runs, axis=0))
