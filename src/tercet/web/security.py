"""What every request passes: the right host, a body that is not too large, safe headers on the way out."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tercet.web.settings import WebSettings

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: A media file may hold anything; nothing in it may run if somebody opens it by itself.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
HEADERS: Mapping[str, str] = {
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_STOPPING = "the server is stopping; try again when it is back\n"


class Guard:
    """Middleware without state."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse what should not come in, and add headers to what goes out."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        begun = False

        async def send_safely(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, send_safely)
            return
        try:
            await self._app(scope, self._limited(receive), send_safely)
        except CancelledError:  # the server stops, and something took longer than it waits
            if not begun:
                await PlainTextResponse(_STOPPING, 503)(scope, receive, send_safely)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        allowed = self._settings.allowed_hosts
        host = headers.get("host", "")
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if allowed is not None and name not in allowed:
            return PlainTextResponse(
                f"This app is for this machine only and does not answer to the name {name!r}; open "
                f"{self._settings.url}\n",
                421,
            )
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > self._settings.largest_body:
            return PlainTextResponse(self._too_large, 413)
        return None

    @property
    def _too_large(self) -> str:
        return f"the request is larger than {self._settings.largest_body} bytes; send less"

    def _limited(self, receive: Receive) -> Receive:
        """Count the bytes: a request may come in chunks, without its length."""
        total = 0

        async def counted() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._settings.largest_body:
                raise HTTPException(413, self._too_large)
            return message

        return counted
