"""Results are the same wherever they are computed, and survive whatever happens on the way."""

import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

from tercet.cli import main
from tercet.datasets import Loaded, load
from tercet.experiments.failures import Failure
from tercet.experiments.plan import Plan, Task
from tercet.experiments.rows import rows_from_csv
from tercet.experiments.runner import Folder, run_plan

PLAN = Plan.of(["Wine"], ["info", "random", "info-rf", "euclid"], n_runs=2, n_queries=6)


@pytest.fixture(scope="module")
def data():
    return {"Wine": load("Wine")}


def contents(path):
    """Every result file by name: what must be equal to the last digit."""
    return {
        file.relative_to(path).as_posix(): file.read_bytes() for file in sorted(path.rglob("runs/**/*.csv"))
    }


@pytest.fixture(scope="module")
def one_job(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("one") / "out"
    run_plan(PLAN, data, Folder(path, PLAN), n_jobs=1)
    return contents(path)


def test_one_job_finishes_everything(one_job):
    assert sorted(one_job) == sorted(task.file for task in PLAN.tasks())
    rows = [row for text in one_job.values() for row in rows_from_csv(text.decode().splitlines())]
    assert {row.method for row in rows} == set(PLAN.methods)
    assert {row.count for row in rows if row.by == "questions" and row.method == "Info"} == {0, 5, 6}


def test_two_jobs_give_the_same_to_the_last_digit(data, one_job, tmp_path):
    run_plan(PLAN, data, Folder(tmp_path, PLAN), n_jobs=2)
    assert contents(tmp_path) == one_job


def start(*command, output=subprocess.PIPE):
    return subprocess.Popen([sys.executable, *command], stdout=output, stderr=subprocess.STDOUT, text=True)


@pytest.fixture
def cluster(tmp_path):
    """A real Dask cluster: a scheduler and two worker processes, one with Dask's usual several threads."""
    distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    quiet = ["--no-dashboard"]
    processes = []
    with (tmp_path / "log.txt").open("w") as log:
        try:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
            host, port = address.removeprefix("tcp://").split(":")
            scheduler = ["-m", "distributed.cli.dask_scheduler", "--host", host, "--port", port, *quiet]
            processes.append(start(*scheduler, output=log))
            for threads in ("1", "2"):
                options = ["--nthreads", threads, "--no-nanny", "--local-directory", str(tmp_path), *quiet]
                processes.append(start("-m", "distributed.cli.dask_worker", address, *options, output=log))
            with distributed.Client(address, timeout=60) as client:
                client.wait_for_workers(2, timeout=60)
            yield address, processes[1:]
        finally:
            for process in processes:
                process.kill()
                process.wait()


def test_a_cluster_gives_the_same_even_when_a_worker_is_killed(data, one_job, cluster, tmp_path):
    address, workers = cluster
    finished = []

    def kill_one_after_the_first(task):
        finished.append(task)
        if len(finished) == 1:
            workers[0].send_signal(signal.SIGKILL)

    run_plan(
        PLAN, data, Folder(tmp_path / "out", PLAN), scheduler=address, on_finished=kill_one_after_the_first
    )
    assert workers[0].wait(timeout=10) == -signal.SIGKILL
    assert sorted(finished, key=str) == sorted(PLAN.tasks(), key=str)
    assert contents(tmp_path / "out") == one_job


def test_what_is_done_is_not_run_again(data, one_job, tmp_path):
    folder = Folder(tmp_path, PLAN)
    tasks = PLAN.tasks()
    for task in tasks[:5]:
        target = tmp_path / task.file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(one_job[task.file])
    before = {task.file: (tmp_path / task.file).stat().st_mtime_ns for task in tasks[:5]}
    finished = []
    run_plan(PLAN, data, folder, on_finished=finished.append)
    assert finished == tasks[5:]
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in before} == before
    assert contents(tmp_path) == one_job


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_goes_on(how, one_job, tmp_path):
    out = tmp_path / "out"
    command = [
        "-m", "tercet", "reproduce", "--datasets", "wine", "--methods", "info,random,info-rf,euclid",
        "--runs", "2", "--queries", "6", "--out", str(out),
    ]  # fmt: skip
    process = start(*command)
    deadline = time.monotonic() + 120
    while not contents(out) and time.monotonic() < deadline:
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.02)
    process.send_signal(how)
    printed, _ = process.communicate(timeout=60)
    if how == signal.SIGINT and process.returncode != 0:
        assert process.returncode == 130
        assert "goes on from here" in printed
    kept = contents(out)
    assert kept
    assert set(kept.items()) <= set(one_job.items())
    again = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert contents(out) == one_job
    assert (out / "report.html").exists()


def test_a_run_that_failed_is_named_and_tried_again(data, tmp_path):
    plan = Plan.of(["Wine"], ["random", "euclid"], n_runs=1, n_queries=2)
    broken = {"Wine": Loaded(np.full((9, 2), np.nan), np.array(["a", "b", "c"] * 3), "Wine", "nowhere")}
    folder = Folder(tmp_path, plan)
    run_plan(plan, broken, folder)
    rows, failures = folder.results()
    assert rows == []
    assert {(f.dataset, f.method, f.run) for f in failures} == {("Wine", "Random", 0), ("Wine", "Euclid", 0)}
    assert "NaN" in failures[0].error
    run_plan(plan, data, folder)
    rows, failures = folder.results()
    assert failures == []
    assert {row.method for row in rows} == {"Random", "Euclid"}


def test_failures_are_counted_by_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "tercet.experiments.runner.perform",
        lambda task, X, y, plan: (task, Failure(task.dataset, task.method, task.run, 11, "out of <luck>")),
    )
    out = tmp_path / "out"
    assert (
        main(["reproduce", "--datasets", "wine", "--methods", "euclid", "--runs", "1", "--out", str(out)])
        == 1
    )
    assert "1 of 1 runs failed" in capsys.readouterr().err
    page = (out / "report.html").read_text("utf-8")
    assert "out of &lt;luck&gt;" in page
    assert "11" in page


def test_another_configuration_is_refused(tmp_path):
    Folder(tmp_path, PLAN)
    Folder(tmp_path, Plan.of(["Yeast"], n_runs=9, n_queries=6))  # more of the same is fine
    with pytest.raises(ValueError, match=r"another configuration \(queries 6, not 7\); choose another --out"):
        Folder(tmp_path, Plan.of(n_queries=7))


def test_a_folder_of_somebody_elses_is_refused(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("do not touch")
    assert main(["reproduce", "--datasets", "wine", "--out", str(tmp_path)]) == 1
    assert "is not empty and holds no results of ours" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_smaller_plan_in_the_same_folder_keeps_the_larger_report(tmp_path):
    command = [
        "reproduce",
        "--datasets",
        "wine",
        "--queries",
        "2",
        "--runs",
        "1",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main([*command, "--methods", "random,euclid"]) == 0
    assert main([*command, "--methods", "euclid"]) == 0
    assert ",Random," in (tmp_path / "out" / "results.csv").read_text("utf-8")
    assert "Random" in (tmp_path / "out" / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--datasets", ","], "nothing to run: datasets none"),
        (["--datasets", "yeast", "--methods", "info-exact"], "Info, exact is for Breast, Soybean, Wine"),
        (["--datasets", "wien"], "did you mean 'Wine'"),
        (["--datasets", "wine", "--methods", "inof"], "did you mean 'info'"),
        (["--datasets", "yeast", "--data-dir", "nowhere-at-all"], "nowhere-at-all"),
        (
            ["--datasets", "wine", "--runs", "1", "--scheduler", "tcp://127.0.0.1:9"],
            "no Dask scheduler at tcp://127",
        ),
        (["--datasets", "wine", "--runs", "1", "--scheduler", "nonsense"], "no Dask scheduler at nonsense"),
    ],
)
def test_wrong_arguments_end_in_a_message(arguments, message, tmp_path, capsys, monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    monkeypatch.setattr("tercet.experiments.runner._PATIENCE", 1)
    assert main(["reproduce", *arguments, "--out", str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err


def test_a_full_disk_is_an_error_and_leaves_no_half_file(tmp_path):
    # The kernel refuses to make files larger than 200 bytes, as it would on a full disk.
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200));"
        "from tercet.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    out = tmp_path / "out"
    arguments = ["reproduce", "--datasets", "wine", "--methods", "random", "--runs", "1", "--queries", "9"]
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert result.returncode == 1
    assert "File too large" in result.stderr
    assert contents(out) == {}
    assert [file.name for file in out.rglob("*.new")] == []


def test_a_task_names_its_file():
    assert Task("Wine", "Info, exact", 3).file == "runs/wine/info-exact/003.csv"
