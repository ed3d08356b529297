"""Latent classes: what the metric and the beliefs of that name share, fitted once."""

from tercet.latent._basis import Basis
from tercet.latent._choices import Settings, chooses, fit_latent
from tercet.latent._distance import LearnedDistance
from tercet.latent._fit import Answers, ClassModel

__all__ = ["Answers", "Basis", "ClassModel", "LearnedDistance", "Settings", "chooses", "fit_latent"]
