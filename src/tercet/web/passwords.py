"""The password: argon2, and a limit on how often it may be guessed."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock
from time import monotonic

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

#: So many wrong passwords are free; then each doubles the wait, up to the longest.
FREE_ATTEMPTS = 5
FIRST_WAIT = 10.0
LONGEST_WAIT = 900.0
#: From everywhere together, so that many addresses do not help either.
ALL_ATTEMPTS = 60
ALL_SECONDS = 300.0
_REMEMBERED = 10_000


class Attempts:
    """Counts wrong passwords by address and over all.

    >>> attempts = Attempts(clock=lambda: 0.0)
    >>> for _ in range(5): attempts.failed("10.0.0.7")
    >>> attempts.wait("10.0.0.7"), attempts.wait("10.0.0.8")
    (10.0, 0.0)
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._by_address: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._all: deque[float] = deque(maxlen=ALL_ATTEMPTS)

    def wait(self, address: str) -> float:
        """Return for how many seconds this address may not try."""
        with self._lock:
            now = self._clock()
            count, last = self._by_address.get(address, (0, now))
            own = 0.0
            if count >= FREE_ATTEMPTS:
                own = last + min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (count - FREE_ATTEMPTS)) - now
            everybody = self._all[0] + ALL_SECONDS - now if len(self._all) == ALL_ATTEMPTS else 0.0
            return max(0.0, own, everybody)

    def failed(self, address: str) -> None:
        """Count a wrong password."""
        with self._lock:
            count, _ = self._by_address.pop(address, (0, 0.0))
            self._by_address[address] = (count + 1, self._clock())
            self._all.append(self._clock())
            while len(self._by_address) > _REMEMBERED:
                self._by_address.popitem(last=False)

    def succeeded(self, address: str) -> None:
        """Forget the wrong passwords of somebody who then knew the right one."""
        with self._lock:
            self._by_address.pop(address, None)


class Door:
    """Lets in who knows the password, and keeps out who guesses."""

    def __init__(self, password: str, attempts: Attempts | None = None) -> None:
        self._hasher = PasswordHasher()
        self._hash = self._hasher.hash(password)
        self._attempts = attempts or Attempts()
        self._one_at_a_time = Lock()  # each check takes 64 MB, by design

    def try_password(self, address: str, password: str) -> tuple[bool, float]:
        """Return whether it is right, and if not, for how many seconds this address may not try again."""
        with self._one_at_a_time:
            wait = self._attempts.wait(address)
            if wait > 0:
                return False, wait
            try:
                self._hasher.verify(self._hash, password)
            except VerificationError:
                self._attempts.failed(address)
                return False, self._attempts.wait(address)
            self._attempts.succeeded(address)
            return True, 0.0
