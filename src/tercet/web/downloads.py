"""Files to take away: answers, transformed features, clusters, the metric."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from fastapi import APIRouter, HTTPException
from fastapi.responses import Response, StreamingResponse

from tercet.items import Items
from tercet.labelling import View
from tercet.metric_files import save_metric
from tercet.stores import guarded
from tercet.web.context import Parts, Readable, Visitor
from tercet.web.neighbourhood import current_view

router = APIRouter(prefix="/download", include_in_schema=False, route_class=Readable)
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "npz": "application/octet-stream",
}
_ROWS = 5_000


@router.get("/answers.{format}")
def answers(context: Parts, visitor: Visitor, format: Literal["csv", "json", "parquet"]) -> Response:
    """Return every answer with all that is known about it."""
    try:
        content = context.session.export(format)
    except ImportError as error:
        raise HTTPException(501, str(error)) from error
    return Response(
        content, media_type=_TYPES[format], headers=_named(context.session.study, "answers", format)
    )


@router.get("/metric.{format}")
def metric(context: Parts, visitor: Visitor, format: Literal["json", "npz"]) -> Response:
    """Return the learned metric as a file that ``tercet apply`` takes."""
    view = current_view(context.session, newest=True)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"metric.{format}"
        save_metric(view.metric, path, [str(name) for name in context.session.items.feature_names])
        content = path.read_bytes()
    return Response(
        content, media_type=_TYPES[format], headers=_named(context.session.study, "metric", format)
    )


@router.get("/features.csv")
def features(context: Parts, visitor: Visitor) -> Response:
    """Return every item's place in the learned space."""
    rows = _feature_rows(current_view(context.session, newest=True), context.session.items)
    return StreamingResponse(
        rows, media_type=_TYPES["csv"], headers=_named(context.session.study, "features", "csv")
    )


@router.get("/clusters.csv")
def clusters(context: Parts, visitor: Visitor) -> Response:
    """Return every item's cluster."""
    view, items = current_view(context.session, newest=True), context.session.items
    rows = _csv(("id", "cluster"), zip(items.ids, (view.labels + 1).tolist(), strict=True))
    return StreamingResponse(
        rows, media_type=_TYPES["csv"], headers=_named(context.session.study, "clusters", "csv")
    )


def _feature_rows(view: View, items: Items) -> Iterator[str]:
    first = np.asarray(view.metric.transform(np.asarray(items.features[:1], dtype=np.float64)))
    header = ("id", *(f"z{place}" for place in range(1, first.shape[1] + 1)))

    def rows() -> Iterator[tuple[object, ...]]:
        for start in range(0, len(items), _ROWS):
            block = np.asarray(items.features[start : start + _ROWS], dtype=np.float64)
            places = np.asarray(view.metric.transform(block)).tolist()
            for name, place in zip(items.ids[start : start + _ROWS], places, strict=True):
                yield (name, *place)

    return _csv(header, rows())


def _csv(header: tuple[str, ...], rows: Iterator[tuple[object, ...]]) -> Iterator[str]:
    """Return a table in pieces, so that a large one is never in memory whole."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    for number, row in enumerate(rows, start=1):
        writer.writerow((guarded(str(row[0])), *row[1:]))
        if number % 1000 == 0:
            yield stream.getvalue()
            stream.seek(0)
            stream.truncate()
    yield stream.getvalue()


def _named(study: str, what: str, format: str) -> dict[str, str]:
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", study).strip("-")[:60] or "study"
    return {"content-disposition": f'attachment; filename="{safe}-{what}.{format}"'}
