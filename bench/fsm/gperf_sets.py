#!/usr/bin/env python3
"""The key sets of keys.hpp as perfect hash functions by gperf, one class a set: Fix4 ... Random93, all in one header.

    gperf_sets.py --gperf gperf --output gperf_sets.hpp
"""

import argparse
import subprocess

COUNTS = (4, 7, 16, 32, 64, 93)
DIRECTIONS = {4: "DFGq", 7: "03589Bj", 16: "03589Babcdefgjnr"}
SINGLE = "0123456789ABCDEFGHJKLMNPQRSTVWXYZabcdefghijklmnopqrstuvwxyz"
DOUBLE = [first + second for first, last in (("A", "Z"), ("B", "H")) for second in map(chr, range(ord("A"), ord(last) + 1))]
MASK = (1 << 64) - 1


def fix_types(count):
    return [bytes(text, "ascii") for text in DIRECTIONS.get(count, list(SINGLE) + DOUBLE)][:count]


def multiplier(number):
    z = (number + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return (z ^ z >> 31) | 1


def random_codes(count):
    keys, number = [], 1000
    while len(keys) < count:
        key = (multiplier(number) >> 33).to_bytes(4, "big")
        if 0 not in key:
            keys.append(key)
        number += 1
    return keys


def run_gperf(gperf, name, keys):
    quoted = ["\"" + "".join(f"\\{byte:03o}" for byte in key) + f"\", {number}" for number, key in enumerate(keys)]
    text = f"%struct-type\nstruct {name}Entry {{ const char* name; unsigned number; }};\n%%\n" + "\n".join(quoted) + "\n"
    options = ["--language=C++", "--readonly-tables", "--compare-lengths", "--enum", "--includes", f"--class-name={name}",
               "--lookup-function-name=find"]
    done = subprocess.run([gperf, *options], input=text, capture_output=True, text=True, check=True)
    entry = f"const struct {name}Entry *\n{name}::find"  # several units include the header
    lines = [line for line in done.stdout.splitlines() if not line.startswith(("#line", "#include"))]
    return "\n".join(lines).replace(entry, "inline " + entry)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gperf", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    parts = [run_gperf(options.gperf, f"{family}{count}", make(count))
             for family, make in (("Fix", fix_types), ("Random", random_codes)) for count in COUNTS]
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("#pragma once\n#pragma GCC system_header\n\n#include <cstring>\n\nnamespace dojima::bench::made_by_gperf {\n\n")
        file.write("\n".join(parts) + "\n\n}  // namespace dojima::bench::made_by_gperf\n")


if __name__ == "__main__":
    main()
