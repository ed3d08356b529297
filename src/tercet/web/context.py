"""What a request needs: the session, who asks, and that the request is our own page's."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request, Response
from fastapi.routing import APIRoute
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader

from tercet import __version__
from tercet.labelling import Session
from tercet.web.drawn import Drawn
from tercet.web.identity import COOKIE_SECONDS, Identity, Signer
from tercet.web.neighbourhood import Searches
from tercet.web.passwords import Door
from tercet.web.settings import WebSettings

HERE = Path(__file__).parent


class Readable(APIRoute):
    """A route whose headers may be asked for alone (HEAD): the server then sends no body."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if self.methods and "GET" in self.methods:
            self.methods.add("HEAD")


class LoginNeededError(Exception):
    """The page is behind the password."""


class NameNeededError(Exception):
    """The page needs to know who is there."""


@dataclass(frozen=True)
class Context:
    """The parts of one app; each app has its own."""

    session: Session
    settings: WebSettings
    signer: Signer
    door: Door | None
    templates: Jinja2Templates
    drawn: Drawn = field(default_factory=Drawn)
    searches: Searches = field(default_factory=Searches)

    @classmethod
    def of(cls, session: Session, settings: WebSettings) -> Context:
        """Return the parts of a new app."""
        pages = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True)
        door = None if settings.password is None else Door(settings.password)
        study = f"{session.study} {session.items.fingerprint}"
        return cls(session, settings, Signer(settings.password, study), door, Jinja2Templates(env=pages))

    @property
    def cookie(self) -> str:
        """The cookie's name; browsers do not keep those of two ports apart."""
        return f"tercet_{self.settings.port}"

    def remember(self, response: Response, identity: Identity) -> None:
        """Have the browser keep who it is."""
        response.set_cookie(
            self.cookie,
            self.signer.write(identity),
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="lax",
            secure=self.settings.https,
        )

    def page(
        self, request: Request, template: str, identity: Identity, status: int = 200, **values: Any
    ) -> Response:
        """Return a page, and have the browser keep who it is."""
        content = {
            "study": self.session.study,
            "texts": self.session.settings.texts,
            "annotator": identity.annotator,
            "csrf": self.signer.csrf(identity),
            "protected": self.door is not None,
            "version": __version__,
            **values,
        }
        response = self.templates.TemplateResponse(request, template, content, status_code=status)
        self.remember(response, identity)
        return response


def _context(request: Request) -> Context:
    context: Context = request.app.state.context
    return context


Parts = Annotated[Context, Depends(_context)]


def _browser(request: Request, context: Parts) -> Identity:
    """Return who the cookie names, or a browser that was never here."""
    return context.signer.read(request.cookies.get(context.cookie)) or Identity.new()


Browser = Annotated[Identity, Depends(_browser)]


def _visitor(context: Parts, browser: Browser) -> Identity:
    """Return somebody who may see the pages."""
    if context.door is not None and not browser.logged_in:
        raise LoginNeededError
    return browser


Visitor = Annotated[Identity, Depends(_visitor)]


def _annotator(visitor: Visitor) -> str:
    """Return the name of who answers."""
    if visitor.annotator is None:
        raise NameNeededError
    return visitor.annotator


Annotator = Annotated[str, Depends(_annotator)]


def our_own(request: Request, context: Parts, browser: Browser) -> None:
    """Refuse an API request that another page sent in this browser's name."""
    if not context.signer.is_csrf(browser, request.headers.get("x-csrf-token")):
        raise HTTPException(403, "the page is out of date (its token does not fit the cookie); reload it")


def check_form(context: Context, browser: Identity, token: str | None) -> None:
    """Refuse a form that another page sent in this browser's name."""
    if not context.signer.is_csrf(browser, token):
        raise HTTPException(403, "the form is out of date; go back, reload the page and send it again")
