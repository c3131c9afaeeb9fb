#!/usr/bin/env python3
"""The regression of "Hybrid Containers for C++": for each container by itself, ns = a + b * misses over the number of objects.

The article keeps N objects in its scheduler, fires 600 rounds of all of them, counts cache misses, and fits one line for each
container through its rows. This does the same for its options 1 to 3 and for the run wheel: misses are simulated by
callgrind for a stated cache (`dojima-sched-hold ... --simulated`, a build without AVX-512, which valgrind does not know),
times are those of a native build (`--timed`) in rounds that take the containers in turn. Both come from one run of this tool, or from
files that --misses and --times name: one that is not there is measured and written, one that is there is read. What
cannot be had here is said and left out, never estimated.

    tools/cost_model.py --simulated build/release --native build/native --most 10000000 --json cost.json

The model is said to hold where the line explains four fifths of what the times differ by (R squared) and its slope is above 0.
Up to ten million objects a whole run takes some ten minutes, most of it the timing; --most 1000000 is done in two or three.
"""

import argparse
import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import artefact

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTAINERS = {"option_1": "option 1, external nodes", "option_2": "option 2, intrusive", "option_3": "option 3, hybrid",
              "run_wheel": "run wheel"}
# a, b in ns, misses of an event at 1,000,000 objects, cycles a miss; what the article says, and of options 1 and 3 only.
ARTICLE = {"option_1": (60, 54, 2.9, 226), "option_3": (73, 40, 2.2, "")}
SIZES = (1_000, 10_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
ROUNDS_OF_ARTICLE = 600
LEAST_R_SQUARED = 0.8
SETTLED_MAD_PERCENT = 2.0
LEAST_ROUNDS = 5


# ------------------------------------------------------------------------------------------------------- measuring


def misses_of(program, container, n, options):
    """One event's instructions, first-level and last-level data misses, simulated."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--instr-atstart=no", f"--D1={options.d1}", f"--LL={options.ll}",
             f"--callgrind-out-file={out}", str(program), container, str(n), str(options.events), "--simulated"],
            check=False, capture_output=True, text=True)
        counted = re.match(r"(\d+) events counted", done.stdout)
        if done.returncode != 0 or counted is None:
            raise RuntimeError((done.stderr.strip().splitlines() or ["callgrind failed"])[-1])
        text = out.read_text()
    names = re.search(r"^events: (.*)$", text, re.MULTILINE).group(1).split()
    totals = re.search(r"^totals: (.*)$", text, re.MULTILINE).group(1).split()
    values = dict(zip(names, map(int, totals + ["0"] * (len(names) - len(totals)))))
    events = int(counted.group(1))
    return [values["Ir"] / events, (values["D1mr"] + values["D1mw"]) / events, (values["DLmr"] + values["DLmw"]) / events]


def simulate(options, sizes):
    program = options.simulated / "bin" / "dojima-sched-hold"
    if not program.exists():
        sys.exit(f"unavailable: no {program}; build the target dojima-sched-hold")
    if shutil.which("valgrind") is None:
        sys.exit("unavailable: no valgrind; on Debian: apt-get install valgrind")
    rows = []
    for n in sizes:
        for container in CONTAINERS:
            rows.append([container, n, *misses_of(program, container, n, options)])
            print(f"simulated {container:10} {n:>10,}  {rows[-1][4]:.3f} misses an event", file=sys.stderr, flush=True)
    version = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return {"d1": options.d1, "ll": options.ll, "events": options.events, "valgrind": version, "rows": rows}


def time_once(program, container, n):
    events = min(max(2 * n, 2_000_000), 4_000_000)
    done = subprocess.run([str(program), container, str(n), str(events), "--timed"], check=True, capture_output=True, text=True)
    return float(re.match(r"([\d.]+) ns an event", done.stdout).group(1))


def measure(options, sizes):
    """Rounds over all containers in turn, each time in another order; every size by itself."""
    program = options.native / "bin" / "dojima-sched-hold"
    if not program.exists():
        sys.exit(f"unavailable: no {program}; build the target dojima-sched-hold")
    rows = []
    for n in sizes:
        times = {container: [] for container in CONTAINERS}
        for turn in range(options.rounds):
            order = list(CONTAINERS)
            order = order[turn % len(order):] + order[:turn % len(order)]
            for container in order:
                times[container].append(time_once(program, container, n))
        rows += [[container, n, times[container]] for container in CONTAINERS]
        print(f"timed {n:>10,}  " + "  ".join(f"{statistics.median(times[one]):.1f}" for one in CONTAINERS), file=sys.stderr,
              flush=True)
    return {"rounds": options.rounds, "rows": rows}


def kept(path, make):
    """What is in the file, or is made now and kept there."""
    if path is not None and path.exists():
        return json.loads(path.read_text())
    made = make()
    if path is not None:
        path.write_text(json.dumps(made))
    return made


# ------------------------------------------------------------------------------------------------------- the model


def line_through(points):
    """Least squares of y = a + b x: a, b, R squared. Points that differ in nothing: b and R squared are 0."""
    count = len(points)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    base = mean_y - slope * mean_x
    whole = sum((y - mean_y) ** 2 for _, y in points)
    left = sum((y - base - slope * x) ** 2 for x, y in points)
    return base, slope, (1 - left / whole if whole else 0.0)


def holds(slope, r_squared):
    return slope > 0 and r_squared >= LEAST_R_SQUARED


def mad_percent(times):
    middle = statistics.median(times)
    return 100 * statistics.median(abs(one - middle) for one in times) / middle


def joined_rows(misses, times):
    """{container: [(n, instructions, d1, ll, median ns, mad %, has converged)]} of the sizes that both have."""
    timed = {(container, n): values for container, n, values in times["rows"]}
    result = {container: [] for container in CONTAINERS}
    for container, n, instructions, first, last in misses["rows"]:
        values = timed.get((container, n))
        if values is None:
            continue
        spread = mad_percent(values)
        settled = len(values) >= LEAST_ROUNDS and spread <= SETTLED_MAD_PERCENT
        result[container].append((n, instructions, first, last, statistics.median(values), spread, settled))
    return result


def run_table(rows, ghz, level):
    """The article's table: one row for each container and number of objects."""
    out = []
    for container, name in CONTAINERS.items():
        slope = line_through([(row[3], row[4]) for row in rows[container]])[1]
        for n, instructions, first, last, ns, spread, settled in rows[container]:
            events = ROUNDS_OF_ARTICLE * n
            out.append([name, n, artefact.number(ns * events / 1e9, 2), artefact.number(last * events, 0),
                        artefact.number(last, 3), artefact.number(ns, 2), artefact.number(slope * ghz, 0),
                        artefact.number(instructions, 1), artefact.number(first, 3), artefact.number(spread, 1), settled])
    return artefact.table(
        "cost", "the article's table: 600 rounds of every object, misses simulated", {
            "container": "", "objects": "kept in the scheduler at all times", "seconds_of_600": "time of 600 rounds, from ns_per_event",
            "misses_of_run": f"of 600 rounds, of {level}", "misses_per_event": f"of {level}",
            "ns_per_event": "fired and scheduled again; median over the rounds",
            "cycles_a_miss": "the slope of this container's line, in cycles of the counter", "instructions": "an event",
            "d1_misses": "an event", "mad_percent": "of ns_per_event", "converged": "five rounds that agree within 2 %"}, out)


def fit_table(rows, ghz):
    """One line for each container, and how misses grow with the logarithm of the number of objects from 100,000 on."""
    out = []
    for container, name in CONTAINERS.items():
        own = rows[container]
        base, slope, r_squared = line_through([(row[3], row[4]) for row in own])
        large = [(math.log10(row[0]), row[3]) for row in own if row[0] >= 100_000]
        growth, growth_r = (line_through(large)[1:] if len(large) >= 3 else (None, None))
        a, b, at_million, cycles = ARTICLE.get(container, ("", "", "", ""))
        ours = next((row[3] for row in own if row[0] == 1_000_000), None)
        out.append([name, len(own), artefact.number(base, 1), artefact.number(slope, 1), artefact.number(r_squared, 3),
                    artefact.number(slope * ghz, 0), holds(slope, r_squared),
                    "" if growth is None else artefact.number(growth, 2), "" if growth_r is None else artefact.number(growth_r, 3),
                    "" if ours is None else artefact.number(ours, 2), a, b, at_million, cycles])
    return artefact.table(
        "model", "ns = a + b * misses, a line for each container over the number of objects", {
            "container": "", "points": "numbers of objects", "a": "ns", "b": "ns a miss", "r_squared": "",
            "cycles_a_miss": "b in cycles of the counter", "holds": f"R squared at least {LEAST_R_SQUARED}, b above 0",
            "misses_a_decade": "how many more for ten times the objects, from 100,000 on", "misses_a_decade_r_squared": "",
            "misses_at_million": "an event, at 1,000,000 objects", "article_a": "", "article_b": "",
            "article_misses_at_million": "", "article_cycles_a_miss": ""}, out)


def conclusion(model):
    """What the fits say, in words; nothing that is not computed."""
    said = []
    for row in model["rows"]:
        line = (f"{row['container']}: ns = {row['a']} + {row['b']} m, R squared {row['r_squared']}"
                + (f" (the article: {row['article_a']} + {row['article_b']} m)" if row["article_b"] != "" else ""))
        said.append(line + (": the model holds" if row["holds"] else ": no such line"))
    return said


def charts_of(rows):
    axis = ("objects", "", True)
    misses = {CONTAINERS[one]: [(row[0], artefact.number(row[3], 3)) for row in rows[one]] for one in CONTAINERS}
    times = {CONTAINERS[one]: [(row[0], artefact.number(row[4], 2)) for row in rows[one]] for one in CONTAINERS}
    return [artefact.chart("misses", "Misses grow with the logarithm of the objects.", "Simulated misses of an event.", "lines",
                           (axis, ("misses of an event", "", False)), misses),
            artefact.chart("times", "What an event costs.", "Fired and scheduled again, over the number of objects.", "lines",
                           (axis, ("time of an event", "ns", False)), times)]


def counter_ghz():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("cpu MHz"):
            return float(line.split(":")[1]) / 1000
    return 1.0


# ------------------------------------------------------------------------------------------------------- the page


def shown(value, mark=""):
    return mark + (f"{value:,}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value))


def page_tables(cost, model, short):
    """{name: Markdown} of what the page has between its markers; figures that have not settled carry their mark."""
    reference = f"[m:{short}](measurements/{short}.json)"
    lines = [f"| container {reference} | objects | 600 rounds, s | misses of the run | misses an event | ns an event | cycles a miss |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for row in cost["rows"]:
        mark = "" if row["converged"] else "~"
        lines.append(f"| {row['container']} | {row['objects']:,} | {shown(row['seconds_of_600'])} | {row['misses_of_run']:,} | "
                     f"{shown(row['misses_per_event'])} | {shown(row['ns_per_event'], mark)} | {shown(row['cycles_a_miss'])} |")
    fits = [f"| container {reference} | a, ns | b, ns a miss | R² | cycles a miss | the model holds | the article | misses a decade | at 1,000,000 | the article |",
            "|---|---:|---:|---:|---:|---|---|---:|---:|---:|"]
    for row in model["rows"]:
        article = f"{row['article_a']} + {row['article_b']} m" if row["article_b"] != "" else ""
        fits.append(f"| {row['container']} | {shown(row['a'])} | {shown(row['b'])} | {shown(row['r_squared'])} | {shown(row['cycles_a_miss'])} | "
                    f"{'yes' if row['holds'] else 'no'} | {article} | {shown(row['misses_a_decade'])} | {shown(row['misses_at_million'])} | "
                    f"{row['article_misses_at_million']} |")
    held = [row["container"] for row in model["rows"] if row["holds"]]
    failed = [row["container"] for row in model["rows"] if not row["holds"]]
    said = []
    if held:
        said.append(f"The article's line, time over misses as the objects grow, holds for {', '.join(held)}.")
    if failed:
        said.append(f"There is no such line for {', '.join(failed)}: misses come and the time does not follow them.")
    return {"cost": "\n".join(lines), "model": "\n".join(fits), "conclusion": " ".join(said)}


def write_page(path, tables):
    def fill(match):
        return f"<!-- table: {match[1]} -->\n\n{tables[match[1]]}\n\n<!-- end -->" if match[1] in tables else match[0]

    path.write_text(re.sub(r"<!-- table: (\w+) -->.*?<!-- end -->", fill, path.read_text(), flags=re.DOTALL))


# ------------------------------------------------------------------------------------------------------- self-test


def self_test():
    """A container that costs 60 + 54 m, one whose misses are hidden: the first has the model, the second has none."""
    found = []
    rows = {container: [] for container in CONTAINERS}
    misses = {1_000: 0.01, 10_000: 0.02, 100_000: 1.0, 1_000_000: 2.9, 10_000_000: 4.1}
    for n, value in misses.items():
        rows["option_1"].append((n, 220.0, 4.0, value, 60 + 54 * value, 0.5, True))
        rows["option_2"].append((n, 220.0, 4.0, value, 30.0 if n != 100_000 else 55.0, 0.5, True))
        rows["option_3"].append((n, 220.0, 4.0, value, 73 + 40 * value, 9.0, False))
        rows["run_wheel"].append((n, 220.0, 4.0, value, 17.0 - value, 0.5, True))
    model = fit_table(rows, 4.2)
    by = {row["container"]: row for row in model["rows"]}
    for name, a, b, cycles, verdict in (("option 1, external nodes", 60, 54, 227, True), ("option 3, hybrid", 73, 40, 168, True)):
        row = by[name]
        if (row["a"], row["b"], row["cycles_a_miss"], row["holds"]) != (a, b, cycles, verdict):
            found.append(f"{name}: {row}")
    for name in ("option 2, intrusive", "run wheel"):
        if by[name]["holds"]:
            found.append(f"{name}: a line where there is none: {by[name]}")
    table = run_table(rows, 4.2, "1 MiB")
    row = next(one for one in table["rows"] if one["container"].startswith("option 1") and one["objects"] == 1_000_000)
    if abs(row["seconds_of_600"] - 129.96) > 0.01 or row["misses_of_run"] != 1_740_000_000:
        found.append(f"the article's columns: {row}")
    if all(one["converged"] for one in table["rows"]):
        found.append("a noisy time counts as converged")
    one_line = line_through([(row[3], row[4]) for container in CONTAINERS for row in rows[container]])
    if holds(*one_line[1:]):
        found.append(f"one line through all containers: {one_line}")
    if joined_rows({"rows": [["option_1", 1_000, 1, 1, 1]]}, {"rows": [["option_1", 1_000, [2.0] * 4]]})["option_1"][0][6]:
        found.append("four rounds count as converged")
    print("\n".join(found) if found else "the article's regression comes out, and only where it is")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulated", default=ROOT / "build/release", type=pathlib.Path, help="the build for callgrind")
    parser.add_argument("--native", default=ROOT / "build/native", type=pathlib.Path, help="the build that is timed")
    parser.add_argument("--most", default=10_000_000, type=int, help="the largest number of objects")
    parser.add_argument("--events", default=300_000, type=int, help="simulated for each row")
    parser.add_argument("--rounds", default=7, type=int, help="timed for each row")
    parser.add_argument("--d1", default="49152,12,64", help="first level: bytes, ways, line")
    parser.add_argument("--ll", default="1048576,16,64", help="last level: bytes, ways, line; by default what a core has for itself")
    parser.add_argument("--misses", type=pathlib.Path, metavar="FILE", help="simulated counts: read, or measured and written")
    parser.add_argument("--times", type=pathlib.Path, metavar="FILE", help="times: read, or measured and written")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    parser.add_argument("--page", type=pathlib.Path, metavar="FILE", help="with --json: fill the tables of this page, quoting the artefact")
    parser.add_argument("--self-test", action="store_true", help="show that the article's figures come out of the article's rows")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    sizes = [n for n in SIZES if n <= options.most]
    if len(sizes) < 3:
        parser.error(f"--most {options.most}: a line needs three sizes, so at least {SIZES[2]}")

    misses = kept(options.misses, lambda: simulate(options, sizes))
    times = kept(options.times, lambda: measure(options, sizes))
    rows = joined_rows(misses, times)
    if min(map(len, rows.values())) < 3:
        sys.exit("counts and times have fewer than three sizes in common")
    level = f"a cache of {int(misses['ll'].split(',')[0]) // 1024:,} KiB behind a first level of {int(misses['d1'].split(',')[0]) // 1024} KiB"
    ghz = counter_ghz()
    cost, model = run_table(rows, ghz, level), fit_table(rows, ghz)
    model["notes"] = [*conclusion(model), f"misses: simulated for {level}"]
    print(artefact.to_text(cost))
    print(artefact.to_text(model))
    if options.json:
        parameters = {"d1": misses["d1"], "ll": misses["ll"], "events": misses["events"], "rounds": times["rounds"],
                      "sizes": [row[0] for row in rows["option_1"]], "ghz": artefact.number(ghz, 3)}
        text = artefact.artefact(ROOT, "tools/cost_model.py", parameters, [cost, model], [], misses["valgrind"], charts_of(rows))
        pathlib.Path(options.json).write_text(text)
        if options.page:
            write_page(options.page, page_tables(cost, model, json.loads(text)["id"][:8]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
