"""The report as files, and the figures in it."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from tercet.experiments import paper
from tercet.experiments.failures import Failure
from tercet.experiments.figures import curves, exact_against_sampled, grid, to_svg
from tercet.experiments.report import write_report
from tercet.experiments.reproduction_tables import EXACT, REFERENCES
from tercet.experiments.rows import Row
from tercet.experiments.statistics import mean_interval, pivot

NAN = float("nan")
VOID = {"meta", "br", "hr", "img", "link", "input"}


def make_rows(datasets=("Breast", "Wine"), methods=(*paper.METHODS, EXACT), runs=3, marks=(0, 10, 20)):
    rng = np.random.default_rng(0)
    rows = []
    for dataset in datasets:
        for method in (*methods, *REFERENCES):
            for run in range(runs):
                for mark in (0,) if method in REFERENCES else marks:
                    accuracy = 0.8 + mark / 200 + rng.normal(0, 0.01)
                    rows.append(Row(dataset, method, run, "questions", mark, accuracy, accuracy - 0.1, 0.5))
    return rows


class Page(HTMLParser):
    """Reads a page, and fails where a tag is closed that was not open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.text = [], [], [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    out = tmp_path_factory.mktemp("report")
    failures = [
        Failure("Wine", "Random, R&F", 7, 123456789, "LinAlgError: <singular> & worse"),
        Failure("Wave", "Info", 1, 5, "MemoryError"),
    ]
    return write_report(make_rows(), out, failures, {"Questions": "20 & <more>"})


@pytest.fixture(scope="module")
def page(written):
    return Page(written.read_text(encoding="utf-8"))


def test_the_folder_holds_tables_and_figures_in_every_format(written):
    out = written.parent
    assert written == out / "report.html"
    tables = {path.stem for path in (out / "tables").iterdir()}
    assert tables == {
        *("summary", "one_nn_by_questions", "triplet_accuracy_by_questions"),
        *("win_tie_loss", "exact_against_sampled"),
    }
    assert {path.suffix for path in (out / "tables").iterdir()} == {".csv", ".md", ".tex"}
    assert len(list((out / "tables").iterdir())) == 3 * len(tables)
    names = {path.stem for path in (out / "figures").iterdir()}
    assert {"all_triplet_accuracy", "curves_wine_one_nn", "exact_against_sampled_triplet_accuracy"} <= names
    for name in names:
        assert (out / "figures" / f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
        assert (out / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert not [path for path in out.rglob(".*")]  # no temporary file is left


def test_the_page_needs_nothing_else(written, page):
    text = written.read_text(encoding="utf-8")
    assert not re.search("https?://", text)
    assert "<script" not in text
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(page.ids)


def test_the_page_is_kind_to_every_reader(page):
    assert ("html", {"lang": "en"}) in page.tags
    names = [tag for tag, _ in page.tags]
    assert {"title", "main", "h1", "figure", "figcaption", "caption", "thead"} <= set(names)
    assert names.count("table") == names.count("caption")
    assert len(page.ids) == len(set(page.ids))
    drawings = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(drawings) == 8
    assert all(drawing["role"] == "img" and "accuracy" in drawing["aria-label"] for drawing in drawings)


def test_failures_come_first_and_everything_is_escaped(page, written):
    headings = re.findall(r"<h2[^>]*>([^<]*)", written.read_text(encoding="utf-8"))
    assert headings[:3] == ["2 runs failed", "What was run", "Summary"]
    for text in ("123456789", "LinAlgError: <singular> & worse", "Random, R&F", "20 & <more>"):
        assert text in page.text


def test_without_failures_nothing_is_said_of_any(tmp_path):
    rows = make_rows(datasets=paper.DATASETS[:1], methods=["Info"], runs=1, marks=(0, 5))
    text = write_report(rows, tmp_path).read_text(encoding="utf-8")
    assert "failed" not in text
    assert "Breast" in Page(text).text


def test_a_report_of_nothing_says_so(tmp_path):
    text = write_report([], tmp_path).read_text(encoding="utf-8")
    assert "There are no results yet." in Page(text).text


def test_every_dataset_has_its_sentence(page):
    for dataset in ("Breast", "Wine"):
        assert f"{dataset}. Info" in page.text
    assert "Learning" in page.text


def test_the_curves_are_the_means_with_their_intervals():
    rows = make_rows()
    (axes,) = curves(rows, "Wine", "one_nn").axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert list(lines) == [*paper.METHODS, *REFERENCES]
    counts, _, values = pivot(rows, "Wine", "Info", "one_nn")
    np.testing.assert_array_equal(lines["Info"].get_xdata(), counts)
    np.testing.assert_allclose(lines["Info"].get_ydata(), values.mean(axis=0))
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    mean, half = mean_interval(values)
    assert band.max() == pytest.approx((mean + half).max())
    assert len({line.get_linestyle() for line in lines.values()} | {"--"}) >= 3
    assert len({line.get_color() for line in lines.values()}) == 4  # both references are grey


def test_what_has_no_rows_is_not_drawn():
    rows = make_rows(methods=["Info", "Mine"], runs=1)
    (axes,) = curves(rows, "Wine", "triplet_accuracy", ["Info", "Random", "Mine"]).axes
    assert [line.get_label() for line in axes.get_lines()] == ["Info", "Mine", *REFERENCES]
    assert not axes.collections  # one run has no interval
    assert len(curves([], "Wine", "one_nn").axes[0].get_lines()) == 0
    with pytest.raises(ValueError, match="unknown measure 'speed'; use one of one_nn, triplet_accuracy"):
        curves(rows, "Wine", "speed")


def test_the_grid_has_a_panel_for_every_dataset():
    rows = make_rows(datasets=paper.DATASETS[:5][::-1], methods=["Info"], runs=1, marks=(0,))
    figure = grid(rows, "triplet_accuracy")
    assert [axes.get_title() for axes in figure.axes] == list(paper.DATASETS[:5])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["Info", *REFERENCES]


def test_those_that_learn_from_every_answer_are_drawn_beside_info(tmp_path):
    rows = make_rows(["Wine"], ["Info", "Random", "Latent"]) + make_rows(["Breast"], ["Info"])
    write_report(rows, tmp_path)
    drawn = (tmp_path / "figures" / "all_one_nn_latent.svg").read_text(encoding="utf-8")
    assert {name: f">{name}</text>" in drawn for name in ("Wine", "Breast", "Info", "Latent", "Random")} == {
        **dict.fromkeys(("Wine", "Info", "Latent"), True),
        **dict.fromkeys(("Breast", "Random"), False),
    }


def test_exact_and_sampled_are_drawn_over_common_runs():
    rows = [row for row in make_rows() if row.method != EXACT or (row.run < 2 and row.dataset == "Wine")]
    (axes,) = exact_against_sampled(rows, "one_nn").axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    sampled = pivot(rows, "Wine", "Info", "one_nn")[2]
    np.testing.assert_allclose(lines["Info"].get_ydata(), sampled[:2].mean(axis=0))


def test_the_same_figure_gives_the_same_file():
    first, second = (to_svg(curves(make_rows(), "Wine", "one_nn")) for _ in range(2))
    assert first == second
    assert "questions asked" in first  # words stay words


def test_a_full_disk_leaves_the_old_report(tmp_path, monkeypatch):
    old = write_report([], tmp_path, facts={"Seed": "1"}).read_bytes()

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space left"):
        write_report([], tmp_path, facts={"Seed": "2"})
    assert (tmp_path / "report.html").read_bytes() == old
    assert not list(tmp_path.rglob(".*"))
