"""Where answers live: one contract, several stores."""

from typing import TYPE_CHECKING, Any

from tercet.stores._contract import Purpose, Recorded, Reply, Shown, Store, Study
from tercet.stores._errors import (
    NewerDatabaseError,
    OtherItemsError,
    StoreError,
    UnknownQuestionError,
    UnknownStudyError,
)
from tercet.stores._rows import guarded
from tercet.stores.memory import MemoryStore

if TYPE_CHECKING:
    from tercet.stores.sql import SqlStore

__all__ = [
    "MemoryStore",
    "NewerDatabaseError",
    "OtherItemsError",
    "Purpose",
    "Recorded",
    "Reply",
    "Shown",
    "SqlStore",
    "Store",
    "StoreError",
    "Study",
    "UnknownQuestionError",
    "UnknownStudyError",
    "guarded",
]


def __getattr__(name: str) -> Any:
    """Load SqlStore only when it is wanted: everything else works without SQLAlchemy."""
    if name != "SqlStore":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from tercet.stores.sql import SqlStore
    except ImportError as error:
        raise ImportError(
            f"SqlStore needs SQLAlchemy and Alembic ({error}): pip install 'tercet[sql]'"
        ) from error
    return SqlStore
