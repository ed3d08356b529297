"""The paper's protocol: half the items to ask about, half to judge by."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from tercet._random import Seeds
from tercet._validation import Floats, Ints, check_features, check_labels
from tercet.answers import Answer, Comparisons
from tercet.evaluation import accuracy_of, knn_accuracy
from tercet.experiments.rows import Row
from tercet.learner import ActiveLearner
from tercet.metrics import RosalesFung, SchultzJoachims
from tercet.oracles import ClassOracle
from tercet.pools import ExhaustivePool
from tercet.selection import Info, Nonredundant, Random
from tercet.triplets import triplets_from_labels

#: Makes a learner: ``make(X, n_classes=..., random_state=..., comparisons=...)``.
LearnerFactory = Callable[..., ActiveLearner]

_paper = ActiveLearner.from_paper

#: The three methods of the paper, which differ in the selection rule only.
PAPER_METHODS: Mapping[str, LearnerFactory] = {
    "Info": partial(_paper, selector=Info()),
    "Random": partial(_paper, selector=Random()),
    "Nonredundant": partial(_paper, selector=Nonredundant()),
}

# On standardised features: this learner keeps few features and pays for each by its variance, so that on raw
# ones it keeps a single large one (Wine's proline) and learns nothing more.
_rosales_fung = RosalesFung(basis="standard")

#: Beyond the paper: the model that learns from every answer, with four ways to choose the question.
LATENT_METHODS: Mapping[str, LearnerFactory] = {
    "Latent": ActiveLearner,
    "Latent, Info": partial(ActiveLearner, selector=Info()),
    "Latent, Entropy": partial(ActiveLearner, selector=Info(dont_know="informative")),
    "Latent, Random": partial(ActiveLearner, selector=Random()),
}

#: All methods that ask: the paper's, Info over all questions, the three with the other metric learner, and
#: those beyond the paper.
METHODS: Mapping[str, LearnerFactory] = {
    **PAPER_METHODS,
    "Info, exact": partial(_paper, selector=Info(), pool=ExhaustivePool()),
    "Info, R&F": partial(_paper, selector=Info(), metric=_rosales_fung),
    "Random, R&F": partial(_paper, selector=Random(), metric=_rosales_fung),
    "Nonredundant, R&F": partial(_paper, selector=Nonredundant(), metric=_rosales_fung),
    **LATENT_METHODS,
}

#: What a metric is worth that asked nothing: plain distances, on raw and on standardised features.
REFERENCES: Mapping[str, SchultzJoachims] = {
    "Euclid": SchultzJoachims(),
    "Euclid, standardised": SchultzJoachims(basis="standard"),
}

_SAMPLED_TRIPLETS = 200_000  # as in the paper; all of them where there are no more


@dataclass(frozen=True)
class Trial:
    """One run's split and first answers, the same for every method."""

    X_train: Floats
    y_train: Ints
    X_test: Floats
    y_test: Ints
    n_classes: int
    first: Comparisons
    test_triplets: Ints
    seed: int

    @classmethod
    def draw(cls, X: ArrayLike, y: ArrayLike, run: int, seed: int) -> Trial:
        """Split the items in two halves at random, and draw two yes/no triplets to start from."""
        features = check_features(X)
        labels = check_labels(y, len(features))
        seeds = Seeds(seed)
        train, test = np.array_split(seeds.generator("split", run).permutation(len(features)), 2)
        first = triplets_from_labels(labels[train], 2, seeds.generator("first triplets", run))
        return cls(
            X_train=features[train],
            y_train=labels[train],
            X_test=features[test],
            y_test=labels[test],
            n_classes=int(labels.max()) + 1,
            first=Comparisons(first, np.full(len(first), Answer.YES)),
            test_triplets=triplets_from_labels(
                labels[test], _SAMPLED_TRIPLETS, seeds.generator("test triplets", run)
            ),
            seed=seeds.integer("learner", run),
        )

    def judge(self, metric: object) -> tuple[float, float]:
        """Return 1NN accuracy (training items label test items) and triplet accuracy on the test items."""
        if hasattr(metric, "distances"):  # of its own, which no space has exactly
            nearest = metric.distances(self.X_test, self.X_train).argmin(axis=1)
            apart = metric.distances(self.X_test)
            i, j, k = self.test_triplets.T
            to_j, to_k = apart[i, j], apart[i, k]
            right = np.count_nonzero(to_j < to_k) + 0.5 * np.count_nonzero(to_j == to_k)
            return float(np.mean(self.y_train[nearest] == self.y_test)), right / len(i)
        Z_train, Z_test = (metric.transform(X) for X in (self.X_train, self.X_test))  # type: ignore[attr-defined]
        one_nn = knn_accuracy(Z_train, self.y_train, Z_test, self.y_test)
        return one_nn, accuracy_of(Z_test, self.test_triplets)


def run_method(
    dataset: str,
    method: str,
    trial: Trial,
    run: int,
    *,
    n_queries: int,
    marks: Collection[int],
    yes_no_marks: Collection[int] = (),
    on_question: Callable[[], object] = lambda: None,
) -> list[Row]:
    """Let one method ask in one trial, and judge its metric at the marks.

    Parameters
    ----------
    marks : numbers of questions
        0 is the state after the two first triplets.
    yes_no_marks : numbers of yes/no answers, the first two included
    on_question : callable
        Called after every question.
    """
    rows: list[Row] = []
    if method in REFERENCES:
        # A copy: on a cluster several threads may be here at once.
        metric = clone(REFERENCES[method]).set_params(preprocessor=trial.X_train)
        metric.fit(np.empty((0, 3), dtype=np.int64))
        return [Row(dataset, method, run, "questions", 0, *trial.judge(metric), float("nan"))]
    learner = METHODS[method](
        trial.X_train, n_classes=trial.n_classes, random_state=trial.seed, comparisons=trial.first
    )
    oracle = ClassOracle(trial.y_train)
    wanted = set(yes_no_marks)
    for questions in range(n_queries + 1):
        if questions:
            learner.run(oracle, 1)
            on_question()
        decided = len(learner.comparisons.decided)
        reached = [("questions", questions)] * (questions in marks) + [("yes_no", decided)] * (
            decided in wanted
        )
        wanted.discard(decided)
        if reached:
            accuracies = trial.judge(learner.metric_)
            share = learner.comparisons[len(trial.first) :].yes_no_share
            rows += [Row(dataset, method, run, by, count, *accuracies, share) for by, count in reached]
    return rows
