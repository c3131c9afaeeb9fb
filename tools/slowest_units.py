#!/usr/bin/env python3
"""Prints the slowest units of a Ninja build, from its .ninja_log: seconds of wall time, then what was made.

A unit that takes over 10 s to compile is a defect. What ccache answered counts with the short time it took, so clear the
cache (ccache -C) before trusting the list; on a machine that is busy with other things every unit looks slower.
"""

import argparse
import pathlib
import sys


def read_log(path):
    """{output: seconds}, the latest build of each output; several outputs of one command count once."""
    commands = {}
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, command = line.split("\t")
        # Ninja appends: a later line for the same output replaces the earlier one.
        commands[output] = ((start, end, command), (int(end) - int(start)) / 1000)
    seen, seconds = set(), {}
    for output, (key, took) in commands.items():
        if key not in seen:
            seen.add(key)
            seconds[output] = took
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the build folder, such as build/release")
    parser.add_argument("--count", type=int, default=10, help="how many to print (default: 10)")
    arguments = parser.parse_args()
    log = arguments.build / ".ninja_log"
    try:
        seconds = read_log(log)
    except (OSError, ValueError) as trouble:
        print(f"cannot read {log}: {trouble}", file=sys.stderr)
        return 2
    units = {output: took for output, took in seconds.items() if output.endswith(".o")}
    for output, took in sorted(units.items(), key=lambda unit: -unit[1])[:arguments.count]:
        print(f"{took:8.1f}  {output}")
    print(f"{sum(units.values()):8.1f}  all {len(units)} units")
    return 0


if __name__ == "__main__":
    sys.exit(main())
