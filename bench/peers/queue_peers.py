#!/usr/bin/env python3
"""Our queueing formulas and simulations beside Ciw's and SimPy's simulation of the same systems, for agreement and speed.

    bench/peers/queue_peers.py [--programs build/release/bin] [--customers 40000] [--runs 10] [--rounds 5]
                               [--timed-customers 20000] [--only agreement|speed] [--json FILE]

Ciw 3.2.7 and SimPy 4.1.2 come from PyPI into build/peers/queue.

Agreement: Ciw simulates a tandem of two stations, a server with two classes in both disciplines of priority, and a loss
system, in --runs independent runs; `dojima queue` gives formula and simulation. Each row has z of Ciw's mean against the
formula, by the spread of its runs; the check fails at 4 and more.

Speed: three stations in a row, two classes of which one goes before the other, a load of 0.8. By turns, --rounds times:
our network simulator (dojima-bench-queue --table network), Ciw and SimPy; each times itself without its start. All
services have the same mean, so whoever is taken first, the mean response of all requests is that of three M/M/1 in a
row, 15 services; each program's is shown beside. Ratios are of medians, with the least and the largest of the rounds.

Exit status 0 when all agree, 1 when one does not, 3 without PyPI.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "peers" / "queue"
VERSIONS = {"ciw": "3.2.7", "simpy": "4.1.2"}
RESPONSE = 15.0  # of the three stations, in services


def python_with_peers():
    """A Python of its own that has Ciw and SimPy."""
    python = FOLDER / "bin" / "python"
    if not python.exists():
        venv.create(FOLDER, with_pip=True)
    wanted = "; ".join(f"assert version('{name}') == '{number}'" for name, number in VERSIONS.items())
    has = subprocess.run([python, "-c", f"from importlib.metadata import version; {wanted}"], capture_output=True)
    if has.returncode != 0:
        packages = [f"{name}=={number}" for name, number in VERSIONS.items()]
        got = subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], capture_output=True, text=True)
        if got.returncode != 0:
            print(f"queue_peers: {' '.join(packages)} cannot be installed: {got.stderr.strip()[-300:]}", file=sys.stderr)
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


def time_ciw(customers, seed):
    """Runs inside the other Python: (customers, seconds, mean response) of the three stations."""
    import ciw
    exponential = ciw.dists.Exponential
    ciw.seed(seed)
    names = ("Class 0", "Class 1")
    onward = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    network = ciw.create_network(arrival_distributions={k: [exponential(0.4), None, None] for k in names},
                                 service_distributions={k: [exponential(1)] * 3 for k in names},
                                 routing={k: onward for k in names}, number_of_servers=[1, 1, 1],
                                 priority_classes={"Class 0": 0, "Class 1": 1})
    simulation = ciw.Simulation(network)
    begin = time.perf_counter()
    simulation.simulate_until_max_time(customers / 0.8)
    seconds = time.perf_counter() - begin
    records = [r for r in simulation.get_all_records() if r.record_type == "service"]
    entered = {r.id_number: r.arrival_date for r in records if r.node == 1}
    responses = [r.exit_date - entered[r.id_number] for r in records if r.node == 3]
    return len(responses), seconds, statistics.fmean(responses)


def time_simpy(customers, seed):
    """The same with SimPy: a process for each customer, a PriorityResource for each station."""
    import random
    import simpy
    draws = random.Random(seed)
    environment = simpy.Environment()
    stations = [simpy.PriorityResource(environment, capacity=1) for _ in range(3)]
    responses = []

    def customer(priority):
        entered = environment.now
        for station in stations:
            with station.request(priority=priority) as turn:
                yield turn
                yield environment.timeout(draws.expovariate(1))
        responses.append(environment.now - entered)

    def source(priority):
        while True:
            yield environment.timeout(draws.expovariate(0.4))
            environment.process(customer(priority))

    for priority in (0, 1):
        environment.process(source(priority))
    begin = time.perf_counter()
    environment.run(until=customers / 0.8)
    return len(responses), time.perf_counter() - begin, statistics.fmean(responses)


def time_ours(programs):
    """Nanoseconds a request, and the mean response, by the benchmark program."""
    done = subprocess.run([programs / "dojima-bench-queue", "--table", "network", "--rounds", "30", "--json"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: a target was missed, or too few rounds to call it settled
        raise SystemExit(f"dojima-bench-queue failed: {done.stderr.strip()}")
    row = json.loads(done.stdout)["tables"][0]["rows"][0]
    return row["ns_per_request"], row["mean_response"]


def compare_speed(options, python):
    """Rows with customers a second of all three; the status."""
    rates = {"dojima": [], "ciw": [], "simpy": []}
    responses = {name: [] for name in rates}
    for seed in range(1, options.rounds + 1):
        nanoseconds, response = time_ours(options.programs)
        rates["dojima"].append(1e9 / nanoseconds)
        responses["dojima"].append(response)
        for peer in ("ciw", "simpy"):
            done = subprocess.run([python, __file__, "--timed-customers", str(options.timed_customers), "--inside",
                                   f"time-{peer}", str(seed)], capture_output=True, text=True, check=True)
            customers, seconds, response = json.loads(done.stdout)
            rates[peer].append(customers / seconds)
            responses[peer].append(response)
    rows, status = [], 0
    ours = statistics.median(rates["dojima"])
    for name, values in rates.items():
        mean = statistics.fmean(responses[name])
        error = statistics.stdev(responses[name]) / math.sqrt(len(responses[name])) if name != "dojima" else 0
        z = (mean - RESPONSE) / error if error > 0 else 0.0
        status |= abs(z) >= 4
        median = statistics.median(values)
        rows.append({"system": "three stations", "program": name, "customers_per_s": median, "least": min(values),
                     "largest": max(values), "ours_over_it": ours / median, "mean_response": mean, "z": z})
        print(f"{name:<8}customers/s {median:<12.0f}({min(values):.0f} to {max(values):.0f})  ours over it "
              f"{ours / median:<8.1f}mean response {mean:.3f} (15 by formula) z {z:+.2f}")
    return rows, status


def compare_figures(options, python):
    """Rows of agreement, and the status."""
    rows, status = [], 0
    for name, words, figures in systems():
        ours = dojima(options.programs / "dojima", words)
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
    return rows, status


def run_inside(options):
    """In the Python that has the peers: prints one run's figures."""
    name, seed = options.inside[0], int(options.inside[1])
    if name == "time-ciw":
        return time_ciw(options.timed_customers, seed)
    if name == "time-simpy":
        return time_simpy(options.timed_customers, seed)
    return simulate_with_ciw(name, options.customers, seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build" / "release" / "bin",
                        help="where dojima and dojima-bench-queue are; for speed build/native/bin")
    parser.add_argument("--customers", type=int, default=40_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--timed-customers", type=int, default=20_000)
    parser.add_argument("--only", choices=("agreement", "speed"))
    parser.add_argument("--json")
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)  # NAME SEED, in the Python that has the peers
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(run_inside(options)))
        return 0
    python, rows, status = python_with_peers(), [], 0
    for part, compare in (("agreement", compare_figures), ("speed", compare_speed)):
        if options.only in (None, part):
            more, failed = compare(options, python)
            rows, status = rows + more, status | failed
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    print("all agree" if status == 0 else "NOT all agree")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
