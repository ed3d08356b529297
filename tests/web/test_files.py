import csv
import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tercet import ActiveLearner
from tercet.items import Media
from tercet.labelling import Session
from tercet.media import as_playable
from tercet.metric_files import load_metric

from .conftest import NASTY, client_of


def test_media_thumbnails_and_atlas(client, items):
    media = client.get("/media/3")
    assert media.content == (items.root / "3.png").read_bytes()
    assert media.headers["content-type"] == "image/png"
    assert "sandbox" in media.headers["content-security-policy"]
    part = client.get("/media/3", headers={"range": "bytes=0-7"})
    assert (part.status_code, part.content) == (206, media.content[:8])
    assert Image.open(io.BytesIO(client.get("/thumbnails/3").content)).size == (24, 24)
    atlas = Image.open(io.BytesIO(client.get("/atlas").content))
    assert atlas.size == (160, 120)  # twelve tiles of 40 in four columns
    assert client.get("/spectrograms/3").status_code == 415


def test_who_asks_for_headers_only_gets_them(client):
    client.enter()
    for path in ("/", "/questions", "/results", "/media/3", "/thumbnails/3", "/download/clusters.csv"):
        asked, whole = client.head(path), client.get(path)
        assert asked.status_code == 200, path
        assert asked.headers["content-type"] == whole.headers["content-type"]
    assert client.head("/media/99").status_code == 404
    assert client.head("/api/question").status_code == 405


def test_what_browsers_cannot_show_is_converted_once(store, items, monkeypatch):
    Image.open(items.root / "3.png").save(items.root / "3.bmp")
    shown = [Media("image", Path("3.bmp"))] * 12
    items = type(items)(items.ids, items.features, items.feature_names, shown, items.root)
    asked = []

    def counted(items, index):
        asked.append(index)
        return as_playable(items, index)

    monkeypatch.setattr("tercet.web.files.as_playable", counted)
    with (
        Session(items, store, "bitmaps", n_classes=2, look_ahead=False) as session,
        client_of(session) as client,
    ):
        first, again = client.get("/media/5"), client.get("/media/5")
        whole = first.content
        for wanted, part in (
            ("bytes=0-", whole),
            ("bytes=3-9", whole[3:10]),
            ("bytes=-4", whole[-4:]),
            (f"bytes=5-{10**9}", whole[5:]),
        ):
            answer = client.get("/media/5", headers={"range": wanted})
            assert (answer.status_code, answer.content) == (206, part)
        assert answer.headers["content-range"] == f"bytes 5-{len(whole) - 1}/{len(whole)}"
        for strange in ("bytes=-", "lines=1-2", "bytes=1-2,4-5", "bytes=" + "9" * 5000 + "-"):
            assert client.get("/media/5", headers={"range": strange}).content == whole
        beyond = client.get("/media/5", headers={"range": f"bytes={len(whole)}-"})
        assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{len(whole)}")
    assert asked == [5]
    assert first.content == again.content
    assert first.headers["content-type"] == again.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(again.content)).format == "PNG"


def test_a_corrupt_file_is_said_to_be_one(client, items):
    (items.root / "2.png").write_bytes(b"not a picture")
    assert client.get("/thumbnails/2").status_code == 415
    (items.root / "4.png").unlink()
    gone = client.get("/media/4")
    assert gone.status_code == 404
    assert str(items.root) not in gone.text
    assert client.get("/atlas").status_code == 200


def test_texts_come_as_text(store, items):
    texts = [Media("text", text=f"{NASTY} {place}") for place in range(12)]
    items = type(items)(items.ids, items.features, items.feature_names, texts)
    with (
        Session(items, store, "texts", n_classes=2, look_ahead=False) as session,
        client_of(session) as client,
    ):
        item = client.get("/api/items/3").json()
        assert item["text"] == f"{NASTY} 3"
        assert item["media"] is None
        assert client.get("/media/3").status_code == 415


def test_downloads_are_of_the_newest_answers_also_where_nobody_said_how_many_classes(items, store, tmp_path):
    with Session(items, store, "open", n_questions=20) as session, client_of(session) as client:
        client.enter()
        client.get("/api/results")  # somebody looked once, long ago
        assert session.view(patience=120) is not None
        standing = session.question("Ann")
        while standing.shown is not None:
            standing = session.answer(
                "Ann", standing.shown.key, ("left", "dk")[standing.answered % 2]
            ).standing
        (tmp_path / "metric.json").write_bytes(client.get("/download/metric.json").content)
        comparisons = session._ledger.comparisons
        clusters = list(csv.DictReader(io.StringIO(client.get("/download/clusters.csv").text)))
        sizes = client.get("/api/results").json()["picture"]["sizes"]
        assert client.get(f"/api/clusters/{len(sizes) - 1}").status_code == 200
        assert client.get(f"/api/clusters/{len(sizes)}").status_code == 404
    learner = ActiveLearner(items.features, random_state=0, comparisons=comparisons)
    assert len(comparisons) == 20
    Z = load_metric(tmp_path / "metric.json").transform(items.features)
    assert pytest.approx(learner.metric_.transform(items.features)) == Z
    assert len(sizes) == learner.metric_.n_classes_
    assert Counter(int(row["cluster"]) - 1 for row in clusters) == Counter(dict(enumerate(sizes)))


def test_downloads(client, items, session, tmp_path):
    client.enter()
    key = client.get("/api/question").json()["question"]["key"]
    client.post("/api/answers", json={"key": key, "choice": "left", "response_ms": 5})
    (row,) = csv.DictReader(io.StringIO(client.get("/download/answers.csv").text))
    assert (row["annotator"], row["response_ms"]) == ("Ann", "5")
    assert json.loads(client.get("/download/answers.json").content)
    assert client.get("/download/answers.parquet").content[:4] == b"PAR1"
    assert client.get("/download/answers.exe").status_code == 422
    assert session.learned()
    metrics = []
    for form in ("json", "npz"):
        answer = client.get(f"/download/metric.{form}")
        assert answer.headers["content-disposition"] == f'attachment; filename="study-metric.{form}"'
        (tmp_path / f"metric.{form}").write_bytes(answer.content)
        metrics.append(load_metric(tmp_path / f"metric.{form}"))
    rows = list(csv.DictReader(io.StringIO(client.get("/download/features.csv").text)))
    assert [row["id"] for row in rows] == list(items.ids)
    places = np.array([[float(row[f"z{n}"]) for n in range(1, 4 + 6 * 3 + 1)] for row in rows])
    for metric in metrics:
        assert metric.transform(items.features) == pytest.approx(places)
    clusters = list(csv.DictReader(io.StringIO(client.get("/download/clusters.csv").text)))
    assert {row["cluster"] for row in clusters} <= {"1", "2", "3"}
    assert len(clusters) == 12
