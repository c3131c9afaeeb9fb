#!/usr/bin/env python3
"""Holds the sources against the floors of the house (tools/floors.txt) and against what CMakeLists.txt says of each room.

A room (a folder under dojima/) includes itself and rooms on lower floors; nothing from its own floor, nothing upward.
What a room includes it must also link: its DEPENDS in CMakeLists.txt, or the DEPENDS of those; what it links it must
include: a room of DEPENDS in a source that is no test, a room of TESTS in a test. Headers directly in dojima/ROOM are
public, those in its folders are private to the room and to the benchmarks and fuzz targets named after it, but for the
folders that dojima_room(ROOM PUBLIC ...) names. x.cpp includes the public header x.hpp beside it first, which shows that
it compiles alone. Asio is seen only by the .cpp files and private headers of `net`
and the .cpp files of `web`, Beast only by .cpp files of both. A test that dojima_outside_tests(ROOM FOLDER [EXCEPT file...])
names includes no private header of its room, neither itself nor through another header, so that a line in one leaves it as
it is. No folder of a room holds more than MOST_FILES files.
Each violation is printed as `file:line: what is wrong`; exit status 0 when there is none, 1 when there are some, 2 when
the check itself cannot run.
"""

import argparse
import pathlib
import re
import sys
import tempfile

SOURCES = (".hpp", ".cpp", ".h", ".inl")
OUTSIDE = ("bench", "tests", "fuzz", "examples", "tools")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
KEYWORDS = ("PUBLIC", "PARTS", "PART_LINKS", "DEPENDS", "USES", "PRIVATE", "TESTS", "HEADERS", "OPTIMISED")
ROOM_CALL = re.compile(r"^dojima_room\(([^)]*)\)", re.MULTILINE)
OUTSIDE_CALL = re.compile(r"^dojima_outside_tests\(([^)]*)\)", re.MULTILINE)
ASIO = re.compile(r"^(boost/asio|asio)\b")
BEAST = re.compile(r"^boost/beast\b")
MOST_FILES = 52  # in one folder, tests included: about fifty are still looked through


def read_floors(path):
    """{room: floor} from lines of `FLOOR ROOM`."""
    floors = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not words[0].isdigit() or words[1] in floors:
            raise ValueError(f"{path}:{number}: expected `FLOOR ROOM`, each room once, got: {line}")
        floors[words[1]] = int(words[0])
    return floors


class Room:
    """What one dojima_room(...) of CMakeLists.txt says."""

    def __init__(self, line, words):
        self.line = line
        self.lists = {key: [] for key in KEYWORDS}
        key = None
        for word in words:
            if word in KEYWORDS:
                key = word
            elif key:
                self.lists[key].append(word)
        self.depends, self.tests, self.public = self.lists["DEPENDS"], self.lists["TESTS"], self.lists["PUBLIC"]


def read_rooms(path):
    """{room: Room} from the dojima_room(...) calls of CMakeLists.txt."""
    text = re.sub(r"#[^\n]*", "", path.read_text())
    rooms = {}
    for call in ROOM_CALL.finditer(text):
        words = call.group(1).split()
        rooms[words[0]] = Room(text.count("\n", 0, call.start()) + 1, words[1:])
    return rooms


def read_outside_tests(path):
    """(line, room, folder, [files that are excepted]) of each dojima_outside_tests(...) call of CMakeLists.txt."""
    text = re.sub(r"#[^\n]*", "", path.read_text())
    for call in OUTSIDE_CALL.finditer(text):
        words = call.group(1).split()
        if len(words) < 2 or (len(words) > 2 and words[2] != "EXCEPT"):
            raise ValueError(f"{path}: expected `dojima_outside_tests(ROOM FOLDER [EXCEPT file...])`, got: {call.group(0)}")
        yield text.count("\n", 0, call.start()) + 1, words[0], words[1], words[3:]


def closure(room, rooms, with_tests=False):
    """All rooms that `room` links, directly or through others; its tests may link more."""
    seen, waiting = set(), [room]
    if with_tests:
        seen.update(rooms[room].tests)
        waiting += rooms[room].tests
    while waiting:
        name = waiting.pop()
        for lower in rooms[name].depends if name in rooms else []:
            if lower not in seen:
                seen.add(lower)
                waiting.append(lower)
    return seen


def forbidden(room, other, floors):
    return f"room {room} (floor {floors[room]}) may not include room {other} (floor {floors[other]})"


def check_depends(floors, rooms, place):
    for name, room in rooms.items():
        if name not in floors:
            yield f"{place}:{room.line}: room {name} is on no floor of tools/floors.txt"
            continue
        for other in room.depends + room.tests:
            if other not in floors:
                yield f"{place}:{room.line}: room {name} depends on {other}, which is on no floor of tools/floors.txt"
            elif floors[other] >= floors[name]:
                yield (f"{place}:{room.line}: room {name} (floor {floors[name]}) may not depend on "
                       f"room {other} (floor {floors[other]})")
            elif other not in rooms:
                yield f"{place}:{room.line}: room {name} depends on {other}, which has no dojima_room(...)"


def check_include(room, file, bracket, target, floors, linked):
    """What is wrong with one include of `file`, which belongs to `room`; None when nothing is."""
    is_private = file.suffix == ".cpp" or file.parent.name != room
    if ASIO.match(target) and not ((room == "net" and is_private) or (room == "web" and file.suffix == ".cpp")):
        return f"{target}: Asio headers are included only by .cpp files and private headers of net, and .cpp files of web"
    if BEAST.match(target) and not (room in ("net", "web") and file.suffix == ".cpp"):
        return f"{target}: Beast headers are included only by .cpp files of net and web"
    if not target.startswith("dojima/"):
        return f'"{target}": our own files are included as "dojima/room/file.hpp"' if bracket == '"' else None
    parts = target.split("/")
    if len(parts) < 3:
        return f"{target}: belongs to no room"
    other = parts[1]
    if other not in floors:
        return f"{target}: room {other} is on no floor of tools/floors.txt"
    if other == room:
        return None
    if floors[other] >= floors[room]:
        return forbidden(room, other, floors)
    if linked is not None and other not in linked:
        return f"room {room} includes room {other} but does not link it: add it to the DEPENDS of dojima_room({room})"
    return None


def is_test(file):
    return re.search(r"_test[_.]", file.name) is not None


def includes_of(file):
    """(line number, bracket, target) of each include of a file."""
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        include = INCLUDE.match(line)
        if include:
            yield (number, *include.groups())


def is_private(target, rooms):
    """Whether an included path is a header that its room keeps to itself."""
    parts = target.split("/")
    return len(parts) > 3 and parts[0] == "dojima" and parts[1] in rooms and parts[2] not in rooms[parts[1]].public


def private_trouble(target):
    return f"{target} is private to room {target.split('/')[1]}: dojima_room(... PUBLIC ...) does not name its folder"


def check_first_include(file, place, rooms):
    """x.cpp shows that the public header x.hpp compiles alone by including it first."""
    beside = file.with_suffix(".hpp")
    if file.suffix != ".cpp" or not beside.exists():
        return
    header = str(place.with_name(beside.name))
    if is_private(header, rooms) or is_test(beside):
        return
    first = next(includes_of(file), (1, None, None))
    if first[2] != header:
        yield f"{place}:{first[0]}: includes {first[2]} before {header}, which is to be seen to compile alone"


def check_sources(root, floors, rooms):
    used = {room: {"source": set(), "test": set()} for room in rooms}
    for file in sorted((root / "dojima").rglob("*")):
        if file.suffix not in SOURCES:
            continue
        place = file.relative_to(root)
        room = place.parts[1] if len(place.parts) > 2 else None
        if room not in floors:
            yield f"{place}:1: lies in no room of tools/floors.txt"
            continue
        # A room without dojima_room(...), such as the program itself, names what it links in a file of its own.
        linked = closure(room, rooms, is_test(file)) if room in rooms else None
        for number, bracket, target in includes_of(file):
            trouble = check_include(room, file, bracket, target, floors, linked)
            if not trouble and is_private(target, rooms) and target.split("/")[1] != room:
                trouble = private_trouble(target)
            if trouble:
                yield f"{place}:{number}: {trouble}"
            if room in rooms and target.startswith("dojima/"):
                used[room]["test" if is_test(file) else "source"].add(target.split("/")[1])
        yield from check_first_include(file, place, rooms)
    for name, room in rooms.items():
        for other in room.depends:
            if other not in used[name]["source"]:
                yield f"CMakeLists.txt:{room.line}: room {name} depends on {other}, which none of its sources includes"
        for other in room.tests:
            if other not in used[name]["test"]:
                yield f"CMakeLists.txt:{room.line}: tests of room {name} link {other}, which none of them includes"


def owners_of(place, rooms):
    """The rooms whose private headers a file outside dojima/ may include: the one it is named after, or whose library
    its benchmark names first."""
    if place.parts[0] == "fuzz":
        return {place.name.split("_")[0]}
    if place.parts[0] == "bench" and len(place.parts) > 2:
        return {place.parts[1]}
    return set()


def check_outside(root, rooms):
    """Benchmarks, tests that span rooms, fuzz targets and examples see the public face of a room like everybody else."""
    for folder in OUTSIDE:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SOURCES and not file.name.endswith(".cpp.in"):
                continue
            place = file.relative_to(root)
            for number, _, target in includes_of(file):
                if is_private(target, rooms) and target.split("/")[1] not in owners_of(place, rooms):
                    yield f"{place}:{number}: {private_trouble(target)}"


def private_below(header, root, rooms, room):
    """The first private header of a room that one of its headers includes, itself or through others; None when none does."""
    seen, waiting = {header}, [header]
    while waiting:
        file = waiting.pop(0)
        for _, _, target in includes_of(root / file):
            if target in seen or not target.startswith(f"dojima/{room}/") or not (root / target).is_file():
                continue
            if is_private(target, rooms):
                return target
            seen.add(target)
            waiting.append(target)
    return None


def check_outside_tests(root, rooms):
    """Tests that see their room from outside, and the headers of tests that they include, name no private header of it, nor a
    public one that includes one."""
    for line, room, folder, inside in read_outside_tests(root / "CMakeLists.txt"):
        if room not in rooms:
            yield f"CMakeLists.txt:{line}: dojima_outside_tests names room {room}, which has no dojima_room(...)"
            continue
        place = pathlib.Path("dojima") / room / folder
        tests = sorted(file.name for file in (root / place).glob("*_test.cpp"))
        for name in inside:
            if name not in tests:
                yield f"CMakeLists.txt:{line}: dojima_outside_tests excepts {place / name}, which is no test there"
        waiting = [str(place / name) for name in tests if name not in inside]
        seen = set(waiting)
        while waiting:
            file = waiting.pop(0)
            for number, _, target in includes_of(root / file):
                if not target.startswith(f"dojima/{room}/") or not (root / target).is_file():
                    continue
                if is_test(root / target):
                    if target not in seen:
                        seen.add(target)
                        waiting.append(target)
                elif is_private(target, rooms):
                    yield f"{file}:{number}: {target} is private to room {room}, which its tests in {folder}/ see from outside"
                elif below := private_below(target, root, rooms, room):
                    yield (f"{file}:{number}: {target} includes {below}, which is private to room {room}, "
                           f"which its tests in {folder}/ see from outside")


def check_folders(root):
    for folder in sorted(place for place in (root / "dojima").rglob("*") if place.is_dir()):
        count = sum(1 for file in folder.iterdir() if file.is_file())
        if count > MOST_FILES:
            yield f"{folder.relative_to(root)}: holds {count} files, more than {MOST_FILES}: give a part of it a folder of its own"


def violations(root):
    floors = read_floors(root / "tools" / "floors.txt")
    rooms = read_rooms(root / "CMakeLists.txt")
    return [*check_depends(floors, rooms, "CMakeLists.txt"), *check_sources(root, floors, rooms),
            *check_outside(root, rooms), *check_outside_tests(root, rooms), *check_folders(root)]


def plant(root, files):
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def self_test():
    """Plants one violation of each kind in a small house and expects exactly those to be found."""
    sound = {
        "tools/floors.txt": "# floors\n0 base\n1 time\n1 fsm\n2 sched\n4 net\n9 cli\n",
        "CMakeLists.txt": "dojima_room(base)\ndojima_room(time DEPENDS base)\ndojima_room(sched PUBLIC containers\n"
                          "  DEPENDS time TESTS base)\ndojima_room(net DEPENDS base PRIVATE Boost::headers)\n"
                          "dojima_outside_tests(net tests EXCEPT inside_test.cpp)\n",
        "dojima/base/error.hpp": "#include <vector>\n",
        "dojima/base/error.cpp": '#include "dojima/base/error.hpp"\n#include <vector>\n',
        "dojima/time/clock.hpp": '#include "dojima/base/error.hpp"\n#include "dojima/time/clock.hpp"\n',
        "dojima/sched/loop.hpp": '#include "dojima/time/clock.hpp"\n#include "dojima/sched/wheel/run.hpp"\n',
        "dojima/sched/wheel/run.hpp": "#include <vector>\n",
        "dojima/sched/wheel/run_test.cpp": '#include <vector>\n#include "dojima/sched/wheel/run.hpp"\n',
        "dojima/sched/containers/rivals.hpp": "#include <vector>\n",
        "dojima/sched/loop_test.cpp": '#include "dojima/sched/loop.hpp"\n#include "dojima/base/error.hpp"\n',
        "dojima/net/socket.hpp": '#include "dojima/base/error.hpp"\n',
        "dojima/net/socket.cpp": '#include "dojima/net/socket.hpp"\n#include <boost/asio.hpp>\n',
        "dojima/net/tests/plain_test.cpp": '#include "dojima/net/net_test_world.hpp"\n',
        "dojima/net/tests/inside_test.cpp": '#include "dojima/net/tests/ring.hpp"\n',
        "dojima/net/tests/ring.hpp": "#include <vector>\n",
        "dojima/net/net_test_world.hpp": '#include <vector>\n#include "dojima/net/socket.hpp"\n',
        "dojima/cli/main.cpp": '#include "dojima/net/socket.hpp"\n#include "dojima/sched/containers/rivals.hpp"\n',
        "bench/sched/sched_bench.cpp": '#include "dojima/sched/wheel/run.hpp"\n',
        "fuzz/sched_script_fuzz.cpp": '#include "dojima/sched/wheel/run.hpp"\n',
    }
    private = "is private to room sched: dojima_room(... PUBLIC ...) does not name its folder"
    outside = "is private to room net, which its tests in tests/ see from outside"
    planted = [
        ("dojima/base/up.hpp", '#include <vector>\n#include "dojima/sched/loop.hpp"\n',
         "dojima/base/up.hpp:2: room base (floor 0) may not include room sched (floor 2)"),
        ("dojima/time/across.cpp", '#  include <dojima/fsm/table.hpp>\n',
         "dojima/time/across.cpp:1: room time (floor 1) may not include room fsm (floor 1)"),
        ("dojima/time/up_test.cpp", '#include "dojima/net/socket.hpp"\n',
         "dojima/time/up_test.cpp:1: room time (floor 1) may not include room net (floor 4)"),
        ("dojima/net/acceptor.hpp", "#include <boost/asio/ip/tcp.hpp>\n",
         "dojima/net/acceptor.hpp:1: boost/asio/ip/tcp.hpp: Asio headers are included only by .cpp files and private headers of net, and .cpp files of web"),
        ("dojima/cli/page.cpp", "#include <boost/beast/http.hpp>\n",
         "dojima/cli/page.cpp:1: boost/beast/http.hpp: Beast headers are included only by .cpp files of net and web"),
        ("dojima/net/unlinked.cpp", '#include "dojima/time/clock.hpp"\n',
         "dojima/net/unlinked.cpp:1: room net includes room time but does not link it: "
         "add it to the DEPENDS of dojima_room(net)"),
        ("dojima/sched/beside.hpp", '#include "loop.hpp"\n',
         'dojima/sched/beside.hpp:1: "loop.hpp": our own files are included as "dojima/room/file.hpp"'),
        ("dojima/cellar/rice.hpp", "\n", "dojima/cellar/rice.hpp:1: lies in no room of tools/floors.txt"),
        ("dojima/sched/cellar.hpp", '#include "dojima/cellar/rice.hpp"\n',
         "dojima/sched/cellar.hpp:1: dojima/cellar/rice.hpp: room cellar is on no floor of tools/floors.txt"),
        ("CMakeLists.txt", sound["CMakeLists.txt"] + "dojima_room(fsm DEPENDS time)\n",
         ["CMakeLists.txt:7: room fsm (floor 1) may not depend on room time (floor 1)",
          "CMakeLists.txt:7: room fsm depends on time, which none of its sources includes"]),
        ("CMakeLists.txt", sound["CMakeLists.txt"].replace("net DEPENDS base", "net DEPENDS base time"),
         "CMakeLists.txt:5: room net depends on time, which none of its sources includes"),
        ("dojima/sched/loop_test.cpp", '#include "dojima/sched/loop.hpp"\n',
         "CMakeLists.txt:3: tests of room sched link base, which none of them includes"),
        ("dojima/cli/inner.cpp", '#include "dojima/sched/wheel/run.hpp"\n',
         f"dojima/cli/inner.cpp:1: dojima/sched/wheel/run.hpp {private}"),
        ("bench/book/book_bench.cpp", '#include "dojima/sched/wheel/run.hpp"\n',
         f"bench/book/book_bench.cpp:1: dojima/sched/wheel/run.hpp {private}"),
        ("tests/road/road_test.cpp", '\n#include "dojima/sched/wheel/run.hpp"\n',
         f"tests/road/road_test.cpp:2: dojima/sched/wheel/run.hpp {private}"),
        ("dojima/net/tests/late_test.cpp", '\n#include "dojima/net/tests/ring.hpp"\n',
         f"dojima/net/tests/late_test.cpp:2: dojima/net/tests/ring.hpp {outside}"),
        ("dojima/net/net_test_world.hpp", '#include "dojima/net/tests/ring.hpp"\n',
         f"dojima/net/net_test_world.hpp:1: dojima/net/tests/ring.hpp {outside}"),
        ("dojima/net/socket.hpp", '#include "dojima/base/error.hpp"\n#include "dojima/net/tests/ring.hpp"\n',
         f"dojima/net/net_test_world.hpp:2: dojima/net/socket.hpp includes dojima/net/tests/ring.hpp, which {outside}"),
        ("CMakeLists.txt", sound["CMakeLists.txt"].replace("inside_test", "gone_test"),
         ["CMakeLists.txt:6: dojima_outside_tests excepts dojima/net/tests/gone_test.cpp, which is no test there",
          f"dojima/net/tests/inside_test.cpp:1: dojima/net/tests/ring.hpp {outside}"]),
        ("dojima/base/error.cpp", '#include <vector>\n#include "dojima/base/error.hpp"\n',
         "dojima/base/error.cpp:1: includes vector before dojima/base/error.hpp, which is to be seen to compile alone"),
    ]
    crowd = {f"dojima/base/crowd/part_{number}.hpp": "\n" for number in range(MOST_FILES + 1)}
    cases = [("nothing", {}, None), *((name, {name: text}, expected) for name, text, expected in planted),
             ("dojima/base/crowd", dict(list(crowd.items())[1:]), None),
             ("dojima/base/crowd", crowd, f"dojima/base/crowd: holds {MOST_FILES + 1} files, more than {MOST_FILES}: "
                                          "give a part of it a folder of its own")]
    failures = []
    for name, files, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            plant(root, {**sound, **files})
            found = violations(root)
        wanted = expected if isinstance(expected, list) else [expected] if expected else []
        if found != wanted:
            failures.append(f"planted in {name}:\n  expected {wanted}\n  found    {found}")
    print("\n".join(failures) if failures else f"{len(planted) + 1} planted violations found, none where there is none")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2],
                        help="the repository (default: the one this file belongs to)")
    parser.add_argument("--self-test", action="store_true", help="show that planted violations are found")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    try:
        found = violations(arguments.root)
    except (OSError, ValueError) as trouble:
        print(f"cannot check: {trouble}", file=sys.stderr)
        return 2
    for violation in found:
        print(violation)
    if found:
        print(f"{len(found)} violations of the rules of the house (tools/floors.txt, CMakeLists.txt)", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
