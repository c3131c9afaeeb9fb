#!/usr/bin/env python3
"""How the dashboard looks: pictures of its screens in chromium, held against the kept ones within a tolerance.

    tests/dashboard/tools.sh
    build/dashboard_tools/venv/bin/python tests/dashboard/looks.py --program build/release/bin/dojima [--renew] [--differences FOLDER]

A replay and a back-test of a generated day are at their ends. Each screen is taken in both themes, on a desktop's and a phone's
viewport, brought to an eighth of its size and compared with tests/dashboard/looks/NAME.png: at most 1 % of the cells may differ by more
than 40 of 255 in a color, and all together by 1 in the mean; of the book with its heat map, which depends on when it was looked at, 8 % and 8; without it, as all others. So fonts and the last frame may differ, and a part that has
moved, gone or changed its color may not; that this is found is tried with a hidden ladder and the other theme. `--renew` keeps the pictures of now; `--differences` puts those that differ, full size,
into a folder.

Exit status: 0 all alike, 1 one is not, 2 wrong arguments, 77 skipped, where browser or driver are missing.
"""

import argparse
import base64
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from browser import Program, skip

KEPT = pathlib.Path(__file__).resolve().parent / "looks"
SHRINK = 8
FAR, FAR_SHARE, MEAN = 40, 0.01, 1.0
HEAT_FAR_SHARE, HEAT_MEAN = 0.08, 8.0  # its columns depend on when the book was looked at
VIEWPORTS = {"desktop": (1280, 900), "phone": (390, 844)}
PATIENCE_S = 30

HIDE = "() => {{ document.getElementById('{}').style.visibility = 'hidden'; }}"

# Given pictures as data URLs: brings the first to an eighth, and compares it with the second where there is one.
COMPARE = """async ([taken, kept, shrink, far]) => {
  const load = async (url) => { const image = new Image(); image.src = url; await image.decode(); return image; };
  const draw = (image, width, height) => {
    const canvas = document.createElement('canvas');
    canvas.width = width; canvas.height = height;
    const context = canvas.getContext('2d', {willReadFrequently: true});
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, width, height);
    return {canvas, cells: context.getImageData(0, 0, width, height).data};
  };
  const image = await load(taken);
  const width = Math.floor(image.width / shrink), height = Math.floor(image.height / shrink);
  const small = draw(image, width, height);
  const result = {small: small.canvas.toDataURL('image/png').split(',')[1], size: [width, height]};
  if (!kept) return result;
  const before = await load(kept);
  result.keptSize = [before.width, before.height];
  if (before.width !== width || before.height !== height) return result;
  const other = draw(before, width, height);
  let wide = 0, sum = 0;
  for (let at = 0; at < small.cells.length; at += 4) {
    let most = 0;
    for (let color = 0; color < 3; ++color) {
      const difference = Math.abs(small.cells[at + color] - other.cells[at + color]);
      most = Math.max(most, difference);
      sum += difference;
    }
    if (most > far) ++wide;
  }
  result.far = wide / (width * height);
  result.mean = sum / (3 * width * height);
  return result;
}"""


def data_url(png):
    return "data:image/png;base64," + base64.b64encode(png).decode()


class Looks:
    def __init__(self, arguments, browser):
        self.arguments, self.browser = arguments, browser
        self.judge = browser.new_page()
        self.problems, self.compared = [], 0

    def trouble(self, png, name):
        """Why the picture is not the kept one; empty: it is."""
        kept = KEPT / f"{name}.png"
        if not kept.is_file():
            return "there is no kept picture"
        comparison = self.judge.evaluate(COMPARE, [data_url(png), data_url(kept.read_bytes()), SHRINK, FAR])
        if comparison["size"] != comparison["keptSize"]:
            return f"{comparison['size']} cells, not {comparison['keptSize']}"
        far, mean = (HEAT_FAR_SHARE, HEAT_MEAN) if "-heat-" in name else (FAR_SHARE, MEAN)
        if comparison["far"] > far or comparison["mean"] > mean:
            return f"{100 * comparison['far']:.1f} % of the cells differ widely, all by {comparison['mean']:.1f} in the mean"
        return ""

    def take(self, page, name):
        page.evaluate("() => document.activeElement.blur()")
        page.mouse.move(0, 0)
        time.sleep(0.8)  # the last frames, and their drawing
        png = page.screenshot()
        if self.arguments.renew:
            comparison = self.judge.evaluate(COMPARE, [data_url(png), "", SHRINK, FAR])
            KEPT.mkdir(exist_ok=True)
            (KEPT / f"{name}.png").write_bytes(base64.b64decode(comparison["small"]))
            return
        self.compared += 1
        trouble = self.trouble(png, name)
        if trouble:
            print(f"not so: {name}: {trouble}")
            self.problems.append(name)
            if self.arguments.differences:
                (self.arguments.differences / f"{name}.png").write_bytes(png)

    def page(self, url, scheme, size):
        page = self.browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme).new_page()
        page.goto(url.split("#")[0])
        self.wait(page, "() => window.dojima && window.dojima.isUp && window.dojima.drawn > 0 && window.dojima.state.isOver", "the run is over")
        return page

    def wait(self, page, expression, what):
        end = time.monotonic() + PATIENCE_S
        while not page.evaluate(expression):
            if time.monotonic() > end:
                raise AssertionError(f"never so: {what}")
            time.sleep(0.05)

    def screens(self, url, of, keys):
        for scheme in ("light", "dark"):
            for device, size in VIEWPORTS.items():
                page = self.page(url, scheme, size)
                for key, screen in keys.items():
                    page.keyboard.press(key)
                    if screen == "book":
                        self.take(page, f"{of}-heat-{scheme}-{device}")
                        page.evaluate(HIDE.format("heat"))
                    self.take(page, f"{of}-{screen}-{scheme}-{device}")
                page.context.close()

    def finds_what_is_wrong(self, url):
        """A picture of the other theme, and one without its ladder, are not the kept one."""
        for what, scheme, harm in (("the other theme", "dark", "() => {}"), ("a hidden ladder", "light", HIDE.format("ladder"))):
            page = self.page(url, scheme, VIEWPORTS["desktop"])
            page.keyboard.press("1")
            page.evaluate(harm)
            page.evaluate(HIDE.format("heat"))
            time.sleep(0.8)
            if not self.trouble(page.screenshot(), "replay-book-light-desktop"):
                print(f"not so: {what} is seen")
                self.problems.append(what)
            page.context.close()


def run(arguments, browser):
    looks = Looks(arguments, browser)
    with tempfile.TemporaryDirectory(prefix="dojima-looks-") as folder:
        day = pathlib.Path(folder) / "day.events"
        subprocess.run([arguments.program, "gen", "--requests", "6000", "--rate", "400", "--seed", "1", "--out", str(day), "--no-progress"],
                       capture_output=True, check=True)
        for of, words, keys in (("replay", ["replay", day], {"1": "book", "2": "market"}),
                                ("backtest", ["backtest", day, "--exchange", "orders", "--strategy", "grid"], {"1": "book", "6": "account"})):
            program = Program(arguments.program, *words, "--speed", "4", "--no-progress", "--dashboard", "127.0.0.1:0")
            try:
                url = program.wait_for(r"dashboard (http://\S+)")[1]
                looks.screens(url, of, keys)
                if of == "replay" and not arguments.renew:
                    looks.finds_what_is_wrong(url)
            finally:
                program.stop()
    return looks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program dojima")
    parser.add_argument("--browser", default=shutil.which("chromium") or "", help="the browser's program")
    parser.add_argument("--renew", action="store_true", help="keep the pictures of now")
    parser.add_argument("--differences", type=pathlib.Path, help="folder for pictures that differ")
    arguments = parser.parse_args()
    if not arguments.browser:
        skip("there is no chromium: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("Python has no module playwright: tests/dashboard/tools.sh")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox", "--disable-gpu"])
        looks = run(arguments, browser)
        browser.close()
    if arguments.renew:
        print(f"kept {len(list(KEPT.glob('*.png')))} pictures")
        return 0
    print(f"{len(looks.problems)} of {looks.compared} pictures differ" if looks.problems else f"{looks.compared} pictures look as they did")
    return 1 if looks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
