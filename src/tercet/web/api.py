"""The API: questions, answers, undo, results. Handlers are synchronous: they run in threads and may block."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Query

from tercet.labelling import UnknownAnswerError
from tercet.stores import StoreError
from tercet.web import schemas
from tercet.web.context import Annotator, Parts, Visitor, our_own
from tercet.web.describing import addresses, item_out, results_out, standing_out
from tercet.web.neighbourhood import cluster_members, nearest_items

_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": schemas.Problem} for code in (401, 403, 409, 413, 421, 422, 503, 507)
}
router = APIRouter(prefix="/api", tags=["labelling"], responses=_ERRORS)
Index = Annotated[int, Path(ge=0, le=2**31 - 1)]


@router.get("/question")
def question(context: Parts, annotator: Annotator) -> schemas.StandingOut:
    """Return the question before this annotator."""
    try:
        return standing_out(context.session.items, context.session.question(annotator))
    except StoreError as error:
        raise HTTPException(507, str(error)) from error


@router.post("/answers", dependencies=[Depends(our_own)], responses={404: {"model": schemas.Problem}})
def answer(context: Parts, annotator: Annotator, given: schemas.AnswerIn) -> schemas.AnswerOut:
    """Store an answer and return the next question. It is then on disk; sending it again is safe."""
    session = context.session
    try:
        outcome = session.answer(annotator, given.key, given.choice, given.response_ms)
    except UnknownAnswerError as error:
        raise HTTPException(404, str(error)) from error
    except StoreError as error:
        raise HTTPException(507, f"the answer is not saved: {error}") from error
    return schemas.AnswerOut(
        number=outcome.recorded.number,
        new=outcome.new,
        right=outcome.right,
        standing=standing_out(session.items, outcome.standing),
    )


@router.post("/undo", dependencies=[Depends(our_own)])
def undo(context: Parts, annotator: Annotator, given: schemas.UndoIn) -> schemas.UndoOut:
    """Take back the last answer, if it has this key; sending it again changes nothing."""
    try:
        taken, standing = context.session.undo(annotator, given.key)
    except StoreError as error:
        raise HTTPException(507, f"nothing was taken back: {error}") from error
    return schemas.UndoOut(undone=taken is not None, standing=standing_out(context.session.items, standing))


@router.get("/ahead")
def ahead(context: Parts, annotator: Annotator) -> schemas.AheadOut:
    """Return what the next question may need, so that the page can load it."""
    places = {place for triplet in context.session.ahead(annotator) for place in triplet}
    return schemas.AheadOut(preload=addresses(context.session.items, places))


@router.get("/results")
def results(
    context: Parts,
    visitor: Visitor,
    seen: Annotated[int, Query(ge=-1, le=2**53)] = -1,
    picture: Annotated[str, Query(max_length=64)] = "",
) -> schemas.ResultsOut:
    """Return figures and picture; those that the page has (``seen``, ``picture``) are left out."""
    revision, summary = context.session.summary()
    return results_out(context.session, revision, summary, context.session.view(), seen, picture)


@router.get("/items/{index}", responses={404: {"model": schemas.Problem}})
def item(context: Parts, visitor: Visitor, index: Index) -> schemas.ItemOut:
    """Return an item."""
    if index >= len(context.session.items):
        raise HTTPException(404, f"there is no item {index}")
    return item_out(context.session.items, index)


@router.get("/items/{index}/neighbours", responses={404: {"model": schemas.Problem}})
def neighbours(
    context: Parts, visitor: Visitor, index: Index, n: Annotated[int, Query(ge=1, le=100)] = 12
) -> schemas.NeighboursOut:
    """Return an item and those nearest to it in the learned space."""
    if index >= len(context.session.items):
        raise HTTPException(404, f"there is no item {index}")
    return nearest_items(context.session, context.searches, index, n)


@router.get("/clusters/{cluster}", responses={404: {"model": schemas.Problem}})
def cluster(
    context: Parts,
    visitor: Visitor,
    cluster: Index,
    start: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    n: Annotated[int, Query(ge=1, le=200)] = 48,
) -> schemas.ClusterOut:
    """Return items of a cluster, those nearest to its centre first."""
    return cluster_members(context.session, cluster, start, n)
