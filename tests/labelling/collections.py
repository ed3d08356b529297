"""Small collections with known classes, and people who know them."""

import numpy as np

from tercet.items import Items

N_CLASSES = 3


def collection(n=30, d=4, seed=0, media=None, root=None):
    """Items in three well separated classes, in an order that does not show them."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n) % N_CLASSES)
    X = rng.normal(size=(n, d)) + 6.0 * labels[:, np.newaxis]
    ids = [f"item-{place:03}" for place in range(n)]
    return Items(ids, X, [f"f{place}" for place in range(d)], media or [None] * n, root=root), labels


def choice_of(items, labels, shown):
    """What somebody who sees the classes chooses."""
    head, j, k = (labels[items.index[name]] for name in shown.triplet)
    if shown.triplet[0] in shown.triplet[1:] or (head == j) != (head == k):
        nearer = "j" if shown.triplet[0] == shown.triplet[1] or head == j else "k"
        return "left" if shown.left == nearer else "right"
    return "dk"
