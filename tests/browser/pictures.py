"""Take the pictures of docs/labelling anew, in two minutes: cd tests && python -m browser.pictures."""

import random
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tercet.media import example_labels

from . import chromium

PICTURES = Path(__file__).parents[2] / "docs" / "labelling"
N_ANSWERS = 60
ITEMS = """() => ["head", "left", "right"].map((place) =>
    Number(new URL(document.querySelector(`#${place} img`).src).pathname.split("/").pop()))"""


def main():
    """Answer questions about digits as somebody who knows them, and look at both pages."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tercet", "label", "--example", "digits", "--port", str(port)]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        while "Tercet is at" not in server.stdout.readline():
            assert server.poll() is None, "the server did not start"
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=chromium.find(), args=chromium.arguments()
                )
                take(browser, f"http://127.0.0.1:{port}")
                browser.close()
        finally:
            server.terminate()
            server.wait()


def take(browser, url):
    """Answer, then take both pictures."""
    labels, rng = example_labels("digits"), random.Random(0)
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto(url)
    page.fill("#name", "Ann")
    page.keyboard.press("Enter")
    before, answered = None, 0
    while True:
        page.wait_for_function("before => (document.body.dataset.ready ?? null) !== before", arg=before)
        before = page.evaluate("() => document.body.dataset.ready")
        page.wait_for_timeout(rng.uniform(800, 2200))  # somebody looks
        head, left, right = (labels[item] for item in page.evaluate(ITEMS))
        if answered >= N_ANSWERS and left != right and head in (left, right):
            break
        one_of_them = (head == left) != (head == right)
        page.keyboard.press(("ArrowLeft" if head == left else "ArrowRight") if one_of_them else "ArrowDown")
        answered += 1
    page.screenshot(path=PICTURES / "question.png")
    results = browser.new_page(viewport={"width": 1300, "height": 980})
    results.goto(f"{url}/results")
    results.wait_for_function("() => document.getElementById('status').textContent.includes('up to date')")
    results.click("#clusters button >> nth=0")
    results.click(".gallery button >> nth=0")
    results.wait_for_selector(".item-head")
    results.wait_for_timeout(3000)  # for thumbnails
    results.screenshot(path=PICTURES / "results.png")


if __name__ == "__main__":
    main()
