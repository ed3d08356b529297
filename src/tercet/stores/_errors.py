"""What can go wrong with a store, each with its way out in the message."""

from __future__ import annotations


class StoreError(RuntimeError):
    """The store could not do it; nothing was recorded."""


class UnknownStudyError(StoreError, LookupError):
    """There is no study of that name."""


class UnknownQuestionError(StoreError, LookupError):
    """No question was shown under that key."""


class OtherItemsError(StoreError):
    """The study of that name is about other items."""


class NewerDatabaseError(StoreError):
    """The database was written by a newer Tercet."""
