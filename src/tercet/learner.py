"""Ask and tell: the only place that joins metric, beliefs, pool and selection."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from tercet._random import RandomState, Seeds
from tercet._validation import Floats, Ints, check_count, check_features, check_n_classes, check_triplets
from tercet.answers import Comparisons, as_answer
from tercet.beliefs import ClusterForest
from tercet.information import answer_probabilities
from tercet.metrics import SchultzJoachims
from tercet.pools import Pool, SampledPool
from tercet.selection import Info, Rule, choose
from tercet.triplets import question_numbers

# The paper gives no value. Wine, Breast, Segment, Soybean and Parkinson hardly change from 1 to 1,000; Yeast,
# whose features are small, needs about 100.
PAPER_C = 100.0


class PoolExhaustedError(RuntimeError):
    """There are fewer questions left in the pool than were asked for."""


class UnknownQueryError(LookupError):
    """The query was never asked by this learner."""


class AlreadyToldError(ValueError):
    """The query has its answer already."""


@dataclass(frozen=True)
class Query:
    """A question to put to somebody, whether item i is more like j or more like k.

    Attributes
    ----------
    id : str
        Names the question; `ActiveLearner.tell` takes it in place of the query.
    triplet : tuple (i, j, k)
    score : float
        What the selection rule expects of the question; for Info, nats of information.
    probabilities : tuple (yes, no, dk) or None
        The probability of each answer; None for rules that do not look at beliefs.
    """

    id: str
    triplet: tuple[int, int, int]
    score: float = float("nan")
    probabilities: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class _Models:
    """What was learned from the first so many answers; beliefs only once somebody asked for them."""

    metric: Any
    beliefs: Any = None


class ActiveLearner:
    """Learns a metric by asking, one question or several at a time.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The features of the items.
    n_classes : int, optional
        How many hidden classes to expect; needed unless ``beliefs`` knows.
    metric : metric learner, optional
        Anything with ``fit(triplets)`` and ``transform(X)``, metric-learn's included. By default
        `SchultzJoachims` on standardised features.
    beliefs : belief model, optional
        By default `ClusterForest`.
    selector : selection rule, optional
        By default `Info`.
    pool : pool, optional
        By default `SampledPool`.
    random_state : int, Generator, RandomState or None
        The same seed and the same answers give the same questions.
    comparisons : Comparisons, optional
        Answers from before, as for `restore`.

    Notes
    -----
    The models are a function of the seed and the answers alone: looking at them, undoing, and starting again
    from the saved `comparisons` change nothing. Warm starts keep to this too. After m answers the models
    start from those after ``m & (m - 1)`` answers (m without its lowest binary digit), so that starting again
    costs at most log2(m) fits.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from tercet import ActiveLearner, ClassOracle
    >>> X, y = load_wine(return_X_y=True)
    >>> learner = ActiveLearner(X, n_classes=3, random_state=0)
    >>> (query,) = learner.ask()
    >>> learner.tell(query, "yes")
    >>> learner.run(ClassOracle(y), n_queries=4).comparisons
    Comparisons(5 yes/no, 0 don't know)
    >>> learner.metric_.transform(X).shape, learner.beliefs_.shape
    ((178, 13), (178, 3))
    """

    def __init__(
        self,
        X: ArrayLike,
        n_classes: int | None = None,
        *,
        metric: Any | None = None,
        beliefs: Any | None = None,
        selector: Rule | None = None,
        pool: Pool | None = None,
        random_state: RandomState = None,
        comparisons: Comparisons | None = None,
    ) -> None:
        self.X = check_features(X)
        self.metric = SchultzJoachims(basis="standard", warm_start=True) if metric is None else metric
        self.beliefs = _with_classes(ClusterForest() if beliefs is None else beliefs, n_classes, len(self.X))
        self.selector: Rule = Info() if selector is None else selector
        self.pool: Pool = SampledPool() if pool is None else pool
        self._seeds = Seeds(random_state)
        self._comparisons: Comparisons
        self._asked: dict[str, Query]
        self._pending: dict[str, Query]
        self._cache: dict[int, _Models]
        self.restore(Comparisons() if comparisons is None else comparisons)

    @classmethod
    def from_paper(cls, X: ArrayLike, n_classes: int | None = None, **parts: Any) -> Self:
        """Return a learner in the paper's configuration, whatever the defaults become.

        Info over Schultz & Joachims on raw features, k-means with ten starts, a forest of 50 trees and a pool
        of 100 n questions. Takes the same keywords as the class; each replaces one part.
        """
        defaults: dict[str, Any] = {
            "metric": SchultzJoachims(C=PAPER_C, prior="identity", basis=None, warm_start=True),
            "beliefs": ClusterForest(n_trees=50, n_starts=10, warm_start=True),
            "selector": Info(),
            "pool": SampledPool(multiple=100),
        }
        given = {name: part for name, part in parts.items() if part is not None}
        return cls(X, n_classes, **{**defaults, **given})

    @property
    def comparisons(self) -> Comparisons:
        """All answers told so far, in order."""
        return self._comparisons

    @property
    def metric_(self) -> Any:
        """The metric learned from every answer told so far."""
        return self._models(len(self._comparisons), beliefs=False).metric

    @property
    def beliefs_(self) -> Floats:
        """The probability of each class for each item, after every answer told so far; shape (n, C)."""
        models = self._models(len(self._comparisons), beliefs=True)
        return np.asarray(models.beliefs.predict_proba())

    @property
    def pending(self) -> tuple[Query, ...]:
        """The questions that were asked and have no answer yet."""
        return tuple(self._pending.values())

    def ask(self, n: int = 1) -> list[Query]:
        """Return the best ``n`` questions, none of them asked before. They stay pending until told.

        Raises
        ------
        PoolExhaustedError
            If fewer than ``n`` questions are left in the pool.
        """
        n = check_count("n", n)
        left = int(np.count_nonzero(self._open))
        if left < n:
            raise PoolExhaustedError(
                f"asked for {n} questions, but the pool has {left} left of {len(self._open)}; "
                "use a larger pool (SampledPool(multiple=...) or ExhaustivePool()), or stop here"
            )
        beliefs = self.beliefs_ if self.selector.needs_beliefs else None
        waiting = check_triplets([query.triplet for query in self._pending.values()])
        asked = np.concatenate([self._comparisons.triplets, waiting])
        available = self._open.copy()
        rng = self._seeds.generator("ties", len(asked))
        queries: list[Query] = []
        while len(queries) < n:
            scores = np.where(available, self.selector.score(self._candidates, beliefs, asked), -np.inf)
            chosen = choose(scores, 1 if self.selector.needs_asked else n, rng)
            queries += self._queries(self._candidates[chosen], scores[chosen], beliefs)
            available[chosen] = False
            asked = np.concatenate([asked, self._candidates[chosen]])
        self._open = available
        for query in queries:
            self._asked[query.id] = self._pending[query.id] = query
        return queries

    def tell(self, query: Query | str, answer: object) -> None:
        """Record the answer to a pending question, given as the query or its id, in any order.

        Parameters
        ----------
        query : Query or str
        answer : Answer, or "yes", "no", "dk", or 1, -1, 0

        Raises
        ------
        UnknownQueryError, AlreadyToldError
            Nothing is recorded then.
        """
        name = query.id if isinstance(query, Query) else query
        if name not in self._asked:
            raise UnknownQueryError(
                f"query {name!r} was never asked by this learner; tell what ask() returned, or restore() "
                "answers from elsewhere"
            )
        if name not in self._pending:
            raise AlreadyToldError(f"query {name!r} has its answer already; undo() takes back the last one")
        self._comparisons = self._comparisons.append(self._pending[name].triplet, as_answer(answer))
        del self._pending[name]

    def undo(self) -> Query:
        """Take back the last answer; its question is pending again and is returned."""
        if not len(self._comparisons):
            raise ValueError("there is no answer to undo; tell() one first")
        (i, j, k) = self._comparisons.triplets[-1].tolist()
        query = self._asked[_name((i, j, k))]
        self._comparisons = self._comparisons[:-1]
        self._cache = {size: models for size, models in self._cache.items() if size <= len(self._comparisons)}
        self._pending[query.id] = query
        return query

    def restore(self, comparisons: Comparisons) -> Self:
        """Replace all answers by these and forget pending questions; what was answered is not asked again."""
        if not isinstance(comparisons, Comparisons):
            raise TypeError(f"give Comparisons, not {type(comparisons).__name__}; see Comparisons.from_csv")
        check_triplets(comparisons.triplets, len(self.X))
        self._comparisons = comparisons
        self._asked = {_name(triplet): Query(_name(triplet), triplet) for triplet, _ in comparisons}
        self._pending = {}
        self._cache = {}
        self.__dict__.pop("_open", None)
        return self

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
        for _ in _with_progress(questions) if progress else questions:
            (query,) = self.ask()
            self.tell(query, oracle(query.triplet))
        return self

    @cached_property
    def _candidates(self) -> Ints:
        return self.pool.draw(len(self.X), self._seeds.generator("pool"))

    @cached_property
    def _open(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which candidates were not asked yet."""
        n = len(self.X)
        done = question_numbers(self._comparisons.triplets, n)
        return ~np.isin(question_numbers(self._candidates, n), done)

    def _queries(self, triplets: Ints, scores: Floats, beliefs: Floats | None) -> list[Query]:
        if beliefs is None:
            probabilities: list[Any] = [None] * len(triplets)
        else:
            probabilities = [tuple(row) for row in answer_probabilities(beliefs, triplets).tolist()]
        rows = zip(triplets.tolist(), scores.tolist(), probabilities, strict=True)
        return [Query(_name(triplet), tuple(triplet), score, chances) for triplet, score, chances in rows]

    def _models(self, size: int, *, beliefs: bool) -> _Models:
        """Return what is learned from the first ``size`` answers, from the cache where possible."""
        known = self._cache.get(size)
        if known is not None and (known.beliefs is not None or not beliefs):
            return known
        earlier = self._models(_warm_from(size), beliefs=beliefs) if size else None
        answers = self._comparisons[:size]
        metric = known.metric if known else self._fit_metric(earlier.metric if earlier else None, answers)
        model: Any = None
        if beliefs:
            model = copy.copy(earlier.beliefs) if earlier else clone(self.beliefs)
            _fill(model, self.beliefs, random_state=self._seeds.integer("beliefs", size))
            model.fit(metric.transform(self.X), answers)
        # Keep these models and their ancestors, which the next ones may start from too.
        kept = {size: _Models(metric, model)}
        while size:
            size = _warm_from(size)
            kept[size] = self._cache[size]
        self._cache = kept
        return next(iter(kept.values()))

    def _fit_metric(self, earlier: Any | None, answers: Comparisons) -> Any:
        # A shallow copy of a fitted metric keeps what a warm start needs, and fit leaves the original alone.
        metric = copy.copy(earlier) if type(earlier) is type(self.metric) else clone(self.metric, safe=False)
        _fill(
            metric, self.metric, preprocessor=self.X, random_state=self._seeds.integer("metric", len(answers))
        )
        by_index = "preprocessor" in _params(metric)
        if has_fit_parameter(metric, "y"):
            triplets = answers.triplets
            return metric.fit(triplets if by_index else self.X[triplets], answers.answers)
        triplets = answers.ordered()
        if len(triplets):
            try:
                return metric.fit(triplets if by_index else self.X[triplets])
            except ValueError as error:
                # metric-learn's learners refuse fewer triplets than features, where every run starts.
                warnings.warn(
                    f"{type(metric).__name__} could not learn from {len(triplets)} triplets ({error}); "
                    "using the plain Euclidean distance until it can",
                    UserWarning,
                    stacklevel=2,
                )
        return SchultzJoachims(preprocessor=self.X).fit(np.empty((0, 3), dtype=np.int64))


def _warm_from(size: int) -> int:
    """Return the number of answers whose models those after ``size`` answers start from."""
    return size & (size - 1)


def _name(triplet: tuple[int, int, int]) -> str:
    return "{}-{}-{}".format(*triplet)


def _params(part: Any) -> dict[str, Any]:
    return dict(part.get_params(deep=False)) if hasattr(part, "get_params") else {}


def _fill(part: Any, template: Any, **values: Any) -> None:
    """Set those parameters of ``part`` that its user left at None."""
    unset = {name for name, value in _params(template).items() if value is None}
    wanted = {name: value for name, value in values.items() if name in unset}
    if wanted:
        part.set_params(**wanted)


def _with_classes(beliefs: Any, n_classes: int | None, n_items: int) -> Any:
    """Return the belief model with the number of classes filled in and checked."""
    own = _params(beliefs).get("n_classes")
    if n_classes is None and own is None:
        raise ValueError("n_classes is missing; say how many hidden classes to expect, such as n_classes=3")
    if n_classes is not None and own is not None and n_classes != own:
        raise ValueError(f"n_classes is {n_classes}, but the belief model has {own}; give only one of them")
    checked = check_n_classes(own if n_classes is None else n_classes, n_items)
    return clone(beliefs).set_params(n_classes=checked)


def _with_progress(questions: range) -> Iterable[int]:
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("a progress bar needs tqdm: pip install 'tercet[experiments]'") from error
    return cast(Iterable[int], tqdm(questions, unit="question"))
