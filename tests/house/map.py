#!/usr/bin/env python3
"""Holds the pages against the tree: what they name exists.

  - The map of ARCHITECTURE.md (section "The map") names files and functions: each function is defined in its file.
    A mention, a call or a declaration is not enough.
  - The table of rooms (section "The rooms") has every room of tools/floors.txt that has a folder under dojima/, on its
    floor, and no other; each row links to a page.
  - Names of rooms in the pages' code (`venue::Partition`) are in the room's headers.
  - Paths of this repository (`dojima/...`, `docs/...`, `tools/...` and so on) and links of README.md, ARCHITECTURE.md,
    CONTRIBUTING.md and docs/, paths in comments of CMake files, and pages that sources name, exist; so do the headings
    that links lead to, and source files that pages and comments of sources name without the whole way to them
    (`book.hpp`, `market/day.hpp`).
    Wildcards and words in capitals (NAME, ROOM_WHAT) are placeholders.

Each violation is printed as `file:line: what is wrong`; exit status 0 when there is none, 1 when there are some, 2 when
the check itself cannot run.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

FOLDERS = "dojima|docs|tools|tests|bench|fuzz|examples|cmake"
PATH = re.compile(rf"(?<![\w./<>-])(?:{FOLDERS})/[\w./*<>{{}}…+-]*")
SOURCE_NAME = re.compile(r"(?<![\w./*…-])[\w./*…-]+\.(?:hpp|cpp|inl|py|cmake)(?![\w*])")
PAGE_NAME = re.compile(r"(?<![\w./-])docs/[\w/*-]+\.md\b")
QUALIFIED = re.compile(r"(?<![\w:])(?:dojima::)?([a-z]\w*)::(\w+)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"(`+)(.+?)\1")
PLACEHOLDER = re.compile(r"(?:^|[/_.-])(?!README|ARCHITECTURE|CONTRIBUTING|LICENSE|NOTICE)[A-Z]{2,}(?=[/_.-]|$)|"
                         r"[*<>{}…]|\.\.\.")
SKIPPED = {"build", ".git", "__pycache__"}
GONE_ROOMS = {"lab"}  # namespaces that examples were written with once
MAP = "The map"
ROOMS = "The rooms"


# ------------------------------------------------------------------------------------------------------------- pages


def cells_of(line):
    """The cells of a line of a table; none when it is no such line."""
    line = line.strip()
    if not line.startswith("|"):
        return []
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
    return [] if all(re.fullmatch(r":?-+:?", cell) for cell in cells) else cells


def code_of(text):
    return [found.group(2).strip() for found in CODE.finditer(text)]


def lines_of(text):
    """(number, line, whether it lies in a code block) of a page, without the fences."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        else:
            yield number, line, fenced


def tables_of(text):
    """(section, header cells, [(number, cells)], number of the header) of each table of a page."""
    section, table = "", None
    for number, line, fenced in lines_of(text):
        cells = [] if fenced else cells_of(line)
        if not fenced and line.startswith("#"):
            section = line.lstrip("#").strip()
        if cells and table is None:
            table = (section, cells, [], number)
        elif cells:
            table[2].append((number, cells))
        elif table is not None and not line.lstrip().startswith("|"):
            yield table
            table = None
    if table is not None:
        yield table


def anchors_of(text):
    """What links to headings may say behind #, as GitHub makes it of them."""
    anchors = set()
    for _, line, fenced in lines_of(text):
        if not fenced and re.match(r"#{1,6} ", line):
            words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip()).lower()
            anchors.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return anchors


# -------------------------------------------------------------------------------------------- functions of a C++ file


NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'|'
                     r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.DOTALL | re.MULTILINE)
NO_FUNCTIONS = {"requires", "noexcept", "decltype", "alignas", "explicit", "if", "for", "while", "switch", "catch", "sizeof",
                "static_assert", "__attribute__"}


def code_only(text):
    """`text` with comments, literals and preprocessor lines blanked; places stay where they are."""
    return NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def end_of_block(text, at):
    depth = 0
    for place in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def introduced(head):
    """What a declaration opens before its brace: ("scope", name), ("function", name) or ("", "")."""
    head = re.sub(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", " ", head, flags=re.DOTALL)
    before = None
    while before != head:  # template parameters and arguments, from the inside out
        before, head = head, re.sub(r"(?<!operator)<[^<>{};]*>", " ", head)
    if found := re.search(r"\bnamespace\s*([\w:]*)\s*$", head):
        return "scope", found.group(1)
    if "(" not in head:
        found = re.search(r"\b(?:class|struct|union)\s+([\w: ]*?\w)\s*(?:\bfinal\s*)?(?::(?!:).*)?$", head, re.DOTALL)
        is_type = found and not re.search(r"\benum\b", head)
        return ("scope", re.sub(r"\s*::\s*", "::", found.group(1))) if is_type else ("", "")
    for paren in (found.start() for found in re.finditer(r"\(", head)):
        name = re.search(r"((?:\w+\s*::\s*)*~?\w+|(?:\w+\s*::\s*)*operator\s*\S{1,3})\s*$", head[:paren])
        if not name or name.group(1) in NO_FUNCTIONS or name.group(1).isupper():
            continue
        if "operator" not in name.group(1) and "=" in head[:paren]:
            return "", ""  # a variable and what it begins with
        return "function", re.sub(r"\s*::\s*", "::", name.group(1))
    return "", ""


def functions_of(text):
    """The functions that a C++ file defines, each with the namespaces and types it lies in."""
    text = code_only(text)
    names, scopes, head, at = set(), [], 0, 0
    while at < len(text):
        if text[at] == ";":
            head = at + 1
        elif text[at] == "}":
            head = at + 1
            if scopes:
                scopes.pop()
        elif text[at] == "{":
            kind, name = introduced(text[head:at])
            if kind == "scope":
                scopes.append(name)
            else:
                if kind == "function":
                    names.add("::".join([scope for scope in scopes if scope] + [name]))
                at = end_of_block(text, at)
            head = at + 1
        at += 1
    return names


def defines(names, wanted):
    return any(name == wanted or name.endswith("::" + wanted) for name in names)


# ------------------------------------------------------------------------------------------------------------- checks


def read_floors(path):
    """{room: floor} from lines of `FLOOR ROOM`."""
    rows = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return {row[1]: int(row[0]) for row in rows if len(row) == 2}


def check_map(root):
    """Rows with a step, a file and functions; further rows of the same step may leave the step empty."""
    page = "ARCHITECTURE.md"
    rows = [row for section, _, body, _ in tables_of((root / page).read_text()) if section == MAP for row in body]
    if not rows:
        yield f"{page}:1: the section \"{MAP}\" has no table of steps, files and functions"
    for number, cells in rows:
        files = [word for word in code_of(cells[1]) if "/" in word] if len(cells) > 2 else []
        functions = [word.split("(")[0] for word in code_of(cells[2])] if len(cells) > 2 else []
        if len(files) != 1 or not functions or not PATH.fullmatch(files[0]):
            yield f"{page}:{number}: a row of the map names a step, one file and its functions"
        elif (root / files[0]).is_file():  # check_paths says so when it does not exist
            names = functions_of((root / files[0]).read_text())
            for function in functions:
                if not defines(names, function):
                    yield f"{page}:{number}: {files[0]} defines no {function}"


def check_rooms(root):
    page, floors, seen = "ARCHITECTURE.md", read_floors(root / "tools" / "floors.txt"), set()
    for section, header, body, _ in tables_of((root / page).read_text()):
        if section != ROOMS or header[:2] != ["floor", "room"]:
            continue
        for number, cells in body:
            for room in code_of(cells[1]):
                seen.add(room)
                if room not in floors or not (root / "dojima" / room).is_dir():
                    yield f"{page}:{number}: room {room} is no room of tools/floors.txt with a folder under dojima/"
                elif cells[0] != str(floors[room]):
                    yield f"{page}:{number}: room {room} is on floor {floors[room]}, not {cells[0]}"
                if not LINK.search(cells[-1]):
                    yield f"{page}:{number}: room {room} has no page"
    for room in floors:
        folder = root / "dojima" / room
        if room not in seen and folder.is_dir() and any(entry.is_file() for entry in folder.rglob("*")):
            yield f"{page}:1: room {room} is missing in the table of rooms"


def files_of(root):
    """Every file of the tree, as a path from the root."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(files):
            yield (pathlib.Path(folder) / name).relative_to(root).as_posix()


def is_there(root, path):
    return PLACEHOLDER.search(path) or (root / path.rstrip(".")).exists()


def check_link(root, page, target):
    """What is wrong with the target of a link on `page`; None when nothing is."""
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    file = (root / page).parent / name if name else root / page
    if not file.exists():
        return f"{target} does not exist"
    if anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
        return f"{target}: the page has no such heading"
    return None


def words_of_rooms(root):
    """{room: the words of its headers}."""
    return {room: {word for header in (root / "dojima" / room).rglob("*.hpp")
                   for word in re.findall(r"\w+", code_only(header.read_text(errors="replace")))}
            for room in read_floors(root / "tools" / "floors.txt")}


def check_page(root, page, names, words):
    for number, line, fenced in lines_of((root / page).read_text()):
        code = [line] if fenced else code_of(line)
        for room, name in (found.groups() for text in code for found in QUALIFIED.finditer(text)):
            if room in GONE_ROOMS or (room in words and name not in words[room] and name not in words):
                yield f"{page}:{number}: room {room} has no {name}"
        for path in (found.group() for text in code for found in PATH.finditer(text)):
            if not is_there(root, path):
                yield f"{page}:{number}: {path} does not exist"
        if fenced:
            continue
        for name in (found.group() for text in code for found in SOURCE_NAME.finditer(text)):
            if not PATH.match(name) and not is_named(names, name):
                yield f"{page}:{number}: {name} does not exist"
        for target in LINK.findall(CODE.sub("", line)):
            if trouble := check_link(root, page, target):
                yield f"{page}:{number}: {trouble}"


def is_named(names, name):
    """Whether some file's path ends in `name`, or in what it is generated from."""
    return PLACEHOLDER.search(name) or name.lstrip("./") in names or name + ".in" in names


def check_cmake(root, file):
    for number, line in enumerate((root / file).read_text().splitlines(), 1):
        for path in PATH.findall(line.partition("#")[2]):
            if not is_there(root, path):
                yield f"{file}:{number}: {path} does not exist"


def check_source(root, file, names):
    for number, line in enumerate((root / file).read_text(errors="replace").splitlines(), 1):
        for page in PAGE_NAME.findall(line):
            if not is_there(root, page):
                yield f"{file}:{number}: {page} does not exist"
        for name in SOURCE_NAME.findall(line.partition("//")[2]):
            if not is_named(names, name):
                yield f"{file}:{number}: {name} does not exist"


def check_paths(root):
    files, words = list(files_of(root)), words_of_rooms(root)
    # Each file under every end of its path: base/layout.hpp is dojima/base/layout.hpp.
    names = {name[place:] for name in files for place in [0] + [at.end() for at in re.finditer("/", name)]}
    for file in files:
        if file in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md") or re.match(r"docs/.*\.md$", file):
            yield from check_page(root, file, names, words)
        elif file.endswith((".cmake", "CMakeLists.txt")):
            yield from check_cmake(root, file)
        elif file.endswith((".hpp", ".cpp")):
            yield from check_source(root, file, names)


def violations(root):
    # A path that is a link as well is named once.
    return list(dict.fromkeys([*check_map(root), *check_rooms(root), *check_paths(root)]))


# ---------------------------------------------------------------------------------------------------------- self-test


def plant(root, files):
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def self_test():
    """Plants one violation of each kind in a small house and expects exactly those to be found."""
    rooms = ("# A\n\n## The rooms\n\n| floor | room | holds | page |\n|---|---|---|---|\n"
             "| 0 | `base` | errors | [base](docs/base.md) |\n| 2 | `book` | books | [book](docs/book.md#what-it-is) |\n\n")
    steps = ("## The map\n\n| step | file | function |\n|---|---|---|\n"
             "| matched | `dojima/book/book.hpp` | `Book::enter`, `cross` |\n| | `dojima/book/book.cpp` | `Book::cancel(order)` |\n")
    sound = {
        "tools/floors.txt": "# floors\n0 base\n2 book\n3 web\n",
        "ARCHITECTURE.md": rooms + steps,
        "README.md": "[map](ARCHITECTURE.md#the-map), `dojima/book/book.hpp`, `fuzz/ROOM_fuzz.cpp`, `book::Book<std::map>`, `dojima/*`\n",
        "docs/base.md": "# base\n\n```sh\npython3 tools/run.py dojima/NAME/\n```\n",
        "docs/book.md": "# book\n\n## What it is\n\n`book/book.hpp` and [base](base.md), <https://example.org/docs/x.md>\n",
        "tools/run.py": "\n",
        "CMakeLists.txt": "add_library(x)  # sources of dojima/book, see tools/run.py.\n",
        "dojima/base/error.hpp": "// docs/base.md says when\n",
        "dojima/book/book.hpp": "namespace dojima::book {\ntemplate <class Storage>\nclass Book final : public View<Storage> {\n"
                                " public:\n  void enter(int x = f({1})) noexcept { if (leave(x)) { cross(x); } }\n"
                                "  void cancel(int);\n};\n[[nodiscard]] inline bool cross(int) { return true; }\n}\n",
        "dojima/book/book.cpp": "// void Book::replace(int) {}\nnamespace dojima::book {\ntemplate <class Storage>\n"
                                "void Book<Storage>::cancel(int) { replace(1); }\n}\n",
    }
    architecture = sound["ARCHITECTURE.md"]
    end = architecture.count("\n") + 1
    planted = [
        ("ARCHITECTURE.md", architecture + "| fed | [`dojima/feed/feed.hpp`](dojima/feed/feed.hpp) | `publish` |\n",
         [f"ARCHITECTURE.md:{end}: dojima/feed/feed.hpp does not exist"]),
        ("ARCHITECTURE.md", architecture + "| risk | `dojima/book/book.cpp` | `Book::replace` |\n",
         [f"ARCHITECTURE.md:{end}: dojima/book/book.cpp defines no Book::replace"]),
        ("ARCHITECTURE.md", architecture + "| risk | `dojima/book/book.hpp` | `leave` |\n",
         [f"ARCHITECTURE.md:{end}: dojima/book/book.hpp defines no leave"]),
        ("ARCHITECTURE.md", architecture + "| risk | `dojima/book/book.hpp` | `Book::cancel` |\n",
         [f"ARCHITECTURE.md:{end}: dojima/book/book.hpp defines no Book::cancel"]),
        ("ARCHITECTURE.md", architecture + "| risk | `dojima/book/book.hpp` | `Level::enter` |\n",
         [f"ARCHITECTURE.md:{end}: dojima/book/book.hpp defines no Level::enter"]),
        ("ARCHITECTURE.md", architecture + "| risk | `dojima/book/book.hpp` | somewhere |\n",
         [f"ARCHITECTURE.md:{end}: a row of the map names a step, one file and its functions"]),
        ("ARCHITECTURE.md", architecture + "| risk | `book/book.hpp` | `Book::replace` |\n",
         [f"ARCHITECTURE.md:{end}: a row of the map names a step, one file and its functions"]),
        ("ARCHITECTURE.md", rooms + "## The map\n\nLater.\n",
         ['ARCHITECTURE.md:1: the section "The map" has no table of steps, files and functions']),
        ("ARCHITECTURE.md", rooms.replace("| 2 | `book` | books | [book](docs/book.md#what-it-is) |\n", "") + steps,
         ["ARCHITECTURE.md:1: room book is missing in the table of rooms"]),
        ("ARCHITECTURE.md", rooms.replace("| 2 | `book`", "| 3 | `web` | pages | [base](docs/base.md) |\n| 2 | `book`") + steps,
         ["ARCHITECTURE.md:8: room web is no room of tools/floors.txt with a folder under dojima/"]),
        ("ARCHITECTURE.md", rooms.replace("| 2 | `book`", "| 3 | `book`") + steps,
         ["ARCHITECTURE.md:8: room book is on floor 2, not 3"]),
        ("ARCHITECTURE.md", rooms.replace("[base](docs/base.md)", "none yet") + steps,
         ["ARCHITECTURE.md:7: room base has no page"]),
        ("README.md", "\n`dojima/book/ladder.hpp`\n", ["README.md:2: dojima/book/ladder.hpp does not exist"]),
        ("README.md", "`python3 tools/walk.py`\n", ["README.md:1: tools/walk.py does not exist"]),
        ("README.md", "see `ladder.hpp`\n", ["README.md:1: ladder.hpp does not exist"]),
        ("README.md", "see `base/book.hpp`\n", ["README.md:1: base/book.hpp does not exist"]),
        ("README.md", "see `book::Ladder`\n", ["README.md:1: room book has no Ladder"]),
        ("README.md", "```cpp\ndojima::lab::Book book;\n```\n", ["README.md:2: room lab has no Book"]),
        ("docs/base.md", "[the book](../book.md)\n", ["docs/base.md:1: ../book.md does not exist"]),
        ("docs/base.md", "[the book](book.md#what-it-was)\n",
         ["docs/base.md:1: book.md#what-it-was: the page has no such heading"]),
        ("docs/base.md", "```sh\npython3 tests/house/gone.py\n```\n", ["docs/base.md:2: tests/house/gone.py does not exist"]),
        ("CMakeLists.txt", "\n# what bench/book/ holds\n", ["CMakeLists.txt:2: bench/book/ does not exist"]),
        ("cmake/Rooms.cmake", "# tests/house holds it.\n", ["cmake/Rooms.cmake:1: tests/house does not exist"]),
        ("dojima/book/book.cpp", sound["dojima/book/book.cpp"] + "int a;  // lab/probe.hpp, book.hpp\n",
         ["dojima/book/book.cpp:6: lab/probe.hpp does not exist"]),
        ("dojima/base/error.hpp", "// docs/lab.md says when\n", ["dojima/base/error.hpp:1: docs/lab.md does not exist"]),
    ]
    failures = []
    for name, text, wanted in [(None, None, [])] + planted:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            plant(root, {**sound, **({name: text} if name else {})})
            found = violations(root)
        if found != wanted:
            failures.append(f"planted in {name}:\n  expected {wanted}\n  found    {found}")
    print("\n".join(failures) if failures else f"{len(planted)} planted violations found, none where there is none")
    return 1 if failures else 0


def main(description, check, test):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2],
                        help="the repository (default: the one this file belongs to)")
    parser.add_argument("--self-test", action="store_true", help="show that planted violations are found")
    arguments = parser.parse_args()
    if arguments.self_test:
        return test()
    try:
        found = check(arguments.root)
    except (OSError, ValueError) as trouble:
        print(f"cannot check: {trouble}", file=sys.stderr)
        return 2
    for violation in found:
        print(violation)
    if found:
        print(f"{len(found)} violations", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(__doc__, violations, self_test))
