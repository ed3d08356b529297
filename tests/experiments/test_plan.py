import pytest

from tercet.experiments.plan import ALL_METHODS, EXACT_DATASETS, Plan, Task, find_method, method_key


def test_the_whole_evaluation():
    plan = Plan.of()
    tasks = plan.tasks()
    assert len(plan.datasets) == 8
    assert plan.methods == tuple(name for name in ALL_METHODS if not name.startswith("Latent"))
    # 8 sets x (2 references + 3 + 3 with the other learner), and exact Info on three.
    assert len(tasks) == 50 * (8 * 8 + 3)
    assert len(set(tasks)) == len({task.file for task in tasks}) == len(tasks)
    assert {task.dataset for task in tasks if task.method == "Info, exact"} == set(EXACT_DATASETS)
    assert [task.run for task in tasks] == sorted(task.run for task in tasks)
    assert all(task.cost > 0 for task in tasks)


def test_marks():
    assert sorted(Plan.of(n_queries=12).marks) == [0, 5, 10, 12]
    assert {0, 10, 20, 40, 60, 80, 100} <= Plan.of().marks
    assert Plan.of().yes_no_marks == (5, 10, 15, 20)


def test_names_are_forgiving_and_said_once():
    plan = Plan.of(["HJA_birdsong", "wine", "Wine"], ["INFO", "info, r&f", "euclid"], n_runs=1)
    assert plan.datasets == ("HJA Birdsong", "Wine")
    assert plan.methods == ("Info", "Info, R&F", "Euclid")
    assert plan.tasks()[0] == Task("HJA Birdsong", "Info", 0)
    assert Task("HJA Birdsong", "Info, R&F", 7).file == "runs/hja-birdsong/info-rf/007.csv"


@pytest.mark.parametrize("method", ALL_METHODS)
def test_every_method_is_found_by_its_key(method):
    assert find_method(method_key(method)) == method


def test_unknown_names_come_with_the_nearest():
    with pytest.raises(ValueError, match="unknown method 'nonredundnat'; did you mean 'nonredundant'"):
        Plan.of(methods=["nonredundnat"])
    with pytest.raises(ValueError, match="unknown dataset 'wien'; did you mean 'Wine'"):
        Plan.of(["wien"])
    with pytest.raises(ValueError, match="unknown method 'zzz'; There are euclid"):
        Plan.of(methods=["zzz"])
