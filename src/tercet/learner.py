"""Ask and tell: the only place that joins metric, beliefs, pool and selection."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from os import PathLike
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from tercet._defaults import resolve_parts
from tercet._features import open_features
from tercet._models import Models
from tercet._progress import with_progress
from tercet._questions import at_random, check_places, error_of_asked, own_accuracies, search
from tercet._random import RandomState, Seeds
from tercet._validation import Floats, Ints, check_count, check_part, check_triplets
from tercet.answers import Comparisons, as_answer
from tercet.beliefs import ClusterForest
from tercet.information import answer_probabilities
from tercet.metrics import SchultzJoachims
from tercet.pools import Pool, SampledPool
from tercet.queries import (
    AlreadyToldError,
    PoolExhaustedError,
    Query,
    UnknownQueryError,
    checked_queries,
    queries,
    query_id,
)
from tercet.selection import Info, Rule, SearchingRule, choose_together
from tercet.stopping import Outlook, outlook, sizes
from tercet.triplets import question_numbers

# The paper gives no value; this one comes nearest to its Random rows (docs/reproduction.md has the others).
# Most sets hardly change from 1 to 100,000; Yeast, whose features are small, needs 100 and more.
PAPER_C = 1000.0


class ActiveLearner:
    """Learns a metric by asking, one question or several at a time.

    Parameters
    ----------
    X : array-like of shape (n, d), Dask array, or path of an NPY or Parquet file
        The features of the items. An array is copied; a memory map, a file or a Dask array stays where it is
        and is read in parts (a Parquet file by way of an NPY file that is written beside it).
    n_classes : int, optional
        How many hidden classes to expect. The default learner can do without, and finds out from the answers.
    metric : metric learner, optional
        Anything with ``fit(triplets)`` and ``transform(X)``, metric-learn's included. By default
        `LatentClassMetric`, which learns from every answer, or with other beliefs `SchultzJoachims` on
        standardised features.
    beliefs : belief model, optional
        By default those of the metric, if it has any, and else `ClusterForest`.
    selector : selection rule, optional
        By default `ModelInfo` where the beliefs are those of several models, and else `Info`.
    pool : pool, optional
        Where to look for questions. Without one, a rule that can search for itself (`ModelInfo`, `Info`)
        does, and others get a `SampledPool`.
    max_items : int
        Of a larger collection the belief model and the spreads of features see a random sample of so many
        items, and all that were asked about; of 10,000 the first question takes about a second, each after
        it a tenth of one.
    random_state : int, Generator, RandomState or None
        The same seed and the same answers give the same questions.
    comparisons : Comparisons, optional
        Answers from before, as for `restore`.

    Notes
    -----
    What is learned is a function of the seed and the answers alone: looking at it, undoing, and starting
    again from the saved `comparisons` change nothing, on machines that both have numba or both have not.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from tercet import ActiveLearner, ClassOracle
    >>> X, y = load_wine(return_X_y=True)
    >>> learner = ActiveLearner(X, n_classes=3, random_state=0)
    >>> (query,) = learner.ask()
    >>> learner.tell(query, "yes")
    >>> learner.run(ClassOracle(y), n_queries=4).comparisons
    Comparisons(4 yes/no, 1 don't know)
    >>> learner.metric_.transform(X).shape, learner.beliefs_.shape
    ((178, 31), (178, 3))
    """

    def __init__(
        self,
        X: ArrayLike | PathLike[str] | str,
        n_classes: int | None = None,
        *,
        metric: Any | None = None,
        beliefs: Any | None = None,
        selector: Rule | None = None,
        pool: Pool | None = None,
        max_items: int = 10_000,
        random_state: RandomState = None,
        comparisons: Comparisons | None = None,
    ) -> None:
        features = open_features(X)
        self.X = features.table
        self._n_items = features.shape[0]
        metric, beliefs, self.selector = resolve_parts(metric, beliefs, selector, pool)
        search = getattr(self.selector, "search", "pool")
        self._searches = search == "exact" or (search == "auto" and pool is None)
        self.pool: Pool | None = SampledPool() if pool is None and not self._searches else pool
        if self._searches:
            check_part("selector", self.selector, "find")
        if self.pool is not None:
            check_part("pool", self.pool, "draw")
        self._seeds = Seeds(random_state)
        self._models = Models(
            features,
            metric,
            beliefs,
            n_classes,
            self._seeds,
            check_count("max_items", max_items, minimum=3),
        )
        if search == "exact" and not features.random_access and not self._models.sees_all:
            raise ValueError(
                f"{self.selector} looks at every item, but of the Dask array's {self._n_items} only "
                f"{max_items} are in memory; raise max_items, or use Info()"
            )
        self._comparisons: Comparisons
        self._asked: dict[str, Query]
        self._pending: dict[str, Query]
        self.restore(Comparisons() if comparisons is None else comparisons)

    @classmethod
    def from_paper(
        cls, X: ArrayLike | PathLike[str] | str, n_classes: int | None = None, **parts: Any
    ) -> Self:
        """Return a learner in the paper's configuration, whatever the defaults become.

        Info over Schultz & Joachims on raw features, k-means with ten starts, a forest of 50 trees and a pool
        of 100 n questions. Takes the same keywords as the class; each replaces one part.
        """
        defaults: dict[str, Any] = {
            "metric": SchultzJoachims(C=PAPER_C, prior="identity", basis=None, warm_start=True),
            "beliefs": ClusterForest(n_trees=50, n_starts=10, warm_start=True, max_draws=None),
            "selector": Info(search="pool"),
            "pool": SampledPool(multiple=100),
        }
        given = {name: part for name, part in parts.items() if part is not None}
        if getattr(given.get("selector"), "search", "") == "exact":
            del defaults["pool"]  # it needs none
        return cls(X, n_classes, **{**defaults, **given})

    @property
    def comparisons(self) -> Comparisons:
        """All answers told so far, in order."""
        return self._comparisons

    @property
    def metric_(self) -> Any:
        """The metric learned from every answer told so far."""
        return self._models.fit(self._comparisons, beliefs=False).metric

    @property
    def beliefs_(self) -> Floats:
        """The probability of each class for each item, after every answer told so far; shape (n, C).

        If X is a Dask array, so is this.
        """
        fitted = self._models.fit(self._comparisons, beliefs=True)
        return cast(Floats, self._models.beliefs_about_all(fitted))

    def __repr__(self) -> str:
        n, d = self.X.shape
        return f"ActiveLearner({n} items of {d} features, {self._comparisons}, {len(self._pending)} pending)"

    @property
    def pending(self) -> tuple[Query, ...]:
        """The questions that were asked and have no answer yet."""
        return tuple(self._pending.values())

    def ask(self, n: int = 1, annotator: str = "") -> list[Query]:
        """Return the best ``n`` questions, none of them asked before. They stay pending until told.

        Parameters
        ----------
        n : int
            Questions of a batch are chosen to be informative together: see `choose_together`.
        annotator : str
            Whom to ask; what an answer is worth depends on how often they err.

        Raises
        ------
        PoolExhaustedError
            If fewer than ``n`` questions are left in the pool, or at all.
        """
        n = check_count("n", n)
        waiting = [query.triplet for query in self._pending.values()]
        asked = np.concatenate([self._comparisons.triplets, check_triplets(waiting)])
        # Only questions that the model could answer itself show who errs.
        places = check_places(self._seeds, len(asked), n, annotator)
        checks = at_random(self._models, self._seeds, self._comparisons, asked, len(places))
        waiting += [query.triplet for query in checks]
        found = self._best(n - len(checks), waiting, annotator)
        if checks and not self._searches:
            self._open &= ~self._among(check_triplets(waiting))
        for place, query in zip(places, checks, strict=False):
            found.insert(place, query)
        for query in found:
            self._asked[query.id] = self._pending[query.id] = query
        return found

    def _best(self, n: int, waiting: list[tuple[int, int, int]], annotator: str) -> list[Query]:
        """Return the best ``n`` questions, while answers to those waiting are still to come."""
        if not n:
            return []
        open_ = check_triplets(waiting)
        if not self._searches:
            return self._from_pool(n, open_, annotator)
        rule = cast(SearchingRule, self.selector)
        return search(self._models, self._seeds, rule, self._comparisons, open_, n, annotator)

    def _from_pool(self, n: int, waiting: Ints, annotator: str) -> list[Query]:
        """Return the best of the candidates that are left in the pool."""
        available = self._open & ~self._among(waiting)
        left = int(np.count_nonzero(available))
        if left < n:
            raise PoolExhaustedError(
                f"asked for {n} questions, but the pool has {left} left of {len(self._open)}; "
                "use a larger pool (SampledPool(multiple=...) or ExhaustivePool()), or stop here"
            )
        beliefs = self._believed() if getattr(self.selector, "needs_beliefs", True) else None
        more = error_of_asked(self._models, self.selector, self._comparisons, annotator)
        at_once = 1 if getattr(self.selector, "needs_asked", False) else n
        asked = np.concatenate([self._comparisons.triplets, waiting])
        rng = self._seeds.generator("ties", len(asked))
        found: list[Query] = []
        while len(found) < n:
            places = np.flatnonzero(available)
            candidates = self._candidates[places]
            scores = self.selector.score(candidates, beliefs, asked, **more)
            best = choose_together(candidates, scores, at_once, rng, () if beliefs is None else waiting)
            chosen = candidates[best]
            chances = None if beliefs is None else answer_probabilities(beliefs, chosen)
            found += queries(chosen, scores[best], chances)
            available[places[best]] = False
            asked = np.concatenate([asked, chosen])
        self._open = available
        return found

    def _believed(self) -> Floats:
        """Return the beliefs about all items, of each model if the rule compares several."""
        if not getattr(self.selector, "needs_members", False):
            return np.asarray(self.beliefs_)
        return self._models.members_about_all(self._models.fit(self._comparisons, beliefs=True))

    def tell(self, query: Query | str, answer: object, annotator: str = "") -> None:
        """Record the answer to a pending question, given as the query or its id, in any order.

        Parameters
        ----------
        query : Query or str
        answer : Answer, or "yes", "no", "dk", or 1, -1, 0
        annotator : str
            Who gave it, if several do.

        Raises
        ------
        UnknownQueryError, AlreadyToldError
            Nothing is recorded then.
        """
        name = query.id if isinstance(query, Query) else query
        if not isinstance(name, str):
            raise TypeError(f"tell takes a query or its id, not {query!r}")
        if name not in self._asked:
            raise UnknownQueryError(
                f"query {name!r} was never asked by this learner; tell what ask() returned, or restore() "
                "answers from elsewhere"
            )
        if name not in self._pending:
            raise AlreadyToldError(f"query {name!r} has its answer already; undo() takes back the last one")
        self._comparisons = self._comparisons.append(
            self._pending[name].triplet, as_answer(answer), annotator
        )
        del self._pending[name]

    def undo(self) -> Query:
        """Take back the last answer; its question is pending again and is returned."""
        if not len(self._comparisons):
            raise ValueError("there is no answer to undo; tell() one first")
        (i, j, k) = self._comparisons.triplets[-1].tolist()
        query = self._asked[query_id((i, j, k))]
        self._comparisons = self._comparisons[:-1]
        self._pending[query.id] = query
        return query

    def restore(
        self, comparisons: Comparisons, pending: Iterable[Query] = (), told: Iterable[Query] = ()
    ) -> Self:
        """Replace all answers by these; what was answered, or is pending, is not asked again.

        Parameters
        ----------
        comparisons : Comparisons
            Answers from before, or from elsewhere.
        pending : queries
            Questions that were asked and whose answers may still come, as `pending` had them; those that
            have an answer by now are passed over.
        told : queries
            The questions of these answers as they were asked, if kept: for `outlook`.
        """
        if not isinstance(comparisons, Comparisons):
            raise TypeError(f"give Comparisons, not {type(comparisons).__name__}; see Comparisons.from_csv")
        check_triplets(comparisons.triplets, self._n_items)
        pending, kept = checked_queries("pending", pending), checked_queries("told", told)
        answered = {query_id(triplet): Query(query_id(triplet), triplet) for triplet, _ in comparisons}
        answered |= {query.id: query for query in kept if query.id in answered}
        # A list of pending questions saved before the last answer must not have it counted twice.
        check_triplets([query.triplet for query in pending], self._n_items)
        swapped = {query_id((i, k, j)) for (i, j, k), _ in comparisons}
        waiting = {q.id: q for q in pending if q.id not in answered and q.id not in swapped}
        self._comparisons = comparisons
        self._pending = waiting
        self._asked = answered | waiting
        self.__dict__.pop("_open", None)
        return self

    def outlook(self) -> Outlook:
        """Return how well the model answers by its own estimate, and what the next answer is worth.

        About the items at hand, those included that answers have settled: with few items and many answers it
        says more than the metric alone could say of new ones. Corrected by how often the model foresaw the
        answers, if this learner asked or `restore` was told.
        """
        answers, known = self._comparisons, sizes(len(self._comparisons))
        told = [self._asked[query_id(triplet)] for triplet, _ in answers]
        return outlook(known, own_accuracies(self._models, self._seeds, answers, told, known))

    def should_stop(self, target: float = 0.95, min_gain: float = 1e-4) -> bool:
        """Return whether further questions are hardly worth their while.

        Parameters
        ----------
        target : float
            The share of random questions about the items at hand that the model is to answer right, by its
            own estimate (see `outlook`). Don't-knows count too, and of C classes of equal size they are
            1 - 2 (C - 1) / C^2 of all answers, .82 for 10 and .93 for 26: where there are many classes, aim
            higher.
        min_gain : float
            Stop too if the next answer is expected to add less than this to it. While the estimate falls
            nothing is expected of the next answer, and nobody should stop: the models find out that they
            were too sure.
        """
        return self.outlook().is_enough(target, min_gain)

    def run(self, oracle: Any, n_queries: int, *, progress: bool = False) -> Self:
        """Ask ``n_queries`` questions one at a time and learn from the answers.

        Parameters
        ----------
        oracle : callable
            Takes a triplet (i, j, k) and returns its answer, as `ClassOracle` does.
        n_queries : int
        progress : bool
            Show a progress bar (needs tqdm, in the extra ``experiments``).
        """
        questions = range(check_count("n_queries", n_queries, minimum=0))
        for _ in with_progress(questions, "question") if progress else questions:
            (query,) = self.ask()
            try:
                answer = as_answer(oracle(query.triplet))
            except BaseException:  # the question went unanswered: it may be asked again
                self._release(query)
                raise
            self.tell(query, answer)
        return self

    @cached_property
    def _candidates(self) -> Ints:
        return cast(Pool, self.pool).draw(self._n_items, self._seeds.generator("pool"))

    @cached_property
    def _open(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which candidates were not asked yet."""
        done = [
            self._comparisons.triplets,
            check_triplets([query.triplet for query in self._pending.values()]),
        ]
        return ~self._among(np.concatenate(done))

    def _among(self, triplets: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which candidates are among these questions, in either order of j and k."""
        n = self._n_items
        return np.isin(question_numbers(self._candidates, n), question_numbers(triplets, n))

    def _release(self, query: Query) -> None:
        del self._pending[query.id], self._asked[query.id]
        if not self._searches:
            self._open |= self._among(np.array([query.triplet]))
