"""Selection rules: which of the candidate questions to ask."""

from tercet.selection._choose import choose, choose_together
from tercet.selection._rule import Rule, SearchingRule
from tercet.selection.info import Info
from tercet.selection.model_info import ModelInfo
from tercet.selection.nonredundant import Nonredundant
from tercet.selection.random import Random

__all__ = [
    "Info",
    "ModelInfo",
    "Nonredundant",
    "Random",
    "Rule",
    "SearchingRule",
    "choose",
    "choose_together",
]
