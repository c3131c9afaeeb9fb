#!/usr/bin/env python3
"""Computes the tables of `dojima lab clocks` and `dojima lab hash` again, from their raw samples, with NumPy and SciPy.

    python3 tools/oracle/lab_tables.py [--program build/release/bin/dojima] [--samples FOLDER] [--require]

Runs both instruments with few rounds, or with --samples reads FOLDER/clocks.json and FOLDER/clocks/*.f32, FOLDER/hash.json
and FOLDER/hash/*.f32 of runs that were made with --json and --samples. Times differ from run to run; what is made of
them must not. Packages and exit status as in run.py.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from run import PACKAGES, ROOT, Check, environment

SIGMAS = (1, 2, 3, 4, 5, 6, 10, 20, 50, 100)
LIMITS = {"above_1_us": 1e3, "above_10_us": 1e4, "above_100_us": 1e5, "above_1_ms": 1e6, "above_10_ms": 1e7}


def make_runs(program, folder):
    """A small run of each instrument."""
    for name, words in (
            ("clocks", ["--reference", "--quick", "--rounds", "3", "--repetitions", "2000", "--singles", "3000", "--clock",
                        "gettimeofday,monotonic,process_cpu,rdtsc,empty"]),
            ("hash", ["--reference", "--quick", "--rounds", "3", "--iterations", "20000"])):
        done = subprocess.run([program, "lab", name, *words, "--samples", str(folder / name), "--json",
                               str(folder / f"{name}.json")], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"oracle: lab {name}: exit status {done.returncode}: {done.stderr.strip()}")


def table(run, name):
    return next(one["rows"] for one in run["tables"] if one["name"] == name)


def read(path, rounds):
    import numpy as np
    return np.fromfile(path, dtype=np.float32).astype(np.float64).reshape(rounds, -1)


def of_rank(values, share):
    """The value of rank ceil(p n)."""
    import numpy as np
    return float(np.quantile(values, share, method="inverted_cdf"))


# -------------------------------------------------------------------------------------------------------------- clocks


def statistics_of_rounds(times):
    """Medians over the rounds."""
    import numpy as np
    return {"min_ns": np.median(times.min(axis=1)), "max_ns": np.median(times.max(axis=1)),
            "average_ns": np.median(times.mean(axis=1)), "deviation_ns": np.median(times.std(axis=1, ddof=1)),
            "p99_ns": np.median([of_rank(one, 0.99) for one in times]),
            "p9999_ns": np.median([of_rank(one, 0.9999) for one in times]),
            "median_ns": np.median(np.median(times, axis=1))}


def check_row(check, what, row, expected):
    for column, value in expected.items():
        check.close(f"{what}: {column}", row[column], float(value), 1e-9)


def check_times(check, what, row, expected):
    """Times that the tables give to the picosecond."""
    for column, value in expected.items():
        check.compared += 1
        if not abs(row[column] - value) <= 0.00051:
            check.fail(f"{what}: {column}", row[column], float(value))


def check_clocks(check, folder):
    import numpy as np
    from scipy import stats
    run = json.loads((folder / "clocks.json").read_text())
    rounds = run["parameters"]["rounds"]
    calls = run["parameters"]["calls"]

    def times(clock, compiled, load, kind):
        count = 1 if kind == "single" else int(kind)
        return read(folder / "clocks" / f"{clock}_{compiled}_{load}_{kind}.f32", rounds) / count

    for row in table(run, "calls"):
        sample = times(row["clock"], row["compiled"].strip("-"), row["load"], calls)
        what = f"calls, {row['clock']} {row['compiled']} {row['load']}"
        check_times(check, what, row, statistics_of_rounds(sample))
        medians = np.median(sample, axis=1)
        check.close(what + ": mad_percent", row["mad_percent"],
                    100 * stats.median_abs_deviation(medians) / np.median(medians), 1e-9)
    for row in table(run, "batches"):
        check_times(check, f"batches, {row['clock']} {row['load']} {row['calls']}", row,
                  statistics_of_rounds(times(row["clock"], "O2", row["load"], row["calls"])))
    for row in table(run, "single"):
        check_times(check, f"single, {row['clock']} {row['load']}", row,
                  statistics_of_rounds(times(row["clock"], "O2", row["load"], "single")))
    names = ("min_ns", "max_ns", "average_ns", "deviation_ns", "p99_ns", "p9999_ns")
    for column, compiled, load in (("here_O0_ns", "O0", "idle"), ("here_O2_ns", "O2", "idle"),
                                   ("here_O0_loaded_ns", "O0", "loaded"), ("here_O2_loaded_ns", "O2", "loaded")):
        expected = statistics_of_rounds(times("gettimeofday", compiled, load, calls))
        for row, name in zip(table(run, "article"), names):
            check_times(check, f"article, {row['statistic']}", row, {column: expected[name]})


# ---------------------------------------------------------------------------------------------------------------- hash


def check_count(check, what, ours, values, limit):
    """How many lie above; a value on the very limit may fall to either side."""
    check.compared += 1
    near = 1e-9 * max(abs(limit), 1)
    if not (values > limit + near).sum() <= ours <= (values > limit - near).sum():
        check.fail(what, ours, int((values > limit).sum()))


def distance(model, location, scale, bulk, unit):
    """Kolmogorov and Smirnov's distance of the bulk to the model with these parameters, cut off where the bulk ends; compared at
    the edges between units."""
    import numpy as np
    from scipy import stats
    fitted = stats.lognorm(scale, scale=np.exp(location)) if model == "lognormal" else stats.expon(location, scale)
    steps, counts = np.unique(np.round(bulk / unit), return_counts=True)
    end = (steps[-1] + 0.5) * unit

    def cut(value):
        return np.minimum(fitted.cdf(value) / fitted.cdf(end), 1)

    up_to = np.cumsum(counts) / len(bulk)
    before = np.concatenate([[0], up_to[:-1]])
    return float(max(np.abs(cut((steps + 0.5) * unit) - up_to).max(), np.abs(cut((steps - 0.5) * unit) - before).max()))


def largest_likelihood(model, bulk, unit, limit):
    """(location, scale) of the model that is cut off at the limit, by SciPy's minimisers; None where the likelihood has no maximum
    with nine tenths of an exponential below the limit."""
    import numpy as np
    from scipy import optimize, stats
    if model == "lognormal":
        logarithms, edge = np.log(bulk), np.log(limit)
        found = optimize.minimize(
            lambda at: -np.mean(stats.norm.logpdf(logarithms, at[0], np.exp(at[1])))
            + stats.norm.logcdf(edge, at[0], np.exp(at[1])),
            [logarithms.mean(), np.log(logarithms.std())], method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000})
        return (found.x[0], float(np.exp(found.x[1]))) if found.success else None

    def scale_of(cost, length):
        best = optimize.minimize_scalar(cost, bounds=(np.log(length * 1e-6), np.log(length * 1e3)), method="bounded",
                                        options={"xatol": 1e-12})
        scale = float(np.exp(best.x))
        return None if scale > length / np.log(10) * 0.999 else scale

    if model == "exponential":
        scale = scale_of(lambda at: at + np.log(-np.expm1(-limit / np.exp(at))) + bulk.mean() / np.exp(at), limit)
        return None if scale is None else (0.0, scale)
    # The rate from the units behind the first, the location from the share of the first.
    steps = np.round(bulk / unit)
    edge = (steps.min() + 0.5) * unit
    behind = steps[steps > steps.min()] - steps.min() - 1
    if len(behind) == 0 or behind.mean() == 0:
        return None
    units = (limit - edge) / unit

    def cost(at):
        rate = unit / np.exp(at)
        return -np.log(-np.expm1(-rate)) + rate * behind.mean() + np.log(-np.expm1(-units * rate))

    scale = scale_of(cost, limit - edge)
    if scale is None:
        return None
    share = 1 - len(behind) / len(bulk)

    def excess(location):
        return np.expm1((location - edge) / scale) / np.expm1((location - limit) / scale) - share

    if excess(edge - unit) <= 0:
        return edge - unit, scale
    return float(optimize.brentq(excess, edge - unit, edge, xtol=1e-12)), scale


def check_parameters(check, what, model, row, bulk, unit):
    """Location and scale of a fit beside those of the largest likelihood."""
    import numpy as np
    limit = (np.round(bulk / unit).max() + 0.5) * unit
    found = largest_likelihood(model, bulk, unit, float(limit))
    if found is None:
        return
    location, scale = found
    check.close(f"{what}, fit: scale of {model}", row[f"{model}_scale"] / scale, 1.0, 2e-4)
    check.compared += 1
    away = 2e-4 * scale if model == "lognormal" else 1e-3 * unit + 2e-4 * scale
    if not abs(row[f"{model}_location"] - location) <= away:
        check.fail(f"{what}, fit: location of {model}", row[f"{model}_location"], location)


def check_fit(check, what, row, positive):
    """The bulk, each model's parameters and distance, and how many values lie behind it; where the clock did not move there is nothing."""
    import numpy as np
    if row["bulk_up_to_ns"] is None:
        return
    unit = row["unit_ns"]
    steps = np.round(positive / unit)
    last = np.round(of_rank(positive, 0.99) / unit)
    check.close(f"{what}, fit: end of the bulk", row["bulk_up_to_ns"], float(last * unit), 1e-6)
    bulk = positive[steps <= last]
    check.compared += 1
    if row["tail_values"] + row["stalls"] != len(positive) - len(bulk):
        check.fail(f"{what}, fit: behind the bulk", row["tail_values"] + row["stalls"], len(positive) - len(bulk))
    check_count(check, f"{what}, fit: stalls", row["stalls"], positive, row["stalls_above_ns"])
    for model in ("exponential", "shifted_exponential", "lognormal"):
        ours = row[f"{model}_distance"]
        if ours is None:
            continue
        check_parameters(check, what, model, row, bulk, unit)
        check.close(f"{what}, fit: {model}", ours,
                    distance(model, row[f"{model}_location"], row[f"{model}_scale"], bulk, unit), 1e-6)
        bound = min(1.0, 2 * np.exp(-2 * len(bulk) * ours * ours))
        check.compared += 1
        if bound < 0.01 and row[f"{model}_p"] >= 0.01:
            check.fail(f"{what}, fit: p of {model}", row[f"{model}_p"], bound)


def check_cell(check, run, rows, what, sample):
    import numpy as np
    from scipy import stats
    order = np.argsort(sample.mean(axis=1), kind="stable")
    values = sample[order[(len(order) - 1) // 2]]
    mean, deviation, median = values.mean(), values.std(ddof=1), np.median(values)
    check_row(check, what + ", sigma", rows["sigma"],
              {"mean_ns": mean, "median_ns": median, "deviation_ns": deviation, "min_ns": values.min(), "max_ns": values.max()})
    mad = stats.median_abs_deviation(values)
    spread = max(1.4826 * mad, run["evidence"]["clock"]["quantum_ns"])
    check_row(check, what + ", robust", rows["robust"], {"median_ns": median, "mad_ns": mad, "spread_ns": spread})
    for factor in SIGMAS:
        check_count(check, f"{what}, sigma: beyond {factor}", rows["sigma"][f"beyond_{factor}"], values, mean + factor * deviation)
        check_count(check, f"{what}, robust: beyond {factor}", rows["robust"][f"beyond_{factor}"], values, median + factor * spread)
    check_row(check, what + ", absolute", rows["absolute"],
              {"p99_ns": of_rank(values, 0.99), "p999_ns": of_rank(values, 0.999), "p9999_ns": of_rank(values, 0.9999),
               "max_ns": values.max()})
    for column, limit in LIMITS.items():
        check_count(check, f"{what}, absolute: {column}", rows["absolute"][column], values, limit)
    medians, largest = np.median(sample, axis=1), sample.max(axis=1)
    check_row(check, what + ", rounds", rows["rounds"],
              {"median_of_medians_ns": np.median(medians), "least_max_ns": largest.min(), "middle_max_ns": np.median(largest),
               "largest_max_ns": largest.max(),
               "mad_percent": 100 * stats.median_abs_deviation(medians) / np.median(medians)})
    check_fit(check, what, rows["fit"], values[values > 0])


def check_hash(check, folder):
    run = json.loads((folder / "hash.json").read_text())
    rounds = run["parameters"]["rounds"]
    key = ("clock", "policy", "load")
    tables = {name: {tuple(row[one] for one in key): row for row in table(run, name) if row.get("source") != "article"}
              for name in ("sigma", "robust", "absolute", "rounds", "fit")}
    for cell, row in tables["sigma"].items():
        if row["mean_ns"] is None:  # the machine forbids it; the reason is in the artefact
            continue
        sample = read(folder / "hash" / ("_".join(cell) + ".f32"), rounds)
        check_cell(check, run, {name: rows[cell] for name, rows in tables.items()}, " ".join(cell), sample)


# ---------------------------------------------------------------------------------------------------------------- main


def compare(options):
    check = Check()
    if self_test():
        return 1
    with tempfile.TemporaryDirectory() as made:
        folder = Path(options.samples or made)
        if not options.samples:
            make_runs(options.program, folder)
        check_clocks(check, folder)
        clocks = check.compared
        check_hash(check, folder)
    if check.failures:
        print(f"oracle: {check.failures} of {check.compared} figures of the lab's tables differ")
        return 1
    print(f"oracle: {clocks} figures of lab clocks and {check.compared - clocks} of lab hash equal to SciPy's from the raw samples")
    return 0


def self_test():
    """Samples of known parameters: the largest likelihood finds them again."""
    import numpy as np
    rng = np.random.default_rng(1)
    failures = 0
    for model, values, expected in (
            ("exponential", rng.exponential(30, 200_000), (0, 30)),
            ("shifted_exponential", 600.2 + rng.exponential(30, 200_000), (600.2, 30)),
            ("lognormal", rng.lognormal(6, 0.1, 200_000), (6, 0.1))):
        steps = np.maximum(np.round(values), 1)
        bulk = steps[steps <= np.quantile(steps, 0.99)]
        location, scale = largest_likelihood(model, bulk, 1.0, bulk.max() + 0.5)
        if not (abs(scale / expected[1] - 1) < 0.02 and abs(location - expected[0]) < 0.02 * expected[1] + 0.05):
            print(f"{model}: {location}, {scale}; drawn from {expected}")
            failures += 1
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "dojima"))
    parser.add_argument("--samples", help="a folder of recorded runs")
    parser.add_argument("--require", action="store_true", help="missing packages are a failure")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return compare(options)
    if not options.samples and not os.access(options.program, os.X_OK):
        print(f"oracle: {options.program} is not built: ./dev build dojima", file=sys.stderr)
        return 3
    python, reason = environment()
    if python is None:
        print(f"skipped: pip cannot install {', '.join(PACKAGES)}: {reason}")
        return 3 if options.require else 0
    return subprocess.run([str(python), __file__, "--inside", *sys.argv[1:]]).returncode


if __name__ == "__main__":
    sys.exit(main())
