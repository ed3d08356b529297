"""The paper's protocol: half the items to ask about, half to judge by."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from tercet._random import Seeds
from tercet._validation import Floats, Ints, check_features, check_labels
from tercet.answers import Answer, Comparisons
from tercet.evaluation import knn_accuracy, triplet_accuracy
from tercet.learner import ActiveLearner
from tercet.oracles import ClassOracle
from tercet.selection import Info, Nonredundant, Random
from tercet.triplets import triplets_from_labels

#: Makes a learner: ``make(X, n_classes=..., random_state=..., comparisons=...)``.
LearnerFactory = Callable[..., ActiveLearner]

#: The three methods of the paper, which differ in the selection rule only.
METHODS: dict[str, LearnerFactory] = {
    "Info": partial(ActiveLearner.from_paper, selector=Info()),
    "Random": partial(ActiveLearner.from_paper, selector=Random()),
    "Nonredundant": partial(ActiveLearner.from_paper, selector=Nonredundant()),
}


@dataclass(frozen=True)
class Mark:
    """What one run of one method had reached after so many questions.

    The accuracies are NaN where nobody judged, since judging takes time.
    """

    method: str
    run: int
    questions: int
    one_nn: float
    triplet_accuracy: float
    yes_no_share: float


@dataclass(frozen=True)
class Trial:
    """One run's split and first answers, the same for every method."""

    X_train: Floats
    y_train: Ints
    X_test: Floats
    y_test: Ints
    n_classes: int
    first: Comparisons
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
            seed=seeds.integer("learner", run),
        )

    def judge(self, learner: ActiveLearner) -> tuple[float, float]:
        """Return 1NN accuracy (training items label test items) and triplet accuracy on the test items."""
        Z_train, Z_test = (learner.metric_.transform(X) for X in (self.X_train, self.X_test))
        one_nn = knn_accuracy(Z_train, self.y_train, Z_test, self.y_test)
        return one_nn, triplet_accuracy(Z_test, self.y_test, random_state=self.seed)


def simulate(
    X: ArrayLike,
    y: ArrayLike,
    *,
    methods: dict[str, LearnerFactory] = METHODS,
    runs: Iterable[int] = range(10),
    n_queries: int = 40,
    marks: Collection[int] = (0, 10, 20, 40),
    seed: int = 0,
) -> Iterator[Mark]:
    """Yield a mark before the first and after every question of every run of every method.

    Question 0 is the state after the two first triplets. Only after the numbers of questions in ``marks`` is
    the metric judged. A run depends on its number and the seed only.
    """
    for run in runs:
        trial = Trial.draw(X, y, run, seed)
        oracle = ClassOracle(trial.y_train)
        for name, make in methods.items():
            learner = make(
                trial.X_train, n_classes=trial.n_classes, random_state=trial.seed, comparisons=trial.first
            )
            for questions in range(n_queries + 1):
                if questions:
                    learner.run(oracle, 1)
                accuracies = trial.judge(learner) if questions in marks else (float("nan"), float("nan"))
                share = learner.comparisons[len(trial.first) :].yes_no_share
                yield Mark(name, run, questions, *accuracies, share)
