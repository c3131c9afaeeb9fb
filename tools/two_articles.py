#!/usr/bin/env python3
"""Writes the tables of docs/two-articles.md from the artefacts of `dojima lab clocks` and `dojima lab hash`.

    build/native/bin/dojima lab clocks --reference --json clocks.json
    build/native/bin/dojima lab hash --reference --json hash.json
    python3 tools/two_articles.py clocks.json hash.json

Copies both files to docs/measurements/ under the first digits of their ids and replaces what is between
`<!-- table: NAME -->` and `<!-- end -->`. Artefacts that the page quoted before and nothing else does are left to
whoever commits. Exit status 0, or 2 when a file is no such artefact.
"""

import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "two-articles.md"
CLOCKS = ("gettimeofday", "monotonic", "realtime", "monotonic_coarse", "steady_clock", "monotonic_syscall", "thread_cpu",
          "process_cpu", "rdtsc", "lfence_rdtsc", "rdtscp", "empty")


def load(path, command):
    run = json.loads(Path(path).read_text())
    if run.get("schema") != "dojima.lab.run/1" or not run.get("command", "").startswith(command):
        sys.exit(f"{path}: no artefact of {command}")
    return run


def rows_of(run, name):
    return next(table["rows"] for table in run["tables"] if table["name"] == name)


def shown(value, decimals=2):
    if value is None:
        return "unavailable"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return f"{value:,.{0 if isinstance(value, int) else decimals}f}"


def table(head, rows, run):
    """The reference to the artefact is in the heading of the first column."""
    reference = f"[m:{run['id'][:8]}](measurements/{run['id'][:8]}.json)"
    lines = [f"| {head[0]} {reference} | " + " | ".join(head[1:]) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def article(clocks, _):
    names = ("nehalem_ns", "power7_dedicated_ns", "power7_shared_ns", "here_O0_ns", "here_O2_ns", "here_O0_loaded_ns",
             "here_O2_loaded_ns")
    words = {"99 %": "p99", "99.99 %": "p99.99"}
    rows = [[words.get(row["statistic"], row["statistic"])] + [shown(row[name]) for name in names] for row in rows_of(clocks, "article")]
    return table(["ns a call", "Nehalem", "POWER7 dedicated", "POWER7 shared", "here, -O0", "here, -O2", "-O0, loaded",
                  "-O2, loaded"], rows, clocks)


def batches(clocks, _):
    rows = [[row["load"], shown(row["calls"])] + [shown(row[name]) for name in ("median_ns", "p9999_ns", "max_ns")]
            for row in rows_of(clocks, "batches") if row["clock"] == "gettimeofday"]
    rows += [[row["load"], "1, by the counter"] + [shown(row[name]) for name in ("median_ns", "p9999_ns", "max_ns")]
             for row in rows_of(clocks, "single") if row["clock"] == "gettimeofday"]
    return table(["gettimeofday, ns a call", "calls in a batch", "median", "p99.99", "max"], rows, clocks)


def clocks_table(clocks, _):
    rows = [[row["clock"], row["way"]] + [shown(row[name]) for name in ("min_ns", "average_ns", "median_ns", "p99_ns")]
            for row in rows_of(clocks, "calls")
            if row["clock"] in CLOCKS and row["compiled"] == "-O2" and row["load"] == "idle"]
    return table(["ns a call", "way", "min", "average", "median", "p99"], rows, clocks)


def drift(clocks, _):
    rows = [[shown(row["wanted_s"], 0), shown(row["residual_ns"], 0), shown(row["residual_ppm"], 3),
             shown(row["uncertainty_ppm"], 4)] for row in rows_of(clocks, "drift")]
    return table(["after, s", "the counter is ahead by, ns", "ppm", "known to, ppm"], rows, clocks)


def sigma(_, run):
    """The article's own decimals, and all its ten columns."""
    factors = (1, 2, 3, 4, 5, 6, 10, 20, 50, 100)
    rows = [[row["source"], row["clock"], row["policy"], row["load"]] +
            [shown(row[name], 2) for name in ("mean_ns", "median_ns", "deviation_ns", "min_ns", "max_ns")] +
            [shown(row[f"beyond_{factor}"], 0) for factor in factors]
            for row in rows_of(run, "sigma") if row["source"] == "article" or row["clock"] in ("process_cpu", "monotonic")]
    return table(["source", "clock", "policy", "load", "mean", "median", "SD", "min", "max"] + [f"> {factor} σ" for factor in factors],
                 rows, run)


def settling(clocks, _):
    names = ("first_of_run_ns", "first_of_round_ns", "average_ns", "average_with_ns", "deviation_ns", "deviation_with_ns", "max_ns",
             "max_with_ns")
    rows = [[row["compiled"], row["load"]] + [shown(row[name]) for name in names] for row in rows_of(clocks, "settling")]
    return table(["compiled, ns a call", "load", "first of the run", "first of a round", "average", "with the ten", "deviation",
                  "with the ten", "max", "with the ten"], rows, clocks)


def outliers(clocks, _):
    names = ("at_ms", "largest_ns", "slice_us", "interrupts", "steal_ticks", "faults", "switches", "waited_ns")
    rows = [[row["load"]] + [shown(row[name], 0 if name != "largest_ns" else 2) for name in names] + [row["cause"]]
            for row in rows_of(clocks, "outliers")]
    return table(["load", "at, ms", "largest, ns a call", "slice, µs", "interrupts", "stolen ticks", "faults", "switches", "waited, ns",
                  "cause"], rows, clocks)


def absolute(_, run):
    names = ("above_1_us", "above_10_us", "above_100_us", "above_1_ms", "preemptions", "off_processor_us")
    robust = {(row["clock"], row["policy"], row["load"]): row for row in rows_of(run, "robust")}
    rows = [[row["clock"], row["policy"], row["load"]] + [shown(row[name], 0) for name in names] +
            [shown(robust[(row["clock"], row["policy"], row["load"])]["beyond_100"])]
            for row in rows_of(run, "absolute")]
    return table(["clock", "policy", "load", "> 1 µs", "> 10 µs", "> 100 µs", "> 1 ms", "preemptions", "off the processor, µs",
                  "> 100 robust spreads"], rows, run)


def demonstration(_, run):
    return table(["statement", "holds"], [[row["statement"], shown(row["holds"])] for row in rows_of(run, "demonstration")], run)


def largest(_, run):
    """Over all runs: one of them may by chance have been spared."""
    rows = [[row["clock"], row["policy"], row["load"]] +
            [shown(row[name], 0) for name in ("median_of_medians_ns", "least_max_ns", "middle_max_ns", "largest_max_ns")]
            for row in rows_of(run, "rounds")]
    return table(["clock, ns", "policy", "load", "median", "least max", "middle max", "largest max"], rows, run)


def fit(_, run):
    def one(row, model):
        if row[f"{model}_distance"] is None:
            return "unavailable"
        # Artefacts without the number of steps have a distance of nothing where two parameters went through all of them.
        if (row[f"{model}_p"] >= 0.01 and row.get("bulk_steps", 5) < 5) or row[f"{model}_distance"] < 1e-9:
            return "too few steps"
        return shown(row[f"{model}_distance"], 3)

    rows = [[row["clock"], row["policy"], row["load"], shown(row["quantum_ns"]), shown(row["bulk_up_to_ns"], 0),
             *(one(row, model) for model in ("exponential", "shifted_exponential", "lognormal")),
             shown(row["tail_values"]), shown(row["tail_scale_ns"], 0), shown(row["stalls"])]
            for row in rows_of(run, "fit") if row["clock"] in ("process_cpu", "monotonic")]
    return table(["clock", "policy", "load", "step, ns", "bulk up to, ns", "D exponential", "D from the minimum", "D lognormal",
                  "in the tail", "its mean, ns", "stalls"], rows, run)


TABLES = {"article": article, "settling": settling, "outliers": outliers, "batches": batches, "clocks": clocks_table, "drift": drift, "sigma": sigma, "absolute": absolute,
          "demonstration": demonstration,
          "largest": largest, "fit": fit}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    clocks, run = load(sys.argv[1], "dojima lab clocks"), load(sys.argv[2], "dojima lab hash")
    for path, artefact in zip(sys.argv[1:], (clocks, run)):
        shutil.copyfile(path, ROOT / "docs" / "measurements" / f"{artefact['id'][:8]}.json")

    def fill(match):
        return f"<!-- table: {match[1]} -->\n\n{TABLES[match[1]](clocks, run)}\n\n<!-- end -->"

    PAGE.write_text(re.sub(r"<!-- table: (\w+) -->.*?<!-- end -->", fill, PAGE.read_text(), flags=re.DOTALL))
    print(f"{PAGE.name}: clocks {clocks['id'][:8]}, hash {run['id'][:8]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
