#!/usr/bin/env python3
"""Runs clang-tidy over the sources within a budget of processor time, changed files first.

The order: sources with uncommitted or unpushed changes, then the rooms from the lowest floor up, then tests. Tests are
spared the static analyzer, which spends most of its time on the macros of GoogleTest and RapidCheck.

What was clean is remembered in BUILD/.tidy by the digest of the file, all of our headers that it sees, its compile command
and the checks, so the next run takes up where the budget ended this one and a second run costs next to nothing. Exit status
0: nothing found (files that the budget left out are counted), 1: findings, 2: the check itself cannot run.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import pathlib
import re
import resource
import signal
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"](dojima/[^>"]+|fuzz/[^>"]+|tests/[^>"]+)[>"]', re.MULTILINE)


@functools.lru_cache(maxsize=None)
def read(path):
    """Contents and our own includes; nothing for a file that is not there."""
    try:
        content = path.read_bytes()
    except OSError:
        return b"", ()
    return content, tuple(name.decode() for name in INCLUDE.findall(content))


def digest(source, command, checks):
    """Changes whenever clang-tidy's answer for `source` could: headers of the system count by the packages' version only."""
    seen, waiting = {source}, [source]
    while waiting:
        for name in read(waiting.pop())[1]:
            header = ROOT / name
            if header not in seen:
                seen.add(header)
                waiting.append(header)
    total = hashlib.sha256(checks + command.encode())
    for path in sorted(seen):
        total.update(str(path.relative_to(ROOT)).encode() + b"\0" + read(path)[0])
    return total.hexdigest()


def git_lines(*words):
    answer = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return answer.stdout.splitlines() if answer.returncode == 0 else []


def changed_files():
    """Repository paths that differ from the main branch as last fetched, or from the last commit."""
    names = git_lines("diff", "--name-only", "HEAD")
    names += git_lines("ls-files", "--others", "--exclude-standard")
    names += git_lines("diff", "--name-only", "origin/main...HEAD")
    return set(names)


def is_test(source):
    name = str(source.relative_to(ROOT))
    return not name.startswith("dojima/") or name.endswith("_test.cpp")


def rank(source, changed, floors):
    name = str(source.relative_to(ROOT))
    floor = floors.get(name.split("/")[1], 99)
    return (name not in changed, is_test(source), floor, name)


def read_floors():
    floors = {}
    for line in (ROOT / "tools" / "floors.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            floors[words[1]] = int(words[0])
    return floors


class Run:
    """The state of one run that the worker threads share."""

    def __init__(self, arguments, checks):
        self.arguments, self.checks = arguments, checks
        self.lock = threading.Lock()
        self.clean = self.known = 0
        self.left, self.bad = [], []

    def seconds_left(self):
        """For one more file: the others that run now may take their part of what is left."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return int((self.arguments.budget - used.ru_utime - used.ru_stime) / self.arguments.jobs)

    def check(self, source, command):
        name = str(source.relative_to(ROOT))
        stamp = self.arguments.build / ".tidy" / digest(source, command, self.checks)
        if stamp.exists():
            with self.lock:
                self.known += 1
            return
        seconds = self.seconds_left()
        if seconds < 1:
            with self.lock:
                self.left.append(name)
            return
        # The shell's limit ends a file that would go over the budget.
        words = ["sh", "-c", f'ulimit -t {seconds} && exec "$@"', "sh", self.arguments.clang_tidy, "-p", str(self.arguments.build), "--quiet", str(source)]
        if is_test(source):
            words.append("--checks=-clang-analyzer-*")
        answer = subprocess.run(words, capture_output=True, text=True, check=False)
        with self.lock:
            if answer.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
                self.left.append(name)
            elif answer.returncode == 0:
                stamp.touch()
                self.clean += 1
            else:
                self.bad.append(name)
                print(answer.stdout.replace(f"{ROOT}/", "").rstrip() or answer.stderr.rstrip(), flush=True)


def sources_of(build, folders):
    """{source: compile command} for our own .cpp files below `folders`."""
    commands = json.loads((build / "compile_commands.json").read_text())
    sources = {}
    for entry in commands:
        file = pathlib.Path(entry["file"])
        if file.suffix != ".cpp" or not file.is_relative_to(ROOT) or file.is_relative_to(ROOT / "build"):
            continue
        if not folders or any(file.is_relative_to(folder) for folder in folders):
            sources[file] = entry["command"]
    return sources


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "clang",
                        help="a build folder configured with clang (default: build/clang)")
    parser.add_argument("--budget", type=float, default=7200, metavar="SECONDS",
                        help="processor time to use (default: 7200)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument("--clang-tidy", default="clang-tidy-19", metavar="PROGRAM")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="files or folders to check (default: all)")
    arguments = parser.parse_args()

    arguments.build = arguments.build.resolve()
    try:
        sources = sources_of(arguments.build, [path.resolve() for path in arguments.paths])
        version = subprocess.run([arguments.clang_tidy, "--version"], capture_output=True, check=True).stdout
        checks = version + (ROOT / ".clang-tidy").read_bytes()
        floors = read_floors()
    except (OSError, ValueError, subprocess.CalledProcessError) as trouble:
        print(f"cannot check: {trouble}", file=sys.stderr)
        return 2
    if not sources:
        print("cannot check: no such source in compile_commands.json", file=sys.stderr)
        return 2
    (arguments.build / ".tidy").mkdir(exist_ok=True)

    changed = changed_files()
    run = Run(arguments, checks)
    with concurrent.futures.ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        for source in sorted(sources, key=lambda source: rank(source, changed, floors)):
            pool.submit(run.check, source, sources[source])
    print(f"clang-tidy: {len(sources)} sources: {run.clean} clean, {run.known} clean and unchanged since, "
          f"{len(run.bad)} with findings, {len(run.left)} left out by the budget of {arguments.budget:.0f} s of processor time")
    for name in sorted(run.bad):
        print(f"  findings: {name}")
    return 1 if run.bad else 0


if __name__ == "__main__":
    sys.exit(main())
