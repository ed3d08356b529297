"""The plain stack: cvxpy with Clarabel, k-means with ten starts, scikit-learn's forest, a pool in numpy."""

import warnings

import clarabel
import cvxpy
import numpy as np
from scipy import sparse
from serve import serve
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier

warnings.simplefilter("ignore")
state = {}


def load(path):
    with np.load(path) as data:
        state.update(data)
    X = state["X"]
    state["S"] = (X - X.mean(axis=0)) / X.std(axis=0)
    i, j, k = state["answers"].T
    S = state["S"]
    state["D"] = (S[i] - S[k]) ** 2 - (S[i] - S[j]) ** 2


def metric():
    """Schultz & Joachims through cvxpy, from nothing each time."""
    D = state["D"]
    w = cvxpy.Variable(D.shape[1], nonneg=True)
    loss = cvxpy.sum_squares(w - 1) / 2 + cvxpy.sum(cvxpy.pos(1 - D @ w))
    cvxpy.Problem(cvxpy.Minimize(loss)).solve(solver=cvxpy.CLARABEL)
    state["Z"] = state["S"] * np.sqrt(np.maximum(w.value, 0))


def clarabel_metric():
    """Give the same program to Clarabel directly, which spares cvxpy's compiling."""
    D = state["D"]
    m, d = D.shape
    P = sparse.diags_array(np.concatenate([np.ones(d), np.zeros(m)]), format="csc")
    signs = -sparse.eye_array(d + m, format="csc")
    hinge = sparse.hstack([-sparse.csc_array(D), -sparse.eye_array(m)])
    A = sparse.vstack([hinge, signs], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    bounds = np.concatenate([-np.ones(m), np.zeros(d + m)])
    costs = np.concatenate([-np.ones(d), np.ones(m)])
    cones = [clarabel.NonnegativeConeT(2 * m + d)]
    solution = clarabel.DefaultSolver(P, costs, A, bounds, cones, settings).solve()
    state["Z"] = state["S"] * np.sqrt(np.maximum(np.array(solution.x)[:d], 0))


def clusters():
    n_classes = int(state["n_classes"])
    state["labels"] = KMeans(n_classes, n_init=10, random_state=0).fit(state["Z"]).labels_


def forest():
    grown = RandomForestClassifier(50, oob_score=True, random_state=0).fit(state["Z"], state["labels"])
    votes = np.nan_to_num(grown.oob_decision_function_)
    state["beliefs"] = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-12)


def search():
    """Find the best of the pool by numpy on whole rows (and already by C sums, not by C^3)."""
    P, pool = state["beliefs"], state["pool"]
    log_P = np.log(np.where(P > 0, P, 1))
    M = P * (log_P - (P * log_P).sum(axis=1, keepdims=True))
    best = -np.inf
    for start in range(0, len(pool), 50_000):
        i, j, k = pool[start : start + 50_000].T
        Pi, Pj, Pk, Mi, Mj, Mk = P[i], P[j], P[k], M[i], M[j], M[k]
        all_same = (Pi * Pj * Pk).sum(axis=1)
        yes, no = (Pi * Pj).sum(axis=1) - all_same, (Pi * Pk).sum(axis=1) - all_same
        shared = (Mi * Pj * Pk + Pi * Mj * Pk + Pi * Pj * Mk).sum(axis=1)
        pairs = (Mi * Pj + Pi * Mj + Mi * Pk + Pi * Mk).sum(axis=1)
        scores = pairs - 2 * shared
        for chance in (yes, no):
            scores -= chance * np.log(np.where(chance > 0, chance, 1))
        best = max(best, float(scores.max()))
    return best


def whole():
    metric()
    clusters()
    forest()
    return search()


serve(
    {
        "load": load,
        "metric": metric,
        "clarabel": clarabel_metric,
        "clusters": clusters,
        "forest": forest,
        "search": search,
        "whole": whole,
    },
    ["cvxpy", "clarabel", "scikit-learn", "numpy"],
)
