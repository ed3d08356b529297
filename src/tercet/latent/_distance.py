"""The learned distance: near items by their features, far ones by their classes.

With k = 1 / (1 + x / 1.4)^2 the rational quadratic kernel of the features, scaled so that a typical nearest
neighbour is at x = 1, P the class beliefs and u = (1 - |P|^2)/2 an item's own doubt, the squared distance is

    2 (1 - k_ij) + c [ |P_i - P_j|^2 / 2 + u_i + u_j - 2 sqrt(u_i u_j) k_ij ].

The first part keeps neighbourhoods that no question asked about, and hardly grows once x is large. The second
is the probability that the classes of two items differ, 1 - P_i . P_j, wherever k is 0; the last term makes
it 0 for i = j and keeps the whole Euclidean (a sum of positive definite kernels), so it is a metric in the
strict sense. How far the classes are trusted, c, comes from the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercet._validation import Floats, Ints
from tercet.latent._fit import Answers, ClassModel

# Chosen on sets outside the paper's eight (docs/beyond-the-paper.md).
_HALF_TRUST_AFTER = 10.0  # answers
_PRIOR_DUELS = 8.0
_LEAST_TRUST = 0.05  # enough to put far items in order, too little to move near ones
# Of the kernel, in squared distances of typical neighbours. Its tail is heavy, so that the neighbours of an
# item that is far from all others keep their order; a Gaussian's do not.
_WIDTH = 1.4
_SHARE_OF_FEATURES = 0.05  # in the embedding, where nothing saturates
_MOST = 1000  # items to measure a typical distance with
_HEADS = 200  # items to look for a duel among
_SAME = 1e-9  # of a typical squared distance: an item and its double are no neighbours


@dataclass(frozen=True)
class LearnedDistance:
    """A distance between items by their features and their classes.

    Attributes
    ----------
    model : ClassModel
    unit : float
        The distance of a typical nearest neighbour, in standardised features.
    spread : float
        The spread of the items along the class directions.
    trust : float in [0, 1]
        How far duels between the classes and the plain features say to trust the classes.
    """

    model: ClassModel
    unit: float
    spread: float
    trust: float

    @classmethod
    def learned(
        cls, model: ClassModel, X: Floats, answers: Answers, rng: np.random.Generator
    ) -> LearnedDistance:
        """Return the distance that the model and the answers about the rows of X say."""
        Z = model.standardised(X)
        some = Z if len(Z) <= _MOST else Z[rng.choice(len(Z), _MOST, replace=False)]
        apart = squared_distances(some, some)
        np.fill_diagonal(apart, np.inf)
        nearest = apart.min(axis=1)
        nearest = nearest[np.isfinite(nearest) & (nearest > 0)]
        unit = float(np.sqrt(np.median(nearest))) if len(nearest) else 1.0
        directions = _directions(model, some)
        spread = float(np.sqrt(2 * directions.var(axis=0).sum())) or 1.0
        won, lost = duels(Z, answers)
        prior = min(1.0, (3 / model.n_classes) ** 2)
        trust = (prior * _PRIOR_DUELS + won - lost) / (_PRIOR_DUELS + won + lost)
        return cls(model, unit, spread, float(np.clip(trust, _LEAST_TRUST, 1)))

    @property
    def weight(self) -> float:
        """The weight c of the class part."""
        return self.trust * self._ramp

    @property
    def _ramp(self) -> float:
        return self.model.n_answers / (self.model.n_answers + _HALF_TRUST_AFTER)

    def coordinates(self, X: Floats) -> Floats:
        """Return the features and class directions that the kernel compares."""
        Z = self.model.standardised(X)
        return np.hstack([Z / self.unit, np.sqrt(self.trust) / self.spread * _directions(self.model, Z)])

    @property
    def linear_part(self) -> Floats:
        """The matrix that takes features (but for a shift) to the coordinates of the kernel."""
        directions = self.model.weights[:-1] - self.model.weights[:-1].mean(axis=1, keepdims=True)
        return np.asarray(
            np.vstack(
                [
                    np.eye(len(self.model.mean)) / self.unit,
                    np.sqrt(self.trust) / self.spread * directions.T,
                ]
            )
            / self.model.spread
        )

    def between(self, X: Floats, Y: Floats) -> Floats:
        """Return the squared distance of every row of X from every row of Y."""
        x = squared_distances(self.coordinates(X), self.coordinates(Y))
        P, Q = self.model.probabilities(X), self.model.probabilities(Y)
        return self._combined(x, P @ Q.T, _doubt(P)[:, np.newaxis], _doubt(Q), self.weight)

    def of_pairs(self, X: Floats, Y: Floats) -> Floats:
        """Return the squared distance of each row of X from the same row of Y."""
        x = ((self.coordinates(X) - self.coordinates(Y)) ** 2).sum(axis=1)
        P, Q = self.model.probabilities(X), self.model.probabilities(Y)
        return self._combined(x, (P * Q).sum(axis=1), _doubt(P), _doubt(Q), self.weight)

    def embedded(self, X: Floats) -> Floats:
        """Return points whose Euclidean distances come near the learned ones."""
        near = np.sqrt(_SHARE_OF_FEATURES) * self.coordinates(X)
        return np.hstack([near, np.sqrt(self.weight * self.model.probabilities(X))])

    def duel(self, X: Floats, rng: np.random.Generator) -> Ints:
        """Return questions (i, j, k) about the rows of X on which plain features and classes disagree.

        j is the nearest neighbour of i by the features alone and k by the learned distance with the classes
        trusted fully, or the other way round; so an answer compares the two where it matters. The likelier
        that the classes of j and k differ, the sooner the question comes.
        """
        heads = rng.permutation(len(X))[:_HEADS]
        Z = self.model.standardised(X)
        by_features = squared_distances(Z[heads], Z)
        P = self.model.probabilities(X)
        full = LearnedDistance(self.model, self.unit, self.spread, 1.0)
        F = full.coordinates(X)
        x = squared_distances(F[heads], F)
        by_classes = self._combined(x, P[heads] @ P.T, _doubt(P[heads])[:, np.newaxis], _doubt(P), self._ramp)
        alike = by_features <= _SAME * self.unit**2
        by_features[alike] = by_classes[alike] = np.inf
        plain, rival = by_features.argmin(axis=1), by_classes.argmin(axis=1)
        differ = np.maximum(1 - (P[plain] * P[rival]).sum(axis=1), 0) * (plain != rival)
        found = np.flatnonzero(differ > 1e-6)
        # In the order of a draw without replacement by these weights.
        order = found[np.argsort(rng.exponential(size=len(found)) / differ[found])]
        questions: Ints = np.column_stack([heads, plain, rival])[order]
        swap = rng.random(len(questions)) < 0.5
        questions[swap] = questions[swap][:, [0, 2, 1]]
        return questions

    @staticmethod
    def _combined(x: Floats, same: Floats, u: Floats, v: Floats, weight: float) -> Floats:
        """Join the parts; in place, since x and same are as large as a table of all pairs."""
        x /= _WIDTH
        x += 1
        kernel = np.power(x, -2, out=x)
        same *= -weight
        same += 2 + weight
        same -= 2 * kernel
        kernel *= 2 * weight * np.sqrt(u)
        kernel *= np.sqrt(v)
        same -= kernel
        return np.asarray(np.maximum(same, 0.0, out=same))


def duels(Z: Floats, answers: Answers) -> tuple[int, int]:
    """Count the answers in which an item's nearest neighbour lost, and won, against some other item.

    Whoever asked: a question is a duel if j or k is the nearest neighbour of i by the features alone.
    """
    decided = answers.answers != 0
    if not decided.any():
        return 0, 0
    i, j, k = answers.triplets[decided].T
    far = squared_distances(Z[i], Z)
    rows = np.arange(len(i))
    to_j, to_k = far[rows, j], far[rows, k]
    far[far <= _SAME * np.median(far)] = np.inf
    nearest = far.min(axis=1, initial=np.inf)
    j_nearest, k_nearest = to_j <= nearest, to_k <= nearest
    duel = j_nearest != k_nearest
    right = (answers.answers[decided] == 1) == j_nearest
    return int(np.count_nonzero(duel & ~right)), int(np.count_nonzero(duel & right))


def squared_distances(A: Floats, B: Floats) -> Floats:
    """Return the squared Euclidean distance of every row of A from every row of B."""
    cross = A @ B.T
    cross *= -2
    cross += (A**2).sum(axis=1)[:, np.newaxis]
    cross += (B**2).sum(axis=1)
    return np.asarray(np.maximum(cross, 0.0, out=cross))


def _directions(model: ClassModel, Z: Floats) -> Floats:
    raw = Z @ model.weights[:-1]
    return np.asarray(raw - raw.mean(axis=1, keepdims=True))


def _doubt(P: Floats) -> Floats:
    return np.asarray(np.maximum(1 - (P**2).sum(axis=1), 0) / 2)
