"""Latent classes: what the metric and the beliefs of that name share, fitted once."""

from tercet.latent._choices import Settings, fit_latent
from tercet.latent._distance import LearnedDistance, Scale
from tercet.latent._doubt import Doubt
from tercet.latent._fit import Answers, ClassModel

__all__ = ["Answers", "ClassModel", "Doubt", "LearnedDistance", "Scale", "Settings", "fit_latent"]
