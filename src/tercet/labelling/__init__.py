"""Labelling: people answer, the metric learns while they think. No HTTP here."""

from tercet.labelling._outcome import Outcome, Standing, UnknownAnswerError
from tercet.labelling.picture import View
from tercet.labelling.results import Prospect, Summary, summarise
from tercet.labelling.session import Session
from tercet.labelling.settings import StudySettings, Texts

__all__ = [
    "Outcome",
    "Prospect",
    "Session",
    "Standing",
    "StudySettings",
    "Summary",
    "Texts",
    "UnknownAnswerError",
    "View",
    "summarise",
]
