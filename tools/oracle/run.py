#!/usr/bin/env python3
"""Holds the lab's histogram and statistics against HdrHistogram and SciPy from PyPI.

    python3 tools/oracle/run.py [--program build/release/bin/dojima-oracle] [--count 10000000] [--require]

The packages go into a virtual environment of their own, build/oracle; where they cannot be had the run says
"skipped: ..." and succeeds, unless --require asks for them. Exit status: 0 agreement or skipped, 1 a difference,
3 the program is not built, or --require and no packages.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["hdrhistogram==0.10.8", "scipy>=1.11"]
VENV = ROOT / "build" / "oracle"


def environment():
    """The Python of build/oracle with the packages, or why there is none."""
    python = VENV / "bin" / "python3"
    ready = VENV / "ready"
    wanted = "\n".join(PACKAGES)
    if ready.exists() and ready.read_text() == wanted:
        return python, None
    try:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True, capture_output=True, text=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15", *PACKAGES],
                       check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or error.stdout or "no message").strip().splitlines()
        return None, lines[-1] if lines else "no message"
    ready.write_text(wanted)
    return python, None


class Check:
    """Counts what was compared and says what differed."""

    def __init__(self):
        self.compared = 0
        self.failures = 0

    def equal(self, what, ours, theirs):
        self.compared += 1
        if ours != theirs:
            self.fail(what, ours, theirs)

    def close(self, what, ours, theirs, tolerance):
        self.compared += 1
        if not abs(ours - theirs) <= tolerance * max(1.0, abs(theirs)):
            self.fail(what, ours, theirs)

    def fail(self, what, ours, theirs):
        self.failures += 1
        if self.failures <= 20:
            print(f"DIFFERS  {what}: ours {str(ours)[:300]}, theirs {str(theirs)[:300]}")


# ----------------------------------------------------------------------------------------------------------- histogram


def values_of(count, shape, seed):
    """The values of class Values in oracle.cpp."""
    import numpy as np
    u = np.uint64
    with np.errstate(over="ignore"):
        state = u(seed) + np.arange(1, count + 1, dtype=np.uint64) * u(0x9e3779b97f4a7c15)
        mixed = (state ^ (state >> u(30))) * u(0xbf58476d1ce4e5b9)
        mixed = (mixed ^ (mixed >> u(27))) * u(0x94d049bb133111eb)
        bits = mixed ^ (mixed >> u(31))
    if shape == "wide":
        return (bits >> u(22)) >> ((bits & u(0x3f)) % u(42))
    low = bits & u(0xffff)
    ones = np.zeros(count, dtype=np.uint64)
    going = np.ones(count, dtype=bool)
    for bit in range(16):
        going &= ((low >> u(bit)) & u(1)).astype(bool)
        ones += going.astype(np.uint64)
    return u(200) + (((bits >> u(32)) & u(0x3ff)) << ones) + ((bits >> u(16)) & u(0xff))


def recorded(values, figures):
    import numpy as np
    from hdrh.histogram import HdrHistogram
    histogram = HdrHistogram(1, 2**42 - 1, figures)
    distinct, times = np.unique(values, return_counts=True)
    for value, count in zip(distinct.tolist(), times.tolist()):
        assert histogram.record_value(value, count)
    return histogram


def sparse(histogram):
    return [[index, count] for index, count in enumerate(histogram.counts) if count]


def corrected(values, figures):
    """HdrHistogram's rule in Java and C, one value after the other; the Python package adds one value more."""
    from hdrh.histogram import HdrHistogram
    histogram = HdrHistogram(1, 2**42 - 1, figures)
    for value in values.tolist():
        interval = value // 50 + 1
        histogram.record_value(value)
        missing = value - interval
        while missing >= interval:
            histogram.record_value(missing)
            missing -= interval
    return histogram


def levels_of_java():
    """Java and C cut the number of halvings to a whole one, which the Python package does not."""
    import math
    from hdrh.iterators import PercentileIterator

    def increment(self):
        self.percentile_to_iterate_from = self.percentile_to_iterate_to
        gap = 100.0 - self.percentile_to_iterate_to
        if gap:
            half = math.pow(2, int(math.log(100 / gap) / math.log(2)) + 1)
            self.percentile_to_iterate_to += 100.0 / (self.percentile_ticks_per_half_distance * half)

    PercentileIterator.increment_iteration_level = increment


def check_histogram(check, program, figures, count, shape):
    from io import BytesIO
    from hdrh.log import HistogramLogReader, HistogramLogWriter
    name = f"{figures} figures, {count} {shape} values"
    with tempfile.TemporaryDirectory() as folder:
        ours = json.loads(subprocess.run([program, "histogram", str(figures), str(count), shape, "7", folder], check=True,
                                         capture_output=True, text=True).stdout)
        values = values_of(count, shape, 7)
        theirs = recorded(values, figures)
        check.equal(name + ": counters", ours["counters"], theirs.counts_len)
        check.equal(name + ": counts", ours["counts"], sparse(theirs))
        check.equal(name + ": count", ours["count"], theirs.get_total_count())
        check.equal(name + ": min", ours["min"], int(values.min()))
        check.equal(name + ": max", ours["max"], int(values.max()))
        check.close(name + ": mean", ours["mean"], theirs.get_mean_value(), 1e-12)
        check.close(name + ": deviation", ours["standard_deviation"], theirs.get_stddev(), 1e-9)
        for percent, value in ours["percentiles"]:
            check.equal(f"{name}: {percent} %", value, theirs.get_value_at_percentile(percent))
        theirs_corrected = corrected(values[:1000], figures)
        check.equal(name + ": corrected counts", ours["corrected"], sparse(theirs_corrected))

        # The percentile table: their own text, line by line; Java and C write the total as a whole number.
        stream = BytesIO()
        theirs.output_percentile_distribution(stream, 1.0)
        lines = (Path(folder) / "ours.hgrm").read_text().splitlines()
        expected = stream.getvalue().decode().splitlines()
        check.equal(name + ": lines of the .hgrm", len(lines), len(expected))
        for line, other in zip(lines, expected):
            if not line.startswith("#[Max"):
                check.equal(name + ": .hgrm", line, other)

        # Our log, read by theirs.
        reader = HistogramLogReader(str(Path(folder) / "ours.hlog"), theirs)
        for tag, expected_histogram, start in ((None, theirs, 0.5), ("corrected", theirs_corrected, 1.75)):
            interval = reader.get_next_interval_histogram()
            if interval is None:
                check.fail(name + ": our log", "unreadable", "an interval")
                continue
            check.equal(name + ": .hlog counts", sparse(interval), sparse(expected_histogram))
            check.equal(name + ": .hlog tag", interval.get_tag(), tag)
            check.equal(name + ": .hlog start", interval.get_start_time_stamp(), (1_700_000_000 + start) * 1000)
        reader.close()

        # Their log, read by us.
        path = Path(folder) / "theirs.hlog"
        with path.open("w", encoding="utf-8") as file:
            writer = HistogramLogWriter(file)
            writer.output_log_format_version()
            writer.output_base_time(1_700_000_000_000)
            writer.output_legend()
            for histogram in (theirs, theirs_corrected):
                writer.output_interval_histogram(histogram, 2, 5)
        intervals = json.loads(subprocess.run([program, "read", str(path)], check=True, capture_output=True,
                                              text=True).stdout)
        check.equal(name + ": intervals read", len(intervals), 2)
        for interval, histogram in zip(intervals, (theirs, theirs_corrected)):
            check.equal(name + ": counts read", interval["counts"], sparse(histogram))
            check.equal(name + ": figures read", interval["figures"], figures)
            check.equal(name + ": time read", [interval["start_s"], interval["length_s"]], [2, 3])


# ---------------------------------------------------------------------------------------------------------- statistics


def check_statistics(check, program):
    import numpy as np
    from scipy import stats
    answer = json.loads(subprocess.run([program, "statistics", "20261121"], check=True, capture_output=True,
                                       text=True).stdout)
    for case in answer["cases"]:
        a = np.array(case["a"])
        b = np.array(case["b"])
        count = len(a)
        name = f"{count} runs{', with ties' if case['has_ties'] else ''}"
        check.close(name + ": median", case["median"], float(np.median(a)), 1e-14)
        check.close(name + ": MAD", case["mad"], float(stats.median_abs_deviation(a)), 1e-12)
        check.close(name + ": p10", case["p10"], float(np.quantile(a, 0.1)), 1e-13)

        differences = b - a
        nonzero = differences[differences != 0]
        has_ties = len(np.unique(np.abs(nonzero))) != len(nonzero)
        if count > 60:
            theirs = stats.wilcoxon(differences, method="asymptotic", correction=False)
        elif not has_ties:
            theirs = stats.wilcoxon(differences, method="exact")
        elif len(nonzero) <= 13:  # every pattern of signs, so exact with ties as well
            theirs = stats.wilcoxon(differences, method=stats.PermutationMethod(n_resamples=10**6))
        else:
            theirs = None  # SciPy has nothing exact here; the approximation must be near
            near = stats.wilcoxon(differences, method="asymptotic", correction=False)
            check.equal(name + ": Wilcoxon's statistic", case["wilcoxon"][0], float(near.statistic))
            check.close(name + ": Wilcoxon's p", case["wilcoxon"][1], float(near.pvalue), 0.01)
        if theirs is not None:
            check.equal(name + ": Wilcoxon's statistic", case["wilcoxon"][0], float(theirs.statistic))
            check.close(name + ": Wilcoxon's p", case["wilcoxon"][1], float(theirs.pvalue), 1e-11)

        is_exact = len(np.unique(np.concatenate([a, b]))) == 2 * count and count <= 40
        theirs = stats.mannwhitneyu(b, a, method="exact" if is_exact else "asymptotic")
        check.equal(name + ": U", case["mann_whitney"][0], float(theirs.statistic))
        check.close(name + ": p of U", case["mann_whitney"][1], float(theirs.pvalue), 1e-11)

        # Resampling is random on both sides: the ends agree to a fraction of the interval.
        rng = np.random.default_rng(1)
        theirs = stats.bootstrap((a,), np.median, confidence_level=0.95, method="percentile", n_resamples=50_000, rng=rng,
                                 batch=5_000).confidence_interval
        check_interval(check, name + ": interval of the median", case["median_interval"], theirs)

        def ratio(x, y, axis):
            return np.median(x, axis=axis) / np.median(y, axis=axis)

        theirs = stats.bootstrap((b, a), ratio, confidence_level=0.95, method="percentile", n_resamples=50_000,
                                 paired=False, vectorized=True, rng=rng, batch=5_000).confidence_interval
        check_interval(check, name + ": interval of the ratio", case["ratio_interval"], theirs)
    for count, share, confidence, low, high in answer["ranks"]:
        tail = (1 - confidence) / 2
        expected = [int(stats.binom.ppf(tail, count, share)), int(stats.binom.ppf(1 - tail, count, share)) + 1]
        check.equal(f"ranks of {share} of {count} at {confidence}", [low, high], expected)


def check_interval(check, name, ours, theirs):
    width = theirs.high - theirs.low
    for end, other in zip(ours, (theirs.low, theirs.high)):
        check.compared += 1
        if abs(end - other) > 0.1 * width:
            check.fail(name, ours, (theirs.low, theirs.high))


# ---------------------------------------------------------------------------------------------------------------- main


def compare(options):
    levels_of_java()
    check = Check()
    for figures in (2, 3):
        check_histogram(check, options.program, figures, options.count, "dense")
        check_histogram(check, options.program, figures, max(options.count // 20, 1), "wide")
    histograms = check.compared
    check_statistics(check, options.program)
    if check.failures:
        print(f"oracle: {check.failures} of {check.compared} answers differ")
        return 1
    print(f"oracle: {histograms} answers on {options.count} values equal to HdrHistogram's, "
          f"{check.compared - histograms} statistics to SciPy's")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "dojima-oracle"))
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--require", action="store_true", help="missing packages are a failure")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return compare(options)
    if not os.access(options.program, os.X_OK):
        print(f"oracle: {options.program} is not built: ./dev build dojima-oracle", file=sys.stderr)
        return 3
    python, reason = environment()
    if python is None:
        print(f"skipped: pip cannot install {', '.join(PACKAGES)}: {reason}")
        return 3 if options.require else 0
    arguments = [str(python), __file__, "--inside", "--program", options.program, "--count", str(options.count)]
    return subprocess.run(arguments, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
