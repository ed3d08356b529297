"""How sure the model is of itself: other class models that explain the answers about as well.

A Laplace approximation around the fitted model, in the space of functions: before any answer the logits of an
item are uncertain by `PRIOR_DOUBT`, alike for every item, and each answer takes away doubt in the directions
that change its probability (its Fisher information, of rank two). A sample costs no more than a linear system
of three times the number of answers, whatever the number of weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercet._validation import Floats
from tercet.latent._fit import Answers, ClassModel

#: The standard deviation of an item's logits before any answer.
PRIOR_DOUBT = 4.0
# Directions in which the items hardly differ are shrunk by this share of a feature's variance.
_SHRINK = 0.1
_INTERCEPT = 0.5


@dataclass(frozen=True)
class Doubt:
    """Samples of what the class model may be.

    Attributes
    ----------
    model : ClassModel
    map : array of shape (d, d)
        Takes standardised features to the space in which doubt is alike in all directions.
    shifts : array of shape (K, d + 1, C)
        How each sample differs from the model, in that space.
    """

    model: ClassModel
    map: Floats
    shifts: Floats

    @classmethod
    def around(
        cls, model: ClassModel, X: Floats, answers: Answers, n_samples: int, rng: np.random.Generator
    ) -> Doubt:
        """Return samples around the model of these answers about the rows of X."""
        Z = model.standardised(X)
        values, axes = np.linalg.eigh(Z.T @ Z / len(Z))
        whiten = axes / np.sqrt(np.maximum(values, 0) + _SHRINK)
        size = np.sqrt(((Z @ whiten) ** 2).sum(axis=1).mean()) or 1.0
        result = cls(model, PRIOR_DOUBT / size * whiten, np.empty((0, Z.shape[1] + 1, model.n_classes)))
        drawn = rng.normal(size=(n_samples, (Z.shape[1] + 1) * model.n_classes))
        if len(answers):
            asked, places = np.unique(answers.triplets, return_inverse=True)
            jacobian = result._jacobian(X[asked], places.reshape(-1, 3), answers)
            gram = jacobian @ jacobian.T
            gram[np.diag_indices(len(gram))] += 1.0
            noise = rng.normal(size=(n_samples, len(jacobian)))
            drawn += np.linalg.solve(gram, (noise - drawn @ jacobian.T).T).T @ jacobian
        return cls(model, result.map, drawn.reshape(n_samples, -1, model.n_classes))

    def members(self, X: Floats) -> Floats:
        """Return the beliefs of each sample about these items, an array of shape (K, n, C)."""
        logits = self.model.logits(X) + np.matmul(self._design(X), self.shifts)
        logits -= logits.max(axis=2, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=2, keepdims=True)
        return np.asarray(logits)

    def _design(self, X: Floats) -> Floats:
        spread = self.model.standardised(X) @ self.map
        return np.column_stack([spread, np.full(len(X), _INTERCEPT * PRIOR_DOUBT)])

    def _jacobian(self, X: Floats, triplets: np.ndarray, answers: Answers) -> Floats:
        """Return a root of the Fisher information of the answers: three rows an answer, one a reply."""
        P = self.model.probabilities(X)
        Pi, Pj, Pk = P[triplets.T]
        error = np.array([self.model.error_of(name) for name in answers.annotators.tolist()])
        same_j, same_k = Pi * Pj, Pi * Pk
        by_yes = np.stack([Pj * (1 - Pk), Pi * (1 - Pk), -same_j], axis=1)
        by_no = np.stack([Pk * (1 - Pj), -same_k, Pi * (1 - Pj)], axis=1)
        all_same = (same_j * Pk).sum(axis=1)
        yes, no = same_j.sum(axis=1) - all_same, same_k.sum(axis=1) - all_same
        three = P[triplets]
        design = self._design(X)[triplets]
        rows = []
        for chance, slope in ((yes, by_yes), (no, by_no), (1 - yes - no, -by_yes - by_no)):
            by_logit = three * (slope - (slope * three).sum(axis=2, keepdims=True))
            root = (1 - error) / np.sqrt((1 - error) * np.maximum(chance, 0) + error / 3 + 1e-12)
            by_logit *= root[:, np.newaxis, np.newaxis]
            rows.append(np.matmul(design.swapaxes(1, 2), by_logit).reshape(len(triplets), -1))
        return np.concatenate(rows)
