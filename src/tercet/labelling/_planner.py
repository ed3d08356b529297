"""The learner's next questions after given answers. Whoever holds the planner owns the learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tercet.answers import Comparisons
from tercet.items import Items
from tercet.labelling._ledger import Triplet, digest
from tercet.latent import chooses
from tercet.learner import ActiveLearner
from tercet.queries import PoolExhaustedError, Query, query_id
from tercet.stopping import Outlook

#: Questions a plan holds: enough to go on with while the next model is being learned, and a choice of heads.
BATCH = 16
#: And where the next model will take seconds.
LARGE_BATCH = 64


@dataclass(frozen=True)
class Plan:
    """The best questions after some answers, and what was learned from those.

    Attributes
    ----------
    name : bytes
        The digest of the answers.
    queries : tuple of Query
        Best first; empty when everything was asked.
    metric : fitted metric
    outlook : Outlook, optional
        What further answers are worth.
    """

    name: bytes
    n_answers: int
    queries: tuple[Query, ...]
    rule: str
    metric: Any
    outlook: Outlook | None = None


class Planner:
    """Plans for an `ActiveLearner` about these items. Not thread-safe."""

    def __init__(self, items: Items, n_classes: int | None, seed: int) -> None:
        self._learner = ActiveLearner(items.features, n_classes, random_state=seed)
        self._counts_classes = n_classes is None

    def counts_classes(self, n_answers: int) -> bool:
        """Return whether the learner chooses the number of classes anew after so many answers.

        That takes seconds, and is done once the answer is there, not for each that may come. The ridge and
        the kinds of models are chosen then too, also where the number is given: that takes half a second,
        which looking ahead is worth.
        """
        return self._counts_classes and chooses(n_answers)

    def plan(self, comparisons: Comparisons, reserved: Sequence[Triplet], told: Sequence[Query] = ()) -> Plan:
        """Return the best questions after these answers, as they were asked, that are not reserved."""
        waiting = [Query(query_id(triplet), triplet) for triplet in reserved]
        self._learner.restore(comparisons, waiting, told)
        queries: list[Query] = []
        most = LARGE_BATCH if self.counts_classes(len(comparisons) + 1) else BATCH
        for size in (most, 8, 1):
            try:
                queries = self._learner.ask(size)
                break
            except PoolExhaustedError:
                continue
        return Plan(
            digest(comparisons),
            len(comparisons),
            tuple(queries),
            repr(self._learner.selector),
            self._learner.metric_,
            # This takes milliseconds: the models of 8, 16, 32, ... answers are those this one started from.
            self._learner.outlook(),
        )
