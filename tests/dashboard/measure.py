#!/usr/bin/env python3
"""What a page of the dashboard costs its reader: how long it takes to open, how evenly it draws, how many bytes it loads.

    tests/dashboard/tools.sh
    build/dashboard_tools/venv/bin/python tests/dashboard/measure.py --program build/release/bin/dojima [--seconds S] [--json FILE]

Chromium without a screen shows the book of `dojima demo`, which trades 20,000 requests a second over sockets on the same machine.
Opened `--opened` times, each time in a new context, so that nothing is kept from before: from the beginning of the navigation to the first picture with
data. Drawn for `--seconds`: pictures and frames a second, and the gaps between two pictures.

Exit status: 0; 1 where data never come; 2 wrong arguments; 77 skipped, where browser or driver are missing.
"""

import argparse
import pathlib
import shutil
import sys
import time

from browser import Program, skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import artefact  # noqa: E402

RATE = 20_000
PATIENCE_S = 30
NOW = "() => [performance.now(), window.dojima.drawn, window.dojima.frames, Number(window.dojima.state.counters[0])]"


def wait(page, expression):
    end = time.monotonic() + PATIENCE_S
    while not page.evaluate(expression):
        if time.monotonic() > end:
            sys.exit(f"never so: {expression}")
        time.sleep(0.02)


def share_of(ordered, percent):
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def opened(browser, url, times):
    """Milliseconds to the first data of each opening, in order, and the bytes of the last one's answers."""
    took, size = [], 0
    for _ in range(times):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        answers = []
        page.on("response", lambda answer, answers=answers: answers.append(answer))
        page.goto(url)
        wait(page, "() => window.dojima && window.dojima.firstData")
        took.append(page.evaluate("() => window.dojima.firstData"))
        size = sum(len(answer.body()) for answer in answers)
        context.close()
    return sorted(took), size


def drawn(browser, url, seconds):
    """Pictures, frames and commands a second, and the gaps between pictures in order, in milliseconds."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(url)
    wait(page, "() => window.dojima && window.dojima.state.trades > 1000")
    gaps = []
    before = page.evaluate(NOW)
    end = time.monotonic() + seconds
    page.evaluate("() => { window.dojima.gaps.length = 0; }")
    while time.monotonic() < end:  # the page keeps the newest thousand
        time.sleep(min(5, max(0, end - time.monotonic())))
        gaps += page.evaluate("() => window.dojima.gaps.splice(0)")
    took, *counts = [b - a for a, b in zip(before, page.evaluate(NOW))]
    page.context.close()
    return [1000 * count / took for count in counts], sorted(gaps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program dojima")
    parser.add_argument("--browser", default=shutil.which("chromium") or "", help="the browser's program")
    parser.add_argument("--seconds", type=int, default=30, help="it is drawn for so long")
    parser.add_argument("--opened", type=int, default=10, help="it is opened so many times")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    arguments = parser.parse_args()
    if arguments.seconds < 1 or arguments.opened < 1:
        parser.error("--seconds and --opened take whole numbers from 1")
    if not arguments.browser:
        skip("there is no chromium: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("Python has no module playwright: tests/dashboard/tools.sh")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox", "--disable-gpu"])
        version = browser.version
        demo = Program(arguments.program, "demo", "--seconds", arguments.seconds + 20 + 5 * arguments.opened, "--rate", RATE, "--no-progress",
                       "--dashboard", "127.0.0.1:0")
        try:
            url = demo.wait_for(r"dashboard (http://\S+)")[1]
            took, size = opened(browser, url, arguments.opened)
            (pictures, frames, commands), gaps = drawn(browser, url, arguments.seconds)
        finally:
            demo.stop()
        browser.close()
    number = artefact.number
    opening = artefact.table("opening", "a page that is opened, to its first picture with data", {
        "opened": "times", "median_ms": "", "least_ms": "", "most_ms": "", "assets_bytes": "of all that it loads, uncompressed"},
        [[len(took), number(share_of(took, 50), 0), number(took[0], 0), number(took[-1], 0), size]])
    drawing = artefact.table("drawing", "the book of a demo that trades, drawn", {
        "seconds": "", "pictures_per_second": "", "frames_per_second": "that came", "commands_per_second": "of the demo's venue", "gap_median_ms": "between two pictures",
        "gap_p95_ms": "", "gap_most_ms": ""},
        [[arguments.seconds, number(pictures, 1), number(frames, 1), number(commands, 0), number(share_of(gaps, 50), 0), number(share_of(gaps, 95), 0), number(gaps[-1], 0)]])
    for table in (opening, drawing):
        print(artefact.to_text(table))
    if arguments.json:
        checks = [("all pictures have a gap before them", abs(len(gaps) - pictures * arguments.seconds) <= 0.05 * len(gaps) + 2, f"{len(gaps)} gaps")]
        pathlib.Path(arguments.json).write_text(artefact.artefact(
            ROOT, "tests/dashboard/measure.py", {"seconds": str(arguments.seconds), "opened": str(arguments.opened), "rate": str(RATE), "browser": version},
            [opening, drawing], checks, "see the program's own results"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
