#!/usr/bin/env python3
"""A venue with live market data, a gateway before it and its standby: what their /metrics say, as those who collect it read it.

    python3 tests/metrics/metrics.py --dojima build/release/bin/dojima --page docs/grafana/dojima.json [--promtool FILE] [--all]

The text is held against the exposition format and the naming of Prometheus: help and type once for each name, before its samples
and nowhere else, counters and nothing else in _total, base units, no series twice, escapes that are read back. `promtool check
metrics` looks at it where promtool is installed (Debian: prometheus), as does the parser of prometheus_client (PyPI) where that
is; every figure that the example page of Grafana asks for is there. Scrapers that hang up at once, that never read and that ask a
thousand times change nothing. Before all of it texts with one fault each must be refused.

Exit status: 0 right, 1 something is wrong, or with --all was skipped, 2 wrong arguments.
"""

import argparse
import json
import os
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

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")  # a colon is for names that rules make
# Units that Prometheus does not want, as promtool knows them; seconds, bytes and ratios are said.
NOT_BASE = set("s ms us ns sec b kb mb gb tb pb m h d minutes hours days weeks bits percent inches yards miles grains ounces".split()) | {
    prefix + unit for prefix in ("pico", "nano", "micro", "milli", "centi", "deci", "kilo", "kibi", "mega", "mebi", "giga", "gibi")
    for unit in ("seconds", "bytes", "bits")}
# What a histogram's samples are called behind its name.
PARTS = ("_bucket", "_sum", "_count")
# A client's name that a label must escape.
ODD_CLIENT = 'A"B\\C'


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


def labels_of(text, number):
    """The labels between the braces, unescaped: a tuple of pairs in their order."""
    pairs, at = [], 0
    while at < len(text):
        name = NAME.match(text, at)
        if not name or text[name.end():name.end() + 2] != '="':
            raise Wrong(f"line {number}: no label at {text[at:]}")
        if name[0].startswith("__") or name[0] in dict(pairs):
            raise Wrong(f"line {number}: label {name[0]} is reserved, or there twice")
        at, value = name.end() + 2, ""
        while at < len(text) and text[at] != '"':
            if text[at] == "\\":
                at += 1
                if text[at:at + 1] not in ("\\", '"', "n"):
                    raise Wrong(f"line {number}: what is \\{text[at:at + 1]}?")
                value += "\n" if text[at] == "n" else text[at]
            else:
                value += text[at]
            at += 1
        if at >= len(text):
            raise Wrong(f"line {number}: a label's value has no end")
        pairs.append((name[0], value))
        at += 1
        if at < len(text):
            if text[at] != "," or at + 1 == len(text):
                raise Wrong(f"line {number}: no , between labels: {text[at:]}")
            at += 1
    return tuple(pairs)


def sample_of(line, number):
    """Name, labels and value of a line."""
    name = NAME.match(line)
    if not name:
        raise Wrong(f"line {number} is no sample: {line}")
    rest, labels = line[name.end():], ()
    if rest.startswith("{"):
        end = rest.rfind("}")
        labels, rest = labels_of(rest[1:end], number), rest[end + 1:]
        if end < 2:
            raise Wrong(f"line {number}: braces without labels: {line}")
    if not re.fullmatch(r" (NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]\d+)?)", rest):
        raise Wrong(f"line {number}: a value and nothing else, expected behind {name[0]}: {line}")
    return name[0], labels, float(rest)


def check_family(name, kind, text, number):
    if kind not in ("gauge", "counter", "histogram"):
        raise Wrong(f"line {number}: {name} is a {kind}")
    if (kind == "counter") != name.endswith("_total"):
        raise Wrong(f"line {number}: a counter ends in _total, and nothing else does: {name}")
    if not NAME.fullmatch(name) or name != name.lower() or wrong_unit(name):
        raise Wrong(f"line {number}: {name} is not named in lower case and base units")
    if not text.strip() or text.strip().endswith(name):
        raise Wrong(f"line {number}: {name} has no help")


def wrong_unit(name):
    return bool(NOT_BASE & set(name.split("_")))


def figures_of(text):
    """Name and labels to value; Wrong where the text is not of the format, or names are not Prometheus's."""
    figures, seen, family, helped, kinds = {}, set(), None, None, {}
    if not text.endswith("\n"):
        raise Wrong("the last line does not end")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("# HELP "):
            if helped:
                raise Wrong(f"line {number}: {helped[0]} has a help and no type")
            _, _, name, *words = line.split(" ", 3)
            if name in seen:
                raise Wrong(f"line {number}: {name} is in two places")
            if re.search(r"\\(?![\\n])", words[0].replace("\\\\", "") if words else ""):
                raise Wrong(f"line {number}: the help has an escape that is none")
            helped = (name, words[0] if words else "")
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if not helped or helped[0] != name:
                raise Wrong(f"line {number}: no help before {line}")
            check_family(name, kind, helped[1], number)
            seen.add(name)
            family, helped, kinds[name] = name, None, kind
        else:
            name, labels, value = sample_of(line, number)
            if helped or name not in (family, *(family + part for part in PARTS if kinds.get(family) == "histogram")):
                raise Wrong(f"line {number}: {name} is apart from its help and type")
            if (name, frozenset(labels)) in figures:
                raise Wrong(f"line {number}: twice: {line}")
            if name.endswith("_total") and not value >= 0:
                raise Wrong(f"line {number}: a counter below 0: {line}")
            figures[name, frozenset(labels)] = value
    for name in (name for name, kind in kinds.items() if kind == "histogram"):
        check_histogram(name, figures)
    return figures


def check_histogram(name, figures):
    """Of each set of labels: buckets that rise to +Inf, which is the count; nothing else is there."""
    rows = {}
    for (each, labels), value in figures.items():
        if each == name:
            raise Wrong(f"{name} is a histogram and has a value of its own")
        if each in (name + part for part in PARTS):
            bounds = [of for label, of in labels if label == "le"]
            others = frozenset(pair for pair in labels if pair[0] != "le")
            row = rows.setdefault(others, {"le": []})
            if each.endswith("_bucket"):
                row["le"].append((float(bounds[0]), value))
            elif bounds:
                raise Wrong(f"{each} has a bound")
            row[each[len(name):]] = value
    for row in rows.values():
        buckets = sorted(row["le"])
        counts = [count for _, count in buckets]
        if not buckets or buckets[-1][0] != float("inf") or counts != sorted(counts) or row.get("_count") != counts[-1] or "_sum" not in row:
            raise Wrong(f"{name} is no histogram: {row}")


def check_checker():
    """Each of these has one fault, but for the first."""
    good = ('# HELP asked_total Help \\\\ and \\n of it\n# TYPE asked_total counter\nasked_total{l="x\\"\\\\\\n",m=""} 1e+09\nasked_total 2\n'
            '# HELP waited_seconds Help\n# TYPE waited_seconds gauge\nwaited_seconds -0.5\n')
    expect("a right text is taken", figures_of(good)["asked_total", frozenset([("l", 'x"\\\n'), ("m", "")])] == 1e9)
    for old, new in (("# HELP waited_seconds Help\n", ""), ("# TYPE waited_seconds gauge\n", ""), (" counter", " gauge"), (" gauge", " counter"),
                     (" gauge", " summary"), ("waited_seconds", "waited_milliseconds"), ("waited_seconds", "waitedSeconds"), ("waited_seconds", "asked_total"), ("Help\n", "\n"),
                     ("asked_total 2", "asked_total{} 2"), ("asked_total 2", 'asked_total{m="",l="x\\"\\\\\\n"} 2'), ("asked_total 2", "asked_total -2"),
                     ("asked_total 2", "asked_total 2 1700000000000"), ("asked_total 2", "asked_total two"), ('m=""', 'l=""'), ('m=""', '__m=""'), ('x\\"', 'x"'),
                     ("x\\", "x\\t"), (',m=""', ","), ("Help \\\\", "Help \\"), ("-0.5\n", "-0.5"), ("-0.5\n", "-0.5\nasked_total 3\n")):
        faulty = good.replace(old, new)
        try:
            figures_of(faulty)
        except Wrong:
            continue
        raise Wrong(f"{new!r} in place of {old!r} is not seen")
    good = ('# HELP took_seconds Help\n# TYPE took_seconds histogram\ntook_seconds_bucket{of="a",le="0.5"} 2\n'
            'took_seconds_bucket{of="a",le="+Inf"} 3\ntook_seconds_sum{of="a"} 1.5\ntook_seconds_count{of="a"} 3\n')
    expect("a right histogram is taken", figures_of(good)["took_seconds_count", frozenset([("of", "a")])] == 3)
    for old, new in (("} 2", "} 4"), ("+Inf", "7"), ("count{of=\"a\"} 3", "count{of=\"a\"} 2"), ("took_seconds_sum", "took_seconds"),
                     ('took_seconds_sum{of="a"} 1.5\n', ""), ("histogram", "gauge"), ('_count{of="a"}', '_count{of="b"}')):
        try:
            figures_of(good.replace(old, new))
        except Wrong:
            continue
        raise Wrong(f"{new!r} in place of {old!r} is not seen")


skipped = []


def skip(what):
    """A check that cannot be made here: it is said, and counted at the end."""
    skipped.append(what)
    print(f"skipped: {what}")


def promtool(program, text, who):
    if program is None:
        skip(f"what promtool says of the {who}'s figures; it is not installed (Debian: prometheus)")
        return
    run = subprocess.run([program, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Wrong(f"promtool of the {who}'s figures: {run.stdout}{run.stderr}")
    print(f"promtool has nothing to say of the {who}'s figures")


def other_parser(text, figures, who):
    """prometheus_client reads the same figures out of it."""
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError:
        skip(f"what prometheus_client reads of the {who}'s figures; it is not installed (PyPI)")
        return
    read = {(sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text) for sample in family.samples}
    expect(f"prometheus_client reads {len(read)} of the {who}'s {len(figures)} figures", read == figures)
    print(f"prometheus_client reads the {who}'s figures as they are")


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
    text = subprocess.run([os.path.abspath(program), "config", "default", kind], capture_output=True, text=True, check=True, cwd=folder).stdout
    text = text.replace('"gateway.password"', f'"{folder}/gateway.password"')  # it is started elsewhere
    if kind == "gateway":
        name = ODD_CLIENT.replace("\\", "\\\\").replace('"', '\\"')
        text = text.replace('comp_id = "KONOIKE"', f'comp_id = "{name}"')
    else:
        text += '\n[[feed_reader]]\nname = "READ1"\npassword = "feed_1234"\n'
    path.write_text(text, encoding="utf-8")
    return str(path)


def run(arguments):
    with tempfile.TemporaryDirectory() as folder:
        venue_port = free_port()
        venue = Server(arguments.dojima, [
            "venue", "--config", configuration(arguments.dojima, "venue", folder), "--journal", f"{folder}/journal",
            "--set", f"listen.port={venue_port}", "--set", "admin.port=0", "--set", f"admin.token_file={folder}/venue.token",
            "--set", f"feed.line_a=127.0.0.1:{free_port()}", "--set", f"feed.itch_line=127.0.0.1:{free_port()}", "--set", "feed.itch_port=0"])
        servers = {"venue": venue}
        try:
            words = ["gateway", "--config", configuration(arguments.dojima, "gateway", folder), "--set", f"venue.port={venue_port}",
                     "--set", "admin.port=0", "--set", f"admin.token_file={folder}/gateway.token"]
            servers["gateway"] = Server(arguments.dojima, [*words, "--set", "listen.port=0", "--journal", f"{folder}/gateway"])
            servers["standby"] = Server(arguments.dojima, [*words, "--set", f"listen.port={free_port()}", "--set", "standby.admin_port=0",
                                                           "--follow", f"{folder}/gateway"])
            names = set()
            for who, server in servers.items():
                status, kind, text = server.get("/metrics")
                expect(f"/metrics of the {who}: {status}", status == 200)
                expect(f"its type is {kind}", kind == "text/plain; version=0.0.4; charset=utf-8")
                figures = figures_of(text)
                names |= {name for name, _ in figures}
                promtool(arguments.promtool, text, who)
                other_parser(text, figures, who)
                expect(f"/live of the {who}", server.get("/live")[0] == 200)
                expect("its memory is published", figures["process_resident_memory_bytes", frozenset()] > 1e6)
                expect("its clock is the wall's within a second", abs(figures["dojima_clock_offset_seconds", frozenset()]) < 1)
                expect("its loop turns", 0 <= figures["dojima_loop_lag_seconds", frozenset()] < 10)
                expect("a label is read back as it was configured",
                       who != "gateway" or ("dojima_gateway_client_up", frozenset([("client", ODD_CLIENT)])) in figures)
            figures = figures_of(venue.get("/metrics")[2])
            for (name, labels), used in figures.items():
                if name == "dojima_venue_used":
                    expect(f"{labels} has a capacity", figures["dojima_venue_capacity", labels] >= used)
            for _ in range(100):
                published = figures_of(venue.get("/metrics")[2])["dojima_feed_messages_total", frozenset([("group", "1")])]
                if published > 0:
                    break
                time.sleep(0.05)
            expect("the feed says that it has published", published > 0)
            figures, group = figures_of(venue.get("/metrics")[2]), frozenset([("group", "1")])
            kept, most = (figures["dojima_feed_kept_messages" + of, group] for of in ("", "_most"))
            expect(f"all that was published can be asked for again: {kept} of {most}", published <= kept <= most)
            check_page(arguments.page, names)
            bad_scrapers(venue)
            expect("/ready of the venue", venue.get("/ready")[0] == 200)
            before = figures_of(venue.get("/metrics")[2])["process_cpu_seconds_total", frozenset()]
            after = figures_of(venue.get("/metrics")[2])["process_cpu_seconds_total", frozenset()]
            expect("counters do not fall", after >= before)
        finally:
            for server in reversed(servers.values()):
                server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dojima", required=True)
    parser.add_argument("--page", required=True, type=Path)
    parser.add_argument("--promtool", default=shutil.which("promtool"))
    parser.add_argument("--all", action="store_true", help="exit status 1 where a check was skipped")
    arguments = parser.parse_args()
    try:
        check_checker()
        run(arguments)
    except Wrong as wrong:
        print(wrong)
        return 1
    if skipped:
        print(f"right, but {len(skipped)} checks were skipped" + (", which --all does not allow" if arguments.all else ""))
        return 1 if arguments.all else 0
    print("right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
