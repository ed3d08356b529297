from tercet.neighbours import Neighbours
from tercet.stores import StoreError


def test_the_whole_way(client, store):
    client.enter()
    standing = client.get("/api/question").json()
    for number in range(5):
        question = standing["question"]
        assert (standing["answered"], standing["total"]) == (number, 5)
        assert len({question[side]["index"] for side in ("head", "left", "right")}) == 3
        choice = ("left", "right", "dk")[number % 3]
        sent = {"key": question["key"], "choice": choice, "response_ms": 1200}
        given = client.post("/api/answers", json=sent)
        assert given.status_code == 200
        assert given.json()["new"]
        standing = given.json()["standing"]
    assert standing["question"] is None
    answers = store.answers("study")
    assert [a.shown.annotator for a in answers] == ["Ann"] * 5
    for answer, choice in zip(answers, ("left", "right", "dk", "left", "right"), strict=True):
        side = {"yes": "j", "no": "k", "dk": None}[answer.reply]
        chosen = None if side is None else "left" if side == answer.shown.left else "right"
        assert chosen == (None if choice == "dk" else choice)
        assert answer.response_ms == 1200
    assert "All done" in client.get("/closing").text


def test_an_answer_sent_again_counts_once(client, store):
    client.enter()
    key = client.get("/api/question").json()["question"]["key"]
    sent = {"key": key, "choice": "left"}
    first, again = (client.post("/api/answers", json=sent).json() for _ in range(2))
    assert (first["new"], again["new"]) == (True, False)
    assert first["number"] == again["number"]
    assert first["standing"] == again["standing"]
    assert len(store.answers("study")) == 1


def test_undo_and_the_same_undo_again(client, store):
    client.enter()
    question = client.get("/api/question").json()["question"]
    answered = client.post("/api/answers", json={"key": question["key"], "choice": "left"}).json()
    key = answered["standing"]["undoable"]
    undone = client.post("/api/undo", json={"key": key}).json()
    assert undone["undone"]
    assert undone["standing"]["question"]["head"] == question["head"]
    assert not client.post("/api/undo", json={"key": key}).json()["undone"]
    assert store.answers("study") == []


def test_another_persons_key_is_refused(client, session):
    client.enter("Ann")
    other = session.question("Ben").shown.key
    refused = client.post("/api/answers", json={"key": other, "choice": "left"})
    assert refused.status_code == 404
    assert "reload" in refused.json()["detail"]


def test_a_page_of_a_store_that_fails_says_so(client, store, monkeypatch):
    client.enter()

    def broken(*_, **__):
        raise StoreError("the database is gone; look for it")

    monkeypatch.setattr(store, "answers", broken)
    page = client.get("/download/answers.csv")
    assert page.status_code == 507
    assert "the database is gone; look for it" in page.text


def test_an_answer_that_is_not_stored_is_not_acknowledged(client, store, monkeypatch):
    client.enter()
    key = client.get("/api/question").json()["question"]["key"]

    def full(*_):
        raise StoreError("the disk is full; free some space")

    with monkeypatch.context() as patch:
        patch.setattr(store, "record", full)
        refused = client.post("/api/answers", json={"key": key, "choice": "left"})
    assert refused.status_code == 507
    assert "not saved" in refused.json()["detail"]
    assert client.post("/api/answers", json={"key": key, "choice": "left"}).json()["new"]


def test_results_show_an_answer_at_once_and_leave_out_what_the_page_has(client):
    client.enter()
    key = client.get("/api/question").json()["question"]["key"]
    client.post("/api/answers", json={"key": key, "choice": "dk", "response_ms": 700})
    news = client.get("/api/results").json()
    assert (news["answered"], news["dont_know"], news["median_ms"]) == (1, 1, 700)
    assert len(news["curve"]) == 1
    assert news["annotators"][0]["name"] == "Ann"
    client.get("/api/clusters/0")  # waits for the first picture
    picture = client.get("/api/results").json()["picture"]
    assert len(picture["items"]) == len(picture["x"]) == 12
    assert sum(picture["sizes"]) == 12
    again = client.get(f"/api/results?seen={news['revision']}&picture={picture['version']}").json()
    assert again["curve"] is None
    assert again["picture"] is None or again["picture"]["version"] != picture["version"]


def test_results_say_what_to_expect_once_that_can_be_said(client, session):
    client.enter()
    news = client.get("/api/results").json()
    assert (news["planned"], news["expected"]) == (5, None)
    for name in ("Ann", "Ben", "Cem"):
        standing = session.question(name)
        while standing.shown is not None:
            standing = session.answer(name, standing.shown.key, "left").standing
    assert session.learned()
    news = client.get("/api/results").json()
    assert (news["answered"], news["planned"]) == (15, 15)
    expected = news["expected"]
    assert expected["n_answers"] == 15
    assert 1 / 3 < expected["accuracy"] < expected["target"] <= 0.99
    assert expected["gain"] >= 0


def test_neighbours_of_neighbours_are_not_searched_from_scratch(client, session, monkeypatch):
    fitted = []

    class Counted(Neighbours):
        def fit(self, X):
            fitted.append(self.metric)
            return super().fit(X)

    monkeypatch.setattr("tercet.web.neighbourhood.Neighbours", Counted)
    session.view(patience=60)
    first = [client.get(f"/api/items/{index}/neighbours").json() for index in (3, 5, 3)]
    assert first[0] == first[2] != first[1]
    assert len(fitted) == 1
    client.enter()
    key = client.get("/api/question").json()["question"]["key"]
    client.post("/api/answers", json={"key": key, "choice": "left"})
    session.view(patience=60, newest=True)
    client.get("/api/items/3/neighbours")
    assert len(fitted) == 2  # in the newest space


def test_clusters_and_neighbours(client, session, items):
    sizes = [client.get(f"/api/clusters/{cluster}").json() for cluster in range(3)]
    found = [item["index"] for page in sizes for item in page["items"]]
    assert sorted(found) == list(range(12))
    near = client.get("/api/items/3/neighbours?n=4").json()
    view = session.view()
    Z = view.metric.transform(items.features)
    away = ((Z - Z[3]) ** 2).sum(axis=1) ** 0.5
    expected = sorted((place for place in range(12) if place != 3), key=lambda place: away[place])[:4]
    assert [entry["item"]["index"] for entry in near["neighbours"]] == expected
    assert client.get("/api/clusters/3").status_code == 404
    assert client.get("/api/items/12/neighbours").status_code == 404
