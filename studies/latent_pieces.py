"""What each piece of the latent-class learner is worth: it is left out, or another is taken in its place."""

from __future__ import annotations

from functools import partial

import numpy as np
from joblib import Parallel, delayed
from latent_trials import MARKS, SEED, ask, changed, euclid, header, latent

from tercet import _models
from tercet.experiments.protocol import Trial
from tercet.latent import _basis, _choices, _distance, _fit, _relevance
from tercet.metrics import LatentClassMetric
from tercet.selection import Info, ModelInfo, Random


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
    "neither ridge nor kinds chosen",
    "no other starts",
    "no starts from answers",
    "clustering terms x 0.05",
    "answers not heard of their items",
    "error rate not estimated",
    "all features count alike",
    "heavy tails not bent",
    "neither",
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
