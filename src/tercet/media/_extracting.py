"""The features of many files: from the cache, or computed, in several processes where that pays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.items import Kind
from tercet.media._cache import FeatureCache, Stamp, stamp_of
from tercet.media._errors import UnreadableError, need, reason_of
from tercet.media._finding import LeftOut

#: Called with the number of items done, the number of all, and what is being done.
Progress = Callable[[int, int, str], None]

_EXTRACTORS = {
    "image": "tercet.media._image_features",
    "audio": "tercet.media._audio_features",
    "video": "tercet.media._video_features",
}
_SAVE_EVERY = 5_000
_BATCH = 8
# Processes need seconds to start; a short job is over before.
_TRIAL_SECONDS = 2.0
_WORTH_SECONDS = 20.0


@dataclass(frozen=True)
class Extracted:
    """Features of the files that could be read, their places in the list, and why the others could not."""

    features: NDArray[np.float32]
    feature_names: Sequence[str]
    kept: list[int]
    left_out: LeftOut


def extract(
    kind: Kind,
    root: Path,
    names: Sequence[str],
    *,
    cache: FeatureCache | None = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> Extracted:
    """Return the features of image, sound or video files; ``n_jobs`` None finds out whether processes pay."""
    extractor = _extractor(kind)
    table = np.zeros((len(names), len(extractor.NAMES)), dtype=np.float32)
    stamps: list[Stamp | None] = [None] * len(names)
    done = np.zeros(len(names), dtype=bool)
    reasons: dict[int, str] = {}
    known, rows = cache.load(table.shape[1]) if cache else ({}, table)
    for place, name in enumerate(names):
        try:
            stamps[place] = stamp_of(root / name)
        except OSError as error:
            reasons[place] = reason_of(error)
            continue
        stamp, row = known.get(name, (None, 0))
        if stamp == stamps[place]:
            table[place] = rows[row]
            done[place] = True
    todo = [place for place in range(len(names)) if not done[place] and place not in reasons]

    def keep() -> None:
        if cache is not None:
            places = np.flatnonzero(done).tolist()
            cache.save(
                [names[place] for place in places], [stamps[place] or (0, 0) for place in places], table[done]
            )

    tell = progress or (lambda done, total, message: None)
    message = f"Computing features of {kind} files"
    finished = len(names) - len(todo)
    tell(finished, len(names), message)
    unsaved = 0
    try:
        for number, result in _results(kind, [root / names[place] for place in todo], n_jobs):
            place = todo[number]
            if isinstance(result, str):
                reasons[place] = result
            else:
                table[place] = result
                done[place] = True
                unsaved += 1
            finished += 1
            tell(finished, len(names), message)
            if unsaved >= _SAVE_EVERY:
                keep()
                unsaved = 0
    finally:
        if unsaved:
            keep()
    kept = np.flatnonzero(done).tolist()
    features = table if len(kept) == len(names) else table[kept]
    return Extracted(
        features, extractor.NAMES, kept, [(names[place], reasons[place]) for place in sorted(reasons)]
    )


def extractor_name(kind: Kind) -> str:
    """Return what computes the features of a kind, with its version, for the name of its cache."""
    return f"{kind}-{_extractor(kind).VERSION}"


def _extractor(kind: Kind) -> Any:
    module = import_module(_EXTRACTORS[kind])
    for library, extra in module.NEEDS:
        need(library, extra, f"computing features of {kind} files")
    return module


def _results(
    kind: Kind, paths: Sequence[Path], n_jobs: int | None
) -> Iterator[tuple[int, NDArray[np.float32] | str]]:
    """Yield the number and the features of each file, or why there are none, in any order."""
    first = 0
    if n_jobs is None or n_jobs == 1:
        started = time.process_time()
        for number, path in enumerate(paths):
            yield number, _features_or_reason(kind, path)
            first = number + 1
            if first == 1:  # which also imports and compiles
                started = time.process_time()
                continue
            spent = time.process_time() - started
            left = spent / number * (len(paths) - first)
            if n_jobs is None and spent > _TRIAL_SECONDS and left > _WORTH_SECONDS:
                break
    if first < len(paths):
        from joblib import Parallel, delayed

        batches = (
            range(start, min(start + _BATCH, len(paths))) for start in range(first, len(paths), _BATCH)
        )
        calls = (delayed(_batch)(kind, [(number, paths[number]) for number in batch]) for batch in batches)
        jobs = -1 if n_jobs is None else n_jobs
        for results in Parallel(n_jobs=jobs, return_as="generator_unordered")(calls):
            yield from results


def _batch(kind: Kind, numbered: Sequence[tuple[int, Path]]) -> list[tuple[int, NDArray[np.float32] | str]]:
    return [(number, _features_or_reason(kind, path)) for number, path in numbered]


def _features_or_reason(kind: Kind, path: Path) -> NDArray[np.float32] | str:
    try:
        row: NDArray[np.float32] = _extractor(kind).features(path)
        if not np.isfinite(row).all():
            raise UnreadableError("its features are no finite numbers; is it damaged?")
    except (
        Exception
    ) as error:  # a damaged file can make a decoder fail in any way, and must not stop the rest
        return reason_of(error, path)
    return row
