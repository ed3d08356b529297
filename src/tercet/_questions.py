"""Looks for the next question with what the models know: a learner's work between ask and its answer."""

from __future__ import annotations

import copy

import numpy as np

from tercet._models import Fitted, Models
from tercet._random import Seeds
from tercet._validation import Floats, Ints
from tercet.answers import Comparisons
from tercet.information import answer_probabilities
from tercet.queries import PoolExhaustedError, Query, queries
from tercet.selection import Rule, SearchingRule
from tercet.stopping import correction, own_accuracy
from tercet.triplets import count_questions, draw_questions, question_numbers

# Of the questions for a named annotator, one in so many is a random one.
CHECK_EVERY = 4
_UNKNOWN = (np.nan,) * 3
# Items that an estimate of the accuracy is made from.
_LOOKED_AT = 1000


def search(
    models: Models,
    seeds: Seeds,
    rule: SearchingRule,
    answers: Comparisons,
    waiting: Ints,
    n: int,
    annotator: str,
) -> list[Query]:
    """Return the best of all questions about all items, or about some, drawn anew each time.

    Items of questions that are waiting for their answer are left alone if enough others remain: a second
    question about them would ask for much the same.
    """
    asked = np.concatenate([answers.triplets, waiting])
    n_items = models.features.shape[0]
    most = rule.looks_at(n_items)
    everything = np.arange(n_items) if models.features.random_access else models.sample
    if len(waiting):
        rested = everything[~np.isin(everything, waiting)]
        enough = count_questions(len(rested)) >= n + len(asked) and len(rested) >= 3 * n
        everything = rested if enough else everything
    while True:
        items = everything
        if len(everything) > most:
            rng = seeds.generator("items", len(asked))
            items = np.sort(rng.choice(everything, most, replace=False))
        place = np.searchsorted(items, asked)
        known = items[np.minimum(place, len(items) - 1)] == asked
        done = place[known.all(axis=1)]
        left = count_questions(len(items)) - len(np.unique(question_numbers(done, len(items))))
        if left >= n or len(items) == len(everything):
            break
        most *= 2  # so few items may have no question left
    if left < n:
        raise PoolExhaustedError(
            f"asked for {n} questions, but only {left} are left about {len(items)} items; stop here"
        )
    fitted = models.fit(answers, beliefs=True)
    several = getattr(rule, "needs_members", False)
    beliefs = models.members_about(fitted, items) if several else models.beliefs_about(fitted, items)
    more = error_of_asked(models, rule, answers, annotator)
    chosen, scores = rule.find(beliefs, done, n, seeds.generator("ties", len(asked)), **more)
    return queries(items[chosen], scores, answer_probabilities(beliefs, chosen))


def error_of_asked(models: Models, rule: Rule, answers: Comparisons, annotator: str) -> dict[str, float]:
    """Return the error rate of who is asked, if the rule wants to know it and the models estimate it."""
    if not getattr(rule, "needs_error", False):
        return {}
    beliefs = models.fit(answers, beliefs=True).beliefs
    return {"error": beliefs.error_of(annotator)} if hasattr(beliefs, "error_of") else {}


def check_places(seeds: Seeds, first: int, n: int, annotator: str) -> list[int]:
    """Return which of ``n`` questions are to be random ones; drawn by their numbers, as people take turns.

    None of those to nobody in particular.
    """
    if not isinstance(annotator, str):
        raise TypeError(f"annotator must be a name, as text, not {annotator!r}")
    if not annotator:
        return []
    numbers = range(first, first + n)
    return [
        number - first for number in numbers if seeds.generator("check", number).random() < 1 / CHECK_EVERY
    ]


def at_random(models: Models, seeds: Seeds, answers: Comparisons, asked: Ints, n: int) -> list[Query]:
    """Return up to ``n`` random questions, if the models estimate who errs."""
    fitted = models.fit(answers, beliefs=True) if n else None
    if fitted is None or not hasattr(fitted.beliefs, "error_of"):
        return []
    items = np.sort(models.sample)
    questions = items[draw_questions(len(items), len(asked) + n, seeds.generator("at random", len(asked)))]
    n_items = models.features.shape[0]
    fresh = ~np.isin(question_numbers(questions, n_items), question_numbers(asked, n_items))
    chosen = questions[fresh][:n]
    if not len(chosen):
        return []
    beliefs = _what_is_believed(models, fitted, chosen.ravel())
    chances = answer_probabilities(beliefs, np.arange(chosen.size).reshape(chosen.shape))
    return queries(chosen, np.full(len(chosen), np.nan), chances)


def own_accuracies(
    models: Models, seeds: Seeds, answers: Comparisons, told: list[Query], sizes: list[int]
) -> list[float]:
    """Return how often the model could expect to be right after so many of the answers.

    What it foretold of them, where a query knows that, corrects it.
    """
    foretold = np.array([query.probabilities or _UNKNOWN for query in told]).reshape(-1, 3)
    past = copy.copy(models)  # looking back must not cost the models that the next fit starts from
    items = past.sample
    if len(items) > _LOOKED_AT:
        items = seeds.generator("outlook").choice(items, _LOOKED_AT, replace=False)
    found = []
    for size in sizes:
        beliefs = _what_is_believed(past, past.fit(answers[:size], beliefs=True), items)
        known = np.flatnonzero(~np.isnan(foretold[:size, 0]))
        shift = correction(foretold[known], answers.answers[known])
        found.append(own_accuracy(beliefs, seeds.generator("outlook questions"), shift))
    return found


def _what_is_believed(models: Models, fitted: Fitted, items: Ints) -> Floats:
    """Return the beliefs about these items, of each model if there are several."""
    several = hasattr(fitted.beliefs, "members")
    return models.members_about(fitted, items) if several else models.beliefs_about(fitted, items)
