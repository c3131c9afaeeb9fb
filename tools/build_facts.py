#!/usr/bin/env python3
"""Prints what docs/building.md says about the size and the cost of the build: units, tests, the slowest units, seconds.

    tools/build_facts.py --cold --write      # removes build/release, builds it without ccache, rewrites the page

The seconds are those of the first build in BUILD/.ninja_log, which has to be one of everything, without ccache; --cold makes
such a build first. Tests are counted as ctest knows them; long are those of suites whose name ends in Long. Without --write
the block is printed. --check compares the page's number of units with the configured build and nothing else, since a checkout
that has not been built knows no more.

Exit status: 0; 1 when the page says something else (--check) or the build fails; 2 when BUILD cannot give an answer.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "building.md"
BEGIN, END = "<!-- build facts: tools/build_facts.py --cold --write -->", "<!-- end of build facts -->"
COUNT = 10
LONG = re.compile(r"--gtest_filter=[^.]*Long(/[^.]*)?\.")


class NoAnswer(Exception):
    pass


def first_build(log):
    """{object file: seconds} and the wall seconds of the log's first build. Ninja writes a line when a command ends and counts
    from its own start, so an end before the one of the line above belongs to a later build."""
    units, last = {}, 0
    for line in log.read_text().splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        if int(end) < last:
            break
        last = int(end)
        if output.endswith(".o"):
            units[output] = (int(end) - int(begin)) / 1000
    return units, last / 1000


def unit_names(build):
    """{object file: source file relative to the repository} of all units that were configured, those of `all` or not."""
    names = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        output = re.search(r"\s-o\s+(\S+)", entry["command"]).group(1)
        names[output] = os.path.relpath(entry["file"], ROOT)
    return names


def shown(name):
    """A unit as the page shows it: a source by its path; joined sources, whose file is generated, by their program and number."""
    joined = re.fullmatch(r".*/unity/(\w+)_(\d+)\.cpp", name)
    return f"`{joined.group(1)}`, joined sources {joined.group(2)}" if joined else f"`{name}`"


def own_units(build):
    """Units with sources of ours, joined ones too: no precompiled headers, none of the generated files that only show that a header compiles alone."""
    own = {output: name for output, name in unit_names(build).items() if "/unity/" in name or not name.startswith(("..", "build/"))}
    if not own:
        raise NoAnswer(f"{build} builds no source of this repository")
    return own


def tests(build):
    """{"all": number, "quick": unit tests that are, "long": unit tests that are, "other": those that span rooms and the rest}"""
    answer = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise NoAnswer(f"ctest cannot list the tests of {build}: {answer.stderr.strip()}")
    numbers = {"all": 0, "quick": 0, "long": 0, "other": 0}
    for test in json.loads(answer.stdout)["tests"]:
        if test["name"].endswith("_NOT_BUILT"):
            raise NoAnswer(f"{test['name']}: build everything first")
        labels = next((each["value"] for each in test["properties"] if each["name"] == "LABELS"), [])
        numbers["all"] += 1
        if not any(label.startswith("unit-") for label in labels):
            numbers["other"] += 1
        else:
            numbers["long" if any(map(LONG.match, test["command"])) else "quick"] += 1
    return numbers


def commit():
    words = ["git", "-C", str(ROOT)]
    name = subprocess.run([*words, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    page = f":(exclude){PAGE.relative_to(ROOT)}"
    changed = subprocess.run([*words, "status", "--porcelain", "--", ".", page], capture_output=True, text=True, check=True).stdout
    return name + (" with changes" if changed else "")


def block(build):
    names = own_units(build)
    units, wall = first_build(build / ".ninja_log")
    built = {output: seconds for output, seconds in units.items() if output in names}
    if len(built) < 0.9 * len(names):
        raise NoAnswer(f"the first build in {build}/.ninja_log made {len(built)} of {len(names)} units: it is no cold one (--cold)")
    whole = sum(units.values())
    if whole < len(units):
        raise NoAnswer(f"{len(units)} units in {whole:.0f} s: those came from ccache (--cold)")
    count = tests(build)
    lines = [
        BEGIN,
        f"A cold build of everything without ccache (commit {commit()}) compiles {len(built)} units in {wall:.0f} s of wall time on "
        f"{os.cpu_count()} processors,",
        f"{whole:.0f} s of compiling in all, added over the jobs. It has {count['all']:,} tests: {count['quick']:,} quick and "
        f"{count['long']:,} long ones of rooms, {count['other']:,} others.",
        "The slowest units:",
        "",
        "| seconds | unit |",
        "|---:|---|",
        *(f"| {seconds:.1f} | {shown(names[output])} |" for output, seconds in sorted(built.items(), key=lambda each: -each[1])[:COUNT]),
        END,
    ]
    return "\n".join(lines)


def build_cold(build):
    shutil.rmtree(build, ignore_errors=True)
    for words in (["cmake", "--preset", "release", "-B", build], ["ninja", "-C", build, "all"]):
        if subprocess.run(list(map(str, words)), cwd=ROOT, env={**os.environ, "CCACHE_DISABLE": "1"}, check=False).returncode != 0:
            return False
    return True


def page_parts():
    text = PAGE.read_text()
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        raise NoAnswer(f"{PAGE.relative_to(ROOT)} has no block between {BEGIN} and {END}")
    return text[:begin], text[begin:end + len(END)], text[end + len(END):]


def check(build):
    said = re.search(r"compiles ([\d,]+) units", page_parts()[1])
    known = len(own_units(build))
    on_page = int(said.group(1).replace(",", "")) if said else None
    # Some are configured and no part of `all`, which is what was built.
    if on_page is None or not 0.9 * known <= on_page <= known:
        print(f"{PAGE.relative_to(ROOT)} says {on_page or 'nothing of'} units, {build} has {known}: tools/build_facts.py --cold --write")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="default: build/release")
    parser.add_argument("--cold", action="store_true", help="remove that folder and build everything in it first")
    parser.add_argument("--write", action="store_true", help="put the block into docs/building.md")
    parser.add_argument("--check", action="store_true", help="only: does the page know the number of units?")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if arguments.cold and ROOT / "build" not in build.parents:
        parser.error("--cold removes the folder; only one below build/")
    try:
        if arguments.check:
            return check(build)
        if arguments.write:
            page_parts()
        if arguments.cold and not build_cold(build):
            return 1
        text = block(build)
        if arguments.write:
            before, _, after = page_parts()
            PAGE.write_text(before + text + after)
        else:
            print(text)
    except (NoAnswer, OSError, ValueError) as trouble:
        print(f"tools/build_facts.py: {trouble}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
