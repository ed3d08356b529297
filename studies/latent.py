"""What each piece of the latent-class learner is worth.

    python studies/latent.py PART [--data-dir ../shared/data] [--runs 5] [--jobs 2] [--datasets wine,soybean]

PART is one of
    pieces    each piece left out in turn, on 52 sets outside the eight: the evidence behind the defaults
    eight     the same on the paper's eight: no setting was chosen by it
    few       some of that on 20 sets of 37 to 47 items in up to four classes, as in Soybean
    strong    nine sets of many classes and a strong Euclid: is it never worse? (--datasets: any of the 52)
    limits    where it does badly: codes for missing values, many tiny classes, one very large class
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
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import numpy as np
from development_sets import all_sets, few_items, strong_euclid
from joblib import Parallel, delayed

from tercet import ActiveLearner, ClassOracle, _models
from tercet.datasets import DATASETS, load
from tercet.evaluation import accuracy_of, knn_accuracy
from tercet.experiments.protocol import METHODS, REFERENCES, Trial
from tercet.information import answer_probabilities
from tercet.latent import _basis, _choices, _distance, _fit, _relevance
from tercet.metrics import LatentClassMetric
from tercet.selection import Info, ModelInfo, Random
from tercet.selection import model_info as _model_info
from tercet.triplets import draw_questions

MARKS = (0, 10, 20, 40, 100)
EIGHT = tuple(dataset.name for dataset in DATASETS)
SMALL = ("Breast", "Parkinson", "Soybean", "Wine")
SEED = 0


# ------------------------------------------------------------------ one run
class OneOfFive:
    """Answers in turn by five people, of whom one errs in half the answers."""

    names = ("ann", "ben", "cal", "dot", "eve")
    careless, careful = 0.5, 0.02  # shares of wrong answers

    def __init__(self, y, seed):
        wrong = [self.careless if name == "cal" else self.careful for name in self.names]
        self.people = [ClassOracle(y, share, seed) for share in wrong]

    def __call__(self, triplet, number):
        """Return the answer to the question of this number, by whose turn it is."""
        return self.people[number % 5](triplet)


def ask(trial, make, run, *, batch=1, noise=0.0, classes="true", people=None, on_mark=None, drop_dk=False):
    """Let a learner ask; return 1NN and triplet accuracy at the marks, and the learner."""
    learner = make(
        trial.X_train,
        n_classes=trial.n_classes if classes == "true" else None,
        random_state=trial.seed,
        comparisons=trial.first,
    )
    oracle = ClassOracle(trial.y_train, noise, run)
    team = OneOfFive(trial.y_train, run) if people else None
    found = []
    for number in range(MARKS[-1] + 1):
        if number in MARKS:
            metric = learner.metric_
            if drop_dk:  # what would have been learned from the others, by the same chain of warm starts
                decided = learner.comparisons.decided
                metric = latent(
                    trial.X_train, trial.n_classes, random_state=trial.seed, comparisons=decided
                ).metric_
            found.append(trial.judge(metric))
            if on_mark:
                on_mark(number, learner)
        if number < MARKS[-1] and number % batch == 0:
            name = OneOfFive.names[number % 5] if team else ""
            for query in learner.ask(batch, name):
                learner.tell(query, team(query.triplet, number) if team else oracle(query.triplet), name)
    return np.array(found), learner


def euclid(trial):
    metric = REFERENCES["Euclid, standardised"].set_params(preprocessor=trial.X_train)
    return trial.judge(metric.fit(np.empty((0, 3), dtype=np.int64)))


latent = ActiveLearner  # its defaults


def row(label, values, form="{:.3f}"):
    print(f"| {label} | " + " | ".join(form.format(value) for value in values) + " |", flush=True)


def header(*columns):
    print(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)


@contextmanager
def changed(constants):
    """Change constants of modules, given as (module, name): value, for a while."""
    before = {key: getattr(*key) for key in constants}
    try:
        for (module, name), value in constants.items():
            setattr(module, name, value)
        yield
    finally:
        for (module, name), value in before.items():
            setattr(module, name, value)


# ------------------------------------------------------------------ the parts
def models(*shares, of_each=1):
    """Return what makes the ensemble of these models, whatever the answers say."""
    return {(_choices, "_KINDS"): 5 * (shares,), (_choices, "_OF_EACH"): of_each}


def answers_per_clustering(count):
    """Return what gives the clustering terms another weight, and the ridge the same against the answers."""
    ridges = tuple(ridge * _fit.ANSWERS_PER_CLUSTERING / count for ridge in _choices._RIDGES)
    return {(_fit, "ANSWERS_PER_CLUSTERING"): count, (_choices, "_RIDGES"): ridges}


def only_clusters(self, evidence):
    """Start from clusters where a model would start from the answers."""
    return self.by_clusters()


def all_alike(Z, rng):
    """Let noise count like any other feature."""
    return np.ones(Z.shape[1])


def by_features_alone(beliefs, triplets, answers, errors):
    """Pass over what the answers tell about their own items."""
    return beliefs


def the_best(triplets, scores, count, rng, waiting=()):
    """Take the questions with the highest scores, also about the same items."""
    return np.argsort(-scores)[:count]


def strong(options, data):
    marks = [str(mark) for mark in MARKS]
    header("dataset", "Euclid", *(f"less Euclid at {m}" for m in marks), "least")

    def one(X, y, run):
        trial = Trial.draw(X, y, run, SEED)
        return ask(trial, latent, run)[0], euclid(trial)

    for name, (X, y) in data.items():
        runs = Parallel(n_jobs=options.jobs)(delayed(one)(X, y, run) for run in range(options.runs))
        plain = np.mean([b for _, b in runs], axis=0)
        less = np.mean([a for a, _ in runs], axis=0) - plain
        cells = [f"{a:.3f}/{b:.3f}" for a, b in [plain]] + [f"{a:+.3f}/{b:+.3f}" for a, b in less]
        print(f"| {name} | {' | '.join(cells)} | {less.min():+.3f} |", flush=True)


# Another learner, other questions.
ASKED = {
    "all of it": {},
    "don't-knows dropped": {"drop_dk": True},
    "one linear model": {"constants": models(0.0)},
    "one bent model": {"constants": models(1.0)},
    "one of each kind": {"constants": models(0.0, 1.0, 3.0)},
    "six linear models": {"constants": models(0.0, 0.0, 0.0, of_each=2)},
    "six alike, bent": {"constants": models(1.0, 1.0, 1.0, of_each=2)},
    "kinds of models not chosen": {"constants": models(0.0, 1.0, 3.0, of_each=2)},
    "ridge not chosen": {"make": partial(latent, metric=LatentClassMetric(ridge=0.6))},
    "neither ridge nor kinds chosen": {
        "make": partial(latent, metric=LatentClassMetric(ridge=0.6)),
        "constants": models(0.0, 1.0, 3.0, of_each=2),
    },
    "no other starts": {"constants": {(_fit, "RESTART_EVERY"): 10**9}},
    "no starts from answers": {"constants": {(_fit._Member, "by_answers"): only_clusters}},
    "clustering terms x 0.05": {"constants": answers_per_clustering(1.25)},
    "clustering terms twice": {"constants": answers_per_clustering(50.0)},
    "answers not heard of their items": {"constants": {(_models, "informed"): by_features_alone}},
    "error rate not estimated": {"make": partial(latent, metric=LatentClassMetric(error=0.05))},
    "all features count alike": {"constants": {(_basis, "relevance"): all_alike}},
    "heavy tails not bent": {"constants": {(_basis, "_HEAVY"): np.inf}},
    "neither": {"constants": {(_basis, "relevance"): all_alike, (_basis, "_HEAVY"): np.inf}},
    "squares turn into lengths at 1": {"constants": {(_relevance, "_TURNS"): (1.0,)}},
    "differences as in Euclid": {"constants": {(_relevance, "_TURNS"): (1e4,)}},
    "questions about classes only": {"make": partial(latent, selector=ModelInfo(0.0))},
    "questions about models only": {"make": partial(latent, selector=ModelInfo(1.0))},
    "the best of 20,000 questions": {"make": partial(latent, selector=ModelInfo(n_candidates=20_000))},
    "questions by the paper's Info": {"make": partial(latent, selector=Info())},
    "questions by the entropy of answers": {"make": partial(latent, selector=Info(dont_know="informative"))},
    "questions at random": {"make": partial(latent, selector=Random())},
}
# The same answers, another distance.
MEASURED = {
    "kernel 0.01 for a typical pair": {(_distance, "_KERNEL_FAR"): 0.01},
    "kernel 0.0003, classes a third": {
        (_distance, "_KERNEL_FAR"): 0.0003,
        (_distance, "_TRUST"): _distance._TRUST / 3,
    },
    "no class directions": {(_distance, "_DIRECTIONS"): 0.0},
    "class directions twice": {(_distance, "_DIRECTIONS"): 2.0},
    "classes not trusted": {(_distance, "_TRUST"): 0.0},
    "classes trusted three times as much": {(_distance, "_TRUST"): 3 * _distance._TRUST},
    "trust without a look at neighbours": {
        (_distance, "_LEAST_UNLIKE"): 0.06,
        (_distance, "_MOST_UNLIKE"): 0.06,
    },
}
# On the eight: what is left out, or what else would be taken. Other questions have a table of their own.
LEFT_OUT = (
    "don't-knows dropped",
    "one linear model",
    "one bent model",
    "one of each kind",
    "six alike, bent",
    "kinds of models not chosen",
    "ridge not chosen",
    "no other starts",
    "no starts from answers",
    "clustering terms x 0.05",
    "answers not heard of their items",
    "error rate not estimated",
    "all features count alike",
    "heavy tails not bent",
    "squares turn into lengths at 1",
    "differences as in Euclid",
    "questions about classes only",
    "questions about models only",
    "questions by the entropy of answers",
)


def remembered(function):
    """Return the function with all it found before: features stay as they are while people answer."""
    found = {}

    def again(Z, V, turn):
        key = Z.tobytes(), V.tobytes(), turn
        if key not in found:
            found[key] = function(Z, V, turn)
        return found[key].copy()

    return again


def compared(options, data, names):
    """Yield the label of each row, accuracies by set, run, mark and kind, and Euclid's by set and kind."""

    def one(X, y, run, constants=None, **how):
        trial = Trial.draw(X, y, run, SEED)
        others = []

        def look(number, learner):
            for other in MEASURED.values() if not how and not constants else ():
                with changed(other):
                    others.append(trial.judge(learner.metric_))

        with changed({(_distance, "apart"): remembered(_distance.apart)} | (constants or {})):
            found = ask(trial, **{"make": latent, **how}, run=run, on_mark=look)[0]
        others = np.array(others).reshape(len(MARKS), -1, 2).swapaxes(0, 1)
        return [found, *others], euclid(trial)

    for name in names:
        how = ASKED[name]
        tasks = [(X, y, run) for X, y in data.values() for run in range(options.runs)]
        done = Parallel(n_jobs=options.jobs)(delayed(one)(*task, **how) for task in tasks)
        plain = np.array([b for _, b in done]).reshape(len(data), options.runs, 2).mean(axis=1)
        for place, label in enumerate([name, *MEASURED] if not how else [name]):
            found = np.array([a[place] for a, _ in done])
            yield label, found.reshape(len(data), options.runs, len(MARKS), 2), plain


def pieces(options, data):
    marks = MARKS[1:]
    header(
        "less all of it",
        *(f"1NN at {m}" for m in marks),
        *(f"triplets at {m}" for m in marks),
        "1NN below Euclid's by more than .005",
    )
    names = list(ASKED)
    if options.part == "few":
        names = [name for name in names if name == "all of it" or "chosen" in name]
    if options.rows:
        names = [name for name in names if name in ["all of it", *options.rows.split(";")]]
    whole = None
    for label, found, plain in compared(options, data, names):
        found = found.mean(axis=1)[:, 1:]
        gain = found[:, :, 0] - plain[:, :1]
        below = f"{np.count_nonzero(gain < -0.005)} of {gain.size} cells, {gain.min():+.3f} at worst"
        if whole is None:  # less Euclid, and as it is
            whole = found
            cells = [*(f"{value:+.3f} over Euclid" for value in gain.mean(axis=0))]
            cells += [f"{value:.3f}" for value in found[:, :, 1].mean(axis=0)]
        else:
            less = found - whole
            doubt = less.std(axis=0, ddof=1) / np.sqrt(len(data))
            mean = less.mean(axis=0)
            cells = [
                f"{mean[mark, which]:+.4f} ± {doubt[mark, which]:.4f}"
                for which in range(2)
                for mark in range(len(marks))
            ]
        print(f"| {label} | {' | '.join(cells)} | {below} |", flush=True)


def eight(options, data):
    """Print what each piece is worth on the paper's sets: in the mean at the marks, and on each at 100."""
    marks = MARKS[1:]
    header(
        "1NN / triplets, less all of it",
        *(f"mean at {m}" for m in marks),
        *(f"{name} at {MARKS[-1]}" for name in data),
        "1NN less Euclid's at worst",
    )
    wanted = options.rows.split(";") if options.rows else LEFT_OUT
    whole = None
    for label, found, plain in compared(options, data, ["all of it", *wanted]):
        gain = (found.mean(axis=1) - plain[:, np.newaxis])[:, :, 0]
        worst = f"{gain.min():+.3f}, {list(data)[int(gain.min(axis=1).argmin())]}"
        found = found[:, :, 1:]
        if whole is None:
            whole = found
            means, sets = found.mean(axis=(0, 1)), found[:, :, -1].mean(axis=1)
            cells = [f"{nn:.3f}/{triplets:.3f}" for nn, triplets in [*means, *sets]]
        else:
            less = found - whole
            cells = [*map(paired, np.moveaxis(less.mean(axis=0), 1, 0)), *map(paired, less[:, :, -1])]
        print(f"| {label} | {' | '.join(cells)} | {worst} |", flush=True)


def paired(less):
    """Return the means of differences, an array (runs, 2); bold beyond two of their standard errors."""
    mean, doubt = less.mean(axis=0), less.std(axis=0, ddof=1) / np.sqrt(len(less))
    shown = [f"{value:+.3f}" for value in mean]
    sure = (np.abs(mean) > 2 * doubt) & (np.abs(mean) >= 0.0005)
    return "/".join(f"**{text}**" if bold else text for text, bold in zip(shown, sure, strict=True))


def limits(options, data):
    """Print what is known to do badly, so that each sentence about it has its figures."""
    marks = [str(mark) for mark in MARKS]
    header("Wine, triplet accuracy", *marks)
    found = load("Wine", options.data_dir)
    first_item, sixth = np.s_[:1, :], np.s_[:, 5:6]
    coded = {  # which share of which part
        "as it is": (first_item, 0.0),
        "-9999 in all features of one item": (first_item, 1.0),
        "-9999 in 2% of all cells": (np.s_[:, :], 0.02),
        "-9999 in 5% of one feature": (sixth, 0.05),
    }

    def with_codes(run, part, share):
        trial = Trial.draw(found.X, found.y, run, SEED)
        X = trial.X_train.copy()
        X[part][np.random.default_rng(run).random(X[part].shape) < share] = -9999.0
        return ask(replace(trial, X_train=X), latent, run)[0][:, 1]

    for label, where in coded.items():
        runs = Parallel(n_jobs=options.jobs)(delayed(with_codes)(run, *where) for run in range(options.runs))
        row(label, np.mean(runs, axis=0))

    header("30 classes of 4 items", "triplet accuracy at 100", "classes found")

    def tiny(run, known):
        rng = np.random.default_rng(run)
        y = np.repeat(np.arange(30), 8)  # half of them are asked about
        X = rng.normal(size=(30, 5))[y] * 3 + rng.normal(size=(len(y), 5))
        accuracies, learner = ask(Trial.draw(X, y, run, SEED), latent, run, classes=known)
        return accuracies[-1, 1], learner.metric_.n_classes_

    for known in ("true", None):
        runs = Parallel(n_jobs=options.jobs)(delayed(tiny)(run, known) for run in range(options.runs))
        row("number known" if known else "number unknown", np.mean(runs, axis=0), "{:.3g}")

    header(
        "HJA Birdsong, 100 questions",
        "mean over triplets",
        "mean over classes",
        "of the largest class",
        "its share of the triplets",
    )
    birds = load("HJA Birdsong", options.data_dir)

    def by_class(run, selector):
        trial = Trial.draw(birds.X, birds.y, run, SEED)
        metric = ask(trial, partial(latent, selector=selector), run)[1].metric_
        apart = metric.distances(trial.X_test)
        i, j, k = trial.test_triplets.T
        right = apart[i, j] < apart[i, k]
        labels = trial.y_test[i]
        largest = np.bincount(labels).argmax()
        each = [right[labels == label].mean() for label in np.unique(labels)]
        return right.mean(), np.mean(each), right[labels == largest].mean(), np.mean(labels == largest)

    for label, selector in (("ModelInfo", ModelInfo()), ("Random", Random())):
        runs = Parallel(n_jobs=options.jobs)(delayed(by_class)(run, selector) for run in range(options.runs))
        row(label, np.mean(runs, axis=0))


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
        "answers",
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
    parts[options.part](options, sets_of(options))


def sets_of(options):
    """Return the sets that were asked for, or those of the part."""
    chosen = options.datasets.split(",") if options.datasets else None
    own = {"pieces": all_sets, "stops": all_sets, "few": few_items, "strong": strong_euclid}
    if options.part in own:
        if not chosen:
            return own[options.part]()
        known = few_items() if options.part == "few" else all_sets()
        return {name: known[name] for name in chosen}
    names = chosen or (EIGHT if options.part in ("eight", "time", "peers") else SMALL)
    return {name: (found.X, found.y) for name in names for found in [load(name, options.data_dir)]}


if __name__ == "__main__":
    main()
