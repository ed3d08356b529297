"""Means, intervals and tests, on rows whose right answers are known."""

import numpy as np
import pytest
from scipy import stats

from tercet.experiments.rows import Row
from tercet.experiments.statistics import Results, Tally, compare, mean_interval, pivot, win_tie_loss

NAN = float("nan")


def row(run, count, one_nn, *, dataset="Wine", method="Info", by="questions"):
    return Row(dataset, method, run, by, count, one_nn, one_nn / 2, NAN if count == 0 else 0.5)


def test_pivot_sorts_runs_and_counts():
    rows = [row(1, 10, 0.4), row(0, 10, 0.2), row(1, 0, 0.3), row(0, 0, 0.1), row(0, 5, 0.9, by="yes_no")]
    counts, runs, values = pivot(rows, "Wine", "Info", "one_nn")
    assert (counts, runs) == ([0, 10], [0, 1])
    np.testing.assert_array_equal(values, [[0.1, 0.2], [0.3, 0.4]])
    assert pivot(rows, "Wine", "Info", "one_nn", by="yes_no")[0] == [5]
    np.testing.assert_array_equal(pivot(rows, "Wine", "Info", "triplet_accuracy")[2], values / 2)


def test_pivot_leaves_out_incomplete_runs_and_marks_that_nobody_judged():
    rows = [row(0, 0, 0.1), row(0, 5, NAN), row(0, 10, 0.2), row(1, 0, 0.3), row(2, 0, 0.5), row(2, 10, NAN)]
    counts, runs, values = pivot(rows, "Wine", "Info", "one_nn")
    assert (counts, runs) == ([0, 10], [0])
    np.testing.assert_array_equal(values, [[0.1, 0.2]])
    assert pivot(rows, "Wine", "Info", "yes_no_share")[0] == [5, 10]  # there is no share before question 1


def test_pivot_of_nothing_is_empty():
    for rows in ([], [row(0, 0, NAN)], [row(0, 0, 0.1), row(1, 10, 0.1)]):
        counts, runs, values = pivot(rows, "Wine", "Info", "one_nn")
        assert runs == []
        assert values.shape == (0, len(counts))


def test_results_refuse_what_cannot_be_right():
    assert len(Results([row(0, 0, NAN), row(0, 0, float("nan"))])) == 2  # the same row twice does no harm
    with pytest.raises(ValueError, match=r"two results for the same run and mark: .*0\.25.*0\.75"):
        Results([row(0, 0, 0.25), row(0, 0, 0.75)])
    with pytest.raises(ValueError, match="unknown measure 'speed'; use one of one_nn"):
        pivot([row(0, 0, 0.1)], "Wine", "Info", "speed")


def test_results_are_a_sequence_of_their_rows():
    rows = [row(0, 0, 0.1), row(1, 0, 0.2, dataset="Yeast")]
    results = Results(rows)
    assert Results.of(results) is results
    assert list(results) == rows
    assert (results[1], list(results[:1])) == (rows[1], rows[:1])
    assert results.datasets == ["Wine", "Yeast"]


def test_the_interval_is_that_of_scipy():
    values = np.random.default_rng(0).normal(size=(12, 3))
    mean, half = mean_interval(values)
    low, high = stats.t.interval(0.95, 11, loc=values.mean(axis=0), scale=stats.sem(values))
    np.testing.assert_allclose(mean - half, low)
    np.testing.assert_allclose(mean + half, high)


def test_one_run_has_a_mean_and_no_interval():
    mean, half = mean_interval(np.array([[0.5, 0.7]]))
    np.testing.assert_array_equal(mean, [0.5, 0.7])
    assert np.isnan(half).all()
    with pytest.raises(ValueError, match="no runs to take the mean of"):
        mean_interval(np.empty((0, 2)))


def test_the_comparison_is_the_paired_t_test_over_common_runs():
    rng = np.random.default_rng(1)
    theirs = rng.normal(0.8, 0.1, 30)
    ours = theirs + rng.normal(0.01, 0.02, 30)
    first = {run: value for run, value in enumerate(ours) if run != 3} | {99: 5.0}
    second = dict(enumerate(theirs))
    result = compare(first, second)
    keep = np.arange(30) != 3
    assert result.p_value == pytest.approx(stats.ttest_rel(ours[keep], theirs[keep]).pvalue)
    assert result.difference == pytest.approx((ours - theirs)[keep].mean())
    assert (result.n_runs, result.verdict) == (29, "win")
    assert compare(second, first).verdict == "loss"
    assert compare(first, second, p=result.p_value / 2).verdict == "tie"


@pytest.mark.parametrize(("shift", "verdict"), [(0.0, "tie"), (0.1, "win"), (-0.1, "loss")])
def test_differences_without_variance_need_no_test(shift, verdict):
    values = {run: 0.1 * run for run in range(7)}
    shifted = {run: value + shift for run, value in values.items()}  # the same up to rounding
    assert compare(shifted, values).verdict == verdict


def test_without_two_common_runs_there_is_no_verdict():
    one = compare({0: 0.75}, {0: 0.5, 1: 0.5})
    assert (one.verdict, one.difference, one.n_runs) == ("untested", 0.25, 1)
    none = compare({0: 0.75}, {1: 0.5})
    assert (none.verdict, none.n_runs) == ("untested", 0)
    assert np.isnan(none.difference)


def test_win_tie_loss_counts_what_was_built_in():
    noise = np.random.default_rng(2).normal(0, 0.001, (20, 2))
    advantage = {  # of Info over Random at 10 and 20 questions
        "Breast": (0.1, 0.1),
        "Wine": (0.0, 0.1),
        "Yeast": (-0.1, 0.1),
    }
    rows = []
    for dataset, shifts in advantage.items():
        for run in range(20):
            for mark, shift, change in zip((10, 20), shifts, noise[run], strict=True):
                sway = change if shift else 0.0
                rows.append(row(run, mark, 0.5 + shift + sway, dataset=dataset))
                rows.append(row(run, mark, 0.5, dataset=dataset, method="Random"))
    by_mark, in_all = win_tie_loss(rows, [*advantage, "Wave"], [10, 20, 40], "Random")
    assert by_mark == {10: Tally(1, 1, 1), 20: Tally(3, 0, 0), 40: Tally()}
    assert in_all == Tally(4, 1, 1)
    assert (str(in_all), in_all.total) == ("4/1/1", 6)
    _, reverse = win_tie_loss(rows, advantage, [10, 20], "Info", method="Random")
    assert reverse == Tally(1, 1, 4)
