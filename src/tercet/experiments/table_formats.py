"""One table, written as CSV, Markdown, LaTeX or HTML."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

#: Stands where there is no number; CSV leaves the cell empty instead.
MISSING = "\N{EN DASH}"

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    MISSING: "--",
    **{character: "\\" + character for character in "&%$#_{}"},
}
#: Sources that the page may show in a softer colour than our own.
_QUIET = ("paper", "difference")
_SIGNED = re.compile(r"[+-]\d[\d.]*")


class Bold(str):
    """The text of a cell that stands out."""

    __slots__ = ()


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return f"${escaped}$" if _SIGNED.fullmatch(text) else escaped  # in math a minus is no hyphen


def _markdown(text: str) -> str:
    # Without these a cell would end early, or turn into emphasis or a tag.
    return re.sub(r"([\\|*_<`])", r"\\\1", " ".join(text.split()))


def _html(text: str) -> str:
    return html.escape(text.replace("-", "\N{MINUS SIGN}") if _SIGNED.fullmatch(text) else text)


@dataclass(frozen=True)
class Table:
    """A table of text, ready to be written in any format.

    Attributes
    ----------
    title : str
    header : tuple of str
    rows : tuple of tuples of str
        As wide as the header; a `Bold` cell stands out. Rows with the same first cell belong together: CSV
        repeats it, the formats for people show it once.
    note : str
        What a reader must know beside the title.
    labels : int
        How many columns at the left name the row.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    labels: int = 1

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"the row {row} of {self.title!r} has {len(row)} cells, the header has {len(self.header)}"
                )

    def _blocks(self) -> list[list[tuple[str, ...]]]:
        return [list(block) for _, block in groupby(self.rows, key=lambda row: row[0])]

    def to_csv(self) -> str:
        """Return header and rows for a program to read."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([("" if cell == MISSING else str(cell)) for cell in row] for row in self.rows)
        return text.getvalue()

    def to_markdown(self) -> str:
        """Return the table with its title and note, as GitHub and most others read it."""

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cells) + " |"

        def shown(cell: str) -> str:
            return f"**{_markdown(cell)}**" if isinstance(cell, Bold) else _markdown(cell)

        sides = [":---" if column < self.labels else "---:" for column in range(len(self.header))]
        lines = [
            f"### {_markdown(self.title)}",
            "",
            line([_markdown(cell) for cell in self.header]),
            line(sides),
        ]
        for block in self._blocks():
            for number, (first, *others) in enumerate(block):
                lines.append(line(["" if number else shown(first), *map(shown, others)]))
        return "\n".join([*lines, *(["", _markdown(self.note)] if self.note else [])]) + "\n"

    def to_latex(self) -> str:
        """Return a longtable, which may run over several pages; needs the packages booktabs and longtable."""

        def shown(cell: str) -> str:
            return rf"\textbf{{{_latex(cell)}}}" if isinstance(cell, Bold) else _latex(cell)

        sides = "l" * self.labels + "r" * (len(self.header) - self.labels)
        caption = " ".join(_latex(part) for part in (self.title + ".", self.note) if part)
        heading = " & ".join(_latex(cell) for cell in self.header) + r" \\"
        lines = [
            r"% needs \usepackage{booktabs,longtable}",
            rf"\begin{{longtable}}{{{sides}}}",
            rf"\caption{{{caption}}} \\",
            *[r"\toprule", heading, r"\midrule", r"\endfirsthead"],
            *[r"\toprule", heading, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"],
        ]
        for position, block in enumerate(self._blocks()):
            if position and len(block) > 1:
                lines.append(r"\midrule")
            for number, (first, *others) in enumerate(block):
                lines.append(" & ".join(["" if number else shown(first), *map(shown, others)]) + r" \\")
        return "\n".join([*lines, r"\end{longtable}"]) + "\n"

    def to_html(self) -> str:
        """Return a figure element that scrolls sideways where it is too wide; styles are left to the page."""

        def cell(text: str, column: int) -> str:
            content = f"<strong>{_html(text)}</strong>" if isinstance(text, Bold) else _html(text)
            return (
                f'<th scope="row">{content}</th>' if column < self.labels else f"<td>{content}</td>"
            )  # labels name the row, to a screen reader as well

        head = "".join(
            f'<th scope="col"{"" if column < self.labels else " class=number"}>{_html(name)}</th>'
            for column, name in enumerate(self.header)
        )
        bodies = []
        for block in self._blocks():
            first = f'<th scope="rowgroup" rowspan="{len(block)}">{_html(block[0][0])}</th>'
            lines = [
                (f'<tr class="{row[2]}">' if self.labels > 2 and row[2] in _QUIET else "<tr>")
                + ("" if number else first)
                + "".join(cell(text, column) for column, text in enumerate(row) if column)
                + "</tr>"
                for number, row in enumerate(block)
            ]
            bodies.append("<tbody>" + "\n".join(lines) + "</tbody>")
        note = f'<p class="note">{_html(self.note)}</p>' if self.note else ""
        # A box that scrolls must be reachable by keyboard, and then needs a name.
        return (
            f'<div class="scroll" tabindex="0" role="region" aria-label="{_html(self.title)}">\n<table>'
            f"<caption>{_html(self.title)}</caption>\n<thead><tr>{head}</tr></thead>\n"
            + "\n".join(bodies)
            + f"\n</table></div>\n{note}"
        )
