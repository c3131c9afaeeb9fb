#!/usr/bin/env python3
"""A soak of the order book as an artefact: runs the test BookSoak for many commands and keeps what it printed.

The test checks lots, answers and resident memory at every hundredth of the way; its progress goes to stderr.

    tools/book_soak.py --program build/release/bin/dojima_book_long_tests --commands 1000000000 --json soak.json

Exit status: 0; 1 when the soak fails; 2 when the program does not say what it should.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import artefact


def counts_of(line):
    """The numbers of the test's line with their words, in its order."""
    words = {"commands": r"^(\d+) commands", "accepted": r"(\d+) accepted", "rejected": r"(\d+) rejected",
             "replaced": r"(\d+) replaced", "trades": r"(\d+) trades", "traded_lots": r"trades of (\d+) lots",
             "cancelled": r"(\d+) cancelled", "expired": r"(\d+) expired", "triggered": r"(\d+) triggered",
             "replenished": r"(\d+) replenished", "resident_bytes": r"resident (\d+) bytes",
             "most_resident_bytes": r"at most (\d+)"}
    return {name: int(re.search(pattern, line).group(1)) for name, pattern in words.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="a dojima_book_long_tests")
    parser.add_argument("--commands", type=int, default=1_000_000_000, help="default: 1000000000")
    parser.add_argument("--compiler", default="g++", help="what the program was built with (default: g++)")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    run = subprocess.run([options.program, "--gtest_filter=BookSoakLong.*"], stdout=subprocess.PIPE, text=True, check=False,
                         env=os.environ | {"DOJIMA_BOOK_SOAK": str(options.commands)})
    said = [line for line in run.stdout.splitlines() if " commands: " in line]
    took = re.search(r"1 test from 1 test suite ran\. \((\d+) ms total\)", run.stdout)
    if not said or not took:
        print(run.stdout, file=sys.stderr)
        return 2
    counts = counts_of(said[0])
    counts["milliseconds"] = int(took.group(1))
    counts["digest"] = re.search(r"digest (\d+)", said[0]).group(1)  # beyond what a number holds
    table = artefact.table("soak", "one book that works for long", {"what": "", "count": ""},
                           [[name, value] for name, value in counts.items()])
    is_ok = run.returncode == 0
    checks = [("lots, answers and memory", is_ok, "looked at a hundred times on the way")]
    print(artefact.to_text(table))
    print("ok" if is_ok else run.stdout)
    if options.json:
        version = subprocess.run([options.compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        pathlib.Path(options.json).write_text(artefact.artefact(
            root, "tools/book_soak.py", {"commands": options.commands}, [table], checks, version.splitlines()[0]))
    return 0 if is_ok else 1


if __name__ == "__main__":
    sys.exit(main())
