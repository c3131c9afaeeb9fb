#!/usr/bin/env python3
"""The Python package beside its peers: the same work, in turn, round by round.

    bench/peers/python_peers.py --data FOLDER [--wheel build/wheel/dojima-*.whl] [--build build/release] [--rounds 7]
                                [--only WORK ...] [--json FILE]

The wheel is that of `./dev wheel`; peers come from PyPI into environments below build/peers, and what cannot be had is said and
left out. Work, each against its target:

    maker      the market maker `touch` as a class of Python, each 100 ms and each 10 ms, over the level and trade rows of a Binance
               day (binance/usdm_btcusdt_20240808.gz below --data), against hftbacktest 2.4.4, whose maker is compiled
    callbacks  a callback an event that looks at the time and both best prices, 200,000 rows, against NautilusTrader 1.221.0
    batches    batches of 512 events as arrays, against the same in C++ (dojima-peer-backtest)
    book       instructions for a book as arrays, against bourse 0.4.0
    sweeps     two threads against two processes, and Ray 2.60 against two processes, at points of 50 ms and more; wall-clock time
    start      20,000 rows from the start of the process to the list of fills, against hftbacktest; wall-clock time of `import dojima`;
               bytes of the wheel and what pip needs beside it

Seconds are of processor time unless they are said to be of the clock. Ratios are of a round; medians, with the least and the largest.
Exit status: 0 all targets met, 1 one was not, 3 no wheel, no program or no data.
"""

import argparse
import hashlib
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "tools"), str(HERE)]
import artefact  # noqa: E402
import backtest_peers  # noqa: E402
from backtest_peers import LATENCY, MOST, Side, complain  # noqa: E402

WORK = ("maker", "callbacks", "batches", "book", "sweeps", "start")


def environment(name, packages):
    """A Python of its own that has the packages; None where they cannot be had."""
    folder = ROOT / "build" / "peers" / name
    python, ready = folder / "bin" / "python", folder / "ready"
    # A wheel that was made anew has the name of the one before.
    wanted = "\n".join(f"{name} {hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest()}" if pathlib.Path(name).is_file() else str(name)
                       for name in packages)
    if ready.exists() and ready.read_text() == wanted:
        return python
    venv.create(folder, with_pip=True, clear=True)
    got = subprocess.run([python, "-m", "pip", "install", "--quiet", *map(str, packages)], capture_output=True, text=True)
    if got.returncode != 0:
        print(f"{name}: cannot be installed: {got.stderr.strip()[-300:]}", flush=True)
        return None
    ready.write_text(wanted)
    return python


class Peers:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.rows, self.figures, self.checks = [], [], []
        self.ours = environment("ours", [options.wheel, "numpy==2.4.6"]) or complain("the wheel cannot be installed", 3)
        self.dojima, self.program = options.build / "bin" / "dojima", options.build / "bin" / "dojima-peer-backtest"

    def our_words(self, *words):
        return [self.ours, HERE / "python_ours.py", *words]

    def day(self):
        """Levels and trades of the Binance day, in whole ticks and lots."""
        if not hasattr(self, "kept_day"):
            self.hftbacktest = backtest_peers.python_with_peer()
            self.kept_day = backtest_peers.levels_day(self.hftbacktest, self.dojima, self.options.data, 0, self.scratch)
            if self.kept_day is None:
                complain("no Binance day below --data", 3)
        return self.kept_day

    def first_rows(self, count):
        """The first so many rows of the day as text, and as a file of ours."""
        text, compact = self.scratch / f"first{count}.csv", self.scratch / f"first{count}.events"
        lines = self.day().text.read_text().splitlines(keepends=True)
        text.write_text("".join(lines[:count + 2]))
        subprocess.run([self.dojima, "data", "convert", text, compact, "--no-progress"], check=True, stdout=subprocess.DEVNULL)
        return text, compact

    def compare(self, work, peer, ours_words, peer_words, target, says_ready=True):
        """Ours over theirs by rate, round by round. `target`: how many times as fast we want to be."""
        ours, theirs = Side(ours_words, True), Side(peer_words, says_ready)
        if not says_ready:
            theirs.round()
        pairs = [(ours.round(), theirs.round()) for _ in range(self.options.rounds)]
        ours.close()
        theirs.close()
        self.note(work, peer, pairs, target)

    def note(self, work, peer, pairs, target):
        ratios = [(one["rows"] / one["seconds"]) / (other["rows"] / other["seconds"]) for one, other in pairs]
        rates = [statistics.median(side["rows"] / side["seconds"] for side in which) for which in zip(*pairs)]
        ratio = statistics.median(ratios)
        self.rows.append([work, peer, rates[1], rates[0], ratio, min(ratios), max(ratios), target])
        self.checks.append((f"{work}: at least {target:g} of {peer}", ratio >= target, f"{ratio:.3g}"))
        fills = "".join(f", {side.get('fills', '')}" for side in pairs[-1]) if "fills" in pairs[-1][0] else ""
        print(f"{work}: {peer} {rates[1]:,.0f} a second, ours {rates[0]:,.0f}: {ratio:.3g} times ({min(ratios):.3g} to {max(ratios):.3g}; "
              f"target {target:g}){fills}", flush=True)

    def maker(self):
        day = self.day()
        for period, target in ((100_000_000, 2), (10_000_000, 1)):
            self.compare(f"maker each {period // 1_000_000} ms", "hftbacktest 2.4.4, compiled",
                         self.our_words("maker", day.compact, period, day.quantity, LATENCY, MOST),
                         backtest_peers.maker_words(self.hftbacktest, day, "power3:3", period, "rounds"), target)

    def callbacks(self):
        python = environment("nautilus", ["nautilus_trader==1.221.0"])
        if python is None:
            return
        text, compact = self.first_rows(200_000)
        self.compare("a callback an event", "NautilusTrader 1.221.0", self.our_words("callbacks", compact),
                     [python, HERE / "nautilus_side.py", text], 10)

    def batches(self):
        self.compare("batches of 512", "the same in C++", self.our_words("batches", self.day().compact, 512),
                     [self.program, self.day().compact, "batches", "power3:3", "0", "1", "0ns"], 0.5, says_ready=False)

    def book(self):
        python = environment("bourse", ["bourse==0.4.0", "numpy==2.4.6"])
        if python is None:
            return
        self.compare("instructions for a book", "bourse 0.4.0", self.our_words("book", 1, 400, 2000),
                     [python, HERE / "bourse_side.py", 1, 400, 2000], 3)

    def sweeps(self):
        day, points = self.day(), 32
        words = lambda engine: ("sweep", day.compact, engine, 2, points)  # noqa: E731
        self.compare("a sweep by two threads", "two processes", self.our_words(*words("threads")), self.our_words(*words("processes")), 0.95)
        python = environment("ray", [self.options.wheel, "numpy==2.4.6", "ray==2.60.0"])
        if python is not None:
            self.compare("a sweep by Ray", "two processes", [python, HERE / "python_ours.py", *words("ray")],
                         self.our_words(*words("processes")), 1 / 1.15)

    def start(self):
        day = self.day()
        text, compact = self.first_rows(20_000)
        packed = self.scratch / "first.npz"
        subprocess.run([self.hftbacktest, "-c", backtest_peers.ROWS_SCRIPT, text, packed], check=True, stdout=subprocess.DEVNULL)
        first = backtest_peers.Day("first", "levels", text, packed, compact, 20_000, 20_000, day.quantity, day.low, day.high)
        theirs = backtest_peers.maker_words(self.hftbacktest, first, "power3:3", 100_000_000, "fills")
        pairs = []
        for _ in range(3):
            one, count = timed(self.our_words("cold", compact, day.quantity))
            other, output = timed(theirs)
            pairs.append(({"seconds": one, "rows": 20_000, "fills": int(count)}, {"seconds": other, "rows": 20_000, "fills": len(json.loads(output))}))
        self.note("20,000 rows from the start", "hftbacktest 2.4.4", pairs, 30)
        script = ("import time; begin = time.perf_counter(); import dojima; took = time.perf_counter() - begin; import sys; "
                  "assert 'numpy' not in sys.modules; print(took)")
        took = sorted(float(subprocess.run([self.ours, "-c", script], capture_output=True, text=True, check=True).stdout) * 1e3 for _ in range(21))
        middle = statistics.median(took)
        self.figure("import dojima", "ms of the clock, the median of 21", middle, middle <= 30, 30, took[0], took[-1])
        size = self.options.wheel.stat().st_size / 1e6
        self.figure("the wheel", "MB", size, size <= 10, 10, size, size)
        needed = subprocess.run([self.ours, "-c", "from importlib.metadata import requires; print([one for one in requires('dojima') or [] "
                                 "if 'extra ==' not in one])"], capture_output=True, text=True, check=True).stdout.strip()
        self.checks.append(("pip needs nothing beside the wheel", needed == "[]", needed))

    def figure(self, work, unit, value, is_met, target, least, most):
        self.figures.append([work, unit, value, least, most, target])
        self.checks.append((f"{work}: at most {target:g}", is_met, f"{value:.3g}"))
        print(f"{work}: {value:.3g} {unit} ({least:.3g} to {most:.3g}; target {target:g})", flush=True)


def timed(words):
    """Processor time of a process from its start to its end, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--build", default=ROOT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--data", default=os.environ.get("DOJIMA_DATA", ""), type=pathlib.Path, help="folder of recorded data")
    parser.add_argument("--rounds", default=7, type=int)
    parser.add_argument("--only", nargs="+", choices=WORK, default=WORK)
    parser.add_argument("--json", type=pathlib.Path, help="write the result as an artefact")
    options = parser.parse_args()
    if options.rounds < 1:
        complain("--rounds takes 1 or more", 2)
    wheels = sorted((ROOT / "build" / "wheel").glob("dojima-*.whl"))
    options.wheel = (options.wheel or (wheels[-1] if wheels else pathlib.Path("no wheel"))).resolve()
    programs = [options.build / "bin" / name for name in ("dojima", "dojima-peer-backtest")]
    for file, how in ((options.wheel, "./dev wheel"), *((program, f"ninja -C {options.build} dojima dojima-peer-backtest") for program in programs)):
        if not file.exists():
            complain(f"{file} is not there: {how}", 3)
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(options, pathlib.Path(folder))
        begin = time.monotonic()
        for work in options.only:
            getattr(peers, work)()
        print(f"{time.monotonic() - begin:.0f} s", flush=True)
    if options.json:
        columns = {"work": "", "peer": "", "their_rate": "events, instructions or points a second", "our_rate": "likewise",
                   "times_as_fast": "median of the ratios of a round", "lowest": "of these ratios", "highest": "of these ratios",
                   "target": "at least"}
        numbered = lambda rows: [[*row[:2], *map(artefact.number, row[2:])] for row in rows]  # noqa: E731
        tables = [artefact.table("python_peers", "the package beside its peers, in turn", columns, numbered(peers.rows))]
        if peers.figures:
            columns = {"figure": "", "unit": "", "value": "", "lowest": "", "highest": "", "target": "at most"}
            tables.append(artefact.table("python_figures", "what the package costs", columns, numbered(peers.figures)))
        options.json.write_text(artefact.artefact(ROOT, "bench/peers/python_peers.py", {"rounds": options.rounds}, tables, peers.checks,
                                                  f"Python {sys.version.split()[0]}"))
    return 0 if all(is_ok for _, is_ok, _ in peers.checks) else 1


if __name__ == "__main__":
    sys.exit(main())
