"""Turn the JSON files of the benchmarks into docs/performance.md and its plots."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from environments import REQUIREMENTS
from measure import HERE, RESULTS, comparison_table, markdown
from plots import draw

TITLES = {
    "step": "A whole step",
    "search": "The best of all questions",
    "solvers": "Solvers and forest",
    "peers": "metric-learn, scikit-activeml and Salmon",
    "growth": "How the time grows",
    "million": "A million items",
    "label": "The labelling app's engine",
    "app": "The labelling app over HTTP",
}
WORDS = {
    "step": """\
A step is all that happens between an answer and the next question: the metric is learned, the items are
clustered, a forest says how sure each cluster is, and a question is searched for. The plain stack does
the same with libraries off the shelf: cvxpy with Clarabel, k-means with ten starts and a forest of 50
trees by scikit-learn, and the best of a pool of 100 n questions by numpy, which already has our formula
with sums over C and not C^3 terms. Parts are timed alone; the whole is a real learner that was told an
answer and is asked again, by the median, as no two steps are the same.""",
    "search": """\
`Info()` looks at all n(n - 1)(n - 2)/2 questions without scoring them all. "Forest" beliefs are those
that a learner has; "all different" are random ones of which no two are equal, so that nothing can be
taken together. The last column is what the best of a random pool of 100 n questions, the paper's way,
reaches of the best score there is.

Above 1,000 items `Info()` looks at all questions about a random 20 sqrt(n) of them, but at least 1,000 and
at most 2,500. A share of 1 or more means that it finds at least as good a question as the pool of 100 n
about all items. A pool is drawn once a learner, so only its scoring is timed.""",
    "solvers": """\
The quadratic program of Schultz & Joachims to the same accuracy by Clarabel, from nothing; the linear
program of Rosales & Fung with all atoms at once by HiGHS; and scikit-learn's forest, 50 trees on clusters
of noise, which makes them deep. After one triplet more the solver starts from its last solution (warm).""",
    "peers": """\
Each peer runs in an environment of its own, on the same data, in turns with Tercet. They do not do the
same thing: metric-learn learns a metric and asks nothing; scikit-activeml is given a question as one row
of features, |x_i - x_k| - |x_i - x_j|, and a logistic regression that predicts yes or no; Salmon embeds
the items without looking at their features. scikit-activeml's rows are made beforehand and not timed.
Learning from one more answer is all that each does between an answer and scoring again: for Tercet the
metric, the clusters and the forest.

Installed for them: """
    + "; ".join(
        f"{' with '.join(REQUIREMENTS[name])}" for name in ("metric-learn", "scikit-activeml", "salmon")
    )
    + ".",
    "growth": """\
One size grows and the others stay. The slope, in the legend, is the power of growth over the upper half
of the sizes (1: twice the size, twice the time). The thick lines are whole steps. The search looks at
1,000 to 2,500 items, so it stops growing there.""",
    "million": """\
The items are in a memory-mapped NPY file; each size has a process of its own on one thread. The belief
model sees a sample of 10,000 items and all that were asked about, and the search 2,500 items, however many
there are. A later question is any after the first, by the median. Peak resident memory (`ru_maxrss`)
counts the pages of the file that the system keeps at hand and could drop at any time; what is not of the
file was measured at the end.""",
    "label": """\
From the moment the labelling app gets an answer until it has put it on disk (SQLite) and has the
next question. A person looks for two seconds and meanwhile the model learns each of the three answers that
may come. In haste nobody looks, and the question is the next best of the last model. Without look-ahead a
learner is told the answer and then asked. The last column is the share of questions that come from a model
which had learned the answer before them.""",
    "app": """\
`tercet label` in a process of its own, on as many threads as it likes, with features in an NPZ file and no
number of classes given. Somebody looks at each question for 1.5 seconds and answers 30, then 20
in haste, while a results page is open beside and asks every second what is new. The picture of a new answer
is the learned space, clusters included, after one more answer.""",
}
INTRODUCTION = """\
# How fast

`make bench` measures all of this anew and writes this page. Every figure is a ratio of two times from one
run: peer and Tercet take turns on one thread, and the least processor time of each counts. **Above 1
Tercet is faster, below 1 the peer is.** Sections may be of different runs (`--only`). Seconds are given to
show what a ratio is about; they depend on the machine."""


def main() -> None:
    """Write the page, or with --quick a page beside the quick results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="of the quick run; replaces nothing in docs")
    quick = parser.parse_args().quick
    source = RESULTS / "quick" if quick else RESULTS
    target = source if quick else HERE.parent / "docs"
    found = {
        name: json.loads((source / f"{name}.json").read_text())
        for name in TITLES
        if (source / f"{name}.json").exists()
    }
    target.mkdir(exist_ok=True)
    page = target / "performance.md"
    page.write_text(write(found, target / "performance"))
    print(f"wrote {page.relative_to(HERE.parent)}")


def write(found: dict[str, dict[str, Any]], pictures: Path) -> str:
    """Return the page, and draw its pictures."""
    parts = [INTRODUCTION, _versions(found), "## Slower than a peer", _slower(found)]
    parts += [_less_accurate(found), _not_measured(found)]
    for name, title in TITLES.items():
        if name in found:
            parts += [f"## {title}", WORDS[name], *_section(found[name], pictures)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _versions(found: dict[str, dict[str, Any]]) -> str:
    versions: dict[str, str] = {}
    for each in found.values():
        versions = each["versions"] | versions
    cores = {each["cores"] for each in found.values()}
    names = ", ".join(f"{name} {value}" for name, value in sorted(versions.items()))
    return f"Measured on a machine with {' or '.join(map(str, sorted(cores)))} cores: {names}."


def _slower(found: dict[str, dict[str, Any]]) -> str:
    """Return what the peer does in less time, the worst first."""
    rows = [row for each in found.values() for row in each["comparisons"]]
    slower = sorted((row for row in rows if row["ratio"] < 1), key=lambda row: row["ratio"])
    if not slower:
        return "Nothing was, in this run."
    return f"{len(slower)} of {len(rows)} comparisons, the worst first.\n\n{comparison_table(slower)}"


def _less_accurate(found: dict[str, dict[str, Any]]) -> str:
    """Return where a peer's metric is right more often, the worst first."""
    rows = [row for each in found.values() for row in each["accuracies"]]
    worse = sorted(
        (row for row in rows if row["ours"] < row["theirs"]), key=lambda r: r["ours"] - r["theirs"]
    )
    if not worse:
        return ""
    cells = [[row["size"], row["peer"], f"{row['ours']:.3f}", f"{row['theirs']:.3f}"] for row in worse]
    table = markdown(["", "peer", "Tercet", "peer"], cells)
    return f"Less accurate than a peer, as the share of unseen triplets that are right:\n\n{table}"


def _not_measured(found: dict[str, dict[str, Any]]) -> str:
    failures = [failure for each in found.values() for failure in each["failures"]]
    if not failures:
        return ""
    lines = [f"- {failure['peer']}: `{failure['error']}`" for failure in failures]
    return "What could not be measured, with the last line of the error:\n\n" + "\n".join(lines)


def _section(each: dict[str, Any], pictures: Path) -> list[str]:
    parts = []
    if each.get("load", 0) > each["cores"]:
        parts.append(
            f"**The machine was busy with other work during this run** (a load of {each['load']} on "
            f"{each['cores']} cores): seconds are longer than they are on an idle one."
        )
    if each["comparisons"]:
        parts.append(comparison_table(each["comparisons"]))
    for table in each["tables"]:
        parts.append(f"{table['title']}:\n\n{markdown(table['columns'], table['rows'])}")
    for curve in each["curves"]:
        draw(curve, pictures / f"{curve['name']}.svg")
        slopes = ", ".join(f"{line['name']} {line['slope']:.2f}" for line in curve["series"])
        parts.append(f"![{curve['title']}, slopes: {slopes}]({pictures.name}/{curve['name']}.svg)")
    return parts


if __name__ == "__main__":
    main()
