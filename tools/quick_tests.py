#!/usr/bin/env python3
"""Runs the quick tests of GoogleTest programs and holds each of them against the limit of quick tests.

Quick are all tests but those of suites whose name ends in `Long`. A test that took longer than the limit is run alone again,
three times at most, and its processor time counts: that of the process less that of a run without any test, the least of the
three. A processor whose core another machine shares computes more slowly: a loop of known length says how much, beside each of
the three, and its time is divided by that. So a machine that is busy with other things fails nothing. Each test over the limit is
printed as

    file:line: Suite.test took 0.41 s of processor time, quick tests take at most 0.3 s; speed it up or move it to a suite ...

With --all the long tests run too; none of them has a limit. --filter is a pattern of GoogleTest; `word` means `*word*`. With
--jobs N that many programs run at once, and what each says is shown at its end. With --shards N the tests of a program run in that
many processes at once, and so do those that are run again, before those still over the limit run alone: where tests wait, all take
as long as few. A program that dies names the
test that it died in.

Exit status: 0; 1 when a test fails or is over the limit; 2 when the arguments are wrong, or no test matches.
"""

import argparse
import concurrent.futures
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONG = "*Long.*:*Long/*"
NO_TEST = "no test has this name"
LIMIT = 0.3
REPEATS = 3
# What the loop of `slowness` takes on a processor that nobody shares, in seconds (Python 3.11 on an AMD EPYC).
LOOP_SECONDS = 0.028
# Seconds; a program that takes longer hangs.
timeout = 900


class CannotRun(Exception):
    pass


def positive(pattern):
    return pattern if "*" in pattern or not pattern else f"*{pattern}*"


def quick_filter(pattern):
    """`pattern` without the long tests; GoogleTest takes all behind the first `-` as what is left out."""
    return f"{pattern or '*'}{':' if '-' in pattern else '-'}{LONG}"


def is_long(name):
    return name.partition(".")[0].endswith("Long") or "Long/" in name.partition(".")[0]


class Words(threading.Thread):
    """Reads what a program says: `say` gets its lines but those of tests that pass, `begun` is the test that began last."""

    PASSING = re.compile(r"\[(==========|----------|  PASSED  |       OK |  SKIPPED ) ?\]|Note: (Google Test filter|This is test shard)|Running main\(\)|\s*$")

    def __init__(self, stream, say):
        super().__init__(daemon=True)  # a process that a test left behind may hold the stream for longer than its program lives
        self.stream, self.say, self.begun = stream, say, None
        self.start()

    def run(self):
        for line in self.stream:
            line = line.rstrip("\n")
            if line.startswith("[ RUN      ] "):
                self.begun = line[13:]
            elif not self.PASSING.match(line):
                self.say(line)


def run(program, pattern, folder, say=lambda line: None, environment=None):
    """(exit status, wall seconds, processor seconds, GoogleTest's account, or the name of the last test where there is none) of one
    run of `program` in `folder`, which is thrown away with all that tests leave behind. What it says of failures goes to `say`."""
    file = pathlib.Path(folder) / "tests.json"
    file.unlink(missing_ok=True)
    words = [str(program), f"--gtest_filter={pattern}", f"--gtest_output=json:{file}"]
    begin = time.monotonic()
    try:
        # GoogleTest's TempDir() is this folder too, so programs that run at once do not meet in files.
        child = subprocess.Popen(words, cwd=folder, env=os.environ | {"TEST_TMPDIR": str(folder)} | (environment or {}),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace")
    except OSError as trouble:
        raise CannotRun(f"cannot run {program}: {trouble.strerror}") from trouble
    output = Words(child.stdout, say)
    alarm = threading.Timer(timeout, child.kill)
    alarm.start()
    try:
        _, status, used = os.wait4(child.pid, 0)
    except BaseException:
        child.kill()
        raise
    finally:
        alarm.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)  # waited for above
    wall = time.monotonic() - begin
    output.join(2)
    try:
        account = json.loads(file.read_text())
    except (OSError, ValueError):
        account = output.begun or "no test yet"
    return child.returncode, wall, used.ru_utime + used.ru_stime, account


def tests_of(account):
    """(name, place, wall seconds) of each test that ran."""
    for suite in account["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("status") == "RUN":
                yield f"{suite['name']}.{test['name']}", f"{test.get('file', '?')}:{test.get('line', 0)}", float(test["time"].rstrip("s"))


def shown_place(place, program):
    """Relative to the repository. The compiler may have been given the file's name relative to the build folder."""
    file = pathlib.Path(os.path.normpath(program.parent.parent / place))
    return file.relative_to(ROOT) if file.is_relative_to(ROOT) else place


def loop_seconds():
    """Of processor time, of a loop of known length."""
    begin, number = time.thread_time(), 1
    for _ in range(500_000):
        number = (number * 1103515245 + 12345) & 0x7FFFFFFF
    return time.thread_time() - begin


def slowness():
    """How much longer this processor computes now than one that nobody shares; never less than 1, and at most 3."""
    return min(max(loop_seconds() / LOOP_SECONDS, 1.0), 3.0)


def processor_seconds(program, name, limit, folder):
    """What the test costs in a process of its own, on a processor that nobody shares. Stops at the first run within the limit, and at one so far above
    it that no other will be."""
    least = float("inf")
    with tempfile.TemporaryDirectory(dir=folder) as own:
        for _ in range(REPEATS):
            empty = run(program, NO_TEST, own)[2]
            before = slowness()
            took = run(program, name, own)[2] - empty
            least = min(least, took / ((before + slowness()) / 2))
            if least <= limit or least > 3 * limit:
                break
    return least


def run_shards(program, pattern, folder, say, shards):
    """What run() says of each of so many parts of the tests, which run at once. What one says of failures comes together."""
    if shards == 1:
        return [run(program, pattern, folder, say)]
    lock = threading.Lock()

    def run_shard(number):
        own, said = pathlib.Path(folder) / str(number), []
        own.mkdir()
        try:
            return run(program, pattern, own, said.append,
                       {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(number)})
        finally:
            with lock:
                for line in said:
                    say(line)

    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        return list(pool.map(run_shard, range(shards)))


def run_program(program, pattern, limit, with_long, at_once, shards=1):
    """(count, whether all passed and no quick one was over the limit, what there is to say). With `at_once` the program's own words
    appear as it says them."""
    said = []
    say = (lambda line: print(line, file=sys.stderr, flush=True)) if at_once else said.append
    with tempfile.TemporaryDirectory(prefix="dojima-tests-") as folder:
        begin = time.monotonic()
        parts = run_shards(program, (pattern or "*") if with_long else quick_filter(pattern), folder, say, shards)
        wall = time.monotonic() - begin
        processor = sum(part[2] for part in parts)
        dead = [f"{program.name} ended with status {status} in {account}" for status, _, _, account in parts
                if isinstance(account, str)]
        if dead:
            return 1, False, said + dead
        tests = [test for part in parts for test in tests_of(part[3])]
        good = all(part[0] == 0 for part in parts)
        suspects = [(name, place) for name, place, took in tests if limit is not None and took > limit and not is_long(name)]
        if shards > 1:
            # Most only waited, and may wait together.
            with concurrent.futures.ThreadPoolExecutor(shards) as pool:
                costs = list(pool.map(lambda suspect: processor_seconds(program, suspect[0], limit, folder), suspects))
            suspects = [suspect for suspect, seconds in zip(suspects, costs, strict=True) if seconds > limit]
        for name, place in suspects:
            seconds = processor_seconds(program, name, limit, folder)
            if seconds > limit:
                good = False
                said.append(f"{shown_place(place, program)}: {name} took {seconds:.2f} s of processor time, quick tests take at "
                                f"most {limit:g} s; speed it up or move it to a suite whose name ends in Long")
    print(f"{program.name}: {len(tests)} {'' if with_long else 'quick '}tests {'passed' if good else 'FAILED'}, {wall:.2f} s, "
          f"{processor:.2f} s of processor time", flush=True)
    return len(tests), good, said


def count_of(program, pattern, folder):
    """How many tests match, without running one."""
    try:
        listed = subprocess.run([str(program), "--gtest_list_tests", f"--gtest_filter={pattern}"], cwd=folder,
                                capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as trouble:
        raise CannotRun(f"cannot list the tests of {program}: {trouble}") from trouble
    return sum(line.startswith("  ") for line in listed.splitlines())


def run_programs(programs, pattern, limit, with_long, jobs=1, shards=1):
    kind = "" if with_long else "quick "
    if pattern:
        with tempfile.TemporaryDirectory(prefix="dojima-tests-") as folder:
            wanted = [program for program in programs if count_of(program, pattern if with_long else quick_filter(pattern), folder)]
            if not wanted:
                long_ones = 0 if with_long else sum(count_of(program, pattern, folder) for program in programs)
                names = ", ".join(program.name for program in programs)
                print(f"no {kind}test of {names} matches '{pattern}'"
                      + (f", {long_ones} long ones do: --all runs them" if long_ones else ""), file=sys.stderr)
                return 2
        programs = wanted
    count, good = 0, True
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(run_program, program, pattern, limit, with_long, jobs == 1, shards) for program in programs]
        for done in concurrent.futures.as_completed(running):
            ran, passed, said = done.result()
            count += ran
            good = good and passed
            for line in said:
                print(line, file=sys.stderr, flush=True)
    if len(programs) > 1:
        print(f"{count} {kind}tests of {len(programs)} programs {'passed' if good else 'ran, not all of them well'}")
    return 0 if good else 1


# ------------------------------------------------------------------------------------------------------------- self test

PLANTED = '''#!{python} -IS
"""Speaks as a GoogleTest program does."""
import fnmatch, json, os, sys, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
TESTS = {{("Suite", "quick"): lambda: None, ("Suite", "sleeps"): lambda: time.sleep(0.5),
         ("BurnsLong", "long"): lambda: burn(0.6), {more}}}
options = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
shards, shard = int(os.environ.get("GTEST_TOTAL_SHARDS", 1)), int(os.environ.get("GTEST_SHARD_INDEX", 0))
wanted, _, unwanted = options["--gtest_filter"].partition("-")
def die(name):
    print("[ RUN      ] " + name, flush=True)
    os._exit(3)
def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split(":") if pattern)
suites, failed = {{}}, False
for number, ((suite, test), body) in enumerate(TESTS.items()):
    if number % shards != shard:
        continue
    if not matches(suite + "." + test, wanted) or matches(suite + "." + test, unwanted):
        continue
    if "--gtest_list_tests" in sys.argv:
        print(suite + ".\\n  " + test)
        continue
    begin = time.monotonic()
    failed = body() is False or failed
    suites.setdefault(suite, []).append({{"name": test, "file": "{root}/dojima/planted_test.cpp", "line": 7, "status": "RUN",
                                         "time": "%.3fs" % (time.monotonic() - begin)}})
if "--gtest_output" in options:
    with open(options["--gtest_output"].removeprefix("json:"), "w") as file:
        json.dump({{"testsuites": [{{"name": name, "testsuite": tests}} for name, tests in suites.items()]}}, file)
sys.exit(failed)
'''


def self_test():
    """A planted program with a slow quick test is found with file and line; one that only waits, and a long one, are not."""
    global LOOP_SECONDS
    over = ("dojima/planted_test.cpp:7: Slow.burns took 0.", "quick tests take at most 0.1 s; speed it up or move it to a suite")
    cases = [  # (more tests, pattern, with long, exit status, what the errors must hold)
        ("", "", False, 0, ()),
        ("", "", True, 0, ()),
        ('("Slow", "burns"): lambda: burn(0.2)', "", False, 1, over),
        ('("Slow", "burns"): lambda: burn(0.2)', "Slow", False, 1, over),
        ('("Slow", "burns"): lambda: burn(0.2)', "", True, 1, over),
        ('("Slow", "burns"): lambda: burn(0.2)', "quick", False, 0, ()),
        ('("Suite", "fails"): lambda: False', "", False, 1, ()),
        ('("Suite", "dies"): lambda: die("Suite.dies")', "", False, 1, ("planted ended with status 3 in Suite.dies",)),
        ("", "nothing_like_it", False, 2, ("no quick test of planted matches '*nothing_like_it*'",)),
        ("", "BurnsLong", False, 2, ("1 long ones do: --all runs them",)),
        ("", "BurnsLong", True, 0, ()),
    ]

    def judged(more, pattern, with_long, shards=1):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "planted"
            program.write_text(PLANTED.format(python=sys.executable, more=more, root=ROOT))
            program.chmod(0o755)
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
                status = run_programs([program], positive(pattern), 0.1, with_long, shards=shards)
            return status, errors.getvalue()

    failures = []
    for shards in (1, 3):
        for more, pattern, with_long, expected, wanted in cases:
            status, said = judged(more, pattern, with_long, shards)
            if status != expected or any(text not in said for text in wanted) or (not wanted and said):
                failures.append(f"planted {more or 'nothing'}, filter '{pattern}', {shards} shards: exit status {status}, "
                                f"expected {expected}; said: {said}")
    LOOP_SECONDS, kept = 1e-6, LOOP_SECONDS  # as if another machine had most of the core
    if judged('("Slow", "burns"): lambda: burn(0.2)', "", False)[0] != 0:
        failures.append("a slow processor fails a test that another would run within the limit")
    LOOP_SECONDS = kept
    print("\n".join(failures) if failures else f"{2 * len(cases) + 1} planted programs are judged as they should be")
    return 1 if failures else 0


def main():
    global timeout
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", metavar="PATTERN", help="only tests whose Suite.test matches")
    parser.add_argument("--all", action="store_true", help="the long tests too, which have no limit")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help=f"of processor time (default: {LIMIT})")
    parser.add_argument("--no-limit", action="store_true", help="for builds that are not optimised, or sanitized")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="programs at once (default: 1)")
    parser.add_argument("--shards", type=int, default=1, metavar="N", help="parts of a program's tests at once (default: 1)")
    parser.add_argument("--timeout", type=float, default=timeout, metavar="SECONDS", help=f"for one program (default: {timeout})")
    parser.add_argument("--self-test", action="store_true", help="show that a planted slow test is found")
    parser.add_argument("programs", nargs="*", type=pathlib.Path, metavar="PROGRAM")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if not arguments.programs:
        parser.error("which programs?")
    if arguments.jobs < 1 or arguments.shards < 1:
        parser.error("--jobs and --shards need a number above 0")
    timeout = arguments.timeout
    programs = [program.resolve() for program in arguments.programs]
    try:
        return run_programs(programs, positive(arguments.filter), None if arguments.no_limit else arguments.limit, arguments.all,
                            arguments.jobs, arguments.shards)
    except CannotRun as trouble:
        print(trouble, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
