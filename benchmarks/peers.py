"""Tercet beside metric-learn, scikit-activeml and Salmon, each in its own environment, on the same data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from data import mixture
from environments import PeerError, Worker, worker
from measure import Results, alternately, cpu, main
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import train_test_split

from tercet import ActiveLearner, Comparisons
from tercet.beliefs import ClusterForest
from tercet.information import information_gain
from tercet.metrics import SchultzJoachims
from tercet.triplets import count_questions, questions_from_numbers, triplets_from_labels

QUESTIONS = 50_000
LEARNERS = ("SCML", "LSML")


def measure(results: Results) -> None:
    """Compare with every peer that can be installed."""
    for name, compare in (
        ("metric-learn", metric_learn),
        ("scikit-activeml", activeml),
        ("salmon", salmon),
    ):
        try:
            with worker(name) as peer:
                results.versions.update({key: peer.versions[key] for key in list(peer.versions)[:1]})
                compare(results, peer)
        except PeerError as error:
            results.failed(name, str(error))


def metric_learn(results: Results, peer: Worker) -> None:
    """Fit time and accuracy on unseen triplets of unseen items, after 20, 100 and 1,000 triplets."""
    sets = {"Wine": load_wine, "Breast cancer": load_breast_cancer}
    halves = range(1 if results.quick else 5)
    rows = []
    for name, load in sets.items():
        X, y = load(return_X_y=True)
        for m in (20,) if results.quick else (20, 100, 1000):
            size = f"{name}, {m:,} triplets, d = {X.shape[1]}"
            right: dict[str, list[float]] = {"Tercet": [], "SCML": [], "LSML": [], "Euclid": []}
            refusals: dict[str, str] = {}
            for half in halves:
                points, train, test = _split(X, y, m, half)
                peer.load(X=points, train=train, test=test)
                metric = SchultzJoachims(preprocessor=points, basis="standard")
                right["Euclid"].append(_accuracy(points, test))
                right["Tercet"].append(_accuracy(metric.fit(train).transform(points), test))
                for learner in LEARNERS:
                    try:
                        peer.do("fit", learner=learner)
                    except PeerError as error:
                        refusals[learner] = str(error)
                        continue
                    right[learner].append(peer.do("accuracy")["result"])
                    if half == 0:
                        sides = {
                            "ours": cpu(lambda metric=metric, train=train: metric.fit(train)),
                            "theirs": peer.timed("fit", learner=learner),
                        }
                        took = alternately(sides, 0.2 if results.quick else 1.5)
                        results.compare(
                            "fit a metric", size, f"metric-learn {learner}", took["ours"], took["theirs"]
                        )
            shown = [f"{np.mean(values):.3f}" if values else "refuses" for values in right.values()]
            rows.append([name, f"{X.shape[1]}", f"{m:,}", *shown])
            means = {f"metric-learn {key}": float(np.mean(right[key])) for key in LEARNERS if right[key]}
            results.accuracy(size, float(np.mean(right["Tercet"])), means)
            for learner, error in refusals.items():
                results.failed(f"metric-learn {learner} on {size}", error)
    columns = ["", "d", "triplets", "Tercet", "SCML", "LSML", "Euclid"]
    title = (
        f"Accuracy on unseen triplets of unseen items, standardised features, mean of {len(halves)} halves"
    )
    results.table(title, columns, rows)


def _split(X: np.ndarray, y: np.ndarray, m: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return standardised items, and triplets about one half of them to learn and the other to judge from."""
    learn, judge = train_test_split(np.arange(len(X)), test_size=0.5, stratify=y, random_state=seed)
    rng = np.random.default_rng(seed)
    train = learn[triplets_from_labels(y[learn], m, rng)]
    test = judge[triplets_from_labels(y[judge], 5000, rng)]
    return (X - X[learn].mean(axis=0)) / X[learn].std(axis=0), train, test


def _accuracy(Z: np.ndarray, triplets: np.ndarray) -> float:
    i, j, k = triplets.T
    return float(np.mean(((Z[i] - Z[j]) ** 2).sum(axis=1) < ((Z[i] - Z[k]) ** 2).sum(axis=1)))


def activeml(results: Results, peer: Worker) -> None:
    """Score 50,000 questions and learn from one more answer, by a classifier of questions."""
    n, d, n_classes, m = (200, 5, 3, 30) if results.quick else (1000, 20, 7, 100)
    rng = np.random.default_rng(0)
    X, labels = mixture(n, d, n_classes, rng)
    answers = triplets_from_labels(labels, m, rng)
    swap = rng.random(m) < 0.5  # the classifier must see both answers
    answered = np.where(swap[:, np.newaxis], answers[:, [0, 2, 1]], answers)
    told = Comparisons(answered, np.where(swap, -1, 1))
    questions = _questions(n, rng, results.quick)
    peer.load(X=X, answered=answered, y=np.where(swap, 0.0, 1.0), questions=questions)
    size = f"n = {n:,}, d = {d}, C = {n_classes}, {m} answers"
    _score_and_update(
        results,
        ActiveLearner(X, n_classes, beliefs=ClusterForest(), random_state=0, comparisons=told),
        lambda i, j, k: int(labels[i] == labels[j]) - int(labels[i] == labels[k]),
        questions,
        size,
        {"scikit-activeml, entropy": peer.timed("score")},
        {"scikit-activeml, logistic regression": peer.timed("update")},
    )


def salmon(results: Results, peer: Worker) -> None:
    """Score 50,000 questions and learn from one more answer, by an embedding of the items."""
    for n in (30,) if results.quick else (60, 150):
        rng = np.random.default_rng(0)
        X = load_iris().data
        X = X[rng.choice(len(X), n, replace=False)]
        hidden = X * [0.5, 0.5, 2.0, 2.0]  # nobody here says don't-know, which Salmon cannot take
        draws = np.unique(questions_from_numbers(rng.integers(count_questions(n), size=12 * n), n), axis=0)
        right = ((hidden[draws[:, 0]] - hidden[draws[:, 1]]) ** 2).sum(axis=1) <= (
            (hidden[draws[:, 0]] - hidden[draws[:, 2]]) ** 2
        ).sum(axis=1)
        draws = rng.permutation(np.where(right[:, np.newaxis], draws, draws[:, [0, 2, 1]]))
        told = Comparisons(draws, np.ones(len(draws), dtype=np.int64))
        questions = _questions(n, rng, results.quick)
        peer.load(X=X, answers=draws, questions=questions)

        def nearer(i: int, j: int, k: int, hidden: np.ndarray = hidden) -> int:
            return 1 if np.sum((hidden[i] - hidden[j]) ** 2) <= np.sum((hidden[i] - hidden[k]) ** 2) else -1

        _score_and_update(
            results,
            ActiveLearner(X, 3, beliefs=ClusterForest(), random_state=0, comparisons=told),
            nearer,
            questions,
            f"n = {n}, d = 4, C = 3, {len(draws):,} answers",
            {
                "Salmon, information gain": peer.timed("score", scorer="infogain"),
                "Salmon, uncertainty": peer.timed("score", scorer="uncertainty"),
            },
            {"Salmon, t-STE embedding": peer.timed("update")},
        )


def _score_and_update(
    results: Results,
    learner: ActiveLearner,
    oracle: Callable[[int, int, int], int],
    questions: np.ndarray,
    size: str,
    scorers: dict[str, Callable[[], float]],
    updaters: dict[str, Callable[[], float]],
) -> None:
    """Time scoring the questions, and learning from one more answer, beside peers that do the same."""
    beliefs = learner.beliefs_

    def update() -> float:
        (query,) = learner.ask()

        def learn() -> None:
            learner.tell(query, oracle(*query.triplet))
            _ = learner.beliefs_

        return cpu(learn)()

    budget = 0.2 if results.quick else 3.0
    for what, ours, peers in (
        (f"score {len(questions):,} questions", cpu(lambda: information_gain(beliefs, questions)), scorers),
        ("learn from one more answer", update, updaters),
    ):
        took = alternately({"ours": ours} | peers, budget)
        for peer in peers:
            results.compare(what, size, peer, took["ours"], took[peer])


def _questions(n: int, rng: np.random.Generator, quick: bool) -> np.ndarray:
    return questions_from_numbers(rng.integers(count_questions(n), size=5000 if quick else QUESTIONS), n)


if __name__ == "__main__":
    main("peers", measure)
