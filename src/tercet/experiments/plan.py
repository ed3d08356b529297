"""What is to be run: every dataset, method and run is one task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from tercet.datasets import DATASETS, find
from tercet.experiments.protocol import LATENT_METHODS, METHODS, REFERENCES

ALL_METHODS = (*REFERENCES, *METHODS)
#: What is run unless methods are named: all that the paper has.
_OF_THE_PAPER = tuple(name for name in ALL_METHODS if name not in LATENT_METHODS)

#: Where the paper compares Info over all questions with Info over a sample.
EXACT_DATASETS = ("Breast", "Soybean", "Wine")


@dataclass(frozen=True)
class Task:
    """One run of one method on one dataset: what is computed, kept and repeated as a whole."""

    dataset: str
    method: str
    run: int

    @property
    def file(self) -> str:
        """Where its results are kept, inside the output folder."""
        return f"runs/{find(self.dataset).key}/{method_key(self.method)}/{self.run:03}.csv"

    @property
    def cost(self) -> float:
        """Roughly how long it takes, in arbitrary units; for the estimate of the time left."""
        if self.method in REFERENCES:
            return 1.0
        n_items = find(self.dataset).n_items / 2
        return 20.0 + n_items / (10 if self.method.startswith("Info") else 100)


@dataclass(frozen=True)
class Plan:
    """Which tasks to run, and with what settings.

    Parameters
    ----------
    datasets, methods : names, in any spelling that is near enough
    n_runs, n_queries, seed : int
        50, 100 and any in the paper.

    Examples
    --------
    >>> plan = Plan.of(["wine", "yeast"], ["info", "info-exact"], n_runs=2)
    >>> len(plan.tasks()), plan.tasks()[0]
    (6, Task(dataset='Wine', method='Info', run=0))
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    n_runs: int = 50
    n_queries: int = 100
    seed: int = 0

    @classmethod
    def of(
        cls,
        datasets: Sequence[str] | None = None,
        methods: Sequence[str] | None = None,
        *,
        n_runs: int = 50,
        n_queries: int = 100,
        seed: int = 0,
    ) -> Plan:
        """Return a plan by names; without them all datasets and all of the paper's methods."""
        sets = [dataset.name for dataset in DATASETS] if datasets is None else map(_dataset_name, datasets)
        names = _OF_THE_PAPER if methods is None else map(find_method, methods)
        plan = cls(_once(sets), _once(names), n_runs, n_queries, seed)
        if not plan.tasks():
            exact = ", ".join(EXACT_DATASETS)
            raise ValueError(
                f"nothing to run: datasets {', '.join(plan.datasets) or 'none'}, methods "
                f"{', '.join(plan.methods) or 'none'} (Info, exact is for {exact}); name at least one of each"
            )
        return plan

    def tasks(self) -> list[Task]:
        """Return all tasks, run by run, so that a plan that is stopped early has whole runs of everything."""
        return [
            Task(dataset, method, run)
            for run in range(self.n_runs)
            for dataset in self.datasets
            for method in self.methods
            if method != "Info, exact" or dataset in EXACT_DATASETS
        ]

    @property
    def marks(self) -> frozenset[int]:
        """The numbers of questions after which a metric is judged."""
        return frozenset(range(0, self.n_queries + 1, 5)) | {self.n_queries}

    @property
    def yes_no_marks(self) -> tuple[int, ...]:
        """The numbers of yes/no answers after which a metric is judged."""
        return (5, 10, 15, 20)


def method_key(name: str) -> str:
    """Return a method's name for command lines and files.

    >>> method_key("Info, R&F")
    'info-rf'
    """
    return "-".join(name.lower().replace("&", "").replace(",", "").split())


def find_method(name: str) -> str:
    """Return the method of this name; case, spaces, "-", "_" and "," do not matter.

    >>> find_method("info_rf")
    'Info, R&F'
    >>> find_method("Randomly")
    Traceback (most recent call last):
    ValueError: unknown method 'Randomly'; did you mean 'random'? There are euclid, ...
    """
    keys = {method_key(method): method for method in ALL_METHODS}
    wanted = method_key(name.replace("_", "-"))
    if wanted in keys:
        return keys[wanted]
    near = get_close_matches(wanted, keys, n=1, cutoff=0.4)
    guess = f" did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"unknown method {name!r};{guess} There are {', '.join(keys)}")


def _dataset_name(name: str) -> str:
    return find(name).name


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
