#!/usr/bin/env python3
"""What a command costs a partition and a venue, in instructions: all of them and by what they are for, counted by valgrind.

    bench/venue/partition_costs.py --build build/release [--json costs.json] [--functions]

Runs dojima-partition-costs for each way of doing the commands, once for few and once for many of them, and divides the
difference. A function counts for the first group whose pattern its name has; what is inlined counts for the function that it
is inlined into. --functions prints the dearest functions of each way too. Exit status: 0; 1 when a goal is missed; 3 when
valgrind is missing. Standard library only.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import artefact  # noqa: E402

FEW, MANY = 20_000, 50_000
WAYS = ("book", "replay", "submit", "limited", "fed", "front")
# The driver itself is left out.
DRIVER = re.compile(r"anonymous namespace|bench_venue|^std::_Function_handler|^counted")
GROUPS = (
    ("book", re.compile(r"dojima::book::|BareBooks")),
    ("owner reports", re.compile(r"OwnerReports|OwnedOrders|BookReports|ReportLog|OrderNames")),
    ("feed", re.compile(r"FeedTap|SpscRing")),
    ("partition", re.compile(r"venue::Partition|CommandJournal|Risk|TradingDays|InstrumentBooks|journal::")),
    ("report encoding", re.compile(r"(encode|write)_(report|execution_report|cancel_reject|business_reject|mass_cancel_report)|ReportWriter|AnswerWriter|"
                                   r"write_order_id|format_base62|mit::code_of")),
    ("session", re.compile(r"dojima::mit::")),
    ("timers", re.compile(r"dojima::sched::")),
    ("front", re.compile(r"venue::Front")),
    ("hashing", re.compile(r"hash_bytes")),
    ("memory", re.compile(r"mem(cpy|move|set|cmp)|__mem")),
)
MOST = {"submit": 900, "front": 2000}
MOST_ENCODING = 0.15
MOST_LIMITED = 1.15  # of what a command costs without limits
MOST_FED = 1.10  # of what it costs without market data
MEMORY_ORDERS = (65_536, 262_144, 1_048_576)
MOST_BYTES = {"without_log": 224, "with_log": 350}


def self_costs(text):
    """Instructions of each function, without those it calls."""
    costs, function, is_call = collections.Counter(), "", False
    for line in text.splitlines():
        if line.startswith("fn="):
            function = line[3:]
        elif line.startswith("calls="):
            is_call = True
        elif line[:1].isdigit() or line[:1] in "+-*":
            numbers = line.split()
            if not is_call and len(numbers) > 1:  # no cost is left out
                costs[function] += int(numbers[1])
            is_call = False
    return costs


def count(program, way, commands, folder):
    out = pathlib.Path(folder) / "callgrind.out"
    subprocess.run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
                    "--toggle-collect=*counted*", f"--callgrind-out-file={out}", program, "--way", way, "--commands", str(commands)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return self_costs(out.read_text())


def measure(program, way, folder):
    """Instructions a command by function."""
    few, many = (count(program, way, commands, folder) for commands in (FEW, MANY))
    many.subtract(few)
    return {name: cost / (MANY - FEW) for name, cost in many.items() if cost and not DRIVER.search(name)}


def grouped(costs):
    groups = collections.Counter()
    for name, cost in costs.items():
        groups[next((group for group, pattern in GROUPS if pattern.search(name)), "other")] += cost
    return groups


def run(program, way, orders):
    return subprocess.run([program, "--way", way, "--commands", str(orders)], check=True, capture_output=True, text=True).stdout


def memory(program):
    """Bytes of a partition when all its orders are in use by plain ones, and what each further order takes."""
    rows, checks, taken = [], [], []
    for orders in MEMORY_ORDERS:
        taken.append([int(word) for word in run(program, "memory", orders).split()])
        rows.append([orders, *(artefact.number(each / orders, 0) for each in taken[-1]), "-", "-", "-"])
    further = [(many - few) / (MEMORY_ORDERS[-1] - MEMORY_ORDERS[-2]) for few, many in zip(taken[-2], taken[-1])]
    rows[-1][4:] = [artefact.number(each, 0) for each in further]
    for name, got in zip(MOST_BYTES, further):
        checks.append((f"bytes an order of capacity, {name.replace('_', ' ')} <= {MOST_BYTES[name]}", got <= MOST_BYTES[name], f"{got:.0f}"))
    columns = {"orders": "that the partition is made for", "without_log": "bytes an order, the report log aside",
               "with_log": "the log's memory is there from the start",
               "with_grown_log": "behind single orders that trade with all offers of an instrument, from 262,144 reports on in a larger log",
               "further_without_log": "bytes of each order more than in the row before", "further_with_log": "likewise",
               "further_with_grown_log": "likewise"}
    return artefact.table("memory", "resident bytes of a partition whose orders are all in use", columns, rows, []), checks


def memory_parts(program):
    """What the memory of a partition is for."""
    tables = [dict(line.split("\t") for line in run(program, "parts", orders).splitlines()) for orders in MEMORY_ORDERS]
    more = MEMORY_ORDERS[-1] - MEMORY_ORDERS[-2]
    rows = [[part, *(artefact.number(int(table[part]) / orders, 1) for table, orders in zip(tables, MEMORY_ORDERS)),
             artefact.number((int(tables[-1][part]) - int(tables[-2][part])) / more, 1)] for part in tables[0]]
    columns = {"part": "", **{f"of_{orders}": "bytes an order, of so many" for orders in MEMORY_ORDERS},
               "further": "bytes of each order more than in the column before"}
    return artefact.table("parts", "what the memory of a partition is for, by the sizes of its records", columns, rows,
                          ["the rest of the table `memory` is windows and lists of levels, and code"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path,
                        help="one that valgrind can run, so not the native preset (default: build/release)")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    parser.add_argument("--functions", action="store_true", help="print the dearest functions too")
    parser.add_argument("--way", action="append", choices=WAYS, help="only this one")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind not found (apt-get install valgrind)")
        return 3
    program = (ROOT / options.build).resolve() / "bin" / "dojima-partition-costs"
    if not program.exists():
        print(f"no {program.name} in {options.build}: ninja -C {options.build} {program.name}")
        return 2
    names = [group for group, _ in GROUPS] + ["other"]
    rows, checks, totals = [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        for way in options.way or WAYS:
            costs = measure(program, way, folder)
            groups, total = grouped(costs), sum(costs.values())
            totals[way] = total
            rows.append([way, artefact.number(total, 0), *(artefact.number(groups[name], 0) for name in names)])
            if way in MOST:
                checks.append((f"instructions, {way} <= {MOST[way]}", total <= MOST[way], f"{total:.0f}"))
            if way == "front":
                share = groups["report encoding"] / total
                checks.append((f"report encoding of the front <= {MOST_ENCODING:.0%}", share <= MOST_ENCODING, f"{share:.1%}"))
            if way == "limited" and "submit" in totals:
                ratio = total / totals["submit"]
                checks.append((f"every limit on <= {MOST_LIMITED} of none", ratio <= MOST_LIMITED, f"{ratio:.2f}"))
            if way == "fed" and "submit" in totals:
                ratio = total / totals["submit"]
                checks.append((f"market data <= {MOST_FED} of none", ratio <= MOST_FED, f"{ratio:.2f}"))
            if options.functions:
                for name, cost in sorted(costs.items(), key=lambda item: -item[1])[:40]:
                    print(f"{way:8}{cost:8.1f}  {name[:150]}")
    table = artefact.table(
        "costs", "instructions a command",
        {"way": "book: the books alone; replay: a partition from its journal; submit: stamped, applied, reports read; limited: that with "
                "every limit of user, account, instrument and all on; fed: that without limits and with market data put into its ring; front: MIT203 in and out, without sockets", "all": "", **{name.replace(" ", "_"): "" for name in names}},
        rows, [f"the difference of {MANY} and {FEW} commands; callgrind; the flow of dojima-bench-venue"])
    tables = [table]
    if not options.way:
        bytes_table, bytes_checks = memory(program)
        tables += [bytes_table, memory_parts(program)]
        checks += bytes_checks
    for each in tables:
        print(artefact.to_text(each), end="")
    for name, ok, detail in checks:
        print(f"{'reached' if ok else 'missed '}  {name}: {detail}")
    if options.json:
        text = artefact.artefact(ROOT, "partition_costs", {"build": str(options.build)}, tables, checks, "see build")
        pathlib.Path(options.json).write_text(text)
    return 0 if all(ok for _, ok, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
