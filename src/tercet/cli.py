"""The command line: verbs only."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tercet import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``tercet VERB ...`` and return its exit status."""
    parser = argparse.ArgumentParser(prog="tercet", description=__doc__)
    parser.add_argument("--version", action="version", version=f"tercet {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    simulate = verbs.add_parser(
        "simulate", help="let Info, Random and Nonredundant ask a simulated person about Wine"
    )
    simulate.add_argument("--runs", type=_count, default=10, help="random halves to average over (10)")
    simulate.add_argument("--queries", type=_count, default=100, help="questions a run (100)")
    simulate.add_argument("--seed", type=_number, default=0, help="same seed, same numbers (0)")
    simulate.add_argument(
        "--out", type=Path, default=Path("simulation"), help="folder for the picture (simulation)"
    )
    simulate.set_defaults(verb=_simulate)
    datasets = verbs.add_parser(
        "datasets", help="list the paper's datasets and where each can be loaded from"
    )
    datasets.add_argument("--data-dir", type=Path, help="folder with the files (or set TERCET_DATA)")
    datasets.set_defaults(verb=_datasets)
    options = parser.parse_args(arguments)
    try:
        status: int = options.verb(options)
    except (ImportError, LookupError, OSError, RuntimeError, ValueError) as error:
        print(f"tercet: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def _simulate(options: argparse.Namespace) -> int:
    from sklearn.datasets import load_wine

    from tercet.experiments import METHODS, learning_table, simulate

    try:
        from tqdm import tqdm

        from tercet.experiments.figures import learning_curves
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'tercet[experiments]'") from error

    options.out.mkdir(parents=True, exist_ok=True)
    X, y = load_wine(return_X_y=True)
    judged = {number for number in range(options.queries + 1) if number % 5 == 0 or number == options.queries}
    marks = simulate(
        X, y, runs=range(options.runs), n_queries=options.queries, marks=judged, seed=options.seed
    )
    total = options.runs * options.queries * len(METHODS)
    results = []
    with tqdm(total=total, unit="question", mininterval=0.5) as bar:
        for mark in marks:
            results.append(mark)
            bar.update(mark.questions > 0)
    title = f"Wine, raw features, mean of {options.runs} run{'s' if options.runs > 1 else ''}"
    print(f"\n{title}\n\n{learning_table(results)}\n")
    picture = options.out / "wine.png"
    learning_curves(results, title).savefig(picture, dpi=150)
    print(f"Learning curves: {picture}")
    return 0


def _datasets(options: argparse.Namespace) -> int:
    from tercet.datasets import describe

    print(describe(options.data_dir))
    return 0


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
