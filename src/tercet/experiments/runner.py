"""Runs a plan on one machine or on a cluster; what is finished is on disk and never run again."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from tercet import __version__
from tercet._fast import kernels
from tercet._files import write_whole
from tercet._validation import Floats
from tercet.datasets import Loaded
from tercet.experiments.failures import Failure
from tercet.experiments.plan import Plan, Task
from tercet.experiments.protocol import Trial, run_method
from tercet.experiments.rows import Row, rows_from_csv, rows_to_csv

#: The number of threads is a setting of the whole process, so only one task at a time may rely on it.
_ALONE = threading.Lock()

#: Tasks handed to a cluster ahead of time; each carries its features.
_WINDOW = 64

#: How long to wait for a scheduler before it counts as unreachable, in seconds.
_PATIENCE = 10


class Folder:
    """Where results are kept: a file a task, written whole when the task is finished."""

    def __init__(self, path: Path, plan: Plan) -> None:
        """Open the folder, or make it; one that holds results of another configuration is refused."""
        self.path = path
        configuration = {
            "format": 1,
            "tercet": __version__,
            "queries": plan.n_queries,
            "seed": plan.seed,
            "compiled forest": kernels("tercet.beliefs._compiled") is not None,
        }
        file = path / "configuration.json"
        if file.exists():
            found = json.loads(file.read_text("utf-8"))
            differ = [name for name in configuration if found.get(name) != configuration[name]]
            if differ:
                details = "; ".join(
                    f"{name} {found.get(name)!r}, not {configuration[name]!r}" for name in differ
                )
                raise ValueError(
                    f"{path} holds results of another configuration ({details}); choose another --out"
                )
        elif path.exists() and any(not file.name.startswith(".") for file in path.iterdir()):
            raise ValueError(f"{path} is not empty and holds no results of ours; choose another --out")
        else:
            path.mkdir(parents=True, exist_ok=True)
            write_whole(file, json.dumps(configuration, indent=1) + "\n")

    def is_done(self, task: Task) -> bool:
        """Return whether the task's results are here."""
        return (self.path / task.file).exists()

    def keep(self, task: Task, outcome: list[Row] | Failure) -> None:
        """Write a task's rows, or why it failed; a failure is tried again next time."""
        file = self.path / task.file
        file.parent.mkdir(parents=True, exist_ok=True)
        failed = file.with_suffix(".failed")
        if isinstance(outcome, Failure):
            write_whole(failed, json.dumps(outcome.__dict__, indent=1) + "\n")
        else:
            write_whole(file, rows_to_csv(outcome))
            failed.unlink(missing_ok=True)

    def results(self) -> tuple[list[Row], list[Failure]]:
        """Return all rows and failures that are here, of this plan and of earlier ones."""
        rows: list[Row] = []
        for file in sorted(self.path.glob("runs/*/*/*.csv")):
            with file.open(encoding="utf-8", newline="") as stream:
                rows += rows_from_csv(stream)
        failed = sorted(self.path.glob("runs/*/*/*.failed"))
        return rows, [Failure(**json.loads(file.read_text("utf-8"))) for file in failed]


def run_plan(
    plan: Plan,
    data: Mapping[str, Loaded],
    folder: Folder,
    *,
    n_jobs: int = 1,
    scheduler: str | None = None,
    on_finished: Callable[[Task], object] = lambda task: None,
) -> None:
    """Run what is not done yet, by joblib, or on the Dask cluster of this scheduler.

    The results depend on neither: every task draws its random numbers by its own name, and numerical
    libraries are kept to one thread, since the order of a sum shows in its last digit.
    """
    waiting = [task for task in plan.tasks() if not folder.is_done(task)]
    run = _on_cluster if scheduler else _here
    for task, outcome in run(plan, data, waiting, scheduler or n_jobs):
        folder.keep(task, outcome)
        on_finished(task)


def perform(task: Task, X: Floats, y: Any, plan: Plan) -> tuple[Task, list[Row] | Failure]:
    """Do one task; an error in it becomes a `Failure`, which the report names."""
    seed = plan.seed
    try:
        with _ALONE, threadpool_limits(1):
            trial = Trial.draw(X, y, task.run, plan.seed)
            seed = trial.seed
            rows = run_method(
                task.dataset,
                task.method,
                trial,
                task.run,
                n_queries=plan.n_queries,
                marks=plan.marks,
                yes_no_marks=plan.yes_no_marks,
            )
    except Exception:  # whatever it is, the other runs go on, and the report names this one
        return task, Failure(task.dataset, task.method, task.run, seed, traceback.format_exc())
    return task, rows


def _here(
    plan: Plan, data: Mapping[str, Loaded], tasks: Sequence[Task], n_jobs: Any
) -> Iterator[tuple[Task, list[Row] | Failure]]:
    calls = (delayed(perform)(task, data[task.dataset].X, data[task.dataset].y, plan) for task in tasks)
    yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(calls)


def _on_cluster(
    plan: Plan, data: Mapping[str, Loaded], tasks: Sequence[Task], scheduler: Any
) -> Iterator[tuple[Task, list[Row] | Failure]]:
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ImportError("--scheduler needs Dask: pip install 'tercet[cluster]'") from error
    try:
        client = Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise OSError(
            f"no Dask scheduler at {scheduler} ({error}); start one, or leave out --scheduler"
        ) from error
    with client:
        # The features travel with each task, not ahead of it: what was sent ahead dies with its worker.
        waiting = iter(tasks)
        running: dict[Any, Task] = {}

        def submit(task: Task) -> Any:
            loaded = data[task.dataset]
            future = client.submit(perform, task, loaded.X, loaded.y, plan, pure=False)
            running[future] = task
            return future

        finished = as_completed([submit(task) for task in islice(waiting, _WINDOW)])
        for future in finished:
            task = running.pop(future)
            if future.status == "finished":
                yield future.result()
            else:  # its workers died under it, again and again
                yield task, Failure(task.dataset, task.method, task.run, plan.seed, repr(future.exception()))
            for following in islice(waiting, 1):
                finished.add(submit(following))


def facts(plan: Plan, data: Mapping[str, Loaded]) -> dict[str, str]:
    """Return what somebody needs to know to run this again."""
    forest = "compiled" if kernels("tercet.beliefs._compiled") else "scikit-learn's"
    packages = ("numpy", "scipy", "scikit-learn")
    return {
        "Datasets": ", ".join(f"{name} ({loaded.source})" for name, loaded in data.items()),
        "Methods": "; ".join(plan.methods),
        "Runs": f"{plan.n_runs} of {plan.n_queries} questions, seed {plan.seed}",
        "Forest": forest,
        "Versions": ", ".join([f"tercet {__version__}", *(f"{name} {version(name)}" for name in packages)]),
    }
