"""Selection rules: which of the candidate questions to ask."""

from tercet.selection._choose import choose, choose_together
from tercet.selection._rule import Rule, SearchingRule
from tercet.selection.info import Info
from tercet.selection.nonredundant import Nonredundant
from tercet.selection.random import Random
from tercet.selection.reach import Reach

__all__ = ["Info", "Nonredundant", "Random", "Reach", "Rule", "SearchingRule", "choose", "choose_together"]
