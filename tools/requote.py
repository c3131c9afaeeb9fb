#!/usr/bin/env python3
"""Puts a new artefact in the place of an old one in the tables of the pages, number for number.

For each line of a table that quotes the old artefact (its block has the reference), the rows of the old artefact that the line's
numbers come from are found; each number becomes what the new artefact has in the same table, row and column, with as
many digits, and the mark of what has not settled. A row is known by its parameters and its competitor, all that is neither
a measured number nor a verdict. What cannot be placed is printed and left; text outside of tables is left to the writer.

    tools/requote.py docs/measurements/OLD.json NEW.json docs/mitch.md

Copies the new artefact to docs/measurements/ and changes the references. Exit status 0; 1 when some number could not be placed.
"""

import argparse
import json
import pathlib
import re
import shutil
import sys

import check_figures as figures

ROOT = pathlib.Path(__file__).resolve().parents[1]


def is_key(column, value):
    """Parameters and names: texts, and whole numbers of columns that are not measured."""
    if isinstance(value, str):
        return not column.startswith("digest")
    if not isinstance(value, int) or isinstance(value, bool) or figures.is_timed(column):
        return False
    return not re.search(r"percent|ratio|_per_|^rounds|^operations|^allocations|^vs_", column)


def rows_by_key(artefact):
    """{(table, key): row}"""
    found = {}
    for table in artefact["tables"]:
        for row in table["rows"]:
            key = tuple(sorted((column, value) for column, value in row.items() if is_key(column, value)))
            found[table["name"], key] = row
    return found


def as_printed(value, like):
    digits = len(like.split(".")[1]) if "." in like else 0
    return f"{value:,.{digits}f}" if "," in like or abs(value) >= 1000 and digits == 0 else f"{value:.{digits}f}"


def matches(number, row):
    return [column for column, value in row.items() if isinstance(value, (int, float)) and not isinstance(value, bool)
            and not is_key(column, value) and as_printed(value, number).replace(",", "") == number.replace(",", "")]


def numbers_of(line):
    return [found.group(2) for cell in line.split("|") if figures.CELL.match(cell) for found in figures.CELL_NUMBER.finditer(cell)]


def table_of(block, rows):
    """The table of the artefact that most of the block's numbers are in."""
    numbers = [number for line in block.split("\n") if line.lstrip().startswith("|") for number in numbers_of(line)]
    counts = {}
    for (table, _), row in rows.items():
        counts[table] = counts.get(table, 0) + sum(bool(matches(number, row)) for number in numbers)
    return max(counts, key=lambda table: counts[table] / sum(name == table for name, _ in rows))


def best_rows(line, table, rows):
    """The rows in the order of how many of the line's texts they are named by, then the block's table first, then by how many of the
    numbers they have."""
    texts = {cell.strip().strip("*") for cell in line.split("|")}
    numbers = numbers_of(line)

    def worth(key):
        named = sum(str(value) in texts or f"{value:,}" in texts if isinstance(value, int) else value in texts for _, value in key[1])
        return -named, key[0] != table, -sum(bool(matches(number, rows[key])) for number in numbers)
    return sorted(rows, key=worth)


def requoted(line, table, old_rows, new_rows, missing):
    order = best_rows(line, table, old_rows)

    def replaced(found):
        number = found.group(2)
        if number in ("0", "1"):  # a baseline of itself, nothing allocated: not worth a guess
            return found.group(0)
        if any(str(value) == number.replace(",", "") for _, value in order[0][1]):  # a parameter of the row
            return found.group(0)
        for key in order:
            columns = matches(number, old_rows[key])
            if columns and key in new_rows:
                new = new_rows[key]
                value = new.get(columns[0])
                if value is None:
                    break
                mark = figures.UNSETTLED_MARK if figures.is_unsettled(new) and figures.is_timed(columns[0]) else ""
                return mark + as_printed(value, number)
        missing.append(number)
        return found.group(0)

    return "|".join(figures.CELL_NUMBER.sub(replaced, cell) if figures.CELL.match(cell) else cell for cell in line.split("|"))


def requoted_text(text, old, new, missing):
    """The page with the numbers and the references of the new artefact."""
    old_short, new_short = old["id"][:8], new["id"][:8]
    old_rows, new_rows = rows_by_key(old), rows_by_key(new)
    lines = text.split("\n")
    for begin, block in figures.blocks_of(text):
        if f"[m:{old_short}]" not in block:
            continue
        table = table_of(block, old_rows)
        for at in range(begin - 1, begin + block.count("\n")):
            if lines[at].lstrip().startswith("|"):
                lines[at] = requoted(lines[at], table, old_rows, new_rows, missing)
    return "\n".join(lines).replace(old_short, new_short)


def self_test():
    """Two tables with the same numbers in other rows: each number comes from the row that its line names."""
    def artefact(name, shift, settled):
        def rows(first):
            return [{"n": 1000, "way": "heap", "ns_per_event": first + shift, "bytes": 24.5, "converged": True},
                    {"n": 1000, "way": "wheel", "ns_per_event": first / 2 + shift, "bytes": 8.25 + shift, "converged": settled}]
        return {"id": name * 8, "tables": [{"name": "hold", "rows": rows(14.0)}, {"name": "live", "rows": rows(7.0)}]}

    old, new, missing = artefact("a", 0.0, True), artefact("b", 1.0, False), []
    page = ("| way | n | ns | bytes | |\n|---|---|---|---|---|\n| heap | 1,000 | 14.00 | 24.5 | [m:aaaaaaaa](x/aaaaaaaa.json) |\n"
            "| wheel | 1,000 | 7.00 | 8.25 | |\n| other | 1,000 | 99.00 | 0 | |\n\n| heap | 14.00 |\n")
    wanted = ("| way | n | ns | bytes | |\n|---|---|---|---|---|\n| heap | 1,000 | 15.00 | 24.5 | [m:bbbbbbbb](x/bbbbbbbb.json) |\n"
              "| wheel | 1,000 | ~8.00 | 9.25 | |\n| other | 1,000 | 99.00 | 0 | |\n\n| heap | 14.00 |\n")
    got = requoted_text(page, old, new, missing)
    found = [] if got == wanted else [f"expected\n{wanted}\ngot\n{got}"]
    if missing != ["99.00"]:
        found.append(f"not placed: {missing}")
    print("\n".join(found) if found else "every number comes from its row")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path, nargs="?")
    parser.add_argument("new", type=pathlib.Path, nargs="?")
    parser.add_argument("pages", type=pathlib.Path, nargs="*")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not options.pages:
        parser.error("an old artefact, a new one, and the pages that quote the old one")
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (options.old, options.new))
    missing = []
    for page in options.pages:
        page.write_text(requoted_text(page.read_text(encoding="utf-8"), old, new, missing), encoding="utf-8")
    shutil.copyfile(options.new, ROOT / figures.MEASUREMENTS / f"{new['id'][:8]}.json")
    if missing:
        print(f"not placed: {', '.join(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
