"""The paper's tables, from rows whose means are known."""

import csv
import io

import numpy as np
import pytest

from tercet.experiments import paper
from tercet.experiments.findings import finding
from tercet.experiments.reproduction_tables import (
    EXACT,
    REFERENCES,
    ROSALES_FUNG,
    datasets_with,
    paper_differences,
    reproduction_tables,
)
from tercet.experiments.rows import Row
from tercet.experiments.table_formats import MISSING, Bold, Table

NAN = float("nan")


def rows_of(dataset, method, level, *, runs=range(4), marks=paper.QUESTION_MARKS, by="questions", share=0.5):
    """Rows with this mean at every mark; the runs swing around it in the same way for all methods."""
    swing = [0.01, -0.01, 0.02, -0.02]
    return [
        Row(dataset, method, run, by, mark, level + swing[run % 4], level, NAN if mark == 0 else share)
        for run in runs
        for mark in marks
    ]


def cells(table, *labels):
    """The cells of the one row with these labels."""
    (found,) = [row for row in table.rows if row[: len(labels)] == labels]
    return found[len(labels) :]


def test_the_papers_numbers_are_those_it_printed():
    assert paper.one_nn("HJA Birdsong", "Info", 100) == 0.697
    assert paper.one_nn("Breast", "Random", 20, by="yes_no") == 0.831
    assert paper.yes_no_share("Wine", "Info") == 0.925
    assert paper.win_tie_loss("Random", 100) == (8, 0, 0)
    assert paper.one_nn("Iris", "Info", 0) is None
    assert paper.yes_no_share("Wine", "Info, R&F") is None
    assert paper.win_tie_loss("Random", 0) is None
    for against, in_all in {"Random": [39, 9, 0], "Nonredundant": [28, 19, 1]}.items():
        counts = [paper.win_tie_loss(against, mark) for mark in paper.TESTED_MARKS]
        assert np.sum(counts, axis=0).tolist() == in_all
    for dataset in paper.DATASETS:
        for method in paper.METHODS:
            assert paper.yes_no_share(dataset, method) is not None
            for by, marks in {"questions": paper.QUESTION_MARKS, "yes_no": paper.YES_NO_MARKS}.items():
                assert all(0.4 < paper.one_nn(dataset, method, mark, by) < 1 for mark in marks)


def test_ours_the_papers_and_the_difference_stand_together():
    rows = [
        *rows_of("Wine", "Info", 0.95, share=0.9),
        *rows_of("Wine", "Random", 0.9),
        *rows_of("Wine", "Nonredundant", 0.95),
        *rows_of("Wine", "Euclid", 0.7, marks=[0]),
        *rows_of("Wine", "Euclid, standardised", 0.96, marks=[0]),
    ]
    table = reproduction_tables(rows)["one_nn_by_questions"]
    assert table.header[:4] == ("Dataset", "Method", "Source", "0")
    assert table.header[-2:] == ("100", "yes/no share")
    ours = cells(table, "Wine", "Info", "Tercet")
    assert ours == ("0.950",) * 7 + ("0.900",)
    assert cells(table, "Wine", "Info", "paper")[:2] == ("0.768", "0.903")
    assert cells(table, "Wine", "Info", "difference")[:2] == ("+0.182", "+0.047")
    assert cells(table, "Wine", "Info", "difference")[-1] == "-0.025"
    assert cells(table, "Wine", "Euclid", "Tercet") == ("0.700",) * 7 + (MISSING,)
    assert cells(table, "Wine", "Euclid, standardised", "Tercet")[0] == "0.960"
    assert "Means over 4 runs." in table.note
    # As good as the best is as bold as the best; the references take no part.
    for method, bold in {"Info": True, "Nonredundant": True, "Random": False}.items():
        assert isinstance(cells(table, "Wine", method, "Tercet")[1], Bold) == bold
    assert not isinstance(cells(table, "Wine", "Euclid, standardised", "Tercet")[0], Bold)
    assert "| **0.950** |" in table.to_markdown()
    assert r"\textbf{0.950}" in table.to_latex()
    assert "<strong>0.950</strong>" in table.to_html()


def test_nothing_is_bold_where_nothing_stands_out():
    same = [row for method in paper.METHODS for row in rows_of("Wine", method, 0.9)]
    single = [
        row
        for m, level in zip(paper.METHODS, (0.9, 0.8, 0.7), strict=True)
        for row in rows_of("Wine", m, level)
    ]
    for rows in (same, [row for row in single if row.run == 0]):
        table = reproduction_tables(rows)["one_nn_by_questions"]
        assert not any(isinstance(cell, Bold) for line in table.rows for cell in line)


def test_what_is_missing_is_a_dash():
    rows = rows_of("Yeast", "Info", 0.4, marks=[0, 10], runs=[0]) + rows_of("Mine", "Random", 0.6, marks=[0])
    tables = reproduction_tables(rows)
    assert set(tables) == {"summary", "one_nn_by_questions", "triplet_accuracy_by_questions"}
    table = tables["one_nn_by_questions"]
    assert cells(table, "Yeast", "Info", "Tercet") == ("0.410", "0.410", *[MISSING] * 5, "0.500")
    assert cells(table, "Yeast", "Random", "Tercet") == (MISSING,) * 8
    assert cells(table, "Yeast", "Random", "difference") == (MISSING,) * 8
    assert cells(table, "Yeast", "Euclid", "Tercet") == (MISSING,) * 8
    assert not [line for line in table.rows if line[0] == "Mine" and line[2] == "paper"]
    assert "Means over 1 to 4 runs." in table.note
    assert datasets_with(rows, paper.METHODS) == ["Yeast", "Mine"]  # the paper's first
    for table in tables.values():
        parsed = list(csv.reader(io.StringIO(table.to_csv())))
        assert [len(line) for line in parsed] == [len(table.header)] * (len(table.rows) + 1)
        assert MISSING not in table.to_csv()


def test_no_rows_no_tables():
    assert reproduction_tables([]) == {}
    assert reproduction_tables(rows_of("Wine", "Euclid", 0.7, marks=[0])) == {}
    unjudged = [Row("Mine", "Info", 0, "questions", 0, NAN, NAN, NAN)]
    assert set(reproduction_tables(unjudged)) == {"one_nn_by_questions", "triplet_accuracy_by_questions"}


def test_triplet_accuracy_has_no_paper_beside_it():
    table = reproduction_tables(rows_of("Wine", "Info", 0.9))["triplet_accuracy_by_questions"]
    assert table.header[:3] == ("Dataset", "Method", "0")
    assert cells(table, "Wine", "Info")[:7] == ("0.900",) * 7


def test_by_yes_no_triplets():
    rows = rows_of("Wine", "Info", 0.9, by="yes_no", marks=paper.YES_NO_MARKS)
    rows = [row for row in rows if row.count < 20 or row.run < 2]  # two runs never got so far
    rows += rows_of("Wine", "Euclid", 0.7, marks=[0])
    table = reproduction_tables(rows)["one_nn_by_yes_no"]
    assert table.header == ("Dataset", "Method", "Source", "5", "10", "15", "20")
    assert cells(table, "Wine", "Info", "Tercet") == ("0.900",) * 4
    assert cells(table, "Wine", "Info", "difference") == ("+0.005", "-0.030", "-0.039", "-0.043")
    assert cells(table, "Wine", "Euclid", "Tercet") == ("0.700",) * 4
    assert "Means over 2 to 4 runs." in table.note


def test_win_tie_loss_beside_the_papers():
    rows = [
        *rows_of("Wine", "Info", 0.9),
        *rows_of("Wine", "Random", 0.8),
        *rows_of("Wine", "Nonredundant", 0.9),
        *rows_of("Wave", "Info", 0.7, marks=[0, 10]),
        *rows_of("Wave", "Random", 0.8, marks=[0, 10]),
    ]
    table = reproduction_tables(rows)["win_tie_loss"]
    assert table.header == ("Against", "Source", "10", "20", "40", "60", "80", "100", "all")
    assert cells(table, "Random", "Tercet") == ("1/0/1", *["1/0/0"] * 5, "6/0/1")
    assert cells(table, "Random", "paper") == ("5/3/0", "6/2/0", "7/1/0", "6/2/0", "7/1/0", "8/0/0", "39/9/0")
    assert cells(table, "Nonredundant", "Tercet") == (*["0/1/0"] * 6, "0/6/0")
    assert "Wine, Wave. The paper counts 8." in table.note


def test_exact_against_sampled_on_common_runs():
    rows = [
        *rows_of("Wine", "Info", 0.9),
        *rows_of("Wine", EXACT, 0.95, runs=range(2)),
        *rows_of("Soybean", EXACT, 0.95),
    ]
    table = reproduction_tables(rows)["exact_against_sampled"]
    assert {line[0] for line in table.rows} == {"Wine"}
    assert cells(table, "Wine", "1NN accuracy", "exact") == ("0.950",) * 7
    assert cells(table, "Wine", "1NN accuracy", "sampled") == ("0.900",) * 7
    differences = cells(table, "Wine", "Triplet accuracy", "difference")
    assert differences == ("+0.050",) * 7
    assert isinstance(differences[0], Bold)


def test_rosales_and_fung_have_their_own_tables_and_survive_latex():
    levels = (0.9, 0.8, 0.7)
    rows = [row for m, level in zip(ROSALES_FUNG, levels, strict=True) for row in rows_of("Wine", m, level)]
    tables = reproduction_tables(rows)
    names = ("one_nn", "triplet_accuracy", "win_tie_loss")
    assert set(tables) == {f"{name}_rosales_fung" for name in names}
    table = tables["one_nn_rosales_fung"]
    assert "Source" not in table.header
    assert cells(table, "Wine", "Info, R&F")[1] == "0.900"
    assert r"Info, R\&F & \textbf{0.900}" in table.to_latex()
    assert "R&amp;F" in table.to_html()
    assert "R&F" not in table.to_html()
    assert cells(tables["win_tie_loss_rosales_fung"], "Random, R&F", "Tercet")[-1] == "6/0/0"


def test_those_that_learn_from_every_answer_stand_beside_info_where_they_were_run():
    rows = [
        *rows_of("Wine", "Info", 0.9),
        *rows_of("Wine", "Random", 0.8),
        *rows_of("Wine", "Latent", 0.95, share=0.8),
        *rows_of("Wine", "Latent, Random", 0.9),
        *rows_of("Yeast", "Info", 0.5),
    ]
    rows = [
        Row(r.dataset, r.method, r.run, r.by, r.count, r.one_nn + 0.001 * r.run**2, 0.5, r.yes_no_share)
        if r.method == "Latent"
        else r
        for r in rows
    ]
    tables = reproduction_tables(rows)
    table = tables["one_nn_latent"]
    assert {row[0] for row in table.rows} == {"Wine"}
    assert [row[1] for row in table.rows if row[2] == "Tercet"][:3] == ["Info", "Latent", "Latent, Random"]
    assert cells(table, "Wine", "Info", "paper")[1] == "0.903"
    assert cells(table, "Wine", "Latent", "Tercet") == ("0.954",) * 7 + ("0.800",)
    assert isinstance(cells(table, "Wine", "Latent", "Tercet")[1], Bold)
    assert cells(tables["triplet_accuracy_latent"], "Wine", "Latent")[0] == "0.500"
    assert cells(tables["win_tie_loss_latent"], "Info", "Tercet")[-1] == "6/0/0"
    assert "Random" not in {row[1] for row in table.rows}
    assert "one_nn_latent" not in reproduction_tables(rows_of("Wine", "Info", 0.9))
    alone = reproduction_tables(rows_of("Wine", "Latent", 0.9))
    assert cells(alone["one_nn_latent"], "Wine", "Latent")[0] == "0.900"
    assert "win_tie_loss_latent" not in alone


def test_the_summary_measures_the_distance_to_the_paper():
    rows = [
        Row("Wine", method, run, "questions", mark, paper.one_nn("Wine", method, mark) + shift, 0.5, 0.5)
        for method, shift in (("Info", 0.01), ("Random", -0.02))
        for run in range(3)
        for mark in paper.QUESTION_MARKS
    ]
    differences = paper_differences(rows)
    assert len(differences) == 14
    assert differences["Wine", "Random", 0] == pytest.approx(-0.02)
    table = reproduction_tables(rows)["summary"]
    assert cells(table, "Mean absolute difference to the paper's 1NN table") == ("0.015", "14 cells")
    assert cells(table, "Random only") == ("0.020", "7 cells")
    assert cells(table, "Largest difference to the paper's 1NN table")[0] == "-0.020"
    assert cells(table, "Info against Random: wins") == ("6", "of 6 tests")
    assert cells(table, "Info against Random: losses") == ("0", "of 6 tests")


def test_every_format_escapes_what_it_must():
    table = Table("50% of A_b", ("Name", "x|y"), (("a & b", "-0.5"), ("<i>\\^~", MISSING)), "Cost: $1 {#}")
    latex = table.to_latex()
    for text in (r"50\% of A\_b", r"a \& b & $-0.5$", r"\textbackslash{}\textasciicircum{}", r"\$1 \{\#\}"):
        assert text in latex
    markdown = table.to_markdown()
    assert r"| Name | x\|y |" in markdown
    assert r"\<i>" in markdown
    assert "&lt;i&gt;" in table.to_html()
    assert "\N{MINUS SIGN}0.5" in table.to_html()
    with pytest.raises(ValueError, match="has 1 cells, the header has 2"):
        Table("Bad", ("a", "b"), (("1",),))


def test_the_finding_says_who_won_and_whether_learning_helped():
    rows = [
        *rows_of("Wine", "Info", 0.95),
        *rows_of("Wine", "Random", 0.9),
        *rows_of("Wine", "Euclid", 0.7, marks=[0]),
        *rows_of("Wine", "Euclid, standardised", 0.97, marks=[0]),
    ]
    assert finding(rows, "Wine") == (
        "Info beat Random: significantly better at 6 of 6 marks, worse at none. "
        "After 100 questions Info's 1NN accuracy is 0.950, 0.009 below the paper's 0.959. "
        "Learning helped: this is significantly better than plain Euclid on raw features (0.700). "
        "Learning did not help against plain Euclid on standardised features (0.970), "
        "which is significantly better."
    )


@pytest.mark.parametrize(
    ("info", "text"),
    [
        (
            dict.fromkeys(paper.TESTED_MARKS, 0.8),
            "did not beat Random: no significant difference at any of 6",
        ),
        (
            dict.fromkeys(paper.TESTED_MARKS, 0.7),
            "did not beat Random: significantly worse at 6 of 6 marks",
        ),
        ({10: 0.9, 20: 0.7}, "is mixed: better at 1 of 2 marks, worse at 1."),
        ({10: 0.9, 20: 0.8}, "beat Random only here and there: significantly better at 1 of 2 marks"),
        ({10: 0.9}, "beat Random: significantly better at 1 of 1 mark, worse at none."),
    ],
)
def test_the_finding_against_random(info, text):
    rows = rows_of("Wine", "Random", 0.8)
    for mark, level in info.items():
        rows += rows_of("Wine", "Info", level, marks=[mark])
    assert text in finding(rows, "Wine")


def test_the_finding_of_little_says_so():
    assert finding(rows_of("Wine", "Random", 0.8), "Wine") == "There are no results of Info for this dataset."
    mine = finding(rows_of("Mine", "Info", 0.8, marks=[1]), "Mine")
    assert mine == (
        "Random was not run. After 1 question Info's 1NN accuracy is 0.800; the paper has no number for this."
    )
    single = [row for m in ("Info", "Random", "Euclid") for row in rows_of("Wave", m, 0.769, runs=[0])]
    text = finding(single, "Wave")
    assert text.startswith("There are too few common runs to test Info against Random.")
    assert "is 0.779, as in the paper." in text
    assert text.endswith("too few common runs to test it against plain Euclid on raw features (0.779).")
    equal = rows_of("Wine", "Info", 0.8) + rows_of("Wine", REFERENCES[0], 0.8, marks=[0])
    assert "did not help against plain Euclid on raw features (0.800): no sign" in finding(equal, "Wine")
