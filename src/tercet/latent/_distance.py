"""The learned distance: near items by the features that matter, far ones by their classes.

With k = (1 + x / 1.4)^-p a rational quadratic kernel of x, how far apart two items are by their features, Q
the class beliefs of all models side by side, over the root of their number, and u = (1 - |Q|^2)/2 an item's
own doubt, the squared distance is

    2 (1 - k_ij) + c [ |Q_i - Q_j|^2 / 2 + u_i + u_j - 2 sqrt(u_i u_j) k_ij ].

Features count in x by how much the models make of them. x is 1 for a typical nearest
neighbour, and p is such that k is 0.003 for a typical pair: the first part keeps neighbourhoods that no
question asked about, and hardly grows once x is large. The second is the probability that the classes of two
items differ, 1 - Q_i . Q_j, wherever k is 0; the last term makes it 0 for i = j and keeps the whole Euclidean
(a sum of positive definite kernels), so it is a metric in the strict sense.

How far the models are trusted comes from evidence. Where they differ, Q_i . Q_j is of middling size for all
pairs, and tells little. c = 0.3 m / (m + 3 C) after m answers about C classes: enough to put far items in
order, never so much that classes could part close neighbours. And the weights of features, which can, differ
from 1 by the share of those m + 3 C answers that the models foresaw before they learned from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tercet._validation import Floats
from tercet.latent._apart import TURN, apart, apart_by_row
from tercet.latent._basis import neighbours_and_pairs
from tercet.latent._fit import ClassModel

# Chosen on sets outside the paper's eight (docs/beyond-the-paper.md).
_MOST_TRUST = 0.3
_HALF_TRUST_AFTER = 3.0  # answers for each class
# Of the kernel, where x of typical neighbours is 1. Its tail is heavy, so that the neighbours of an item that
# is far from all others keep their order; a Gaussian's do not.
_WIDTH = 1.4
_KERNEL_FAR = 0.003  # between typical items
_SHARE_OF_FEATURES = 0.005  # in the embedding, where nothing saturates


@dataclass(frozen=True)
class LearnedDistance:
    """A distance between items by their features and their classes.

    Attributes
    ----------
    model : ClassModel
    """

    model: ClassModel

    @property
    def weight(self) -> float:
        """The weight c of the class part."""
        return _MOST_TRUST * self.model.n_answers / self._enough

    @property
    def _enough(self) -> float:
        return self.model.n_answers + _HALF_TRUST_AFTER * self.model.n_classes

    @cached_property
    def feature_weights(self) -> Floats:
        """How much each standardised feature counts, 1 in the mean; shape (d,).

        In each model by the root of the sum of its squared weights, and then the mean of the models, as far
        as they foresaw the answers.
        """
        weights = self.model.weights[:, : self.model.basis.n_features]
        size = np.sqrt(((weights - weights.mean(axis=2, keepdims=True)) ** 2).sum(axis=2))
        total = size.mean(axis=1, keepdims=True)
        shares = np.divide(size, total, out=np.ones_like(size), where=total > 0).mean(axis=0)
        return np.asarray(1 + self.model.n_foreseen / self._enough * (shares - 1))

    @cached_property
    def _scale(self) -> tuple[float, float]:
        """How far apart typical neighbours are by these weights, and the power p of the kernel."""
        basis = self.model.basis
        (near, far), (plain, _) = (
            neighbours_and_pairs(apart(basis.landmarks, basis.landmarks, weights))
            for weights in (self.feature_weights, None)
        )
        near *= basis.near / plain  # landmarks are fewer, and so farther apart, than all items
        return near, float(-np.log(_KERNEL_FAR) / np.log1p(max(far / near, 1.0) / _WIDTH))

    def _places(self, X: Floats) -> tuple[Floats, Floats]:
        """Return standardised features and the class probabilities of all models."""
        Z = self.model.basis.standardised(X)
        members = self.model.members_at(self.model.basis.coordinates(Z))
        return Z, np.hstack(list(members)) / np.sqrt(len(members))

    def between(self, X: Floats, Y: Floats) -> Floats:
        """Return the squared distance of every row of X from every row of Y."""
        (Z, P), (V, Q) = self._places(X), self._places(Y)
        return self._combined(apart(Z, V, self.feature_weights), P @ Q.T, _doubt(P)[:, np.newaxis], _doubt(Q))

    def of_pairs(self, X: Floats, Y: Floats) -> Floats:
        """Return the squared distance of each row of X from the same row of Y."""
        (Z, P), (V, Q) = self._places(X), self._places(Y)
        return self._combined(
            apart_by_row(Z, V, self.feature_weights), (P * Q).sum(axis=1), _doubt(P), _doubt(Q)
        )

    def embedded(self, X: Floats) -> Floats:
        """Return points whose Euclidean distances come near the learned ones.

        Weighted features beside class probabilities: a kernel that is nearly 0 beyond close neighbours is
        more than a few coordinates can show.
        """
        Z, Q = self._places(X)
        share = _SHARE_OF_FEATURES / (2 * self._scale[0] * TURN**2)
        return np.hstack([np.sqrt(share * self.feature_weights) * Z, np.sqrt(self.weight / 2) * Q])

    def _combined(self, x: Floats, same: Floats, u: Floats, v: Floats) -> Floats:
        """Join the parts; in place, since x and same are as large as a table of all pairs."""
        near, power = self._scale
        x /= near * _WIDTH
        x += 1
        kernel = np.power(x, -power, out=x)
        weight = self.weight
        same *= -weight
        same += 2 + weight
        same -= 2 * kernel
        kernel *= 2 * weight * np.sqrt(u)
        kernel *= np.sqrt(v)
        same -= kernel
        return np.asarray(np.maximum(same, 0.0, out=same))


def _doubt(Q: Floats) -> Floats:
    return np.asarray(np.maximum(1 - (Q**2).sum(axis=1), 0) / 2)
