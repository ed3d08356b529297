"""A study and its questions, for the tests of stores."""

from datetime import UTC, datetime

from tercet.stores import Shown, Study

STUDY = Study("birds", "fingerprint", ["wren", "tit", "jay", "crow"], {"seed": 3, "texts": {"title": "Ä"}})


def question(key, annotator="ada", triplet=("wren", "tit", "jay"), **changes):
    fields = {
        "left": "k",
        "purpose": "question",
        "rule": "Info()",
        "score": 0.1 + 0.2,
        "probabilities": (0.25, 0.5, 0.25),
        "at": datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=UTC),
    }
    return Shown(key, annotator, triplet, **{**fields, **changes})
