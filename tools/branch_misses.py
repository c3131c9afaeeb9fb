#!/usr/bin/env python3
"""Instructions and simulated branch misses of an event, by way of dispatch and compiler.

Compiles bench/fsm/branch_probe.cpp with each compiler and runs it below callgrind with its simulated branch predictor, which
is a plain one: real ones also follow patterns. One pass over the events teaches it, the second is counted. Without
valgrind, its headers or gperf it says `unavailable` and leaves with 0.

    tools/branch_misses.py --json branches.json
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import artefact

ROOT = pathlib.Path(__file__).resolve().parent.parent
WAYS = {"if_else": "if-else", "switch": "switch", "hash_functions": "default hash, functions", "hashed_tuple": "machine, hashed tuple"}
KEYS = ("4", "7", "16", "64")
STREAMS = ("constant", "markov", "random")


def build(compiler, flags, folder, gperf):
    subprocess.run([sys.executable, ROOT / "bench/fsm/gperf_sets.py", "--gperf", gperf, "--output", folder / "gperf_sets.hpp"], check=True)
    program = folder / f"probe-{pathlib.Path(compiler).name}"
    subprocess.run([compiler, *flags.split(), f"-I{ROOT}", f"-I{ROOT}/bench/fsm", f"-I{folder}", ROOT / "bench/fsm/branch_probe.cpp",
                    ROOT / "bench/fsm/work.cpp", "-o", program], check=True)
    return program


def counts_of(program, way, keys, stream):
    """One event's instructions, conditional branches and their misses, indirect jumps and their misses; and the digest."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run(["valgrind", "--tool=callgrind", "--branch-sim=yes", "--instr-atstart=no", f"--callgrind-out-file={out}",
                               program, way, keys, stream], check=True, capture_output=True, text=True)
        text = out.read_text()
    events, digest = re.match(r"(\d+) events counted, digest (\w+)", done.stdout).groups()
    names = re.search(r"^events: (.*)$", text, re.MULTILINE).group(1).split()
    totals = re.search(r"^totals: (.*)$", text, re.MULTILINE).group(1).split()
    values = dict(zip(names, map(int, totals + ["0"] * (len(names) - len(totals)))))
    return [values[name] / int(events) for name in ("Ir", "Bc", "Bcm", "Bi", "Bim")], digest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", help="may be given several times (default: g++ and clang++-19)")
    parser.add_argument("--flags", default="-std=c++23 -O2")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    options = parser.parse_args()
    gperf = shutil.which("gperf")
    if shutil.which("valgrind") is None or not pathlib.Path("/usr/include/valgrind/callgrind.h").exists() or gperf is None:
        print("unavailable: needs valgrind with its headers and gperf; on Debian: apt-get install valgrind gperf")
        return 0
    rows, checks, versions = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        for compiler in options.compiler or ["g++", "clang++-19"]:
            name = pathlib.Path(compiler).name
            program = build(compiler, options.flags, pathlib.Path(scratch), gperf)
            versions.append(subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0])
            for keys in KEYS:
                for stream in STREAMS:
                    digests = set()
                    for way, title in WAYS.items():
                        values, digest = counts_of(program, way, keys, stream)
                        digests.add(digest)
                        missed = values[2] + values[4]
                        predicted = 1 - missed / max(values[1] + values[3], 1e-9)
                        rows.append([name, int(keys), stream, title, *(artefact.number(value, 2) for value in values),
                                     artefact.number(missed, 3), artefact.number(predicted, 3)])
                    checks.append((f"{name}, {keys} keys, {stream}: all ways do the same", len(digests) == 1, f"{len(digests)} digests"))
    result = artefact.table("branches", f"an event by each way, simulated, {options.flags}", {
        "compiler": "", "keys": "", "stream": "", "way": "", "instructions": "", "conditional": "branches",
        "conditional_missed": "", "indirect": "jumps", "indirect_missed": "", "missed": "of both", "predicted": "share of all branches and jumps"}, rows)
    print(artefact.to_text(result))
    for title, is_ok, detail in checks:
        if not is_ok:
            print(f"FAILED  {title}: {detail}")
    if options.json:
        version = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()
        pathlib.Path(options.json).write_text(artefact.artefact(ROOT, "tools/branch_misses.py", {"flags": options.flags}, [result], checks,
                                                                "; ".join([*versions, version])))
    return 0 if all(is_ok for _, is_ok, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
