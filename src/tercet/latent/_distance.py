"""The learned distance: near items by their features, far ones by their classes.

With k = (1 + x / 1.4)^-p a rational quadratic kernel of x, how far apart two items are by features and class
directions, Q the class beliefs of all models side by side, over the root of their number, and
u = (1 - |Q|^2)/2 an item's own doubt, the squared distance is

    2 (1 - k_ij) + c [ |Q_i - Q_j|^2 / 2 + u_i + u_j - 2 sqrt(u_i u_j) k_ij ].

By the features alone x is 1 for a typical nearest neighbour, and p is such that k is 0.003 for a typical
pair; class directions add up to about 1 for a typical pair, as far as they are trusted. The first part keeps
neighbourhoods that no question asked about, and hardly grows once x is large. The second is the probability
that the classes of two items differ, 1 - Q_i . Q_j, wherever k is 0; the last term makes it 0 for i = j and
keeps the whole Euclidean (a sum of positive definite kernels), so it is a metric in the strict sense.

How far the classes are trusted comes from three kinds of evidence. Where the models differ, Q_i . Q_j is of
middling size for all pairs, and tells little. c grows with m / (m + 3 C), the answers to each class, as do
the class directions in x. And c is in proportion to how often neighbours are of different classes, by all
that is known: c = 5 s m / (m + 3 C), with s, from 0.018 to 0.18, the share of items that are believed to be
of another class than their nearest neighbour by features. Where neighbours agree, classes have nothing to
win among them and leave them alone; where every fifth differs from its neighbour, classes may part them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercet._validation import Floats
from tercet.latent._apart import apart, apart_by_row
from tercet.latent._fit import ClassModel

# Chosen on sets outside the paper's eight (docs/beyond-the-paper.md).
_TRUST = 5.0  # for each of the neighbours that are of different classes
_LEAST_UNLIKE, _MOST_UNLIKE = 0.018, 0.18  # of all neighbours; far items have to be put in order anyway
_HALF_TRUST_AFTER = 3.0  # answers for each class
# Of the kernel, where x of typical neighbours is 1. Its tail is heavy, so that the neighbours of an item that
# is far from all others keep their order; a Gaussian's do not.
_WIDTH = 1.4
_KERNEL_FAR = 0.003  # between typical items
_DIRECTIONS = 1.0  # what class directions add to x for a typical pair, once they are trusted
_LEAST_SPREAD = 1e-6  # of logits: less is rounding
_SAME = 1e-12  # squared distance: less is rounding, as of an item from itself
_SHARE_OF_FEATURES = 0.005  # in the embedding, where nothing saturates


@dataclass(frozen=True, eq=False)
class LearnedDistance:
    """A distance between items by their features and their classes.

    Attributes
    ----------
    model : ClassModel
    spreads : array of shape (K,)
        The spread of the items along the class directions of each model.
    unlike : float
        The share of items that are believed to be of another class than their nearest neighbour, of up to 200
        that are looked at. An item's double is no neighbour.
    """

    model: ClassModel
    spreads: Floats
    unlike: float

    @classmethod
    def learned(cls, model: ClassModel) -> LearnedDistance:
        """Return the distance that these models say."""
        directions = model.directions(model.basis.of_landmarks)
        spreads = np.sqrt(2 * directions.var(axis=1).sum(axis=1))
        classes, of_neighbours = (
            model.members_at(coordinates).mean(axis=0).argmax(axis=1)
            for coordinates in (model.basis.of_landmarks, model.basis.of_beside)
        )
        unlike = float(np.mean(classes != of_neighbours))
        return cls(model, np.where(spreads > _LEAST_SPREAD, spreads, 1.0), unlike)

    @property
    def trust(self) -> float:
        """How far the answers go, from 0 to 1."""
        m = self.model.n_answers
        return m / (m + _HALF_TRUST_AFTER * self.model.n_classes)

    @property
    def weight(self) -> float:
        """The weight c of the class part."""
        return _TRUST * min(max(self.unlike, _LEAST_UNLIKE), _MOST_UNLIKE) * self.trust

    @property
    def _power(self) -> float:
        basis = self.model.basis
        return float(-np.log(_KERNEL_FAR) / np.log1p(max(basis.far / basis.near, 1.0) / _WIDTH))

    def _places(self, X: Floats) -> tuple[Floats, Floats, Floats]:
        """Return standardised features, class directions and class probabilities of these items."""
        Z = self.model.basis.standardised(X)
        coordinates = self.model.basis.coordinates(Z)
        directions = self.model.directions(coordinates) / self.spreads[:, np.newaxis, np.newaxis]
        F = np.sqrt(_DIRECTIONS * self.trust) * _side_by_side(directions)
        return Z, F, _side_by_side(self.model.members_at(coordinates))

    def between(self, X: Floats, Y: Floats) -> Floats:
        """Return the squared distance of every row of X from every row of Y."""
        (Z, F, P), (V, G, Q) = self._places(X), self._places(Y)
        kernel = self._kernel(self._apart(Z, V, F, G))
        return self._combined(kernel, P @ Q.T, _doubt(P)[:, np.newaxis], _doubt(Q))

    def of_pairs(self, X: Floats, Y: Floats) -> Floats:
        """Return the squared distance of each row of X from the same row of Y."""
        (Z, F, P), (V, G, Q) = self._places(X), self._places(Y)
        x = apart_by_row(Z, V, self.model.basis.turn) / self.model.basis.near + ((F - G) ** 2).sum(axis=1)
        return self._combined(self._kernel(x), (P * Q).sum(axis=1), _doubt(P), _doubt(Q))

    def embedded(self, X: Floats) -> Floats:
        """Return points whose Euclidean distances come near the learned ones.

        Plain features beside class probabilities: a kernel that is nearly 0 beyond close neighbours is more
        than a few coordinates can show.
        """
        basis = self.model.basis
        Z = basis.standardised(X)
        Q = _side_by_side(self.model.members_at(basis.coordinates(Z)))
        near = np.sqrt(_SHARE_OF_FEATURES / (2 * basis.near)) / basis.turn
        return np.hstack([near * Z, np.sqrt(self.weight / 2) * Q])

    def _apart(self, Z: Floats, V: Floats, F: Floats, G: Floats) -> Floats:
        basis = self.model.basis
        x = apart(Z, V, basis.turn)
        x /= basis.near
        x += squared_distances(F, G)
        return x

    def _kernel(self, x: Floats) -> Floats:
        """Return the kernel, in place of x."""
        x /= _WIDTH
        x += 1
        return np.asarray(np.power(x, -self._power, out=x))

    def _combined(self, kernel: Floats, same: Floats, u: Floats, v: Floats) -> Floats:
        """Join the parts; in place, since both are as large as a table of all pairs."""
        weight = self.weight
        same *= -weight
        same += 2 + weight
        same -= 2 * kernel
        kernel *= 2 * weight * np.sqrt(u)
        kernel *= np.sqrt(v)
        same -= kernel
        same[same < _SAME] = 0.0
        return same


def squared_distances(A: Floats, B: Floats) -> Floats:
    """Return the squared Euclidean distance of every row of A from every row of B."""
    cross = A @ B.T
    cross *= -2
    cross += (A**2).sum(axis=1)[:, np.newaxis]
    cross += (B**2).sum(axis=1)
    return np.asarray(np.maximum(cross, 0.0, out=cross))


def _side_by_side(rows: Floats) -> Floats:
    """Return what several models say in one row an item, as large as what one of them says."""
    return np.asarray(np.hstack(list(rows)) / np.sqrt(len(rows)))


def _doubt(Q: Floats) -> Floats:
    return np.asarray(np.maximum(1 - (Q**2).sum(axis=1), 0) / 2)
