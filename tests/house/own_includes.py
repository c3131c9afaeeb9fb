#!/usr/bin/env python3
"""Holds what headers use of our own headers against what they include.

A header under dojima/ that names a type, a constant or a function which a header of its room or of a room below declares
includes that header, itself or through others, however far away; or declares the name itself. With std_includes.py, which does
the same for the standard library, that is what makes a header compile alone, seen in a second and without a compiler; the
target headers_alone (./dev check --full) shows it with both compilers.

What is held is a name's spelling: a name that another included header mentions for whatever reason counts as declared, so a
missing include may go unseen, but what is reported is missing. Each violation is printed as `file:line: what is wrong`. Exit
status 0 when there is none, 1 when there are some. --self-test plants violations and looks for them.
"""

import argparse
import collections
import pathlib
import re
import sys
import tempfile

import includes
import std_includes

TYPE = re.compile(r"^(?:template <[^\n]*>\s*)?(?:(?:class|struct|union|enum class|enum|concept)\s+"
                  r"(?:\[\[\w+\]\]\s+|alignas\(\w+\)\s+)*(\w+)(?=[^;]*?[{:=]|\s*final)"
                  r"|using (\w+) =|(?:inline )?constexpr [\w:<>, ]+?\b(k_\w+)\b)", re.MULTILINE)
FUNCTION = re.compile(r"^(?:\[\[[\w(\"., )]+\]\] )*(?:inline |constexpr |template <[^\n]*>\s*|static )*"
                      r"[\w:<>,&*]+(?: [\w:<>,&*]+)*[ &*]([a-z]\w*)\(", re.MULTILINE)
USE = re.compile(r"(?<![\w.>])((?:\w*::)*)([A-Z]\w*\b|k_\w+\b|[a-z]\w*(?=\())")
KEYWORDS = {"alignas", "alignof", "catch", "decltype", "defined", "explicit", "for", "if", "noexcept", "requires", "return", "sizeof",
            "static_assert", "switch", "while"}


def declares_itself(name, text):
    """Whether a header declares the name somewhere: a member, a parameter, a local, a friend."""
    word = re.escape(name)
    patterns = [rf"\b(?:class|struct|enum|union|using|typename|concept|auto)\s+(?:\.\.\.\s*)?{word}\b",
                rf"\b(?:class|typename)\.\.\. {word}\b", rf"\bfriend [^\n]*{word}", rf"\b{word}\s*=[^=]", rf"[<,]\s*[\w:]+ {word}\s*[,>]"]
    if name[0].islower():
        patterns.append(rf"(?<!\breturn)(?<!\belse)(?<!\bnew)(?<=[\w>&*\]])\s+[&*]?{word}\(")
    return any(re.search(pattern, text) for pattern in patterns)


class Headers:
    def __init__(self, root):
        self.text, self.includes, self.lines = {}, {}, {}
        for path in sorted((root / "dojima").rglob("*.hpp")):
            name, raw = path.relative_to(root).as_posix(), path.read_text()
            self.text[name] = std_includes.without_comments(raw)
            self.includes[name] = [found.group(2) for line in raw.splitlines()
                                   if (found := std_includes.INCLUDE.match(line)) and found.group(1) == '"']
        self.words = {name: set(re.findall(r"\w+", text)) for name, text in self.text.items()}
        self.declared = collections.defaultdict(set)
        for name, text in self.text.items():
            if "_test" not in name:
                for found in TYPE.finditer(text):
                    self.declared[next(group for group in found.groups() if group)].add(name)
                for found in FUNCTION.finditer(text):
                    self.declared[found.group(1)].add(name)

    def reachable(self, name):
        seen, todo = {name}, [name]
        while todo:
            for other in self.includes.get(todo.pop(), []):
                if other in self.text and other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen


def violations(root):
    headers = Headers(root)
    rooms = includes.read_rooms(root / "CMakeLists.txt")
    for name, text in headers.text.items():
        if "_test" in name:
            continue
        room = name.split("/")[1]
        may_include = {room} | includes.closure(room, rooms) if room in rooms else None
        reachable = headers.reachable(name)
        mentioned = set().union(*(headers.words[other] for other in reachable if other != name))
        seen = set()
        for found in USE.finditer(text):
            qualifier, used = found.groups()
            declared = headers.declared.get(used, set())
            if used in seen or used in KEYWORDS or not declared or declared & reachable or used in mentioned:
                continue
            # std::x, Type::x and ::x of the system are declared elsewhere.
            if qualifier.startswith(("std::", "::")) or re.search(r"[A-Z]\w*::$", qualifier):
                continue
            candidates = sorted(other for other in declared if may_include is None or other.split("/")[1] in may_include)
            is_forward = re.search(rf"\b(?:class|struct|enum class|enum)\s+{re.escape(used)}(?:\s*:\s*[\w:]+)?;", text)
            if not candidates or is_forward or (not qualifier and declares_itself(used, text)):
                continue
            seen.add(used)
            yield f"{name}:{text.count(chr(10), 0, found.start()) + 1}: names {qualifier}{used} without {' or '.join(candidates)}"


SOUND = {
    "CMakeLists.txt": "dojima_room(base)\ndojima_room(time DEPENDS base)\n",
    "dojima/base/error.hpp": "#pragma once\nenum class ErrorCode { none };\nint describe(ErrorCode code);\n",
    "dojima/base/far.hpp": '#pragma once\n#include "dojima/base/error.hpp"\n',
    "dojima/base/cold.hpp": "#pragma once\nclass Cold {\n};\n",
    # Through another header; declared by itself; only spoken of; of a room that this one cannot include.
    "dojima/time/clock.hpp": '#pragma once\n#include "dojima/base/far.hpp"\ninline ErrorCode code;\ntemplate <class Cold>\nstruct Over {\n'
                             "  Cold under;  // std::sort(Clock)\n};\n",
    "dojima/base/low.hpp": "#pragma once\ntemplate <int Over>\nstruct Low { int k_it = Over; };\n",
}
PLANTED = [
    ("dojima/time/type.hpp", "#pragma once\ninline ErrorCode code;\n",
     "dojima/time/type.hpp:2: names ErrorCode without dojima/base/error.hpp"),
    ("dojima/time/call.hpp", "#pragma once\n\ninline int text() { return describe(0); }\n",
     "dojima/time/call.hpp:3: names describe without dojima/base/error.hpp"),
    ("dojima/base/inner.hpp", '#pragma once\n#include "dojima/base/error.hpp"\nstruct Inner { Cold cold; };\n',
     "dojima/base/inner.hpp:3: names Cold without dojima/base/cold.hpp"),
]


def self_test():
    failures = []
    for name, text, expected in [(None, "", None)] + PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            includes.plant(root, {**SOUND, **({name: text} if name else {})})
            found = list(violations(root))
        if found != ([expected] if expected else []):
            failures.append(f"planted in {name}:\n  expected {expected}\n  found    {found}")
    print("\n".join(failures) if failures else f"{len(PLANTED)} planted violations found, none where there is none")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    found = list(violations(arguments.root))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
