"""The pages: instructions, question, closing words, results, texts, login."""

from __future__ import annotations

from math import ceil
from secrets import token_hex
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from tercet.web.context import Annotator, Browser, Parts, Readable, Visitor, check_form
from tercet.web.identity import LONGEST_NAME, Identity, tidy_name

router = APIRouter(include_in_schema=False, route_class=Readable)
Field = Annotated[str, Form()]
SEE_OTHER = 303


@router.get("/")
def start(request: Request, context: Parts, visitor: Visitor) -> Response:
    """Show the instructions."""
    return context.page(request, "start.html", visitor, longest=LONGEST_NAME)


@router.post("/start")
def begin(
    request: Request, context: Parts, visitor: Visitor, csrf: Field = "", name: Field = "", agreed: Field = ""
) -> Response:
    """Take the name, and go to the questions."""
    check_form(context, visitor, csrf)
    problem = ""
    try:
        annotator = tidy_name(name) or f"guest-{token_hex(3)}"
    except ValueError as error:
        annotator, problem = "", str(error)
    if context.session.settings.texts.consent.strip() and not agreed:
        problem = problem or "Please agree first, or close this page."
    if problem:
        return context.page(
            request, "start.html", visitor, 422, longest=LONGEST_NAME, problem=problem, typed=name
        )
    response = RedirectResponse("/questions", SEE_OTHER)
    context.remember(response, visitor.named(annotator))
    return response


@router.get("/questions")
def questions(request: Request, context: Parts, visitor: Visitor, annotator: Annotator) -> Response:
    """Show the question page; the question itself comes by the API."""
    return context.page(request, "questions.html", visitor)


@router.get("/closing")
def closing(request: Request, context: Parts, visitor: Visitor, annotator: Annotator) -> Response:
    """Say thank you."""
    return context.page(request, "closing.html", visitor)


@router.get("/results")
def results(request: Request, context: Parts, visitor: Visitor) -> Response:
    """Show the results page; the figures come by the API."""
    return context.page(request, "results.html", visitor, items=context.session.items)


@router.get("/texts")
def texts(request: Request, context: Parts, visitor: Visitor) -> Response:
    """Show the texts of the pages, to be changed."""
    return context.page(request, "texts.html", visitor)


@router.post("/texts")
def save_texts(
    request: Request,
    context: Parts,
    visitor: Visitor,
    title: Field,
    instructions: Field,
    question: Field,
    csrf: Field = "",
    consent: Field = "",
    closing: Field = "",
) -> Response:
    """Store new texts."""
    check_form(context, visitor, csrf)
    typed = {
        "title": title,
        "instructions": instructions,
        "consent": consent,
        "question": question,
        "closing": closing,
    }
    # Browsers count a line break as one character, and send two.
    typed = {name: text.replace("\r\n", "\n") for name, text in typed.items()}
    try:
        context.session.save_texts(**typed)
    except ValueError as error:
        return context.page(request, "texts.html", visitor, 422, problem=str(error), texts=typed)
    return context.page(request, "texts.html", visitor, saved=True)


@router.get("/login")
def login(request: Request, context: Parts, browser: Browser) -> Response:
    """Ask for the password."""
    if context.door is None or browser.logged_in:
        return RedirectResponse("/", SEE_OTHER)
    return context.page(request, "login.html", browser)


@router.post("/login")
def let_in(
    request: Request, context: Parts, browser: Browser, csrf: Field = "", password: Field = ""
) -> Response:
    """Check the password."""
    check_form(context, browser, csrf)
    if context.door is None:
        return RedirectResponse("/", SEE_OTHER)
    address = request.client.host if request.client else "unknown"
    right, wait = context.door.try_password(address, password)
    if right:
        response = RedirectResponse("/", SEE_OTHER)
        # A new token: whoever knew the old one does not get in with it.
        context.remember(response, Identity(Identity.new().token, browser.annotator, logged_in=True))
        return response
    if wait > 0:
        said = f"Too many wrong passwords. Try again in {ceil(wait)} seconds."
        page = context.page(request, "login.html", browser, 429, problem=said)
        page.headers["retry-after"] = str(ceil(wait))
        return page
    return context.page(request, "login.html", browser, 401, problem="That is not the password.")


@router.post("/logout")
def leave(context: Parts, browser: Browser, csrf: Field = "") -> Response:
    """Forget who this browser is."""
    check_form(context, browser, csrf)
    response = RedirectResponse("/", SEE_OTHER)
    response.delete_cookie(context.cookie)
    return response
