#!/usr/bin/env python3
"""What one changed line costs until the quick tests of its room have run.

    ./dev loop [ROOM...] [--touch FILE] [--against COMMIT] [--rounds N] [--json FILE]
    ./dev loop --cold [--against COMMIT] [--rounds N] [--json FILE]

For each room (default: all that have unit tests), in the release preset, a comment line is appended to

  source   its largest source,
  private  the header in a private sub-folder that most of its units include; the most included header of all, and a note, if
           the room has none,
  public   the public header that most of its units include,
  chosen   each --touch FILE instead, if there is one and no room is named,

and each time the room's test program is built, without ccache and with a job a processor, and its quick tests are run. Printed
are wall seconds of compiling (until the last unit is there), linking (from then on) and testing, and processor seconds of all
three. The file is put back as it was, its time of change too, also when the run is interrupted.

--against does the same in a checkout of COMMIT in build/loop/, one after the other in each round, and prints the ratio of
processor seconds. The files are those that git takes for the same ones under their former names, in the room and the test
program of that time; where there is none, the commit's own room is asked by the same rules, and a note says so. Where the
commit has no quick tests, all of the program's tests run, as was its way. Tests that draw random input are seeded alike.

--cold: wall and processor seconds of building in an empty folder, without ccache, instead: of what `./dev build` makes (`ninja
product`, where the tree has that), then of everything (`ninja all`).

Exit status: 0; 1 when a build, or a test of this tree, fails; 2 when the arguments are wrong.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import artefact

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "loop"
LOG = FOLDER / "last.log"
LINE = b"// One line more, appended by tools/loop.py.\n"
SEED = 1
JOBS = os.cpu_count() or 1
KINDS = ("source", "private", "public")
DEPENDENT = re.compile(r"^(?:dojima/cli/)?CMakeFiles/dojima_(\w+?)(?:_tests)?\.dir/")
Cost = collections.namedtuple("Cost", "units compile link test wall processor passed")


class CannotMeasure(Exception):
    status = 2


class BuildFailed(CannotMeasure):
    status = 1


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotMeasure(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def run(words, cwd, **environment):
    """(exit status, wall seconds, processor seconds of it and its children); its output is in LOG."""
    with open(LOG, "wb") as log:
        begin = time.monotonic()
        child = subprocess.Popen(list(map(str, words)), cwd=cwd, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 env={**os.environ, **environment})
        try:
            _, status, used = os.wait4(child.pid, 0)
        except BaseException:
            child.terminate()
            child.wait()
            raise
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, time.monotonic() - begin, used.ru_utime + used.ru_stime


def run_or_fail(what, words, cwd, **environment):
    status, wall, processor = run(words, cwd, **environment)
    if status != 0:
        lines = LOG.read_text(errors="replace").splitlines()[-30:]
        raise BuildFailed("\n".join([*lines, f"{what} failed (exit status {status}); all of its output: {LOG.relative_to(ROOT)}"]))
    return wall, processor


@contextlib.contextmanager
def touched(file):
    """The file with a line more, put back at the end together with its times."""
    before, times = file.read_bytes(), file.stat()
    changed = before + (b"" if before.endswith(b"\n") else b"\n") + LINE
    file.write_bytes(changed)
    try:
        yield
    finally:
        # Nothing may come between.
        handlers = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        now = file.read_bytes()
        if now == changed:
            file.write_bytes(before)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        else:
            file.write_bytes(now.replace(LINE, b""))
            print(f"{file} was edited meanwhile; only the line that was appended is taken out again", file=sys.stderr)
        for number, handler in handlers.items():
            signal.signal(number, handler)


class Side:
    """One tree that is measured: this one, or a checkout of another commit."""

    def __init__(self, root, name):
        self.root, self.name, self.build = root, name, root / "build" / "release"
        self.has_quick_tests = (root / "tools" / "quick_tests.py").exists()
        self.dependents = None

    def configure(self):
        run_or_fail(f"configuring {self.name}", ["cmake", "--preset", "release"], self.root)

    def rooms(self):
        """Those that have unit tests, in the order of CMakeLists.txt."""
        names = re.findall(r"^dojima_room\((\w+)", (self.root / "CMakeLists.txt").read_text(), re.MULTILINE) + ["cli"]
        return [name for name in names if any((self.root / "dojima" / name).rglob("*_test.cpp"))]

    def is_private(self, file):
        folder = pathlib.PurePath(file).parts[2:-1]
        if not folder:
            return False
        call = re.search(rf"^dojima_room\({pathlib.PurePath(file).parts[1]}\s([^)]*)\)",
                         (self.root / "CMakeLists.txt").read_text(), re.MULTILINE)
        words = call.group(1).split() if call else []
        public = []
        if "PUBLIC" in words:
            for word in words[words.index("PUBLIC") + 1:]:
                if word.isupper():
                    break
                public.append(word)
        return folder[0] not in public

    def make(self, programs):
        """What is up to date costs nothing when it is measured. ccache may help here."""
        wall, _ = run_or_fail(f"building {self.name}", ["ninja", "-C", self.build, "-j", JOBS, *programs], self.root)
        print(f"{self.name}: built in {wall:.0f} s", file=sys.stderr, flush=True)

    def look_at_includes(self):
        """How many units of a room, its tests among them, include a file, from the compiler's own account."""
        text = subprocess.run(["ninja", "-C", str(self.build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
        self.dependents = collections.defaultdict(collections.Counter)
        room = None
        for line in text.splitlines():
            if line.startswith("    "):
                path = os.path.relpath(os.path.normpath(self.build / line.strip()), self.root)
                if room and path.startswith("dojima/"):
                    self.dependents[room][path] += 1
            elif line:
                unit = DEPENDENT.match(line)
                room = unit and unit.group(1)

    def pick(self, room, kind):
        """(file, note) of the room by the rules above; (None, note) when it has no such file."""
        folder = f"dojima/{room}/"
        if kind == "source":
            files = [file for file in (self.root / folder).rglob("*.cpp") if not re.search(r"_(test|bench|fuzz)$", file.stem)]
            largest = max(files, key=lambda file: (file.stat().st_size, file.name), default=None)
            return (largest.relative_to(self.root).as_posix(), "") if largest else (None, "the room has no source")
        headers = [(count, file) for file, count in self.dependents[room].items()
                   if file.startswith(folder) and file.endswith(".hpp") and "_test" not in pathlib.PurePath(file).stem]
        wanted = [each for each in headers if self.is_private(each[1]) == (kind == "private")]
        note = ""
        if not wanted and kind == "private":
            wanted, note = headers, "no private header: the most included one"
        if not wanted:
            return None, f"no {kind} header that a unit of the room includes"
        count, file = max(wanted)
        return file, "; ".join(filter(None, [note, f"in {count} units"]))

    def program(self, file):
        return f"dojima_{file.split('/')[1]}_tests"

    def lines_of_log(self):
        return collections.Counter((self.build / ".ninja_log").read_text().splitlines())

    def measure(self, file):
        before = self.lines_of_log()
        program = self.program(file)
        with touched(self.root / file):
            wall, processor = run_or_fail(f"{self.name}: building {program} with a line more in {file}",
                                          ["ninja", "-C", self.build, "-j", JOBS, program], self.root, CCACHE_DISABLE="1")
        made = [line.split("\t") for line in (self.lines_of_log() - before) if not line.startswith("#")]
        units = {columns[3]: int(columns[1]) / 1000 for columns in made if columns[3].endswith(".o")}
        # Ninja counts from its own start.
        compiled = min(max(units.values(), default=0.0), wall)
        with tempfile.TemporaryDirectory(prefix="dojima-loop-") as folder:
            # As `./dev test ROOM` runs them.
            words = [sys.executable, ROOT / "tools/quick_tests.py", "--no-limit", "--shards", 5 * JOBS,
                     *([] if self.has_quick_tests else ["--all"]), self.build / "bin" / program]
            status, test_wall, test_processor = run(words, folder, RC_PARAMS=f"seed={SEED}")
        return Cost(len(units), compiled, wall - compiled, test_wall, wall + test_wall, processor + test_processor, status == 0)

    def measure_cold(self):
        build = FOLDER / "cold"
        shutil.rmtree(build, ignore_errors=True)
        try:
            run_or_fail(f"configuring {self.name}", ["cmake", "--preset", "release", "-B", build], self.root)
            costs, wall, processor = {}, 0.0, 0.0
            for target in ["product", "all"]:
                if run(["ninja", "-C", build, "-t", "query", target], self.root)[0] != 0:
                    continue
                more = run_or_fail(f"{self.name}: building {target}", ["ninja", "-C", build, "-j", JOBS, target],
                                   self.root, CCACHE_DISABLE="1")
                wall, processor = wall + more[0], processor + more[1]
                units = sum(line.split("\t")[3].endswith(".o")
                            for line in (build / ".ninja_log").read_text().splitlines()[1:])
                costs[target] = units, wall, processor
        finally:
            shutil.rmtree(build, ignore_errors=True)
        return costs


def checkout(commit):
    """A Side of the commit, checked out below build/loop/ unless it is already."""
    try:
        full = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}").strip()
    except CannotMeasure:
        raise CannotMeasure(f"no commit '{commit}' in this repository") from None
    folder = FOLDER / full[:12]
    git("worktree", "prune")
    if not (folder / "CMakePresets.json").exists():
        git("worktree", "add", "--force", "--detach", str(folder), full)
    return Side(folder, full[:8]), full


def former_names(commit):
    """{file of this tree: its name in the commit, None when it is new}; files that are not here have the same name."""
    words = git("diff", "-z", "--name-status", "--find-renames=40%", "-l0", commit, "--", "dojima").split("\0")
    names, at = {}, 0
    while at + 1 < len(words):
        if words[at][0] in "RC":
            names[words[at + 2]] = words[at + 1]
            at += 3
        else:
            if words[at] == "A":
                names[words[at + 1]] = None
            at += 2
    for file in git("ls-files", "-z", "--others", "--exclude-standard", "--", "dojima").split("\0"):
        if file:
            names[file] = None
    return names


class Pairs:
    """What is touched here, and its counterpart in the other tree."""

    def __init__(self, here, there, commit):
        self.here, self.there = here, there
        self.names = former_names(commit) if there else {}

    def former_room(self, room):
        """Where most of the room's files were."""
        files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "dojima" / room).rglob("*.?pp")]
        rooms = collections.Counter(name.split("/")[1] for name in (self.names.get(file, file) for file in files)
                                    if name and (self.there.root / name).exists())
        return rooms.most_common(1)[0][0] if rooms else None

    def counterpart(self, file, kind):
        """(file, note) in the other tree."""
        former = self.names.get(file, file)
        tested = self.there.rooms()
        if former and former.split("/")[1] in tested and (self.there.root / former).exists():
            return former, ""
        room = self.former_room(file.split("/")[1])
        if room not in tested:
            return None, "that commit has no such room"
        if kind == "chosen":
            return None, "that commit has no such file"
        found, note = self.there.pick(room, kind)
        return found, "; ".join(filter(None, ["new since: its own choice", note]))


def choose(pairs, rooms, files):
    """[(room, kind, [(side, file, note)])]"""
    chosen = [(file.split("/")[1], "chosen", file, "") for file in files]
    for room in rooms:
        for kind in KINDS:
            file, note = pairs.here.pick(room, kind)
            if file is None:
                print(f"{room}: {note}", file=sys.stderr)
            else:
                chosen.append((room, kind, file, note))
    found = []
    for room, kind, file, note in chosen:
        sides = [(pairs.here, file, note)]
        if pairs.there:
            former, former_note = pairs.counterpart(file, kind)
            if former is None:
                print(f"{room}, {kind}: {former_note}", file=sys.stderr)
            else:
                sides.append((pairs.there, former, former_note))
        found.append((room, kind, sides))
    return found


def shown(value):
    return artefact.number(value, 2)


def measure_lines(chosen, rounds):
    """(tables, checks): each line in each round, a side after the other, the first one changing."""
    costs = collections.defaultdict(list)
    for number in range(rounds):
        for room, kind, sides in chosen:
            for side, file, _ in sides if number % 2 == 0 else sides[::-1]:
                cost = side.measure(file)
                costs[room, kind, side.name].append(cost)
                print(f"round {number + 1}: {room}, {kind}, {side.name}: {cost.wall:.1f} s, {cost.processor:.1f} s of processor time",
                      file=sys.stderr, flush=True)
    rows, every, failed = [], [], []
    for room, kind, sides in chosen:
        for side, file, note in sides:
            own = costs[room, kind, side.name]
            middle = [shown(statistics.median(values)) for values in zip(*(cost[1:6] for cost in own), strict=True)]
            ratio = "-"
            if side is sides[0][0] and len(sides) == 2:
                ratio = shown(statistics.median(cost.processor / other.processor
                                                for cost, other in zip(own, costs[room, kind, sides[1][0].name], strict=True)))
            rows.append([room, kind, side.name, file, own[0].units, *middle, ratio, note or "-"])
            every += [[number + 1, room, kind, side.name, *map(shown, cost[1:6])] for number, cost in enumerate(own)]
            if not all(cost.passed for cost in own):
                failed.append((side, f"{side.name}: {side.program(file)}"))
    seconds = {"compile_s": "wall seconds until the last unit was compiled", "link_s": "wall seconds from then until ninja ended",
               "test_s": "wall seconds of the quick tests, or of all where there were no quick ones", "wall_s": "all three",
               "processor_s": "processor seconds of all three"}
    notes = [f"Medians of {rounds} rounds, without ccache, {JOBS} jobs."]
    tables = [artefact.table("loop", "one line more, until the tests of its room have run",
                             {"room": "", "kind": "", "tree": "", "file": "what got the line", "units": "compiled", **seconds,
                              "ratio": "processor seconds over those of the other tree", "note": ""}, rows, notes),
              artefact.table("rounds", "every round", {"round": "", "room": "", "kind": "", "tree": "", **seconds}, every)]
    return tables, failed


def measure_cold(sides, rounds):
    found = collections.defaultdict(list)
    for number in range(rounds):
        for side in sides if number % 2 == 0 else sides[::-1]:
            costs = side.measure_cold()
            found[side.name].append(costs)
            for target, (_, wall, processor) in costs.items():
                print(f"round {number + 1}: {side.name}: {target}: {wall:.0f} s, {processor:.0f} s of processor time",
                      file=sys.stderr, flush=True)
    rows = []
    for target in ["product", "all"]:
        for side in sides:
            own = [costs[target] for costs in found[side.name] if target in costs]
            if not own:
                continue
            ratio = "-"
            others = [costs[target] for costs in found[sides[1].name] if target in costs] if len(sides) == 2 else []
            if side is sides[0] and len(others) == len(own):
                ratio = shown(statistics.median(each[2] / other[2] for each, other in zip(own, others, strict=True)))
            rows.append([target, side.name, own[0][0], shown(statistics.median(each[1] for each in own)),
                         shown(statistics.median(each[2] for each in own)), ratio])
    every = [[number + 1, target, side.name, shown(wall), shown(processor)] for side in sides
             for number, costs in enumerate(found[side.name]) for target, (_, wall, processor) in costs.items()]
    return [artefact.table("cold", "from nothing",
                           {"target": "of ninja: product, what people use, or all, tests and benchmarks with it", "tree": "",
                            "units": "compiled", "wall_s": "until the target is made", "processor_s": "likewise, children included",
                            "ratio": "processor seconds over those of the other tree"},
                           rows, [f"Medians of {rounds} rounds, without ccache, {JOBS} jobs; configuring is not counted."]),
            artefact.table("rounds", "every round", {"round": "", "target": "", "tree": "", "wall_s": "", "processor_s": ""}, every)]


def repository_file(text):
    file = pathlib.Path(text).resolve()
    if not file.is_file() or not file.is_relative_to(ROOT / "dojima") or len(file.relative_to(ROOT).parts) < 3:
        raise CannotMeasure(f"{text}: no file of a room")
    return file.relative_to(ROOT).as_posix()


def measure(options):
    here = Side(ROOT, "here")
    known = here.rooms()
    for room in options.rooms:
        if room not in known:
            raise CannotMeasure(f"no room '{room}' with unit tests; there are: {' '.join(known)}")
    files = [repository_file(file) for file in options.touch]
    for file in files:
        if file.split("/")[1] not in known:
            raise CannotMeasure(f"{file}: its room has no unit tests")
    FOLDER.mkdir(parents=True, exist_ok=True)
    there, commit = checkout(options.against) if options.against else (None, None)
    sides = [side for side in (here, there) if side]
    parameters = {"rounds": options.rounds, "jobs": JOBS, "seed": SEED, "against": commit or "-"}
    if options.cold:
        tables, failed = measure_cold(sides, options.rounds), []
    else:
        rooms = options.rooms or ([] if files else known)
        pairs = Pairs(here, there, commit)
        here.configure()
        here.make([f"dojima_{room}_tests" for room in dict.fromkeys([*rooms, *(file.split("/")[1] for file in files)])])
        here.look_at_includes()
        if there:
            there.configure()
            former = {pairs.names.get(file, file) for file in here_files(here, rooms, files)}
            wanted = {file.split("/")[1] for file in former if file} | {pairs.former_room(room) for room in rooms}
            there.make([f"dojima_{room}_tests" for room in there.rooms() if room in wanted])
            there.look_at_includes()
        tables, failed = measure_lines(choose(pairs, rooms, files), options.rounds)
        parameters |= {"rooms": " ".join(rooms), "files": " ".join(files)}
    print(artefact.to_text(tables[0]))
    checks = [("tests pass", not failed, ", ".join(dict.fromkeys(text for _, text in failed)) or "all")]
    for _, text in failed:
        print(f"tests failed: {text}", file=sys.stderr)
    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    text = artefact.artefact(ROOT, "./dev loop", parameters, tables, checks, compiler)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(text)
    print(f"result: {options.json}")
    return 1 if any(side is here for side, _ in failed) else 0


def here_files(here, rooms, files):
    return [*files, *(file for file, _ in (here.pick(room, kind) for room in rooms for kind in KINDS) if file)]


def interrupted(number, _):
    raise KeyboardInterrupt(signal.Signals(number).name)


def main():
    parser = argparse.ArgumentParser(prog="./dev loop", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", metavar="ROOM")
    parser.add_argument("--touch", action="append", default=[], metavar="FILE", help="this file; may be given several times")
    parser.add_argument("--against", metavar="COMMIT", help="measure that commit as well, interleaved")
    parser.add_argument("--rounds", type=int, metavar="N", help="default: 3, 1 with --cold")
    parser.add_argument("--cold", action="store_true", help="everything, from nothing")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build" / "loop.json", metavar="FILE",
                        help="the result as an artefact (default: build/loop.json)")
    options = parser.parse_args()
    if options.rounds is None:
        options.rounds = 1 if options.cold else 3
    if options.rounds < 1:
        parser.error("--rounds needs a number above 0")
    if options.cold and (options.rooms or options.touch):
        parser.error("--cold builds everything; it takes no rooms and no files")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    try:
        return measure(options)
    except CannotMeasure as trouble:
        print(f"./dev loop: {trouble}", file=sys.stderr)
        return trouble.status
    except KeyboardInterrupt:
        print("./dev loop: interrupted; the files are as they were", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
