"""How the app is reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address

#: An answer takes a few hundred bytes, and the texts of the pages a few thousand.
LARGEST_BODY = 256 * 1024
SHORTEST_PASSWORD = 8


@dataclass(frozen=True)
class WebSettings:
    """Where the app listens, and what keeps others out.

    Parameters
    ----------
    host : str
        The address to bind to. Any but this machine's own needs a password.
    port : int
    password : str, optional
    https : bool
        Whether people reach the app by https (through a proxy); cookies are then sent that way only.
    largest_body : int
        Requests with more bytes than this are refused.

    Examples
    --------
    >>> WebSettings(host="0.0.0.0")
    Traceback (most recent call last):
    ...
    ValueError: others can reach 0.0.0.0, so it needs a password: --password-file FILE, or TERCET_PASSWORD
    """

    host: str = "127.0.0.1"
    port: int = 8000
    password: str | None = field(default=None, repr=False)
    https: bool = False
    largest_body: int = LARGEST_BODY

    def __post_init__(self) -> None:
        if self.password is not None and len(self.password) < SHORTEST_PASSWORD:
            raise ValueError(
                f"the password has {len(self.password)} characters; use at least {SHORTEST_PASSWORD}"
            )
        if self.password is None and not self.is_loopback:
            raise ValueError(
                f"others can reach {self.host}, so it needs a password: --password-file FILE, or "
                "TERCET_PASSWORD"
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the app."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False

    @property
    def allowed_hosts(self) -> frozenset[str] | None:
        """The names a browser may know the app by; None for any.

        Without a password a page elsewhere could have its own name resolve to this machine (DNS rebinding)
        and read everything; it cannot make the browser send another Host header. A password keeps it out, and
        proxies may then have any name.
        """
        if self.password is not None:
            return None
        return frozenset({"127.0.0.1", "localhost", "[::1]", self.host})

    @property
    def url(self) -> str:
        """Where to point a browser."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"
