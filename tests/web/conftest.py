"""An app with a small collection of pictures, texts and sounds, and a browser without a window."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from labelling.collections import N_CLASSES, collection
from tercet.items import Media
from tercet.labelling import Session
from tercet.stores import MemoryStore
from tercet.web import WebSettings, create_app

BASE = "http://127.0.0.1:8000"
NASTY = "<script>document.title='taken over'</script>"


def draw(folder, n):
    """Write n small pictures."""
    rng = np.random.default_rng(0)
    for place in range(n):
        pixels = rng.integers(0, 255, (24, 24, 3)).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{place}.png")
    return [Media("image", Path(f"{place}.png")) for place in range(n)]


class Client(TestClient):
    """Sends the token of the page it saw, as our scripts do."""

    def enter(self, name="Ann"):
        page = self.get("/")
        assert page.status_code == 200, page.text
        token = token_of(page)
        assert self.post("/start", data={"csrf": token, "name": name}).status_code == 200
        self.headers["x-csrf-token"] = token
        return self


def token_of(page):
    return re.search(r'name="csrf-token" content="([0-9a-f]+)"', page.text)[1]


def client_of(session, settings=None):
    return Client(create_app(session, settings or WebSettings()), base_url=BASE)


@pytest.fixture
def items(tmp_path):
    (tmp_path / "pictures").mkdir()
    return collection(12, media=draw(tmp_path / "pictures", 12), root=tmp_path / "pictures")[0]


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def session(items, store):
    with Session(items, store, "study", n_classes=N_CLASSES, n_questions=5, look_ahead=False) as session:
        session.question("somebody", patience=120)
        yield session


@pytest.fixture
def client(session):
    with client_of(session) as client:
        yield client
