#!/usr/bin/env python3
"""The dashboard's pages in chromium, against a venue that this test starts and trades at.

When a flow has stopped, ladder, phase and trade count on the page equal what the venue's operator commands say; both themes and a
phone's width without axe-core's violations; every screen by keyboard alone; the server killed and back; no request leaves this
machine; orders and account of a back-test; time of a virtual demo paused and moved with the token. `--pictures FOLDER` keeps pictures of the screens.

Exit status: 0 all of it holds, 1 something does not, 2 wrong arguments, 77 skipped, where browser or driver are missing.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

WAIT_MS = 20_000
SKIPPED = 77


# What charts write from now on.
KEEP_TEXTS = """() => {
  const draw = CanvasRenderingContext2D.prototype.fillText;
  window.texts = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    if (this.canvas.closest('#latency-chart')) window.texts.push(text);
    return draw.call(this, text, ...rest);
  };
}"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class Program:
    """A dojima process and the lines that it has said."""

    def __init__(self, *words):
        self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []

    def wait_for(self, pattern):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            found = re.search(pattern, line)
            if found:
                return found
        raise AssertionError(f"never said {pattern}: {self.lines}")

    def stop(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(20)


class Test:
    def __init__(self, arguments, browser):
        self.program, self.axe, self.pictures, self.pages = arguments.program, arguments.axe, arguments.pictures, arguments.pages
        self.browser = browser
        self.problems = []
        self.requests = set()

    def check(self, is_so, what):
        if not is_so:
            print(f"not so: {what}")
            self.problems.append(what)

    def page(self, url, **options):
        context = self.browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("request", lambda request: self.requests.add(urllib.parse.urlparse(request.url).hostname))
        page.on("websocket", lambda socket: self.requests.add(urllib.parse.urlparse(socket.url).hostname))
        page.on("console", lambda message: self.check(
            message.type != "error" or "ERR_CONNECTION_REFUSED" in message.text or "WebSocket" in message.text
            or "ERR_FAILED" in message.text, f"the console says {message.text}"))
        page.on("pageerror", lambda error: self.check(False, f"the page fails: {error}"))
        if self.pages:
            context.route("**/*", self.from_folder)
        page.goto(url)
        return page

    def from_folder(self, route):
        """A file of the folder in place of the program's, with the program's own headers; the page itself comes from the program, as
        the browser lets no other connect to this machine."""
        file = pathlib.Path(self.pages) / urllib.parse.urlparse(route.request.url).path.lstrip("/")
        if file.is_file():
            route.fulfill(response=route.fetch(), body=file.read_bytes())
        else:
            route.continue_()

    def wait(self, page, expression, what):
        """The page's policy forbids texts as code, so nothing is waited for in the page."""
        end = time.monotonic() + WAIT_MS / 1000
        while time.monotonic() < end:
            if page.evaluate(expression):
                return True
            time.sleep(0.05)
        self.check(False, what)
        return False

    def picture(self, page, name):
        if self.pictures:
            page.screenshot(path=str(pathlib.Path(self.pictures) / f"{name}.png"))

    def look_through(self, page, name):
        """No violation that axe-core knows."""
        if not self.axe:
            return
        page.evaluate(self.axe)
        found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        for violation in found["violations"]:
            nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
            self.check(False, f"{name}: axe {violation['id']}: {violation['help']}: {nodes}")

    # ---- A venue that is traded at

    def venue(self):
        folder = tempfile.mkdtemp(prefix="dojima-dashboard-")
        config = pathlib.Path(folder) / "venue.toml"
        config.write_text(subprocess.run([self.program, "config", "default", "venue"], capture_output=True, text=True, check=True).stdout)
        self.instruments = re.findall(r'^id = (\d+).*\nsymbol = "(\w+)"', config.read_text(), re.MULTILINE)
        words = [self.program, "venue", "--config", config, "--set", "listen.port=0", "--set", "admin.port=0", "--dashboard"]
        venue = Program(*words, "127.0.0.1:0")
        try:
            port = int(venue.wait_for(r"MIT203 real-time 127\.0\.0\.1:(\d+)")[1])
            admin = venue.wait_for(r"admin and metrics http://(\S+),")[1]
            url = venue.wait_for(r"dashboard (http://\S+)")[1]
            page = self.page(url)
            self.equal_market(page, port, admin, folder)
            self.keyboard(page)
            self.themes(page, url)
            self.who_cannot(url)
            self.back_again(page, venue, words, url)
        finally:
            venue.stop()
            shutil.rmtree(folder)

    def equal_market(self, page, port, admin, folder):
        """Orders rest and trade; then the page shows what the operator sees of the same books."""
        self.wait(page, "() => window.dojima && window.dojima.isUp && window.dojima.state.ladder !== null", "the page receives a book")
        self.check(page.evaluate("() => document.getElementById('link').textContent") == "connected", "the page says that it is connected")
        client = subprocess.Popen([self.program, "trade", "--native", "--connect", f"127.0.0.1:{port}", "--user", "KONOIKE", "--password", "rice-1730",
                                   *(f"--instrument={symbol}={number}" for number, symbol in self.instruments)],
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        try:
            client.stdin.write("\n".join(("sell 100 KAGA @ 101", "sell 50 KAGA @ 101", "sell 70 KAGA @ 102", "buy 40 KAGA @ 99",
                                          "buy 30 KAGA @ 98.5", "buy 20 KAGA @ 101", "buy 7 HIGO @ 400", "wait 30")) + "\n")
            client.stdin.flush()
            self.wait(page, "() => Number(window.dojima.state.trades) === 1 && window.dojima.state.market.size > 0", "the trade comes")
            self.wait(page, "() => window.dojima.state.ladder.asks.length === 2 && window.dojima.state.ladder.bids.length === 2", "the ladder has its levels")
            ladder = page.evaluate("() => [window.dojima.state.ladder.asks, window.dojima.state.ladder.bids].map(side => side.map(l => [Number(l.price) / 1e8, Number(l.quantity), l.orders]))")
            self.check(ladder == [[[101, 130, 2], [102, 70, 1]], [[99, 40, 1], [98.5, 30, 1]]], f"the ladder is the book, not {ladder}")
            page.evaluate("() => { document.getElementById('ladder-details').open = true; }")
            self.wait(page, "() => document.getElementById('ladder-rows').rows.length === 4", "the ladder's table has it too")
            page.evaluate("() => { document.getElementById('ladder-details').open = false; }")
            # KONOIKE is the first user; all that rests is its.
            page.select_option("#own", label="KONOIKE")
            self.wait(page, "() => window.dojima.state.ladder.asks[0].own === 2 && window.dojima.state.ladder.bids[1].own === 1", "own orders are marked")
            self.wait(page, "() => document.getElementById('ladder').getAttribute('aria-label').endsWith('5 orders marked')", "and announced")
            self.picture(page, "venue-book")
            page.select_option("#own", label="YODOYA")
            self.wait(page, "() => window.dojima.state.ladder.asks[0].own === 0", "another user has none")
            page.select_option("#own", label="nobody")
            page.evaluate("() => document.activeElement.blur()")
            page.keyboard.press("2")
            self.wait(page, "() => document.getElementById('market-rows').rows.length === 4", "the market has its instruments")
            price = lambda text: float(text) if text not in ("", "–") else None
            # The page draws what has come, and the last order may still be on its way.
            end = time.monotonic() + WAIT_MS / 1000
            shown, expected = None, {}
            while shown != expected and time.monotonic() < end:
                cells = page.evaluate("() => [...document.getElementById('market-rows').rows].map(row => [...row.cells].map(cell => cell.textContent))")
                shown = {row[0]: (row[2], price(row[4]), price(row[5])) for row in cells}
                listed = subprocess.run([self.program, "admin", "--connect", admin, "instruments", "--json"], capture_output=True, text=True, timeout=20)
                table = json.loads(listed.stdout)["tables"][0]["rows"]
                expected = {row["symbol"]: (row["phase"], price(row["bid"] or ""), price(row["ask"] or "")) for row in table}
            self.check(shown == expected, f"the market table is the operator's, {expected}, not {shown}")
            kaga = [row[4:6] for row in cells if row[0] == "KAGA"]
            self.check(kaga == [["99.0", "101.0"]], f"prices have the places of the longest one that was seen, 98.5, not {kaga}")
            page.keyboard.press("5")
            self.wait(page, "() => document.getElementById('session-rows').textContent.includes('up')", "the session is up")
            self.wait(page, "() => document.getElementById('session-rows').textContent.includes('6')", "with its open orders")
            page.keyboard.press("1")
        finally:
            client.kill()
            client.wait()

    def keyboard(self, page):
        """Every screen by its key, every control by the tab key, and each shows where the focus is."""
        page.keyboard.press("Escape")
        for key, name in zip("12345", ("book", "market", "auction", "latency", "sessions")):
            page.keyboard.press(key)
            self.check(page.evaluate(f"() => !document.getElementById('view-{name}').hidden"), f"key {key} shows {name}")
            self.look_through(page, name)
            self.picture(page, f"venue-{name}")
        page.keyboard.press("1")
        seen = set()
        page.evaluate("() => document.activeElement.blur()")
        for _ in range(40):
            page.keyboard.press("Tab")
            seen.add(page.evaluate("() => document.activeElement.id || document.activeElement.tagName"))
        for name in ("theme", "to-market", "instrument", "own", "ladder", "heat", "tape-all"):
            self.check(name in seen, f"the tab key reaches {name}, not only {sorted(seen)}")
        page.evaluate("() => document.activeElement.blur()")
        page.keyboard.press("/")
        self.check(page.evaluate("() => document.activeElement.id") == "filter", "/ goes to the filter")
        page.keyboard.type("no such instrument")
        self.wait(page, "() => document.getElementById('market-rows').rows.length === 0", "the filter filters")
        page.evaluate("() => { document.getElementById('filter').value = ''; }")

    def themes(self, page, url):
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                other = self.page(url, color_scheme=scheme, reduced_motion="reduce")
                other.set_viewport_size({"width": width, "height": 800})
                self.wait(other, "() => window.dojima.isUp && window.dojima.drawn > 0", f"{scheme} {width}: drawn")
                wide = other.evaluate("() => document.documentElement.scrollWidth")
                self.check(wide <= width, f"{scheme}: {wide} pixels wide on a screen of {width}")
                self.look_through(other, f"{scheme} {width}")
                self.picture(other, f"venue-{scheme}-{width}")
                other.context.close()

    def who_cannot(self, url):
        """A page of another program, a browser that does not know the modules, and one without JavaScript: each says why it shows nothing."""
        def text_of(page, name):
            return page.evaluate(f"() => document.getElementById('{name}').textContent")

        context = self.browser.new_context()
        context.route("**/frames.js", lambda route: route.fulfill(response=(answer := route.fetch()), body=re.sub(
            r"(VERSION = )\d+", r"\g<1>1", answer.text())))
        page = context.new_page()
        page.goto(url)
        self.wait(page, "() => document.getElementById('link').textContent.includes('load it again')", "a page of another program says so")
        self.wait(page, "() => document.getElementById('trouble').textContent.endsWith('load the page again')", "and what the server says")
        context.close()

        context = self.browser.new_context()
        context.route("**/main.js", lambda route: route.fulfill(response=route.fetch(), body="what no browser knows"))
        page = context.new_page()
        page.goto(url)
        self.check("browser" in text_of(page, "link"), f"a browser that does not know the modules says so, not {text_of(page, 'link')}")
        context.close()

        context = self.browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(url)
        self.check(page.locator("noscript").is_visible() and "JavaScript" in page.locator("noscript").inner_text(), "without JavaScript it says so")
        context.close()

    def back_again(self, page, venue, words, url):
        page.keyboard.press("Escape")
        venue.stop(signal.SIGKILL)
        self.wait(page, "() => document.getElementById('link').dataset.state === 'down'", "the page says that the connection is lost")
        again = Program(*words, f"127.0.0.1:{urllib.parse.urlparse(url).port}")
        try:
            again.wait_for(r"dashboard http://")
            self.wait(page, "() => document.getElementById('link').dataset.state === 'up'", "the connection is repaired")
        finally:
            again.stop()

    # ---- A recorded day, whose time is moved by keyboard alone

    def replay(self):
        folder = tempfile.mkdtemp(prefix="dojima-dashboard-")
        file = pathlib.Path(folder) / "day.events"
        subprocess.run([self.program, "gen", "--requests", "24000", "--rate", "400", "--out", str(file)], capture_output=True, check=True)
        replay = Program(self.program, "replay", file, "--speed", "5", "--no-progress", "--dashboard", "127.0.0.1:0")
        try:
            page = self.page(replay.wait_for(r"dashboard (http://\S+)")[1])
            self.wait(page, "() => window.dojima && window.dojima.isUp && window.dojima.state.trades > 20", "trades of the file come")
            page.keyboard.press("p")
            self.wait(page, "() => window.dojima.state.isPaused", "p pauses")
            before = page.evaluate("() => window.dojima.state.time")
            page.keyboard.press("s")
            self.wait(page, f"() => window.dojima.state.time > {before}", "s makes a step")
            page.keyboard.press(".")
            self.wait(page, "() => window.dojima.state.speed === 10", "a dot is faster")
            page.keyboard.press(",")
            self.wait(page, "() => window.dojima.state.speed === 5", "a comma is slower")
            page.keyboard.press("j")
            self.check(page.evaluate("() => document.activeElement.id") == "jump", "j goes to the field for a time")
            page.keyboard.type("noon")
            page.keyboard.press("Enter")
            self.check("time of day" in page.evaluate("() => document.getElementById('jump-note').textContent"), "an invalid time is reported")
            start = page.evaluate("() => document.getElementById('range').textContent")
            page.fill("#jump", "")
            page.keyboard.type(start.removeprefix("from ") + ".9")
            before = page.evaluate("() => window.dojima.state.time")
            page.keyboard.press("Enter")
            self.wait(page, f"() => window.dojima.state.time < {before} && window.dojima.state.isPaused", "time goes back")
            page.evaluate("() => document.activeElement.blur()")
            self.look_through(page, "replay")
            self.picture(page, "replay-book")
            page.keyboard.press("p")
            self.wait(page, "() => !window.dojima.state.isPaused && window.dojima.state.trades > 5", "p goes on")
            self.picture(page, "replay-later")
            page.set_viewport_size({"width": 390, "height": 800})
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            self.check(wide <= 390, f"a replay is {wide} pixels wide on a screen of 390")
        finally:
            replay.stop()
            shutil.rmtree(folder)

    # ---- A strategy in a recorded day: its orders are marked, its account is that of the result

    def backtest(self):
        folder = tempfile.mkdtemp(prefix="dojima-dashboard-")
        file = pathlib.Path(folder) / "day.events"
        subprocess.run([self.program, "gen", "--requests", "6000", "--rate", "400", "--out", str(file)], capture_output=True, check=True)
        json_file = pathlib.Path(folder) / "run.json"
        run = Program(self.program, "backtest", file, "--exchange", "orders", "--strategy", "touch", "--speed", "5", "--no-progress", "--json", json_file,
                      "--dashboard", "127.0.0.1:0")
        try:
            page = self.page(run.wait_for(r"dashboard (http://\S+)")[1])
            self.wait(page, "() => window.dojima && window.dojima.isUp && window.dojima.state.ladder && "
                            "[...window.dojima.state.ladder.bids, ...window.dojima.state.ladder.asks].some(level => level.own > 0)",
                      "the strategy's orders are marked from the start")
            page.keyboard.press("p")
            self.wait(page, "() => window.dojima.state.isPaused", "p pauses")
            self.picture(page, "backtest-book")
            page.keyboard.press("6")
            self.wait(page, "() => document.getElementById('account-rows').rows.length === 2", "the account has its instrument and all together")
            self.check(page.evaluate("() => document.querySelector('#account-chart canvas') !== null"), "equity is drawn")
            self.look_through(page, "backtest account")
            page.evaluate("() => { document.getElementById('account-details').open = true; }")
            page.keyboard.press("p")
            self.wait(page, "() => document.getElementById('equity-rows').rows.length > 2", "and is in a table")
            for _ in range(4):
                page.keyboard.press(".")
            run.wait_for("the run is over")
            self.wait(page, "() => window.dojima.state.isOver", "the page says that it is over")
            time.sleep(0.3)
            self.picture(page, "backtest-account")
            for scheme, width in (("dark", 1280), ("dark", 390), ("light", 390)):
                other = self.page(page.url, color_scheme=scheme)
                other.set_viewport_size({"width": width, "height": 800})
                self.wait(other, "() => window.dojima.isUp && document.getElementById('account-rows').rows.length === 2", f"account in {scheme}, {width}")
                wide = other.evaluate("() => document.documentElement.scrollWidth")
                self.check(wide <= width, f"an account is {wide} pixels wide on a screen of {width}")
                self.look_through(other, f"account {scheme} {width}")
                self.picture(other, f"backtest-account-{scheme}-{width}")
                other.context.close()
            cells = page.evaluate("() => [...document.getElementById('account-rows').rows].map(row => [...row.cells].map(cell => cell.textContent.replaceAll(',', '')))")
            run.stop()
            self.check(run.process.returncode == 0, f"Ctrl-C ends it with its result: {run.process.returncode}")
            result = next(table for table in json.loads(json_file.read_text())["tables"] if table["name"] == "accounts")["rows"][0]
            shown = (float(cells[0][1]), int(cells[0][4]))
            expected = (float(result["position"]), int(result["fills"]))
            self.check(shown == expected and expected[1] > 0, f"position and fills are those of the result, {expected}, not {shown}")
            self.check(abs(float(cells[0][5]) - float(result["cash"])) < 1e-3, f"cash is that of the result, {result['cash']}, not {cells[0][5]}")
        finally:
            run.stop()
            shutil.rmtree(folder)

    # ---- What a venue has written of its market data, read from the file

    def feed_file(self):
        folder = tempfile.mkdtemp(prefix="dojima-dashboard-")
        config, units = pathlib.Path(folder) / "venue.toml", pathlib.Path(folder) / "day.mitch"
        config.write_text(subprocess.run([self.program, "config", "default", "venue"], capture_output=True, text=True, check=True).stdout)
        instruments = re.findall(r'^id = (\d+).*\nsymbol = "(\w+)"', config.read_text(), re.MULTILINE)
        venue = Program(self.program, "venue", "--config", config, "--set", "listen.port=0", "--feed", units)
        feed = client = None
        try:
            port = venue.wait_for(r"MIT203 real-time 127\.0\.0\.1:(\d+)")[1]
            client = subprocess.Popen([self.program, "trade", "--native", "--connect", f"127.0.0.1:{port}", "--user", "KONOIKE", "--password", "rice-1730",
                                       *(f"--instrument={symbol}={number}" for number, symbol in instruments)],
                                      stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
            client.stdin.write("sell 100 KAGA @ 101\nbuy 40 KAGA @ 99\nbuy 20 KAGA @ 101\nwait 1\nsell 70 KAGA @ 102\nwait 60\n")
            client.stdin.flush()
            # A copy: at the end of the venue all orders go.
            of_now = pathlib.Path(folder) / "copy.mitch"
            end, levels = time.monotonic() + WAIT_MS / 1000, []
            while len(levels) < 3 and time.monotonic() < end:
                time.sleep(0.2)
                shutil.copyfile(units, of_now)
                read = subprocess.run([self.program, "feed", of_now, "--config", config, "--json"], capture_output=True, text=True, timeout=60)
                if read.returncode == 0:  # no unit is cut
                    levels = [row for table in json.loads(read.stdout)["tables"] if table["name"] == "levels" for row in table["rows"]]
            self.check(len(levels) == 3, f"a reader without a page has the levels, not {levels}")
            feed = Program(self.program, "feed", of_now, "--config", config, "--speed", "0.1", "--dashboard", "127.0.0.1:0")
            page = self.page(feed.wait_for(r"dashboard (http://\S+)")[1])
            self.wait(page, "() => window.dojima && window.dojima.isUp && window.dojima.state.hasPace", "time of a file can be moved")
            page.keyboard.press("p")
            self.wait(page, "() => window.dojima.state.isPaused", "p pauses")
            self.check(page.evaluate("() => document.getElementById('jump-box').hidden"), "there is no way to another time")
            before = page.evaluate("() => window.dojima.state.time")
            page.keyboard.press("s")
            self.wait(page, f"() => window.dojima.state.time > {before}", "s makes a step")
            for _ in range(10):
                page.keyboard.press(".")
            page.keyboard.press("p")
            self.wait(page, "() => document.getElementById('link').textContent === 'connected; the run is over'", "the file ends")
            self.wait(page, "() => window.dojima.state.ladder && window.dojima.state.ladder.asks.length === 2", "its book is shown")
            ladder = page.evaluate("() => [window.dojima.state.ladder.asks, window.dojima.state.ladder.bids].map(side => side.map(l => [Number(l.price) / 1e8, Number(l.quantity), l.orders]))")
            self.check(ladder == [[[101, 80, 1], [102, 70, 1]], [[99, 40, 1]]], f"the ladder is the book, not {ladder}")
            self.check(page.evaluate("() => Number(window.dojima.state.trades)") == 1, "with its trade")
            self.look_through(page, "feed of a file")
            self.picture(page, "feed-file")
        finally:
            if feed:
                feed.stop()
            if client:
                client.kill()
            venue.stop()
            shutil.rmtree(folder)

    # ---- A gateway, which has no books

    def gateway(self):
        folder = tempfile.mkdtemp(prefix="dojima-dashboard-")
        for name in ("venue", "gateway"):
            text = subprocess.run([os.path.abspath(self.program), "config", "default", name], capture_output=True, text=True, check=True,
                                  cwd=folder).stdout
            text = text.replace('"gateway.password"', f'"{folder}/gateway.password"')  # it is started elsewhere
            (pathlib.Path(folder) / f"{name}.toml").write_text(text)
        venue = Program(self.program, "venue", "--config", f"{folder}/venue.toml", "--set", "listen.port=0")
        gateway = None
        try:
            port = venue.wait_for(r"MIT203 real-time 127\.0\.0\.1:(\d+)")[1]
            gateway = Program(self.program, "gateway", "--config", f"{folder}/gateway.toml", "--set", "listen.port=0", "--set", f"venue.port={port}",
                              "--dashboard", "127.0.0.1:0")
            fix = gateway.wait_for(r"FIX (127\.0\.0\.1:\d+)")[1]
            url = gateway.wait_for(r"dashboard (http://\S+)")[1]
            gateway.wait_for(r"venue took user KONOIKE")
            page = self.page(url)
            self.wait(page, "() => window.dojima && window.dojima.isUp && window.dojima.state.sessions.size > 1", "sessions come")
            self.check(page.evaluate("() => !document.getElementById('view-sessions').hidden"), "sessions are shown first")
            shown = page.evaluate("() => [...document.querySelectorAll('#views li')].filter(item => !item.hidden).map(item => item.textContent)")
            self.check(shown == ["Latency", "Sessions"], f"screens of books are not offered: {shown}")
            page.keyboard.press("1")
            self.check(page.evaluate("() => document.getElementById('view-book').hidden"), "nor by their keys")
            subprocess.run([self.program, "trade", "--connect", fix, "--sender", "KONOIKE"], input="buy 5 KAGA @ 99\nsell 5 KAGA @ 99\nbuy 5 NOWHERE @ 9\n",
                           capture_output=True, text=True, timeout=60)
            self.wait(page, "() => Number(window.dojima.state.counters[0]) >= 2", "requests are counted")
            self.wait(page, "() => document.getElementById('notice-rows').textContent.includes('client KONOIKE logged on')", "what happened is shown")
            rejects = "() => [9, 10].map(at => document.getElementById('session-rows').rows[0].cells[at].textContent)"
            self.wait(page, f"() => ({rejects})()[0] === '1'", "the client's request to no instrument was refused")
            self.check(page.evaluate(rejects) == ["1", "Symbol(55)=NOWHERE is unknown"], f"and why: {page.evaluate(rejects)}")
            self.look_through(page, "gateway sessions")
            self.picture(page, "gateway-sessions")
            page.evaluate(KEEP_TEXTS)
            page.keyboard.press("4")
            self.wait(page, "() => document.getElementById('stage').options.length === 3", "there are three stages")
            # One second of requests is one point.
            self.wait(page, "() => window.texts.filter(text => /^\\d\\d:\\d\\d:\\d\\d/.test(text)).length > 2", "latencies have times at their axis")
            times = page.evaluate("() => [...new Set(window.texts.filter(text => /^\\d\\d:\\d\\d:\\d\\d/.test(text)))]")
            self.check(len(times) > 2, f"which are not all alike: {times}")
            self.look_through(page, "gateway latency")
            self.picture(page, "gateway-latency")
        finally:
            if gateway:
                gateway.stop()
            venue.stop()
            shutil.rmtree(folder)

    # ---- A day in virtual time, which is watched, paused and moved, and compared when it is over

    def day(self):
        demo = Program(self.program, "demo", "--day", "--seconds", "24", "--rate", "2000", "--speed", "2", "--no-progress", "--dashboard", "127.0.0.1:0")
        try:
            url = demo.wait_for(r"dashboard (http://\S+)")[1]
            page = self.page(url)
            self.wait(page, "() => window.dojima && window.dojima.isUp && window.dojima.state.trades > 50", "trades come")
            self.check("token" not in page.url, "the token is out of the address line")
            self.wait(page, "() => document.getElementById('tape-rows').rows.length > 5", "the tape has rows")
            for everything in (False, True):
                page.set_checked("#tape-all", everything)
                time.sleep(0.3)
                wide = page.evaluate("() => { const box = document.getElementById('tape'); return box.scrollWidth - box.clientWidth; }")
                self.check(wide <= 0, f"the tape, {'all' if everything else 'one'}, has {wide} pixels out of sight")
                heads = page.evaluate("() => [...document.getElementById('tape-head').cells].map(cell => cell.textContent)")
                self.check(heads == (["Time", "Symbol", "Price", "Quantity", "By"] if everything else ["Time", "Price", "Quantity", "By"]), f"the tape has {heads}")
                self.picture(page, f"day-tape-{everything}")
            page.click("[data-pace=pause]")
            self.wait(page, "() => window.dojima.state.isPaused", "time is paused")
            before = page.evaluate("() => window.dojima.state.time")
            page.click("[data-pace=step]")
            self.wait(page, f"() => window.dojima.state.time >= {before}", "time makes a step")
            page.click("[data-pace=resume]")
            page.click("[data-pace=faster]")
            self.wait(page, "() => window.dojima.state.speed > 2 && !window.dojima.state.isPaused", "time is faster")
            self.picture(page, "day-book")
            # The top of the ladder has a queue, by keyboard alone.
            page.click("[data-pace=pause]")
            self.wait(page, "() => window.dojima.state.isPaused", "time is paused again")
            time.sleep(0.3)
            page.focus("#ladder")
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
            self.wait(page, "() => !document.getElementById('queue').hidden && document.getElementById('queue-rows').rows.length > 0", "the queue opens")
            self.picture(page, "day-queue")
            page.keyboard.press("Escape")
            page.click("[data-pace=resume]")
            for key, name in zip("2345", ("market", "auction", "latency", "sessions")):
                page.keyboard.press(key)
                time.sleep(0.3)
                self.look_through(page, f"day {name}")
                self.picture(page, f"day-{name}")
            page.keyboard.press("4")
            page.evaluate("() => { document.getElementById('latency-details').open = true; }")
            cells = "of => of.cells.filter(cell => cell[1]).length"
            self.wait(page, f"() => {{ const of = window.dojima.state.latencies.get(0); return of && document.getElementById('histogram-rows').rows.length === ({cells})(of); }}",
                      "the histogram is in a table")
            self.wait(page, "() => document.getElementById('rate-rows').rows.length > 1 && document.getElementById('rate-head').cells.length === 3", "rates are, too")
            self.look_through(page, "tables of latencies")
            self.picture(page, "day-latency-tables")
            page.evaluate("() => { document.getElementById('latency-details').open = false; }")
            demo.wait_for("the flow is over")
            self.wait(page, "() => document.getElementById('link').textContent === 'connected; the run is over'", "the page says that the run is over")
            self.wait(page, "() => document.getElementById('pace-now').textContent.startsWith('over') && document.querySelector('[data-pace=pause]').disabled",
                      "and time is not to be moved any more")
            self.equal_totals(page, demo)
        finally:
            demo.stop()

    def equal_totals(self, page, demo):
        page.keyboard.press("1")
        time.sleep(0.5)
        trades = page.evaluate("() => Number(window.dojima.state.trades)")
        rows = page.evaluate("() => [...window.dojima.state.market.values()].reduce((sum, row) => sum + Number(row.trades), 0)")
        shown = page.evaluate("() => document.getElementById('trades').textContent")
        lost = page.evaluate("() => Number(window.dojima.state.lost)")
        demo.stop()
        demo.lines += demo.process.stdout.read().splitlines()
        summary = [line for line in demo.lines if re.search(r"\btrades\b", line)]
        counts = [int(text.replace(",", "")) for line in summary for text in re.findall(r"[\d,]+(?= trades)|(?<=trades )[\d,]+", line)]
        self.check(lost == 0, f"nothing was lost on the way to the screens, not {lost}")
        self.check(trades == rows, f"the tape's {trades} trades are those of the market table, {rows}")
        self.check(shown == f"{trades:,} trades", f"the page shows {shown} of {trades}")
        self.check(trades in counts, f"{trades} trades are those of the demo: {summary}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program dojima")
    parser.add_argument("--axe", default="", help="axe.min.js of axe-core")
    parser.add_argument("--browser", default=shutil.which("chromium") or "", help="the browser's program")
    parser.add_argument("--pages", default="", help="pages of this folder in place of those in the program, while they are written")
    parser.add_argument("--pictures", default="", help="folder for pictures")
    arguments = parser.parse_args()
    if not arguments.browser:
        skip("there is no chromium: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("Python has no module playwright: tests/dashboard/tools.sh")
    axe = pathlib.Path(arguments.axe)
    arguments.axe = axe.read_text() if arguments.axe and axe.is_file() else ""
    if not arguments.axe:
        print("without axe-core: tests/dashboard/tools.sh")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox", "--disable-gpu"])
        test = Test(arguments, browser)
        test.venue()
        test.replay()
        test.backtest()
        test.feed_file()
        test.gateway()
        test.day()
        test.check(test.requests <= {"127.0.0.1"}, f"no request leaves this machine, not {test.requests}")
        browser.close()
    print(f"{len(test.problems)} problems" if test.problems else "the pages do what they should")
    return 1 if test.problems else 0


if __name__ == "__main__":
    sys.exit(main())
