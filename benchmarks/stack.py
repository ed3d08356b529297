"""One step of Tercet in its parts: what happens between an answer and the next question."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from data import mixture
from environments import Worker
from measure import alternately, cpu

from tercet.beliefs import ClusterForest
from tercet.beliefs._forest import grow
from tercet.information import information_gain
from tercet.metrics import SchultzJoachims
from tercet.pools import SampledPool
from tercet.selection import Info
from tercet.triplets import triplets_from_labels

#: The parts that both stacks have, in the order in which they run.
PARTS = ("metric", "clusters", "forest", "search")


@dataclass
class Step:
    """The step after m answers about n items, warm as in a run: it starts from earlier models."""

    n: int
    d: int
    n_classes: int
    m: int
    X: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.X, self.labels = mixture(self.n, self.d, self.n_classes, self.rng)
        self.answers = triplets_from_labels(self.labels, self.m, self.rng)
        self.pool = SampledPool(100, most=10**9).draw(self.n, self.rng)
        self._before = self._new_metric().fit(self.answers[: self.m & (self.m - 1)])
        self._believed = ClusterForest(self.n_classes, random_state=0)
        self._believed.fit(self._before.transform(self.X))
        self.metric()
        self.clusters()
        self.forest()

    def _new_metric(self) -> SchultzJoachims:
        return SchultzJoachims(basis="standard", warm_start=True, preprocessor=self.X)

    def metric(self) -> None:
        """Learn the metric from where the last fit ended."""
        self.Z = copy.copy(self._before).fit(self.answers).transform(self.X)

    def cold_metric(self) -> None:
        """Learn the metric from nothing, as the peers do."""
        self._new_metric().fit(self.answers).transform(self.X)

    def clusters(self) -> None:
        """Run k-means from three new starts and from the last clusters."""
        model = copy.copy(self._believed)
        model._cluster(self.Z, self.n_classes, 1)
        self._clustered = model.labels_

    def forest(self) -> None:
        """Grow the forest."""
        _, votes = grow(self.Z, self._clustered, self.n_classes, 50, 1, "auto")
        self.beliefs = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0)
        self.beliefs[votes.sum(axis=1) == 0] = 1 / self.n_classes

    def search(self) -> float:
        """Find the best of all questions about some items, as Info does by default."""
        rule = Info()
        rng = np.random.default_rng(0)
        items = np.arange(self.n)
        if self.n > rule.looks_at(self.n):
            items = np.sort(rng.choice(self.n, rule.looks_at(self.n), replace=False))
        _, scores = rule.find(self.beliefs[items], np.empty((0, 3), dtype=np.int64), 1, rng)
        return float(scores[0])

    def pool_search(self) -> float:
        """Find the best of a pool of 100 n questions, as the plain stack does."""
        return float(information_gain(self.beliefs, self.pool).max())

    def arrays(self) -> dict[str, Any]:
        """Return what the plain stack needs."""
        return {"X": self.X, "answers": self.answers, "pool": self.pool, "n_classes": self.n_classes}

    def beside(self, plain: Worker | None, seconds: float) -> dict[str, dict[str, float]]:
        """Time each part here and in the plain stack, in turns; return seconds by side and part."""
        times: dict[str, dict[str, float]] = {"Tercet": {}, "plain": {}}
        if plain is not None:
            plain.load(**self.arrays())
        for part in PARTS:
            sides = {"Tercet": cpu(getattr(self, part))}
            if plain is not None:
                sides["plain"] = plain.timed(part)
            for side, took in alternately(sides, seconds).items():
                times[side][part] = took
        for parts in times.values():
            if parts:
                parts["whole"] = sum(parts[part] for part in PARTS)
        return times
