"""The best of all questions, exactly: how long it takes, and how much of it a sampled pool finds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from unittest import mock

import numpy as np
from data import forest_beliefs
from measure import Results, alternately, cpu, main, seconds

from tercet.information import DONT_KNOW, information_gain
from tercet.pools import ExhaustivePool
from tercet.selection import Info
from tercet.triplets import count_questions, questions_from_numbers

NOTHING_ASKED = np.empty((0, 3), dtype=np.int64)
MANY = 1_000_000


def measure(results: Results) -> None:
    """Time the exact search, compare it with pools, and count triplets scored a second."""
    exact(results)
    subset(results)
    scoring(results)


def exact(results: Results) -> None:
    """Time the exact search at n = 1,000, 2,500 and 5,000, and see what the pool of 100 n reaches of it."""
    sizes = (100, 200) if results.quick else (250, 500, 1000, 2500, 5000)
    kinds = {"forest": _forest, "all different": _dirichlet}
    rows, series = [], {}
    for (kind, beliefs_of), n in product(kinds.items(), sizes):
        if kind != "forest" and n not in sizes[-3:]:
            continue
        beliefs = beliefs_of(n)
        different = len(np.unique(beliefs, axis=0))
        for dont_know in DONT_KNOW:
            rule = Info("exact", dont_know=dont_know)
            found: list[float] = []

            def search(rule=rule, beliefs=beliefs, found=found) -> None:
                found.append(float(rule.find(beliefs, NOTHING_ASKED, 1, np.random.default_rng(0))[1][0]))

            pool = np.concatenate(list(_pool(n, 100 * n, np.random.default_rng(0))))

            def score(rule=rule, beliefs=beliefs, pool=pool) -> None:
                rule.score(pool, beliefs, NOTHING_ASKED)

            took = alternately({"exact": cpu(search), "pool": cpu(score)}, 0.1 if results.quick else 2.0)
            shares = [_best_of_pool(rule, beliefs, 100 * n, seed)[0] / found[0] for seed in range(5)]
            rows.append(
                [
                    kind,
                    n,
                    different,
                    dont_know,
                    seconds(took["exact"]),
                    seconds(took["pool"]),
                    f"{100 * min(shares):.1f} to {100 * max(shares):.1f}%",
                ]
            )
            print("  exact:", *rows[-1], flush=True)
            series.setdefault(f"{kind}, {dont_know}", {})[n] = took["exact"]
    columns = [
        "beliefs",
        "n",
        "different rows",
        "don't-know",
        "exact",
        "100 n pool",
        "the pool finds, 5 pools",
    ]
    results.table("The best of all questions, exactly, C = 7", columns, rows)
    results.curve("exact-n", "Exact search, C = 7", "n, items", series)
    _against_scoring_all(results)


def _against_scoring_all(results: Results) -> None:
    n = 60 if results.quick else 250
    beliefs = _forest(n)
    everything = ExhaustivePool().draw(n, np.random.default_rng(0))
    rule = Info("exact")
    took = alternately(
        {
            "ours": cpu(lambda: rule.find(beliefs, NOTHING_ASKED, 1, np.random.default_rng(0))),
            "theirs": cpu(lambda: rule.score(everything, beliefs, NOTHING_ASKED).argmax()),
        }
    )
    results.compare(
        "exact search",
        f"n = {n}, C = 7",
        "scoring every question",
        took["ours"],
        took["theirs"],
        "our own kernel",
    )


def subset(results: Results) -> None:
    """Exact search on a random few of many items, against the pool of 100 n about all of them."""
    sizes, seeds = ((2500,), range(2)) if results.quick else ((2500, 10_000, 100_000), range(20))
    rows = []
    for n in sizes:
        beliefs = forest_beliefs(n, 20, 7, seed=0)
        for dont_know in DONT_KNOW:
            rule = Info(dont_know=dont_know)
            few = rule.looks_at(n)
            shares, times = [], {"subset": np.inf, "pool": np.inf}
            for seed in seeds:
                rng = np.random.default_rng(seed)
                items = np.sort(rng.choice(n, few, replace=False))
                found: list[float] = []

                def search(rule=rule, beliefs=beliefs[items], rng=rng, found=found) -> None:
                    found.append(float(rule.find(beliefs, NOTHING_ASKED, 1, rng)[1][0]))

                times["subset"] = min(times["subset"], cpu(search)())
                in_pool, took = _best_of_pool(rule, beliefs, 100 * n, seed)
                times["pool"] = min(times["pool"], took)
                shares.append(found[0] / in_pool)
            rows.append(
                [
                    n,
                    few,
                    dont_know,
                    f"{min(shares):.3f}",
                    f"{np.median(shares):.3f}",
                    f"{sum(share >= 1 for share in shares)} of {len(shares)}",
                    seconds(times["subset"]),
                    seconds(times["pool"]),
                ]
            )
            print("  subset:", *rows[-1], flush=True)
            size = f"n = {n:,}, C = 7, don't-know {dont_know}"
            note = f"reaches {min(shares):.3f} of the pool's score or more"
            what = f"exact search of {few:,} items"
            results.compare(what, size, "100 n pool", times["subset"], times["pool"], note)
    columns = [
        "n",
        "looked at",
        "don't-know",
        "least",
        "median",
        "at least as good",
        "exact on a subset",
        "100 n pool",
    ]
    title = (
        f"Score of the best question about a few random items, over that of the best in a "
        f"pool of 100 n, over {len(seeds)} draws of both"
    )
    results.table(title, columns, rows)


def scoring(results: Results) -> None:
    """Count the triplets scored a second, with and without numba, and by the C^3 sum of the definition."""
    n, n_classes = 1000, 7
    beliefs = forest_beliefs(n, 20, n_classes, seed=0)
    many = 20_000 if results.quick else MANY
    (pool,) = _pool(n, many, np.random.default_rng(0))
    few = pool[: 500 if results.quick else 5000]

    def without_numba() -> None:
        with mock.patch("tercet.information.kernels", return_value=None):
            information_gain(beliefs, pool)

    took = alternately(
        {
            "with": cpu(lambda: information_gain(beliefs, pool)),
            "without": cpu(without_numba),
            "cubic": cpu(lambda: cubic(beliefs, few)),
        },
        0.2 if results.quick else 5.0,
    )
    took["cubic"] *= len(pool) / len(few)
    size = f"n = {n:,}, C = {n_classes}"
    results.compare("scores with numba", size, "the C^3 sum in numpy", took["with"], took["cubic"])
    results.compare("scores without numba", size, "the C^3 sum in numpy", took["without"], took["cubic"])
    rows = [[name, f"{len(pool) / took[key] / 1e6:.2g}"] for name, key in _NAMES.items()]
    results.table(f"Million triplets scored a second ({size})", ["", "million a second"], rows)


_NAMES = {"with numba": "with", "without numba": "without", "the C^3 sum in numpy": "cubic"}


def cubic(P: np.ndarray, triplets: np.ndarray) -> np.ndarray:
    """Return the information by the sum over all combinations of three classes, as it is defined."""

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


def _forest(n: int) -> np.ndarray:
    return forest_beliefs(n, 20, 7, seed=0)


def _dirichlet(n: int) -> np.ndarray:
    """Return beliefs of which no two are equal, the hard case: nothing can be taken together."""
    return np.random.default_rng(0).dirichlet(np.full(7, 0.3), size=n)


def _pool(n: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Draw questions at random, some at a time; of so many there are, hardly any comes twice."""
    for start in range(0, size, MANY):
        numbers = rng.integers(count_questions(n), size=min(MANY, size - start))
        yield questions_from_numbers(numbers, n)


def _best_of_pool(rule: Info, beliefs: np.ndarray, size: int, seed: int) -> tuple[float, float]:
    """Return the best score in a pool, and the processor seconds of scoring; a learner draws it only once."""
    rng = np.random.default_rng(seed)
    best: list[float] = []
    took = 0.0
    for part in _pool(len(beliefs), size, rng):
        took += cpu(lambda part=part: best.append(float(rule.score(part, beliefs, NOTHING_ASKED).max())))()
    return max(best), took


if __name__ == "__main__":
    main("search", measure)
