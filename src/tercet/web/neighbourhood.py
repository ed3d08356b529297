"""Nearest items, and the members of clusters, in the space as last learned."""

from __future__ import annotations

from threading import Lock

import numpy as np
from fastapi import HTTPException

from tercet.items import Items
from tercet.labelling import Session, View
from tercet.neighbours import Neighbours
from tercet.web import schemas
from tercet.web.describing import item_out

#: Of more items than this no search is kept: it takes about a kilobyte for each.
MOST_KEPT = 200_000


class Searches:
    """Finds neighbours in a view; that of the last view is kept, as who sees neighbours goes on to theirs.

    To bring all items into the learned space is nearly all of the work.
    """

    def __init__(self) -> None:
        self._one_at_a_time = Lock()
        self._last: tuple[bytes, Neighbours] | None = None

    def within(self, view: View, items: Items) -> Neighbours:
        """Return a search among all items."""
        with self._one_at_a_time:
            if self._last is not None and self._last[0] == view.name:
                return self._last[1]
            self._last = None  # two would take twice the memory
            # No index: to build one takes longer than to look at all items for a few questions.
            search = Neighbours(view.metric, method="exact").fit(items.features)
            if len(items) <= MOST_KEPT:
                self._last = view.name, search
            return search


def current_view(session: Session, *, newest: bool = False) -> View:
    """Return what was learned last, or say that there is nothing yet; perhaps wait for the newest answers."""
    view = session.view(patience=30.0 if newest else 10.0, newest=newest)
    if view is None:
        raise HTTPException(503, "nothing was learned yet; try again in a moment", {"Retry-After": "2"})
    return view


def nearest_items(session: Session, searches: Searches, index: int, n: int) -> schemas.NeighboursOut:
    """Return an item and its nearest neighbours."""
    view, items = current_view(session), session.items
    distances, places = searches.within(view, items).of_items([index], min(n, len(items) - 1))
    return schemas.NeighboursOut(
        item=item_out(items, index),
        cluster=int(view.labels[index]),
        neighbours=[
            schemas.NeighbourOut(item=item_out(items, int(place), letters=300), distance=float(distance))
            for distance, place in zip(distances[0], places[0], strict=True)
        ],
    )


def cluster_members(session: Session, cluster: int, start: int, n: int) -> schemas.ClusterOut:
    """Return a page of a cluster's items, those nearest to its centre first."""
    view, items = current_view(session), session.items
    if cluster >= view.n_clusters:
        raise HTTPException(404, f"there is no cluster {cluster}; they are 0 to {view.n_clusters - 1}")
    members = np.flatnonzero(view.labels == cluster)
    chosen = members[:0]
    if len(members):
        points = np.asarray(view.metric.transform(np.asarray(items.features[members], dtype=np.float64)))
        away = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
        chosen = members[np.argsort(away, kind="stable")][start : start + n]
    return schemas.ClusterOut(
        cluster=cluster,
        size=len(members),
        items=[item_out(items, int(place), letters=300) for place in chosen],
    )
