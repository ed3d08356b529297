"""Where answers live: one contract, several stores."""

from tercet.stores._contract import Purpose, Recorded, Reply, Shown, Store, Study

__all__ = ["Purpose", "Recorded", "Reply", "Shown", "Store", "Study"]
