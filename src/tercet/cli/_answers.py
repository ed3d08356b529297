"""Verbs about answers and metrics: export, import, learn, apply."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tercet._files import write_whole
from tercet.cli._options import DEFAULT_DATABASE, count, number


def add_verbs(verbs: Any) -> None:
    """Say what these verbs take."""
    export = verbs.add_parser("export", help="write every answer of a study to a file")
    _add_study(export)
    export.add_argument("--format", choices=["csv", "json", "parquet"], help="(by --out's ending, or csv)")
    export.add_argument("--out", type=Path, help="the file (standard output)")
    export.set_defaults(verb=_export)

    take = verbs.add_parser("import", help="add answers from an export, or from Salmon's CSV")
    take.add_argument("file", type=Path, metavar="FILE", help=".csv, .json or .parquet")
    _add_study(take)
    take.add_argument(
        "--items", metavar="FOLDER_OR_TABLE", help="begin the study with these items, if it is not there"
    )
    _add_by_position(take)
    take.set_defaults(verb=_import)

    learn = verbs.add_parser("learn", help="turn answers and features into a metric file")
    learn.add_argument(
        "answers", type=Path, metavar="ANSWERS", help="an export, or a CSV with i, j, k, answer"
    )
    learn.add_argument(
        "items", metavar="TABLE", help="the features (or a folder): CSV, Parquet or NPZ with ids"
    )
    learn.add_argument("--out", type=Path, required=True, help="the metric: .json or .npz")
    learn.add_argument("--classes", type=count, help="how many classes to expect, if that is known")
    learn.add_argument("--seed", type=number, default=0, help="same seed, same metric (0)")
    _add_by_position(learn)
    learn.set_defaults(verb=_learn)

    apply = verbs.add_parser("apply", help="transform items with a metric file")
    apply.add_argument("metric", type=Path, metavar="METRIC", help="what tercet learn wrote")
    apply.add_argument("items", type=Path, metavar="TABLE", help="the items' features (or a folder)")
    apply.add_argument(
        "--like", metavar="FOLDER_OR_TABLE", help="for texts: those that the metric was learned with"
    )
    apply.add_argument("--out", type=Path, required=True, help="the new table: .csv, .parquet or .npz")
    apply.set_defaults(verb=_apply)


def _add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--db", default=DEFAULT_DATABASE, metavar="URL", help=f"the database ({DEFAULT_DATABASE})"
    )
    parser.add_argument(
        "--study", metavar="NAME", help="(the only one in the database; a new one is named as in the file)"
    )


def _add_by_position(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by-position", action="store_true", help="Salmon's item numbers count the items in their order"
    )


def _export(options: argparse.Namespace) -> int:
    from tercet.stores import SqlStore
    from tercet.stores.transfer import FORMATS, export_answers

    ending = "" if options.out is None else options.out.suffix.lower().lstrip(".")
    format = options.format or (ending if ending in FORMATS else "csv")
    store = SqlStore(options.db, create=False)
    try:
        study = options.study or _only(store.studies())
        content = export_answers(store, study, format)
    finally:
        store.close()
    if options.out is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        write_whole(options.out, content)
        print(f"Answers of {study}: {options.out}")
    return 0


def _import(options: argparse.Namespace) -> int:
    from tercet.stores import MemoryStore, SqlStore, Store, Study
    from tercet.stores.transfer import Imported, import_answers, study_in

    if not options.file.is_file():
        raise FileNotFoundError(f"there is no file {options.file}; is the name right?")
    items = None if options.items is None else _load(options.items)

    def take(store: Store) -> tuple[str, Imported]:
        names = store.studies()
        study = options.study or (_only(names) if names else study_in(options.file) or options.file.stem)
        begin = None if items is None else Study(study, items.fingerprint, items.ids)
        return study, import_answers(store, study, options.file, begin=begin, by_position=options.by_position)

    if not SqlStore.is_there(options.db):
        take(MemoryStore())  # what cannot be imported should not leave an empty database behind
    store = SqlStore(options.db)
    try:
        study, done = take(store)
    finally:
        store.close()
    print(f"Answers read: {done.answers}, new in {study}: {done.new}")
    return 0


def _learn(options: argparse.Namespace) -> int:
    from tercet.learner import ActiveLearner
    from tercet.metric_files import save_metric
    from tercet.stores.transfer import read_comparisons

    if options.out.suffix.lower() not in (".json", ".npz"):
        raise ValueError(f"{options.out} ends in {options.out.suffix!r}; save a metric as .json or .npz")
    items = _load(options.items)
    comparisons = read_comparisons(options.answers, items.ids, by_position=options.by_position)
    if not len(comparisons.decided):
        raise ValueError(
            f"{options.answers} has no yes or no answer to learn from; answer some questions first"
        )
    learner = ActiveLearner(
        items.features, options.classes, random_state=options.seed, comparisons=comparisons
    )
    save_metric(learner.metric_, options.out, items.feature_names)
    print(f"Metric of {len(comparisons)} answers about {len(items)} items: {options.out}")
    return 0


def _apply(options: argparse.Namespace) -> int:
    from tercet.datasets._named_columns import write_table
    from tercet.metric_files import load_metric

    metric = load_metric(options.metric)
    ids, X = _features(options, metric.feature_names)
    Z = metric.transform(X)
    write_table(options.out, ids, Z, [f"z{place}" for place in range(1, Z.shape[1] + 1)])
    print(f"{len(ids)} items transformed: {options.out}")
    return 0


def _features(options: argparse.Namespace, names: Sequence[str]) -> tuple[list[str], Any]:
    """Return ids and these features of the items to transform: a table's own, or computed."""
    from tercet.datasets._named_columns import LackingFeaturesError, read_named_columns

    lacking = ValueError(f"{options.items} has other features than {options.metric} was learned with")
    if not options.items.is_dir():
        try:
            return read_named_columns(options.items, names)
        except LackingFeaturesError as error:
            lacking = error
    like = None if options.like is None else _load(options.like)
    items = _load(options.items, like=like, fewest=1)
    if list(items.feature_names) == list(names):
        return list(items.ids), items.features
    if options.like is not None:
        raise ValueError(f"{options.metric} was not learned with the texts of {options.like}; name those")
    if any(media is not None and media.kind == "text" for media in items.media):
        raise ValueError(
            f"{lacking}. The features of texts are those of a whole collection: name the one that "
            f"{options.metric} was learned with by --like"
        )
    raise lacking


def _only(names: list[str]) -> str:
    if len(names) != 1:
        has = f"has the studies {', '.join(names)}; say which by --study" if names else "has no study yet"
        raise ValueError(f"the database {has}")
    return names[0]


def _load(source: str, **options: Any) -> Any:
    from tercet.media import load_items

    return load_items(source, **options)
