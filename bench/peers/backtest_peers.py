#!/usr/bin/env python3
"""Our back-tests beside hftbacktest's, over the same rows: the same fills, and the time both take.

    bench/peers/backtest_peers.py --build build/release --data FOLDER [--rounds 7] [--requests 150000]
                                  [--only fills|speed] [--json FILE]

hftbacktest 2.4.4 comes from PyPI into build/peers/backtest.

Fills: the level and trade rows of binance/usdm_btcusdt_20240808.gz below --data (or of a generated day of levels, where
there is none) go to both, in ticks and lots of 1, both clocks as our engine takes them. The market maker `touch` runs
over them each 100 ms and each 10 ms, with latencies of 1 ms, for each queue model, `--fills whole` here and the exchange
without partial fills there. The lists of fills must be the same: time at the exchange, order, side, price, quantity. An
execution's rest is not compared.

A day with orders goes to `orders` and to hftbacktest's L3 FIFO. These two differ by rule, so the numbers of fills are
shown and nothing is checked: there an own order alone before the recorded best is not filled by an execution at the
recorded best, and a fill is of the whole order.

Speed: the same runs in turn, round by round (dojima-peer-backtest is our side), processor time of the run alone on both
sides: rows read, books and strategy made, code compiled. Ratios are of a round; medians, with the least and the largest.

Exit status 0 when all lists agree, 1 when one does not, 3 without PyPI or without a program.
"""

import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "peers" / "backtest"
VERSION = "2.4.4"
MAKER = pathlib.Path(__file__).with_name("backtest_maker.py")
MODELS = ("risk_averse", "power1:2", "power2:2", "power3:3", "log1", "log2")
PERIODS = (100_000_000, 10_000_000)
LATENCY = 1_000_000
MOST = 10
sys.path.insert(0, str(ROOT / "tools"))
import artefact  # noqa: E402

ROWS_SCRIPT = r'''
import csv, sys
import numpy as np
from hftbacktest.types import (event_dtype, ADD_ORDER_EVENT, CANCEL_ORDER_EVENT, DEPTH_CLEAR_EVENT, DEPTH_EVENT,
                               FILL_EVENT, MODIFY_ORDER_EVENT, TRADE_EVENT, EXCH_EVENT, LOCAL_EVENT, BUY_EVENT,
                               SELL_EVENT)
both = EXCH_EVENT | LOCAL_EVENT
sides = {"buy": BUY_EVENT, "sell": SELL_EVENT, "": 0}
kinds = {"level": DEPTH_EVENT, "trade": TRADE_EVENT, "clear": DEPTH_CLEAR_EVENT, "add": ADD_ORDER_EVENT}
data, live = [], {}
with open(sys.argv[1], newline="") as stream:
    for row in csv.DictReader(stream):
        when, received, kind = int(row["event_time"] or 0), int(row["receive_time"] or 0), row["kind"]
        if kind == "instrument":
            continue
        order = int(row.get("order") or 0)
        def put(event, side, price, quantity):
            data.append((event | both | sides[side], when, received, price, quantity, order, 0, 0))
        if kind in ("level", "trade", "clear"):
            put(kinds[kind], row["side"], int(row["price"] or 0), int(row["quantity"] or 0))
        elif kind == "add":
            live[order] = [row["side"], int(row["price"]), int(row["quantity"])]
            put(ADD_ORDER_EVENT, *live[order])
        elif order in live:
            side, price, there = live[order]
            gone = there if kind == "remove" else int(row["quantity"])
            if kind == "execute":
                put(FILL_EVENT, side, price, gone)
            live[order][2] -= gone
            if live[order][2] > 0:
                put(MODIFY_ORDER_EVENT, side, price, live[order][2])
            else:
                put(CANCEL_ORDER_EVENT, side, price, 0)
                del live[order]
np.savez(sys.argv[2], data=np.array(data, dtype=event_dtype))
print(len(data))
'''


def complain(text, status):
    print(f"backtest_peers: {text}", file=sys.stderr)
    raise SystemExit(status)


def python_with_peer():
    """A Python of its own that has hftbacktest."""
    python = FOLDER / "bin" / "python"
    if not python.exists():
        venv.create(FOLDER, with_pip=True)
    check = f"from importlib.metadata import version; assert version('hftbacktest') == '{VERSION}'"
    if subprocess.run([python, "-c", check], capture_output=True).returncode != 0:
        got = subprocess.run([python, "-m", "pip", "install", "--quiet", f"hftbacktest=={VERSION}"],
                             capture_output=True, text=True)
        if got.returncode != 0:
            complain(f"hftbacktest {VERSION} cannot be installed: {got.stderr.strip()[-300:]}", 3)
    return python


def scaled(text, decimals):
    whole, _, part = text.partition(".")
    return int(whole) * 10**decimals + int((part + "0" * decimals)[:decimals] or 0)


class Day:
    """Rows in whole ticks and lots for both sides."""

    def __init__(self, name, kind, text, rows, compact, count, events, quantity, low, high):
        self.name, self.kind, self.text, self.rows, self.compact = name, kind, text, rows, compact
        self.count, self.events, self.quantity, self.low, self.high = count, events, quantity, low, high


def make_day(python, dojima, source, name, kind, wanted, decimals, quantity, scratch):
    """`decimals` of prices (those of the tick) and quantities; both times as our engine takes them."""
    text = scratch / f"{name}.source.csv"
    subprocess.run([dojima, "data", "convert", source, text, "--no-progress"], check=True, stdout=subprocess.DEVNULL)
    out = scratch / f"{name}.csv"
    with open(text, newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["kind"] in wanted]
    shift = max(0, -min(int(row["receive_time"] or row["event_time"]) - int(row["event_time"]) for row in rows
                        if int(row["flags"] or 0) & 2 == 0))
    at = received = 0
    prices = []
    with open(out, "w") as stream:
        stream.write("kind,event_time,receive_time,symbol,instrument,side,price,quantity,order,flags,code\n")
        stream.write("instrument,,,ROWS,0,,1,,0,0,0\n")
        for row in rows:
            at = max(at, int(row["event_time"]))
            received = max(received, at, int(row["receive_time"] or row["event_time"]) + shift)
            price = scaled(row["price"], decimals[0]) if row["price"] else ""
            amount = scaled(row["quantity"], decimals[1]) if row["quantity"] else ""
            if price != "":
                prices.append(price)
            order = row["order"] if kind == "orders" else ""
            stream.write(f'{row["kind"]},{at},{received},ROWS,0,{row["side"]},{price},{amount},{order},,\n')
    compact, packed = scratch / f"{name}.events", scratch / f"{name}.npz"
    subprocess.run([dojima, "data", "convert", out, compact, "--no-progress"], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([python, "-c", ROWS_SCRIPT, out, packed], check=True, capture_output=True, text=True)
    middle = statistics.median(prices)
    return Day(name, kind, out, packed, compact, int(done.stdout), len(rows), quantity, int(middle / 2),
               int(middle * 1.5))


def our_fills(dojima, day, model, period, scratch):
    out = scratch / "fills.csv"
    subprocess.run([dojima, "backtest", day.compact, "--strategy", "touch", "--set", f"period={period}ns", "--set",
                    f"quantity={day.quantity}", "--set", f"max_position={MOST}", "--exchange", day.kind, "--queue", model,
                    "--fills", "whole" if day.kind == "levels" else "partial", "--entry", f"{LATENCY}ns", "--response",
                    f"{LATENCY}ns", "--csv", out, "--no-progress"], check=True, stdout=subprocess.DEVNULL)
    with open(out, newline="") as stream:
        return [(int(row["exchange_time"]), int(row["order"]), row["side"], scaled(row["price"], 0),
                 int(row["quantity"])) for row in csv.DictReader(stream)]


def maker_words(python, day, model, period, mode):
    return [str(word) for word in (python, MAKER, day.rows, day.kind, model, period, day.quantity, LATENCY, MOST, day.low,
                                   day.high, mode)]


def their_fills(python, day, model, period):
    done = subprocess.run(maker_words(python, day, model, period, "fills"), capture_output=True, text=True)
    if done.returncode != 0:
        complain(f"hftbacktest failed: {done.stderr.strip()[-500:]}", 1)
    return [tuple(fill) for fill in json.loads(done.stdout)]


def compare_fills(python, dojima, day, scratch):
    rows, checks = [], []
    for period in PERIODS:
        for model in MODELS if day.kind == "levels" else ("-",):
            ours = our_fills(dojima, day, model if model != "-" else "power3", period, scratch)
            theirs = their_fills(python, day, model, period)
            both = len(set(ours) & set(theirs))
            is_same = sorted(ours) == sorted(theirs)
            rows.append([day.name, model, period // 1_000_000, len(theirs), len(ours), both])
            text = f"{day.name} {model} {period // 1_000_000} ms: {len(theirs)} and {len(ours)} fills, {both} the same"
            print(text, flush=True)
            if day.kind != "levels":
                continue
            checks.append((f"{day.name}, {model}, {period // 1_000_000} ms: the same list of fills", is_same, text))
            if not is_same:
                first = next((pair for pair in zip(sorted(theirs), sorted(ours)) if pair[0] != pair[1]), None)
                print(f"  first difference (theirs, ours): {first}")
    return rows, checks


class Side:
    """A program that runs once for each line it is sent."""

    def __init__(self, words, says_ready):
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        if says_ready and not self.process.stdout.readline():
            complain(f"{words[0]} ended early", 1)

    def round(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            complain("a program ended early", 1)
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare_speed(python, ours_program, day, exchange, period, rounds):
    """Events per second of processor time, ours over theirs, round by round."""
    model = "power3:3"
    theirs = Side(maker_words(python, day, model, period, "rounds"), True)
    ours = Side([ours_program, day.compact, exchange, model, period, day.quantity, f"{LATENCY}ns"], False)
    pairs = [(theirs.round(), ours.round()) for _ in range(rounds + 1)][1:]
    theirs.close()
    ours.close()
    ratios = [one["seconds"] / other["seconds"] for one, other in pairs]
    rate = [statistics.median(day.events / side["seconds"] / 1e6 for side in which) for which in zip(*pairs)]
    what = f"each {period // 1_000_000} ms" if period else "each instant"
    print(f"{exchange}, {what}: hftbacktest {rate[0]:.2f} M events/s, ours {rate[1]:.2f}: "
          f"{statistics.median(ratios):.2f} times as fast ({min(ratios):.2f} to {max(ratios):.2f}), fills "
          f'{pairs[-1][0]["fills"]} and {pairs[-1][1]["fills"]}', flush=True)
    return [exchange, day.name, what, day.events, rate[0], rate[1], statistics.median(ratios), min(ratios), max(ratios),
            pairs[-1][0]["fills"], pairs[-1][1]["fills"]]


def levels_day(python, dojima, data, requests, scratch):
    binance = data / "binance" / "usdm_btcusdt_20240808.gz"
    wanted = ("level", "trade", "clear")
    if binance.is_file():
        return make_day(python, dojima, binance, "usdm_btcusdt", "levels", wanted, (1, 3), 1, scratch)
    print(f"no {binance.name} below --data: a comparison of levels needs a day with levels and trades")
    return None


def orders_day(python, dojima, requests, scratch):
    source = scratch / "generated.events"
    subprocess.run([dojima, "gen", "--model", "hawkes", "--seed", "7", "--requests", str(requests), "--out", source,
                    "--no-progress"], check=True, stdout=subprocess.DEVNULL)
    kinds = ("add", "execute", "reduce", "remove")
    return make_day(python, dojima, source, "generated", "orders", kinds, (2, 0), 1, scratch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--data", default=os.environ.get("DOJIMA_DATA", ""), type=pathlib.Path,
                        help="folder of recorded data")
    parser.add_argument("--rounds", default=7, type=int)
    parser.add_argument("--requests", default=150_000, type=int, help="of the generated day")
    parser.add_argument("--only", choices=("fills", "speed"))
    parser.add_argument("--json", type=pathlib.Path, help="write the result as an artefact")
    options = parser.parse_args()
    if options.rounds < 1 or options.requests < 1000:
        complain("--rounds takes 1 or more, --requests 1000 or more", 2)
    dojima, program = options.build / "bin" / "dojima", options.build / "bin" / "dojima-peer-backtest"
    for file in (dojima, program):
        if not file.exists():
            complain(f"{file} is not there: ninja -C {options.build} dojima dojima-peer-backtest", 3)
    python = python_with_peer()
    fills, checks, speeds = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        days = [day for day in (levels_day(python, dojima, options.data, options.requests, scratch),
                                orders_day(python, dojima, options.requests, scratch)) if day is not None]
        for day in days:
            print(f"{day.name}: {day.events} events, {day.count} rows of hftbacktest")
            if options.only != "speed":
                some, found = compare_fills(python, dojima, day, scratch)
                fills += some
                checks += found
            if options.only != "fills":
                for exchange in ("levels",) if day.kind == "levels" else ("orders", "match"):
                    for period in (*PERIODS, 0):
                        speeds.append(compare_speed(python, program, day, exchange, period, options.rounds))
    if options.json:
        options.json.write_text(as_artefact(fills, checks, speeds, options.rounds))
    return 0 if all(is_ok for _, is_ok, _ in checks) else 1


def as_artefact(fills, checks, speeds, rounds):
    tables = []
    if fills:
        columns = {"day": "", "queue_model": "", "period_ms": "", "their_fills": "", "our_fills": "",
                   "the_same": "time at the exchange, order, side, price and quantity"}
        notes = ["orders: hftbacktest does not fill an own order alone before the recorded best by an execution at it"]
        tables.append(artefact.table("fills", "the same market maker over the same rows", columns, fills, notes))
    if speeds:
        columns = {"exchange": "", "day": "", "looks": "", "events": "", "their_rate": "million events a second",
                   "our_rate": "million events a second", "times_as_fast": "median of the ratios of a round",
                   "lowest": "of these ratios", "highest": "of these ratios", "their_fills": "", "our_fills": ""}
        rows = [[*row[:4], *(artefact.number(value) for value in row[4:9]), *row[9:]] for row in speeds]
        tables.append(artefact.table("speed", "processor time of the run, in turn", columns, rows))
    return artefact.artefact(ROOT, "bench/peers/backtest_peers.py", {"rounds": rounds}, tables, checks,
                             f"Python {sys.version.split()[0]}, hftbacktest {VERSION}")


if __name__ == "__main__":
    sys.exit(main())
