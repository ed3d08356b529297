"""A folder or a table as items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from tercet._validation import check_count
from tercet.items import Items, Kind, Media
from tercet.media._cache import FeatureCache
from tercet.media._errors import reason_of
from tercet.media._extracting import Extracted, Progress, extract, extractor_name
from tercet.media._finding import LeftOut, find_files, why_not
from tercet.media._formats import FORMATS, format_of
from tercet.media._item_tables import FEWEST, TABLES, ItemTable, read_item_table
from tercet.media._texts import read_text, text_features


@dataclass(frozen=True)
class _How:
    """What `load_items` was told about computing features."""

    cache: str | PathLike[str] | None
    progress: Progress | None
    n_jobs: int | None
    like: Items | None
    fewest: int


def load_items(
    source: str | PathLike[str],
    *,
    features_cache: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
    like: Items | None = None,
    fewest: int = FEWEST,
) -> Items:
    r"""Return a folder or a table as items, and compute their features if none come with them.

    Parameters
    ----------
    source : path
        A folder of images, sound, video or text files, searched with all folders in it: the files of the
        most frequent kind are the items, with their paths from the folder as ids. Or a ``.csv``,
        ``.parquet`` or ``.npz`` table with a column (array) ``id``, features (columns of numbers; array
        ``X``), and perhaps files (``path``, ``file``, ``image``, ``audio`` ...; relative to the table) or
        texts (``text``).
    features_cache : path, optional
        The folder that keeps computed features for the next start; by default in the user's cache folder.
    progress : callable, optional
        Called with the number of items done, of all items, and what is being done.
    n_jobs : int, optional
        Processes that compute features; by default one, and one for every core if it takes long.
    like : Items, optional
        Texts whose words and topics are the features of these, so that a metric of those applies to these.
        Other kinds need none: the features of a file are its own.
    fewest : int
        So many items there must be; by default as many as a question is about.

    Returns
    -------
    Items
        What could not be read is in `left_out`, with the reason.

    Raises
    ------
    FileNotFoundError
        If there is no such folder or table.
    ImportError
        If an extra is missing that reads such files.
    ValueError
        If fewer than ``fewest`` items are left, or the table cannot be understood.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "fruit.csv"
    ...     _ = path.write_text("id,size,weight\napple,7,150\npear,8,170\nbanana,18,120\n")
    ...     fruit = load_items(path)
    >>> fruit.ids, fruit.feature_names, fruit.features[2].tolist()
    (['apple', 'pear', 'banana'], ['size', 'weight'], [18.0, 120.0])
    """
    if n_jobs is not None:
        check_count("n_jobs", n_jobs)
    how = _How(features_cache, progress, n_jobs, like, check_count("fewest", fewest))
    path = Path(source).expanduser().absolute()
    if path.is_dir():
        items = _from_folder(path, how)
    elif path.is_file():
        if path.suffix.lower() not in TABLES:
            raise ValueError(
                f"{path} is a file that ends in {path.suffix!r}; name a folder, or a table that ends "
                f"in {', '.join(TABLES)}"
            )
        items = _from_table(path, how)
    else:
        raise FileNotFoundError(f"there is no folder or table {path}; is the name right?")
    if len(items) < fewest:
        why = "".join(f"; {name} was left out: {reason}" for name, reason in items.left_out[:3])
        needs = f"a question needs {FEWEST}" if fewest == FEWEST else f"at least {fewest} are needed"
        raise ValueError(f"{path} holds {len(items)} items that can be used, and {needs}{why}; add more")
    return items


def _from_folder(root: Path, how: _How) -> Items:
    found = find_files(root)
    result = _features_of_files(found.kind, root, found.names, how)
    names = [found.names[place] for place in result.kept]
    return Items(
        ids=names,
        features=result.features,
        feature_names=list(result.feature_names),
        media=[Media(found.kind, Path(name)) for name in names],
        root=root,
        left_out=sorted([*found.left_out, *result.left_out]),
    )


def _from_table(path: Path, how: _How) -> Items:
    table = read_item_table(path)
    left_out = list(table.left_out)
    media: list[Media | None] = [None] * len(table.ids)
    kept = list(range(len(table.ids)))
    if table.files is not None:
        kept = []
        for place, (name, file) in enumerate(zip(table.ids, table.files, strict=True)):
            shown = _file_of(path.parent, file)
            if isinstance(shown, str):
                left_out.append((name, shown))
            else:
                media[place] = shown
                kept.append(place)
    elif table.texts is not None:
        media = [Media("text", text=text) for text in table.texts]
        kept = [place for place, text in enumerate(table.texts) if text.strip()]
        left_out += [
            (name, "it holds no text")
            for name, text in zip(table.ids, table.texts, strict=True)
            if not text.strip()
        ]
    features: Any
    if table.feature_names:
        features, names = table.features[kept], table.feature_names
    elif len(kept) < how.fewest:
        features, names = np.empty((len(kept), 0)), []
    elif table.texts is not None:
        texts = table.texts
        features, names = text_features(lambda: (texts[place] for place in kept), _texts_like(how.like))
    else:
        kept, result = _compute(table, media, kept, path.parent, left_out, how)
        features, names = result.features, list(result.feature_names)
    return Items(
        ids=[table.ids[place] for place in kept],
        features=features,
        feature_names=names,
        media=[media[place] for place in kept],
        root=path.parent,
        left_out=left_out,
    )


def _compute(
    table: ItemTable,
    media: Sequence[Media | None],
    kept: Sequence[int],
    root: Path,
    left_out: LeftOut,
    how: _How,
) -> tuple[list[int], Extracted]:
    """Compute the features of the files that a table names; of several kinds only the most frequent one."""
    shown = {place: item for place in kept if (item := media[place]) is not None and item.path is not None}
    counts = Counter(item.kind for item in shown.values())
    kind = min(counts, key=lambda kind: (-counts[kind], kind))
    for place, item in shown.items():
        if item.kind != kind:
            left_out.append(
                (table.ids[place], f"its file is {item.kind}, and this study is about {kind} files")
            )
    places = [place for place, item in shown.items() if item.kind == kind]
    names = [PurePath(shown[place].path or "").as_posix() for place in places]
    result = _features_of_files(kind, root, names, how)
    reasons = dict(result.left_out)
    left_out += [
        (table.ids[place], f"its file {name} is left out: {reasons[name]}")
        for name, place in zip(names, places, strict=True)
        if name in reasons
    ]
    return [places[number] for number in result.kept], result


def _file_of(root: Path, file: str) -> Media | str:
    """Return the file that a table names, or why it cannot be shown."""
    if not file:
        return "it names no file"
    form = format_of(file)
    if form is None:
        return f"its file {file} ends in none of {', '.join(FORMATS)}"
    try:
        inside = (root / file).relative_to(root)
        reason = why_not(root, inside.as_posix())
    except ValueError:  # elsewhere, or a name that no file can have
        reason = f"it is not in {root}; put the table beside its files, and name them from there"
    return Media(form.kind, inside) if reason is None else f"its file {file} is left out: {reason}"


def _features_of_files(kind: Kind, root: Path, names: Sequence[str], how: _How) -> Extracted:
    if kind == "text":
        return _features_of_texts(root, names, how)
    cache = FeatureCache(how.cache, root, extractor_name(kind))
    return extract(kind, root, names, cache=cache, progress=how.progress, n_jobs=how.n_jobs)


def _features_of_texts(root: Path, names: Sequence[str], how: _How) -> Extracted:
    kept: list[int] = []
    reasons: dict[str, str] = {}

    def texts(tell: Progress | None = None) -> Iterator[str]:
        kept.clear()
        for place, name in enumerate(names):
            try:
                text = read_text(root / name)
            except (OSError, ValueError) as error:
                reasons[name] = reason_of(error)
            else:
                kept.append(place)
                yield text
            if tell is not None:
                tell(place + 1, len(names), "Reading text files")

    n_texts = sum(1 for _ in texts(how.progress))
    left_out = sorted(reasons.items())
    if n_texts < how.fewest:
        return Extracted(np.empty((n_texts, 0), dtype=np.float32), [], list(kept), left_out)
    features, feature_names = text_features(texts, _texts_like(how.like))
    return Extracted(features, feature_names, list(kept), sorted(reasons.items()))


def _texts_like(like: Items | None) -> Callable[[], Iterator[str]] | None:
    """Return what gives the whole texts of these items, as often as it is asked."""
    if like is None:
        return None
    media = [item for item in like.media if item is not None and item.kind == "text"]
    root = like.root
    if root is None or len(media) < len(like):
        raise ValueError("only texts can be like other texts; the features of all else are its own")

    def texts() -> Iterator[str]:
        for item in media:
            yield item.text or "" if item.path is None else read_text(root / item.path)

    return texts
