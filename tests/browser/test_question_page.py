"""The question page in a real browser."""

import pytest

from web.conftest import NASTY


def enter(page, name="Ann"):
    """Go from the instructions to the first question, by keyboard."""
    type_into(page, "name", name)
    page.keyboard.press("Enter")
    page.wait_for_url("**/questions")
    return ready(page)


def type_into(page, field, text):
    """Type where the page has put the focus by itself, which a busy browser does some time after loading."""
    page.wait_for_function("field => document.activeElement?.id === field", arg=field)
    page.keyboard.type(text)


def ready(page, before=None):
    """Wait until another question than ``before`` may be answered; return its key."""
    page.wait_for_function("before => (document.body.dataset.ready ?? null) !== before", arg=before)
    page.wait_for_timeout(260)  # the guard against double presses
    return page.evaluate("() => document.body.dataset.ready")


def press(page, key):
    """Press a key and wait for the next question."""
    before = page.evaluate("() => document.body.dataset.ready")
    page.keyboard.press(key)
    return ready(page, before)


def test_the_whole_way_by_keyboard(serve, visit):
    server = serve(n_questions=5, practice=1)
    page = visit(server)
    enter(page)
    assert page.locator("#badge").inner_text() == "Practice"
    press(page, "ArrowLeft")
    assert "most people" in page.locator("#notice").inner_text().lower()
    assert page.locator("#count").inner_text() == "1 of 5"
    assert page.evaluate("() => document.querySelectorAll('.card img').length") == 3
    page.keyboard.press("?")
    assert page.locator("#key-dialog").is_visible()
    page.keyboard.press("ArrowLeft")  # not an answer while the list is open
    page.keyboard.press("Escape")
    press(page, "ArrowLeft")
    assert page.locator("#count").inner_text() == "2 of 5"
    assert "Question 2 of 5" in page.locator("#live").inner_text()
    press(page, "ArrowRight")
    press(page, "ArrowDown")
    press(page, "s")
    assert page.locator("#count").inner_text() == "4 of 5"
    replies = [(answer.shown.left, answer.reply) for answer in server.answers()]
    (_, practice), left, right, unsure, skipped = replies
    assert practice in ("yes", "no")
    assert left in (("j", "yes"), ("k", "no"))
    assert right in (("j", "no"), ("k", "yes"))
    assert (unsure[1], skipped[1]) == ("dk", "skip")
    press(page, "u")  # the skip
    press(page, "Backspace")  # and the don't-know
    assert page.locator("#count").inner_text() == "3 of 5"
    assert [answer.reply for answer in server.answers(undone=True) if answer.undone] == ["dk", "skip"]
    for _ in range(2):
        press(page, "ArrowLeft")
    while page.url.endswith("/questions"):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(400)
    page.wait_for_url("**/closing")
    assert "5 questions answered" in page.wait_for_selector("#count:not(:empty)").inner_text()
    standing = server.answers()
    assert sum(a.shown.purpose == "question" and a.reply != "skip" for a in standing) == 5
    assert all(a.response_ms >= 200 for a in standing)
    page.keyboard.press("u")
    page.wait_for_url("**/questions")
    assert page.troubles == []


def test_buttons_keep_the_focus(serve, visit):
    server = serve(n_questions=9, practice=2)
    page = visit(server)
    enter(page)
    page.locator("#dk").focus()
    press(page, "Enter")
    assert "one of the two" in page.locator("#notice").inner_text()
    press(page, "Space")
    assert page.evaluate("() => document.activeElement.id") == "dk"
    assert [answer.reply for answer in server.answers()] == ["dk", "dk"]
    page.locator("#skip").focus()
    key = page.evaluate("() => document.body.dataset.ready")
    page.keyboard.down("Enter")
    ready(page, key)
    page.keyboard.down("Enter")  # still held down
    page.wait_for_timeout(300)
    assert [answer.reply for answer in server.answers()] == ["dk", "dk", "skip"]
    assert page.troubles == []


def test_a_double_press_is_one_answer(serve, visit):
    server = serve()
    page = visit(server)
    enter(page)
    before = page.evaluate("() => document.body.dataset.ready")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    ready(page, before)
    assert len(server.answers()) == 1
    press(page, "ArrowRight")
    page.evaluate(
        """() => new Promise((done) => {
          const key = () => new KeyboardEvent("keydown", { key: "u", bubbles: true });
          const press = () => document.body.dispatchEvent(key());
          const echo = new MutationObserver(() => { press(); setTimeout(done, 500); });
          echo.observe(document.body, { attributeFilter: ["data-ready"] });
          press();
        })"""
    )
    assert [a.undone for a in server.answers(undone=True)] == [False, True]


def test_a_reload_keeps_the_question_and_everything_works_by_mouse(serve, visit):
    server = serve()
    page = visit(server)
    enter(page)
    key = press(page, "ArrowLeft")
    page.reload()
    assert ready(page) == key
    for button in ("#answer-left", "#answer-right", "#dk", "#skip", "#undo", "#left .card"):
        before = page.evaluate("() => document.body.dataset.ready")
        page.click(button)
        ready(page, before)
    assert [a.undone for a in server.answers(undone=True)] == [False, False, False, False, True, False]
    # Somebody of the same name on another device is at the same question.
    other = visit(server)
    assert enter(other) == page.evaluate("() => document.body.dataset.ready")


def test_a_restart_of_the_server_loses_nothing(serve, visit):
    server = serve()
    page = visit(server)
    enter(page)
    key = press(page, "ArrowLeft")
    server.stop()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#notice:not([hidden])")
    assert "Not saved yet" in page.locator("#notice").inner_text()
    server.start()
    after = ready(page, key)
    assert not page.locator("#notice").is_visible()
    answers = server.answers()
    assert [answer.shown.key for answer in answers][1:] == [key]
    assert server.session.question("Ann").shown.key == after


@pytest.mark.parametrize("kind", ["image", "text"])
def test_a_phone(serve, visit, kind):
    server = serve(kind)
    page = visit(server, width=360, height=640)
    enter(page)
    for path in ("/questions", "/", "/results", "/texts", "/closing"):
        page.goto(server.url + path)
        page.wait_for_load_state("networkidle") if path != "/results" else page.wait_for_timeout(500)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    page.goto(server.url + "/questions")
    before = ready(page)
    for name in ("#answer-left", "#answer-right", "#dk", "#skip", "#undo"):
        box = page.locator(name).bounding_box()
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= 640  # nothing needs scrolling
    page.tap("#answer-left")
    ready(page, before)
    assert len(server.answers()) == 1


def test_text_is_text(serve, visit):
    server = serve("text")
    page = visit(server)
    enter(page)
    seen = ""
    for _ in range(4):
        seen += page.locator(".ask").inner_text()
        press(page, "ArrowDown")
    assert NASTY in seen
    page.goto(server.url + "/results")
    page.click("#clusters button >> nth=0")
    page.wait_for_selector(".gallery button")
    page.click(".gallery button >> nth=0")
    page.wait_for_selector(".item-head")
    assert page.title() == "Results · Tercet"
    assert page.evaluate("() => document.querySelectorAll('main b, main script').length") == 0
    assert page.troubles == []


def test_sound_with_spectrogram(serve, visit):
    server = serve("audio")
    page = visit(server)
    enter(page)
    assert (
        page.evaluate("() => [...document.querySelectorAll('.card img')].map(i => i.naturalWidth)")
        == [640] * 3
    )
    playing = "() => [...document.querySelectorAll('.card audio')].map(a => !a.paused)"
    page.keyboard.press(" ")
    assert page.evaluate(playing) == [True, False, False]
    page.keyboard.press("3")
    assert page.evaluate(playing) == [False, False, True]
    page.keyboard.press(" ")
    assert page.evaluate(playing) == [False, False, False]
    page.keyboard.press("2")
    page.wait_for_function("() => [...document.querySelectorAll('.card audio')][1].ended")
    assert page.locator("#left .play").get_attribute("aria-label") == "Play the left one"
    page.click("#head .play")
    assert page.evaluate(playing) == [True, False, False]
    assert server.answers() == []  # listening is not answering
    press(page, "ArrowLeft")
    assert page.evaluate(playing) == [False, False, False]
    assert page.troubles == []


def test_a_file_that_cannot_be_shown_can_be_skipped(serve, visit):
    server = serve()
    for path in server.items.root.iterdir():
        path.write_bytes(b"not a picture any more")
    page = visit(server)
    enter(page)
    assert "could not be loaded" in page.locator("#notice").inner_text()
    assert page.locator("#answer-left").is_disabled()
    page.keyboard.press("ArrowLeft")
    press(page, "s")
    assert [answer.reply for answer in server.answers()] == ["skip"]


def test_the_password_page(serve, visit):
    server = serve(password="correct horse")
    page = visit(server, "/questions")
    assert page.url.endswith("/login")
    type_into(page, "password", "correct horse")
    page.keyboard.press("Enter")
    page.wait_for_url(server.url + "/")
    enter(page)
