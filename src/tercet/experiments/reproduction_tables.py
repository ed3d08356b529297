"""The paper's tables from our rows, with its numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tercet.experiments import paper
from tercet.experiments.protocol import LATENT_METHODS
from tercet.experiments.rows import Row
from tercet.experiments.statistics import Results, Tally, compare, win_tie_loss
from tercet.experiments.table_formats import MISSING, Bold, Table

#: Plain distances that learn nothing, so that a reader sees whether learning helped.
REFERENCES = ("Euclid", "Euclid, standardised")
EXACT, SAMPLED = "Info, exact", "Info"
#: The three methods with the metric learner of Rosales & Fung.
ROSALES_FUNG = tuple(f"{method}, R&F" for method in paper.METHODS)
#: Those that learn from every answer, and the paper's own beside them.
LATENT = tuple(LATENT_METHODS)
BESIDE_LATENT = (SAMPLED, *LATENT)

_NAMES = {"one_nn": "1NN accuracy", "triplet_accuracy": "Triplet accuracy"}
_SHARE = "yes/no share"
_BOLD = (
    "Bold: the best mean, and those that a paired t-test at p = 0.05 cannot tell from it; nothing is bold "
    "where no method stands out, or where there is one run only."
)
_EUCLID = "Plain Euclid asks nothing and so is the same at every mark."


def reproduction_tables(rows: Sequence[Row]) -> dict[str, Table]:
    """Return every table that the rows have something for, by a name that suits a file."""
    results = Results.of(rows)
    tables = {
        "summary": summary_table(results),
        "one_nn_by_questions": accuracy_table(results, "one_nn"),
        "win_tie_loss": win_tie_loss_table(results),
        "one_nn_by_yes_no": accuracy_table(results, "one_nn", by="yes_no"),
        "triplet_accuracy_by_questions": accuracy_table(results, "triplet_accuracy"),
        "exact_against_sampled": exact_table(results),
        "one_nn_rosales_fung": accuracy_table(results, "one_nn", methods=ROSALES_FUNG),
        "triplet_accuracy_rosales_fung": accuracy_table(results, "triplet_accuracy", methods=ROSALES_FUNG),
        "win_tie_loss_rosales_fung": win_tie_loss_table(results, methods=ROSALES_FUNG),
    }
    latent = with_latent(results)
    if latent:
        run = [method for method in BESIDE_LATENT if any(row.method == method for row in latent)]
        tables |= {
            "one_nn_latent": accuracy_table(latent, "one_nn", methods=run),
            "triplet_accuracy_latent": accuracy_table(latent, "triplet_accuracy", methods=run),
            "win_tie_loss_latent": win_tie_loss_table(
                latent, methods=sorted(run, key=lambda method: method != LATENT[0])
            ),
        }
    return {name: table for name, table in tables.items() if table is not None}


def datasets_with(rows: Sequence[Row], methods: Iterable[str], by: str = "questions") -> list[str]:
    """Return the datasets that have rows of any of these methods: the paper's in its order, then others."""
    results = Results.of(rows)
    names = list(methods)
    found = [name for name in results.datasets if any(results.has(name, method, by) for method in names)]
    order = {name: place for place, name in enumerate(paper.DATASETS)}
    return sorted(found, key=lambda name: order.get(name, len(order)))


def with_latent(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of those datasets that have methods that learn from every answer."""
    datasets = set(datasets_with(rows, LATENT))
    return [row for row in rows if row.dataset in datasets]


def accuracy_table(
    rows: Sequence[Row], measure: str, *, by: str = "questions", methods: Sequence[str] = paper.METHODS
) -> Table | None:
    """Return a measure by dataset, method and mark, beside the paper's if it has it; None without rows."""
    results = Results.of(rows)
    datasets = datasets_with(results, methods, by)
    if not datasets:
        return None
    questions = by == "questions"
    marks = paper.QUESTION_MARKS if questions else paper.YES_NO_MARKS
    printed = measure == "one_nn" and any((d, m) in _printed() for d in datasets for m in methods)
    lines: list[tuple[str, ...]] = []
    for dataset in datasets:
        columns = [{m: results.values(dataset, m, measure, mark, by) for m in methods} for mark in marks]
        if questions:
            columns.append({m: _last_shares(results, dataset, m) for m in methods})
        best = [_best(column) for column in columns]
        for method in methods:
            means = [_mean(column[method]) for column in columns]
            cells = [
                Bold(_number(mean)) if method in leaders else _number(mean)
                for mean, leaders in zip(means, best, strict=True)
            ]
            lines.append((dataset, method, *(["Tercet"] if printed else []), *cells))
            if printed and (dataset, method) in _printed():
                theirs = [paper.one_nn(dataset, method, mark, by) for mark in marks]
                if questions:
                    # The paper's share is that of 100 questions; fewer have another.
                    whole = paper.QUESTION_MARKS[-1] in results.counts(dataset, method)
                    theirs.append(paper.yes_no_share(dataset, method) if whole else None)
                lines.append((dataset, method, "paper", *map(_number, theirs)))
                lines.append((dataset, method, "difference", *map(_difference, means, theirs)))
        for reference in REFERENCES:
            plain = _number(_mean(results.values(dataset, reference, measure, 0)))
            source = ["Tercet"] if printed else []
            share = [MISSING] if questions else []
            lines.append((dataset, reference, *source, *[plain] * len(marks), *share))
    counted = "number of questions" if questions else "number of yes/no triplets"
    first = "" if questions else "The two triplets that every run starts from are counted."
    return Table(
        title=f"{_NAMES[measure]} by {counted}{how_learned(methods)}",
        header=(
            *("Dataset", "Method"),
            *(["Source"] if printed else []),
            *map(str, marks),
            *([_SHARE] if questions else []),
        ),
        rows=tuple(lines),
        note=_sentences(_runs(results, datasets, methods, measure, marks, by), first, _BOLD, _EUCLID),
        labels=3 if printed else 2,
    )


def win_tie_loss_table(rows: Sequence[Row], *, methods: Sequence[str] = paper.METHODS) -> Table | None:
    """Return how often the first method wins, ties and loses against the others; None without rows."""
    results = Results.of(rows)
    method, *baselines = methods
    lines: list[tuple[str, ...]] = []
    compared: set[str] = set()
    for against in baselines:
        datasets = [name for name in datasets_with(results, [method]) if results.has(name, against)]
        compared.update(datasets)
        by_mark, in_all = win_tie_loss(results, datasets, paper.TESTED_MARKS, against, method=method)
        theirs = [paper.win_tie_loss(against, mark) for mark in paper.TESTED_MARKS]
        lines.append((against, "Tercet", *map(_tally, [*by_mark.values(), in_all])))
        printed = [Tally(*counts) for counts in theirs if counts is not None]
        if printed:
            lines.append((against, "paper", *map(_tally, [*printed, sum(printed, Tally())])))
    if not compared:
        return None
    return Table(
        title=f"Wins/ties/losses of {method} in 1NN accuracy by number of questions",
        header=("Against", "Source", *map(str, paper.TESTED_MARKS), "all"),
        rows=tuple(lines),
        note=_sentences(
            "One paired t-test at p = 0.05 for each dataset.",
            f"Datasets counted: {', '.join(name for name in results.datasets if name in compared)}.",
            f"The paper counts {len(paper.DATASETS)}." if set(compared) != set(paper.DATASETS) else "",
        ),
        labels=2,
    )


def exact_table(rows: Sequence[Row]) -> Table | None:
    """Return Info over all questions beside Info over a sample, on their common runs; None without both."""
    results = Results.of(rows)
    datasets = [name for name in datasets_with(results, [EXACT]) if results.has(name, SAMPLED)]
    if not datasets:
        return None
    lines: list[tuple[str, ...]] = []
    for dataset in datasets:
        for measure, name in _NAMES.items():
            exact, sampled, differences = [], [], []
            for mark in paper.QUESTION_MARKS:
                ours, theirs = (results.values(dataset, m, measure, mark) for m in (EXACT, SAMPLED))
                common = ours.keys() & theirs.keys()
                exact.append(_number(_mean({run: ours[run] for run in common})))
                sampled.append(_number(_mean({run: theirs[run] for run in common})))
                result = compare(ours, theirs)
                text = _difference(result.difference, 0.0)
                differences.append(Bold(text) if result.verdict in ("win", "loss") else text)
            lines.append((dataset, name, "exact", *exact))
            lines.append((dataset, name, "sampled", *sampled))
            lines.append((dataset, name, "difference", *differences))
    return Table(
        title="Info choosing among all questions (exact) and among a sample of them",
        header=("Dataset", "Measure", "Questions", *map(str, paper.QUESTION_MARKS)),
        rows=tuple(lines),
        note="Over the runs that both have. Bold: a significant difference (paired t-test, p = 0.05).",
        labels=3,
    )


def how_learned(methods: Sequence[str]) -> str:
    """Return what to add to a title where the methods have another learner than the paper's."""
    if tuple(methods) == ROSALES_FUNG:
        return ", learned as Rosales & Fung do"
    return ", with those that learn from every answer" if set(methods) & set(LATENT) else ""


def paper_differences(rows: Sequence[Row]) -> dict[tuple[str, str, int], float]:
    """Return our mean 1NN accuracy minus the paper's by dataset, method and number of questions."""
    results = Results.of(rows)
    differences = {}
    for dataset, method in _printed():
        for mark in paper.QUESTION_MARKS:
            ours = _mean(results.values(dataset, method, "one_nn", mark))
            theirs = paper.one_nn(dataset, method, mark)
            if ours is not None and theirs is not None:
                differences[dataset, method, mark] = ours - theirs
    return differences


def summary_table(rows: Sequence[Row]) -> Table | None:
    """Return how near we are to the paper, in a few numbers; None without rows of its methods."""
    results = Results.of(rows)
    datasets = datasets_with(results, paper.METHODS)
    if not datasets:
        return None
    differences = paper_differences(results)
    lines: list[tuple[str, ...]] = []
    everything = "Mean absolute difference to the paper's 1NN table"
    for name, chosen in {everything: paper.METHODS, **{f"{m} only": (m,) for m in paper.METHODS}}.items():
        sizes = [abs(value) for (_, method, _), value in differences.items() if method in chosen]
        if sizes:
            lines.append((name, f"{np.mean(sizes):.3f}", f"{len(sizes)} cells"))
    if differences:
        (dataset, method, mark), value = max(differences.items(), key=lambda item: abs(item[1]))
        where = f"{dataset}, {method}, {mark} questions"
        lines.append(("Largest difference to the paper's 1NN table", _difference(value, 0.0), where))
    _, tally = win_tie_loss(results, datasets, paper.TESTED_MARKS, "Random")
    if tally.total:
        for name, count in {"wins": tally.wins, "ties": tally.ties, "losses": tally.losses}.items():
            lines.append((f"Info against Random: {name}", str(count), f"of {tally.total} tests"))
    if not lines:
        return None
    return Table("Summary", ("Quantity", "Value", "Over"), tuple(lines))


def _printed() -> set[tuple[str, str]]:
    return {(dataset, method) for dataset in paper.DATASETS for method in paper.METHODS}


def _last_shares(results: Results, dataset: str, method: str) -> dict[int, float]:
    """Return every run's share of yes/no answers at the method's last mark."""
    counts = results.counts(dataset, method)
    return results.values(dataset, method, "yes_no_share", counts[-1]) if counts else {}


def _best(column: Mapping[str, Mapping[int, float]]) -> set[str]:
    """Return the method with the best mean and those as good, or none where all are as good."""
    tested = {method: values for method, values in column.items() if len(values) > 1}
    if not tested:
        return set()
    best = max(tested, key=lambda method: float(np.mean(list(tested[method].values()))))
    others = {method for method in tested if compare(tested[best], tested[method]).verdict in ("tie", "loss")}
    return others | {best} if len(others | {best}) < len(tested) else set()


def _runs(
    results: Results, datasets: list[str], methods: Sequence[str], measure: str, marks: Sequence[int], by: str
) -> str:
    """Say how many runs the means are over: a cell may have fewer, as where 20 yes/no answers never came."""
    sizes = {
        len(results.values(dataset, method, measure, mark, by))
        for dataset in datasets
        for method in methods
        for mark in marks
    } - {0}
    if not sizes:
        return ""
    low, high = min(sizes), max(sizes)
    return f"Means over {high} run{'s' * (high > 1)}." if low == high else f"Means over {low} to {high} runs."


def _mean(values: Mapping[int, float]) -> float | None:
    return float(np.mean(list(values.values()))) if values else None


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"


def _difference(ours: float | None, theirs: float | None) -> str:
    if ours is None or theirs is None or np.isnan(ours):
        return MISSING
    return f"{round(ours - theirs, 3) + 0.0:+.3f}"  # adding zero turns -0.000 into +0.000


def _tally(tally: Tally) -> str:
    return str(tally) if tally.total else MISSING


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)
