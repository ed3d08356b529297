"""Items, questions and results as the API says them."""

from __future__ import annotations

import numpy as np

from tercet.items import Items
from tercet.labelling import Session, Standing, Summary, View
from tercet.media import text_of
from tercet.stores import Shown
from tercet.web import schemas

#: Points of a chart; of more answers, evenly spaced ones.
MOST_POINTS = 2_000
MOST_WEIGHTS = 30


def item_out(items: Items, index: int, letters: int = 5_000) -> schemas.ItemOut:
    """Return an item with the addresses of what shows it."""
    media = items.media[index]
    name = items.ids[index]
    # Browsers may keep files; another study on this port has other addresses.
    version = f"?v={items.fingerprint[:8]}"
    if media is None:
        return schemas.ItemOut(index=index, id=name, kind="text", text=name)
    if media.kind == "text":
        try:
            text = text_of(items, index, letters)
        except (OSError, ValueError):
            text = None
        return schemas.ItemOut(index=index, id=name, kind="text", text=text)
    return schemas.ItemOut(
        index=index,
        id=name,
        kind=media.kind,
        media=f"/media/{index}{version}",
        thumbnail=f"/thumbnails/{index}{version}",
        spectrogram=f"/spectrograms/{index}{version}" if media.kind == "audio" else None,
    )


def question_out(items: Items, shown: Shown) -> schemas.QuestionOut:
    """Return a question with its candidates on their sides."""
    head, j, k = (items.index[name] for name in shown.triplet)
    left, right = (j, k) if shown.left == "j" else (k, j)
    return schemas.QuestionOut(
        key=shown.key,
        head=item_out(items, head),
        left=item_out(items, left),
        right=item_out(items, right),
    )


def standing_out(items: Items, standing: Standing) -> schemas.StandingOut:
    """Return where an annotator is."""
    practice = standing.practice
    return schemas.StandingOut(
        question=None if standing.shown is None else question_out(items, standing.shown),
        answered=standing.answered,
        total=standing.total,
        practice=None if practice is None else schemas.PracticeOut(number=practice[0], of=practice[1]),
        undoable=standing.undoable,
    )


def addresses(items: Items, places: set[int]) -> list[str]:
    """Return what a browser should load ahead for these items."""
    found: list[str] = []
    for place in sorted(places):
        item = item_out(items, place, letters=1)
        found += [address for address in (item.media, item.spectrogram) if address]
    return found


def picture_out(view: View, items: Items) -> schemas.PictureOut:
    """Return a view as a page draws it."""
    labels = view.labels
    largest = np.argsort(-view.weights, kind="stable")[:MOST_WEIGHTS]
    return schemas.PictureOut(
        version=view.name.hex(),
        n_answers=view.n_answers,
        items=view.sample.tolist(),
        x=np.round(view.places[:, 0], 4).tolist(),
        y=np.round(view.places[:, 1], 4).tolist(),
        clusters=labels[view.sample].tolist(),
        sizes=np.bincount(labels, minlength=view.n_clusters).tolist(),
        explained=view.explained,
        weights=[
            schemas.WeightOut(name=str(items.feature_names[place]), share=float(view.weights[place]))
            for place in largest
        ],
    )


def results_out(
    session: Session, revision: int, summary: Summary, view: View | None, seen: int, picture: str
) -> schemas.ResultsOut:
    """Return the figures; curves only if they changed since revision ``seen``, and so with the picture."""
    new = revision != seen
    step = max(1, -(-len(summary.curve) // MOST_POINTS))
    curve = list(summary.curve[::-1][::step][::-1])
    times = list(summary.response_ms[::-1][::step][::-1])
    people = max(1, len(summary.annotators))
    return schemas.ResultsOut(
        revision=revision,
        n_items=len(session.items),
        answered=summary.answered,
        decided=summary.decided,
        dont_know=summary.dont_know,
        skipped=summary.skipped,
        agreement=summary.agreement,
        median_ms=summary.median_ms,
        planned=session.settings.n_questions * people,
        expected=session.prospect(),
        learning=view is None or view.n_answers != summary.answered,
        problem=session.problem,
        curve=curve if new else None,
        times=times if new else None,
        annotators=list(summary.annotators),
        picture=None if view is None or view.name.hex() == picture else picture_out(view, session.items),
    )
