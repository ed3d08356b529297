"""The paper's eight datasets, a user's own tables, and generated sets with known answers."""

from tercet.datasets._generators import gaussian_classes, waveform
from tercet.datasets._loaders import (
    Availability,
    ChecksumError,
    DatasetNotFoundError,
    available,
    describe,
    load,
)
from tercet.datasets._registry import DATASETS, Dataset, find
from tercet.datasets._tables import Loaded, load_table

__all__ = [
    "DATASETS",
    "Availability",
    "ChecksumError",
    "Dataset",
    "DatasetNotFoundError",
    "Loaded",
    "available",
    "describe",
    "find",
    "gaussian_classes",
    "load",
    "load_table",
    "waveform",
]
