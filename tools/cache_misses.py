#!/usr/bin/env python3
"""Simulated cache misses per event of each container of the scheduler, with cachegrind.

Runs `dojima-sched-hold CONTAINER N EVENTS` twice, with different numbers of events, and takes the difference, so that
filling the container does not count. The default program is that of the release preset: valgrind does not know
AVX-512. Without valgrind (Debian: apt-get install valgrind), or without the program, it says `unavailable` and leaves
with 0: a figure that was not measured is not made up. What a miss costs is a question to one container over the number of
objects: tools/cost_model.py asks it.

    tools/cache_misses.py --build build/release [--n 100000] [--events 400000] [--json misses.json]
"""

import argparse
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
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

    print(f"n {options.n}, {options.events} events; D1 48 KiB, last level 32 MiB")
    print(f"{'container':26} {'instructions':>12} {'D1 misses':>10} {'LL misses':>10}")
    counted = []
    for container, name in CONTAINERS.items():
        few = counts_of(program, container, options.n, options.n)
        many = counts_of(program, container, options.n, options.n + options.events)
        per_event = [(b - a) / options.events for a, b in zip(few, many)]
        print(f"{name:26} {per_event[0]:12.1f} {per_event[1]:10.2f} {per_event[2]:10.2f}", flush=True)
        counted.append([name, *(artefact.number(value, 2) for value in per_event)])
    if options.json:
        tables = [artefact.table("misses", "simulated, per event", {
            "container": "", "instructions": "", "d1_misses": "of a first level of 48 KiB",
            "ll_misses": "of a last level of 32 MiB"}, counted)]
        version = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()
        root = pathlib.Path(__file__).resolve().parent.parent
        pathlib.Path(options.json).write_text(artefact.artefact(
            root, "tools/cache_misses.py", {"n": options.n, "events": options.events}, tables, [], version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
