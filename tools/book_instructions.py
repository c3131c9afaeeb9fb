#!/usr/bin/env python3
"""How many instructions an operation of the book takes, with callgrind: they hold on a noisy machine.

Runs `dojima-book-run TABLE COMPETITOR` once for each row and counts what its batch executes: in all, the benchmark's
own work with it, and inside the book's commands alone. `--against` counts another build of the program as well and
shows the ratios; it must have been built from the same benchmark. The program is that of the release preset: valgrind
does not know AVX-512. Without valgrind (Debian: apt-get install valgrind), or without the program, it says
`unavailable` and leaves with 0: a figure that was not measured is not made up.

    tools/book_instructions.py --program build/release/bin/dojima-book-run [--against PROGRAM] [--row 'itch ladder']
        [--json instructions.json]
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import artefact

ROWS = ["perfeval ladder", "itch floor", "itch driven floor", "itch ladder", "deep floor", "deep driven floor", "deep ladder", "features plain", "features good till date",
        "features one stop order waits", "features one all-or-none order waits", "features one in ten an iceberg",
        "features one in ten hidden", "features self-trade prevention by group", "features pro rata",
        "features top order, then pro rata", "features size, then time",
        "clients dense numbers", "clients 64 bits, the venue's map"]
BOOK = re.compile(r"^\s*([\d,]+) .*(?:Book\w*<dojima::book::LadderQueue>|FloorBook)::apply\(")


def per_operation(program, row):
    """Instructions of the batch in all, and in the book's commands: for each operation."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=*run_batch*",
                               f"--callgrind-out-file={out}", str(program), *row.split(" ", 1)],
                              check=True, capture_output=True, text=True)
        total = int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE).group(1))
        lines = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out)], check=True,
                               capture_output=True, text=True).stdout.splitlines()
    operations = int(done.stdout.split()[-1])
    book = sum(int(found.group(1).replace(",", "")) for found in map(BOOK.match, lines) if found)
    return total / operations, book / operations


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/dojima-book-run")
    parser.add_argument("--against", metavar="PROGRAM")
    parser.add_argument("--row", action="append", metavar="'TABLE COMPETITOR'", choices=ROWS)
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    options = parser.parse_args()
    programs = [options.program] + ([options.against] if options.against else [])
    if shutil.which("valgrind") is None or not all(pathlib.Path(program).is_file() for program in programs):
        print("unavailable: needs valgrind and the target dojima-book-run")
        return 0
    columns = {"workload": "", "competitor": "", "instructions": "an operation, the benchmark's own work with it",
               "in_book": "of these, below the book's apply functions; floors: of the driven one"}
    if options.against:
        columns |= {"vs_other": "of the other program's", "in_book_vs_other": "of the other program's"}
    rows = []
    for row in options.row or ROWS:
        total, book = per_operation(options.program, row)
        values = [*row.split(" ", 1), artefact.number(total, 1), artefact.number(book, 1) if book else "-"]  # the bare floor has none
        if options.against:
            other_total, other_book = per_operation(options.against, row)
            values += [artefact.number(total / other_total), artefact.number(book / other_book) if book else "-"]
        rows.append(values)
    result = artefact.table("instructions", "instructions of an operation of the book", columns, rows,
                            ["counted with callgrind on the short flows of --quick"])
    print(artefact.to_text(result))
    if options.json:
        root = pathlib.Path(__file__).resolve().parent.parent
        version = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        text = artefact.artefact(root, "tools/book_instructions.py", {"program": options.program}, [result], [], version)
        pathlib.Path(options.json).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
