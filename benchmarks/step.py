"""The whole step between an answer and the next question, beside the plain stack, part by part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from environments import PeerError, worker
from measure import Results, alternately, cpu, main
from stack import PARTS, Step

from tercet import ActiveLearner, ClassOracle, Comparisons
from tercet.beliefs import ClusterForest
from tercet.pools import SampledPool

WORDS = {
    "metric": "metric, one answer more",
    "clusters": "clusters",
    "forest": "forest",
    "search": "search",
}
NOTES = {
    "metric": "Tercet starts from the last solution, cvxpy from nothing",
    "clusters": "Tercet: three starts and one from the last clusters; peer: ten",
    "search": "Tercet: the best of all questions about 1,000 items; peer: the best of 100 n",
}


def measure(results: Results) -> None:
    """Time one question at n = 2,500, d = 38, C = 13 after 100 answers."""
    n, d, n_classes, m = (300, 8, 3, 20) if results.quick else (2500, 38, 13, 100)
    size = f"n = {n:,}, d = {d}, C = {n_classes}, {m} answers"
    budget = 0.3 if results.quick else 6.0
    step = Step(n, d, n_classes, m)
    try:
        with worker("plain") as plain:
            results.versions.update(plain.versions)
            times = step.beside(plain, budget)
            for part in PARTS:
                ours, theirs = times["Tercet"][part], times["plain"][part]
                results.compare(WORDS[part], size, "plain stack", ours, theirs, NOTES.get(part, ""))
            cold = alternately(
                {
                    "ours": cpu(step.cold_metric),
                    "cvxpy": plain.timed("metric"),
                    "Clarabel": plain.timed("clarabel"),
                },
                budget,
            )
            for peer in ("cvxpy", "Clarabel"):
                results.compare("metric, cold", size, peer, cold["ours"], cold[peer])
            pools = alternately({"ours": cpu(step.pool_search), "theirs": plain.timed("search")}, budget)
            results.compare(
                "search of the same pool",
                size,
                "plain stack",
                pools["ours"],
                pools["theirs"],
                "100 n questions",
            )
            # The whole is a real learner that was told an answer and is asked for its next question.
            whole = alternately(
                {
                    "ours": _next_question(step, None),
                    "pool": _next_question(step, SampledPool(100)),
                    "plain": plain.timed("whole"),
                },
                budget * 2,
                np.median,
            )
            for name, side in (
                ("best question about 1,000 items", "ours"),
                ("best of 100 n questions", "pool"),
            ):
                results.compare(f"whole step, {name}", size, "plain stack", whole[side], whole["plain"])
    except PeerError as error:
        results.failed("plain stack", str(error))
        return
    rows = [
        [WORDS[part], *(f"{100 * times[s][part] / times[s]['whole']:.0f}%" for s in times)] for part in PARTS
    ]
    results.table(f"Where the time of a step goes ({size})", ["", "Tercet", "plain stack"], rows)


def _next_question(step: Step, pool: SampledPool | None) -> Callable[[], float]:
    """Return a function that tells a learner the next answer and times how long it takes to ask again."""
    told = Comparisons(step.answers, np.ones(len(step.answers), dtype=np.int64))
    learner = ActiveLearner(
        step.X, step.n_classes, beliefs=ClusterForest(), pool=pool, random_state=0, comparisons=told
    )
    oracle = ClassOracle(step.labels)
    waiting = learner.ask()

    def turn() -> float:
        query = waiting.pop()
        learner.tell(query, oracle(query.triplet))
        return cpu(lambda: waiting.extend(learner.ask()))()

    return turn


if __name__ == "__main__":
    main("step", measure)
