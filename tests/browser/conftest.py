"""A real browser, and the app on a real port."""

import os
import socket
import threading
import wave
from pathlib import Path

import numpy as np
import pytest
import uvicorn
from playwright.sync_api import sync_playwright

from labelling.collections import N_CLASSES, collection
from tercet.items import Media
from tercet.labelling import Session
from tercet.media import spectrogram
from tercet.stores import SqlStore
from tercet.web import WebSettings, create_app
from web.conftest import NASTY, draw

from . import chromium


@pytest.fixture(scope="session")
def browser():
    path = chromium.find()
    if path is None:
        assert "CI" not in os.environ, "CI must have Chromium: python tests/browser/chromium.py"
        pytest.skip("needs Chromium: python tests/browser/chromium.py")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.arguments())
        yield browser
        browser.close()


class Server:
    """The app in a thread, which can be stopped and started on the same port and database."""

    def __init__(self, items, url, *, password=None, **settings):
        self.items, self.database, self.password, self.settings = items, url, password, settings
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.store = SqlStore(self.database)
        self.session = Session(self.items, self.store, "study", n_classes=N_CLASSES, **self.settings)
        settings = WebSettings(port=self.port, password=self.password)
        config = uvicorn.Config(
            create_app(self.session, settings),
            host="127.0.0.1",
            port=self.port,
            log_level="error",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        self.session.question("somebody else", patience=120)

    def stop(self):
        self._server.should_exit = True
        self._thread.join()
        self.session.close()
        self.store.close()

    def answers(self, **options):
        return self.store.answers("study", **options)


@pytest.fixture
def serve(tmp_path):
    """Start the app with items of a kind."""
    running = []

    def start(kind="image", n=12, **settings):
        folder = tmp_path / kind
        folder.mkdir()
        media = {"image": draw, "text": write, "audio": record}[kind](folder, n)
        items = collection(n, media=media, root=folder)[0]
        if kind == "audio":
            spectrogram(items, 0)  # the first takes long: libraries are loaded and compiled
        running.append(Server(items, f"sqlite:///{tmp_path / 'study.db'}", **settings))
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def visit(browser):
    """Open a page of a server as somebody new, and take note of everything that goes wrong in it."""
    contexts, troubles = [], []

    def open_page(server, path="/", *, width=1200, height=800, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=width < 500
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: request.url.startswith(server.url) or troubles.append(request.url))
        page.troubles = troubles
        page.goto(server.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()


def write(folder, n):
    """Texts of which one third would run if they were taken for HTML."""
    return [
        Media("text", text=f"{NASTY if place % 3 == 0 else 'A plain text'} <b>{place}</b>")
        for place in range(n)
    ]


def record(folder, n):
    """Tones of two seconds, which a busy browser does not miss."""
    for place in range(n):
        tone = 0.3 * np.sin(2 * np.pi * (300 + 60 * place) * np.arange(44100) / 22050)
        with wave.open(str(folder / f"{place}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(22050)
            file.writeframes((tone * 32767).astype("<i2").tobytes())
    return [Media("audio", Path(f"{place}.wav")) for place in range(n)]
