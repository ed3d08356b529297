"""Nearest items, and the members of clusters, in the space as last learned."""

from __future__ import annotations

import numpy as np
from fastapi import HTTPException

from tercet.labelling import Session, View
from tercet.neighbours import Neighbours
from tercet.web import schemas
from tercet.web.describing import item_out


def current_view(session: Session, *, newest: bool = False) -> View:
    """Return what was learned last, or say that there is nothing yet; perhaps wait for the newest answers."""
    view = session.view(patience=30.0 if newest else 10.0, newest=newest)
    if view is None:
        raise HTTPException(503, "nothing was learned yet; try again in a moment", {"Retry-After": "2"})
    return view


def nearest_items(session: Session, index: int, n: int) -> schemas.NeighboursOut:
    """Return an item and its nearest neighbours."""
    view, items = current_view(session), session.items
    # To fit and ask for one item is a single pass, faster than anything that is prepared.
    search = Neighbours(view.metric, method="exact").fit(items.features)
    distances, places = search.of_items([index], min(n, len(items) - 1))
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
