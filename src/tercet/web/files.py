"""Media of items, by their number: nothing else of the disk can be reached."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from math import ceil, sqrt
from pathlib import Path
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException
from fastapi import Path as InPath
from fastapi.responses import FileResponse, Response

from tercet.items import Items
from tercet.media import as_playable, spectrogram, thumbnail
from tercet.web.context import Context, Parts, Readable, Visitor
from tercet.web.security import MEDIA_POLICY

router = APIRouter(include_in_schema=False, route_class=Readable)
Index = Annotated[int, InPath(ge=0, le=2**31 - 1)]
THUMBNAIL_SIDE = 160
#: The side of an item's picture in the atlas.
TILE = 40
#: It takes seconds to make, and two pages may ask at once.
_ONE_ATLAS = Lock()
# What reading an item's file may end in: `UnreadableError` is a ValueError. Anything else is a fault of ours.
_CANNOT_SHOW = (IndexError, OSError, ValueError)
_HEADERS = {"content-security-policy": MEDIA_POLICY, "cache-control": "private, max-age=86400"}


@router.get("/media/{index}")
def media(
    context: Parts, visitor: Visitor, index: Index, part: Annotated[str, Header(alias="range")] = ""
) -> Response:
    """Return an item's file, or what a browser can play of it, which may take long to make."""
    try:
        content, kind = context.drawn.find(index) or as_playable(context.session.items, index)
    except _CANNOT_SHOW as error:
        raise _unreadable(error) from error
    if isinstance(content, Path):
        return FileResponse(content, media_type=kind, headers=_HEADERS)
    context.drawn.keep(index, (content, kind))
    return _part(content, kind, part)


@router.get("/thumbnails/{index}")
def small(context: Parts, visitor: Visitor, index: Index) -> Response:
    """Return a small picture of an item."""
    return _picture(context, _small, index)


@router.get("/spectrograms/{index}")
def sound(context: Parts, visitor: Visitor, index: Index) -> Response:
    """Return a picture of a sound."""
    return _picture(context, spectrogram, index)


@router.get("/atlas")
def atlas(context: Parts, visitor: Visitor) -> Response:
    """Return small pictures of all items on the results page, row by row in one picture."""
    view = context.session.view(patience=10.0)
    if view is None:
        raise HTTPException(503, "nothing was learned yet; try again in a moment", {"Retry-After": "2"})
    items, places = context.session.items, view.sample.tolist()
    with _ONE_ATLAS:
        content, kind = context.drawn.get("atlas", lambda: (_atlas(items, places), "image/jpeg"))
    return Response(content, media_type=kind, headers=_HEADERS)


def _picture(context: Context, draw: Callable[[Items, int], bytes], index: int) -> Response:
    """Return a picture, from memory if somebody saw it: a sound takes a tenth of a second to draw."""
    items = context.session.items
    try:
        content, kind = context.drawn.get((draw, index), lambda: (draw(items, index), "image/png"))
    except _CANNOT_SHOW as error:
        raise _unreadable(error) from error
    return Response(content, media_type=kind, headers=_HEADERS)


def _part(content: bytes, kind: str, wanted: str) -> Response:
    """Return the part that a browser asks for, as for files; some play nothing where they get no parts."""
    headers, size = {**_HEADERS, "accept-ranges": "bytes"}, len(content)
    asked = re.fullmatch(r"bytes=([0-9]{0,15})-([0-9]{0,15})", wanted)
    if asked is None or not any(asked.groups()):
        return Response(content, media_type=kind, headers=headers)
    first, last = asked.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    if start > end:
        return Response(status_code=416, headers={"content-range": f"bytes */{size}"})
    headers["content-range"] = f"bytes {start}-{end}/{size}"
    return Response(content[start : end + 1], 206, headers, kind)


def _small(items: Items, index: int) -> bytes:
    return thumbnail(items, index, THUMBNAIL_SIDE)


def _atlas(items: Items, places: list[int]) -> bytes:
    from PIL import Image

    columns = ceil(sqrt(len(places)))
    sheet = Image.new("RGB", (columns * TILE, ceil(len(places) / columns) * TILE), "white")
    for number, place in enumerate(places):
        try:
            picture = Image.open(io.BytesIO(thumbnail(items, place, TILE)))
        except _CANNOT_SHOW:  # a file that went bad leaves its tile empty
            continue
        x, y = number % columns * TILE, number // columns * TILE
        sheet.paste(picture, (x + (TILE - picture.width) // 2, y + (TILE - picture.height) // 2))
    stream = io.BytesIO()
    sheet.save(stream, "JPEG", quality=88)
    return stream.getvalue()


def _unreadable(error: Exception) -> HTTPException:
    """Say that an item cannot be shown; the reason may name folders, so it stays here."""
    if isinstance(error, (IndexError, FileNotFoundError)):
        return HTTPException(404, "there is no such item, or its file is gone")
    return HTTPException(415, "this item's file cannot be shown")
