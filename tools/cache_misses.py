#!/usr/bin/env python3
"""Simulated cache misses per event of each container of the scheduler, with cachegrind.

Runs `dojima-sched-hold CONTAINER N EVENTS` twice, with different numbers of events, and takes the difference, so that
filling the container does not count. Fits ns = a + b * (last-level misses) by least squares to the times that
`dojima-bench-sched --table hold --json` measured, where they are given, and prints the residuals. Without valgrind, or
without the program, it says `unavailable` and leaves with 0: a figure that was not measured is not made up.

    tools/cache_misses.py --build build/native [--times hold.json] [--n 100000] [--events 400000]
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CONTAINERS = {
    "run_wheel": "run wheel",
    "run_wheel_user": "run wheel, user",
    "priority_queue": "std::priority_queue",
    "multimap": "std::multimap",
    "option_1": "option 1, external nodes",
    "option_2": "option 2, intrusive",
    "option_3": "option 3, hybrid",
}


def counts_of(program, container, n, events):
    """One run under cachegrind: instructions, first-level data misses, last-level data misses."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--D1=49152,12,64", "--LL=33554432,16,64",
             f"--cachegrind-out-file={out}", str(program), container, str(n), str(events)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = out.read_text()
    names = re.search(r"^events: (.*)$", text, re.MULTILINE).group(1).split()
    values = dict(zip(names, map(int, re.search(r"^summary: (.*)$", text, re.MULTILINE).group(1).split())))
    return values["Ir"], values["D1mr"] + values["D1mw"], values["DLmr"] + values["DLmw"]


def times_of(path, n):
    """{competitor: ns} of the rows for n in an artefact of the table `hold`."""
    times = {}

    def visit(node):
        if isinstance(node, dict):
            if node.get("n") == n and "competitor" in node and "ns_per_operation" in node:
                times[node["competitor"]] = node["ns_per_operation"]
            for child in node.values():
                visit(child)
        elif isinstance(node, list):
            for child in node:
                visit(child)

    visit(json.loads(pathlib.Path(path).read_text()))
    return times


def fit(points):
    """Least squares of ns = a + b * misses."""
    count = len(points)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    return mean_y - slope * mean_x, slope


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/native", type=pathlib.Path)
    parser.add_argument("--times", help="a JSON document of `dojima-bench-sched --table hold`")
    parser.add_argument("--n", default=100_000, type=int)
    parser.add_argument("--events", default=400_000, type=int)
    options = parser.parse_args()

    program = options.build / "bin" / "dojima-sched-hold"
    if shutil.which("valgrind") is None or not program.exists():
        print(f"unavailable: {'no valgrind' if program.exists() else f'no {program}'}")
        return 0

    times = times_of(options.times, options.n) if options.times else {}
    print(f"n {options.n}, {options.events} events; D1 48 KiB, last level 32 MiB")
    print(f"{'container':26} {'instructions':>12} {'D1 misses':>10} {'LL misses':>10} {'ns':>8}")
    points = []
    for container, name in CONTAINERS.items():
        few = counts_of(program, container, options.n, options.n)
        many = counts_of(program, container, options.n, options.n + options.events)
        per_event = [(b - a) / options.events for a, b in zip(few, many)]
        time = times.get(name)
        shown = f"{time:8.1f}" if time is not None else f"{'-':>8}"
        print(f"{name:26} {per_event[0]:12.1f} {per_event[1]:10.2f} {per_event[2]:10.2f} {shown}", flush=True)
        if time is not None:
            points.append((per_event[2], time, name))
    if len(points) >= 3:
        base, slope = fit([(x, y) for x, y, _ in points])
        print(f"ns = {base:.1f} + {slope:.1f} * LL misses   (the article: 60 + 54 m, and 73 + 40 m)")
        for misses, time, name in points:
            print(f"  {name:26} residual {time - base - slope * misses:+8.1f} ns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
