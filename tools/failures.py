#!/usr/bin/env python3
"""Prints what went wrong in a log of a build and its tests: the parts that speak of failures, where a log's end may speak of success.

Known are compilers' errors, tests that ctest or GoogleTest calls failed, findings of sanitizers, and Python's tracebacks. Of each
part at most --lines lines are shown, the first half and the last half of what it has. A log without any of them is shown from
--lines lines before its end.

Exit status: 0; 1 when --self-test finds a fault; 2 when the arguments are wrong or the log cannot be read.
"""

import argparse
import re
import sys

# Where a part begins, and the lines that end it (which are no part of it).
CTEST_RESULT = r"\s*(\d+/\d+ Test +#\d+:|Start +\d+:)|\d+% tests passed"
PARTS = [
    (re.compile(r"\s*\d+/\d+ Test +#\d+:.*\*\*\*(?!Skipped|Not Run \(Disabled\))"), re.compile(CTEST_RESULT)),
    (re.compile(r"The following tests FAILED:"), re.compile(r"Errors while running|The following tests did not run|\S")),
    (re.compile(r"(?!The following).*\bFAILED: |.*: (fatal )?error: "), re.compile(r"\[\d+/\d+\] |ninja: ")),
    (re.compile(r".*(ERROR: \w*Sanitizer|WARNING: ThreadSanitizer|: runtime error: |Assertion failed)"), re.compile(r"SUMMARY: |" + CTEST_RESULT)),
    (re.compile(r"\[  FAILED  \] .*"), re.compile(r"(?!\[  FAILED  \])")),
    (re.compile(r".*: Failure$"), re.compile(r"\[  (FAILED|     OK)|" + CTEST_RESULT)),
    (re.compile(r"Traceback \(most recent call last\):"), re.compile(r"\S.*Error.*|" + CTEST_RESULT)),
    (re.compile(r".* (died|failed): "), re.compile(r"")),
]


def parts(lines):
    """Lists of lines, in the log's order; no line is in two of them."""
    at = 0
    while at < len(lines):
        end = next((stop for start, stop in PARTS if start.match(lines[at])), None)
        if end is None:
            at += 1
            continue
        begin = at
        at += 1
        while at < len(lines) and not end.match(lines[at]):
            at += 1
        yield lines[begin:at]


def shortened(part, most):
    if len(part) <= most:
        return part
    half = most // 2
    return part[:half] + [f"... {len(part) - 2 * half} lines ..."] + part[-half:]


PLANTED = """\
[1/9] Building CXX object a.o
FAILED: b.o
/x/b.cpp:3:1: error: no type named 'Planted'
[2/9] Building CXX object c.o
        Start 7: Road.runs
 7/204 Test   #7: Road.runs ...   Passed    0.10 sec
 8/204 Test   #8: span.late ...***Failed    2.10 sec
planted words of the test
 9/204 Test   #9: Days.without_data ...***Skipped   0.01 sec
10/204 Test  #10: span.hangs ...***Timeout  60.00 sec
98% tests passed, 2 tests failed out of 204
The following tests FAILED:
\t  8 - span.late (Failed)
Errors while running CTest
/x/c_test.cpp:12: Failure
Expected equality of planted values
[  FAILED  ] Suite.planted (3 ms)
quiet line
==12==ERROR: AddressSanitizer: planted use
    #0 in planted()
SUMMARY: AddressSanitizer
/x/d.cpp:5:6: runtime error: planted shift
2703 quick tests of 26 programs passed
"""
FOUND = ["/x/b.cpp:3:1: error: no type named 'Planted'", "planted words of the test", "span.hangs", "\t  8 - span.late (Failed)",
         "Expected equality of planted values", "[  FAILED  ] Suite.planted (3 ms)", "    #0 in planted()", "/x/d.cpp:5:6: runtime error: planted shift"]
NOT_FOUND = ["[1/9]", "[2/9]", "Road.runs", "Days.without_data", "quiet line"]


def self_test():
    text = "\n".join("\n".join(part) for part in parts(PLANTED.splitlines()))
    faults = [f"not shown: {line!r}" for line in FOUND if line not in text] + [f"shown: {line!r}" for line in NOT_FOUND if line in text]
    if shortened(list("abcdef"), 4) != ["a", "b", "... 2 lines ...", "e", "f"]:
        faults.append("a long part is not shortened to its ends")
    print("\n".join(faults) or "every planted failure is shown, and nothing else")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", nargs="?", help="a file")
    parser.add_argument("--self-test", action="store_true", help="show that planted failures are found")
    parser.add_argument("--lines", type=int, default=100, help="most lines of a part (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.log is None:
        parser.error("a log is needed")
    if arguments.lines < 2:
        parser.error("--lines: at least 2")
    try:
        with open(arguments.log, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError as trouble:
        parser.error(f"{arguments.log}: {trouble.strerror}")
    found = list(parts(lines))
    for part in found or [lines[-arguments.lines:]]:
        print("\n".join(shortened(part, arguments.lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
