"""Our solvers and our forest beside their peers, each on the same problem."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from measure import Results, alternately, cpu, main
from scipy import sparse
from scipy.optimize import linprog
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine

from tercet.beliefs._forest import grow
from tercet.metrics import RosalesFung
from tercet.metrics._qp import solve_hinge
from tercet.metrics.rosales_fung import _gains
from tercet.triplets import triplets_from_labels

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "metrics"))
from test_qp import by_clarabel, differences


def measure(results: Results) -> None:
    """Time the quadratic program, the linear program and the forest."""
    quadratic_program(results)
    linear_program(results)
    forest(results)


def quadratic_program(results: Results) -> None:
    """Time the interior-point method against Clarabel on the same problem, to the same accuracy."""
    rng = np.random.default_rng(0)
    X, y = load_wine(return_X_y=True)
    problems = {"Wine, raw, 100 x 13": differences(X, triplets_from_labels(y, 100, rng))}
    shapes = ((100, 50), (1000, 20), (100, 1000), (1000, 300), (5000, 50))
    for m, d in shapes[:1] if results.quick else shapes:
        points = rng.normal(size=(300, d))
        problems[f"Gaussian, {m:,} x {d:,}"] = differences(
            points, np.array([rng.choice(300, 3, replace=False) for _ in range(m)])
        )
    rows = []
    for name, D in problems.items():
        cost, prior = np.ones(len(D)), np.ones(D.shape[1])
        last = solve_hinge(D[:-1], cost[:-1], prior)
        start = (last.weights, np.append(last.multipliers, 0.0))
        took = alternately(
            {
                "cold": cpu(lambda D=D, cost=cost, prior=prior: solve_hinge(D, cost, prior)),
                "warm": cpu(
                    lambda D=D, cost=cost, prior=prior, s=start: solve_hinge(D, cost, prior, start=s)
                ),
                "Clarabel": cpu(lambda D=D, cost=cost, prior=prior: by_clarabel(D, cost, prior)),
            },
            0.1 if results.quick else 2.0,
        )
        results.compare("Schultz & Joachims, cold", name, "Clarabel", took["cold"], took["Clarabel"])
        rows.append([name, took["cold"] / took["warm"]])
    results.table("Schultz & Joachims, one triplet more", ["triplets x features", "cold / warm"], rows)


def linear_program(results: Results) -> None:
    """Time column generation against HiGHS with all atoms at once."""
    rng = np.random.default_rng(0)
    shapes = ((100, 13), (100, 40), (1000, 40), (100, 120))
    for m, d in shapes[:1] if results.quick else shapes:
        X = rng.normal(size=(300, d))
        triplets = triplets_from_labels((X[:, 0] + X[:, 1] > 0).astype(int), m, rng)
        metric = RosalesFung(preprocessor=X).fit(triplets)
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
        took = alternately(
            {"ours": cpu(lambda metric=metric, t=triplets: metric.fit(t)), "theirs": cpu(everything)},
            0.1 if results.quick else 2.0,
        )
        results.compare(
            "Rosales & Fung", f"{m:,} x {d}", "HiGHS, all atoms at once", took["ours"], took["theirs"]
        )


def forest(results: Results) -> None:
    """Time the compiled forest against scikit-learn's, 50 trees on clusters of noise (deep trees)."""
    rng = np.random.default_rng(0)
    shapes = ((90, 13, 3), (750, 8, 10), (1150, 19, 7), (2500, 40, 3), (2500, 38, 13))
    for n, d, C in shapes[:1] if results.quick else shapes:
        X = rng.normal(size=(n, d))
        y = KMeans(C, n_init=1, random_state=0).fit(X).labels_
        took = alternately(
            {
                engine: cpu(lambda X=X, y=y, C=C, engine=engine: grow(X, y, C, 50, 0, engine))
                for engine in ("compiled", "sklearn")
            },
            0.1 if results.quick else 2.0,
        )
        size = f"n = {n:,}, d = {d}, C = {C}"
        results.compare("forest", size, "scikit-learn", took["compiled"], took["sklearn"])


if __name__ == "__main__":
    main("solvers", measure)
