"""Schultz & Joachims: weighted Euclidean distance by a quadratic program."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from tercet._random import RandomState
from tercet._validation import Floats, check_count, check_number, check_option
from tercet.metrics._base import MahalanobisMetric, Preprocessor, TripletMetric
from tercet.metrics._basis import Basis
from tercet.metrics._qp import solve_hinge
from tercet.metrics._supervised import SupervisedMetric


class _SchultzJoachims(MahalanobisMetric):
    """What the forms for triplets and for labels share."""

    C: float
    prior: str
    tol: float
    max_iter: int
    warm_start: bool = False

    def _learn(self, near: Floats, far: Floats, weights: Floats) -> None:
        C = check_number("C", self.C, low=0.0)
        tol = check_number("tol", self.tol, low=0.0, open_low=True)
        max_iter = check_count("max_iter", self.max_iter)
        toward = 1.0 if check_option("prior", self.prior, ("identity", "zero")) == "identity" else 0.0
        solution = solve_hinge(
            far**2 - near**2,
            C * weights,
            np.full(near.shape[1], toward),
            start=self._last_solution(len(near)),
            tol=tol,
            max_iter=max_iter,
        )
        if not solution.gap <= tol:
            warnings.warn(
                f"the quadratic program stopped after {solution.n_iter} steps at a relative gap of "
                f"{solution.gap:.1e} (tol={tol:.0e}); raise max_iter, or scale the features",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.weights_ = solution.weights
        self.dual_coef_ = solution.multipliers
        self.objective_ = solution.objective
        self.gap_ = solution.gap
        self.n_iter_ = max(solution.n_iter, 1)  # scikit-learn wants at least one
        self.components_ = np.sqrt(self.weights_)[:, np.newaxis] * self.basis_

    def _last_solution(self, n_triplets: int) -> tuple[Floats, Floats] | None:
        last = getattr(self, "dual_coef_", None)
        if not self.warm_start or last is None or len(last) > n_triplets:
            return None
        if len(self.weights_) != len(self.basis_):
            return None
        return self.weights_, np.concatenate([last, np.zeros(n_triplets - len(last))])


class SchultzJoachims(TripletMetric, _SchultzJoachims):
    """Weights on features, or on directions, that put the near item nearer by a margin.

    With squared differences d_ij in each direction of the basis, it minimises

        1/2 |w - prior|^2 + C sum_t xi_t    with    w . (d_ik - d_ij) >= 1 - xi_t,  w >= 0,  xi_t >= 0

    over the triplets t = (i, j, k) in which i is more like j. The optimum is unique.

    Parameters
    ----------
    C : float
        The price of a violated margin. The margin is 1 in units of the features squared, so small features
        need a large C (raw features below 1 about 100).
    prior : {"identity", "zero"}
        What the weights are pulled towards: plain Euclidean distance, or nothing at all as in the paper of
        2003. Without triplets the prior is the result.
    basis : None, "standard", "pca", "points" or array of shape (r, d)
        The directions that get a weight, one a row: the features, the standardised features, the principal
        axes, the points themselves (the kernel form, with the linear kernel; scale the features first), or
        rows of your own.
    warm_start : bool
        Start a second ``fit`` from the multipliers of the first, whose triplets must be the first ones of
        the second. The result is the same, sooner.
    tol : float
        The relative duality gap at which to stop.
    max_iter : int
        The most Newton steps to take, of each kind: bold ones first, and guarded ones if those fail.
    preprocessor : array of shape (n, d) or callable, optional
        Turns indices in triplets into points.
    random_state : ignored
        Nothing here is random; accepted so that code written for metric-learn's SCML runs unchanged.

    Attributes
    ----------
    weights_ : array of shape (r,)
        The weight of each direction.
    components_ : array of shape (r, d)
        The map to the learned space.
    objective_, gap_ : float
        The optimum, and its certified relative distance from the lower bound.
    dual_coef_ : array
        The multiplier of each yes/no triplet; 0 where the triplet made no difference.
    basis_ : array of shape (r, d)
    n_iter_ : int
        Newton steps, at least 1.

    References
    ----------
    M. Schultz and T. Joachims, "Learning a distance metric from relative comparisons", NIPS 2003.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 3.0], [1.0, 0.0]]
    >>> metric = SchultzJoachims(C=10, preprocessor=X).fit([(0, 1, 2)])  # item 0 is more like 1 than like 2
    >>> metric.weights_.round(3)
    array([1.11 , 0.012])
    >>> metric.predict([(0, 1, 2), (0, 2, 1)])
    array([ 1, -1])
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        prior: str = "identity",
        basis: Basis = None,
        warm_start: bool = False,
        tol: float = 1e-7,
        max_iter: int = 200,
        preprocessor: Preprocessor = None,
        random_state: RandomState = None,
    ) -> None:
        self.C = C
        self.prior = prior
        self.basis = basis
        self.warm_start = warm_start
        self.tol = tol
        self.max_iter = max_iter
        self.preprocessor = preprocessor
        self.random_state = random_state


class SchultzJoachimsSupervised(SupervisedMetric, _SchultzJoachims):
    """`SchultzJoachims` for labelled points: ``fit(X, y)`` draws triplets from the labels.

    Parameters
    ----------
    n_triplets : int
        How many triplets (i and j of one class, k of another) to draw; all, where there are fewer.
    C, prior, basis, tol, max_iter
        As for `SchultzJoachims`; ``basis="standard"`` by default, since features may have any scale.
    random_state : int, Generator, RandomState or None
        Decides which triplets are drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SchultzJoachimsSupervised(random_state=0).fit_transform(X, y).shape
    (150, 4)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        n_triplets: int = 1000,
        prior: str = "identity",
        basis: Basis = "standard",
        tol: float = 1e-7,
        max_iter: int = 200,
        random_state: RandomState = None,
    ) -> None:
        self.C = C
        self.n_triplets = n_triplets
        self.prior = prior
        self.basis = basis
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
