"""Verbs about the paper: simulate, datasets, reproduce."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tercet._files import write_whole
from tercet.cli._options import count, names, number


def add_verbs(verbs: Any) -> None:
    """Say what these verbs take."""
    simulate = verbs.add_parser(
        "simulate", help="let the paper's rules and the default ask a simulated person about Wine"
    )
    simulate.add_argument("--runs", type=count, default=10, help="random halves to average over (10)")
    simulate.add_argument("--queries", type=count, default=100, help="questions a run (100)")
    simulate.add_argument("--seed", type=number, default=0, help="same seed, same numbers (0)")
    simulate.add_argument(
        "--out", type=Path, default=Path("simulation"), help="folder for the picture (simulation)"
    )
    simulate.set_defaults(verb=_simulate)
    datasets = verbs.add_parser(
        "datasets", help="list the paper's datasets and where each can be loaded from"
    )
    datasets.add_argument("--data-dir", type=Path, help="folder with the files (or set TERCET_DATA)")
    datasets.set_defaults(verb=_datasets)
    reproduce = verbs.add_parser(
        "reproduce", help="run the paper's evaluation and put its numbers beside ours"
    )
    reproduce.add_argument("--datasets", type=names, help="names with commas between (all eight)")
    reproduce.add_argument("--methods", type=names, help="such as info,random,latent (all of the paper's)")
    reproduce.add_argument("--runs", type=count, default=50, help="random halves a dataset (50)")
    reproduce.add_argument("--queries", type=count, default=100, help="questions a run (100)")
    reproduce.add_argument("--jobs", type=count, default=1, help="processes on this machine (1)")
    reproduce.add_argument("--scheduler", help="address of a Dask scheduler, such as tcp://host:8786")
    reproduce.add_argument("--seed", type=number, default=0, help="same seed, same numbers (0)")
    reproduce.add_argument("--out", type=Path, default=Path("reproduction"), help="folder for all results")
    reproduce.add_argument("--data-dir", type=Path, help="folder with the datasets (or set TERCET_DATA)")
    reproduce.set_defaults(verb=_reproduce)


def _simulate(options: argparse.Namespace) -> int:
    from sklearn.datasets import load_wine

    from tercet.experiments import PAPER_METHODS, REFERENCES, Trial, learning_table, run_method

    try:
        from tqdm import tqdm

        from tercet.experiments.figures import both_measures, to_png
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'tercet[experiments]'") from error

    options.out.mkdir(parents=True, exist_ok=True)
    X, y = load_wine(return_X_y=True)
    marks = {number for number in range(options.queries + 1) if number % 5 == 0 or number == options.queries}
    results = []
    asking = (*PAPER_METHODS, "Latent")  # the default
    total = options.runs * options.queries * len(asking)
    with tqdm(total=total, unit="question", mininterval=0.5) as bar:
        for run in range(options.runs):
            trial = Trial.draw(X, y, run, options.seed)
            for method in (*asking, *REFERENCES):
                results += run_method(
                    "Wine", method, trial, run, n_queries=options.queries, marks=marks, on_question=bar.update
                )
    runs = f"{options.runs} run{'s' if options.runs > 1 else ''}"
    print(f"\nWine, mean of {runs}; Latent is the default\n\n{learning_table(results, 'Wine')}\n")
    picture = options.out / "wine.png"
    write_whole(picture, to_png(both_measures(results, "Wine", asking)))
    print(f"Learning curves: {picture}")
    return 0


def _datasets(options: argparse.Namespace) -> int:
    from tercet.datasets import describe

    print(describe(options.data_dir))
    return 0


def _reproduce(options: argparse.Namespace) -> int:
    from tercet.datasets import load
    from tercet.experiments.plan import Plan

    try:
        from tqdm import tqdm

        from tercet.experiments.report import write_report
        from tercet.experiments.rows import rows_to_csv
        from tercet.experiments.runner import Folder, facts, run_plan
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'tercet[experiments]'") from error

    plan = Plan.of(
        options.datasets, options.methods, n_runs=options.runs, n_queries=options.queries, seed=options.seed
    )
    data = {name: load(name, options.data_dir) for name in plan.datasets}
    folder = Folder(options.out, plan)
    tasks = plan.tasks()
    done = sum(task.cost for task in tasks if folder.is_done(task))
    shape = "{percentage:3.0f}%|{bar}| {elapsed} so far, {remaining} left{postfix}"
    with tqdm(total=sum(task.cost for task in tasks), initial=done, bar_format=shape) as bar:
        try:
            run_plan(
                plan,
                data,
                folder,
                n_jobs=options.jobs,
                scheduler=options.scheduler,
                on_finished=lambda task: bar.update(task.cost),
            )
        except KeyboardInterrupt:
            print("\nStopped. What is finished is kept; the same command goes on from here.", file=sys.stderr)
            raise
    rows, failures = folder.results()
    write_whole(options.out / "results.csv", rows_to_csv(rows))
    report = write_report(rows, options.out, failures, facts(plan, data))
    print(f"Report: {report}")
    if failures:
        print(f"{len(failures)} of {len(tasks)} runs failed; the report names them.", file=sys.stderr)
    return 1 if failures else 0
