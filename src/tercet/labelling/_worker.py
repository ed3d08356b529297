"""One thread that does the most urgent thing first, one at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition, Thread

from threadpoolctl import threadpool_limits

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """Something to do for the state of this name."""

    name: bytes
    run: Callable[[], None]


class Worker:
    """Runs what ``choose`` returns, again and again; waits while that is None.

    ``choose`` is called with ``changed`` held, the job without.
    """

    def __init__(
        self, changed: Condition, choose: Callable[[], Job | None], failed: Callable[[Job, Exception], None]
    ):
        self._changed = changed
        self._choose = choose
        self._failed = failed
        self._stopping = False
        self._thread = Thread(target=self._run, name="tercet-learner", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the job at hand and stop."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        # One thread: numerical libraries that spin on every core would take them from the pages.
        with threadpool_limits(1):
            while True:
                with self._changed:
                    job = None if self._stopping else self._choose()
                    while job is None and not self._stopping:
                        self._changed.wait()
                        job = None if self._stopping else self._choose()
                    if self._stopping or job is None:
                        return
                try:
                    job.run()
                except Exception as error:  # people go on answering whatever the model does
                    _log.exception("the model could not learn from the answers so far")
                    with self._changed:
                        self._failed(job, error)
