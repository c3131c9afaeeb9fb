#!/usr/bin/env python3
"""Says of every artefact in docs/measurements/ whether what it measured has changed since.

An artefact names its command and the commit it was made at. The command stands for the folders that it measures (SUBJECTS);
a folder of dojima/ brings those of the rooms that it links (CMakeLists.txt), so a change to what lies below counts as well.
Between that commit and the working tree git is asked which files of code differ there; tests and documents are no code.

    current       nothing of it has changed
    changed       so many files have
    uncommitted   it was made of sources that differ from every commit: make it anew
    unknown       its commit is not in this history (or it names none): make it anew

Exit status 0 whatever it finds: a page may quote a figure of an older room as long as it says so. 1 with --strict when an
artefact is uncommitted or unknown; 2 when a file is no artefact, or its command stands for no folders.

    tools/artefact_age.py [--strict] [--json] [FILE...]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import source_identity

ROOT = pathlib.Path(__file__).resolve().parents[1]
MEASUREMENTS = "docs/measurements"
# The command's beginning, and the folders; the longest beginning decides.
SUBJECTS = {
    "dojima demo": ["dojima/app", "dojima/simulate"],
    "dojima feed": ["dojima/mitch", "dojima/app"],
    "dojima lab ab -- dojima demo": ["dojima/app", "dojima/simulate", "dojima/harness"],
    "dojima lab ab": ["dojima/harness", "dojima/measure"],
    "dojima lab claims": ["dojima/harness", "dojima/instruments", "dojima/sched", "bench/sched", "bench/book", "dojima/fsm", "bench/fsm",
                          "dojima/gateway", "bench/gateway", "dojima/queueing", "dojima/app"],
    "dojima lab tune": ["dojima/app", "dojima/simulate", "dojima/harness"],
    "dojima lab latency": ["dojima/app", "dojima/venue", "dojima/mit"],
    "dojima lab": ["dojima/instruments"],
    "dojima bench --merge": ["dojima/harness"],
    "dojima queue": ["dojima/queueing"],
    "dojima fsm": ["dojima/fsm", "dojima/cli"],
    "tools/cache_misses.py": ["dojima/sched", "bench/sched", "tools/cache_misses.py"],
    "tools/cost_model.py": ["dojima/sched", "bench/sched", "tools/cost_model.py"],
    "tools/lookup_instructions.py": ["dojima/fsm", "bench/fsm", "tools/lookup_instructions.py"],
    "tools/book_instructions.py": ["dojima/book", "bench/book", "tools/book_instructions.py"],
    "tools/branch_misses.py": ["dojima/fsm", "bench/fsm", "tools/branch_misses.py"],
    "tools/compile_cost.py": ["dojima/fsm", "dojima/gateway", "dojima/mit", "dojima/mitch", "dojima/web", "tools/compile_cost.py"],
    "tools/site/build.py": ["tools/site"],
    "tests/dashboard/measure.py": ["dojima/web", "dojima/app", "tests/dashboard/measure.py"],
    "tools/system_calls.py": ["dojima/gateway", "dojima/app", "dojima/net", "tools/system_calls.py"],
    "tools/book_soak.py": ["dojima/book"],
    "tools/feed_soak.py": ["dojima/mitch", "dojima/app", "dojima/net"],
    "tests/quickfixj/both_roles.py": ["dojima/fix", "examples/fix_echo", "tests/quickfixj"],
    "dojima-session-pairs": ["dojima/fix", "dojima/journal", "dojima/link", "tests/fix_cases"],
    "dojima-gateway-kills": ["dojima/app", "tests/crash"],
    "dojima-standby-kills": ["dojima/app", "tests/crash"],
    "bench/peers/journal_peers.py": ["dojima/journal", "bench/peers"],
    "dojima backtest": ["dojima/backtest"],
    "bench/peers/replay_peers.py": ["dojima/replay", "bench/peers"],
    "bench/peers/backtest_peers.py": ["dojima/backtest", "bench/peers"],
    "bench/peers/python_peers.py": ["dojima/backtest", "dojima/book", "python/src", "python/dojima", "bench/peers"],
    "dojima sweep": ["dojima/backtest"],
    "echo_costs": ["bench/session", "dojima/fix"],
    "partition_costs": ["bench/venue", "dojima/venue", "dojima/book", "dojima/mit"],
    "./dev loop": ["tools/loop.py"],
}


def subjects_of(command, root):
    """The folders and files that a command measures; empty: not known."""
    if (found := re.match(r"dojima bench (\w+)", command)) and found[1] != "merge":
        return [f"bench/{found[1]}", *bench_rooms(root, found[1]), "dojima/harness"]
    beginning = max((one for one in SUBJECTS if command.startswith(one)), key=len, default=None)
    return SUBJECTS.get(beginning, [])


def bench_rooms(root, name):
    """The rooms that a benchmark links."""
    lists = root / "bench" / name / "CMakeLists.txt"
    words = re.findall(r"dojima_(\w+)", lists.read_text(encoding="utf-8")) if lists.is_file() else []
    rooms = rooms_of(root)
    return [f"dojima/{room}" for room in rooms if any(word == room or word.startswith(room + "_") for word in words)]


def rooms_of(root):
    """{room: the rooms that it depends on} of the CMake lists."""
    lists = root / "CMakeLists.txt"
    if not lists.is_file():
        return {}
    text = lists.read_text(encoding="utf-8")
    rooms = {}
    for call in re.findall(r"dojima_room\(([^)]*)\)", text):
        words = call.split()
        depends = words[words.index("DEPENDS") + 1:] if "DEPENDS" in words else []
        end = next((at for at, word in enumerate(depends) if word.isupper()), len(depends))
        rooms[words[0]] = depends[:end]
    return rooms


def with_rooms_below(subjects, root):
    rooms, all_of, left = rooms_of(root), [], list(subjects)
    while left:
        one = left.pop(0)
        if one in all_of:
            continue
        all_of.append(one)
        left += [f"dojima/{room}" for room in rooms.get(one.removeprefix("dojima/"), [])]
    return all_of


def is_subject(path, subjects):
    return any(path == one or path.startswith(one.rstrip("/") + "/") for one in subjects)


def changed_since(root, commit, subjects):
    """Files of code among the subjects that differ; None when the commit is not in this history."""
    if not commit or source_identity.git(root, "merge-base", "--is-ancestor", commit, "HEAD") is None:
        return None
    named = source_identity.git(root, "diff", "--name-only", "--no-renames", "-z", commit)
    paths = [path for path in (named or "").split("\0") if path and is_subject(path, subjects)]
    return [path for path in paths if source_identity.is_code(path) or path in subjects]


def age_of(root, artefact):
    """(state, detail)"""
    own = subjects_of(artefact["command"], root)
    if not own:
        raise ValueError(f"no folders are known for the command '{artefact['command']}' (SUBJECTS)")
    evidence = artefact["evidence"]
    if evidence.get("dirty"):
        return "uncommitted", "made of sources that differ from the commit it names"
    changed = changed_since(root, evidence.get("commit", ""), with_rooms_below(own, root))
    if changed is None:
        return "unknown", f"commit {evidence.get('commit', '')[:8] or 'none'} is not in this history"
    if not changed:
        return "current", ""
    own_files = [path for path in changed if is_subject(path, own)]
    return "changed", f"{len(own_files)} files of its own, {len(changed)} with the rooms below"


def rows_of(root, files):
    for path in files:
        artefact = json.loads(path.read_text(encoding="utf-8"))
        yield [artefact["id"][:8], artefact["command"], artefact["evidence"].get("created_utc", "")[:10], *age_of(root, artefact)]


def self_test():
    """A repository with one room over another: an artefact of each kind."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)

        def git(*words):
            return source_identity.git(root, "-c", "user.name=n", "-c", "user.email=e", *words)

        def write(path, text):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)

        def commit():
            git("add", "-A")
            git("commit", "-qm", "c")
            return git("rev-parse", "HEAD").strip()

        git("init", "-q")
        write("CMakeLists.txt", "dojima_room(base)\ndojima_room(sched DEPENDS base PRIVATE x)\ndojima_room(fsm DEPENDS base)\n")
        write("bench/sched/CMakeLists.txt", "dojima_bench(sched LINK dojima_sched)\n")
        write("dojima/base/a.cpp", "1")
        write("dojima/sched/b.cpp", "1")
        write("dojima/fsm/c.cpp", "1")
        first = commit()
        write("dojima/fsm/c.cpp", "2")
        write("dojima/sched/b_test.cpp", "a test is no code that is measured")
        write("docs/sched.md", "nor is a page")
        second = commit()
        write("dojima/base/a.cpp", "2")
        third = commit()

        def state(command, at, dirty=False):
            return age_of(root, {"command": command, "evidence": {"commit": at, "dirty": dirty}})

        for title, got, wanted in (
                ("below", state("dojima bench sched --table hold", first), ("changed", "0 files of its own, 1 with the rooms below")),
                ("own", state("tools/lookup_instructions.py", first)[0], "changed"),
                ("another room", state("tools/cost_model.py", third), ("current", "")),
                ("still", state("dojima bench sched", third), ("current", "")),
                ("later", state("tools/lookup_instructions.py", second)[1], "0 files of its own, 1 with the rooms below"),
                ("uncommitted", state("dojima bench sched", third, True)[0], "uncommitted"),
                ("unknown", state("dojima bench sched", "0" * 40)[0], "unknown"),
                ("none", state("dojima bench sched", "")[0], "unknown")):
            if got != wanted:
                failures.append(f"{title}: {got}, expected {wanted}")
        write("dojima/sched/b.cpp", "2")
        if state("dojima bench sched", third)[0] != "changed":
            failures.append("a change that is not committed yet is not seen")
        try:
            state("dojima conjure", third)
            failures.append("a command without folders passes")
        except ValueError:
            pass
    print("\n".join(failures) if failures else "every age is known")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE", help="artefacts; all of docs/measurements otherwise")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--strict", action="store_true", help="fail when an artefact is uncommitted or unknown")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    root = options.root.resolve()
    files = options.files or sorted((root / MEASUREMENTS).glob("*.json"))
    states = []
    try:
        for name, command, made, state, detail in rows_of(root, files):
            states.append(state)
            if options.json:
                print(json.dumps({"id": name, "command": command, "made": made, "state": state, "detail": detail}))
            else:
                print(f"{name}  {made}  {state:11}  {command[:60]:60}  {detail}".rstrip())
    except (OSError, ValueError, KeyError) as trouble:
        print(f"artefact_age: {trouble}", file=sys.stderr)
        return 2
    if not options.json:
        print(", ".join(f"{states.count(one)} {one}" for one in ("current", "changed", "uncommitted", "unknown")))
    return 1 if options.strict and {"uncommitted", "unknown"} & set(states) else 0


if __name__ == "__main__":
    sys.exit(main())
