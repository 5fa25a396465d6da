"""Opens every page of the documentation site in headless Chromium at two widths. Then goes from its first page to the page that
trains in the browser, trains there, and checks what it shows: check.py SITE PICTURES"""

import functools
import http.server
import json
import shutil
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

folder, pictures = Path(sys.argv[1]), Path(sys.argv[2])
pictures.mkdir(parents=True, exist_ok=True)
native = json.loads((folder / "demo/native.json").read_text())
pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html") if path.name != "404.html")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
threading.Thread(target=server.serve_forever, daemon=True).start()
site = f"http://127.0.0.1:{server.server_port}"

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    for width, height, scheme in ((1280, 900, "light"), (390, 844, "dark")):
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.set_default_timeout(180_000)
        faults = []
        page.on("pageerror", lambda error, faults=faults: faults.append(str(error)))
        page.on("console", lambda message, faults=faults: faults.append(message.text) if message.type == "error" else None)
        page.on("requestfailed", lambda request, faults=faults: faults.append(request.url))
        for name in pages:
            page.goto(f"{site}/{name}")
            page.screenshot(path=pictures / f"{width}-{name.replace('/', '-').removesuffix('.html')}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} is wider than the window"
            assert not faults, (name, faults)
        print(f"Chromium, {width} pixels wide: {len(pages)} pages")

        page.goto(f"{site}/index.html")
        page.click("text=Train a model in this browser")
        page.wait_for_function("document.getElementById('native').textContent.length === 32")
        page.click("#train")
        page.wait_for_function("Number(document.getElementById('trees').textContent) >= 40")
        page.screenshot(path=pictures / f"{width}-training.png", full_page=True)
        page.wait_for_selector(".verdict.same")
        page.screenshot(path=pictures / f"{width}-trained.png", full_page=True)
        shown = {name: page.text_content(f"#{name}") for name in ("here", "errors", "trees", "seconds")}
        assert shown["here"] == native["fingerprint"] and int(shown["errors"]) == native["errors"], shown
        assert float(shown["seconds"]) < 60, shown
        assert page.locator("#graph .edge").count() > 10 and page.locator("#graph .letter").count() == 26
        assert page.locator("#curve .line").get_attribute("points").count(" ") > 10
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page is wider than the window"
        assert not faults, faults
        print(f"Chromium, {width} pixels wide: the native model after {shown['seconds']} s, {shown['errors']} errors")
    browser.close()
