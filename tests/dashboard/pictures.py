#!/usr/bin/env python3
"""Takes the pictures of docs/dashboard.md anew, in chromium: a day in virtual time, stopped where there is something to see.

    tests/dashboard/tools.sh
    build/dashboard_tools/venv/bin/python tests/dashboard/pictures.py --program build/release/bin/dojima [--out docs/images]

dashboard-auction.png is the closing call shortly before its end, in the light theme; dashboard-book.png is the book behind the
closing auction, in the dark one. Time is paused while a picture is taken, so both are of one moment. The day has a seed: it is the
same each time, the moments are so within a few frames. Takes half a minute.

Exit status: 0; 1 where the moments never came; 2 wrong arguments; 77 skipped, where browser or driver are missing.
"""

import argparse
import collections
import pathlib
import re
import shutil
import struct
import sys
import time
import zlib

from browser import Program, skip

WIDTH = 1280
PATIENCE_S = 60
SETTLES_S = 0.5  # frames that are on their way, and the drawing


def rows_of(png):
    """Width and the rows of a picture that the browser wrote: 8 bits of red, green and blue, the filters of PNG taken back."""
    at, chunks = 8, collections.defaultdict(bytes)
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        chunks[kind] += png[at + 8:at + 8 + size]
        at += size + 12
    width, height, depth, color, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    step = {2: 3, 6: 4}[color]
    assert depth == 8
    data, rows, above = zlib.decompress(chunks[b"IDAT"]), [], bytes(width * step)
    for begin in range(0, height * (width * step + 1), width * step + 1):
        how, row = data[begin], bytearray(data[begin + 1:begin + 1 + width * step])
        for at in range(len(row)) if how else ():
            left, corner = (row[at - step], above[at - step]) if at >= step else (0, 0)
            if how == 1:
                guess = left
            elif how == 2:
                guess = above[at]
            elif how == 3:
                guess = (left + above[at]) // 2
            else:
                guess = min((left, above[at], corner), key=lambda value: abs(left + above[at] - corner - value))
            row[at] = (row[at] + guess) % 256
        above = bytes(row)
        rows.append([above[at:at + 3] for at in range(0, len(above), step)])
    return width, rows


def with_palette(png):
    """The same in few colors, a quarter of the size: half of them the most frequent ones, half the most frequent of those that differ
    from all before, so that a thin line keeps its own."""
    width, rows = rows_of(png)
    counts = [color for color, _ in collections.Counter(color for row in rows for color in row).most_common()]

    def distance(one, other):
        return sum((left - right) ** 2 for left, right in zip(one, other))

    palette = counts[:128]
    for color in counts[128:]:
        if len(palette) < 256 and min(distance(color, each) for each in palette) > 24 ** 2:
            palette.append(color)
    places = {color: place for place, color in enumerate(palette)}

    def place(color):
        if color not in places:
            places[color] = min(range(len(palette)), key=lambda at: distance(palette[at], color))
        return places[color]

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    body = b"".join(b"\0" + bytes(map(place, row)) for row in rows)
    return (png[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)) + chunk(b"PLTE", b"".join(palette))
            + chunk(b"IDAT", zlib.compress(body, 9)) + chunk(b"IEND", b""))


class Page:
    def __init__(self, browser, url, scheme, view):
        self.page = browser.new_page(viewport={"width": WIDTH, "height": 600}, color_scheme=scheme)
        self.page.goto(url)
        self.wait(lambda: self.page.evaluate("() => Boolean(window.dojima && window.dojima.isUp)"), "the page is connected")
        self.page.click(f"#to-{view}")

    def text(self, name):
        return self.page.evaluate(f"() => document.getElementById('{name}').textContent")

    def wait(self, holds, what):
        end = time.monotonic() + PATIENCE_S
        while not holds():
            if time.monotonic() > end:
                sys.exit(f"never so: {what}")
            time.sleep(0.01)

    def pace(self, word, is_paused):
        self.page.click(f"[data-pace={word}]")
        self.wait(lambda: self.page.evaluate("() => window.dojima.state.isPaused") == is_paused, f"{word} is done")
        time.sleep(SETTLES_S)

    def left(self):
        """Seconds of the phase, as the screen of auctions shows them; none where it does not."""
        found = re.search(r"Left([\d.]+) s", self.text("auction-facts"))
        return float(found[1]) if found else None

    def take(self, file):
        """As much of the page as there is."""
        height = self.page.evaluate("() => document.documentElement.scrollHeight")
        self.page.set_viewport_size({"width": WIDTH, "height": height})
        time.sleep(SETTLES_S)
        self.page.evaluate("() => document.activeElement.blur()")
        self.page.mouse.move(0, 0)
        file.write_bytes(with_palette(self.page.screenshot()))
        print(file)


def run(arguments, browser):
    demo = Program(arguments.program, "demo", "--day", "--seconds", "60", "--rate", "2000", "--seed", "1", "--speed", "3", "--no-progress",
                   "--dashboard", "127.0.0.1:0")
    try:
        url = demo.wait_for(r"dashboard (http://\S+)")[1]
        auction = Page(browser, url, "light", "auction")
        book = Page(browser, url, "dark", "book")
        auction.wait(lambda: auction.text("phase") == "closing call" and (auction.left() or 9) < 1.0, "the closing call is nearly over")
        auction.pace("pause", True)
        auction.take(arguments.out / "dashboard-auction.png")
        auction.pace("resume", False)
        book.wait(lambda: book.text("phase") in ("closing price cross", "post close"), "the closing auction is over")
        book.pace("pause", True)
        book.take(arguments.out / "dashboard-book.png")
    finally:
        demo.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program dojima")
    parser.add_argument("--browser", default=shutil.which("chromium") or "", help="the browser's program")
    parser.add_argument("--out", default="docs/images", type=pathlib.Path, help="folder of the pictures (default: docs/images)")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.program).is_file() or not arguments.out.is_dir():
        parser.error(f"there is no {arguments.program}, or no folder {arguments.out}")
    if not arguments.browser:
        skip("there is no chromium: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("Python has no module playwright: tests/dashboard/tools.sh")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox", "--disable-gpu"])
        run(arguments, browser)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
