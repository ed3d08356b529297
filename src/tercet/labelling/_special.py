"""Practice and catch questions: with an answer that everybody can give, and never told to the model."""

from __future__ import annotations

import zlib

import numpy as np

from tercet._random import Seeds
from tercet.items import Items
from tercet.labelling._ledger import Triplet

#: Items that an easy question is looked for among.
_SAMPLE = 2_000


def practice_triplets(items: Items, n: int, seeds: Seeds) -> list[Triplet]:
    """Return n questions that are easily told apart: the head, its nearest item, and one far away.

    Near and far are by the standardised features, since nothing was learned yet.
    """
    rng = seeds.generator("practice")
    size = min(len(items), _SAMPLE)
    sample = np.sort(rng.choice(len(items), size, replace=False))
    points = np.asarray(items.features[sample], dtype=np.float64)
    spread = points.std(axis=0)
    points = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    heads = rng.permutation(size)
    triplets: list[Triplet] = []
    for head in (heads[number % size] for number in range(n)):
        away = ((points - points[head]) ** 2).sum(axis=1)
        away[head] = np.inf
        near = int(np.argmin(away))
        away[head] = -np.inf
        # Not the farthest of all: that is often one odd item, the same for every head.
        far = int(np.argsort(away)[-max(1, size // 20)])
        if far in (near, head):
            far = int(np.argmax(away))
        if far == near:
            continue
        triplets.append((int(sample[head]), int(sample[near]), int(sample[far])))
    return triplets


def is_catch(annotator: str, number: int, every: int, seeds: Seeds) -> bool:
    """Return whether this annotator's question of this number is a catch question: about one in ``every``."""
    if not every or number == 0:
        return False
    return bool(seeds.generator("catch", _as_number(annotator), number).random() < 1.0 / every)


def catch_triplet(n_items: int, annotator: str, number: int, seeds: Seeds) -> Triplet:
    """Return a question whose head is also its first candidate."""
    rng = seeds.generator("catch items", _as_number(annotator), number)
    head, other = (int(place) for place in rng.choice(n_items, 2, replace=False))
    return head, head, other


def random_triplet(n_items: int, annotator: str, number: int, seeds: Seeds) -> Triplet:
    """Return any question at all."""
    rng = seeds.generator("any", _as_number(annotator), number)
    head, j, k = (int(place) for place in rng.choice(n_items, 3, replace=False))
    return head, j, k


def left_candidate(annotator: str, number: int, seeds: Seeds) -> str:
    """Return which candidate goes to the left: j or k, at random."""
    return "jk"[int(seeds.generator("side", _as_number(annotator), number).integers(2))]


def _as_number(annotator: str) -> int:
    return zlib.crc32(annotator.encode())
