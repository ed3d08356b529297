"""Belief models: the probability of each hidden class for each item."""

from tercet.beliefs.cluster_forest import ClusterForest

__all__ = ["ClusterForest"]
