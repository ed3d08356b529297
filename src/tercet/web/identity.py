"""Who a browser is: one signed cookie, and a token that only our own pages know."""

from __future__ import annotations

import base64
import hmac
import json
from dataclasses import dataclass, replace
from hashlib import sha256
from secrets import token_urlsafe
from typing import Self
from unicodedata import normalize

from argon2.low_level import Type, hash_secret_raw

LONGEST_NAME = 60
#: A cookie lives so long: people come back to a study.
COOKIE_SECONDS = 90 * 24 * 3600


@dataclass(frozen=True)
class Identity:
    """What the cookie says: a random number for this browser, a name, and whether the password was given."""

    token: str
    annotator: str | None = None
    logged_in: bool = False

    @classmethod
    def new(cls) -> Self:
        """Return a browser that was never here."""
        return cls(token_urlsafe(24))

    def named(self, annotator: str) -> Self:
        """Return the same browser with this person before it."""
        return replace(self, annotator=annotator)


class Signer:
    """Writes and reads cookies.

    The key comes from the password, so that cookies outlive a restart and end with a new password; nothing
    secret is stored. Without a password there is nothing to protect but the form: only this machine can
    reach the app, and the token against forged requests is random, not signed.
    """

    def __init__(self, password: str | None, study: str) -> None:
        salt = sha256(f"tercet cookies {study}".encode()).digest()[:16]
        secret = (password or "").encode()
        self._key = hash_secret_raw(secret, salt, 3, 64 * 1024, 1, 32, Type.ID) if password else salt

    def write(self, identity: Identity) -> str:
        """Return the cookie's value."""
        content = json.dumps([identity.token, identity.annotator, identity.logged_in]).encode()
        body = base64.urlsafe_b64encode(content).decode().rstrip("=")
        return f"{body}.{self._sign('cookie ' + body)}"

    def read(self, cookie: str | None) -> Identity | None:
        """Return who the cookie names, or None if it is not ours."""
        body, dot, signature = (cookie or "").rpartition(".")
        if not dot or not hmac.compare_digest(signature.encode(), self._sign("cookie " + body).encode()):
            return None
        try:
            token, annotator, logged_in = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        except ValueError:
            return None
        return Identity(token, annotator, logged_in)

    def csrf(self, identity: Identity) -> str:
        """Return the token that every POST of this browser must carry."""
        return self._sign("csrf " + identity.token)

    def is_csrf(self, identity: Identity, token: str | None) -> bool:
        """Return whether a POST carries this browser's token."""
        return hmac.compare_digest((token or "").encode(), self.csrf(identity).encode())

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), sha256).hexdigest()


def tidy_name(text: str) -> str:
    r"""Return an annotator's name as it is stored: one line, without spaces at its ends.

    >>> tidy_name("  Ann   Lee ")
    'Ann Lee'
    >>> tidy_name("Zoe\u0308") == tidy_name("Zoë")  # another device may write the letter in another way
    True
    """
    text = normalize("NFC", text)
    name = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    if len(name) > LONGEST_NAME:
        raise ValueError(f"the name has {len(name)} characters; use at most {LONGEST_NAME}")
    return name
