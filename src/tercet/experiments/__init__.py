"""Experiments with simulated people: the protocol, its tables and its figures."""

from tercet.experiments.protocol import METHODS, Mark, Trial, simulate
from tercet.experiments.tables import learning_table

__all__ = ["METHODS", "Mark", "Trial", "learning_table", "simulate"]
