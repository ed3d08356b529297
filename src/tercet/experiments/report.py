"""The reproduction as files: tables, figures, and one page that holds them all."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from tercet._files import write_whole
from tercet.experiments import figures, paper
from tercet.experiments.failures import Failure
from tercet.experiments.findings import finding
from tercet.experiments.report_style import STYLE
from tercet.experiments.reproduction_tables import (
    BESIDE_LATENT,
    EXACT,
    ROSALES_FUNG,
    SAMPLED,
    datasets_with,
    how_learned,
    reproduction_tables,
    with_latent,
)
from tercet.experiments.rows import Row
from tercet.experiments.statistics import Results
from tercet.experiments.table_formats import Table

#: How the names of figures with many panels begin.
_WIDE = ("all_", "exact_")
_TITLE = "Active metric learning from relative comparisons, reproduced"


def write_report(
    rows: Sequence[Row],
    out: Path,
    failures: Iterable[Failure] = (),
    facts: Mapping[str, str] | None = None,
) -> Path:
    """Write tables, figures and the report of a reproduction into a folder.

    Every file is replaced as a whole, so that a report that is written again is never half old.

    Parameters
    ----------
    rows : sequence of Row
    out : Path
        Gets ``tables/*.csv|md|tex``, ``figures/*.svg|png`` and ``report.html``.
    failures : iterable of Failure
        The runs that gave no results; the report names them before anything else.
    facts : mapping of str to str, optional
        What was run: versions, numbers of runs and questions, time.

    Returns
    -------
    Path
        The page, which needs no other file.
    """
    results = Results.of(rows)
    for folder in (out / "tables", out / "figures"):
        folder.mkdir(parents=True, exist_ok=True)
    tables = reproduction_tables(results)
    for name, table in tables.items():
        for ending, text in _formats(table).items():
            write_whole(out / "tables" / f"{name}.{ending}", text)
    drawings = {}
    for name, (caption, figure) in reproduction_drawings(results).items():
        svg = figures.to_svg(figure)
        write_whole(out / "figures" / f"{name}.svg", svg)
        write_whole(out / "figures" / f"{name}.png", figures.to_png(figure))
        drawings[name] = _inline(svg, name, caption)
    page = _page(results, tables, drawings, list(failures), facts or {})
    write_whole(out / "report.html", page)
    return out / "report.html"


def reproduction_drawings(rows: Sequence[Row]) -> dict[str, tuple[str, Figure]]:
    """Return every figure that the rows have something for, with what it shows, by a name for its file."""
    results = Results.of(rows)
    drawings: dict[str, tuple[str, Figure]] = {}
    for shown, methods, suffix in (
        (results, paper.METHODS, ""),
        (results, ROSALES_FUNG, "_rosales_fung"),
        (with_latent(results), BESIDE_LATENT, "_latent"),
    ):
        datasets = datasets_with(shown, methods)
        for measure, label in figures.LABELS.items() if datasets else ():
            what = f"{_capital(label)} by number of questions{how_learned(methods)}"
            drawings[f"all_{measure}{suffix}"] = (
                f"{what}, on {', '.join(datasets)}: means and 95% intervals.",
                figures.grid(shown, measure, methods),
            )
    for dataset in datasets_with(results, paper.METHODS):
        for measure, label in figures.LABELS.items():
            drawings[f"curves_{_slug(dataset)}_{measure}"] = (
                f"{_capital(label)} by number of questions on {dataset}: mean and 95% interval.",
                figures.curves(results, dataset, measure),
            )
    both = [name for name in datasets_with(results, [EXACT]) if results.has(name, SAMPLED)]
    for measure, label in figures.LABELS.items() if both else ():
        drawings[f"exact_against_sampled_{measure}"] = (
            f"{_capital(label)} of Info among all questions and among a sample, on {', '.join(both)}.",
            figures.exact_against_sampled(results, measure),
        )
    return drawings


def _formats(table: Table) -> dict[str, str]:
    return {"csv": table.to_csv(), "md": table.to_markdown(), "tex": table.to_latex()}


def _inline(svg: str, name: str, caption: str) -> str:
    """Return a figure as part of a page, in the page's colours, with words for those who cannot see it."""
    drawing = svg[svg.index("<svg") :]
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    drawing = re.sub(r'\s(xmlns(:xlink)?|width|height)="[^"]*"', "", drawing, count=4)
    # Two figures on one page must not share names, or one would be cut out by the other's frame.
    drawing = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", drawing)
    drawing = drawing.replace(figures.INK, "currentColor")
    drawing = drawing.replace(f"fill: {figures.GROUND}", "fill: none")
    label = html.escape(caption)
    drawing = drawing.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    if name.startswith(_WIDE):  # too much to shrink to the width of a phone
        drawing = f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">{drawing}</div>'
    return f"<figure>\n{drawing}<figcaption>{label}</figcaption>\n</figure>"


def _page(
    results: Results,
    tables: Mapping[str, Table],
    drawings: Mapping[str, str],
    failures: Sequence[Failure],
    facts: Mapping[str, str],
) -> str:
    """Return the whole page; what failed comes first, and the rest from the gist to the details."""
    sections = [
        _failures(failures),
        _facts(results, facts),
        _summary(results, tables),
        *(
            _section(table.title, table.to_html(), name)
            for name, table in tables.items()
            if name != "summary"
        ),
    ]
    wide = [drawing for name, drawing in drawings.items() if name.startswith(_WIDE)]
    narrow = [drawing for name, drawing in drawings.items() if not name.startswith(_WIDE)]
    if drawings:
        single = f'<div class="pairs">{"".join(narrow)}</div>'
        sections.append(_section("Figures", "\n".join(wide), "figures"))
        sections.append(_section("Every dataset", single, "datasets"))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{_TITLE}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{_TITLE}</h1>\n"
        "<p>Every number of the paper by S. Xiong, R. Rosales, Y. Pei and X. Fern stands beside ours.</p>\n"
        + "\n".join(section for section in sections if section)
        + "\n</main>\n</body>\n</html>\n"
    )


def _failures(failures: Sequence[Failure]) -> str:
    if not failures:
        return ""
    number = len(failures)
    table = Table(
        title="Runs without results",
        header=("Dataset", "Method", "Run", "Seed", "Error"),
        rows=tuple((f.dataset, f.method, str(f.run), str(f.seed), f.error) for f in failures),
        note="Every number below leaves them out.",
        labels=2,
    )
    heading = f"{number} run{'s' * (number > 1)} failed"
    return _section(heading, table.to_html(), "failures")


def _facts(results: Results, facts: Mapping[str, str]) -> str:
    counted = {
        "Datasets": ", ".join(results.datasets) or "none",
        "Methods": "; ".join(_methods(results)) or "none",
        "Runs": str(len({row.run for row in results})),
        "Results": f"{len(results)} rows",
    }
    items = "\n".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>"
        for name, value in {**counted, **facts}.items()
    )
    return _section("What was run", f"<dl>{items}</dl>", "facts")


def _summary(results: Results, tables: Mapping[str, Table]) -> str:
    datasets = datasets_with(results, _methods(results))
    if not datasets:
        return _section("Summary", "<p>There are no results yet.</p>", "summary")
    items = "\n".join(
        f"<li><strong>{html.escape(name)}.</strong> {html.escape(finding(results, name))}</li>"
        for name in datasets
    )
    table = tables["summary"].to_html() if "summary" in tables else ""
    return _section("Summary", f'{table}\n<ul class="findings">{items}</ul>', "summary")


def _methods(results: Results) -> list[str]:
    return list(dict.fromkeys(row.method for row in results))


def _section(heading: str, content: str, name: str) -> str:
    return (
        f'<section id="{name}" aria-labelledby="{name}-heading">\n'
        f'<h2 id="{name}-heading">{html.escape(heading)}</h2>\n{content}\n</section>'
    )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _slug(text: str) -> str:
    return re.sub(r"\W+", "_", text.lower()).strip("_")
