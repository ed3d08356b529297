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
