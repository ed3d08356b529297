"""What each piece of the latent-class learner is worth.

    python studies/latent.py PART [--data-dir ../shared/data] [--runs 5] [--jobs 2] [--datasets wine,soybean]

PART is one of
    pieces    each piece left out in turn, on 52 sets outside the eight: the evidence behind the defaults
    eight     most of that on the paper's eight: no setting was chosen by it
    few       some of that on 20 sets of 37 to 47 items in up to four classes, as in Soybean
    strong    nine sets of many classes and a strong Euclid: is it never worse? (--datasets: any of the 52)
    codes     a few values far beyond all others: codes for missing ones, and faults
    limits    where it does badly: many tiny classes, one very large class
    noise     answers of which 5, 10 and 20% are wrong, and random ones; one careless annotator among five
    classes   the number of classes unknown, against the true one
    batches   5, 10 and 20 questions at a time, against one
    stopping  the model's own estimate of its accuracy, and of the questions left, against the truth
    stops     when `should_stop` says so on the 52 sets, and what is true then
    embedding what `transform` loses against the learned distance
    peers     SCML and LSML of metric-learn with the same answers (needs metric-learn; scikit-learn below 1.8)
    time      milliseconds a question, beside the paper's Info

Prints Markdown. `pieces`, `few`, `strong` and `stops` are of the sets of development_sets.py, which says
what they need; --datasets chooses among them, or among the paper's eight where a part is of these.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np
from development_sets import all_sets, few_items, strong_euclid
from joblib import Parallel, delayed
from latent_limits import codes, limits, strong
from latent_pieces import ASKED, eight, pieces
from latent_trials import MARKS, SEED, OneOfFive, ask, changed, header, latent, row

from tercet import ClassOracle
from tercet.datasets import DATASETS, load
from tercet.evaluation import accuracy_of, knn_accuracy
from tercet.experiments.protocol import METHODS, Trial
from tercet.information import answer_probabilities
from tercet.selection import ModelInfo, Random
from tercet.selection import model_info as _model_info
from tercet.triplets import draw_questions

EIGHT = tuple(dataset.name for dataset in DATASETS)
SMALL = ("Breast", "Parkinson", "Soybean", "Wine")


def noise(options, data):
    paper = METHODS["Info"]
    header(
        "dataset",
        "errors",
        "latent 1NN at 40",
        "at 100",
        "triplets at 40",
        "at 100",
        "Info 1NN at 40",
        "at 100",
        "triplets at 40",
        "at 100",
        "share given at random",
        "its estimate",
    )
    for name, (X, y) in data.items():
        for rate in (0.0, 0.05, 0.1, 0.2, 2 / 3):  # of which the last knows nothing

            def one(run, X=X, y=y, rate=rate):
                trial = Trial.draw(X, y, run, SEED)
                ours, learner = ask(trial, latent, run, noise=rate)
                theirs, _ = ask(trial, paper, run, noise=rate)
                return [*ours[3:].T.ravel(), *theirs[3:].T.ravel(), learner.metric_.errors_[""]]

            runs = Parallel(n_jobs=options.jobs)(delayed(one)(run) for run in range(options.runs))
            *accuracies, estimate = np.mean(runs, axis=0)
            # What is given at random is right in a third of the cases.
            row(f"{name} | {rate:.0%}", [*accuracies, 1.5 * rate, estimate])
    header(
        "dataset",
        "runs in which the careless one of five is found",
        "share they give at random",
        "its estimate",
        "the highest other estimate",
    )
    for name, (X, y) in data.items():

        def careless(run, X=X, y=y):
            trial = Trial.draw(X, y, run, SEED)
            errors = ask(trial, latent, run, people=True)[1].metric_.errors_
            others = max(rate for who, rate in errors.items() if who != "cal")
            return errors["cal"] > others, errors["cal"], others

        runs = np.array(Parallel(n_jobs=options.jobs)(delayed(careless)(run) for run in range(options.runs)))
        share = 1.5 * OneOfFive.careless
        row(f"{name} | {int(runs[:, 0].sum())} of {len(runs)}", [share, *runs[:, 1:].mean(axis=0)])


def classes(options, data):
    marks = [str(mark) for mark in MARKS]
    header(
        "dataset",
        "classes",
        *(f"1NN at {m}" for m in marks),
        *(f"triplets at {m}" for m in marks),
        "found at 100",
    )
    for name, (X, y) in data.items():
        for known in ("true", None):

            def one(run, X=X, y=y, known=known):
                found, learner = ask(Trial.draw(X, y, run, SEED), latent, run, classes=known)
                return [*found.T.ravel(), learner.metric_.n_classes_]

            runs = Parallel(n_jobs=options.jobs)(delayed(one)(run) for run in range(options.runs))
            row(f"{name} | {known or 'unknown'}", np.mean(runs, axis=0))


def the_best(triplets, scores, count, rng, waiting=()):
    """Take the questions with the highest scores, also about the same items."""
    return np.argsort(-scores)[:count]


def batches(options, data):
    marks = [str(mark) for mark in MARKS[1:]]
    header("questions by", "at a time", *(f"1NN at {m}" for m in marks), *(f"triplets at {m}" for m in marks))
    apart, best = {}, {(_model_info, "choose_together"): the_best}
    for label, selector, constants, sizes in (
        ("ModelInfo", ModelInfo(), apart, (1, 5, 10, 20)),
        ("ModelInfo, the best of each on its own", ModelInfo(), best, (5, 20)),
        ("Random", Random(), apart, (1,)),
    ):
        for size in sizes:

            def one(X, y, run, size=size, selector=selector, constants=constants):
                trial = Trial.draw(X, y, run, SEED)
                with changed(constants):
                    return ask(trial, partial(latent, selector=selector), run, batch=size)[0][1:].T.ravel()

            tasks = [(X, y, run) for X, y in data.values() for run in range(options.runs)]
            done = Parallel(n_jobs=options.jobs)(delayed(one)(*task) for task in tasks)
            # Within a batch more answers are there than the mark says.
            cells = [
                "-" if mark % size else f"{value:.3f}"
                for mark, value in zip(2 * MARKS[1:], np.mean(done, axis=0), strict=True)
            ]
            print(f"| {label} | {size} | {' | '.join(cells)} |", flush=True)


def stopping(options, data):
    target = 0.95
    header(
        "dataset",
        "questions",
        "own estimate",
        "true",
        "mean absolute difference",
        "gain of ten more, expected",
        "true",
        f"left to a true {target}, estimated",
        "really",
    )

    def one(X, y, run):
        trial = Trial.draw(X, y, run, SEED)
        learner = latent(trial.X_train, trial.n_classes, random_state=trial.seed, comparisons=trial.first)
        oracle, seen = ClassOracle(trial.y_train), {}
        for number in range(5, 101, 5):
            learner.run(oracle, 5)
            if number >= 10:
                seen[number] = learner.outlook(), truth(learner, trial)
        return seen

    def median(values):
        known = [value for value in values if value is not None]
        return f"{np.median(known):.0f} (in {len(known)} of {len(values)})" if known else "none"

    for name, (X, y) in data.items():
        runs = Parallel(n_jobs=options.jobs)(delayed(one)(X, y, run) for run in range(options.runs))
        for mark in (10, 20, 40, 80):
            outlooks = [seen[mark][0] for seen in runs]
            own, true, later = (
                np.array(values)
                for values in zip(
                    *((seen[mark][0].accuracy, seen[mark][1], seen[mark + 10][1]) for seen in runs),
                    strict=True,
                )
            )
            left = [outlook.questions_left(target) for outlook in outlooks]
            really = [
                next((number - mark for number in seen if number >= mark and seen[number][1] >= target), None)
                for seen in runs
            ]
            expected = 10 * np.nanmean([outlook.gain for outlook in outlooks])
            print(
                f"| {name} | {mark} | {own.mean():.3f} | {true.mean():.3f} | {np.abs(own - true).mean():.3f} "
                f"| {expected:+.3f} | {(later - true).mean():+.3f} | {median(left)} | {median(really)} |",
                flush=True,
            )


def stops(options, data):
    """Ask until the learner says stop, looking every five answers; what is true then, and after 100."""

    def one(X, y, run):
        trial = Trial.draw(X, y, run, SEED)
        learner = latent(trial.X_train, trial.n_classes, random_state=trial.seed, comparisons=trial.first)
        oracle, why, at_stop = ClassOracle(trial.y_train), None, None
        for number in range(5, 101, 5):
            learner.run(oracle, number - len(learner.comparisons))
            if why is None:
                expected = learner.outlook()
                at_stop = number, expected.accuracy, truth(learner, trial)
                if learner.should_stop():
                    why = "target reached" if expected.accuracy >= 0.95 else "no more gain"
        return why or "not within 100", *at_stop, truth(learner, trial)

    tasks = [(X, y, run) for X, y in data.values() for run in range(options.runs)]
    done = Parallel(n_jobs=options.jobs)(delayed(one)(*task) for task in tasks)
    header("", "runs", "answers then, quartiles", "own estimate then", "true then", "true at 100")
    for why in ("target reached", "no more gain", "not within 100"):
        found = [values for reason, *values in done if reason == why]
        if found:
            answers, *accuracies = np.array(found).T
            quartiles = ", ".join(f"{value:.0f}" for value in np.percentile(answers, [25, 50, 75]))
            row(f"{why} | {len(found)} | {quartiles}", [values.mean() for values in accuracies])


def truth(learner, trial):
    """Return how often the likeliest answer to a random question is right."""
    members = learner._believed()  # what it estimates its accuracy by
    questions = draw_questions(len(trial.X_train), 4000, np.random.default_rng(0))
    said = answer_probabilities(members, questions).argmax(axis=1)
    i, j, k = trial.y_train[questions.T]
    return float(np.mean(said == np.where((i == j) & (i != k), 0, np.where((i == k) & (i != j), 1, 2))))


def embedding(options, data):
    header("dataset", "1NN by the distance", "by transform", "triplets by the distance", "by transform")
    for name, (X, y) in data.items():

        def one(run, X=X, y=y):
            trial = Trial.draw(X, y, run, SEED)
            exact, learner = ask(trial, latent, run)
            Z, T = (learner.metric_.transform(part) for part in (trial.X_train, trial.X_test))
            return (
                exact[-1, 0],
                knn_accuracy(Z, trial.y_train, T, trial.y_test),
                exact[-1, 1],
                accuracy_of(T, trial.test_triplets),
            )

        runs = Parallel(n_jobs=options.jobs)(delayed(one)(run) for run in range(options.runs))
        row(name, np.mean(runs, axis=0))


def peers(options, data):
    from metric_learn import LSML, SCML

    header(
        "dataset", "answers of which yes/no", "latent 1NN", "SCML", "LSML", "latent triplets", "SCML", "LSML"
    )
    for name, (X, y) in data.items():

        def one(run, X=X, y=y):
            found = {}

            def compare(number, learner, trial):
                mean, spread = trial.X_train.mean(axis=0), trial.X_train.std(axis=0)
                spread[spread < 1e-12] = 1
                A, B = ((part - mean) / spread for part in (trial.X_train, trial.X_test))
                near = learner.comparisons.ordered()
                accuracies = []
                for peer, tuples in (
                    (SCML(preprocessor=A, random_state=0), near),
                    (LSML(preprocessor=A), near[:, [0, 1, 0, 2]]),
                ):
                    try:
                        peer.fit(tuples)
                        Z, T = peer.transform(A), peer.transform(B)
                    except (ValueError, np.linalg.LinAlgError):  # SCML wants more triplets than features
                        Z, T = A, B
                    if not Z.shape[1]:  # SCML may keep nothing
                        Z, T = A, B
                    accuracies.append(
                        (knn_accuracy(Z, trial.y_train, T, trial.y_test), accuracy_of(T, trial.test_triplets))
                    )
                ours = trial.judge(learner.metric_)
                (a, b), (c, d) = accuracies
                found[number] = (len(near), ours[0], a, c, ours[1], b, d)

            trial = Trial.draw(X, y, run, SEED)
            ask(trial, latent, run, on_mark=partial(compare, trial=trial))
            return [found[mark] for mark in (20, 100)]

        runs = np.array(Parallel(n_jobs=options.jobs)(delayed(one)(run) for run in range(options.runs)))
        for place, mark in enumerate((20, 100)):
            decided, *values = runs[:, place].mean(axis=0)
            row(f"{name} | {mark + 2}, {decided:.0f}", values)


def times(options, data):
    header(
        "dataset",
        "items",
        "latent, ms a question",
        "Info, ms",
        "latent, random questions, ms",
        "latent, its longest answer, ms",
        "below Info's in",
    )

    def one(X, y, run):
        trial = Trial.draw(X, y, run, SEED)
        oracle = ClassOracle(trial.y_train)
        took = []
        for make in (latent, METHODS["Info"], partial(latent, selector=Random())):
            learner = make(
                trial.X_train, n_classes=trial.n_classes, random_state=trial.seed, comparisons=trial.first
            ).run(oracle, 3)
            at = [time.process_time()]
            for _ in range(97):
                learner.run(oracle, 1)
                at.append(time.process_time())
            took.append(np.diff(at) * 1000)
        return len(trial.X_train), *(each.mean() for each in took), took[0].max()

    for name, (X, y) in data.items():
        runs = np.array(Parallel(n_jobs=options.jobs)(delayed(one)(X, y, run) for run in range(options.runs)))
        n_items, *took = runs.mean(axis=0)
        below = f"{np.count_nonzero(runs[:, 1] < runs[:, 2])} of {len(runs)}"
        cells = " | ".join(f"{value:.0f}" for value in took)
        print(f"| {name} | {n_items:.0f} | {cells} | {below} runs |", flush=True)


def main():
    parts = {
        "pieces": pieces,
        "eight": eight,
        "few": pieces,
        "strong": strong,
        "codes": codes,
        "limits": limits,
        "noise": noise,
        "classes": classes,
        "batches": batches,
        "stopping": stopping,
        "stops": stops,
        "embedding": embedding,
        "peers": peers,
        "time": times,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=parts)
    parser.add_argument("--data-dir")
    parser.add_argument("--datasets", help="with commas between")
    parser.add_argument("--rows", help="of the tables of pieces, with semicolons between")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    unknown = {*options.rows.split(";")} - {*ASKED} if options.rows else None
    if unknown:
        parser.error(f"there is no row {unknown.pop()!r}; rows are {'; '.join(ASKED)}")
    parts[options.part](options, sets_of(options))


def sets_of(options):
    """Return the sets that were asked for, or those of the part."""
    chosen = options.datasets.split(",") if options.datasets else None
    own = {"pieces": all_sets, "stops": all_sets, "few": few_items, "strong": strong_euclid}
    if options.part in own:
        if not chosen:
            return own[options.part]()
        known = few_items() if options.part == "few" else all_sets()
        missing = [name for name in chosen if name not in known]
        if missing:
            raise SystemExit(f"there is no set {missing[0]!r}; sets are {', '.join(known)}")
        return {name: known[name] for name in chosen}
    if options.part in ("codes", "limits"):  # which bring their own
        return {}
    names = chosen or (EIGHT if options.part in ("eight", "time", "peers") else SMALL)
    return {name: (found.X, found.y) for name in names for found in [load(name, options.data_dir)]}


if __name__ == "__main__":
    main()
