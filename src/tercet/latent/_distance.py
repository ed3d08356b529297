"""The learned distance: near items by their features, far ones by their classes.

With k = (1 + x / 1.4)^-p a rational quadratic kernel of x, how far apart two items are by features and class
directions, P the class beliefs and u = (1 - |P|^2)/2 an item's own doubt, the squared distance is

    2 (1 - k_ij) + c [ |P_i - P_j|^2 / 2 + u_i + u_j - 2 sqrt(u_i u_j) k_ij ].

x is 1 for a typical nearest neighbour, and p is such that k is 0.01 for a typical pair: the first part keeps
neighbourhoods that no question asked about, and hardly grows once x is large. The second is the probability
that the classes of two items differ, 1 - P_i . P_j, wherever k is 0; the last term makes it 0 for i = j and
keeps the whole Euclidean (a sum of positive definite kernels), so it is a metric in the strict sense. How
far the classes are trusted, c, comes from the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercet._validation import Floats, Ints
from tercet.latent._apart import TURN, apart, apart_by_row
from tercet.latent._fit import Answers, ClassModel

# Chosen on sets outside the paper's eight (docs/beyond-the-paper.md).
_HALF_TRUST_AFTER = 10.0  # answers
_PRIOR_DUELS = 8.0
_LEAST_TRUST = 0.05  # enough to put far items in order, too little to move near ones
# Of the kernel, where x of typical neighbours is 1. Its tail is heavy, so that the neighbours of an item that
# is far from all others keep their order; a Gaussian's do not.
_WIDTH = 1.4
_KERNEL_FAR = 0.01  # between typical items
_SHARE_OF_FEATURES = 0.05  # in the embedding, where nothing saturates
_MOST = 1000  # items to measure typical distances with
_HEADS = 200  # items to look for a duel among
_MOST_PAIRS = 1_000_000  # to look for a duel among
_SAME = 1e-9  # of a typical squared distance: an item and its double are no neighbours


@dataclass(frozen=True)
class Scale:
    """How far apart items typically are by their plain features (see `apart`).

    Attributes
    ----------
    near : float
        Of a typical nearest neighbour.
    power : float
        Of the kernel, by which items that are typically far apart have little to do with each other.
    """

    near: float
    power: float

    @classmethod
    def measured(cls, Z: Floats, rng: np.random.Generator) -> Scale:
        """Return the scale of these items, of which some are looked at."""
        some = Z if len(Z) <= _MOST else Z[rng.choice(len(Z), _MOST, replace=False)]
        between = apart(some, some)
        far = float(np.median(between))
        np.fill_diagonal(between, np.inf)
        nearest = between.min(axis=1)
        nearest = nearest[np.isfinite(nearest) & (nearest > _SAME * far)]
        near = float(np.median(nearest)) if len(nearest) else 1.0
        return cls(near, float(-np.log(_KERNEL_FAR) / np.log1p(max(far / near, 1.0) / _WIDTH)))


@dataclass(frozen=True)
class LearnedDistance:
    """A distance between items by their features and their classes.

    Attributes
    ----------
    model : ClassModel
    scale : Scale
    spread : float
        The spread of the items along the class directions.
    trust : float in [0, 1]
        How far duels between the classes and the plain features say to trust the classes.
    """

    model: ClassModel
    scale: Scale
    spread: float
    trust: float

    @classmethod
    def learned(
        cls,
        model: ClassModel,
        X: Floats,
        answers: Answers,
        rng: np.random.Generator,
        scale: Scale | None = None,
    ) -> LearnedDistance:
        """Return the distance that the model and the answers about the rows of X say.

        The scale of the features does not depend on the answers; whoever has measured it may give it.
        """
        Z = model.standardised(X)
        some = Z if len(Z) <= _MOST else Z[rng.choice(len(Z), _MOST, replace=False)]
        spread = float(np.sqrt(2 * _directions(model, some).var(axis=0).sum())) or 1.0
        won, lost = duels(Z, answers)
        prior = min(1.0, (3 / model.n_classes) ** 2)
        trust = (prior * _PRIOR_DUELS + won - lost) / (_PRIOR_DUELS + won + lost)
        scale = Scale.measured(Z, rng) if scale is None else scale
        return cls(model, scale, spread, float(np.clip(trust, _LEAST_TRUST, 1)))

    @property
    def weight(self) -> float:
        """The weight c of the class part."""
        return self.trust * self._ramp

    @property
    def _ramp(self) -> float:
        return self.model.n_answers / (self.model.n_answers + _HALF_TRUST_AFTER)

    def _places(self, X: Floats) -> tuple[Floats, Floats, Floats]:
        """Return standardised features, class directions and class probabilities."""
        Z = self.model.standardised(X)
        directions = np.sqrt(self.trust) / self.spread * _directions(self.model, Z)
        return Z, directions, self.model.probabilities(X)

    def between(self, X: Floats, Y: Floats) -> Floats:
        """Return the squared distance of every row of X from every row of Y."""
        (Z, F, P), (V, G, Q) = self._places(X), self._places(Y)
        x = apart(Z, V)
        x /= self.scale.near
        x += squared_distances(F, G)
        return self._combined(x, P @ Q.T, _doubt(P)[:, np.newaxis], _doubt(Q))

    def of_pairs(self, X: Floats, Y: Floats) -> Floats:
        """Return the squared distance of each row of X from the same row of Y."""
        (Z, F, P), (V, G, Q) = self._places(X), self._places(Y)
        x = apart_by_row(Z, V) / self.scale.near + ((F - G) ** 2).sum(axis=1)
        return self._combined(x, (P * Q).sum(axis=1), _doubt(P), _doubt(Q))

    @property
    def linear_part(self) -> Floats:
        """The matrix that takes features to coordinates whose squared distance is x where items are near."""
        directions = self.model.weights[:-1] - self.model.weights[:-1].mean(axis=1, keepdims=True)
        near = np.eye(len(self.model.mean)) / (TURN * np.sqrt(2 * self.scale.near))
        return np.asarray(
            np.vstack([near, np.sqrt(self.trust) / self.spread * directions.T]) / self.model.spread
        )

    def embedded(self, X: Floats) -> Floats:
        """Return points whose Euclidean distances come near the learned ones."""
        near = np.sqrt(_SHARE_OF_FEATURES) * (X - self.model.mean) @ self.linear_part.T
        return np.hstack([near, np.sqrt(self.weight * self.model.probabilities(X))])

    def duel(self, X: Floats, rng: np.random.Generator) -> Ints:
        """Return questions (i, j, k) about the rows of X on which plain features and classes disagree.

        j is the nearest neighbour of i by the features alone and k by the learned distance with the classes
        trusted fully, or the other way round; so an answer compares the two where it matters. The likelier
        that the classes of j and k differ, the sooner the question comes.
        """
        heads = rng.permutation(len(X))[: min(_HEADS, _MOST_PAIRS // len(X) + 1)]
        Z = self.model.standardised(X)
        P = self.model.probabilities(X)
        by_features = squared_distances(Z[heads], Z)
        by_classes = LearnedDistance(self.model, self.scale, self.spread, 1.0).between(X[heads], X)
        alike = by_features <= _SAME * np.median(by_features)
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

    def _combined(self, x: Floats, same: Floats, u: Floats, v: Floats) -> Floats:
        """Join the parts; in place, since x and same are as large as a table of all pairs."""
        weight = self.weight
        x /= _WIDTH
        x += 1
        kernel = np.power(x, -self.scale.power, out=x)
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
