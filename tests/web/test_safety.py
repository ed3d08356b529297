import asyncio

import pytest
from argon2 import PasswordHasher

from tercet.labelling import Session
from tercet.web import WebSettings
from tercet.web.identity import Identity, Signer, tidy_name
from tercet.web.passwords import Attempts, Door
from tercet.web.security import Guard

from .conftest import NASTY, client_of, token_of

PASSWORD = "correct horse"


@pytest.fixture
def locked(session):
    with client_of(session, WebSettings(host="0.0.0.0", password=PASSWORD)) as client:
        yield client


def test_headers_on_everything(client):
    for path in ("/", "/api/results", "/static/tercet.css", "/media/0", "/nowhere", "/api/question"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        if not path.startswith("/media"):
            assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]


def test_no_page_has_scripts_or_styles_inside(client):
    client.enter()
    for path in ("/", "/questions", "/results", "/texts", "/closing"):
        page = client.get(path).text
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page
        assert "<script>" not in page
        assert "http://" not in page.replace("http://www.w3.org", "")
        assert "https://" not in page


def test_the_cookie(client):
    cookie = client.get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie


def test_the_cookie_of_https(session):
    with client_of(session, WebSettings(https=True)) as client:
        assert "Secure" in client.get("/").headers["set-cookie"]


@pytest.mark.parametrize("token", [None, "", "0" * 64])
def test_posts_without_the_token_are_refused(client, token):
    client.enter()
    key = client.get("/api/question").json()["question"]["key"]
    del client.headers["x-csrf-token"]
    headers = {} if token is None else {"x-csrf-token": token}
    for path, body in (("/api/answers", {"key": key, "choice": "left"}), ("/api/undo", {"key": key})):
        assert client.post(path, json=body, headers=headers).status_code == 403
    form = {"csrf": token or "", "name": "Eve", "title": "x", "instructions": "x", "question": "x"}
    for path in ("/start", "/texts", "/login", "/logout"):
        assert client.post(path, data=form).status_code == 403


def test_another_browsers_token_does_not_help(session):
    with client_of(session) as one, client_of(session) as two:
        theirs = token_of(two.get("/"))
        one.get("/")
        assert one.post("/start", data={"csrf": theirs, "name": "Eve"}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""])
def test_a_name_that_was_made_to_point_here_is_refused(client, host):
    refused = client.get("/api/results", headers={"host": host})
    assert refused.status_code == 421
    assert "item-" not in refused.text


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:9", "[::1]:8000", "localhost"])
def test_this_machines_names_are_fine(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


def test_large_requests_are_refused(client):
    client.enter()
    large = b"x" * (256 * 1024 + 1)
    assert client.post("/api/answers", content=large).status_code == 413

    def pieces():
        for _ in range(5):
            yield b"x" * 64 * 1024

    assert client.post("/api/answers", content=pieces()).status_code == 413
    assert client.post("/api/answers", content=b"{}", headers={"content-length": "two"}).status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/media/../../etc/passwd",
        "/media/..%2f..%2fetc%2fpasswd",
        "/media/%2e%2e/%2e%2e/etc/passwd",
        "/media//etc/passwd",
        "/media/-1",
        "/media/999",
        "/media/0.png",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/context.py",
    ],
)
def test_nothing_else_of_the_disk_can_be_reached(client, path):
    answer = client.get(path)
    assert answer.status_code in (404, 415, 422)
    assert "root:" not in answer.text
    assert "import" not in answer.text


def test_a_file_that_became_a_link_out_of_the_folder_is_not_served(client, items, tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes((items.root / "1.png").read_bytes())
    (items.root / "1.png").unlink()
    (items.root / "1.png").symlink_to(secret)
    assert client.get("/media/1").status_code == 415
    assert client.get("/media/2").status_code == 200


def test_names_and_texts_are_escaped(client, session):
    token = token_of(client.get("/"))
    client.post("/start", data={"csrf": token, "name": NASTY[:60]})
    session.save_texts(title=NASTY, instructions=NASTY, consent=NASTY, question=NASTY, closing=NASTY)
    for path in ("/", "/questions", "/closing", "/texts"):
        page = client.get(path)
        assert page.status_code == 200
        assert "<script>document" not in page.text
        assert "&lt;script&gt;" in page.text
    assert client.get("/api/results").headers["content-type"] == "application/json"


def test_new_texts_are_stored(client, store):
    token = token_of(client.get("/texts"))
    texts = {
        "title": "Birds",
        "instructions": "Listen.",
        "question": "Which?",
        "closing": "Bye",
        "consent": "OK?",
    }
    assert "Saved" in client.post("/texts", data={"csrf": token, **texts}).text
    assert store.study("study").settings["texts"] == texts
    page = client.get("/")
    assert "Listen." in page.text
    refused = client.post("/start", data={"csrf": token_of(page), "name": "Ann"})
    assert refused.status_code == 422
    assert "agree" in refused.text
    agreed = {"csrf": token_of(page), "name": "Ann", "agreed": "yes"}
    assert client.post("/start", data=agreed).url.path == "/questions"


def test_texts_that_cannot_be_stored_stay_in_the_form(client, store):
    texts = {"title": "A new title", "instructions": "x" * 20_001, "question": "Which?"}
    refused = client.post("/texts", data={"csrf": token_of(client.get("/texts")), **texts})
    assert refused.status_code == 422
    assert "at most 20000" in refused.text
    assert 'value="A new title"' in refused.text
    assert "x" * 20_001 in refused.text
    assert store.study("study").settings["texts"]["title"] != "A new title"


def test_a_line_break_is_one_character_as_in_the_browser(client, store):
    texts = {"title": "T", "instructions": "a\r\n" * 10_000, "question": "Which?"}
    assert "Saved" in client.post("/texts", data={"csrf": token_of(client.get("/texts")), **texts}).text
    assert store.study("study").settings["texts"]["instructions"] == "a\n" * 10_000


def test_who_must_wait_while_the_server_stops_is_told_so():
    sent = []

    async def app(scope, receive, send):
        raise asyncio.CancelledError

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "headers": [(b"host", b"127.0.0.1")]}
    asyncio.run(Guard(app, WebSettings())(scope, None, send))
    assert sent[0]["status"] == 503
    assert b"stopping" in sent[1]["body"]


def test_without_a_password_others_are_not_served():
    for host in ("0.0.0.0", "192.168.1.7", "::", "example.org"):
        with pytest.raises(ValueError, match="needs a password"):
            WebSettings(host=host)
    with pytest.raises(ValueError, match="at least 8"):
        WebSettings(password="short")
    assert PASSWORD not in repr(WebSettings(password=PASSWORD))
    assert WebSettings(host="::1").url == "http://[::1]:8000"


def test_the_password_opens_everything_and_nothing_is_open_before(locked):
    for path in ("/", "/questions", "/results", "/texts", "/closing", "/download/answers.csv"):
        assert locked.get(path).url.path == "/login"
    for path in ("/api/question", "/api/results", "/media/0", "/thumbnails/0", "/atlas", "/api/items/0"):
        assert locked.get(path).status_code == 401
    page = locked.get("/login")
    before = dict(locked.cookies)
    wrong = locked.post("/login", data={"csrf": token_of(page), "password": "wrong horse"})
    assert wrong.status_code == 401
    right = locked.post("/login", data={"csrf": token_of(page), "password": PASSWORD})
    assert right.url.path == "/"
    assert dict(locked.cookies) != before
    assert locked.enter().get("/api/question").status_code == 200
    page = locked.get("/results")
    assert 'action="/logout"' in page.text
    left = locked.post("/logout", data={"csrf": token_of(page)})
    assert left.url.path == "/login"
    assert locked.get("/results").url.path == "/login"


def test_nobody_logs_out_where_there_is_no_password(client):
    assert "Log out" not in client.get("/results").text


def test_guessing_is_slowed_down(locked):
    token = token_of(locked.get("/login"))
    for _ in range(5):
        last = locked.post("/login", data={"csrf": token, "password": "guess"})
    refused = locked.post("/login", data={"csrf": token, "password": PASSWORD})
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) <= 10
    assert "Try again in" in last.text


def test_waits_double_and_end_and_all_addresses_count():
    now = [0.0]
    attempts = Attempts(clock=lambda: now[0])
    waits = []
    for _ in range(8):
        attempts.failed("a")
        waits.append(attempts.wait("a"))
    assert waits == [0, 0, 0, 0, 10, 20, 40, 80]
    now[0] = 81.0
    assert attempts.wait("a") == 0
    attempts.succeeded("a")
    for place in range(60):
        attempts.failed(f"10.0.0.{place}")
    assert attempts.wait("somebody else") == 300
    now[0] += 301
    assert attempts.wait("somebody else") == 0


def test_the_password_is_kept_as_argon2(monkeypatch):
    door = Door(PASSWORD)
    assert door._hash.startswith("$argon2id$")
    assert PASSWORD not in str(vars(door))
    assert PasswordHasher().verify(door._hash, PASSWORD)
    assert door.try_password("a", PASSWORD) == (True, 0.0)


def test_cookies_outlive_a_restart_and_end_with_a_new_password():
    identity = Identity.new().named("Ann")
    cookie = Signer(PASSWORD, "study").write(identity)
    again = Signer(PASSWORD, "study")
    assert again.read(cookie) == identity
    assert Signer("another one", "study").read(cookie) is None
    assert Signer(PASSWORD, "other study").read(cookie) is None
    assert Signer(None, "study").read(cookie) is None
    body, _, signature = cookie.partition(".")
    for forged in (None, "", ".", body, f"{body}.", f"{body[:-2]}xx.{signature}", f"é.{signature}"):
        assert again.read(forged) is None


def test_annotators_names():
    assert tidy_name(" A\tb\n c\u202e ") == "A b c"
    with pytest.raises(ValueError, match="at most 60"):
        tidy_name("x" * 61)


def test_two_apps_share_nothing(items, store, session):
    with (
        Session(items, store, "other", n_classes=2, look_ahead=False) as other,
        client_of(session) as one,
        client_of(other) as two,
    ):
        one.enter("Ann")
        assert one.app.state.context is not two.app.state.context
        assert two.get("/api/question").status_code == 401
