"""An interior-point method for the one quadratic program that Schultz & Joachims pose.

Minimise 1/2 |w - prior|^2 + cost . xi over w >= 0, xi >= 0 with D w >= 1 - xi.

General solvers form a matrix of all variables and constraints. Here every Newton step reduces to one
Cholesky factor of size min(m, d), which `benchmarks/solvers.py` times against Clarabel. Raw features give D
entries from 1e-8 to 1e8, where general solvers stop short; rows are scaled to length one, and the answer is
accepted by its duality gap, a certificate that needs no trust in the iteration that produced it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from tercet._validation import Floats


@dataclass(frozen=True)
class HingeSolution:
    """Weights, multipliers of the triplets, the objective, its relative duality gap and the iterations."""

    weights: Floats
    multipliers: Floats
    objective: float
    gap: float
    n_iter: int


def solve_hinge(
    differences: Floats,
    cost: Floats,
    prior: Floats,
    *,
    start: tuple[Floats, Floats] | None = None,
    tol: float = 1e-7,
    max_iter: int = 200,
) -> HingeSolution:
    """Solve the program to a relative duality gap of ``tol``.

    Parameters
    ----------
    differences : array of shape (m, d)
        The rows of D: squared feature differences to the far item minus those to the near item.
    cost : array of shape (m,)
        The price of each unit of slack.
    prior : array of shape (d,)
        The weights that are best when no triplet says otherwise.
    start : weights of shape (d,) and multipliers of shape (m,), optional
        The solution of a similar problem. If it is still good enough nothing is iterated.
    """
    largest = np.abs(differences).max(axis=1, initial=0.0)  # first, since squares may overflow
    unit = differences / np.where(largest > 0, largest, 1.0)[:, np.newaxis]
    norms = largest * np.sqrt(np.einsum("td,td->t", unit, unit))
    # A row of zeros (the candidates are equally far in every feature) costs the same whatever w is.
    used = (norms > 0) & (cost > 0)
    constant = float(cost[~used].sum())
    problem = _Scaled(differences[used] / norms[used, None], cost[used] * norms[used], 1 / norms[used], prior)
    if start is None:
        guess = prior, np.zeros(int(used.sum()))
    else:
        guess = start[0], np.clip(start[1][used] * norms[used], 0, problem.cost)
    weights, primal, dual, bound, n_iter = problem.solve(*guess, tol, max_iter)
    multipliers = np.where(norms > 0, 0.0, cost)  # what cannot be met costs its full price
    multipliers[used] = dual / norms[used]
    # Relative to the part that depends on w: a constant must not hide an error.
    gap = problem.gap(primal, weights, bound)
    return HingeSolution(weights, multipliers, primal + constant, gap, n_iter)


@dataclass
class _Scaled:
    """The program with rows D of length one: D w + xi >= margin, multipliers a in [0, cost]."""

    D: Floats
    cost: Floats
    margin: Floats
    prior: Floats

    def primal(self, w: Floats) -> float:
        v = w - self.prior
        return float(0.5 * v @ v + self.cost @ np.maximum(self.margin - self.D @ w, 0.0))

    def dual(self, a: Floats) -> tuple[float, Floats]:
        """Return the lower bound that multipliers a give, and the weights that are best for them."""
        pull = self.D.T @ a
        w = np.maximum(self.prior + pull, 0.0)
        v = w - self.prior
        return float((0.5 * v - pull) @ v + a @ (self.margin - self.D @ self.prior)), w

    def gap(self, primal: float, w: Floats, bound: float) -> float:
        """Return how far above the bound these weights are, relative to their objective.

        An objective that is no more than rounding makes of 0 is 0, and so optimal; unless rounding swallows
        the margins themselves, when nothing is certain.
        """
        if primal - bound <= 0:
            return 0.0
        noise = np.finfo(np.float64).eps * (self.cost @ (self.margin + np.abs(self.D) @ w))
        negligible = min(noise, 1e-12 * (self.cost @ self.margin))
        return 0.0 if primal <= negligible else (primal - bound) / primal

    def solve(
        self, w: Floats, a: Floats, tol: float, max_iter: int
    ) -> tuple[Floats, float, Floats, float, int]:
        """Return the best weights, their objective, the best multipliers, their bound, and the steps."""
        start = w, a
        best_primal, best_dual = (np.inf, w), (-np.inf, a)
        n_iter = 0
        # Bold steps are faster and reach the optimum of nearly every problem; where they go in circles, as
        # they may on tiny or integer ones, guarded steps begin anew.
        for guarded in (False, True):
            w, a = start
            point = None
            for taken in range(max_iter + 1):
                bound, from_dual = self.dual(a)
                best_dual = max(best_dual, (bound, a), key=_value)
                best_primal = min(
                    best_primal, (self.primal(w), w), (self.primal(from_dual), from_dual), key=_value
                )
                if self.gap(*best_primal, best_dual[0]) <= tol:
                    return best_primal[1], best_primal[0], best_dual[1], best_dual[0], n_iter
                if taken == max_iter:
                    break
                point = _Point.around(self, w, a) if point is None else point
                with np.errstate(over="ignore", invalid="ignore"):  # a step that overflows is not taken
                    if not point.step(self, guarded):
                        break
                n_iter += 1
                w, a = point.w, np.clip(point.a, 0.0, self.cost)
        return best_primal[1], best_primal[0], best_dual[1], best_dual[0], n_iter


def _value(item: tuple[float, Floats]) -> float:
    return item[0]


@dataclass
class _Point:
    """A strictly positive primal-dual point.

    w: weights, z their multipliers; x: slack of the margins, b = cost - a its multipliers; s: surplus over
    the margins, a its multipliers. b is kept beside a because their difference loses all digits where a
    reaches its bound.
    """

    w: Floats
    z: Floats
    x: Floats
    b: Floats
    s: Floats
    a: Floats

    @classmethod
    def around(cls, problem: _Scaled, w: Floats, a: Floats) -> _Point:
        """Return a point near (w, a), well inside the positive orthant."""
        D, margin = problem.D, problem.margin
        w = np.maximum(w, 0.1 * np.abs(margin - D @ w).max())
        short = margin - D @ w
        room = 0.1 * np.abs(short).max()
        a = np.minimum(np.maximum(a, room), problem.cost / 2)
        z = np.maximum(w - problem.prior - D.T @ a, 0.0) + room
        return cls(w, z, np.maximum(short, 0.0) + room, problem.cost - a, np.maximum(-short, 0.0) + room, a)

    def step(self, problem: _Scaled, guarded: bool) -> bool:
        """Take one predictor-corrector step (Mehrotra); return False where rounding allows no more."""
        w, z, x, b, s, a = self.w, self.z, self.x, self.b, self.s, self.a
        D = problem.D
        m, d = D.shape
        dual_residual = w - problem.prior - D.T @ a - z
        primal_residual = D @ w + x - s - problem.margin
        now = (w, z, x, b, s, a)
        mu = float(_products(now).mean())
        curvature = 1.0 + z / w
        softness = x / b + s / a
        if m < d:
            K = (D / curvature) @ D.T
            K.flat[:: m + 1] += softness
        else:
            K = (D.T / softness) @ D
            K.flat[:: d + 1] += curvature
        if not np.isfinite(K).all():
            return False
        factor, failed = dpotrf(K, lower=1)
        if failed:  # singular but for rounding, close to the optimum
            K.flat[:: len(K) + 1] *= 1 + 1e-12
            factor, failed = dpotrf(K, lower=1)
        if failed:
            return False

        def newton(wz: Floats, xb: Floats, sa: Floats) -> tuple[Floats, ...]:
            """Solve for the changes of w, z, x, b, s, a, given what is wanted of the products."""
            p = wz / w - dual_residual
            q = sa / a - xb / b - primal_residual
            if m < d:
                da = dpotrs(factor, q - D @ (p / curvature), lower=1)[0]
                dw = (p + D.T @ da) / curvature
            else:
                dw = dpotrs(factor, p + D.T @ (q / softness), lower=1)[0]
                da = (q - D @ dw) / softness
            return dw, (wz - z * dw) / w, (xb + x * da) / b, -da, (sa - s * da) / a, da

        affine = newton(-w * z, -x * b, -s * a)
        reach = min(1.0, _step_length(now, affine))
        dw, dz, dx, db, ds, da = affine
        left = _products([value + reach * delta for value, delta in zip(now, affine, strict=True)]).mean()
        target = (left / mu) ** 3 * mu
        # The correction is of second order: it holds as far as the affine step reached, and no farther.
        trust = reach**2
        change = newton(
            target - w * z - trust * dw * dz,
            target - x * b - trust * dx * db,
            target - s * a - trust * ds * da,
        )
        move = _guarded_move if guarded else _bold_move
        moved = move(now, change, True)
        if moved is None:  # blocked: go back towards the centre first
            centring = newton(mu / 2 - w * z, mu / 2 - x * b, mu / 2 - s * a)
            moved = move(now, centring, False)
        if moved is None:
            return False
        self.w, self.z, self.x, self.b, self.s, self.a = moved
        return True


def _bold_move(now: tuple[Floats, ...], change: tuple[Floats, ...], far: bool) -> list[Floats] | None:
    """Go as far as the values stay positive; None if that is not ``far``, or nowhere."""
    t = min(1.0, 0.99 * _step_length(now, change))
    moved = [value + t * delta for value, delta in zip(now, change, strict=True)]
    if (far and t < 0.1) or not all((value > 0).all() and np.isfinite(value).all() for value in moved):
        return None
    return moved


def _guarded_move(now: tuple[Floats, ...], change: tuple[Floats, ...], falling: bool) -> list[Floats] | None:
    """Go as far as the products of the pairs stay in balance and, if wanted, fall; None if nowhere."""
    products = _products(now)
    mean = products.mean()
    balance = min(1e-3, products.min() / mean)
    t = min(1.0, 0.99 * _step_length(now, change))
    for _ in range(30):
        moved = [value + t * delta for value, delta in zip(now, change, strict=True)]
        reached = _products(moved)
        # Written so that NaN counts as out of balance.
        if reached.min() >= balance * reached.mean() > 0 and not (
            falling and reached.mean() > (1 - 0.01 * t) * mean
        ):
            return moved
        t *= 0.7
    return None


def _products(values: Sequence[Floats]) -> Floats:
    w, z, x, b, s, a = values
    return np.concatenate([w * z, x * b, s * a])


def _step_length(values: tuple[Floats, ...], changes: tuple[Floats, ...]) -> float:
    """Return how far the changes can go before a value turns negative."""
    steepest = max(float((-change / value).max()) for value, change in zip(values, changes, strict=True))
    return 1.0 / steepest if steepest > 1e-300 else 1e300
