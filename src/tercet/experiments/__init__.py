"""Experiments with simulated people: the protocol, its tables and its figures."""

from tercet.experiments.protocol import METHODS, PAPER_METHODS, REFERENCES, Trial, run_method
from tercet.experiments.rows import Row
from tercet.experiments.tables import learning_table

__all__ = ["METHODS", "PAPER_METHODS", "REFERENCES", "Row", "Trial", "learning_table", "run_method"]
