"""What the studies of the latent-class learner share: one run, and tables in Markdown."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from tercet import ActiveLearner, ClassOracle
from tercet.experiments.protocol import REFERENCES

MARKS = (0, 10, 20, 40, 100)
SEED = 0


class OneOfFive:
    """Answers in turn by five people, of whom one errs in half the answers."""

    names = ("ann", "ben", "cal", "dot", "eve")
    careless, careful = 0.5, 0.02  # shares of wrong answers

    def __init__(self, y, seed):
        wrong = [self.careless if name == "cal" else self.careful for name in self.names]
        self.people = [ClassOracle(y, share, seed) for share in wrong]

    def __call__(self, triplet, number):
        """Return the answer to the question of this number, by whose turn it is."""
        return self.people[number % 5](triplet)


def ask(trial, make, run, *, batch=1, noise=0.0, classes="true", people=None, on_mark=None, drop_dk=False):
    """Let a learner ask; return 1NN and triplet accuracy at the marks, and the learner."""
    learner = make(
        trial.X_train,
        n_classes=trial.n_classes if classes == "true" else None,
        random_state=trial.seed,
        comparisons=trial.first,
    )
    oracle = ClassOracle(trial.y_train, noise, run)
    team = OneOfFive(trial.y_train, run) if people else None
    found = []
    for number in range(MARKS[-1] + 1):
        if number in MARKS:
            metric = learner.metric_
            if drop_dk:  # what would have been learned from the others, by the same chain of warm starts
                decided = learner.comparisons.decided
                metric = latent(
                    trial.X_train, trial.n_classes, random_state=trial.seed, comparisons=decided
                ).metric_
            found.append(trial.judge(metric))
            if on_mark:
                on_mark(number, learner)
        if number < MARKS[-1] and number % batch == 0:
            name = OneOfFive.names[number % 5] if team else ""
            for query in learner.ask(batch, name):
                learner.tell(query, team(query.triplet, number) if team else oracle(query.triplet), name)
    return np.array(found), learner


def euclid(trial):
    metric = REFERENCES["Euclid, standardised"].set_params(preprocessor=trial.X_train)
    return trial.judge(metric.fit(np.empty((0, 3), dtype=np.int64)))


latent = ActiveLearner  # its defaults


def row(label, values, form="{:.3f}"):
    print(f"| {label} | " + " | ".join(form.format(value) for value in values) + " |", flush=True)


def header(*columns):
    print(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)


@contextmanager
def changed(constants):
    """Change constants of modules, given as (module, name): value, for a while."""
    before = {key: getattr(*key) for key in constants}
    try:
        for (module, name), value in constants.items():
            setattr(module, name, value)
        yield
    finally:
        for (module, name), value in before.items():
            setattr(module, name, value)
