"""Metric learners in metric-learn's conventions."""

from tercet.metrics.latent_class import LatentClassMetric
from tercet.metrics.rosales_fung import RosalesFung, RosalesFungSupervised
from tercet.metrics.schultz_joachims import SchultzJoachims, SchultzJoachimsSupervised

__all__ = [
    "LatentClassMetric",
    "RosalesFung",
    "RosalesFungSupervised",
    "SchultzJoachims",
    "SchultzJoachimsSupervised",
]
