#!/usr/bin/env python3
"""Our queueing formulas and simulations beside Ciw's simulation of the same systems.

    bench/peers/queue_peers.py [--dojima build/release/bin/dojima] [--customers 40000] [--runs 10] [--json FILE]

Ciw (PyPI, version 3.2.7, into build/peers/queue) simulates a tandem of two stations, a server with two classes in both
disciplines of priority, and a loss system, in --runs independent runs; `dojima queue` gives formula and simulation. Each
row has |z| of Ciw's mean against the formula, by the spread of its runs; the check fails at 4 and more. Exit status 0
when all agree, 1 when one does not, 3 without PyPI.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "peers" / "queue"
VERSION = "3.2.7"


def python_with_ciw():
    """A Python of its own that has Ciw."""
    python = FOLDER / "bin" / "python"
    if not python.exists():
        venv.create(FOLDER, with_pip=True)
    has = subprocess.run([python, "-c", f"import ciw; assert ciw.__version__ == '{VERSION}'"], capture_output=True)
    if has.returncode != 0:
        got = subprocess.run([python, "-m", "pip", "install", "--quiet", f"ciw=={VERSION}"], capture_output=True, text=True)
        if got.returncode != 0:
            print(f"queue_peers: Ciw {VERSION} cannot be installed: {got.stderr.strip()[-300:]}", file=sys.stderr)
            raise SystemExit(3)
    return python


def dojima(program, words):
    """The first table of `dojima queue WORDS`: {figure: formula}, {figure: simulated}."""
    done = subprocess.run([program, "queue", *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"dojima queue {words[0]} failed: {done.stderr.strip()}")
    table = json.loads(done.stdout)["tables"][0]
    names = [column if isinstance(column, str) else column["name"] for column in table["columns"]]
    rows = [row if isinstance(row, dict) else dict(zip(names, row)) for row in table["rows"]]
    return {row["figure"]: (row["formula"], row["simulated"]) for row in rows}


def systems():
    """(name, words of dojima, {our figure: Ciw's figure})"""
    two = ["priority", "--class", "0.3,1", "--class", "0.4,1"]
    waits = {"class 1 response_s": "response Class 0", "class 2 response_s": "response Class 1"}
    return [
        ("tandem", ["jackson", "--station", "1,2", "--station", "0,1.25", "--route", "1,2,1"],
         {"station 1 wait_s": "wait 1", "station 2 wait_s": "wait 2"}),
        ("priority", two, waits),
        ("preemptive", two + ["--preemptive"], waits),
        ("loss", ["mmck", "--arrival", "8", "--service", "1", "--servers", "10", "--room", "10"], {"loss": "loss"}),
    ]


def simulate_with_ciw(name, customers, seed):
    """Runs inside the other Python: the figures of one run."""
    import ciw
    exponential = ciw.dists.Exponential
    ciw.seed(seed)
    rate = {"tandem": 1, "priority": 0.7, "preemptive": 0.7, "loss": 8}[name]
    if name == "tandem":
        network = ciw.create_network(arrival_distributions=[exponential(1), None],
                                     service_distributions=[exponential(2), exponential(1.25)],
                                     routing=[[0.0, 1.0], [0.0, 0.0]], number_of_servers=[1, 1])
    elif name == "loss":
        network = ciw.create_network(arrival_distributions=[exponential(8)], service_distributions=[exponential(1)],
                                     number_of_servers=[10], queue_capacities=[0])
    else:
        classes = {"Class 0": 0, "Class 1": 1}
        network = ciw.create_network(
            arrival_distributions={"Class 0": [exponential(0.3)], "Class 1": [exponential(0.4)]},
            service_distributions={"Class 0": [exponential(1)], "Class 1": [exponential(1)]}, number_of_servers=[1],
            priority_classes=(classes, ["resume"]) if name == "preemptive" else classes)
    end = customers / rate
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(end)
    records = [r for r in simulation.get_all_records() if r.arrival_date > end / 10]
    served = [r for r in records if r.record_type == "service"]
    if name == "loss":
        lost = sum(r.record_type == "rejection" for r in records)
        return {"loss": lost / (lost + len(served))}
    if name == "tandem":
        return {f"wait {i}": statistics.fmean(r.waiting_time for r in served if r.node == i) for i in (1, 2)}
    # An interrupted service leaves a record of its own: the response counts from the first arrival to the last exit.
    arrived = {}
    for r in records:
        arrived[r.id_number] = min(arrived.get(r.id_number, math.inf), r.arrival_date)
    return {f"response {k}": statistics.fmean(r.exit_date - arrived[r.id_number] for r in served if r.customer_class == k)
            for k in ("Class 0", "Class 1")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dojima", default=str(ROOT / "build" / "release" / "bin" / "dojima"))
    parser.add_argument("--customers", type=int, default=40_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json")
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)  # NAME SEED, in the Python that has Ciw
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(simulate_with_ciw(options.inside[0], options.customers, int(options.inside[1]))))
        return 0
    python, rows, status = python_with_ciw(), [], 0
    for name, words, figures in systems():
        ours = dojima(options.dojima, words)
        runs = []
        for seed in range(1, options.runs + 1):
            done = subprocess.run([python, __file__, "--customers", str(options.customers), "--inside", name, str(seed)],
                                  capture_output=True, text=True, check=True)
            runs.append(json.loads(done.stdout))
        for figure, theirs in figures.items():
            values = [run[theirs] for run in runs]
            mean, error = statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))
            formula, simulated = ours[figure]
            z = (mean - formula) / error
            status |= abs(z) >= 4
            rows.append({"system": name, "figure": figure, "formula": formula, "dojima": simulated, "ciw": mean, "z": z})
            print(f"{name:<12}{figure:<22}formula {formula:<12.6g}dojima {simulated if simulated == '-' else round(simulated, 6)!s:<12}"
                  f"ciw {mean:<12.6g}z {z:+.2f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    print("all agree" if status == 0 else "NOT all agree")
    return status


if __name__ == "__main__":
    sys.exit(main())
