"""Metric learners in metric-learn's conventions."""

from tercet.metrics.rosales_fung import RosalesFung, RosalesFungSupervised
from tercet.metrics.schultz_joachims import SchultzJoachims, SchultzJoachimsSupervised

__all__ = ["RosalesFung", "RosalesFungSupervised", "SchultzJoachims", "SchultzJoachimsSupervised"]
