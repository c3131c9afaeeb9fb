#!/usr/bin/env python3
"""Holds docs/fix-rules.md against the tree: every case and every test that a row names exists, every row names one, and
every case of examples/fix_script/cases has a row.

Each violation is printed as `file:line: what is wrong`; exit status 0 when there is none, 1 when there are some, 2 when
the check itself cannot run.
"""

import pathlib
import re
import sys
import tempfile

import map as pages

PAGE = "docs/fix-rules.md"
CASES = "examples/fix_script/cases"
PROGRAM_TEST = re.compile(r"^\s*add_test\(NAME ([\w.]+)", re.MULTILINE)
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP)\(\s*(\w+),\s*(\w+)", re.MULTILINE)


def tests_of(root):
    """Suite.name of every test, and the names of those that are a program's run."""
    names = set()
    for folder in ("dojima", "tests"):
        for file in (root / folder).rglob("*_test.cpp"):
            names.update(f"{suite}.{name}" for suite, name in TEST.findall(file.read_text()))
    for file in (root / "tests").rglob("CMakeLists.txt"):
        names.update(PROGRAM_TEST.findall(file.read_text()))
    return names


def violations(root):
    tests, cases = tests_of(root), {file.stem for file in (root / CASES).glob("*.fixcase")}
    found, named = [], set()
    for _, header, body, line in pages.tables_of((root / PAGE).read_text()):
        if header[1:] != ["cases", "tests"]:
            found.append(f"{PAGE}:{line}: a table has a rule, its cases and its tests")
            continue
        for number, cells in body:
            row_cases, row_tests = (pages.code_of(cell) for cell in (cells + ["", ""])[1:3])
            named.update(row_cases)
            if not row_cases and not row_tests:
                found.append(f"{PAGE}:{number}: a rule without a case and without a test")
            found += [f"{PAGE}:{number}: {CASES} has no {name}" for name in row_cases if name not in cases]
            found += [f"{PAGE}:{number}: there is no test {name}" for name in row_tests if name not in tests]
    return found + [f"{PAGE}:1: the case {name} has no row" for name in sorted(cases - named)]


def self_test():
    page = ("# Rules\n\n| rule | cases | tests |\n|---|---|---|\n| a | `one` | `FixA.works`, `FixB.holds` |\n"
            "| b | | `FixC.is`, `span.runs` |\n")
    sound = {PAGE: page, f"{CASES}/one.fixcase": "\n", "dojima/fix/a_test.cpp": "TEST(FixA, works) {\n",
             "tests/b_test.cpp": "TEST_P(FixB,\n       holds) {\nRC_GTEST_PROP(FixC, is, ()) {\n",
             "tests/c/CMakeLists.txt": "if(X)\n  add_test(NAME span.runs\n    COMMAND c)\n"}
    planted = [
        (PAGE, page + "| c | `two` | |\n", [f"{PAGE}:7: {CASES} has no two"]),
        (PAGE, page + "| c | | `FixA.gone` |\n", [f"{PAGE}:7: there is no test FixA.gone"]),
        (PAGE, page + "| c | | |\n", [f"{PAGE}:7: a rule without a case and without a test"]),
        (PAGE, page + "\n| rule | test |\n|---|---|\n| d | `FixA.works` |\n",
         [f"{PAGE}:8: a table has a rule, its cases and its tests"]),
        (f"{CASES}/three.fixcase", "\n", [f"{PAGE}:1: the case three has no row"]),
    ]
    failures = []
    for name, text, wanted in [(None, None, [])] + planted:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            pages.plant(root, {**sound, **({name: text} if name else {})})
            found = violations(root)
        if found != wanted:
            failures.append(f"planted in {name}:\n  expected {wanted}\n  found    {found}")
    print("\n".join(failures) if failures else f"{len(planted)} planted violations found, none where there is none")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(pages.main(__doc__, violations, self_test))
