#!/usr/bin/env python3
"""A venue with live market data and a gateway before it: what their /metrics say, as those who collect it read it.

    python3 tests/metrics/metrics.py --dojima build/release/bin/dojima --page docs/grafana/dojima.json [--promtool FILE]

The text is held against the exposition format; `promtool check metrics` looks at it where promtool is installed (Debian:
prometheus); every figure that the example page of Grafana asks for is there. Scrapers that hang up at once, that never read
and that ask a thousand times change nothing. Exit status: 0 right, 1 something is wrong, 2 wrong arguments.
"""

import argparse
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\S+)$')


class Wrong(Exception):
    pass


class Server:
    """A program of ours that answers at a port that it chose."""

    def __init__(self, program, words):
        self.process = subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        deadline = time.monotonic() + 30
        while not (found := self.address()):
            line = self.process.stdout.readline()
            if not line or time.monotonic() > deadline:
                raise Wrong(f"{words[0]} did not start:\n" + "".join(self.lines))
            self.lines.append(line)
        self.url = "http://" + found

    def address(self):
        return next((m[1] for line in self.lines if (m := re.search(r"admin and metrics http://([\d.:]+)", line))), None)

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as answer:
                return answer.status, answer.headers["Content-Type"], answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, "", error.read().decode()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Wrong("a server did not end within 20 s") from None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def figures_of(text):
    """Name and labels to value; Wrong where the text is not of the format."""
    kinds, helped, figures, family, over = {}, set(), {}, None, set()
    if not text.endswith("\n"):
        raise Wrong("the last line does not end")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("# HELP "):
            name = line.split(" ", 3)[2]
            if name in helped:
                raise Wrong(f"line {number}: {name} has two helps")
            helped.add(name)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if kind not in ("gauge", "counter") or name in kinds:
                raise Wrong(f"line {number}: {line}")
            if (kind == "counter") != name.endswith("_total"):
                raise Wrong(f"line {number}: a counter ends in _total, and nothing else does: {line}")
            kinds[name] = kind
        else:
            found = SAMPLE.match(line)
            if not found:
                raise Wrong(f"line {number} is no sample: {line}")
            name, labels, value = found[1], found[2] or "", float(found[3])
            if name not in kinds or name not in helped:
                raise Wrong(f"line {number}: {name} has no type or no help before it")
            if name != family:
                if name in over:
                    raise Wrong(f"line {number}: {name} stands in two places")
                over.add(family)
                family = name
            if (name, labels) in figures:
                raise Wrong(f"line {number}: twice: {line}")
            figures[name, labels] = value
    return figures


def promtool(program, text, who):
    if program is None:
        print(f"skipped: what promtool says of the {who}'s figures; it is not installed (Debian: prometheus)")
        return
    run = subprocess.run([program, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Wrong(f"promtool of the {who}'s figures: {run.stdout}{run.stderr}")
    print(f"promtool has nothing to say of the {who}'s figures")


def bad_scrapers(server):
    """Those who never read, hang up at once, or send what is no request."""
    host, port = server.url.removeprefix("http://").split(":")
    held = []
    for request in (b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 200, b"", b"\x00\xff nonsense\r\n\r\n", b"GET /metrics"):
        one = socket.create_connection((host, int(port)), timeout=5)
        try:
            one.sendall(request)
        except OSError:
            pass
        held.append(one)
    for _ in range(300):
        if server.get("/metrics")[0] != 200:
            raise Wrong("a scrape beside bad ones failed")
    for one in held:
        one.close()


def expect(what, is_so):
    if not is_so:
        raise Wrong(what)


def check_page(page, names):
    wanted = set()
    for text in re.findall(r'"expr":\s*"((?:[^"\\]|\\.)*)"', page.read_text(encoding="utf-8")):
        wanted |= set(re.findall(r"\b(?:dojima|process)_\w+", text))
    expect("the page asks for figures", len(wanted) > 10)
    unknown = sorted(wanted - names)
    expect(f"{page} asks for figures that no server has: {', '.join(unknown)}", not unknown)
    panels = json.loads(page.read_text(encoding="utf-8"))["panels"]
    print(f"{len(panels)} panels of {page.name} ask for {len(wanted)} figures, which are all there")


def configuration(program, kind, folder):
    path = Path(folder, f"{kind}.toml")
    path.write_text(subprocess.run([program, "config", "default", kind], capture_output=True, text=True, check=True).stdout,
                    encoding="utf-8")
    return str(path)


def run(arguments):
    with tempfile.TemporaryDirectory() as folder:
        venue_port = free_port()
        venue = Server(arguments.dojima, [
            "venue", "--config", configuration(arguments.dojima, "venue", folder), "--journal", f"{folder}/journal",
            "--set", f"listen.port={venue_port}", "--set", "admin.port=0", "--set", f"admin.token_file={folder}/venue.token",
            "--set", f"feed.line_a=127.0.0.1:{free_port()}"])
        gateway = None
        try:
            gateway = Server(arguments.dojima, [
                "gateway", "--config", configuration(arguments.dojima, "gateway", folder),
                "--set", "listen.port=0", "--set", f"venue.port={venue_port}", "--set", "admin.port=0",
                "--set", f"admin.token_file={folder}/gateway.token"])
            names = set()
            for who, server in (("venue", venue), ("gateway", gateway)):
                status, kind, text = server.get("/metrics")
                expect(f"/metrics of the {who}: {status}", status == 200)
                expect(f"its type is {kind}", kind == "text/plain; version=0.0.4; charset=utf-8")
                figures = figures_of(text)
                names |= {name for name, _ in figures}
                promtool(arguments.promtool, text, who)
                expect(f"/live of the {who}", server.get("/live")[0] == 200)
                expect("its memory is told", figures["process_resident_memory_bytes", ""] > 1e6)
                expect("its clock is the wall's within a second", abs(figures["dojima_clock_offset_seconds", ""]) < 1)
                expect("its loop turns", 0 <= figures["dojima_loop_lag_seconds", ""] < 10)
            figures = figures_of(venue.get("/metrics")[2])
            for (name, labels), used in figures.items():
                if name == "dojima_venue_used":
                    expect(f"{labels} has a capacity", figures["dojima_venue_capacity", labels] >= used)
            for _ in range(100):
                published = figures_of(venue.get("/metrics")[2])['dojima_feed_messages_total', '{group="1"}']
                if published > 0:
                    break
                time.sleep(0.05)
            expect("the feed says that it has published", published > 0)
            check_page(arguments.page, names)
            bad_scrapers(venue)
            expect("/ready of the venue", venue.get("/ready")[0] == 200)
            before = figures_of(venue.get("/metrics")[2])["process_cpu_seconds_total", ""]
            after = figures_of(venue.get("/metrics")[2])["process_cpu_seconds_total", ""]
            expect("counters do not fall", after >= before)
        finally:
            for server in (gateway, venue):
                if server is not None:
                    server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dojima", required=True)
    parser.add_argument("--page", required=True, type=Path)
    parser.add_argument("--promtool", default=shutil.which("promtool"))
    arguments = parser.parse_args()
    try:
        run(arguments)
    except Wrong as wrong:
        print(wrong)
        return 1
    print("right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
