"""Our solvers and scores beside their peers: `make bench`. Every figure is a ratio measured in this run."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine

from tercet.beliefs._forest import grow
from tercet.information import information_gain
from tercet.metrics import RosalesFung
from tercet.metrics._qp import solve_hinge
from tercet.metrics.rosales_fung import _gains
from tercet.triplets import questions_from_numbers, triplets_from_labels

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "metrics"))
from test_qp import by_clarabel, differences


def seconds(call: Callable[[], object], at_least: float = 0.5) -> float:
    """Return the fastest of repeated calls, which is the one the rest of the machine disturbed least."""
    call()  # compilers and caches
    best, spent = np.inf, 0.0
    while spent < at_least:
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent = min(best, took), spent + took
    return best


def quadratic_program() -> None:
    """Time the interior-point method against Clarabel on the same problem."""
    print("\nSchultz & Joachims: Clarabel's time over ours, to the same accuracy")
    rng = np.random.default_rng(0)
    X, y = load_wine(return_X_y=True)
    problems = {"Wine, raw, 100 x 13": differences(X, triplets_from_labels(y, 100, rng))}
    for m, d in ((100, 50), (1000, 20), (100, 1000), (1000, 300), (5000, 50)):
        points = rng.normal(size=(300, d))
        problems[f"Gaussian, {m} x {d}"] = differences(
            points, np.array([rng.choice(300, 3, replace=False) for _ in range(m)])
        )
    for name, D in problems.items():
        cost, prior = np.ones(len(D)), np.ones(D.shape[1])
        ours = seconds(lambda D=D, cost=cost, prior=prior: solve_hinge(D, cost, prior))
        theirs = seconds(lambda D=D, cost=cost, prior=prior: by_clarabel(D, cost, prior))
        last = solve_hinge(D[:-1], cost[:-1], prior)
        start = (last.weights, np.append(last.multipliers, 0.0))
        warm = seconds(lambda D=D, c=cost, p=prior, s=start: solve_hinge(D, c, p, start=s))
        print(f"  {name:24}{theirs / ours:8.1f}   one triplet more, warm over cold {ours / warm:6.1f}")


def linear_program() -> None:
    """Time column generation against the same program with all atoms at once."""
    print("\nRosales & Fung: HiGHS with all atoms over column generation")
    rng = np.random.default_rng(0)
    for m, d in ((100, 13), (100, 40), (1000, 40), (100, 120)):
        X = rng.normal(size=(300, d))
        triplets = triplets_from_labels((X[:, 0] + X[:, 1] > 0).astype(int), m, rng)
        metric = RosalesFung(preprocessor=X).fit(triplets)
        ours = seconds(lambda metric=metric, t=triplets: metric.fit(t))
        near, far = X[triplets[:, 0]] - X[triplets[:, 1]], X[triplets[:, 0]] - X[triplets[:, 2]]
        scale = np.sqrt(np.mean([near**2, far**2]))
        near, far = near / scale, far / scale
        a, b = np.triu_indices(d, 1)
        atoms = np.concatenate(
            [np.column_stack([np.arange(d), np.arange(d), np.zeros(d, int)])]
            + [np.column_stack([a, b, np.full(len(a), sign)]) for sign in (1, -1)]
        )
        price = np.where(atoms[:, 2] == 0, 1.0, 4.0) * metric.price_

        def everything(near=near, far=far, atoms=atoms, price=price, m=m) -> float:
            A = -sparse.hstack([sparse.csr_array(_gains(near, far, atoms)), sparse.eye(m)], format="csr")
            cost = np.concatenate([price, np.full(m, 1 / m)])
            return float(linprog(cost, A_ub=A, b_ub=-np.ones(m), method="highs").fun)

        assert np.isclose(everything(), metric.objective_), "not the same program"
        print(f"  {m:5} x {d:<17}{seconds(everything) / ours:8.1f}")


def scores() -> None:
    """Time the O(C) form against the sum over C^3 combinations of classes in numpy."""
    print("\nInformation gain: million triplets a second, and the C^3 sum's time over ours")
    rng = np.random.default_rng(0)
    for n, C in ((100, 3), (1000, 7), (2500, 13)):
        P = rng.multinomial(50, rng.dirichlet(np.ones(C)), size=n) / 50
        triplets = questions_from_numbers(rng.integers(n * (n - 1) * (n - 2) // 2, size=100_000), n)
        ours = seconds(lambda P=P, t=triplets: information_gain(P, t)) / len(triplets)
        few = triplets[:2000]
        theirs = seconds(lambda P=P, few=few: _cubic(P, few)) / len(few)
        print(f"  n = {n}, C = {C:<13}{1e-6 / ours:8.1f}{theirs / ours:10.0f}")


def _cubic(P: np.ndarray, triplets: np.ndarray) -> np.ndarray:
    def entropy(p: np.ndarray) -> np.ndarray:
        return -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(axis=-1)

    classes = range(P.shape[1])
    cells = np.array(list(product(classes, classes, classes)))
    a, b, c = cells.T
    Pi, Pj, Pk = (P[items] for items in triplets.T)
    joint = Pi[:, a] * Pj[:, b] * Pk[:, c]
    result = np.zeros(len(triplets))
    before = entropy(Pi) + entropy(Pj) + entropy(Pk)
    for cell in ((a == b) & (a != c), (a == c) & (a != b)):
        mass = joint[:, cell].sum(axis=1)
        given = joint[:, cell] / np.where(mass > 0, mass, 1)[:, None]
        result += mass * (before - entropy(given))
    return result


def forest() -> None:
    """Time the compiled forest against scikit-learn's, 50 trees on clusters of noise (deep trees)."""
    print("\nForest: scikit-learn's time over the compiled one's")
    rng = np.random.default_rng(0)
    for n, d, C in ((90, 13, 3), (750, 8, 10), (1150, 19, 7), (2500, 40, 3), (2500, 38, 13)):
        X = rng.normal(size=(n, d))
        y = KMeans(C, n_init=1, random_state=0).fit(X).labels_
        times = {
            engine: seconds(lambda X=X, y=y, C=C, engine=engine: grow(X, y, C, 50, 0, engine))
            for engine in ("sklearn", "compiled")
        }
        print(f"  n = {n}, d = {d}, C = {C:<7}{times['sklearn'] / times['compiled']:8.1f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    quadratic_program()
    linear_program()
    scores()
    forest()
