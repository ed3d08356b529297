"""Rosales & Fung: a sparse matrix by a linear program."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from tercet._random import RandomState
from tercet._validation import Floats, Ints, check_number
from tercet.metrics._base import MahalanobisMetric, Preprocessor, TripletMetric
from tercet.metrics._basis import Basis
from tercet.metrics._supervised import SupervisedMetric

_PRICE_TOL = 1e-6  # an atom must be cheaper than its price by this share to be worth another round
_MAX_ROUNDS = 200
_MAX_NEW = 1000  # atoms a round, so that memory stays flat


class _RosalesFung(MahalanobisMetric):
    """What the forms for triplets and for labels share.

    A matrix with a dominant diagonal is a sum, with weights >= 0, of atoms f f' where f is one direction
    e_a or the sum or difference e_a + e_b, e_a - e_b of two (Barker and Carlson 1975). Written so, the
    program needs no constraint but the triplets' and the d^2 atoms can be priced with one d x d matrix
    product: only those that pay are ever handed to HiGHS. The optimum is the same (`benchmarks/solvers.py`
    has the times), and the result is positive semidefinite by construction.
    """

    gamma: float
    atoms_: Floats
    weights_: Floats
    objective_: float
    price_: float
    n_iter_: int

    def _learn(self, near: Floats, far: Floats, weights: Floats) -> None:
        gamma = check_number("gamma", self.gamma, low=0.0, high=1.0, open_low=True)
        size = near.shape[1]
        scale = np.sqrt(np.mean([near**2, far**2])) if near.size else 0.0
        total = weights.sum()
        self.n_iter_, self.price_, self.objective_ = 0, 0.0, float(total > 0)
        if scale > 0 and total > 0:
            self._solve(near / scale, far / scale, weights / total, gamma)
            factors = self.atoms_ * np.sqrt(self.weights_)[:, np.newaxis] / scale
        else:
            factors = np.empty((0, size))
        if len(factors) == 0:
            # An empty matrix would put all items in one place, which is of no use to anybody.
            self.atoms_, self.weights_ = np.eye(size), np.ones(size)
            factors = self.atoms_
            if len(near):
                warnings.warn(
                    f"with gamma={gamma:g} no direction pays for itself in these {len(near)} triplets; "
                    "keeping the plain Euclidean distance of the basis. Add triplets, or lower gamma",
                    UserWarning,
                    stacklevel=4,
                )
        self.components_ = factors @ self.basis_

    def _solve(self, near: Floats, far: Floats, cost: Floats, gamma: float) -> None:
        """Solve by column generation; sets atoms_, weights_, objective_ and n_iter_."""
        m, size = near.shape
        duals = cost  # exact for the empty matrix, which violates every margin
        atoms = np.empty((0, 3), dtype=np.int64)
        self.price_ = 0.0
        solution, objective = np.empty(0), float(cost.sum())
        for self.n_iter_ in range(_MAX_ROUNDS):
            worth, candidates = _best_atoms(near, far, duals, min(max(50, 2 * m), _MAX_NEW), atoms)
            if self.n_iter_ == 0:
                self.price_ = gamma * max(worth.max(initial=0.0), 0.0)
            new = candidates[worth > self.price_ * (1 + _PRICE_TOL)]
            if self.price_ == 0.0 or len(new) == 0:
                break
            atoms = np.concatenate([atoms, new])
            gains = _gains(near, far, atoms)
            # Columns of size one: raw features would otherwise spread coefficients over 16 digits.
            sizes = np.abs(gains).max(axis=0)
            prices = self.price_ * _norms(atoms) / sizes
            program = linprog(
                np.concatenate([prices, cost]),
                A_ub=-sparse.hstack([sparse.csr_array(gains / sizes), sparse.eye(m)], format="csr"),
                b_ub=-np.ones(m),
                method="highs",
            )
            if program.status != 0:
                raise RuntimeError(
                    f"HiGHS could not solve the program: {program.message}; scale the features"
                )
            solution, objective = program.x[: len(atoms)] / sizes, float(program.fun)
            duals = np.maximum(-program.ineqlin.marginals, 0.0)
        else:
            warnings.warn(
                f"the linear program was still improving after {_MAX_ROUNDS} rounds; raise gamma",
                ConvergenceWarning,
                stacklevel=5,
            )
        used = solution > 0
        self.atoms_ = _vectors(atoms[used], size)
        self.weights_ = solution[used]
        self.objective_ = objective


def _gains(near: Floats, far: Floats, atoms: Ints) -> Floats:
    """Return (f . far)^2 - (f . near)^2 for each triplet and atom f, an (m, k) array."""
    a, b, sign = atoms.T
    project = [side[:, a] + sign * side[:, b] for side in (far, near)]
    return np.asarray(project[0] ** 2 - project[1] ** 2)


def _norms(atoms: Ints) -> Floats:
    """Return the sum of absolute entries of each atom's matrix: 1 for one direction, 4 for two."""
    return np.where(atoms[:, 2] == 0, 1.0, 4.0)


def _vectors(atoms: Ints, size: int) -> Floats:
    a, b, sign = atoms.T
    rows = np.arange(len(atoms))
    vectors = np.zeros((len(atoms), size))
    vectors[rows, b] = sign
    vectors[rows, a] = 1.0
    return vectors


def _best_atoms(near: Floats, far: Floats, duals: Floats, most: int, known: Ints) -> tuple[Floats, Ints]:
    """Return the worth per unit of norm, and the atoms (a, b, sign), of the best that are not yet known.

    A single direction is (a, a, 0).
    """
    M = (far.T * duals) @ far - (near.T * duals) @ near
    diagonal = np.diag(M)
    half = (diagonal[:, None] + diagonal[None, :]) / 4
    size = len(M)
    # Below the diagonal the differences, above it the sums, on it the single directions.
    worth = np.where(np.tri(size, k=-1, dtype=bool), half - M / 2, half + M / 2)
    np.fill_diagonal(worth, diagonal)
    a, b, sign = known.T
    worth[np.where(sign < 0, b, a), np.where(sign < 0, a, b)] = -np.inf
    flat = worth.ravel()
    top = np.argpartition(flat, -most)[-most:] if most < flat.size else np.arange(flat.size)
    row, column = np.divmod(top, size)
    atoms = np.column_stack([np.minimum(row, column), np.maximum(row, column), np.sign(column - row)])
    return flat[top], atoms


class RosalesFung(TripletMetric, _RosalesFung):
    """A sparse positive semidefinite matrix that puts the near item nearer by a margin.

    It minimises, over matrices A whose diagonal dominates (which makes them positive semidefinite),

        mean_t xi_t + price |A|_1    with    d_A(i, k) - d_A(i, j) >= 1 - xi_t,  xi_t >= 0

    over the triplets t = (i, j, k) in which i is more like j, where d_A is the squared distance and |A|_1
    the sum of absolute entries.

    Parameters
    ----------
    gamma : float in (0, 1]
        The price of the matrix, as a share of the smallest price at which nothing at all would be learned.
        So it means the same whatever the scale of the features: near 1 a single direction remains, smaller
        values fit the triplets more closely with more directions.
    basis : None, "standard", "pca", "points" or array of shape (r, d)
        The directions that the matrix weighs, one a row: the features, the standardised features, the
        principal axes, the points themselves, or rows of your own.
    preprocessor : array of shape (n, d) or callable, optional
        Turns indices in triplets into points.
    random_state : ignored
        Nothing here is random; accepted so that code written for metric-learn's SCML runs unchanged.

    Attributes
    ----------
    atoms_ : array of shape (k, r)
        The directions that the program chose: single ones, and sums and differences of two.
    weights_ : array of shape (k,)
        Their weights (of features divided by their typical difference).
    components_ : array of shape (k, d)
        The map to the learned space; its rows are the atoms times the root of their weights.
    objective_, price_ : float
        The optimum, and the price of a matrix entry that gamma came to; for those same divided features.
    n_iter_ : int
        Rounds of column generation.

    Notes
    -----
    Without yes/no triplets, and where no direction pays for itself, the plain Euclidean distance of the basis
    is kept.

    References
    ----------
    R. Rosales and G. Fung, "Learning sparse metrics via linear programming", KDD 2006.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 3.0], [1.0, 0.0]]
    >>> metric = RosalesFung(preprocessor=X).fit([(0, 1, 2)])  # item 0 is more like 1 than like 2
    >>> metric.get_mahalanobis_matrix().round(3)
    array([[1., 0.], [0., 0.]])
    """

    def __init__(
        self,
        gamma: float = 0.1,
        *,
        basis: Basis = None,
        preprocessor: Preprocessor = None,
        random_state: RandomState = None,
    ) -> None:
        self.gamma = gamma
        self.basis = basis
        self.preprocessor = preprocessor
        self.random_state = random_state


class RosalesFungSupervised(SupervisedMetric, _RosalesFung):
    """`RosalesFung` for labelled points: ``fit(X, y)`` draws triplets from the labels.

    Parameters
    ----------
    n_triplets : int
        How many triplets (i and j of one class, k of another) to draw; all, where there are fewer.
    gamma, basis
        As for `RosalesFung`; ``basis="standard"`` by default, since features may have any scale.
    random_state : int, Generator, RandomState or None
        Decides which triplets are drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> RosalesFungSupervised(random_state=0).fit(X, y).transform(X).shape[0]
    150
    """

    def __init__(
        self,
        gamma: float = 0.1,
        *,
        n_triplets: int = 1000,
        basis: Basis = "standard",
        random_state: RandomState = None,
    ) -> None:
        self.gamma = gamma
        self.n_triplets = n_triplets
        self.basis = basis
        self.random_state = random_state
