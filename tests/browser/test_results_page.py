"""The results page in a real browser."""

import time

from .test_question_page import enter, press


def answered(page, count):
    page.wait_for_function(
        "count => document.getElementById('answered').textContent === count", arg=str(count)
    )


def test_new_answers_show_by_themselves_and_after_a_reload(serve, visit):
    server = serve()
    page = visit(server)
    enter(page)
    results = visit(server, "/results")
    answered(results, 0)
    for count in (1, 2):
        press(page, "ArrowLeft")
        answered(results, count)  # by itself: the page asks every second
    results.wait_for_selector("#picture-hint:not(:empty)")
    results.mouse.move(400, 450)
    results.click("#zoom-in")
    view = results.evaluate("() => sessionStorage.getItem('tercet-picture')")
    press(page, "ArrowRight")
    answered(results, 3)
    results.reload()
    answered(results, 3)
    results.wait_for_selector("#picture-hint:not(:empty)")
    assert results.evaluate("() => sessionStorage.getItem('tercet-picture')") == view
    assert results.locator("#people tr").count() == 1
    assert 1 <= results.locator("#weights li").count() <= 4
    assert results.locator(".uplot canvas").count() == 2
    assert results.troubles == []


def test_clusters_neighbours_and_the_picture_by_keyboard(serve, visit):
    server = serve()
    page = visit(server, "/results", scheme="dark")
    page.wait_for_selector("#picture-hint:not(:empty)")
    page.focus("#clusters button >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector(".gallery button")
    sizes = sum(int(text.split()[-1]) for text in page.locator("#clusters button").all_inner_texts())
    assert sizes == 12
    page.focus("#picture")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#hover:not([hidden]) strong")
    page.keyboard.press("Enter")
    page.wait_for_selector(".item-head")
    assert page.locator(".gallery .distance").count() == 11
    name = page.locator(".item-head strong").inner_text()
    page.locator(".gallery button").first.click()
    page.wait_for_function(
        "name => document.querySelector('.item-head strong').textContent !== name", arg=name
    )
    assert page.troubles == []


def test_sound_plays_on_hover(serve, visit):
    server = serve("audio")
    page = visit(server, "/results")
    page.wait_for_selector("#picture-hint:not(:empty)")
    with page.expect_request(lambda request: "/media/" in request.url):
        page.focus("#picture")
        page.keyboard.press("ArrowRight")
    deadline = time.monotonic() + 20
    while not page.locator("#hover img").count() and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert "/spectrograms/" in page.locator("#hover img").get_attribute("src")


def test_the_whole_picture_has_every_item_in_it_and_no_empty_cluster_a_button(serve, visit):
    page = visit(serve(), "/results")
    page.wait_for_selector("#picture-hint:not(:empty)")
    farthest = page.evaluate(
        """async () => {
          const { Picture } = await import("/static/js/picture.js");
          const canvas = document.querySelector("#picture").cloneNode();
          document.querySelector("#picture").after(canvas);
          const picture = new Picture(canvas, { onHover() {}, onChoose() {} });
          const x = [...Array(199).fill(0).map((_, i) => Math.sin(i)), 1.4];
          const data = { x, y: x.map(() => 0), items: x.map((_, i) => i), clusters: x.map(() => 0) };
          picture.update({ ...data, x: x.map((value) => value / 3) });
          picture.update(data);  // it has grown
          picture.reset();
          return picture.toScreen(1.4, 0)[0] / canvas.clientWidth;
        }"""
    )
    assert 0.6 < farthest < 1
    buttons = page.evaluate(
        """async () => {
          const { Browser } = await import("/static/js/browse.js");
          new Browser(() => {}).clusters([3, 0, 9]);
          return [...document.querySelectorAll("#clusters button")].map((button) => button.ariaLabel);
        }"""
    )
    assert buttons == ["Cluster 1, 3 items", "Cluster 3, 9 items"]
