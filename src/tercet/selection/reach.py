"""Reach: the question whose answer tells most about the answers to all other questions."""

from __future__ import annotations

import numpy as np

from tercet._fast import kernels
from tercet._validation import Floats, Ints, check_count
from tercet.information import information_gain
from tercet.triplets import draw_questions, question_numbers

_DRAWN = 10_000
# How much of its variance an answer in the same batch is taken to leave to chance. Less than it does: the
# questions of a batch had better differ.
_NOISE = 0.1


class Reach:
    """What an answer is expected to tell about the answers to other questions, through the model.

    The paper's criterion counts what an answer tells about the classes of its own three items. This one asks
    how far it reaches: with several models that explain the answers so far (`LatentClassMetric.members`), it
    is the information that the answer to a question shares with the answers to random questions about all
    items, to second order (half the mean square of their correlations). A question on which the models agree
    scores 0, and so does one on which they differ about three odd items only.

    Of a batch, each question is chosen in view of those before it: what their answers will tell is taken away
    from the models' disagreement, so that no two ask for the same.

    Parameters
    ----------
    n_candidates : int
        How many questions to compare: the most informative by the paper's criterion (see `Info`) of 10,000 at
        random, so that they can be answered by yes or no more often than not.
    n_targets : int
        How many random questions stand for all others.
    max_items : int
        How many items to look at, drawn anew for each question.

    Examples
    --------
    >>> sure = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    >>> other = np.array([[1.0, 0], [0, 1], [1, 0], [0, 1]])  # another model: items 1 and 2 are exchanged
    >>> rule = Reach()
    >>> models, rng = np.stack([sure, other]), np.random.default_rng(0)
    >>> questions, scores = rule.find(models, np.empty((0, 3), int), 1, rng)
    >>> bool(scores[0] > 0)
    True
    """

    needs_beliefs = True
    needs_asked = False
    needs_members = True
    search = "always"

    def __init__(self, *, n_candidates: int = 100, n_targets: int = 200, max_items: int = 2500) -> None:
        self.n_candidates = check_count("n_candidates", n_candidates)
        self.n_targets = check_count("n_targets", n_targets)
        self.max_items = check_count("max_items", max_items, minimum=3)

    def __repr__(self) -> str:
        return (
            f"Reach(n_candidates={self.n_candidates}, n_targets={self.n_targets}, max_items={self.max_items})"
        )

    def looks_at(self, n_items: int) -> int:
        """Return how many of so many items a question is looked for among."""
        return min(n_items, self.max_items)

    def score(
        self,
        triplets: Ints,
        beliefs: Floats | None,
        asked: Ints,
        targets: Ints | None = None,
        error: float = 0.05,
    ) -> Floats:
        """Return how far the answer to each question reaches, in nats.

        Parameters
        ----------
        triplets : array of shape (m, 3)
        beliefs : array of shape (K, n, C)
            Those of K models about the items.
        asked : ignored
        targets : array of shape (t, 3), optional
            The other questions; random ones if None.
        error : float
            The share of answers that are given at random.
        """
        if beliefs is None or np.ndim(beliefs) != 3:
            raise ValueError("Reach compares models; give beliefs of shape (models, items, classes)")
        if targets is None:
            targets = draw_questions(beliefs.shape[1], self.n_targets, np.random.default_rng(0))
        return _reach(_disagreement(beliefs, triplets, error), _overlap(beliefs, targets, error))

    def find(
        self, beliefs: Floats, asked: Ints, n: int, rng: np.random.Generator, error: float = 0.05
    ) -> tuple[Ints, Floats]:
        """Return the ``n`` best questions not asked yet, each in view of the others, and their scores."""
        members, n_items = beliefs, beliefs.shape[1]
        drawn = draw_questions(n_items, max(_DRAWN, 20 * n), rng)
        drawn = drawn[~np.isin(question_numbers(drawn, n_items), question_numbers(asked, n_items))]
        candidates = drawn[_shortlist(members[0], drawn, max(self.n_candidates, 10 * n))]
        apart = _disagreement(members, candidates, error)
        overlap = _overlap(members, draw_questions(n_items, self.n_targets, rng), error)
        chosen: list[int] = []
        scores: list[float] = []
        for _ in range(min(n, len(candidates))):
            reach = _reach(apart, overlap)
            reach[chosen] = -np.inf
            best = int(np.argmax(reach))
            chosen.append(best)
            scores.append(float(reach[best]))
            # What this answer will tell is no longer in doubt: regress it out of the models' disagreement.
            for reply in apart[:, best].T:
                explained = reply / (_NOISE * len(reply) + reply @ reply)
                overlap_along = overlap @ explained
                overlap = (
                    overlap
                    - np.outer(overlap_along, reply)
                    - np.outer(reply, overlap_along)
                    + np.outer(reply, reply) * (explained @ overlap_along)
                )
        return candidates[chosen], np.array(scores)


def _shortlist(P: Floats, triplets: Ints, size: int) -> Ints:
    """Return the places of the most informative questions by the paper's criterion, under the first model."""
    if len(triplets) <= size:
        return np.arange(len(triplets))
    return np.sort(np.argpartition(-information_gain(P, triplets), size)[:size])


def _chances(members: Floats, triplets: Ints, error: float) -> Floats:
    """Return the probability of each answer under each model, as an array of shape (K, m, 3)."""
    compiled = kernels("tercet.selection._reach_kernel")
    if compiled is not None:
        found: Floats = compiled.chances(members, triplets, error)
        return found
    Pi, Pj, Pk = (members[:, items] for items in triplets.T)
    same_j = Pi * Pj
    all_same = np.einsum("kmc,kmc->km", same_j, Pk)
    yes = same_j.sum(axis=2) - all_same
    no = np.einsum("kmc,kmc->km", Pi, Pk) - all_same
    chances = np.stack([yes, no, np.maximum(1 - yes - no, 0)], axis=2)
    return np.asarray((1 - error) * chances + error / 3)


def _disagreement(members: Floats, triplets: Ints, error: float) -> Floats:
    """Return how the models differ about each answer, in units of its own spread; shape (K, m, 3)."""
    chances = _chances(members, triplets, error)
    mean = chances.mean(axis=0)
    return np.asarray((chances - mean) / np.sqrt(mean + 1e-12))


def _overlap(members: Floats, targets: Ints, error: float) -> Floats:
    """Return how alike any two models differ from the rest about the targets; shape (K, K)."""
    apart = _disagreement(members, targets, error)
    flat = apart.reshape(len(apart), -1)
    return np.asarray(flat @ flat.T / len(targets))


def _reach(apart: Floats, overlap: Floats) -> Floats:
    spread = np.tensordot(overlap, apart, axes=1)
    return np.asarray(np.einsum("kma,kma->m", apart, spread) / (2 * len(apart) ** 2))
