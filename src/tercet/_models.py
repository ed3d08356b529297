"""What is learned from the answers so far: a metric, and beliefs under it.

Both are a function of the seed and the answers alone. Warm starts keep to this too: after m answers the
models start from those after ``m & (m - 1)`` (m without its lowest binary digit), so that looking at them,
undoing and starting again change nothing, and starting again costs at most log2(m) fits; or twice as many
where a metric has beliefs of its own, which at a power of two starts from half as many answers.

Of a large collection the models see a sample, drawn once, and every item that was asked about.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone

from tercet._features import Features, Lookup
from tercet._propagation import informed
from tercet._random import Seeds
from tercet._validation import Floats, Ints, check_n_classes, check_part
from tercet.answers import Comparisons
from tercet.metrics import SchultzJoachims


@dataclass(frozen=True)
class Fitted:
    """What was learned from these answers; beliefs only once somebody asked for them."""

    answers: Comparisons
    metric: Any
    #: The items that the beliefs were fitted to, in that order.
    items: Ints
    beliefs: Any = None


class Models:
    """Fits the metric and the belief model, and keeps what later fits start from."""

    def __init__(
        self,
        features: Features,
        metric: Any,
        beliefs: Any,
        n_classes: int | None,
        seeds: Seeds,
        max_items: int,
    ) -> None:
        check_part("metric", metric, "fit", "transform")
        n_items = features.shape[0]
        self.features = features
        self.metric = _with_fixed_seed(metric)
        #: The belief model, or None where the metric has beliefs of its own, fitted once for both.
        self.beliefs = None
        if beliefs is None:
            check_part("metric", metric, "predict_proba")
            if n_classes is not None:
                self.metric = _with_classes(self.metric, n_classes, min(n_items, max_items))
        else:
            check_part("beliefs", beliefs, "fit", "predict_proba")
            self.beliefs = _with_classes(_with_fixed_seed(beliefs), n_classes, min(n_items, max_items))
        self._seeds = seeds
        self._cache: dict[int, Fitted] = {}
        if n_items <= max_items:
            self.sample = np.arange(n_items)
            self._points: Any = features.rows(self.sample)
            self._points.flags.writeable = False  # the metric holds it, and what is learned may not change
        else:
            if beliefs is not None and not signature(beliefs.predict_proba).parameters:
                raise ValueError(
                    f"{type(beliefs).__name__}.predict_proba takes no new points, which {n_items} items need "
                    f"with max_items={max_items}; raise max_items, or use another belief model"
                )
            chosen = seeds.generator("sample").choice(n_items, max_items, replace=False)
            self.sample = np.sort(chosen)
            self._points = Lookup(features, features.rows(self.sample))

    @property
    def sees_all(self) -> bool:
        """Whether the models see every item."""
        return len(self.sample) == self.features.shape[0]

    def fit(self, answers: Comparisons, *, beliefs: bool) -> Fitted:
        """Return what is learned from these answers, from the cache where possible."""
        size = len(answers)
        known = self._cache.get(size)
        if known is not None and known.answers != answers:
            known = None
        if known is not None and (known.beliefs is not None or not beliefs):
            return known
        earlier = self.fit(answers[: self._warm_from(size)], beliefs=beliefs) if size else None
        metric = known.metric if known else self._fit_metric(earlier.metric if earlier else None, answers)
        items = self._items(answers)
        model: Any = metric if self.beliefs is None else None
        if beliefs and self.beliefs is not None:
            model = copy.copy(earlier.beliefs) if earlier else clone(self.beliefs)
            _fill(model, self.beliefs, random_state=self._seeds.integer("beliefs", size))
            model.fit(metric.transform(self._rows(items)), self._renumbered(answers, items))
        # Keep these models and their ancestors, which the next ones may start from too.
        kept = {size: Fitted(answers, metric, items, model)}
        while size:
            size = self._warm_from(size)
            kept[size] = self._cache[size]
        self._cache = kept
        return kept[len(answers)]

    def beliefs_about(self, fitted: Fitted, items: Ints) -> Floats:
        """Return the probability of each class for these items."""
        if self.beliefs is None:
            return np.asarray(fitted.metric.predict_proba(self.features.rows(items)))
        place = np.argsort(fitted.items)
        at = np.minimum(np.searchsorted(fitted.items, items, sorter=place), len(place) - 1)
        fitted_to = fitted.items[place[at]] == items
        votes = fitted.beliefs.predict_proba()
        result = np.empty((len(items), votes.shape[1]))
        result[fitted_to] = votes[place[at[fitted_to]]]
        if not fitted_to.all():
            others = fitted.metric.transform(self.features.rows(items[~fitted_to]))
            result[~fitted_to] = fitted.beliefs.predict_proba(others)
        return result

    def beliefs_about_all(self, fitted: Fitted) -> Any:
        """Return the probability of each class for every item; a Dask array if the features are one."""
        if self.beliefs is None:
            alone = _without_features(fitted.metric)
            return self.features.apply(lambda rows, _: alone.predict_proba(rows), alone.n_classes_)
        votes = fitted.beliefs.predict_proba()
        if self.sees_all and self.features.random_access:
            return votes
        metric, model = _without_features(fitted.metric), fitted.beliefs
        order = np.argsort(fitted.items)
        items, votes = fitted.items[order], votes[order]

        def believe(rows: Floats, start: int) -> Floats:
            low, high = np.searchsorted(items, (start, start + len(rows)))
            if high - low == len(rows):
                return np.asarray(votes[low:high])
            result = np.asarray(model.predict_proba(metric.transform(rows)))
            result[items[low:high] - start] = votes[low:high]
            return result

        return self.features.apply(believe, votes.shape[1])

    def members_about(self, fitted: Fitted, items: Ints) -> Floats:
        """Return what several models believe about these items, as an array of shape (K, n, C).

        By the features, and by the answers about these very items: see `informed`.
        """
        known = np.union1d(items, fitted.answers.triplets)
        members = self._informed(fitted, self._members(fitted, known), known)
        return members[:, np.searchsorted(known, items)]

    def members_about_all(self, fitted: Fitted) -> Floats:
        """Return what several models believe about every item, chunk by chunk; shape (K, n, C)."""
        alone, model = _without_features(fitted.metric), fitted.beliefs
        n_models, _, n_classes = self._members(fitted, self.sample[:1]).shape

        def believe(rows: Floats, _: int) -> Floats:
            members = model.members(rows if self.beliefs is None else alone.transform(rows))
            return np.asarray(members.swapaxes(0, 1).reshape(len(rows), -1))

        table = np.asarray(self.features.apply(believe, n_models * n_classes))
        members = table.reshape(-1, n_models, n_classes).swapaxes(0, 1)
        return self._informed(fitted, members, np.arange(self.features.shape[0]))

    def _members(self, fitted: Fitted, items: Ints) -> Floats:
        """Return what several models believe about these items by their features."""
        rows = self.features.rows(items)
        if self.beliefs is not None:
            rows = fitted.metric.transform(rows)
        return np.asarray(fitted.beliefs.members(rows))

    @staticmethod
    def _informed(fitted: Fitted, members: Floats, items: Ints) -> Floats:
        """Return the beliefs about these items, all that were asked about among them, by the answers too."""
        answers, model = fitted.answers, fitted.beliefs
        if not len(answers):
            return members
        asked, place = np.unique(answers.triplets, return_inverse=True)
        where = np.searchsorted(items, asked)
        error_of = getattr(model, "error_of", lambda _: 0.0)
        names, who = np.unique(answers.annotators, return_inverse=True)
        errors = np.array([error_of(name) for name in names.tolist()])[who]
        members = members.copy()
        members[:, where] = informed(
            members[:, where], place.reshape(-1, 3), answers.answers.astype(np.int64), errors
        )
        return members

    def _warm_from(self, size: int) -> int:
        """Return the number of answers whose models those after ``size`` answers start from."""
        # A metric with beliefs of its own learns much from what it knew before, also at powers of two.
        return size & (size - 1) or (size // 2 if self.beliefs is None else 0)

    def _items(self, answers: Comparisons) -> Ints:
        """Return the items that the beliefs are fitted to: earlier ones keep their place."""
        if self.sees_all or not len(answers):
            return self.sample
        asked, first = np.unique(answers.triplets.ravel(), return_index=True)
        new = ~np.isin(asked, self.sample)
        return np.concatenate([self.sample, asked[new][np.argsort(first[new])]])

    def _rows(self, items: Ints) -> Floats:
        if self.sees_all:
            return np.asarray(self._points)
        others = self.features.rows(items[len(self.sample) :])
        return np.concatenate([self._points.reference, others])

    def _renumbered(self, answers: Comparisons, items: Ints) -> Comparisons:
        if self.sees_all or not len(answers):
            return answers
        place = np.argsort(items)
        triplets = place[np.searchsorted(items, answers.triplets, sorter=place)]
        return Comparisons(triplets, answers.answers, answers.annotators)

    def _fit_metric(self, earlier: Any, answers: Comparisons) -> Any:
        # A shallow copy of a fitted metric keeps what a warm start needs, and fit leaves the original alone.
        metric = copy.copy(earlier) if type(earlier) is type(self.metric) else clone(self.metric, safe=False)
        points = self._points
        _fill(
            metric, self.metric, preprocessor=points, random_state=self._seeds.integer("metric", len(answers))
        )
        by_index = "preprocessor" in _params(metric)
        if getattr(metric, "takes_answers", False):
            triplets = answers.triplets
            more = {"annotators": answers.annotators} if getattr(metric, "takes_annotators", False) else {}
            return metric.fit(triplets if by_index else self._look_up(triplets), answers.answers, **more)
        triplets = answers.ordered()
        if len(triplets):
            try:
                return metric.fit(triplets if by_index else self._look_up(triplets))
            except ValueError as error:
                # metric-learn's learners refuse fewer triplets than features, where every run starts.
                warnings.warn(
                    f"{type(metric).__name__} could not learn from {len(triplets)} triplets ({error}); "
                    "using the plain Euclidean distance until it can",
                    UserWarning,
                    stacklevel=2,
                )
        return SchultzJoachims(preprocessor=points).fit(np.empty((0, 3), dtype=np.int64))

    def _look_up(self, triplets: Ints) -> Floats:
        return self.features.rows(triplets.ravel()).reshape(*triplets.shape, self.features.shape[1])


def _without_features(metric: Any) -> Any:
    """Return the metric without the features that it holds, which need not travel."""
    if not hasattr(metric, "preprocessor"):
        return metric
    alone = copy.copy(metric)
    alone.preprocessor = None
    return alone


def _params(part: Any) -> dict[str, Any]:
    return dict(part.get_params(deep=False)) if hasattr(part, "get_params") else {}


def _fill(part: Any, template: Any, **values: Any) -> None:
    """Set those parameters of ``part`` that its user left at None."""
    unset = {name for name, value in _params(template).items() if value is None}
    wanted = {name: value for name, value in values.items() if name in unset}
    if wanted:
        part.set_params(**wanted)


def _with_fixed_seed(part: Any) -> Any:
    """Return a part whose random stream, if it has one of its own, does not remember what was drawn."""
    own = _params(part).get("random_state")
    if isinstance(own, (np.random.Generator, np.random.RandomState)):
        return clone(part).set_params(random_state=Seeds(own).integer("part"))
    return part


def _with_classes(beliefs: Any, n_classes: int | None, n_items: int) -> Any:
    """Return the belief model with the number of classes filled in and checked."""
    own = _params(beliefs).get("n_classes")
    if n_classes is None and own is None:
        if getattr(beliefs, "counts_classes", False):
            return clone(beliefs)
        raise ValueError("n_classes is missing; say how many hidden classes to expect, such as n_classes=3")
    if n_classes is not None and own is not None and n_classes != own:
        raise ValueError(f"n_classes is {n_classes}, but the models were given {own}; give only one of them")
    checked = check_n_classes(own if n_classes is None else n_classes, n_items)
    return clone(beliefs).set_params(n_classes=checked)
