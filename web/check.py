"""Opens every page of the documentation site in headless Chromium at two widths. Then goes from its first page to the page that
trains in the browser, and uses it as people do: check.py SITE PICTURES"""

import csv
import functools
import http.server
import json
import random
import shutil
import sys
import tempfile
import threading
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

folder, pictures = Path(sys.argv[1]), Path(sys.argv[2])
pictures.mkdir(parents=True, exist_ok=True)
native = json.loads((folder / "demo/native.json").read_text())
site_pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html") if path.name != "404.html")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def penguins(rows, label=True):
    """A table of two numbers with gaps, a category, a date and an index."""
    draw = random.Random(7)
    sizes = {"Adelie": (38, 18), "Chinstrap": (48, 18), "Gentoo": (47, 15)}
    lines = [["id", "bill length", "bill depth", "island", "measured", "species"]]
    for i in range(rows):
        species = draw.choice(list(sizes))
        length, depth = sizes[species]
        depth = f"{draw.gauss(depth, 1):.1f}" if draw.random() > 0.1 else "NA"
        island = "Dream" if species == "Chinstrap" else draw.choice(["Biscoe", "Dream"])
        lines.append([i, f"{draw.gauss(length, 2):.1f}", depth, island, f"2026-0{1 + i % 9}-11", species])
    return [line if label else line[:-1] for line in lines]


def write_csv(path, lines):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    return path


class Visitor:
    """Somebody at the page that trains."""

    def __init__(self, page, width):
        self.page, self.width, self.faults = page, width, []
        page.set_default_timeout(180_000)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        page.on("requestfailed", lambda request: self.faults.append(request.url))

    def text(self, name):
        return self.page.text_content(f"#{name}").strip()

    def wait(self, script):
        self.page.wait_for_function(script)

    def wait_text(self, name, part):
        self.page.wait_for_function("([name, part]) => document.getElementById(name).textContent.includes(part)", arg=[name, part])

    def seen(self, name):
        """Takes a picture, and checks what is on the page."""
        self.page.screenshot(path=pictures / f"{self.width}-{name}.png", full_page=True)
        assert self.page.evaluate("document.documentElement.scrollWidth") <= self.width, f"{name}: the page is wider than the window"
        assert not self.faults, (name, self.faults)

    def accessible(self, name):
        found = Axe().run(self.page).response["violations"]
        assert not found, (name, [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found])

    def saved(self, link, path):
        with self.page.expect_download() as download:
            self.page.click(link)
        download.value.save_as(path)
        assert download.value.suggested_filename == path.name, download.value.suggested_filename
        return path

    def drop(self, path):
        """Drops a file on the page."""
        self.page.evaluate(
            """([name, text]) => {
                const transfer = new DataTransfer();
                transfer.items.add(new File([text], name));
                const drop = (type) => document.getElementById("drop").dispatchEvent(new DragEvent(type, {dataTransfer: transfer, bubbles: true, cancelable: true}));
                drop("dragover");
                drop("drop");
            }""",
            [path.name, path.read_text()],
        )


def train_letters(visitor):
    """Trains on the example from the keyboard alone. The model is that of the command."""
    page = visitor.page
    page.goto(f"{site}/index.html")
    page.click("text=Train on your own table")
    page.wait_for_selector("#file")
    visitor.seen("page")
    visitor.accessible("page")
    for _ in range(3):  # aoso, the file, the letters
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "letters", page.evaluate("document.activeElement.outerHTML")
    page.keyboard.press("Enter")
    page.wait_for_selector("#training:not([hidden])")
    visitor.wait("document.getElementById('trees').checkVisibility()")
    page.focus("#train")
    page.keyboard.press("Space")
    visitor.wait("parseInt(document.getElementById('ticks').textContent) >= 20")
    assert page.evaluate("document.activeElement.id") == "train" and visitor.text("train") == "Cancel"
    visitor.seen("training")
    page.wait_for_selector("#verdict:not([hidden])")
    visitor.wait_text("predicted", "probability")
    assert visitor.text("verdict").startswith("✓ The same model, bit for bit"), visitor.text("verdict")
    assert native["fingerprint"] in visitor.text("model-summary")
    assert page.locator("#confusion tbody tr").count() == 26
    visitor.seen("letters")
    visitor.accessible("letters")


def first_ten_minutes(visitor, files):
    """A stranger's own table: drop, train, read the errors, edit a row, download the model, load it, predict."""
    page = visitor.page
    visitor.drop(write_csv(files / "penguins.csv", penguins(400)))
    visitor.wait_text("summary", "penguins.csv has 400 rows and 6 columns.")
    assert visitor.text("classes").startswith("3 classes: "), visitor.text("classes")
    taken = page.eval_on_selector_all("#column-table tbody tr", "rows => rows.map(row => row.querySelector('select')?.value ?? row.cells[1].textContent)")
    assert taken == ["out", "number", "number", "category", "date", "the label"], taken
    assert '"id" has another value in each row' in visitor.text("notes"), visitor.text("notes")
    assert int(page.text_content("#column-table tbody tr:nth-child(3) td.number")) > 20, "missing values of the bill depth"
    page.select_option("#label", label="island")
    assert visitor.text("classes").startswith("2 classes: "), visitor.text("classes")
    page.select_option("#label", label="species")
    visitor.seen("columns")

    page.click("#train")
    visitor.wait_text("status", "Trained: ")
    visitor.wait_text("predicted", "probability")
    figures = page.eval_on_selector_all("#figures dd", "figures => figures.map(f => f.textContent)")
    assert page.text_content("#figures dt") == "Errors in 80 test rows" and int(figures[0]) < 20 and 0 < float(figures[2]) < 1, figures
    cells = page.eval_on_selector_all("#confusion td", "cells => cells.map(cell => Number(cell.textContent))")
    assert sum(cells) == 80, cells
    assert visitor.text("commands").startswith("aoso train --data penguins.train.csv --label species --ignore id --preset fast --model penguins.aoso\n")
    visitor.seen("trained")
    visitor.accessible("trained")

    depth = page.get_by_label("bill depth", exact=True)
    page.get_by_label("bill length", exact=True).fill("47")
    depth.fill("14.5")
    page.get_by_label("island", exact=True).select_option("Biscoe")
    visitor.wait_text("predicted", "Gentoo, with probability")
    depth.fill("deep")
    page.wait_for_selector("#row-alert:not([hidden])")
    assert visitor.text("row-alert").startswith('bill depth: "deep" is not a number'), visitor.text("row-alert")
    depth.fill("")
    page.wait_for_selector("#row-alert", state="hidden")
    visitor.wait_text("predicted", "Gentoo, with probability")

    model = visitor.saved("#downloads a >> nth=0", files / "penguins.aoso")
    visitor.saved("#downloads a >> nth=2", files / "penguins.test.csv")
    fingerprint = visitor.text("model-summary").rsplit(" ", 1)[1]
    page.reload()
    page.set_input_files("#model-file", model)
    visitor.wait_text("model-summary", fingerprint)
    page.set_input_files("#predict-file", write_csv(files / "new.csv", penguins(50, label=False)))
    visitor.wait_text("predict-status", "50 rows predicted, most often ")
    with visitor.saved("#predict-downloads a", files / "new.predictions.csv").open() as file:
        predictions = list(csv.DictReader(file))
    assert len(predictions) == 50 and list(predictions[0]) == ["predicted", "Adelie", "Chinstrap", "Gentoo"], predictions[0]
    truth = [line[-1] for line in penguins(50)[1:]]
    right = sum(row["predicted"] == species for row, species in zip(predictions, truth))
    assert right >= 40, right
    visitor.seen("predicted")
    visitor.accessible("predicted")


def cancel_and_go_on(visitor, files):
    """Cancelled training leaves the table as it is. Without test rows, the held-out rows tell the errors."""
    page = visitor.page
    page.set_input_files("#file", write_csv(files / "penguins.csv", penguins(400)))
    visitor.wait_text("summary", "penguins.csv")
    page.wait_for_selector("#training:not([hidden])")
    page.select_option("#strategy", "fixed")
    page.fill("#trees", "10000")
    page.click("#train")
    page.wait_for_selector("#progress[value]")
    page.click("#train")
    visitor.wait_text("status", "Cancelled.")
    assert visitor.text("train") == "Train" and not page.is_visible("#result")
    page.select_option("#strategy", "fast")
    page.select_option("#test", "none")
    page.click("#train")
    visitor.wait_text("status", "Trained. ")
    assert "held out" in page.text_content("#figures") and visitor.text("commands").count("\n") == 0
    visitor.seen("all-rows")


def refuse_wrong_input(visitor, files):
    """Each wrong file gives one sentence, and the page goes on."""
    page = visitor.page
    wide = [["x", "class"], *([i % 7, f"c{i % 5000}"] for i in range(20_000))]
    with (files / "large.csv").open("wb") as file:
        file.truncate(200_000_000)
    for name, content, sentence in (
        ("empty.csv", "", "empty.csv is empty."),
        ("large.csv", None, "large.csv has 200 MB; allowed in this page: at most 100 MB."),
        ("picture.csv", "\x89PNG\r\n\x1a\n\0\0\0", "picture.csv is not text in UTF-8"),
        ("book.xlsx", "PK\x03\x04\0\0", "book.xlsx is a zip archive or a workbook; allowed: CSV"),
        ("one.csv", "a\n1\n2\n", "one.csv has one column only; allowed:"),
        ("short.csv", "a,b,c\n" + "1,2,x\n" * 30 + "1,2\n", "short.csv, line 32: "),
    ):
        if content is not None:
            (files / name).write_text(content, encoding="latin-1")
        page.set_input_files("#file", files / name)
        visitor.wait_text("data-alert", name)
        visitor.wait("document.getElementById('data-status').textContent === ''")
        shown = visitor.text("data-alert")
        assert shown.startswith(sentence) and shown.endswith(".") and not page.is_visible("#columns"), shown
    visitor.seen("refused")
    for name, lines, sentence in (
        ("same.csv", [["x", "class"], *([i, "a"] for i in range(30))], 'Column "class" has the same value, "a", in every row; allowed'),
        ("classes.csv", wide, 'Column "class" has 5000 different values; allowed as the label in this page: at most 1000 classes.'),
    ):
        page.set_input_files("#file", write_csv(files / name, lines))
        visitor.wait_text("summary", name)
        visitor.wait_text("label-alert", "Column")
        assert visitor.text("label-alert").startswith(sentence) and page.is_disabled("#train"), visitor.text("label-alert")
    (files / "numbers.csv").write_text("1,2,7\n3,4,8\n" * 20)
    page.set_input_files("#file", files / "numbers.csv")
    visitor.wait_text("summary", "numbers.csv has 40 rows")
    assert not page.is_checked("#header") and page.eval_on_selector("#label", "list => list.selectedOptions[0].text") == "column 2"
    page.check("#header")
    visitor.wait_text("summary", "numbers.csv has 39 rows")

    page.set_input_files("#model-file", files / "numbers.csv")
    page.wait_for_selector("#load-alert:not([hidden])")
    assert visitor.text("load-alert").startswith("numbers.csv is not a model file of aoso; allowed: "), visitor.text("load-alert")
    page.set_input_files("#model-file", files / "penguins.aoso")
    visitor.wait_text("model-summary", "penguins.aoso")
    page.set_input_files("#predict-file", files / "numbers.csv")
    page.wait_for_selector("#predict-alert:not([hidden])")
    assert "numbers.csv" in visitor.text("predict-alert"), visitor.text("predict-alert")
    lines = [[cell for j, cell in enumerate(line) if j != 1] for line in penguins(20, label=False)]
    page.set_input_files("#predict-file", write_csv(files / "lacks.csv", lines))
    visitor.wait_text("predict-alert", 'lacks.csv has no column "bill length", a feature of the model')
    visitor.seen("refused-rows")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
threading.Thread(target=server.serve_forever, daemon=True).start()
site = f"http://127.0.0.1:{server.server_port}"

with sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    for width, height, scheme in ((1280, 900, "light"), (360, 740, "dark")):
        visitor = Visitor(browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"), width)
        for name in site_pages:
            visitor.page.goto(f"{site}/{name}")
            visitor.seen(name.replace("/", "-").removesuffix(".html"))
        print(f"Chromium, {width} pixels wide: {len(site_pages)} pages")
        train_letters(visitor)
        print(f"Chromium, {width} pixels wide: {visitor.text('verdict')}")
        for part in (first_ten_minutes, cancel_and_go_on, refuse_wrong_input):
            part(visitor, Path(temporary))
        print(f"Chromium, {width} pixels wide: a stranger's table, cancelled training and wrong files")
    browser.close()
