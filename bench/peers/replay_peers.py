#!/usr/bin/env python3
"""Our books beside those of others, over the same rows, in turn.

    bench/peers/replay_peers.py --build build/native --data FOLDER [--rounds 7] [--json peers.json]

Installs hftbacktest and databento-dbn from PyPI into a virtual environment (--venv, made when it is not there) and runs

    depth   every depth row of a Binance file through hftbacktest's own depth (ROIVector), strategy-free, and through
            `dojima-bench-replay --table depth` on the compact file of the same rows
    dbn     every record of a DBN file decoded by databento-dbn and by our reader

Round by round, one behind the other, so that whatever disturbs the machine disturbs both. What cannot be installed or
found here is skipped, and said so. Only ratios mean anything. Standard library only outside the environment.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import artefact  # noqa: E402

PEERS = {"hftbacktest": "hftbacktest==2.4.4", "databento_dbn": "databento-dbn==0.72.0"}

HFT = r'''
import json, sys, time
import numpy as np
from numba import njit
from hftbacktest import BacktestAsset, ROIVectorMarketDepthBacktest
from hftbacktest.types import event_dtype
rows = np.load(sys.argv[1])["data"]
low, high, tick, lot = (float(x) for x in sys.argv[3:7])
def asset():
    return (BacktestAsset().data([rows]).linear_asset(1.0).constant_order_latency(0, 0).risk_adverse_queue_model()
            .no_partial_fill_exchange().trading_value_fee_model(0.0, 0.0).tick_size(tick).lot_size(lot)
            .roi_lb(low).roi_ub(high).last_trades_capacity(0))
@njit
def pass_over(hbt):
    while hbt.elapse(10**15) == 0:
        pass
    return True
hbt = ROIVectorMarketDepthBacktest([asset()]); pass_over(hbt); hbt.close()   # compiles
for line in sys.stdin:
    hbt = ROIVectorMarketDepthBacktest([asset()])
    begin = time.perf_counter()
    pass_over(hbt)
    print(json.dumps({"rows": len(rows), "seconds": time.perf_counter() - begin}), flush=True)
    hbt.close()
'''

DBN = r'''
import json, sys, time
from databento_dbn import DBNDecoder
bytes_ = open(sys.argv[1], "rb").read()
for line in sys.stdin:
    begin = time.perf_counter()
    decoder = DBNDecoder()
    decoder.write(bytes_)
    records = decoder.decode()
    print(json.dumps({"rows": len(records), "seconds": time.perf_counter() - begin}), flush=True)
'''


def skip(what, why):
    print(f"skipped: {what}: {why}")


def python_of(venv):
    """The environment's interpreter, made where it is not there; none when that fails."""
    python = venv / "bin" / "python"
    if not python.exists() and subprocess.run([sys.executable, "-m", "venv", str(venv)]).returncode != 0:
        return None
    return python


def version_of(python, package):
    """What is installed, as pip knows it."""
    script = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()


def has_peer(python, module):
    if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
        return True
    install = subprocess.run([python, "-m", "pip", "install", "--quiet", PEERS[module]], capture_output=True, text=True)
    if install.returncode != 0:
        skip(module, install.stderr.strip().splitlines()[-1] if install.stderr else "pip failed")
    return install.returncode == 0


class Peer:
    """A program that runs one round for each line it is sent."""

    def __init__(self, python, script, *words):
        self.process = subprocess.Popen([str(python), "-c", script, *map(str, words)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def round(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def events_of(dojima, file, scratch):
    """Our CSV of a recorded file, as dictionaries."""
    import csv
    out = scratch / "events.csv"
    subprocess.run([dojima, "data", "convert", file, out, "--no-progress"], check=True, stdout=subprocess.DEVNULL)
    with open(out, newline="") as stream:
        yield from csv.DictReader(stream)


def write_rows(python, dojima, file, scratch):
    """The level and trade rows of a Binance file in hftbacktest's format, and the same rows as our compact file."""
    kept, prices = [], []
    text = ["kind,event_time,receive_time,symbol,side,price,quantity"]
    for row in events_of(dojima, file, scratch):
        if row["kind"] != "level":
            continue
        kept.append((row["event_time"], row["receive_time"], row["side"], row["price"], row["quantity"]))
        text.append(f'level,{row["event_time"]},{row["receive_time"]},ROWS,{row["side"]},{row["price"]},{row["quantity"]}')
        prices.append(float(row["price"]))
    csv_file, rows_file, compact = scratch / "rows.csv", scratch / "rows.npz", scratch / "rows.events"
    csv_file.write_text("\n".join(text) + "\n")
    subprocess.run([dojima, "data", "convert", csv_file, compact, "--no-progress"], check=True,
                   stdout=subprocess.DEVNULL)
    script = r'''
import csv, sys
import numpy as np
from hftbacktest.types import event_dtype, DEPTH_EVENT, EXCH_EVENT, LOCAL_EVENT, BUY_EVENT, SELL_EVENT
with open(sys.argv[1], newline="") as stream:
    rows = list(csv.DictReader(stream))
data = np.zeros(len(rows), dtype=event_dtype)
for at, row in enumerate(rows):
    side = BUY_EVENT if row["side"] == "buy" else SELL_EVENT
    # Both clocks say the same, so that rows keep their order: a depth-only pass.
    when = int(row["receive_time"])
    data[at] = (DEPTH_EVENT | EXCH_EVENT | LOCAL_EVENT | side, when, when, float(row["price"]), float(row["quantity"]),
                0, 0, 0)
np.savez(sys.argv[2], data=data)
'''
    subprocess.run([python, "-c", script, csv_file, rows_file], check=True)
    middle = statistics.median(prices)
    return rows_file, compact, len(kept), 0.5 * middle, 1.5 * middle


def our_round(bench, table, where, environment, competitor, column):
    """One round of our bench: ns per event."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run = subprocess.run([bench, "--table", table, "--where", where, "--rounds", "3", "--no-progress",
                              "--json", out.name], env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
        if run.returncode != 0:
            raise SystemExit(f"{bench} failed with status {run.returncode}")
        result = json.loads(pathlib.Path(out.name).read_text())
    table = result["tables"][0]
    for row in table["rows"]:
        if competitor in row.values():
            return row[column]
    raise SystemExit(f"no row of {competitor}")


def compare(name, version, peer, ours, rounds):
    """In turn; medians, and the median of the ratios."""
    pairs = []
    for _ in range(rounds):
        theirs = peer.round()
        if theirs is None:
            skip(name, "the peer ended early")
            return None
        pairs.append((1e9 * theirs["seconds"] / theirs["rows"], ours()))
    peer.close()
    result = {"name": name, "peer": version, "peer_ns_per_row": statistics.median(p for p, _ in pairs),
              "our_ns_per_row": statistics.median(o for _, o in pairs),
              "ratio": statistics.median(p / o for p, o in pairs),
              "ratio_lowest": min(p / o for p, o in pairs), "ratio_highest": max(p / o for p, o in pairs),
              "rounds": rounds}
    print(f'{name}: {version} {result["peer_ns_per_row"]:.1f} ns a row, ours {result["our_ns_per_row"]:.1f}: '
          f'{result["ratio"]:.1f} times as fast ({result["ratio_lowest"]:.1f} to {result["ratio_highest"]:.1f})')
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/native", type=pathlib.Path)
    parser.add_argument("--data", default=os.environ.get("DOJIMA_DATA", ""), help="folder of recorded data")
    parser.add_argument("--venv", default=pathlib.Path("build/peers-venv"), type=pathlib.Path)
    parser.add_argument("--rounds", default=7, type=int)
    parser.add_argument("--json", type=pathlib.Path, help="write the result as an artefact")
    options = parser.parse_args()
    dojima, bench = options.build / "bin" / "dojima", options.build / "bin" / "dojima-bench-replay"
    binance = pathlib.Path(options.data) / "binance" / "usdm_btcusdt_20240808.gz"
    dbn = pathlib.Path(options.data) / "databento" / "orderbooks_mbo_20240508.dbn.zst"
    if not bench.exists():
        raise SystemExit(f"{bench} is not there: ninja -C {options.build} dojima dojima-bench-replay")
    python = python_of(options.venv)
    if python is None:
        return skip("all peers", "no virtual environment can be made")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        if not binance.exists():
            skip("depth", f"no {binance.name} below --data")
        elif has_peer(python, "hftbacktest"):
            rows, compact, count, low, high = write_rows(python, dojima, binance, scratch)
            print(f"depth: {count} rows")
            peer = Peer(python, HFT, rows, "roi", low, high, 0.1, 0.001)
            results.append(compare("depth", f"hftbacktest {version_of(python, 'hftbacktest')}", peer, lambda: our_round(
                bench, "depth", "data=own file", {"DOJIMA_BENCH_FILE": str(compact)}, "books of levels",
                "ns_per_event"), options.rounds))
        if not dbn.exists():
            skip("dbn", f"no {dbn.name} below --data")
        elif has_peer(python, "databento_dbn"):
            plain = scratch / "day.dbn"
            with open(plain, "wb") as out:
                subprocess.run(["zstd", "-dc", dbn], stdout=out, check=True)
            peer = Peer(python, DBN, plain)
            results.append(compare("dbn", f"databento-dbn {version_of(python, 'databento-dbn')}", peer, lambda: our_round(
                bench, "formats", "data=own file", {"DOJIMA_BENCH_FILE": str(plain)}, "decode", "ns_per_event"),
                options.rounds))
    if options.json:
        options.json.write_text(as_artefact([one for one in results if one], options.rounds))


def as_artefact(results, rounds):
    columns = {"what": "", "peer": "with its version", "peer_ns_per_row": "median of the rounds",
               "ns_per_row": "ours, median of the rounds", "times_as_fast": "median of the ratios of a round",
               "lowest": "of these ratios", "highest": "of these ratios"}
    rows = [[one["name"], one["peer"], *(artefact.number(one[key]) for key in (
        "peer_ns_per_row", "our_ns_per_row", "ratio", "ratio_lowest", "ratio_highest"))] for one in results]
    checks = [("depth: at least 2 times as fast as hftbacktest", one["ratio"] >= 2, f'{one["ratio"]:.2f}')
              for one in results if one["name"] == "depth"]
    notes = ["hftbacktest keeps two books of each instrument, the exchange's and its own; databento-dbn makes Python objects"]
    table = artefact.table("peers", "recorded rows through our books and through those of others", columns, rows, notes)
    return artefact.artefact(ROOT, "bench/peers/replay_peers.py", {"rounds": rounds}, [table], checks,
                             f"Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
