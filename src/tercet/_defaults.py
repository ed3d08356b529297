"""The parts of a learner that its user left open."""

from __future__ import annotations

from typing import Any

from tercet._validation import check_part
from tercet.beliefs import ClusterForest
from tercet.metrics import LatentClassMetric, SchultzJoachims
from tercet.pools import Pool
from tercet.selection import Info, ModelInfo, Rule


def resolve_parts(
    metric: Any | None, beliefs: Any | None, selector: Rule | None, pool: Pool | None
) -> tuple[Any, Any | None, Rule]:
    """Return metric, beliefs (None where the metric has its own) and selector, of which any may be None."""
    if metric is None:
        standard = SchultzJoachims(basis="standard", warm_start=True)
        metric = LatentClassMetric() if beliefs is None else standard
    if beliefs is None and not hasattr(metric, "predict_proba"):
        beliefs = ClusterForest()
    several = hasattr(metric if beliefs is None else beliefs, "members")
    if selector is None:
        selector = ModelInfo() if several else Info()
    check_part("selector", selector, "score")
    if getattr(selector, "needs_members", False) and not several:
        raise ValueError(
            f"{selector} compares several models of the classes; use it with metric=LatentClassMetric() or "
            "beliefs=LatentClass()"
        )
    if pool is not None and getattr(selector, "search", "pool") == "exact":
        raise ValueError(f"{selector} looks for itself, so pool={pool} is of no use; drop one")
    return metric, beliefs, selector
