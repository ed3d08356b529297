"""Belief models: the probability of each hidden class for each item."""

from tercet.beliefs.cluster_forest import ClusterForest
from tercet.beliefs.latent_class import LatentClass

__all__ = ["ClusterForest", "LatentClass"]
