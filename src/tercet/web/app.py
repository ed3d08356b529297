"""The app factory."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from tercet import __version__
from tercet.labelling import Session
from tercet.stores import StoreError
from tercet.web import api, downloads, files, pages
from tercet.web.context import HERE, Context, LoginNeededError, NameNeededError
from tercet.web.identity import Identity
from tercet.web.security import Guard
from tercet.web.settings import WebSettings


def create_app(session: Session, settings: WebSettings | None = None) -> FastAPI:
    """Return the labelling app for a session. Nothing is shared between two apps but what the caller shares.

    Parameters
    ----------
    session : Session
        The caller's to close.
    settings : WebSettings, optional
        By default for this machine only.
    """
    settings = settings or WebSettings()
    app = FastAPI(
        title="Tercet labelling",
        version=__version__,
        docs_url=None,  # these pages would load their scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.context = Context.of(session, settings)
    app.add_middleware(Guard, settings=settings)
    app.add_exception_handler(LoginNeededError, _login_needed)
    app.add_exception_handler(NameNeededError, _name_needed)
    app.add_exception_handler(StoreError, _not_stored)
    app.add_exception_handler(HTTPException, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    for module in (api, downloads, files, pages):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    return app


def _is_api(request: Request) -> bool:
    return request.url.path.startswith(("/api/", "/media/", "/thumbnails/", "/spectrograms/", "/atlas"))


def _login_needed(request: Request, error: Exception) -> Response:
    if _is_api(request):
        return JSONResponse({"detail": "log in first: open /login"}, 401)
    return RedirectResponse("/login", 303)


def _name_needed(request: Request, error: Exception) -> Response:
    if _is_api(request):
        return JSONResponse({"detail": "say who you are first: open /"}, 401)
    return RedirectResponse("/", 303)


def _not_stored(request: Request, error: Exception) -> Response:
    return _problem(request, HTTPException(507, str(error)))


def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if _is_api(request):
        return JSONResponse({"detail": error.detail}, error.status_code, headers=error.headers)
    context: Context = request.app.state.context
    identity = context.signer.read(request.cookies.get(context.cookie)) or Identity.new()
    page = context.page(request, "problem.html", identity, error.status_code, problem=error.detail)
    page.headers.update(error.headers or {})
    return page


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    said = "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()
    )
    return _problem(request, HTTPException(422, said))
