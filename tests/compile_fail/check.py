#!/usr/bin/env python3
"""What must not compile does not, and says why.

    check.py --compiler g++ --root REPOSITORY CASE.cpp

A case names the texts that the compiler's message has to contain, one a line: `// expect: TEXT`, or `TEXT || TEXT` where
compilers say the same thing differently. With -DCORRECTED the same file must compile, so that nothing but the marked mistake is to blame.
"""

import argparse
import pathlib
import re
import subprocess
import sys


def compile_case(compiler: str, root: pathlib.Path, case: pathlib.Path, *flags: str) -> subprocess.CompletedProcess:
    command = [compiler, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", f"-I{root}", *flags, str(case)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def plain(text: str) -> str:
    """Compilers break long messages and quote as they like."""
    return re.sub(r"\s+", " ", re.sub("[‘’'`]", "", text))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("case", type=pathlib.Path)
    arguments = parser.parse_args()

    expected = re.findall(r"^// expect: (.*)$", arguments.case.read_text(), re.MULTILINE)
    if not expected:
        print(f"{arguments.case.name}: no `// expect:` line")
        return 1

    corrected = compile_case(arguments.compiler, arguments.root, arguments.case, "-DCORRECTED")
    if corrected.returncode != 0:
        print(f"{arguments.case.name}: does not compile even when corrected:\n{corrected.stderr}")
        return 1

    broken = compile_case(arguments.compiler, arguments.root, arguments.case)
    if broken.returncode == 0:
        print(f"{arguments.case.name}: compiles, and should not")
        return 1
    said = plain(broken.stderr)
    missing = [text for text in expected if not any(plain(way) in said for way in text.split(" || "))]
    for text in missing:
        print(f"{arguments.case.name}: the message does not say: {text}")
    if missing:
        print(broken.stderr)
        return 1
    errors = sum(1 for line in broken.stderr.splitlines() if " error: " in line)
    print(f"{arguments.case.name}: refused as expected, {errors} error(s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
