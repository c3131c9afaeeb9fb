#!/usr/bin/env python3
"""Holds the tables of the pages against the code that they repeat.

  - Headers: the page of a room (the first link of its row in ARCHITECTURE.md) has a table whose first column is `header`;
    it names every public header of the room and no other header. Public are the headers directly in dojima/ROOM/ and those
    in the folders named after PUBLIC in dojima_room(ROOM ...); of these, headers for tests (`*_test.hpp`,
    `*_test_support.hpp`) need not be named. The headers of a PUBLIC folder are named with it: `host/doctor.hpp`.
  - Formats of recorded data: docs/recorded-data.md has the only table of them, with every format of
    dojima/recorded/formats/format.cpp, and says which of them are written as dojima/recorded/files/event_file.cpp does.

Each violation is printed as `file:line: what is wrong`; exit status 0 when there is none, 1 when there are some, 2 when
the check itself cannot run.
"""

import pathlib
import re
import sys
import tempfile

import map as pages

ROOM_CALL = re.compile(r"^dojima_room\(([^)]*)\)", re.MULTILINE)
KEYWORDS = ("PUBLIC", "DEPENDS", "PRIVATE", "TESTS", "HEADERS")
FORMATS_PAGE = "docs/recorded-data.md"


def read_public(path):
    """{room: [folders named after PUBLIC]} of the dojima_room(...) calls of CMakeLists.txt."""
    public = {}
    for call in ROOM_CALL.finditer(re.sub(r"#[^\n]*", "", path.read_text())):
        name, *words = call.group(1).split()
        public[name] = []
        keyword = None
        for word in words:
            if word in KEYWORDS:
                keyword = word
            elif keyword == "PUBLIC":
                public[name].append(word)
    return public


def headers_of(root, room, folders):
    """The public headers of a room, by their paths below it."""
    names = set()
    for folder in ["", *folders]:
        for header in (root / "dojima" / room / folder).glob("*.hpp"):
            names.add(header.relative_to(root / "dojima" / room).as_posix())
    return names


def is_for_tests(header):
    return re.search(r"_test[_.]", header) is not None


def pages_of(root):
    """{room: its page} as the table of rooms links them."""
    text, found = (root / "ARCHITECTURE.md").read_text(), {}
    for section, header, body, _ in pages.tables_of(text):
        if section == pages.ROOMS and header[:2] == ["floor", "room"]:
            for _, cells in body:
                link = pages.LINK.search(cells[-1])
                for room in pages.code_of(cells[1]):
                    found[room] = link.group(1).split("#")[0] if link else None
    return found


def check_headers(root):
    page_of = pages_of(root)
    for room, folders in read_public(root / "CMakeLists.txt").items():
        page, public, listed, first = page_of.get(room), headers_of(root, room, folders), set(), 1
        if not page or not (root / page).is_file():
            continue  # map.py says so
        for _, header, body, line in pages.tables_of((root / page).read_text()):
            if header[0] != "header":
                continue
            first = line if not listed else first
            for number, cells in body:
                for name in (word for word in pages.code_of(cells[0]) if word.endswith(".hpp")):
                    listed.add(name)
                    if name not in public:
                        yield f"{page}:{number}: {name} is no public header of room {room}"
        for name in sorted(name for name in public - listed if not is_for_tests(name)):
            yield f"{page}:{first}: {name} is missing in the table of headers of room {room}"


def words_behind(path, start, end):
    """The words in quotes between two places of a source."""
    found = re.search(re.escape(start) + r"(.*?)" + re.escape(end), path.read_text(), re.DOTALL)
    if not found:
        raise ValueError(f"{path}: nothing like `{start} ... {end}`")
    return set(re.findall(r'"(\w+)"', found.group(1)))


def format_tables(root):
    for file in pages.files_of(root):
        if file in ("README.md", "ARCHITECTURE.md") or re.match(r"docs/[^/]*\.md$", file):
            for _, header, body, line in pages.tables_of((root / file).read_text()):
                if header[0] == "`--format`":
                    yield file, header, body, line


def check_formats(root):
    formats = root / "dojima" / "recorded" / "formats" / "format.cpp"
    if not formats.is_file():
        return
    read = words_behind(formats, "k_names = {", "}")
    written = words_behind(root / "dojima/recorded/files/event_file.cpp", "writable_formats() {", "}")
    seen, place = {}, f"{FORMATS_PAGE}:1"
    for file, header, body, line in format_tables(root):
        if file != FORMATS_PAGE:
            yield f"{file}:{line}: the table of formats is in {FORMATS_PAGE}; link to it"
            continue
        place = f"{file}:{line}"
        column = header.index("written") if "written" in header else None
        for number, cells in body:
            for name in pages.code_of(cells[0]):
                seen[name] = number
                if name not in read:
                    yield f"{file}:{number}: {name} is no format of dojima/recorded/formats/format.cpp"
                elif column is None or (cells[column] == "yes") != (name in written):
                    yield f"{file}:{number}: {name} is {'' if name in written else 'not '}written, the table says otherwise"
    for name in sorted(read - set(seen)):
        yield f"{place}: {name} is missing in the table of formats"


def violations(root):
    return list(check_headers(root)) + list(check_formats(root))


def self_test():
    """Plants one violation of each kind in a small house and expects exactly those to be found."""
    sound = {
        "ARCHITECTURE.md": "## The rooms\n\n| floor | room | holds | page |\n|---|---|---|---|\n"
                           "| 0 | `base` | errors | [base](docs/base.md#headers), [more](docs/more.md) |\n"
                           "| 5 | `recorded` | files | [recorded](docs/recorded-data.md) |\n",
        "CMakeLists.txt": "dojima_room(base)\n# dojima_room(time)\ndojima_room(recorded PUBLIC formats\n  DEPENDS base TESTS base)\n",
        "docs/base.md": "# base\n\n| header | what |\n|---|---|\n| `error.hpp`, `pool.hpp`, `fit_tests.hpp`, `inner/` | all |\n\n| header | |\n|---|---|\n"
                        "| `ring.hpp` | a ring, over `pool.hpp` and `inside.hpp` |\n",
        "docs/more.md": "| header | what |\n|---|---|\n| `base/error.hpp` | errors |\n",
        "docs/recorded-data.md": "| header | what |\n|---|---|\n| `event.hpp`, `formats/format.hpp` | events |\n\n"
                                 "| `--format` | what | written |\n|---|---|---|\n| `csv` | text | yes |\n| `dbn` | binary | |\n",
        "dojima/base/error.hpp": "", "dojima/base/pool.hpp": "", "dojima/base/ring.hpp": "", "dojima/base/error.cpp": "",
        "dojima/base/error_test_support.hpp": "", "dojima/base/fit_tests.hpp": "", "dojima/base/inner/inside.hpp": "",
        "dojima/recorded/event.hpp": "", "dojima/recorded/formats/format.hpp": "", "dojima/recorded/files/file.hpp": "",
        "dojima/recorded/formats/format.cpp": 'constexpr std::array k_names = {\n    "csv",\n "dbn"};\n',
        "dojima/recorded/files/event_file.cpp": 'std::vector<std::string> writable_formats() {\n  return {"csv"};\n}\n',
    }
    recorded = sound["docs/recorded-data.md"]
    planted = [
        ("dojima/base/ladder.hpp", "", ["docs/base.md:3: ladder.hpp is missing in the table of headers of room base"]),
        ("dojima/recorded/formats/dbn.hpp", "",
         ["docs/recorded-data.md:1: formats/dbn.hpp is missing in the table of headers of room recorded"]),
        ("docs/base.md", "# base\n", [f"docs/base.md:1: {name}.hpp is missing in the table of headers of room base"
                                      for name in ("error", "fit_tests", "pool", "ring")]),
        ("docs/base.md", sound["docs/base.md"] + "| `inner/inside.hpp` | hidden |\n",
         ["docs/base.md:10: inner/inside.hpp is no public header of room base"]),
        ("docs/base.md", sound["docs/base.md"] + "| `gone.hpp` | gone |\n",
         ["docs/base.md:10: gone.hpp is no public header of room base"]),
        ("docs/recorded-data.md", recorded.replace("| `dbn` | binary | |\n", ""),
         ["docs/recorded-data.md:5: dbn is missing in the table of formats"]),
        ("docs/recorded-data.md", recorded + "| `sbe` | binary | |\n",
         ["docs/recorded-data.md:9: sbe is no format of dojima/recorded/formats/format.cpp"]),
        ("docs/recorded-data.md", recorded.replace("| binary | |", "| binary | yes |"),
         ["docs/recorded-data.md:8: dbn is not written, the table says otherwise"]),
        ("docs/recorded-data.md", recorded.replace("| text | yes |", "| text | |"),
         ["docs/recorded-data.md:7: csv is written, the table says otherwise"]),
        ("docs/more.md", "| `--format` | what |\n|---|---|\n| `csv` | text |\n",
         ["docs/more.md:1: the table of formats is in docs/recorded-data.md; link to it"]),
    ]
    failures = []
    for name, text, wanted in [(None, None, [])] + planted:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            pages.plant(root, {**sound, **({name: text} if name else {})})
            found = violations(root)
        if found != wanted:
            failures.append(f"planted in {name}:\n  expected {wanted}\n  found    {found}")
    print("\n".join(failures) if failures else f"{len(planted)} planted violations found, none where there is none")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(pages.main(__doc__, violations, self_test))
