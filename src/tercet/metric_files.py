"""Learned metrics in files: JSON or NPZ, nothing pickled.

A file says its format, its version, and of which kind the metric is. A new kind of metric is a class like
`LinearMetric` with a name of its own in `_KINDS`.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tercet._files import write_whole
from tercet._validation import Floats, check_points
from tercet.latent import Basis, ClassModel, LearnedDistance

_FORMAT = "tercet-metric"
_VERSION = 1
_LEAST = 1e-100  # of what is in the units of standardised features: by less, nothing can be divided
_MOST_ANSWERS = 10**9
Arrays = Mapping[str, NDArray[Any]]


class SavedMetric(Protocol):
    """A metric as it is in a file."""

    kind: ClassVar[str]

    @property
    def feature_names(self) -> Sequence[str]:
        """What the columns of the points are called."""

    def transform(self, X: ArrayLike) -> Floats:
        """Map points to a space in which plain Euclidean distance is the learned one, or comes near it."""

    def pair_distance(self, pairs: ArrayLike) -> Floats:
        """Return the learned distance of each pair."""

    def arrays(self) -> dict[str, Floats]:
        """Return the numbers to save."""

    @classmethod
    def from_arrays(cls, arrays: Arrays, feature_names: Sequence[str]) -> Self:
        """Return the metric with these numbers, or say which are wrong."""


@dataclass(frozen=True, eq=False)
class LinearMetric:
    """Distances |L (x - x')|, as all Mahalanobis metrics have them.

    Points are moved by ``mean`` and divided by ``scale`` first, where there are such; the metrics of Tercet
    have their scale in ``components`` already.

    Parameters
    ----------
    components : array of shape (r, d)
        The matrix L.
    feature_names : sequence of d str
    mean, scale : array of shape (d,), optional
    """

    kind: ClassVar[str] = "linear"

    components: Floats
    feature_names: Sequence[str]
    mean: Floats | None = None
    scale: Floats | None = None

    def __post_init__(self) -> None:
        names = tuple(self.feature_names)
        object.__setattr__(self, "feature_names", names)
        _check_names(names)
        d = len(names)
        components = _checked("components", self.components, 2)
        if components.shape[1] != d or not len(components):
            raise ValueError(
                f"components has shape {components.shape}; it needs one column for each of the {d} features, "
                "and at least one row"
            )
        object.__setattr__(self, "components", components)
        for name in ("mean", "scale"):
            value = getattr(self, name)
            if value is None:
                continue
            vector = _checked(name, value, 1)
            if len(vector) != d:
                raise ValueError(
                    f"{name} has {len(vector)} numbers; it needs one for each of the {d} features"
                )
            if name == "scale" and not vector.all():
                raise ValueError(f"scale is 0 for the feature {names[int(np.argmin(np.abs(vector)))]!r}")
            object.__setattr__(self, name, vector)

    def transform(self, X: ArrayLike) -> Floats:
        """Map points to the space in which plain Euclidean distance is the learned one.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        array of shape (n, r)
        """
        return np.asarray(self._prepared(check_points(X, len(self.feature_names))) @ self.components.T)

    def pair_distance(self, pairs: ArrayLike) -> Floats:
        """Return the learned distance of each pair, given as an (m, 2, d) array."""
        points = self._prepared(
            check_points(pairs, len(self.feature_names), name="pairs", size=2), centre=False
        )
        return np.asarray(np.linalg.norm((points[:, 0] - points[:, 1]) @ self.components.T, axis=1))

    def arrays(self) -> dict[str, Floats]:
        """Return the numbers to save."""
        given = {"components": self.components, "mean": self.mean, "scale": self.scale}
        return {name: array for name, array in given.items() if array is not None}

    @classmethod
    def from_arrays(cls, arrays: Arrays, feature_names: Sequence[str]) -> Self:
        """Return the metric with these numbers, or say which are wrong."""
        if "components" not in arrays:
            raise ValueError("components is missing")
        return cls(arrays["components"], feature_names, arrays.get("mean"), arrays.get("scale"))

    def _prepared(self, points: Floats, centre: bool = True) -> Floats:
        if centre and self.mean is not None:
            points = points - self.mean
        return points if self.scale is None else np.asarray(points / self.scale)


@dataclass(frozen=True, eq=False)
class LatentMetric:
    """Near items by their features, far ones by their classes, as `LatentClassMetric` has it.

    Parameters
    ----------
    distance : LearnedDistance
    feature_names : sequence of d str
    """

    kind: ClassVar[str] = "latent-class"

    distance: LearnedDistance
    feature_names: Sequence[str]

    def __post_init__(self) -> None:
        names = tuple(self.feature_names)
        object.__setattr__(self, "feature_names", names)
        _check_names(names)
        d = self.distance.model.basis.n_features
        if len(names) != d:
            raise ValueError(f"there are {len(names)} feature names, but the metric has {d} features")

    def transform(self, X: ArrayLike) -> Floats:
        """Map points to a space in which plain Euclidean distance comes near the learned one."""
        return self.distance.embedded(check_points(X, len(self.feature_names)))

    def pair_distance(self, pairs: ArrayLike) -> Floats:
        """Return the learned distance of each pair, given as an (m, 2, d) array."""
        points = check_points(pairs, len(self.feature_names), name="pairs", size=2)
        return np.sqrt(self.distance.of_pairs(points[:, 0], points[:, 1]))

    def arrays(self) -> dict[str, Floats]:
        """Return the numbers to save."""
        model = self.distance.model
        basis = {name: getattr(model.basis, name) for name in _BASIS}
        return {
            **{name: np.atleast_1d(np.asarray(value)) for name, value in basis.items()},
            "weights": model.weights,
            "spreads": self.distance.spreads,
            "unlike": np.array([self.distance.unlike]),
            "n_answers": np.array([float(model.n_answers)]),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, feature_names: Sequence[str]) -> Self:
        """Return the metric with these numbers, or say which are wrong."""
        wanted = {**_BASIS, "weights": 3, "spreads": 1, "unlike": 1, "n_answers": 1}
        missing = [name for name in wanted if name not in arrays]
        if missing:
            raise ValueError(f"{missing[0]} is missing")
        found = {name: _checked(name, arrays[name], size) for name, size in wanted.items()}
        d, n_models = len(feature_names), len(found["weights"])
        n_landmarks, n_components = len(found["landmarks"]), len(found["centre"])
        for name in ("weights", "landmarks"):
            if not found[name].size:
                raise ValueError(f"{name} has the shape {found[name].shape}, which holds nothing")
        shapes = {
            "middle": (d,),
            "width": (d,),
            "mean": (d,),
            "spread": (d,),
            "turn": (1,),
            "near": (1,),
            "far": (1,),
            "landmarks": (n_landmarks, d),
            "projection": (n_landmarks, n_components),
            "weights": (n_models, d + n_components + 1, found["weights"].shape[2]),
            "spreads": (n_models,),
            "unlike": (1,),
            "n_answers": (1,),
        }
        for name, shape in shapes.items():
            if found[name].shape != shape:
                raise ValueError(
                    f"{name} has the shape {found[name].shape}; with {d} features it needs {shape}"
                )
        for name in ("width", "spread", "turn", "near", "spreads"):
            least = 0.0 if name == "width" else _LEAST  # widths are in the units of the features
            if not (found[name] > least).all():
                raise ValueError(f"{name} holds {found[name].min()}; it must be above {least:g}")
        for name in ("far", "unlike", "n_answers"):
            if found[name][0] < 0:
                raise ValueError(f"{name} is {found[name][0]}; it must be at least 0")
        if found["unlike"][0] > 1:
            raise ValueError(f"unlike is {found['unlike'][0]}; it is a share, and 1 at most")
        if found["n_answers"][0] != int(found["n_answers"][0]) or found["n_answers"][0] > _MOST_ANSWERS:
            raise ValueError(
                f"n_answers is {found['n_answers'][0]}; it is a whole number, and {_MOST_ANSWERS:,} at most"
            )
        numbers = {name: float(found[name][0]) for name in ("turn", "near", "far")}
        # Neighbours of landmarks say how far to trust what is learned; here nothing more is.
        numbers_and_tables = {**{name: found[name] for name in _BASIS}, **numbers}
        basis = Basis(**numbers_and_tables, beside=np.empty((0, d)))  # type: ignore[arg-type]
        # What was foreseen of each answer is not in the file, only how many there were; this takes no memory.
        foreseen = np.broadcast_to(np.nan, int(found["n_answers"][0]))
        model = ClassModel(basis, found["weights"], {}, foreseen, ridge=np.nan, shares=())
        return cls(LearnedDistance(model, found["spreads"], float(found["unlike"][0])), feature_names)


# The attributes of a `Basis`, and how many dimensions each has in a file.
_BASIS = {
    "middle": 1,
    "width": 1,
    "mean": 1,
    "spread": 1,
    "turn": 1,
    "near": 1,
    "far": 1,
    "landmarks": 2,
    "projection": 2,
    "centre": 1,
}
_KINDS: dict[str, type[SavedMetric]] = {LinearMetric.kind: LinearMetric, LatentMetric.kind: LatentMetric}


def as_saved(metric: Any, feature_names: Sequence[str] | None = None) -> SavedMetric:
    """Return a fitted metric learner in the form in which it is saved."""
    names = None if feature_names is None else [*feature_names]
    if isinstance(metric, tuple(_KINDS.values())):
        return cast(SavedMetric, metric if names is None else replace(cast(Any, metric), feature_names=names))
    components, distance = getattr(metric, "components_", None), getattr(metric, "distance_", None)
    if components is None and not isinstance(distance, LearnedDistance):
        raise TypeError(
            f"{type(metric).__name__} cannot be saved: it has no components_; fit it first, or use a "
            "LatentClassMetric or one that is a linear map, such as SchultzJoachims"
        )
    n_features = distance.model.basis.n_features if components is None else np.shape(components)[1]  # type: ignore[union-attr]
    if names is None:
        names = [f"feature {place}" for place in range(1, n_features + 1)]
    if components is None:
        return LatentMetric(cast(LearnedDistance, distance), names)
    return LinearMetric(components, names)


def save_metric(metric: Any, path: str | PathLike[str], feature_names: Sequence[str] | None = None) -> None:
    """Write a metric to a file, whole or not at all.

    Parameters
    ----------
    metric : fitted metric learner, or what `load_metric` returned
    path : path
        Ends in ``.json`` or ``.npz``.
    feature_names : sequence of str, optional
        What the columns of the features are called.

    Examples
    --------
    >>> import tempfile
    >>> from tercet.metrics import SchultzJoachims
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> metric = SchultzJoachims(preprocessor=X).fit([[0, 1, 2]], [1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_metric(metric, Path(folder) / "metric.json", ["size", "weight"])
    ...     loaded = load_metric(Path(folder) / "metric.json")
    >>> loaded.feature_names, bool((loaded.transform(X) == metric.transform(X)).all())
    (('size', 'weight'), True)
    """
    path = Path(path)
    saved = as_saved(metric, feature_names)
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": saved.kind,
        "tercet": version("tercet"),
        "feature_names": list(saved.feature_names),
    }
    if path.suffix.lower() == ".json":
        numbers = {name: array.tolist() for name, array in saved.arrays().items()}
        write_whole(path, json.dumps({**header, **numbers}, ensure_ascii=False, indent=1) + "\n")
    elif path.suffix.lower() == ".npz":
        stream = io.BytesIO()
        arrays: dict[str, Any] = {"header": np.array(json.dumps(header)), **saved.arrays()}
        np.savez(stream, **arrays)
        write_whole(path, stream.getvalue())
    else:
        raise ValueError(f"{path} ends in {path.suffix!r}; save a metric as .json or .npz")


def load_metric(path: str | PathLike[str]) -> SavedMetric:
    """Read what `save_metric` wrote, and refuse everything else.

    Returns
    -------
    SavedMetric
        With ``feature_names``, ``transform`` and ``pair_distance``, which give what the learner gave.
    """
    path = Path(path)
    content = path.read_bytes()
    try:
        is_npz = zipfile.is_zipfile(io.BytesIO(content))
        header, arrays = _from_npz(content) if is_npz else _from_json(content)
        kind = _check_header(header)
        return kind.from_arrays(arrays, header["feature_names"])
    except (TypeError, ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is no metric that can be used: {error}") from error


def _from_npz(content: bytes) -> tuple[dict[str, Any], Arrays]:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        if "header" not in file.files:
            raise ValueError("it is an NPZ file of something else; learn one with tercet learn")
        header = json.loads(str(file["header"]))
        if not isinstance(header, dict):
            raise ValueError("its header is damaged")
        return header, {name: file[name] for name in file.files if name != "header"}


def _from_json(content: bytes) -> tuple[dict[str, Any], Arrays]:
    try:
        header = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError("it is neither JSON nor NPZ; learn one with tercet learn") from None
    if not isinstance(header, dict):
        raise ValueError("it is JSON of something else; learn one with tercet learn")
    texts = ("format", "version", "kind", "tercet", "feature_names")
    return header, {name: value for name, value in header.items() if name not in texts and value is not None}


def _check_header(header: dict[str, Any]) -> type[SavedMetric]:
    if header.get("format") != _FORMAT:
        raise ValueError(f'it has no "format": "{_FORMAT}"; learn one with tercet learn')
    found = header.get("version")
    if found != _VERSION:
        raise ValueError(f"it has version {found!r}, and this Tercet reads {_VERSION}; upgrade Tercet")
    if not isinstance(header.get("feature_names"), list):
        raise ValueError(f"its feature_names are {header.get('feature_names')!r}, and no list")
    kind = header.get("kind")
    if kind not in _KINDS:
        raise ValueError(
            f"it is of the kind {kind!r}, and this Tercet knows {', '.join(_KINDS)}; upgrade Tercet"
        )
    return _KINDS[kind]


def _check_names(names: Sequence[Any]) -> None:
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong:
        raise ValueError(f"a feature is called {wrong[0]!r}; names must be text, and not empty")
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise ValueError(f"two features are called {twice!r}; give each its own name")


def _checked(name: str, values: Any, n_dimensions: int) -> Floats:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must hold numbers ({error})") from None
    if array.ndim != n_dimensions:
        raise ValueError(f"{name} must have {n_dimensions} dimensions, not the shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds numbers that are NaN or infinite")
    return array
