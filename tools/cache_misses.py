#!/usr/bin/env python3
"""Simulated cache misses per event of each container of the scheduler, with cachegrind.

Runs `dojima-sched-hold CONTAINER N EVENTS` twice, with different numbers of events, and takes the difference, so that
filling the container does not count. Fits ns = a + b * misses by least squares to the times that
`dojima-bench-sched --table hold --json` measured, where they are given, for the misses of either level, and prints the
residuals, R squared and Akaike's criterion. The default program is that of the release preset: valgrind does not know
AVX-512. Without valgrind (Debian: apt-get install valgrind), or without the program, it says `unavailable` and leaves
with 0: a figure that was not measured is not made up.

    tools/cache_misses.py --build build/release [--times hold.json] [--n 100000] [--events 400000] [--json misses.json]
"""

import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import artefact

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
            if node.get("n") == n and "container" in node and "ns_per_event" in node:
                times[node["container"]] = node["ns_per_event"]
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


def print_fit(name, points):
    """`points`: (misses, ns, container). Rows for the artefact: container, ns, what the line says, residual."""
    if max(x for x, _, _ in points) < 0.01:
        print(f"no fit to {name}: everything stays in that level")
        return []
    base, slope = fit([(x, y) for x, y, _ in points])
    residuals = [y - base - slope * x for x, y, _ in points]
    mean = sum(y for _, y, _ in points) / len(points)
    unexplained = sum(residual**2 for residual in residuals)
    whole = sum((y - mean) ** 2 for _, y, _ in points)
    criterion = len(points) * math.log(unexplained / len(points)) + 4 if unexplained > 0 else -math.inf
    print(f"ns = {base:.1f} + {slope:.1f} * {name}   R2 {1 - unexplained / whole if whole else 1:.3f}, "
          f"AIC {criterion:.1f}   (the article: 60 + 54 m, and 73 + 40 m)")
    for residual, (_, _, container) in zip(residuals, points):
        print(f"  {container:26} residual {residual:+8.1f} ns")
    return [[name, container, artefact.number(y), artefact.number(base, 1), artefact.number(slope, 1),
             artefact.number(1 - unexplained / whole if whole else 1), artefact.number(residual, 1)]
            for residual, (_, y, container) in zip(residuals, points)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--times", help="a JSON document of `dojima-bench-sched --table hold`")
    parser.add_argument("--n", default=100_000, type=int)
    parser.add_argument("--events", default=400_000, type=int)
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    options = parser.parse_args()

    program = options.build / "bin" / "dojima-sched-hold"
    if not program.exists():
        print(f"unavailable: no {program}; build the target dojima-sched-hold")
        return 0
    if shutil.which("valgrind") is None:
        print("unavailable: no valgrind; on Debian: apt-get install valgrind")
        return 0

    times = times_of(options.times, options.n) if options.times else {}
    print(f"n {options.n}, {options.events} events; D1 48 KiB, last level 32 MiB")
    print(f"{'container':26} {'instructions':>12} {'D1 misses':>10} {'LL misses':>10} {'ns':>8}")
    points, counted = [], []
    for container, name in CONTAINERS.items():
        few = counts_of(program, container, options.n, options.n)
        many = counts_of(program, container, options.n, options.n + options.events)
        per_event = [(b - a) / options.events for a, b in zip(few, many)]
        time = times.get(name)
        shown = f"{time:8.1f}" if time is not None else f"{'-':>8}"
        print(f"{name:26} {per_event[0]:12.1f} {per_event[1]:10.2f} {per_event[2]:10.2f} {shown}", flush=True)
        counted.append([name, *(artefact.number(value, 2) for value in per_event)])
        if time is not None:
            points.append((per_event[1], per_event[2], time, name))
    fits = []
    if len(points) >= 3:
        fits += print_fit("D1 misses", [(first, time, name) for first, _, time, name in points])
        fits += print_fit("LL misses", [(last, time, name) for _, last, time, name in points])
    if options.json:
        tables = [artefact.table("misses", "simulated, per event", {
            "container": "", "instructions": "", "d1_misses": "of a first level of 48 KiB",
            "ll_misses": "of a last level of 32 MiB"}, counted)]
        if fits:
            tables.append(artefact.table("fit", "ns = a + b * misses, least squares over the containers", {
                "level": "", "container": "", "ns": "measured, from --times", "a": "", "b": "", "r_squared": "",
                "residual": "ns"}, fits))
        version = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()
        root = pathlib.Path(__file__).resolve().parent.parent
        pathlib.Path(options.json).write_text(artefact.artefact(
            root, "tools/cache_misses.py", {"n": options.n, "events": options.events}, tables, [], version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
