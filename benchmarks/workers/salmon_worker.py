"""Salmon's samplers, without its web server: an embedding of the items, and two ways to score questions."""

import logging
import warnings

import numpy as np
from salmon.triplets.samplers import TSTE
from serve import serve

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
state = {}


def load(path):
    with np.load(path) as data:
        state.update(data)
    answers = [answer(row) for row in state["answers"]]
    for scorer in ("infogain", "uncertainty"):
        state[scorer] = TSTE(n=len(state["X"]), d=2, scorer=scorer, random_state=0)
        state[scorer].process_answers(answers[:-1])
    state["last"] = answers[-1:]


def answer(triplet):
    head, winner, loser = (int(item) for item in triplet)
    return {"head": head, "left": winner, "right": loser, "winner": winner}


def update():
    """One more answer: new posterior, and the embedding trained on."""
    state["infogain"].process_answers(state["last"])


def score(scorer):
    _, scores = state[scorer].search.score(queries=state["questions"])
    return int(np.argmax(scores))


serve({"load": load, "update": update, "score": score}, ["salmon-triplets", "torch", "numpy"])
