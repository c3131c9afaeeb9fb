#!/usr/bin/env python3
"""Holds the sources against the floors of the house (tools/floors.txt).

A room (a folder under dojima/) includes itself and rooms on lower floors; nothing from its own floor, nothing upward.
What a room includes it must also link: its DEPENDS in CMakeLists.txt, or the DEPENDS of those. Asio is seen only by the
.cpp files of `net`, Beast by those of `net` and `app`. Each violation is printed as `file:line: what is wrong`; exit
status 0 when there is none, 1 when there are some, 2 when the check itself cannot run.
"""

import argparse
import pathlib
import re
import sys
import tempfile

SOURCES = (".hpp", ".cpp", ".h", ".inl")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROOM_CALL = re.compile(r"^dojima_room\(([^)]*)\)", re.MULTILINE)
ASIO = re.compile(r"^(boost/asio|asio)\b")
BEAST = re.compile(r"^boost/beast\b")


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


def read_depends(path):
    """{room: (line, [rooms it links])} from the dojima_room(...) calls of CMakeLists.txt."""
    text = re.sub(r"#[^\n]*", "", path.read_text())
    depends = {}
    for call in ROOM_CALL.finditer(text):
        words = call.group(1).split()
        linked = []
        if "DEPENDS" in words:
            for word in words[words.index("DEPENDS") + 1:]:
                if word == "PRIVATE":
                    break
                linked.append(word)
        depends[words[0]] = (text.count("\n", 0, call.start()) + 1, linked)
    return depends


def closure(room, depends):
    """All rooms that `room` links, directly or through others."""
    seen, waiting = set(), [room]
    while waiting:
        for lower in depends.get(waiting.pop(), (0, []))[1]:
            if lower not in seen:
                seen.add(lower)
                waiting.append(lower)
    return seen


def forbidden(room, other, floors):
    return f"room {room} (floor {floors[room]}) may not include room {other} (floor {floors[other]})"


def check_depends(floors, depends, place):
    for room, (line, linked) in depends.items():
        if room not in floors:
            yield f"{place}:{line}: room {room} stands on no floor of tools/floors.txt"
            continue
        for other in linked:
            if other not in floors:
                yield f"{place}:{line}: room {room} depends on {other}, which stands on no floor of tools/floors.txt"
            elif floors[other] >= floors[room]:
                yield (f"{place}:{line}: room {room} (floor {floors[room]}) may not depend on "
                       f"room {other} (floor {floors[other]})")
            elif other not in depends:
                yield f"{place}:{line}: room {room} depends on {other}, which has no dojima_room(...)"


def check_include(room, file, bracket, target, floors, linked):
    """What is wrong with one include of `file`, which belongs to `room`; None when nothing is."""
    if ASIO.match(target) and not (room == "net" and file.suffix == ".cpp"):
        return f"{target}: Asio headers are included only by .cpp files of net"
    if BEAST.match(target) and not (room in ("net", "app") and file.suffix == ".cpp"):
        return f"{target}: Beast headers are included only by .cpp files of net and app"
    if not target.startswith("dojima/"):
        return f'"{target}": our own files are included as "dojima/room/file.hpp"' if bracket == '"' else None
    parts = target.split("/")
    if len(parts) < 3:
        return f"{target}: belongs to no room"
    other = parts[1]
    if other not in floors:
        return f"{target}: room {other} stands on no floor of tools/floors.txt"
    if other == room:
        return None
    if floors[other] >= floors[room]:
        return forbidden(room, other, floors)
    if linked is not None and other not in linked:
        return f"room {room} includes room {other} but does not link it: add it to the DEPENDS of dojima_room({room})"
    return None


def check_sources(root, floors, depends):
    for file in sorted((root / "dojima").rglob("*")):
        if file.suffix not in SOURCES:
            continue
        place = file.relative_to(root)
        room = place.parts[1] if len(place.parts) > 2 else None
        if room not in floors:
            yield f"{place}:1: lies in no room of tools/floors.txt"
            continue
        # A room without dojima_room(...), such as the program itself, names what it links in a file of its own.
        linked = closure(room, depends) if room in depends else None
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            include = INCLUDE.match(line)
            trouble = include and check_include(room, file, *include.groups(), floors, linked)
            if trouble:
                yield f"{place}:{number}: {trouble}"


def violations(root):
    floors = read_floors(root / "tools" / "floors.txt")
    depends = read_depends(root / "CMakeLists.txt")
    return list(check_depends(floors, depends, "CMakeLists.txt")) + list(check_sources(root, floors, depends))


def plant(root, files):
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def self_test():
    """Plants one violation of each kind in a small house and expects exactly those to be found."""
    sound = {
        "tools/floors.txt": "# floors\n0 base\n1 time\n1 fsm\n2 sched\n4 net\n8 cli\n",
        "CMakeLists.txt": "dojima_room(base)\ndojima_room(time DEPENDS base)\ndojima_room(sched\n  DEPENDS time)\n"
                          "dojima_room(net DEPENDS base PRIVATE Boost::headers)\n",
        "dojima/base/error.hpp": "#include <vector>\n",
        "dojima/time/clock.hpp": '#include "dojima/base/error.hpp"\n#include "dojima/time/clock.hpp"\n',
        "dojima/sched/loop_test.cpp": '#include "dojima/base/error.hpp"\n',
        "dojima/net/socket.cpp": "#include <boost/asio.hpp>\n",
        "dojima/cli/main.cpp": '#include "dojima/net/socket.hpp"\n',
    }
    planted = [
        ("dojima/base/up.hpp", '#include <vector>\n#include "dojima/sched/loop.hpp"\n',
         "dojima/base/up.hpp:2: room base (floor 0) may not include room sched (floor 2)"),
        ("dojima/time/across.cpp", '#  include <dojima/fsm/table.hpp>\n',
         "dojima/time/across.cpp:1: room time (floor 1) may not include room fsm (floor 1)"),
        ("dojima/time/up_test.cpp", '#include "dojima/net/socket.hpp"\n',
         "dojima/time/up_test.cpp:1: room time (floor 1) may not include room net (floor 4)"),
        ("dojima/net/socket.hpp", "#include <boost/asio/ip/tcp.hpp>\n",
         "dojima/net/socket.hpp:1: boost/asio/ip/tcp.hpp: Asio headers are included only by .cpp files of net"),
        ("dojima/cli/page.cpp", "#include <boost/beast/http.hpp>\n",
         "dojima/cli/page.cpp:1: boost/beast/http.hpp: Beast headers are included only by .cpp files of net and app"),
        ("dojima/net/unlinked.cpp", '#include "dojima/time/clock.hpp"\n',
         "dojima/net/unlinked.cpp:1: room net includes room time but does not link it: "
         "add it to the DEPENDS of dojima_room(net)"),
        ("dojima/sched/beside.hpp", '#include "loop.hpp"\n',
         'dojima/sched/beside.hpp:1: "loop.hpp": our own files are included as "dojima/room/file.hpp"'),
        ("dojima/cellar/rice.hpp", "\n", "dojima/cellar/rice.hpp:1: lies in no room of tools/floors.txt"),
        ("dojima/sched/cellar.hpp", '#include "dojima/cellar/rice.hpp"\n',
         "dojima/sched/cellar.hpp:1: dojima/cellar/rice.hpp: room cellar stands on no floor of tools/floors.txt"),
        ("CMakeLists.txt", sound["CMakeLists.txt"] + "dojima_room(fsm DEPENDS base time)\n",
         "CMakeLists.txt:6: room fsm (floor 1) may not depend on room time (floor 1)"),
    ]
    failures = []
    for name, text, expected in [(None, None, None)] + planted:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            plant(root, {**sound, **({name: text} if name else {})})
            found = violations(root)
        wanted = [expected] if expected else []
        if found != wanted:
            failures.append(f"planted in {name}:\n  expected {wanted}\n  found    {found}")
    print("\n".join(failures) if failures else f"{len(planted)} planted violations found, none where there is none")
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
        print(f"{len(found)} violations of the floor rule (tools/floors.txt)", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
